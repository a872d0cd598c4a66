//! Waits: what a queue can block on, and when it continues.

use crate::cp::execute::aql::give_up_aql;
use crate::cp::execute::engine::{Engine, Flow};
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::aql::value_of;
use crate::cp::state::block::{Answer, Block, Until, named};
use crate::cp::state::finding::Severity;
use crate::cp::state::memory::{Content, canonical};
use crate::cp::state::place::Place;
use crate::cp::state::predicate::Predicate;
use crate::cp::state::queue::QueueState;
use crate::cp::state::wait_condition::{comparison, register, until, writes_first};
use crate::packet::{Action, Packet, Queue, Reader};
use alloc::format;

impl<'a> Engine<'_, 'a> {
    /// Returns whether the condition holds now.
    pub fn holds(&self, queue: &QueueState<'a>, until: Until) -> Answer {
        let answer = |holds| if holds { Answer::Yes } else { Answer::No };
        let sure = |holds: bool, unsure: bool| if unsure && !holds { Answer::Unknown } else { answer(holds) };
        match until {
            Until::Memory { addr, test } => {
                let low = self.memory.read(addr);
                let high = if test.wide { self.memory.read(addr + 4) } else { Content::Known(0) };
                match (low, high) {
                    (Content::Known(low), Content::Known(high)) => {
                        let holds = test.passes(u64::from(high) << 32 | u64::from(low));
                        // Application memory may still change; memory written by packets changes only when a packet says so.
                        if !holds && self.memory.mapped(addr, 4) == 0 && self.memory.origin(addr).is_none() { Answer::Application } else { answer(holds) }
                    }
                    (Content::Unmapped, _) | (_, Content::Unmapped) => Answer::Application,
                    _ => Answer::Unknown,
                }
            }
            Until::Signal { signals, test } => self.signalled(signals, test),
            Until::Register { addr, test } => queue.registers.value(addr).map_or(Answer::Unknown, |value| answer(test.passes(value.into()))),
            Until::Valid { addr } => match addr.map(|addr| self.memory.read(addr)) {
                Some(Content::Known(word)) => answer(word >> 31 == 1),
                // A running buffer is mapped if it has an address.
                Some(Content::Unknown | Content::Unmapped) | None => Answer::Unknown,
            },
            Until::Gang { dispatches } => sure(self.gang.dispatches >= dispatches, self.gang.unsure),
            Until::CeCounter => sure(self.constant.ce_counter > self.constant.de_counter, self.constant.unsure),
            Until::DeCounter { diff } => sure(self.constant.ce_counter.saturating_sub(self.constant.de_counter) < diff.into(), self.constant.unsure),
        }
    }

    /// Continues, or blocks.
    pub fn wait(&mut self, queue: &mut QueueState<'a>, block: Block) -> Flow {
        queue.has_waited = true;
        loop {
            if self.holds(queue, block.until) == Answer::Yes {
                return Flow::Next;
            }
            // The wait is for the end of the pipe: let pending work complete.
            let Some(end) = queue.pipe.pop() else { break };
            self.pipe_end(queue, end);
        }
        queue.block = Some(block);
        Flow::Blocked
    }

    /// WAIT_REG_MEM and its 64-bit form.
    pub fn wait_reg_mem(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, wide: bool) -> Flow {
        let Some((control, addr, test)) = comparison(packet.body, wide) else { return Flow::Next };
        let pfp = queue.queue == Queue::Graphics && control >> 8 & 3 == 1;
        let until = until(control, addr, test);
        if writes_first(control) && queue.block.is_none_or(|block| block.place != place) {
            let origin = queue.origin(place);
            self.register(queue, place, packet, register(addr.0), Some(test.reference as u32), origin);
        }
        let block = Block { place, packet: packet.name(self.gfx).unwrap_or("WAIT_REG_MEM"), until, pfp };
        let first = queue.block.is_none();
        let has_ended = pfp && queue.waited_ahead.remove(&queue.packets);
        let flow = if has_ended { Flow::Next } else { self.wait(queue, block) };
        if flow == Flow::Next {
            if first && self.memory.writes == 0 && matches!(until, Until::Memory { .. }) {
                let verdict = Verdict::new(format!("the condition ({}) holds before any packet has written memory: the wait does nothing", until.describe()))
                    .help("leave the wait out, or check the address and the reference");
                self.report(queue, place, packet.name(self.gfx), &rules::IDLE_WAIT, verdict);
            }
            self.waited(queue, until, pfp);
        }
        flow
    }

    /// After a wait: earlier draws are done as far as the model knows, and PFP has seen the writes of ME if PFP waited.
    pub fn waited(&mut self, queue: &mut QueueState<'a>, until: Until, pfp: bool) {
        if let Until::Memory { addr, .. } = until {
            self.fences.remove(&addr);
            queue.history.pipe_end_waited();
            queue.pipe.waited();
        }
        queue.contexts.idle();
        if pfp {
            queue.history.synced();
        }
    }

    /// Gives up a wait: the queue continues after it.
    pub fn release(&mut self, queue: &mut QueueState<'a>) {
        if let Some(version) = queue.sdma
            && queue.block.is_some()
        {
            return self.give_up_sdma(queue, version);
        }
        if queue.next_is_aql().is_some() && queue.block.is_some() {
            return give_up_aql(queue);
        }
        if let Some(block) = queue.block.take() {
            // Count the work that it waits for as taken, or the counts would never match again.
            queue.history.taskmesh += u64::from(matches!(block.until, Until::Gang { .. }));
            self.waited(queue, block.until, block.pfp);
            // Treat the packet as run. Registers that a draw would write are unknown nevertheless.
            let words = queue.frames.last().map(|frame| (frame.words.clone(), frame.offset));
            if let Some((words, offset)) = words
                && let Some(Ok(packet)) = Reader::new(words.as_slice().get(offset..).unwrap_or_default()).next()
                && let Some(opcode) = packet.opcode()
            {
                self.has_run(queue, block.place, &packet, opcode);
            }
            if matches!(block.until, Until::Valid { .. }) {
                fetch_again(queue);
            }
            self.advance(queue);
        }
    }

    /// REWIND: waits until its valid bit is set, then fetches the packets after it again.
    pub fn rewind(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) -> Flow {
        let &[word] = packet.body else { return Flow::Next };
        let addr = queue.frames.last().and_then(|frame| Some(frame.addr? + 4 * (frame.offset as u64 + 1)));
        let flow = match word >> 31 {
            1 => Flow::Next,
            _ => self.wait(queue, Block { place, packet: "REWIND", until: Until::Valid { addr }, pfp: true }),
        };
        if flow == Flow::Next {
            fetch_again(queue);
        }
        flow
    }

    /// SET_PREDICATION (Mesa 25.0.7 si_emit_draw_packets predication; PAL gfx9CmdUtil.cpp BuildSetPredication).
    pub fn set_predication(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let &[control, ..] = packet.body else { return };
        let mut read = None;
        packet.visit_effects(self.gfx, queue.queue, &mut |effect| {
            if let Action::Read { at, .. } = effect.action {
                read = read.or(self.memory_address(queue, at));
            }
        });
        let addr = read.unwrap_or(0);
        let wanted = control >> 8 & 1 == 1;
        queue.predicate = match control >> 16 & 7 {
            0 => Predicate::Clear,
            operation @ (3 | 4) => {
                let low = self.read_dword(queue, place, packet, addr);
                let high = if operation == 3 { self.read_dword(queue, place, packet, addr + 4) } else { Some(0) };
                match (low, high) {
                    (Some(low), Some(high)) => Predicate::Known(((low | high) != 0) == wanted),
                    _ => Predicate::Unknown,
                }
            }
            _ => Predicate::Unknown,
        };
    }

    /// DISPATCH_TASKMESH_GFX: takes work from a task-shader dispatch of a compute queue.
    pub fn gang_wait(&mut self, queue: &mut QueueState<'a>, place: Place) -> Flow {
        let dispatches = queue.history.taskmesh + 1;
        if !self.gang.compute {
            return Flow::Next;
        }
        self.wait(queue, Block { place, packet: "DISPATCH_TASKMESH_GFX", until: Until::Gang { dispatches }, pfp: false })
    }

    /// Returns who, outside the stream, will write the memory that a wait reads.
    pub fn expected(&self, block: Block) -> Option<&'a str> {
        match block.until {
            Until::Memory { addr, .. } | Until::Valid { addr: Some(addr) } => self.memory.expected(addr),
            Until::Signal { signals, .. } => named(signals).find_map(|signal| self.memory.expected(value_of(signal))),
            _ => None,
        }
    }

    /// Reports a finding of severity info or error for a wait that the application would have to satisfy.
    pub fn left_to_the_application(&mut self, queue: &mut QueueState<'a>, block: Block, answer: Answer) {
        if let Some(by) = self.expected(block) {
            let verdict =
                Verdict::new(format!("the packet waits for {}, which {by} is expected to satisfy: the wait counts as satisfied", block.until.describe()))
                    .severity(Severity::Info)
                    .help("the caller declared this write (expect_write); make sure that it happens");
            return self.report_once(queue, block.place, Some(block.packet), &rules::UNSATISFIED, verdict);
        }
        // A conditional packet may have written the value.
        if let (Answer::Application | Answer::Unknown, Until::Memory { addr, .. }) = (answer, block.until)
            && self.memory.perhaps_written.contains(&canonical(addr))
        {
            return;
        }
        let severity = if self.options.closed_memory { Severity::Error } else { Severity::Info };
        let why = match answer {
            Answer::Application if self.options.closed_memory => "in memory that is not mapped and that no packet has written: the queue hangs",
            Answer::Application => {
                "in memory that is not mapped and that no packet has written: the application must write it, and the wait counts as satisfied"
            }
            Answer::No => "but the model does not know whether the packet runs: the wait counts as satisfied",
            _ if block.until == (Until::Valid { addr: None }) => {
                "but its buffer has no address, so the model cannot see writes to it: the wait counts as satisfied"
            }
            _ => "but the model does not know the value: the wait counts as satisfied",
        };
        let text = format!("the packet waits for {}, {why}", block.until.describe());
        let severity = if answer == Answer::Application { severity } else { Severity::Info };
        let help = match block.until {
            Until::Register { .. } => "write the register before the wait, or give its value (CommandProcessor::set_register, register in a manifest)",
            Until::Valid { addr: None } => "give the buffer its address (CommandProcessor::submit_at, FILE@ADDR)",
            Until::Memory { .. } | Until::Signal { .. } | Until::Valid { .. } => "map the memory with what it holds, or submit the queue that signals it",
            Until::Gang { .. } | Until::CeCounter | Until::DeCounter { .. } => "map the memory that the packets before the wait depend on",
        };
        let verdict = Verdict::new(text).severity(severity).help(help);
        self.report_once(queue, block.place, Some(block.packet), &rules::UNSATISFIED, verdict);
    }
}

/// After a REWIND whose valid bit is set or assumed set: fetches the running buffer again, but none of its callers.
fn fetch_again(queue: &mut QueueState<'_>) {
    if let Some((frame, callers)) = queue.frames.split_last_mut() {
        frame.stale = true;
        queue.guards += 1;
        callers.iter_mut().flat_map(|caller| caller.entered.values_mut()).for_each(|guards| *guards += 1);
    }
}
