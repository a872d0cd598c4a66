//! Executes packets.

use crate::chip::{Chip, Gfx};
use crate::cp::judge::repeats::Repeats;
use crate::cp::judge::tables::Tables;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::constant_engine::ConstantEngine;
use crate::cp::state::fence::Fence;
use crate::cp::state::finding::Severity;
use crate::cp::state::memory::{Memory, Words};
use crate::cp::state::options::ModelOptions;
use crate::cp::state::pause::Stop;
use crate::cp::state::place::{BufferId, Place};
use crate::cp::state::queue::{Carry, Frame, QueueState, Unwritten};
use crate::cp::state::registers::Bank;
use crate::cp::state::rolls::RollSource;
use crate::cp::state::summary::Summary;
use crate::cp::view::interest::Interest;
use crate::cp::view::observer::Observer;
use crate::packet::{DecodeError, EffectKinds, Header, Opcode, Packet, Queue, Reader};
use crate::plurals::counted;
use crate::queues::QueueFamily;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;

/// The engine_sel value of packets that PFP executes.
const PFP: u32 = 1;

/// How a queue continues after a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) enum Flow {
    /// With the next packet.
    Next,
    /// After skipping this many dwords.
    Skip(usize),
    /// Elsewhere: the packet has changed the frames itself.
    Jumped,
    /// The packet waits and will be executed again.
    Blocked,
}

/// The result of a step of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) enum Step {
    /// It used this many turns.
    Ran(usize),
    Blocked,
    Done,
}

/// Task and mesh work of gangs, over all queues.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::cp) struct Gang {
    /// Task-shader dispatches that compute queues have run.
    pub dispatches: u64,
    /// Whether there is a compute queue with work in this run.
    pub compute: bool,
    /// Whether part of what a queue has run is unknown, so that there may have been more dispatches.
    pub unsure: bool,
}

/// The command processor while it runs: everything but the current queue.
pub(in crate::cp) struct Engine<'e, 'a> {
    pub chip: Chip,
    pub gfx: Gfx,
    pub options: &'e ModelOptions,
    pub tables: &'e Tables,
    pub memory: &'e mut Memory<'a>,
    pub summary: &'e mut Summary,
    /// Dwords executed so far in this run.
    pub dwords: &'e mut u64,
    /// Packets that were not executed, by opcode.
    pub skipped: &'e mut [u64; 256],
    /// Findings to report once.
    pub repeats: &'e mut Repeats,
    /// Fences that have been written and not yet waited for.
    pub fences: &'e mut BTreeMap<u64, Fence>,
    pub gang: &'e mut Gang,
    /// Buffers that have not begun and whose words will all be executed.
    pub executed: &'e mut BTreeSet<BufferId>,
    pub constant: &'e mut ConstantEngine,
    /// Whether the current packet is executed by PFP, according to the packet.
    pub by_pfp: bool,
    /// Whether the current packet operates on the contents of memory.
    pub atomic: bool,
    pub observer: &'e mut dyn Observer,
    /// What the observer receives in addition to packets, work and findings.
    pub interest: Interest,
    /// The observer has stopped the run.
    pub stop: &'e mut bool,
    /// Where the run stops.
    pub until: Option<Stop>,
    /// Progress when the run began: packets and findings before it, and the next packet.
    pub packets_before: u64,
    pub findings_before: u64,
    pub from: Option<Place>,
}

