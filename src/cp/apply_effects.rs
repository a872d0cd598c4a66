//! What the effects of packets mean to the model, whichever packet has them: hazards of PFP, registers that draws have for their state, and what packets that
//! the model does not execute may touch.

use super::engine::Engine;
use super::memory::canonical;
use super::memory_access::me_writes;
use super::pipe::{EndWrite, PipeEnd};
use super::place::Place;
use super::queue::QueueState;
use super::registers::Bank;
use crate::packet::{Action, Data, Effect, EffectKinds, Engine as Performer, MemoryAddress, Opcode, Packet, Timing};
use alloc::vec::Vec;

impl<'a> Engine<'_, 'a> {
    /// The address of a memory effect; None where it is not known.
    pub fn memory_address(&self, queue: &QueueState<'a>, at: MemoryAddress) -> Option<u64> {
        match at {
            MemoryAddress::At(addr) => Some(canonical(addr)),
            MemoryAddress::Base { index, compute, offset } => Some(canonical(queue.history.base(index, compute)?.wrapping_add(offset))),
            MemoryAddress::Unknown => None,
        }
    }

    /// Before a packet: what PFP reads may not be there yet. A packet that waits reads until it finds what it wants.
    pub fn hazards(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, kinds: EffectKinds) {
        if !kinds.has(EffectKinds::READS) || kinds.has(EffectKinds::WAITS) || queue.history.unsynced.is_empty() && queue.history.dma.is_empty() {
            return;
        }
        let (gfx, kind) = (self.gfx, queue.queue);
        packet.visit_effects(gfx, kind, &mut |effect| {
            if let Effect { engine: Performer::Pfp, timing: Timing::Issue | Timing::Dma, may: false, action: Action::Read { at, bytes } } = effect
                && let Some(addr) = self.memory_address(queue, at)
            {
                self.pfp_reads(queue, place, packet, addr, bytes.div_ceil(4));
            }
        });
    }

    /// After a packet: registers that it has for its state, base addresses, and memory that PFP itself has written.
    pub fn take_in_state(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let (gfx, kind) = (self.gfx, queue.queue);
        let origin = queue.origin(place);
        packet.visit_effects(gfx, kind, &mut |effect| match effect.action {
            Action::Set { write, state: true, .. } => queue.registers.hold(write.addr, write.value, origin),
            Action::Unknown { addr, registers, state: true } => {
                // What the model itself has put there (CP_STRMOUT_CNTL after a streamout flush) is known.
                for addr in (0..registers).map(|i| addr.wrapping_add(4 * i)) {
                    if queue.registers.origin(addr) != Some(origin) {
                        queue.registers.overwrite(addr, origin);
                    }
                }
            }
            Action::Base { index, compute, addr } => queue.history.set_base(index, compute, addr),
            // PFP need not wait for ME to see what it has written itself.
            Action::Write { at, bytes, .. } if effect.engine == Performer::Pfp && !queue.history.unsynced.is_empty() => {
                if let Some(addr) = self.memory_address(queue, at) {
                    queue.history.unsynced.remove(addr, bytes);
                }
            }
            _ => {}
        });
    }

    /// A packet that the model does not execute: what it may touch becomes unknown, so that it satisfies no rule and accuses nobody.
    pub fn unperformed(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>, opcode: Opcode) {
        let lost = EffectKinds::REGISTERS.or(EffectKinds::RUNS).or(EffectKinds::SKIPS).or(EffectKinds::WAITS);
        // What hardware counts nobody knows: such packets are executed as far as that is possible.
        if opcode.effect_kinds(self.gfx).has(lost) {
            self.skipped[usize::from(opcode.0)] += 1;
        }
        self.lose(queue, place, packet);
    }

    /// What the effects of a packet name becomes unknown.
    pub fn lose(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let (gfx, kind) = (self.gfx, queue.queue);
        let origin = queue.origin(place);
        packet.visit_effects(gfx, kind, &mut |effect| match effect.action {
            Action::Set { write, state: false, .. } => queue.registers.load(write.addr, origin),
            Action::Modify { addr, .. } => queue.registers.load(addr, origin),
            Action::Unknown { addr, registers, state: false } => (0..registers).for_each(|i| queue.registers.load(addr.wrapping_add(4 * i), origin)),
            Action::UnknownWindow(space) => Bank::of_space(space).iter().for_each(|bank| queue.registers.lose(*bank, origin)),
            Action::Anything | Action::Run { .. } => Bank::ALL.iter().for_each(|bank| queue.registers.lose(*bank, origin)),
            Action::Write { at, bytes, .. } => {
                if let Some(addr) = self.memory_address(queue, at) {
                    match effect.timing {
                        Timing::EndOfPipe => self.at_pipe_end(queue, place, packet.name(gfx), dwords(addr, bytes, Data::None, effect.may).collect()),
                        _ => self.memory.lose(addr, bytes),
                    }
                }
            }
            _ => {}
        });
    }

    /// What a packet writes at the end of the pipe.
    pub fn pipe_end_writes(&self, queue: &QueueState<'a>, packet: &Packet<'_>) -> Vec<EndWrite> {
        let mut writes = Vec::new();
        packet.visit_effects(self.gfx, queue.queue, &mut |effect| {
            if let Effect { timing: Timing::EndOfPipe, may, action: Action::Write { at, bytes, data }, .. } = effect
                && let Some(addr) = self.memory_address(queue, at)
            {
                writes.extend(dwords(addr, bytes, data, may));
            }
        });
        writes
    }

    /// Something happens when the work before it has left the pipe.
    pub fn at_pipe_end(&mut self, queue: &mut QueueState<'a>, place: Place, packet_name: Option<&'static str>, writes: Vec<EndWrite>) {
        // PFP must wait for them from now on, however late they come.
        for write in writes.iter().filter(|write| !write.may) {
            me_writes(queue, place, write.addr, 4);
        }
        if !writes.is_empty() {
            queue.pipe.push(PipeEnd { place, packet_name, writes, packet: queue.packets });
        }
    }
}

/// Dwords of one write that are followed at the end of the pipe.
const MOST: u64 = 1 << 14;

/// The dwords of a write, each with its value where it is known.
fn dwords(addr: u64, bytes: u64, data: Data<'_>, may: bool) -> impl Iterator<Item = EndWrite> {
    (0..bytes.div_ceil(4).min(MOST)).map(move |i| EndWrite { addr: addr + 4 * i, value: data.dword(4 * i), may })
}
