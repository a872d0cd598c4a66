//! Waits: what a queue can block on, and when it continues.

use crate::cp::execute::engine::{Engine, Flow};
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::finding::Severity;
use crate::cp::state::memory::{Content, canonical};
use crate::cp::state::place::{Place, QueueId};
use crate::cp::state::predicate::Predicate;
use crate::cp::state::queue::{Frame, QueueState, Span};
use crate::packet::{Action, Opcode, Packet, Queue, Reader};
use crate::plurals::counted;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What a queue waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) struct Block {
    pub place: Place,
    pub packet: &'static str,
    pub until: Until,
    /// PFP waits, and later work of ME cannot run before it.
    pub pfp: bool,
}

/// The condition of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) enum Until {
    Memory {
        addr: u64,
        test: Test,
    },
    Register {
        addr: u32,
        test: Test,
    },
    /// The valid bit of REWIND, in memory where the buffer has an address.
    Valid {
        addr: Option<u64>,
    },
    /// As many task-shader dispatches of the compute queues.
    Gang {
        dispatches: u64,
    },
    /// The counter of the constant engine is ahead of that of the draw engine.
    CeCounter,
    /// The counter of the constant engine is less than this ahead of that of the draw engine.
    DeCounter {
        diff: u32,
    },
}

/// `value & mask` against a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) struct Test {
    pub function: u32,
    pub mask: u64,
    pub reference: u64,
    /// 64 bits wide.
    pub wide: bool,
}

/// The function "equal".
pub(in crate::cp) const EQUAL: u32 = 3;

/// How the functions of WAIT_REG_MEM are written.
const SIGNS: [&str; 8] = ["always", "<", "<=", "==", "!=", ">=", ">", "reserved"];

impl Test {
    /// Whether a value passes (PAL gfx9_plus_merged_f32_me_pm4_packets.h: unsigned compare; 7 is reserved and passes here).
    pub fn passes(self, value: u64) -> bool {
        let value = value & self.mask;
        match self.function {
            1 => value < self.reference,
            2 => value <= self.reference,
            3 => value == self.reference,
            4 => value != self.reference,
            5 => value >= self.reference,
            6 => value > self.reference,
            _ => true,
        }
    }

    /// Whether a value passes, None where that depends on a value that is not known.
    pub fn answer(self, value: Option<u64>) -> Option<bool> {
        value.or((self.function == 0).then_some(0)).map(|value| self.passes(value))
    }

    fn say(self, what: &str) -> String {
        let mask = if self.mask == u64::from(u32::MAX) || self.mask == u64::MAX { String::new() } else { format!(" & 0x{:x}", self.mask) };
        format!("{what}{mask} {} 0x{:x}", SIGNS.get(self.function as usize).unwrap_or(&"?"), self.reference)
    }
}

impl Until {
    /// The condition in words.
    pub fn say(self) -> String {
        match self {
            Self::Memory { addr, test } => test.say(&format!("memory 0x{addr:012x}")),
            Self::Register { addr, test } => test.say(&format!("register 0x{addr:05x}")),
            Self::Valid { .. } => "the valid bit of REWIND".into(),
            Self::Gang { dispatches } => format!("task-shader dispatch {dispatches} of a compute queue"),
            Self::CeCounter => "the counter of the constant engine".into(),
            Self::DeCounter { diff } => format!("the counter of the draw engine to be less than {diff} behind that of the constant engine"),
        }
    }
}

/// What is known of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) enum Answer {
    Yes,
    No,
    /// The memory is not mapped: the application may write it.
    Application,
    /// The value is not known to the model.
    Unknown,
}