impl<'a> Engine<'_, 'a> {
    /// Executes the next packet of the queue, or up to `turns` plain SET packets at once.
    pub fn step(&mut self, queue: &mut QueueState<'a>, turns: usize) -> Step {
        if let Some(version) = queue.sdma {
            return self.step_sdma(queue, version);
        }
        if let Some(version) = queue.next_is_aql() {
            return if version.family() == QueueFamily::Mes { self.step_mes(queue, version) } else { self.step_aql(queue, version) };
        }
        if queue.frames.last_mut().is_some_and(|frame| core::mem::take(&mut frame.stale)) {
            self.refetch(queue);
        }
        if let Some(passed) = self.pass_unknown(queue) {
            return passed;
        }
        let plain = self.plain_sets(queue, turns);
        if plain > 0 {
            return Step::Ran(plain);
        }
        let Some(frame) = queue.frames.last_mut() else {
            let Some(mut next) = queue.pending.pop_front() else { return Step::Done };
            next.executed |= if next.open { self.executed.contains(&next.buffer) } else { self.executed.remove(&next.buffer) };
            queue.turns_off += 1;
            self.begin(queue, next);
            return Step::Ran(1);
        };
        if frame.is_done() {
            // The rest of a span is in the next piece of the stream, or there is none.
            queue.skip = if frame.open { queue.skip } else { 0 };
        } else if queue.skip > 0 {
            let skipped = queue.skip.min(frame.rest().len());
            queue.turns_off += 1;
            // Skipped dwords are counted as well.
            *self.dwords += skipped as u64;
            frame.offset += skipped;
            queue.skip = if frame.open { queue.skip - skipped } else { 0 };
            return Step::Ran(1);
        }
        // Cheap for the caller's words; a reference count for those that the model owns.
        let words = frame.words.clone();
        let (offset, place) = (frame.offset, frame.place(frame.offset));
        match Reader::new(words.as_slice().get(offset..).unwrap_or_default()).next() {
            None => {
                queue.turns_off += 1;
                let left = queue.frames.pop();
                if let Some(frame) = left {
                    self.leave_frame(queue, place, &frame);
                    if !frame.open {
                        self.end_unwritten(queue, &frame);
                    }
                    if queue.frames.is_empty() && !frame.open {
                        self.end_of_stream(queue, frame.ring);
                    }
                }
            }
            // Out of sync in a stream in pieces: the packet may end in the next piece.
            Some(Err(_)) if frame.open => {
                let rest = words.as_slice().get(offset..).unwrap_or_default().to_vec();
                queue.turns_off += 1;
                queue.carry = Some(Carry { buffer: frame.buffer, base: frame.base + offset, words: rest });
                if let Some(frame) = queue.frames.pop() {
                    self.leave_frame(queue, place, &frame);
                }
            }
            // The packet continues where nothing is mapped.
            Some(Err(_)) if frame.lost_after => frame.offset = words.as_slice().len(),
            Some(Err(damage)) => {
                // A packet that covers all remaining words may be complete in the stream of which these words are a part.
                let part_ends = self.options.partial && !frame.sized && damage.skipped == damage.available;
                queue.turns_off += 1;
                *self.dwords += damage.skipped as u64;
                if !self.is_unwritten(queue, place, damage.header, damage.skipped) {
                    self.truncated(queue, place, &damage, part_ends);
                }
                if let Some(frame) = queue.frames.last_mut() {
                    frame.offset += damage.skipped;
                }
            }
            Some(Ok(packet)) => {
                let packet = Packet { offset: place.dword as usize, ..packet };
                let again = queue.block.is_some_and(|block| block.place == place);
                match self.execute(queue, place, packet, again) {
                    Flow::Next => self.advance(queue),
                    Flow::Skip(dwords) => {
                        self.advance(queue);
                        queue.skip = dwords;
                    }
                    Flow::Jumped => {
                        queue.turns_off += 1;
                        self.count(queue, packet.dwords());
                    }
                    Flow::Blocked => return Step::Blocked,
                }
            }
        }
        Step::Ran(1)
    }

    /// Moves past the current packet.
    pub fn advance(&mut self, queue: &mut QueueState<'a>) {
        let Some(frame) = queue.frames.last_mut() else { return };
        let Some(&header) = frame.rest().first() else { return };
        let dwords = Header(header).dwords();
        frame.offset += dwords;
        self.count(queue, dwords);
    }

    fn count(&mut self, queue: &mut QueueState<'a>, dwords: usize) {
        self.passed(queue, 1, dwords as u64);
    }

    /// Counts executed packets, and delivers what has reached the end of the pipe.
    pub fn passed(&mut self, queue: &mut QueueState<'a>, packets: u64, dwords: u64) {
        queue.block = None;
        queue.packets += packets;
        *self.dwords += dwords;
        // Include the memory work of these packets.
        *self.dwords += core::mem::take(&mut self.memory.work);
        self.summary.packets += packets;
        while let Some(end) = queue.pipe.due(queue.packets) {
            self.assume_pipe_end(queue, end);
        }
    }

    /// Reads the words of the running buffer from memory again.
    fn refetch(&mut self, queue: &mut QueueState<'a>) {
        queue.turns_off += 1;
        let Some(frame) = queue.frames.last_mut() else { return };
        let Some(addr) = frame.addr else { return };
        frame.forget_words();
        // Nothing else refers to the old words now, so they need not be copied.
        let older = core::mem::replace(&mut frame.words, Words::Borrowed(&[]));
        let (length, borrowed) = (older.as_slice().len(), if let Words::Borrowed(words) = older { Some(words) } else { None });
        drop(older);
        if let Some(found) = self.memory.find(addr, length) {
            frame.words = found.words;
        } else if let Some(words) = borrowed {
            frame.words = Words::Borrowed(words);
        }
    }

    fn execute(&mut self, queue: &mut QueueState<'a>, place: Place, packet: Packet<'_>, again: bool) -> Flow {
        if !again {
            self.observer.packet(queue.queue, place, &packet);
        }
        self.enter_doubt(queue, &packet);
        let Some(opcode) = packet.opcode() else {
            self.other_type(queue, place, &packet);
            return Flow::Next;
        };
        if !again {
            let flags = self.flags(queue, &packet, opcode) & self.tables.packets.asked(queue.queue, opcode);
            let clean = flags == 0 || self.judge_packet(queue, place, packet, opcode, flags);
            if clean && packet.header == Header::NOP1 && !queue.in_ring() {
                queue.clean_padding = self.tables.packets.judges_nops_by_words(queue.queue);
            }
        }
        if queue.drops(packet.header) {
            if self.interest.has(Interest::DROPPED) {
                self.observer.dropped(queue.queue, place, &packet);
            }
            return Flow::Next;
        }
        let kinds = opcode.effect_kinds(self.gfx);
        if !again {
            self.report_reads(queue, place, &packet, kinds);
        }
        let flow = self.perform(queue, place, packet, opcode);
        if flow != Flow::Blocked {
            self.has_run(queue, place, &packet, opcode);
        }
        flow
    }

    /// Updates the state after a packet that has run, or is treated as if it had.
    #[inline]
    pub fn has_run(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, opcode: Opcode) {
        let kinds = opcode.effect_kinds(self.gfx);
        if kinds.intersects(EffectKinds::SETS_ONLY) {
            queue.history.set_registers();
        } else {
            self.apply_state(queue, place, packet);
            queue.history.packet(self.gfx, queue.queue, place, packet, opcode);
        }
        if queue.may_not_run() {
            self.doubt(queue, place, packet, kinds);
        }
    }

    #[inline]
    fn perform(&mut self, queue: &mut QueueState<'a>, place: Place, packet: Packet<'_>, opcode: Opcode) -> Flow {
        match opcode {
            Opcode::NOP => {}
            _ if opcode.effect_kinds(self.gfx).intersects(EffectKinds::SETS_ONLY) => self.set_registers(queue, place, &packet),
            _ => return self.perform_other(queue, place, packet, opcode),
        }
        Flow::Next
    }

    fn perform_other(&mut self, queue: &mut QueueState<'a>, place: Place, packet: Packet<'_>, opcode: Opcode) -> Flow {
        self.hazards(queue, place, &packet, opcode.effect_kinds(self.gfx));
        self.by_pfp = opcode == Opcode::WRITE_DATA && queue.queue == Queue::Graphics && packet.body.first().is_some_and(|control| control >> 30 == PFP);
        self.atomic = opcode == Opcode::ATOMIC_MEM;
        if let Some((work, known)) = packet.work_and_layout(self.gfx, queue.queue) {
            return self.work(queue, place, packet, opcode, (work, known));
        }
        // No source describes a packet of this size: whatever its opcode, it may do anything.
        if packet.format(self.gfx, queue.queue).is_none() {
            self.unperformed(queue, place, &packet, opcode);
            return Flow::Next;
        }
        match opcode {
            Opcode::CONTEXT_REG_RMW => self.modify_context(queue, place, &packet),
            Opcode::REG_RMW => self.modify_register(queue, place, &packet),
            _ if opcode.effect_kinds(self.gfx).intersects(EffectKinds::LOADS) => self.load_registers(queue, place, &packet, opcode),
            Opcode::CLEAR_STATE => clear_state(queue, place, &packet),
            Opcode::SET_SH_REG_OFFSET => self.set_sh_reg_offset(queue, place, &packet),
            Opcode::WRITE_DATA => self.write_data(queue, place, &packet),
            Opcode::COPY_DATA => self.copy_data(queue, place, &packet),
            Opcode::DMA_DATA => self.dma_data(queue, place, &packet),
            Opcode::ATOMIC_MEM => return self.atomic_mem(queue, place, &packet),
            Opcode::EVENT_WRITE => self.event_write(queue, place, &packet),
            Opcode::RELEASE_MEM => self.release_mem(queue, place, &packet),
            Opcode::ACQUIRE_MEM => return self.acquire_mem(queue, &packet),
            Opcode::WAIT_REG_MEM => return self.wait_reg_mem(queue, place, &packet, false),
            Opcode::WAIT_REG_MEM64 => return self.wait_reg_mem(queue, place, &packet, true),
            Opcode::PFP_SYNC_ME => queue.history.synced(),
            Opcode::COND_EXEC => return self.cond_exec(queue, place, &packet),
            Opcode::PRED_EXEC => return self.pred_exec(queue, place, &packet),
            Opcode::REWIND => return self.rewind(queue, place, &packet),
            Opcode::SET_PREDICATION => self.set_predication(queue, place, &packet),
            Opcode::INDIRECT_BUFFER if packet.body.len() == 3 => return self.indirect_buffer(queue, place, &packet),
            Opcode::INDIRECT_BUFFER if packet.body.len() == 13 => return self.conditional_buffer(queue, place, &packet),
            Opcode::INCREMENT_DE_COUNTER => self.constant.de_counter += 1,
            Opcode::WAIT_ON_CE_COUNTER => return self.wait_on_ce_counter(queue, place),
            _ if queue.queue == Queue::Constant => return self.perform_constant(queue, place, packet, opcode),
            // The history records everything that the packet changes.
            Opcode::CONTEXT_CONTROL => {}
            _ => self.unperformed(queue, place, &packet, opcode),
        }
        Flow::Next
    }

    /// Handles a packet that extends past the end of its buffer. `part_ends`: these are the last words of a part of a stream, whose end may be within the
    /// packet.
    fn truncated(&mut self, queue: &QueueState<'a>, place: Place, damage: &DecodeError, part_ends: bool) {
        let name = (damage.header.packet_type() == 3).then(|| damage.header.opcode().name(self.gfx)).flatten();
        let (wanted, available, skipped) = (counted(damage.wanted, "dword"), counted(damage.available, "dword"), counted(damage.skipped, "dword"));
        let claims = format!("header {} ({}) claims {wanted}", damage.header, name.unwrap_or("no known opcode"));
        let verdict = if part_ends {
            Verdict::new(format!("{claims}, but this part of the stream ends after {available}: the rest of the packet is missing, or its count is wrong"))
                .severity(Severity::Warning)
                .help("cut the part at the end of a packet; if it ends at one, check the counts of the packets before this one")
        } else {
            Verdict::new(format!(
                "{claims}, but the buffer has only {available} left: the engine would read what follows the buffer in memory as the rest of the packet"
            ))
            .note(
                format!("the model skips {skipped} here; reading continues where packets fill the rest of the buffer exactly, if there is such a place"),
                None,
            )
            .help("check the length of the buffer, and the counts of the packets before this one: the stream may have been out of sync for a while")
        };
        self.report(queue, place, name, &rules::TRUNCATED, verdict);
    }

    fn other_type(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let header = packet.header;
        if self.is_unwritten(queue, place, header, packet.dwords()) {
            return;
        }
        let (rule, verdict) = match header.packet_type() {
            2 if queue.queue == Queue::Graphics => {
                let verdict = Verdict::new("a type 2 filler: legal on the graphics queue, though drivers pad with type 3 NOPs")
                    .help("pad with header-only NOPs, 0xffff1000, which every queue takes");
                return self.report_once(queue, place, None, &rules::TYPE_2, verdict.severity(Severity::Info));
            }
            // No source states what the constant engine does with it.
            2 if queue.queue == Queue::Constant => return,
            2 => {
                let verdict =
                    Verdict::new("a type 2 filler on a compute queue: the kernel calls it deprecated for MEC").help("pad with header-only NOPs, 0xffff1000");
                (&rules::TYPE_2, verdict)
            }
            _ => return self.old_type(queue, place, header, packet.dwords()),
        };
        self.report(queue, place, None, rule, verdict);
    }

    /// Handles a header of type 0 or 1.
    fn old_type(&mut self, queue: &QueueState<'a>, place: Place, header: Header, dwords: usize) {
        let kind = header.packet_type();
        let verdict =
            Verdict::new(format!("{header} is a header of type {kind}, which no engine executes from GFX9 on; the model skips {}", counted(dwords, "dword")))
                .help("the stream is probably out of sync: check the counts of the packets before this one");
        self.report(queue, place, None, &rules::TYPE_0_OR_1, verdict);
    }

    /// Returns whether a header is one of the zero words at the end of a buffer that nobody claims were executed; they are reported together. In a stream in
    /// pieces this is decided when its end is fed.
    fn is_unwritten(&mut self, queue: &mut QueueState<'a>, place: Place, header: Header, dwords: usize) -> bool {
        let Some(frame) = queue.frames.last_mut().filter(|frame| header.0 == 0 && !frame.sized && !frame.executed) else { return false };
        if !frame.is_unwritten(frame.offset) {
            return false;
        }
        let (open, left) = (frame.open, frame.rest().len());
        let begun = queue.unwritten.filter(|run| run.place.buffer == place.buffer);
        let run = begun.unwrap_or(Unwritten { place, before: 0, reported: false });
        if !open && !run.reported {
            self.unwritten(queue, run.place, run.before + left);
        }
        queue.unwritten = Some(Unwritten { before: run.before + if open { dwords } else { 0 }, reported: !open, ..run });
        true
    }

    /// Begins the next piece of a stream: earlier zero words are not the end if another word follows.
    pub fn follow_unwritten(&mut self, queue: &mut QueueState<'a>, next: &mut Frame<'a>) {
        let ended = |run: &mut Unwritten| run.place.buffer == next.buffer && !next.is_done() && !next.is_unwritten(0);
        let Some(Unwritten { place, before, .. }) = queue.unwritten.take_if(ended) else { return };
        let (header, dwords) = (Header(0), Header(0).dwords());
        for at in (0..before).step_by(dwords) {
            let place = Place { dword: place.dword.saturating_add(u32::try_from(at).unwrap_or(u32::MAX)), ..place };
            self.old_type(queue, place, header, dwords);
        }
    }

    /// Ends a buffer, and reports the zero words at its end.
    fn end_unwritten(&mut self, queue: &mut QueueState<'a>, frame: &Frame<'a>) {
        if let Some(run) = queue.unwritten.take_if(|run| run.place.buffer == frame.buffer)
            && !run.reported
        {
            self.unwritten(queue, run.place, run.before);
        }
    }

    fn unwritten(&mut self, queue: &QueueState<'a>, place: Place, dwords: usize) {
        let verdict = Verdict::new(format!(
            "all words from here to the end of the buffer are 0 ({}): a driver writes no such headers, and it is not known that these words were executed; if \
             the command processor is given a size that reaches them, it takes them as headers of type 0",
            counted(dwords, "dword")
        ))
        .severity(Severity::Warning)
        .help("if the buffer was dumped whole, leave these words out; if its size reaches them, pad with header-only NOPs, 0xffff1000");
        self.report(queue, place, None, &rules::TYPE_0_OR_1, verdict);
    }

    /// Ends the stream: the last submitted buffer has run to its end.
    fn end_of_stream(&mut self, queue: &mut QueueState<'a>, ring: bool) {
        // The end of a part of a stream is unknown.
        if self.options.partial {
            return;
        }
        // Pieces after a chain never run.
        if queue.pending.iter().any(|frame| queue.left.is_none_or(|left| left.place.buffer != frame.buffer)) {
            return;
        }
        let ring = ring && !self.options.user_queues;
        // Later submissions must not report this draw again.
        let rule = &rules::NO_NON_EVENT;
        if let Some(draw) = queue.history.tessellation.take()
            && rule.scope.contains(self.chip)
            && !(ring && rule.not_in_rings)
        {
            let verdict = Verdict::new("nothing follows a draw with tessellation, neither a draw nor an event: the hardware may hang")
                .note("the last draw with tessellation", Some(draw))
                .help("end the command buffer with EVENT_WRITE SQ_NON_EVENT (38)");
            self.report(queue, draw, None, rule, verdict);
        }
        if rules::OPAQUE_EVENTS.scope.contains(self.chip)
            && !(ring && rules::OPAQUE_EVENTS.not_in_rings)
            && let Some((draw, verdict)) = rules::opaque_events(&queue.history)
        {
            // Later submissions must not report it again.
            queue.history.opaque = None;
            let verdict = verdict.note("unless the next submission begins with them", None);
            self.report(queue, draw, None, &rules::OPAQUE_EVENTS, verdict);
        }
    }
}

/// CLEAR_STATE: command 0 clear, 1 push, 2 pop, 3 push and clear (PAL gfx9_plus_merged_f32_pfp_pm4_packets.h). It writes context registers, so it rolls.
fn clear_state(queue: &mut QueueState<'_>, place: Place, packet: &Packet<'_>) {
    let command = packet.body.first().map_or(0, |word| word & 0xF);
    queue.contexts.write(RollSource::ClearState);
    if matches!(command, 1 | 3) {
        queue.registers.push_context();
    }
    match command {
        0 | 3 => {
            for (addr, _) in queue.registers.written(Bank::Context) {
                queue.contexts.record_write(addr, true);
            }
            queue.registers.clear_context();
        }
        2 => queue.registers.pop_context(queue.origin(place)),
        _ => {}
    }
}
