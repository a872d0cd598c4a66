//! Notifies observers while packets run.

use crate::cp::execute::engine::Engine;
use crate::cp::state::memory::canonical;
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;
use crate::cp::view::interest::{Interest, MemoryRead, RegisterChange};
use crate::cp::view::model_access::ModelAccess;
use crate::packet::{Action, Effect, EffectKinds, Packet, Timing};
use alloc::vec::Vec;

impl<'a> Engine<'_, 'a> {
    /// Reports what a packet is about to read.
    pub fn report_reads(&mut self, queue: &QueueState<'a>, place: Place, packet: &Packet<'_>, kinds: EffectKinds) {
        if !self.interest.has(Interest::MEMORY) || !kinds.intersects(EffectKinds::READS) {
            return;
        }
        packet.visit_effects(self.gfx, queue.queue, &mut |effect| {
            if let Effect { timing: Timing::Issue | Timing::Dma, action: Action::Read { at, bytes }, .. } = effect {
                let addr = self.memory_address(queue, at).map(canonical);
                self.observer.memory_read(&MemoryRead { queue: queue.id, place, addr, bytes });
            }
        });
    }

    /// After the last packet: reports registers that have one of two values, because a condition may have skipped the packet that wrote them.
    pub fn report_resolved(&mut self, queue: &mut QueueState<'a>) {
        if !self.interest.has(Interest::REGISTERS) {
            return;
        }
        for addr in queue.registers.take_log() {
            let Some(origin) = queue.registers.origin(addr) else { continue };
            self.observer.register_written(&RegisterChange { queue: queue.id, place: origin.place, addr, state: queue.registers.state(addr) });
        }
    }

    /// Reports what has happened since the last call, then lets the observer act. `place` is the last packet that ran.
    pub fn notify_observer(&mut self, queue: &mut QueueState<'a>, place: Place) {
        if self.interest.has(Interest::REGISTERS) {
            for addr in queue.registers.take_log() {
                let change = RegisterChange { queue: queue.id, place, addr, state: queue.registers.state(addr) };
                self.observer.register_written(&change);
            }
        }
        if self.interest.has(Interest::MEMORY) {
            self.memory.take_log().iter().for_each(|write| self.observer.memory_written(write));
        }
        if self.interest.has(Interest::ACT) {
            let mut written = Vec::new();
            self.observer.act(&mut ModelAccess { memory: &mut *self.memory, stop: &mut *self.stop, written: &mut written });
            if queue.history.last_work.is_some_and(|work| work + 1 == queue.packets) {
                written.iter().for_each(|(addr, bytes)| queue.history.shader_writes.insert(canonical(*addr), *bytes, place));
            }
        }
    }
}