impl<'a> Engine<'_, 'a> {
    /// Whether the condition holds now.
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
                        // Memory of the application may still change; where packets have written it, they say so.
                        if !holds && self.memory.mapped(addr, 4) == 0 && self.memory.origin(addr).is_none() { Answer::Application } else { answer(holds) }
                    }
                    (Content::Unmapped, _) | (_, Content::Unmapped) => Answer::Application,
                    _ => Answer::Unknown,
                }
            }
            Until::Register { addr, test } => queue.registers.value(addr).map_or(Answer::Unknown, |value| answer(test.passes(value.into()))),
            Until::Valid { addr } => match addr.map(|addr| self.memory.read(addr)) {
                Some(Content::Known(word)) => answer(word >> 31 == 1),
                Some(Content::Unknown) => Answer::Unknown,
                Some(Content::Unmapped) => Answer::Application,
                None => Answer::Unknown,
            },
            Until::Gang { dispatches } => sure(self.gang.dispatches >= dispatches, self.gang.unsure),
            Until::CeCounter => sure(self.constant.ce_counter > self.constant.de_counter, self.constant.unsure),
            Until::DeCounter { diff } => sure(self.constant.ce_counter.saturating_sub(self.constant.de_counter) < diff.into(), self.constant.unsure),
        }
    }

    /// Goes on, or blocks.
    pub fn wait(&mut self, queue: &mut QueueState<'a>, block: Block) -> Flow {
        loop {
            if self.holds(queue, block.until) == Answer::Yes {
                return Flow::Next;
            }
            // The wait is what the pipe end has been asked for: let it catch up.
            let Some(end) = queue.pipe.take() else { break };
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
        let flow = self.wait(queue, block);
        if flow == Flow::Next {
            if first && self.memory.writes == 0 && matches!(until, Until::Memory { .. }) {
                let verdict = Verdict::new(format!("the condition ({}) holds before any packet has written memory: the wait does nothing", until.say()))
                    .help("leave the wait out, or check the address and the reference");
                self.report(queue, place, packet.name(self.gfx), &rules::IDLE_WAIT, verdict);
            }
            self.waited(queue, until, pfp);
        }
        flow
    }

    /// After a wait: draws before it are done as far as the model knows, and PFP has seen what ME wrote if PFP waited.
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

    /// A wait is given up: the queue continues after it.
    pub fn release(&mut self, queue: &mut QueueState<'a>) {
        if let Some(block) = queue.block.take() {
            // The work that it waits for counts as taken nevertheless, or the counts would never match again.
            queue.history.taskmesh += u64::from(matches!(block.until, Until::Gang { .. }));
            self.waited(queue, block.until, block.pfp);
            // It counts as a packet that has run. What a draw puts into registers it does not put there: they are unknown nevertheless.
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

    /// COND_EXEC: skips the dwords after it when the value is 0.
    pub fn cond_exec(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) -> Flow {
        let &[lo, hi, _, count] = packet.body else { return Flow::Next };
        let dwords = (count & 0x3FFF) as usize;
        self.check_span(queue, place, packet, dwords);
        match self.read_dword(queue, place, packet, address(lo, hi)) {
            Some(0) => return Flow::Skip(dwords),
            None if dwords > 0 => {
                if let Some(frame) = queue.frames.last_mut() {
                    frame.doubts.push(frame.offset + packet.dwords() + dwords);
                }
            }
            _ => {}
        }
        Flow::Next
    }

    /// PRED_EXEC: the dwords after it are for some devices only; the model is device 0.
    pub fn pred_exec(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) -> Flow {
        let &[word] = packet.body else { return Flow::Next };
        let dwords = (word & 0x3FFF) as usize;
        self.check_span(queue, place, packet, dwords);
        // A ring ignores it (IB-08).
        if word >> 24 & 1 == 0 && !queue.in_ring() { Flow::Skip(dwords) } else { Flow::Next }
    }

    /// The dwords of a conditional span must be whole packets of the same buffer. A ring wraps around, and newer packets may be over the end of a span.
    fn check_span(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, dwords: usize) {
        if queue.in_ring() {
            return;
        }
        let Some(frame) = queue.frames.last_mut() else { return };
        let start = frame.offset + packet.dwords();
        frame.spans_end = frame.spans_end.max(start + dwords);
        let span = Span { place, packet: packet.name(self.gfx), dwords, fed: 0, at: frame.span_end(start, dwords) };
        let after = After::of(frame, self.options.partial);
        match decide(span, frame.words.as_slice().len().saturating_sub(start), after) {
            Following::Whole => {}
            Following::Open(span) => queue.spans.push(span),
            Following::Broken(text) => self.bad_span(queue, span, text),
        }
    }

    /// The next piece of a stream: spans that began in the pieces before may end here.
    pub fn follow_spans(&mut self, queue: &mut QueueState<'a>, piece: &Frame<'a>) {
        for span in core::mem::take(&mut queue.spans) {
            if span.place.buffer != piece.buffer {
                queue.spans.push(span);
                continue;
            }
            match follow(span, piece.rest(), After::of(piece, self.options.partial)) {
                Following::Whole => {}
                Following::Open(span) => queue.spans.push(span),
                Following::Broken(text) => self.bad_span(queue, span, text),
            }
        }
    }

    fn bad_span(&mut self, queue: &QueueState<'a>, span: Span, text: String) {
        let verdict = Verdict::new(text).field("exec_count").help("set exec_count to the sum of the dwords of the packets that it covers");
        self.report(queue, span.place, span.packet, &rules::BAD_SPAN, verdict);
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

    /// DISPATCH_TASKMESH_GFX takes its work from a task-shader dispatch of a compute queue.
    pub fn gang_wait(&mut self, queue: &mut QueueState<'a>, place: Place) -> Flow {
        let dispatches = queue.history.taskmesh + 1;
        if !self.gang.compute {
            return Flow::Next;
        }
        self.wait(queue, Block { place, packet: "DISPATCH_TASKMESH_GFX", until: Until::Gang { dispatches }, pfp: false })
    }

    /// Who outside of the stream will write what a wait looks at.
    pub fn expected(&self, block: Block) -> Option<&'a str> {
        let (Until::Memory { addr, .. } | Until::Valid { addr: Some(addr) }) = block.until else { return None };
        self.memory.expected(addr)
    }

    /// A finding of severity info or error about a wait that the application would have to satisfy.
    pub fn left_to_the_application(&mut self, queue: &mut QueueState<'a>, block: Block, answer: Answer) {
        if let Some(by) = self.expected(block) {
            let verdict = Verdict::new(format!("the packet waits for {}, which {by} is expected to satisfy: the wait counts as satisfied", block.until.say()))
                .severity(Severity::Info)
                .help("the caller declared this write (expect_write); make sure that it happens");
            return self.report_once(queue, block.place, Some(block.packet), &rules::UNSATISFIED, verdict);
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
        let text = format!("the packet waits for {}, {why}", block.until.say());
        let severity = if answer == Answer::Application { severity } else { Severity::Info };
        let help = match block.until {
            Until::Register { .. } => "write the register before the wait, or give its value (CommandProcessor::set_register, register in a manifest)",
            Until::Valid { addr: None } => "give the buffer its address (CommandProcessor::submit_at, FILE@ADDR)",
            Until::Memory { .. } | Until::Valid { .. } => "map the memory with what it holds, or submit the queue that signals it",
            Until::Gang { .. } | Until::CeCounter | Until::DeCounter { .. } => "map the memory that the packets before the wait depend on",
        };
        let verdict = Verdict::new(text).severity(severity).help(help);
        self.report_once(queue, block.place, Some(block.packet), &rules::UNSATISFIED, verdict);
    }
}

/// After a REWIND whose valid bit is set, or counts as set: the running buffer is fetched again, and none of those that have called it.
fn fetch_again(queue: &mut QueueState<'_>) {
    if let Some((frame, callers)) = queue.frames.split_last_mut() {
        frame.stale = true;
        queue.guards += 1;
        callers.iter_mut().flat_map(|caller| caller.entered.values_mut()).for_each(|guards| *guards += 1);
    }
}

/// Control, the two dwords of the address, and what WAIT_REG_MEM or its form of 64 bits compares.
fn comparison(body: &[u32], wide: bool) -> Option<(u32, (u32, u32), Test)> {
    let both = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    let (control, addr, reference, mask) = match *body {
        [control, lo, hi, reference, mask, _] if !wide => (control, (lo, hi), reference.into(), mask.into()),
        [control, lo, hi, ref_lo, ref_hi, mask_lo, mask_hi, _] if wide => (control, (lo, hi), both(ref_lo, ref_hi), both(mask_lo, mask_hi)),
        _ => return None,
    };
    Some((control, addr, Test { function: control & 7, mask, reference, wide }))
}

/// Whether the packet writes the first register, and waits for the second one.
fn writes_first(control: u32) -> bool {
    control >> 6 & 3 == 1
}

/// The byte address of a register that the packet counts in dwords.
fn register(dword: u32) -> u32 {
    (dword & 0x3_FFFF) * 4
}

/// What WAIT_REG_MEM or its form of 64 bits waits for.
fn until(control: u32, addr: (u32, u32), test: Test) -> Until {
    match control >> 4 & 3 {
        _ if writes_first(control) => Until::Register { addr: register(addr.1), test },
        0 => Until::Register { addr: register(addr.0), test },
        _ => Until::Memory { addr: canonical(u64::from(addr.1) << 32 | u64::from(addr.0)), test },
    }
}

/// What a packet waits for, in parts.
#[cfg(feature = "input")]
pub(crate) struct WaitCondition {
    /// The address in memory, or of a register in bytes.
    pub addr: u64,
    pub is_memory: bool,
    /// As it is written: `==`.
    pub function: &'static str,
    pub mask: u64,
    pub reference: u64,
    pub bytes: u64,
}

/// What WAIT_REG_MEM or its form of 64 bits waits for; None of other packets.
#[cfg(feature = "input")]
pub(crate) fn wait_condition(packet: &Packet<'_>) -> Option<WaitCondition> {
    let wide = packet.opcode() == Some(Opcode::WAIT_REG_MEM64);
    let (control, addr, test) = comparison(packet.body, wide).filter(|_| wide || packet.opcode() == Some(Opcode::WAIT_REG_MEM))?;
    let (addr, is_memory) = match until(control, addr, test) {
        Until::Memory { addr, .. } => (addr, true),
        Until::Register { addr, .. } => (addr.into(), false),
        _ => return None,
    };
    let function = SIGNS.get(test.function as usize).copied().unwrap_or("?");
    Some(WaitCondition { addr, is_memory, function, mask: test.mask, reference: test.reference, bytes: if wide { 8 } else { 4 } })
}

/// The memory that a packet waits for, where it does nothing else.
pub(in crate::cp) fn memory_wait(packet: &Packet<'_>) -> Option<(u64, Test)> {
    let wide = packet.opcode() == Some(Opcode::WAIT_REG_MEM64);
    let (control, (lo, hi), test) = comparison(packet.body, wide).filter(|_| wide || packet.opcode() == Some(Opcode::WAIT_REG_MEM))?;
    (control >> 4 & 3 != 0 && control >> 6 & 3 != 1).then_some((address(lo, hi), test))
}

/// A 48-bit address, dword aligned.
pub(in crate::cp) fn address(lo: u32, hi: u32) -> u64 {
    canonical(u64::from(hi) << 32 | u64::from(lo))
}

/// Queues that wait, as a cycle or as an orphan, in words.
pub(in crate::cp) struct Stuck {
    pub queue: QueueId,
    pub block: Block,
    /// The packet that would satisfy it, if one is left.
    pub by: Option<Satisfier>,
    /// Writes that almost end it: in words, with the packet.
    pub near: Vec<(String, Place)>,
}

/// A packet that ends a wait.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct Satisfier {
    pub queue: QueueId,
    pub place: Place,
    /// The value that it writes is known.
    pub sure: bool,
}

/// What becomes of a conditional span in the words that follow.
enum Following {
    /// It ends between two packets, or nothing is known of its end.
    Whole,
    /// It continues in the next piece of the stream.
    Open(Span),
    /// It ends within a packet, or the buffer ends before it: in words.
    Broken(String),
}

/// What follows the words of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Nothing,
    /// The next piece of the stream, which will be fed.
    Piece,
    /// What is not known: the words are a part of a longer stream.
    Unseen,
}

impl After {
    fn of(frame: &Frame<'_>, partial: bool) -> Self {
        match (frame.open, partial && !frame.sized) {
            (true, _) => Self::Piece,
            (false, true) => Self::Unseen,
            (false, false) => Self::Nothing,
        }
    }
}

fn follow(span: Span, rest: &[u32], after: After) -> Following {
    let Span { dwords, fed, mut at, .. } = span;
    while at < dwords {
        let Some(header) = rest.get(at - fed) else { break };
        at += crate::packet::Header(*header).dwords();
    }
    decide(Span { at, ..span }, fed + rest.len(), after)
}

/// What becomes of a span that has been followed as far as there are words.
fn decide(span: Span, there: usize, after: After) -> Following {
    let Span { dwords, at, .. } = span;
    if at == dwords && dwords <= there {
        Following::Whole
    } else if dwords <= there {
        Following::Broken(format!(
            "the packet skips {}, and the skip ends inside another packet (which ends {} after the start of the skip): the engine would execute data as packets",
            counted(dwords, "dword"),
            counted(at, "dword")
        ))
    } else {
        match after {
            After::Piece => Following::Open(Span { fed: there, ..span }),
            After::Unseen => Following::Whole,
            After::Nothing => Following::Broken(format!(
                "the packet skips {}, but the buffer has only {} left: what follows the buffer is skipped, or executed out of sync",
                counted(dwords, "dword"),
                counted(there, "dword")
            )),
        }
    }
}
