//! AQL queues: kernel dispatches, barriers on signals, and the PM4 that packets call.
//!
//! The model runs packets one at a time, and each ends before the next begins: completion signals are decremented at once. Cache effects of the packets' fences
//! are not modelled.

use crate::cp::execute::engine::{Engine, Flow, Step};
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::{self, AqlView, DescriptorWords};
use crate::cp::state::addresses::{COMPUTE_NUM_THREAD_X, COMPUTE_PGM_HI, COMPUTE_PGM_LO, COMPUTE_PGM_RSRC1, COMPUTE_PGM_RSRC2, COMPUTE_PGM_RSRC3};
use crate::cp::state::aql::{AqlState, SIGNAL_MAILBOX, SIGNAL_TIMES, UnderWay, value_of};
use crate::cp::state::block::{Answer, Block, EQUAL, Test, Until, ZERO, named};
use crate::cp::state::finding::Severity;
use crate::cp::state::memory::{Content, canonical};
use crate::cp::state::place::Place;
use crate::cp::state::queue::{Frame, QueueState};
use crate::cp::state::registers::Bank;
use crate::packet::{Header, Packet};
use crate::plurals::counted;
use crate::queues::{Damage, DamageKind, QueuePacket, QueueReader, Version};
use alloc::format;
use alloc::string::ToString;

/// Dwords per slot.
const SLOT: usize = 16;
/// The header of a compute DISPATCH_DIRECT, which has four body dwords.
const DISPATCH_DIRECT: Header = Header(0xC003_1502);

