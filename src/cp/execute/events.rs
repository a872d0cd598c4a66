//! Events, fences and caches: EVENT_WRITE, RELEASE_MEM, ACQUIRE_MEM.

use crate::cp::execute::engine::{Engine, Flow};
use crate::cp::state::addresses::CP_STRMOUT_CNTL;
use crate::cp::state::fence::Fence;
use crate::cp::state::past_values::Writer;
use crate::cp::state::pipe::{EndWrite, PipeEnd};
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;
use crate::cp::state::rolls::RollSource;
use crate::cp::view::interest::{EventSeen, Interest, InterruptSent};
use crate::packet::{Event, Packet, Queue};

const PS_PARTIAL_FLUSH: u8 = 16;
const SO_VGTSTREAMOUT_FLUSH: u8 = 31;

/// The int_sel value of RELEASE_MEM without an interrupt.
const NO_INTERRUPT: u8 = 0;
const WRITE_CONFIRM_ONLY: u8 = 3;

/// The first PFP firmware of GFX11 with which RELEASE_MEM waits for the DMA engine (PAL 04/2025 gfx9SettingsLoader.cpp).
const WAIT_SYNC_FIRMWARE: u32 = 2150;

/// The most fences to remember.
const FENCES: usize = 4096;

impl<'a> Engine<'_, 'a> {
    /// EVENT_WRITE: samples are written to memory at the end of the pipe; flushes and waits advance pending work.
    pub fn event_write(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let Some(word) = packet.body.first() else { return };
        let event = Event((word & 0x3F) as u8);
        self.report_event(queue, place, event);
        match event.0 {
            SO_VGTSTREAMOUT_FLUSH if self.gfx.major() < 11 => {
                let origin = queue.origin(place);
                self.register(queue, place, packet, CP_STRMOUT_CNTL, Some(1), origin);
            }
            // Draws are done as far as contexts are concerned. CS_PARTIAL_FLUSH waits only for compute, and neither event waits for the end of the pipe.
            PS_PARTIAL_FLUSH => queue.contexts.idle(),
            _ => {}
        }
        // Hardware counters: written with unknown values.
        let writes = self.pipe_end_writes(queue, packet);
        self.at_pipe_end(queue, place, packet, writes);
    }

    /// RELEASE_MEM: writes the fence when earlier work has left the pipe.
    pub fn release_mem(&mut self, queue: &mut QueueState<'a>, place: Place, packet: &Packet<'_>) {
        let Some(&event) = packet.body.first() else { return };
        self.report_event(queue, place, Event((event & 0x3F) as u8));
        if self.interest.has(Interest::EVENTS) {
            let select = (packet.body.get(1).copied().unwrap_or(0) >> 24 & 7) as u8;
            if !matches!(select, NO_INTERRUPT | WRITE_CONFIRM_ONLY) {
                let context = packet.body.get(6).copied().unwrap_or(0);
                self.observer.interrupt(&InterruptSent { queue: queue.id, place, select, context });
            }
        }
        if self.waits_for_dma(queue, packet) {
            queue.history.release_dma();
        }
        let writes = self.pipe_end_writes(queue, packet);
        let value = |at: usize| writes.get(at).and_then(|write: &EndWrite| write.value);
        let (Some(&EndWrite { addr, .. }), low, high) = (writes.first(), value(0), value(1)) else { return };
        if self.memory.released.len() < FENCES {
            self.memory.released.extend(writes.iter().map(|write| write.addr));
        }
        self.at_pipe_end(queue, place, packet, writes);
        self.record_fence(addr, Fence { queue: queue.id, place, values: [low, high] });
    }

    /// Returns whether RELEASE_MEM waits for the DMA engine first: on GFX10 according to the name of the bit, from GFX11 on according to PAL's 04/2025 barrier
    /// code (BuildReleaseMemInternal: wait_sync = waitCpDma, in place of a DMA_DATA with cp_sync).
    fn waits_for_dma(&self, queue: &QueueState<'a>, packet: &Packet<'_>) -> bool {
        let old = self.gfx.version() == (11, 0) && self.options.firmware.pfp.is_some_and(|version| version < WAIT_SYNC_FIRMWARE);
        let asks = |name| packet.field(self.gfx, queue.queue, name) == Some(1);
        !old && (asks("wait_dma") || asks("wait_sync"))
    }

    fn report_event(&mut self, queue: &QueueState<'a>, place: Place, event: Event) {
        if self.interest.has(Interest::EVENTS) {
            self.observer.event(&EventSeen { queue: queue.id, place, event });
        }
    }

    /// Treats pending work as done, because enough packets have run since.
    pub fn assume_pipe_end(&mut self, queue: &mut QueueState<'a>, end: PipeEnd) {
        for write in end.writes.iter().filter(|write| write.value.is_some() && write.value != self.memory.known(write.addr)) {
            // If memory is full, the dword is unknown.
            if !self.memory.full {
                queue.pipe.assume(write.addr);
            }
        }
        self.pipe_end(queue, end);
    }

    /// Delivers pending work that reaches the end of the pipe.
    pub fn pipe_end(&mut self, queue: &mut QueueState<'a>, end: PipeEnd) {
        let lost = self.memory.losses() != end.losses;
        for EndWrite { addr, value, may } in end.writes {
            if may || lost {
                self.memory.note_perhaps_written(addr, 4);
                self.memory.lose(addr, 4);
            } else {
                self.atomic = false;
                self.note_past(end.place, addr, 1, Writer { queue: queue.id, pfp: false, later: true });
                self.store(queue, end.place, end.packet_name, addr, [value]);
            }
        }
        if self.interest.has(Interest::EVENTS) {
            self.observer.end_of_pipe(&EventSeen { queue: queue.id, place: end.place, event: end.event });
        }
    }

    /// ACQUIRE_MEM: rolls the context unless it is a pixel wait sync (Mesa 25.0.7 ac_gather_context_rolls.c).
    pub fn acquire_mem(&mut self, queue: &mut QueueState<'a>, packet: &Packet<'_>) -> Flow {
        let pws = self.gfx.major() >= 11 && queue.queue == Queue::Graphics && packet.body.get(5).is_some_and(|word| word >> 31 == 1);
        if pws {
            queue.contexts.idle();
            queue.history.pipe_end_waited();
            while let Some(end) = queue.pipe.pop() {
                self.pipe_end(queue, end);
            }
            queue.pipe.waited();
            // Stage CP_PFP: PFP waits for the release.
            if packet.body.first().is_some_and(|word| word >> 11 & 7 == 4) {
                queue.history.synced();
            }
        } else if queue.queue == Queue::Graphics {
            queue.contexts.write(RollSource::Acquire);
            // On PFP (engine_sel 0) it is an acquire on ME plus a PFP_SYNC_ME (Mesa 2025, ac_emit_cp_acquire_mem).
            if packet.body.first().is_some_and(|word| word >> 31 == 0) {
                queue.history.synced();
            }
        }
        Flow::Next
    }

    /// Records a fence that a packet has written to memory; rules later check whether anything waited for it.
    pub fn fence(&mut self, queue: &QueueState<'a>, place: Place, addr: u64) {
        let values = [self.memory.known(addr), self.memory.known(addr + 4)];
        self.record_fence(addr, Fence { queue: queue.id, place, values });
    }

    fn record_fence(&mut self, addr: u64, fence: Fence) {
        if self.fences.len() < FENCES {
            self.fences.insert(addr, fence);
        }
    }
}
