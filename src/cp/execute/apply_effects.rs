//! Applies the effects of packets to the model, independent of the opcode: PFP hazards, registers that draws write as part of their state, and everything that
//! a packet which the model does not execute may modify.

use crate::cp::execute::engine::Engine;
use crate::cp::execute::memory_access::me_writes;
use crate::cp::state::addresses::{GRBM_GFX_INDEX, VGT_INDEX_TYPE};
use crate::cp::state::memory::canonical;
use crate::cp::state::pipe::{EndWrite, PipeEnd};
use crate::cp::state::place::{Origin, Place};
use crate::cp::state::predicate::Predicate;
use crate::cp::state::queue::{Frame, QueueState};
use crate::cp::state::registers::Bank;
use crate::packet::Engine as Performer;
use crate::packet::{Action, Effect, EffectKinds, Event, MemoryAddress, Opcode, Packet, Queue, Timing, Work, WrittenData};
use alloc::vec::Vec;

/// How many lost registers count as one dword of work.
const REGISTERS_PER_DWORD: u64 = 64;

impl<'a> Engine<'_, 'a> {
    /// Returns the address of a memory effect; None if it is unknown.
    pub fn memory_address(&self, queue: &QueueState<'a>, at: MemoryAddress) -> Option<u64> {
        queue.history.address(at)
    }

    /// Before a packet: reports PFP reads of memory that may not have been written yet. Reads that are part of a wait are exempt: they repeat until they find
    /// the wanted value.
    pub fn hazards(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, kinds: EffectKinds) {
        if !kinds.intersects(EffectKinds::READS) || queue.history.nothing_unsynced() || is_prefetch(packet) {
            return;
        }
        let (gfx, kind) = (self.gfx, queue.queue);
        let mut waits = false;
        packet.visit_effects(gfx, kind, &mut |effect| {
            waits |= effect.action == Action::Waits && effect.engine == Performer::Pfp && effect.timing == Timing::Issue;
            if let Effect { engine: Performer::Pfp, timing: Timing::Issue | Timing::Dma, uncertain: false, action: Action::Read { at, bytes } } = effect
                && !waits
                && let Some(addr) = self.memory_address(queue, at)
            {
                self.pfp_reads(queue, place, packet, addr, bytes.div_ceil(4));
            }
        });
    }

    /// After a packet: applies the registers that it writes as state, base addresses, and memory written by PFP itself.
    pub fn apply_state(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let (gfx, kind) = (self.gfx, queue.queue);
        let (origin, works) = (queue.origin(place), packet.opcode().is_some_and(|opcode| opcode.work(gfx).is_some()));
        packet.visit_effects(gfx, kind, &mut |effect| match effect.action {
            Action::Set { write, state: true, .. } => queue.registers.hold(write.addr, write.value, origin),
            Action::Unknown { addr, registers, state: true } => {
                if addr == VGT_INDEX_TYPE && !effect.uncertain && works {
                    queue.history.index_type_lost = Some(place);
                }
                // A value that the model has stored there itself is known (CP_STRMOUT_CNTL after a streamout flush).
                for addr in (0..registers).map(|i| addr.wrapping_add(4 * i)) {
                    if queue.registers.origin(addr) != Some(origin) {
                        queue.registers.overwrite(addr, origin);
                    }
                }
            }
            Action::Base { index, compute, addr } => queue.history.set_base(index, compute, addr),
            // PFP need not wait for ME to see its own writes.
            Action::Write { at, bytes, .. } if effect.engine == Performer::Pfp && !queue.history.nothing_unsynced() => {
                if let Some(addr) = self.memory_address(queue, at) {
                    queue.history.no_hazard(addr, bytes);
                }
            }
            _ => {}
        });
    }

    /// Handles a packet that the model does not execute: everything that it may modify becomes unknown, so that it neither satisfies a rule nor causes a
    /// finding.
    pub fn unperformed(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, opcode: Opcode) {
        let lost = EffectKinds::REGISTERS.or(EffectKinds::RUNS).or(EffectKinds::SKIPS).or(EffectKinds::WAITS);
        // Values counted by the hardware are unknown: such packets are executed as far as possible.
        if opcode.effect_kinds(self.gfx).intersects(lost) {
            self.skipped[usize::from(opcode.0)] += 1;
        }
        self.lose(queue, place, packet);
    }

    /// Makes everything unknown that the effects of a packet name.
    pub fn lose(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let (gfx, kind) = (self.gfx, queue.queue);
        let origin = queue.origin(place);
        packet.visit_effects(gfx, kind, &mut |effect| match effect.action {
            Action::Set { write, state: false, .. } => queue.lose_register(write.addr, origin),
            Action::Modify { addr, .. } => queue.lose_register(addr, origin),
            Action::Unknown { addr, registers, state: false } => (0..registers).for_each(|i| queue.lose_register(addr.wrapping_add(4 * i), origin)),
            Action::UnknownWindow(space) => self.lose_registers(queue, Bank::of_space(space), origin),
            Action::Anything | Action::Run { .. } => self.lose_everything(queue, place),
            Action::Write { at, bytes, .. } => match (self.memory_address(queue, at), effect.timing) {
                (Some(addr), Timing::EndOfPipe) => self.at_pipe_end(queue, place, packet, dwords(addr, bytes, WrittenData::None, effect.uncertain).collect()),
                (Some(addr), _) => self.memory.lose(addr, bytes),
                (None, _) => self.memory.lose_all(),
            },
            _ => {}
        });
    }

    /// Makes all registers of the banks unknown. This takes as long as several packets, and counts as work.
    pub fn lose_registers(&mut self, queue: &mut QueueState<'a>, banks: &[Bank], origin: Origin) {
        *self.dwords += banks.iter().map(|bank| queue.registers.lose(*bank, origin)).sum::<u64>() / REGISTERS_PER_DWORD;
    }

    /// Makes everything unknown, for code that the model does not see and that may do anything: registers of the queue, all memory, and what rules remember.
    pub fn lose_everything(&mut self, queue: &mut QueueState<'a>, place: Place) {
        let origin = queue.origin(place);
        self.lose_registers(queue, &Bank::ALL, origin);
        queue.registers.forget_pushed();
        self.memory.lose_all();
        queue.history.forget();
        queue.predicate = Predicate::Unknown;
        self.gang.unsure = true;
        if queue.queue != Queue::Compute {
            self.constant.lose();
        }
    }

    /// Before a packet: determines whether it may be skipped. If the conditions have changed, resolves what was written under the old ones; saves the current
    /// state of everything that the packet names.
    pub fn enter_doubt(&mut self, queue: &mut QueueState<'a>, packet: &Packet<'_>) {
        let conditions = queue.conditions(packet.header);
        if conditions != queue.doubt.conditions {
            self.resolve_doubts(queue);
            if queue.may_not_run() {
                queue.history.doubt_before(queue.doubt.before);
            }
            queue.doubt.conditions = conditions;
            queue.doubt.before = queue.history.before();
        }
        if conditions.count() == 0 {
            return;
        }
        let (registers, doubt) = (&queue.registers, &mut queue.doubt.registers);
        packet.visit_effects(self.gfx, queue.queue, &mut |effect| {
            let (first, count) = match effect.action {
                Action::Set { write, .. } => (write.addr, 1),
                Action::Modify { addr, .. } => (addr, 1),
                Action::Unknown { addr, registers, .. } => (addr, registers),
                _ => return,
            };
            for addr in (first..WINDOWS_END).step_by(4).take(count as usize) {
                doubt.entry(addr).or_insert_with(|| registers.state(addr));
            }
        });
    }

    /// After a packet that may have been skipped: everything but registers becomes unknown at once.
    pub fn doubt(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, kinds: EffectKinds) {
        if kinds.intersects(EffectKinds::SETS_ONLY) {
            return;
        }
        let (gfx, kind, origin) = (self.gfx, queue.queue, queue.origin(place));
        packet.visit_effects(gfx, kind, &mut |effect| match effect.action {
            Action::UnknownWindow(space) => self.lose_registers(queue, Bank::of_space(space), origin),
            Action::Write { at, bytes, .. } => match self.memory_address(queue, at) {
                Some(addr) => {
                    queue.history.doubt_hazard(addr, bytes);
                    self.memory.note_perhaps_written(addr, bytes);
                    if effect.timing != Timing::EndOfPipe {
                        self.memory.lose(addr, bytes);
                    }
                }
                None => self.memory.lose_all(),
            },
            Action::Base { index, compute, .. } => queue.history.forget_base(index, compute),
            _ => {}
        });
        match packet.opcode() {
            Some(Opcode::CONTEXT_CONTROL) => (queue.history.context_control, queue.history.control_lost) = (None, true),
            Some(Opcode::SET_PREDICATION) => queue.predicate = Predicate::Unknown,
            Some(Opcode::CLEAR_STATE) => queue.registers.forget_pushed(),
            Some(Opcode::WRITE_CONST_RAM | Opcode::LOAD_CONST_RAM) => self.constant.forget_ram(),
            Some(Opcode::PERF_COUNTER_WINDOW) => queue.history.counter_window = true,
            _ => {}
        }
        // Counters that other queues wait for.
        self.gang.unsure |= opcode_work(packet, gfx);
        self.constant.unsure |= kind == Queue::Constant || packet.opcode() == Some(Opcode::INCREMENT_DE_COUNTER);
        queue.pipe.doubt(queue.packets);
        queue.history.doubt();
    }

    /// After packets that may have been skipped: registers that they changed have one of two values. The last written value is still reported as written.
    pub fn resolve_doubts(&mut self, queue: &mut QueueState<'a>) {
        for (addr, before) in core::mem::take(&mut queue.doubt.registers) {
            let Some(origin) = queue.registers.origin(addr).filter(|_| queue.registers.state(addr) != before) else { continue };
            queue.registers.overwrite(addr, origin);
            match addr {
                GRBM_GFX_INDEX => queue.history.not_broadcast = None,
                VGT_INDEX_TYPE => queue.history.index_type_lost = None,
                _ => {}
            }
        }
    }

    /// Leaves a buffer: ranges in it that may be skipped continue in the next piece of the stream, and the model did not see what ran concurrently or later.
    pub fn leave_frame(&mut self, queue: &mut QueueState<'a>, place: Place, frame: &Frame<'a>) {
        if frame.open {
            let ends = frame.doubts.iter().filter(|end| **end > frame.offset);
            queue.doubt.open = ends.map(|end| end - frame.offset).collect();
            queue.doubt.ended += (frame.doubts.len() - queue.doubt.open.len()) as u64;
        }
        if frame.lost_after {
            self.lose_everything(queue, place);
        }
    }

    /// Returns what a packet writes at the end of the pipe.
    pub fn pipe_end_writes(&self, queue: &QueueState<'a>, packet: &Packet<'_>) -> Vec<EndWrite> {
        let mut writes = Vec::new();
        packet.visit_effects(self.gfx, queue.queue, &mut |effect| {
            if let Effect { timing: Timing::EndOfPipe, uncertain, action: Action::Write { at, bytes, data }, .. } = effect
                && let Some(addr) = self.memory_address(queue, at)
            {
                writes.extend(dwords(addr, bytes, data, uncertain));
            }
        });
        writes
    }

    /// Schedules something for when the previous work has left the pipe.
    pub fn at_pipe_end(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, writes: Vec<EndWrite>) {
        // From now on PFP must wait for these writes, even if they happen much later.
        for write in writes.iter().filter(|write| !write.may) {
            me_writes(queue, place, write.addr, 4);
            if queue.queue == Queue::Graphics {
                queue.history.at_pipe_end.insert(canonical(write.addr), 4, place);
            }
        }
        if !writes.is_empty() {
            // The first dword of every packet that writes there begins with the event.
            let event = Event((packet.body.first().copied().unwrap_or(0) & 0x3F) as u8);
            queue.pipe.push(PipeEnd { place, packet_name: packet.name(self.gfx), event, writes, packet: queue.packets, losses: self.memory.losses() });
        }
    }
}

/// Returns whether a DMA_DATA has no destination: the data only goes to the cache.
pub(in crate::cp) fn is_prefetch(packet: &Packet<'_>) -> bool {
    // dst_sel.
    const NOWHERE: u32 = 2;
    packet.opcode() == Some(Opcode::DMA_DATA) && packet.body.first().is_some_and(|control| control >> 20 & 3 == NOWHERE)
}

/// The end of all windows, as a byte address.
const WINDOWS_END: u32 = 0x40000;

/// Returns whether a packet starts task or other compute work that mesh work may wait for.
fn opcode_work(packet: &Packet<'_>, gfx: crate::chip::Gfx) -> bool {
    packet.opcode().and_then(|opcode| opcode.work(gfx)) == Some(Work::Dispatch)
}

/// The most dwords of one write to follow to the end of the pipe.
const MOST: u64 = 1 << 14;

/// Returns the dwords of a write, each with its value if known.
fn dwords(addr: u64, bytes: u64, data: WrittenData<'_>, may: bool) -> impl Iterator<Item = EndWrite> {
    (0..bytes.div_ceil(4).min(MOST)).map(move |i| EndWrite { addr: addr + 4 * i, value: data.dword(4 * i), may })
}