impl<'a> Engine<'_, 'a> {
    /// Executes the next packet of an AQL queue, or continues one that has waited or called PM4.
    pub fn step_aql(&mut self, queue: &mut QueueState<'a>, version: Version) -> Step {
        let Some(frame) = queue.frames.last_mut() else {
            let Some(next) = queue.pending.pop_front() else { return Step::Done };
            queue.turns_off += 1;
            queue.frames.push(Frame { ring: true, ..next });
            return Step::Ran(1);
        };
        if frame.is_done() {
            queue.turns_off += 1;
            queue.frames.pop();
            return Step::Ran(1);
        }
        let words = frame.words.clone();
        let (offset, place) = (frame.offset, frame.place(frame.offset));
        let rest = words.as_slice().get(offset..).unwrap_or_default();
        let dwords = match QueueReader::new(version, rest).next() {
            None => 0,
            Some(Err(damage)) => {
                queue.turns_off += 1;
                let lost = if rest.iter().all(|word| *word == 0) { rest.len() } else { damage.dwords };
                self.unread_slot(queue, place, &damage, lost);
                lost
            }
            Some(Ok(packet)) => {
                let begun = queue.aql.and_then(|aql| aql.under_way).filter(|under_way| under_way.place == place);
                if begun.is_none() {
                    self.judge_aql(queue, place, &packet, rest);
                }
                (self.by_pfp, self.atomic) = (false, false);
                let mut under_way = begun.unwrap_or(UnderWay::new(place));
                let flow = if under_way.called { Flow::Next } else { self.perform_aql(queue, place, &packet, &mut under_way) };
                under(queue, Some(under_way));
                match flow {
                    Flow::Blocked => return Step::Blocked,
                    Flow::Jumped => {
                        queue.turns_off += 1;
                        return Step::Ran(1);
                    }
                    Flow::Next | Flow::Skip(_) => {}
                }
                // The packets that it called were counted as packets ahead of it.
                queue.turns_off += u64::from(under_way.called);
                self.complete(queue, place, &packet);
                SLOT
            }
        };
        under(queue, None);
        if let Some(frame) = queue.frames.last_mut() {
            frame.offset += dwords;
        }
        self.passed(queue, 1, dwords as u64);
        Step::Ran(1)
    }

    /// Handles a slot without a packet of this version: whether the queue continues after it is unknown.
    fn unread_slot(&mut self, queue: &QueueState<'a>, place: Place, damage: &Damage, lost: usize) {
        let (rule, verdict) = match damage.kind {
            DamageKind::NoPacket { header: 0, .. } if lost > damage.dwords || self.options.partial => {
                let text = format!("all words from here to the end of the buffer are 0 ({}): slots begin as type 1 (invalid)", counted(lost, "dword"));
                let verdict = Verdict::new(text).severity(Severity::Warning);
                (&rules::UNKNOWN_OPCODE, verdict.help("if the buffer was dumped whole, leave these words out"))
            }
            DamageKind::NoPacket { .. } => {
                let verdict = Verdict::new(format!("{damage}: the packet processor reports an invalid format, and the queue stops"));
                (&rules::UNKNOWN_OPCODE, verdict.help("check the type, bits 7:0 of the header, and the format of vendor packets, bits 23:16"))
            }
            DamageKind::Truncated { .. } => {
                let verdict = Verdict::new(damage.to_string()).help("give whole slots of 64 bytes");
                (&rules::TRUNCATED, if self.options.partial { verdict.severity(Severity::Warning) } else { verdict })
            }
        };
        self.report(queue, place, None, rule, verdict);
        self.memory.lose_all();
    }

    /// Judges a packet.
    fn judge_aql(&mut self, queue: &QueueState<'a>, place: Place, packet: &QueuePacket<'_>, rest: &[u32]) {
        let name = Some(packet.name());
        if packet.name() == "invalid" {
            return self.judge_slot(queue, place, rest);
        }
        let signals = [completion(packet)].into_iter().chain(waits_for(packet));
        let mut kinds = [None; 6];
        kinds.iter_mut().zip(signals.clone()).for_each(|(kind, signal)| *kind = (signal != 0).then(|| self.wide(signal)).flatten().map(|kind| kind as i64));
        let view = AqlView { packet, chip: self.chip, descriptor: self.descriptor(packet), kinds };
        let (rule, judge) = rules::NO_BODY_JUDGE;
        if let Some(verdict) = judge(&view) {
            return self.report(queue, place, name, rule, verdict);
        }
        for (rule, judge) in rules::AQL_JUDGES {
            if let Some(verdict) = judge(&view) {
                self.report_once(queue, place, name, rule, verdict);
            }
        }
        let kernarg = packet.value("kernarg_address").unwrap_or(0);
        let what = signals.map(|signal| ("signal", signal, 64)).chain([("argument", kernarg, 16)]);
        for (what, addr, aligned) in what.filter(|(_, addr, aligned)| !addr.is_multiple_of(*aligned)) {
            let verdict = Verdict::new(format!("{what} 0x{addr:012x} is not a multiple of {aligned}"))
                .severity(Severity::Warning)
                .help(format!("align it to {} and check what it was made of", counted(aligned, "byte")));
            self.report(queue, place, name, &rules::MISALIGNED, verdict);
        }
    }

    /// Judges a slot that is not published: the packets after it wait, unless the slot has already run.
    fn judge_slot(&mut self, queue: &QueueState<'a>, place: Place, rest: &[u32]) {
        let published = |slot: &[u32]| slot.len() == SLOT && slot[0] & 0xFF != 1 && slot.iter().any(|word| *word != 0);
        let behind = rest.chunks(SLOT).position(published);
        let Some(behind) = behind.filter(|_| queue.aql.is_some_and(|aql| aql.has_run) && !self.options.partial) else { return };
        let verdict = Verdict::new("the slot is of type 1 (invalid), and packets behind it are published: they wait until its header is stored")
            .note("a packet that waits for it", Some(Place { dword: place.dword + (behind * SLOT) as u32, ..place }))
            .help("store the header of the packet that belongs here; its producer has taken the slot and not filled it");
        self.report(queue, place, Some("invalid"), &rules::NOT_PUBLISHED, verdict);
        // A packet published there may do anything before they run.
        self.memory.lose_all();
    }

    fn perform_aql(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>, under_way: &mut UnderWay) -> Flow {
        match packet.name() {
            "kernel_dispatch" => self.dispatch_kernel(queue, place, packet),
            "barrier_and" => {
                for (number, signal) in waits_for(packet).enumerate().filter(|(_, signal)| *signal != 0) {
                    let until = Until::Signal { signals: [signal, 0, 0, 0, 0], test: ZERO };
                    if self.wait_for(queue, place, packet, until, under_way, 1 << number) == Flow::Blocked {
                        return Flow::Blocked;
                    }
                }
            }
            "barrier_or" => {
                let mut signals = [0; 5];
                signals.iter_mut().zip(waits_for(packet)).for_each(|(place, signal)| *place = signal);
                // Without a signal there is nothing to wait for.
                if named(signals).next().is_some() {
                    return self.wait_for(queue, place, packet, Until::Signal { signals, test: ZERO }, under_way, 1);
                }
            }
            "amd_barrier_value" => {
                let value = |field: &str| packet.value(field).unwrap_or(0);
                // hsa_signal_condition_t: equal, not equal, less, greater or equal; values are signed.
                let Some(function) = [EQUAL, 4, 1, 5].get(value("cond") as usize) else { return Flow::Next };
                let test = Test { function: *function, mask: value("mask"), reference: value("value"), wide: true, signed: true };
                if value("signal") != 0 {
                    let until = Until::Signal { signals: [value("signal"), 0, 0, 0, 0], test };
                    return self.wait_for(queue, place, packet, until, under_way, 1);
                }
            }
            "amd_pm4_ib" => return self.call_pm4(queue, place, packet, under_way),
            // The answer of an agent, and whatever kernels outside the model write, is unknown.
            "agent_dispatch" => self.memory.lose(packet.value("return_address").unwrap_or(0), 8),
            "invalid" => {}
            _ => self.memory.shaders = true,
        }
        Flow::Next
    }

    /// Waits for a signal, unless the packet has already seen it end the wait; it may have changed since.
    fn wait_for(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>, until: Until, under_way: &mut UnderWay, number: u8) -> Flow {
        if under_way.ended & number != 0 {
            return Flow::Next;
        }
        under_way.waits_for = number;
        let flow = self.wait(queue, Block { place, packet: packet.name(), until, pfp: false });
        if flow == Flow::Next {
            queue.block = None;
            under_way.ended |= number;
            if let Until::Signal { signals, .. } = until {
                named(signals).for_each(|signal| _ = self.fences.remove(&value_of(signal)));
            }
        }
        flow
    }

    /// Returns whether the value of one of the signals passes the test.
    pub fn signalled(&self, signals: [u64; 5], test: Test) -> Answer {
        let answer = |signal: u64| {
            let at = value_of(signal);
            match (self.memory.read(at), self.memory.read(at + 4)) {
                (Content::Known(low), Content::Known(high)) if test.passes(u64::from(high) << 32 | u64::from(low)) => Answer::Yes,
                (Content::Known(_), Content::Known(_)) if self.memory.mapped(at, 4) == 0 && self.memory.origin(at).is_none() => Answer::Application,
                (Content::Known(_), Content::Known(_)) => Answer::No,
                (Content::Unmapped, _) | (_, Content::Unmapped) => Answer::Application,
                _ => Answer::Unknown,
            }
        };
        let of_each = |wanted| named(signals).any(|signal| answer(signal) == wanted);
        [Answer::Yes, Answer::Application, Answer::Unknown].into_iter().find(|wanted| of_each(*wanted)).unwrap_or(Answer::No)
    }

    /// Runs the PM4 of a packet, and then ends the packet.
    fn call_pm4(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>, under_way: &mut UnderWay) -> Flow {
        let name = Some(packet.name());
        let &[_, header, lo, hi, size, ..] = packet.words else { return Flow::Next };
        let (addr, dwords) = (canonical(u64::from(hi & 0xFFFF) << 32 | u64::from(lo)), size & 0xF_FFFF);
        if header & !2 != 0xC002_3F00 {
            self.memory.lose_all();
            return Flow::Next;
        }
        if dwords == 0 {
            let verdict =
                Verdict::new(format!("the packet calls 0x{addr:012x} with a size of 0 dwords")).help("leave the packet out, or pad the buffer with NOPs");
            self.report(queue, place, name, &rules::BAD_SIZE, verdict);
            return Flow::Next;
        }
        let flow = self.call_buffer(queue, place, name, addr, dwords.into());
        under_way.called = matches!(flow, Flow::Jumped);
        flow
    }

    /// Executes a dispatch, with the registers that the packet processor writes as far as packet and descriptor determine them.
    fn dispatch_kernel(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>) {
        let value = |field: &str| packet.value(field).unwrap_or(0);
        let object = value("kernel_object");
        let words = self.descriptor(packet);
        if object != 0 && words.iter().all(Option::is_none) && self.memory.mapped(object, 64) == 0 {
            let severity = if self.options.closed_memory { Severity::Error } else { Severity::Info };
            let text = format!("the kernel descriptor is at 0x{object:012x}, which is not mapped: the kernel is unknown");
            let verdict = Verdict::new(text).severity(severity).help("map the code object at this address, or check the address");
            self.report_once(queue, place, Some(packet.name()), &rules::UNMAPPED, verdict);
        }
        let origin = queue.origin(place);
        queue.registers.lose(Bank::ShCompute, origin);
        let mut set = |addr: u32, value: Option<u32>| {
            if let Some(value) = value {
                queue.registers.write(addr, value, origin);
            }
        };
        let mut groups = [0; 3];
        let mut partial = false;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let (group, grid) = (value(&format!("workgroup_size_{name}")), value(&format!("grid_size_{name}")));
            let rest = grid.checked_rem(group).unwrap_or(0);
            groups[axis] = grid.checked_div(group).unwrap_or(0) as u32 + u32::from(rest != 0);
            partial |= rest != 0;
            set(COMPUTE_NUM_THREAD_X + 4 * axis as u32, Some(group as u32 | (rest as u32) << 16));
        }
        let entry = words[4].zip(words[5]).map(|(lo, hi)| object.wrapping_add(u64::from(hi) << 32 | u64::from(lo)));
        set(COMPUTE_PGM_LO, entry.map(|entry| (entry >> 8) as u32));
        set(COMPUTE_PGM_HI, entry.map(|entry| (entry >> 40) as u32 & 0xFF));
        set(COMPUTE_PGM_RSRC1, words[12]);
        // LDS in blocks of 128 dwords.
        let lds = value("group_segment_size").div_ceil(512).min(0x1FF) as u32;
        set(COMPUTE_PGM_RSRC2, words[13].map(|word| word & !(0x1FF << 15) | lds << 15));
        set(COMPUTE_PGM_RSRC3, words[11].filter(|_| self.gfx.major() > 9));
        let wave32 = words[14].is_some_and(|word| word >> 10 & 1 == 1);
        // COMPUTE_SHADER_EN, PARTIAL_TG_EN, CS_W32_EN.
        let body = [groups[0], groups[1], groups[2], 1 | u32::from(partial) << 1 | u32::from(wave32) << 15];
        self.kernel(queue, place, Packet { offset: place.dword as usize, header: DISPATCH_DIRECT, body: &body }, packet.name());
    }

    /// Returns the descriptor that a packet names, as far as memory is known.
    fn descriptor(&self, packet: &QueuePacket<'_>) -> DescriptorWords {
        let object = packet.value("kernel_object").filter(|object| *object != 0);
        core::array::from_fn(|at| self.memory.known(object?.wrapping_add(4 * at as u64)))
    }

    /// Reads 64 bits of memory; None if unknown.
    fn wide(&self, addr: u64) -> Option<u64> {
        let (low, high) = (self.memory.known(addr)?, self.memory.known(addr.wrapping_add(4))?);
        Some(u64::from(high) << 32 | u64::from(low))
    }

    /// Ends a packet and decrements its completion signal. A property of the queue, which no packet shows, determines whether times are written.
    fn complete(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &QueuePacket<'_>) {
        if let Some(aql) = &mut queue.aql {
            aql.has_run |= packet.name() != "invalid";
        }
        let signal = completion(packet);
        if signal == 0 {
            return;
        }
        let value = self.wide(value_of(signal)).map(|value| value.wrapping_sub(1));
        let halves = [value.map(|value| value as u32), value.map(|value| (value >> 32) as u32)];
        self.write_dwords(queue, place, Some(packet.name()), value_of(signal), halves);
        self.memory.lose(signal.wrapping_add(SIGNAL_TIMES), 16);
        if let Some(mailbox) = self.wide(signal.wrapping_add(SIGNAL_MAILBOX)).filter(|mailbox| *mailbox != 0) {
            self.memory.lose(mailbox, 8);
        }
    }
}

/// Gives up a wait of a queue: treats the signal as having ended it.
pub(in crate::cp) fn give_up_aql(queue: &mut QueueState<'_>) {
    queue.block = None;
    if let Some(AqlState { under_way: Some(under_way), .. }) = &mut queue.aql {
        under_way.ended |= under_way.waits_for;
    }
}

/// Records the packet that has begun but not ended.
fn under(queue: &mut QueueState<'_>, under_way: Option<UnderWay>) {
    if let Some(aql) = &mut queue.aql {
        aql.under_way = under_way;
    }
}

/// Returns the completion signal of a packet, which it decrements; 0 for none.
pub(in crate::cp) fn completion(packet: &QueuePacket<'_>) -> u64 {
    packet.value("completion_signal").unwrap_or(0)
}

/// Returns the signals for which a packet waits.
fn waits_for(packet: &QueuePacket<'_>) -> impl Iterator<Item = u64> + Clone {
    let (several, one) = (packet.all("dep_signal"), packet.value("signal"));
    several.into_iter().chain(one)
}
