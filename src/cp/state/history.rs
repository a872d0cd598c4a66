//! The record that rules keep of the packets that a queue has run.

use crate::chip::Gfx;
use crate::cp::state::address_ranges::AddressRanges;
use crate::cp::state::memory::{byte_address, canonical};
use crate::cp::state::packet_flags;
use crate::cp::state::place::Place;
use crate::packet::{Action, Event, MemoryAddress, Opcode, Packet, Queue};
use alloc::collections::BTreeMap;

/// The past of a queue: the parts that rules ask for.
#[derive(Debug, Default, Clone)]
pub struct History {
    /// The event of the packet before this one, if it was an EVENT_WRITE.
    pub(in crate::cp) last_event: Option<u8>,
    /// Whether PFP has since executed packets that other engines can execute too (WRITE_DATA and others, by `engine_sel`).
    pub(in crate::cp) pfp_since_event: bool,
    /// Whether the packet before the current one is unknown.
    pub(in crate::cp) packet_lost: bool,
    /// Whether the packet required right before a release may be there: packets that may not have run stand between.
    pub(in crate::cp) packet_doubted: bool,
    /// The last draw without indices, for which the firmware has overwritten VGT_INDEX_TYPE.
    pub(in crate::cp) index_type_lost: Option<Place>,
    /// INDEX_BUFFER_SIZE, in indices.
    pub(in crate::cp) index_buffer_size: Option<u32>,
    /// Whether the last draw ran with NGG (VGT_SHADER_STAGES_EN.PRIMGEN_EN).
    pub(in crate::cp) ngg: Option<bool>,
    /// Whether VGT_FLUSH was sent since the last draw.
    pub(in crate::cp) vgt_flush: bool,
    /// The number of SQ_NON_EVENT events since the last draw.
    pub(in crate::cp) non_events: u32,
    /// The last draw, if it tessellates and no event has followed it.
    pub(in crate::cp) tessellation: Option<Place>,
    /// The last draw.
    pub(in crate::cp) last_draw: Option<Place>,
    /// The last draw that may use ordered ids of streamout and that nothing has waited for.
    pub(in crate::cp) ordered_ids: Option<OrderedIds>,
    /// What the queue has waited for since the last draw.
    pub(in crate::cp) waited: Waited,
    /// The last draw that needs a release at the bottom of the pipe after it, with the field that is the reason.
    pub(in crate::cp) needs_release: Option<(Place, ReleaseNeed)>,
    /// The addresses to which STRMOUT_BUFFER_UPDATE has stored the count of each buffer since PFP last waited for ME.
    pub(in crate::cp) stored_counts: [Option<u64>; 4],
    /// Whether DISPATCH_TASK_STATE_INIT was sent.
    pub(in crate::cp) task_state: bool,
    /// The last draw, if it took its count from streamout (USE_OPAQUE) and waits for its SQ_NON_EVENTs.
    pub(in crate::cp) opaque: Option<Place>,
    /// The number of SQ_NON_EVENTs between that draw and the first register write after it.
    pub(in crate::cp) opaque_written: Option<u32>,
    /// The last COPY_DATA that has written the count of streamout draws.
    pub(in crate::cp) copied_count: Option<Place>,
    /// Load and shadow enables of CONTEXT_CONTROL, each as the last update left it; None before the first packet.
    pub(in crate::cp) context_control: Option<(u32, u32)>,
    /// Whether a CONTEXT_CONTROL may have run that the model has not seen.
    pub(in crate::cp) control_lost: bool,
    /// Where registers are shadowed, by the enable bit of their window: the addresses of LOAD_*_REG.
    pub(in crate::cp) shadow_bases: BTreeMap<u64, u64>,
    /// The packet that made GRBM_GFX_INDEX select a part of the chip, while it does.
    pub(in crate::cp) not_broadcast: Option<Place>,
    /// The last dump of the depth counters, and the draws since.
    pub(in crate::cp) occlusion: Option<CounterDump>,
    /// Whether PIXEL_PIPE_STAT_CONTROL was sent, or may have been sent.
    pub(in crate::cp) counts_backends: bool,
    /// Memory that shaders write, by the caller's statement, until something waits for the shaders.
    pub(in crate::cp) shader_writes: AddressRanges,
    /// The number of the last packet that has started work.
    pub(in crate::cp) last_work: Option<u64>,
    /// Whether a PERF_COUNTER_WINDOW is open.
    pub(in crate::cp) counter_window: bool,
    /// Addresses of SET_BASE by index, and the copy of index 1 for compute work.
    bases: [Option<u64>; 16],
    compute_base: Option<u64>,
    /// Mesh work of the gang so far.
    pub(in crate::cp) taskmesh: u64,
    /// Whether viewport scissors were written since the context rolled.
    pub(in crate::cp) scissors_since_roll: bool,
    /// GE_MULTI_PRIM_IB_RESET_EN.RESET_EN at the last draw.
    pub(in crate::cp) restart: Option<u32>,
    /// VGT_PRIMITIVE_TYPE at the last draw, and the number of that packet.
    pub(in crate::cp) topology: Option<(u32, u64)>,
    /// VGT_GS_MODE.CUT_MODE of the last draw, if it had a legacy geometry shader.
    pub(in crate::cp) cut_mode: Option<u32>,
    /// Memory that the DMA engine writes while the queue continues (no CP_SYNC).
    pub(in crate::cp) dma: AddressRanges,
    /// The part of the memory of DMA for which a RELEASE_MEM waits, while nothing has waited for that release.
    pub(in crate::cp) released_dma: AddressRanges,
    /// Memory that ME has written, or has asked the pipe to write, and that PFP must not read yet.
    pub(in crate::cp) unsynced: AddressRanges,
    /// The part of `unsynced` that the end of the pipe writes and for which nothing has waited since, not even ME.
    pub(in crate::cp) at_pipe_end: AddressRanges,
}

/// The event of the last packet, `pfp_since_event` and `packet_lost`.
pub(in crate::cp) type Before = (Option<u8>, bool, bool);

/// The waits and releases after a draw. A stronger one counts as the weaker ones too.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::cp) struct Waited {
    /// Whether the vertex stages are done: VS_PARTIAL_FLUSH, PS_PARTIAL_FLUSH, or a wait for a release of PS_DONE.
    pub vertices: bool,
    /// Whether VGT_FLUSH was sent after the vertex stages were done.
    pub vgt: bool,
    /// Whether a RELEASE_MEM of an end-of-pipe event was sent.
    pub released: bool,
    /// Whether a RELEASE_MEM of PS_DONE was sent: pixel shaders are done, and the vertex stages before them.
    pub pixels_released: bool,
    /// Whether such a release has been waited for: by a pixel wait sync at PFP or ME, or by a wait on memory.
    pub all: bool,
}

/// A dump of the depth counters.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct CounterDump {
    pub addr: u64,
    pub place: Place,
    /// The first draw after the dump.
    pub draw: Option<Place>,
    /// Whether a draw after the dump counts samples, or may count them.
    pub may_count: bool,
}

/// Returns the address to which a packet dumps the depth counters.
pub(in crate::cp) fn counter_dump(packet: &Packet<'_>) -> Option<u64> {
    let (lo, hi) = match (packet.opcode()?, packet.body) {
        (Opcode::EVENT_WRITE, &[event, lo, hi]) if Event((event & 0x3F) as u8).is_depth_counter_dump() => (lo, hi),
        (Opcode::EVENT_WRITE_ZPASS, &[lo, hi]) => (lo, hi),
        _ => return None,
    };
    Some(canonical(u64::from(hi) << 32 | u64::from(lo)))
}

/// VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE: the count of streamout draws.
pub(in crate::cp) const FILLED_SIZE: u32 = 0x28B2C;

/// Packets that PFP executes and ME never sees, so ME sees the packets around them as adjacent (PAL's packet headers, AMD's tables in Mesa 2026: neither lists them for
/// ME). COND_INDIRECT_BUFFER has the number of INDIRECT_BUFFER.
const ONLY_PFP: [Opcode; 4] = [Opcode::COND_EXEC, Opcode::PRED_EXEC, Opcode::INDIRECT_BUFFER, Opcode::REWIND];

/// Packets that PFP executes if their field `engine_sel` says so. No source says whether ME then sees them.
const ME_OR_PFP: [Opcode; 5] = [Opcode::WRITE_DATA, Opcode::COPY_DATA, Opcode::DMA_DATA, Opcode::WAIT_REG_MEM, Opcode::WAIT_REG_MEM64];

/// Returns whether PFP executes a packet that ME could execute too.
fn runs_on_pfp(gfx: Gfx, queue: Queue, packet: &Packet<'_>, opcode: Opcode) -> bool {
    const PFP: u64 = 1;
    queue == Queue::Graphics && ME_OR_PFP.contains(&opcode) && packet.field(gfx, queue, "engine_sel") == Some(PFP)
}

/// The base that has a copy for compute work: indirect arguments (PAL gfx9Pm4Optimizer.cpp MustKeepSetBase).
const BANKED_BASE: u8 = 1;

/// A draw that may use ordered ids of streamout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) struct OrderedIds {
    pub draw: Place,
    /// Why the draw may not have used the ids, or may be done with them.
    pub doubt: Option<IdsDoubt>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) enum IdsDoubt {
    /// NGG_WAVE_ID_EN is not known.
    Unknown,
    /// A release follows the draw, and another draw follows the release. The model does not follow whether a later packet waits for that release.
    Released,
}

impl History {
    /// Returns the second dword of CONTEXT_CONTROL, while it shadows registers (enable bits: PAL gfx9_plus_merged_f32_pfp_pm4_packets.h).
    pub(in crate::cp) fn shadowing(&self) -> Option<u32> {
        self.context_control.map(|(_, shadow)| shadow).filter(|shadow| shadow >> 31 == 1 && shadow & 0x0101_8003 != 0)
    }

    /// Returns whether CONTEXT_CONTROL enables the loads of a window, by its bit; None if no packet of the stream has said so.
    pub(in crate::cp) fn loads(&self, bit: u32) -> Option<bool> {
        self.context_control.filter(|(load, _)| load >> 31 == 1).map(|(load, _)| load >> bit & 1 == 1)
    }

    /// Returns the bits of [`packet_flags`] that every SET packet has while the queue is in this state.
    #[inline]
    pub(in crate::cp) fn flags(&self) -> u16 {
        let banked = if self.not_broadcast.is_some() { packet_flags::PART_SELECTED } else { 0 };
        let shadowed = if self.shadowing().is_some() { packet_flags::SHADOWED } else { 0 };
        banked | shadowed
    }

    /// Returns an address of SET_BASE.
    pub(in crate::cp) fn base(&self, index: u8, compute: bool) -> Option<u64> {
        if compute && index == BANKED_BASE { self.compute_base } else { self.bases.get(usize::from(index)).copied().flatten() }
    }

    /// Returns the address of a memory effect, in bytes; None if it is not known.
    pub(in crate::cp) fn address(&self, at: MemoryAddress) -> Option<u64> {
        match at {
            MemoryAddress::At(addr) => Some(byte_address(addr)),
            MemoryAddress::Base { index, compute, offset } => Some(byte_address(self.base(index, compute)?.wrapping_add(offset))),
            MemoryAddress::Unknown => None,
        }
    }

    /// Records the address of an executed SET_BASE.
    pub(in crate::cp) fn set_base(&mut self, index: u8, compute: bool, addr: u64) {
        if compute && index == BANKED_BASE {
            self.compute_base = Some(addr);
        } else if let Some(base) = self.bases.get_mut(usize::from(index)) {
            *base = Some(addr);
        }
    }

    /// Forgets an address of SET_BASE, which may have changed.
    pub(in crate::cp) fn forget_base(&mut self, index: u8, compute: bool) {
        if compute && index == BANKED_BASE {
            self.compute_base = None;
        } else if let Some(base) = self.bases.get_mut(usize::from(index)) {
            *base = None;
        }
    }

    /// Forgets the past, because any packet may have run: nothing remembered causes a finding.
    pub(in crate::cp) fn forget(&mut self) {
        self.doubt();
        self.dma_is_done();
        self.unsynced.clear();
        self.at_pipe_end.clear();
        (self.bases, self.compute_base) = ([None; 16], None);
        self.shadow_bases.clear();
        (self.context_control, self.control_lost) = (None, true);
        (self.not_broadcast, self.counter_window) = (None, false);
        self.task_state = true;
        self.counts_backends = true;
        self.shader_writes.clear();
        self.packet_lost = true;
    }

    /// Forgets what a packet that may not have run could change: neither the old nor the new state causes a finding.
    pub(in crate::cp) fn doubt(&mut self) {
        (self.index_type_lost, self.index_buffer_size, self.stored_counts) = (None, None, [None; 4]);
        (self.last_draw, self.tessellation, self.needs_release, self.opaque, self.ordered_ids) = (None, None, None, None, None);
        (self.copied_count, self.occlusion) = (None, None);
        self.shader_writes.clear();
        (self.ngg, self.restart, self.cut_mode, self.topology) = (None, None, None, None);
        self.scissors_since_roll = true;
    }

    /// Returns whether all memory is safe for PFP to read.
    pub(in crate::cp) fn nothing_unsynced(&self) -> bool {
        self.unsynced.is_empty() && self.at_pipe_end.is_empty() && self.dma.is_empty() && self.released_dma.is_empty()
    }

    /// Records that PFP may read a range.
    pub(in crate::cp) fn no_hazard(&mut self, addr: u64, bytes: u64) {
        self.unsynced.remove(addr, bytes);
        self.at_pipe_end.remove(addr, bytes);
    }

    /// Removes a range from all hazards, because a write to it may not have happened.
    pub(in crate::cp) fn doubt_hazard(&mut self, addr: u64, bytes: u64) {
        self.no_hazard(addr, bytes);
        self.dma.remove(addr, bytes);
        self.released_dma.remove(addr, bytes);
    }

    /// Records that a missing wait of PFP for a range was reported: later packets are judged as if the wait were there.
    pub(in crate::cp) fn reported(&mut self, addr: u64, bytes: u64) {
        self.synced();
        self.at_pipe_end.remove(addr, bytes);
    }

    /// Records that the queue has waited for the DMA engine.
    pub(in crate::cp) fn dma_is_done(&mut self) {
        self.dma.clear();
        self.released_dma.clear();
    }

    /// Records that a RELEASE_MEM waits for the DMA engine: a wait for that release is also a wait for the DMA before it.
    pub(in crate::cp) fn release_dma(&mut self) {
        self.released_dma.merge(core::mem::take(&mut self.dma));
    }

    /// Records a wait for the end of the pipe. The model does not follow for which release: all earlier ones count as waited for.
    pub(in crate::cp) fn pipe_end_waited(&mut self) {
        self.at_pipe_end.clear();
        self.released_dma.clear();
    }

    /// Records that PFP has waited for ME. PFP may still not see what the end of the pipe writes.
    pub(in crate::cp) fn synced(&mut self) {
        self.unsynced.clear();
        self.stored_counts = [None; 4];
    }

    /// Records a packet that only sets registers.
    #[inline]
    pub(in crate::cp) fn set_registers(&mut self) {
        self.no_event();
        if self.opaque.is_some() {
            self.opaque_written.get_or_insert(self.non_events);
        }
    }

    /// Records that the packet before the next one has no event.
    #[inline]
    fn no_event(&mut self) {
        (self.last_event, self.pfp_since_event, self.packet_lost, self.packet_doubted) = (None, false, false, false);
    }

    /// Returns what rules ask about the last packet.
    pub(in crate::cp) fn before(&self) -> Before {
        (self.last_event, self.pfp_since_event, self.packet_lost)
    }

    /// Records the end of packets that may not have run. `before` is the last packet before them: if they have not run, it is still the last one.
    pub(in crate::cp) fn doubt_before(&mut self, before: Before) {
        let (event, _, lost) = before;
        let was_dumped = lost || event.is_some_and(|event| Event(event).is_depth_counter_dump());
        self.packet_doubted |= was_dumped && self.before() != before;
    }

    /// Returns the number of SQ_NON_EVENTs since the last draw; for a draw that takes its count from streamout, only those before the first register write.
    pub(in crate::cp) fn events_in_time(&self) -> u32 {
        self.opaque_written.unwrap_or(self.non_events)
    }

    /// Records a packet that has been judged.
    pub(in crate::cp) fn packet(&mut self, gfx: Gfx, queue: Queue, place: Place, packet: &Packet<'_>, opcode: Opcode) {
        if opcode == Opcode::NOP || ONLY_PFP.contains(&opcode) {
            return;
        }
        if runs_on_pfp(gfx, queue, packet, opcode) {
            self.pfp_since_event = true;
        } else {
            self.no_event();
        }
        if let Some(addr) = counter_dump(packet) {
            self.occlusion = Some(CounterDump { addr, place, draw: None, may_count: false });
        }
        let body = |at: usize| packet.body.get(at).copied();
        match opcode {
            Opcode::EVENT_WRITE => {
                let event = body(0).map_or(0, |word| (word & 0x3F) as u8);
                (self.last_event, self.tessellation) = (Some(event), None);
                self.counts_backends |= Event(event) == Event::PIXEL_PIPE_STAT_CONTROL;
                if matches!(event, 7 | 15 | 16) {
                    self.shader_writes.clear();
                }
                match event {
                    // VS_PARTIAL_FLUSH, PS_PARTIAL_FLUSH.
                    15 => self.waited.vertices = true,
                    16 => {
                        self.waited.vertices = true;
                        self.at_pipe_end.clear();
                    }
                    // CS_PARTIAL_FLUSH. Whether all is written after one of them is not known: no finding then.
                    7 => self.at_pipe_end.clear(),
                    36 => {
                        self.vgt_flush = true;
                        self.waited.vgt |= self.waited.vertices;
                    }
                    38 => self.non_events += 1,
                    _ => {}
                }
            }
            Opcode::RELEASE_MEM => {
                let word = body(0).unwrap_or(0);
                self.tessellation = None;
                self.waited.released |= word >> 8 & 0xF == END_OF_PIPE;
                self.waited.pixels_released |= word >> 8 & 0xF == END_OF_SHADER && Event((word & 0x3F) as u8) == Event::PS_DONE;
            }
            Opcode::ACQUIRE_MEM if gfx.major() >= 11 && queue == Queue::Graphics && body(5).is_some_and(|word| word >> 31 == 1) => {
                // The stages CP_PFP and CP_ME of a pixel wait sync; its counter of PS_DONE events.
                let word = body(0).unwrap_or(0);
                let here = matches!(word >> 11 & 7, 4 | 5);
                self.shader_writes.clear();
                self.waited.all |= self.waited.released && here;
                self.waited.vertices |= self.waited.pixels_released && here && word >> 14 & 3 == PS_SELECT;
            }
            Opcode::WAIT_REG_MEM | Opcode::WAIT_REG_MEM64 => {
                self.shader_writes.clear();
                self.waited.all |= self.waited.released;
                self.waited.vertices |= self.waited.pixels_released;
            }
            Opcode::DISPATCH_TASK_STATE_INIT => self.task_state = true,
            Opcode::STRMOUT_BUFFER_UPDATE => {
                let buffer = packet.field(gfx, queue, "buffer_select").unwrap_or(0) as usize;
                packet.visit_effects(gfx, queue, &mut |effect| {
                    // The control buffer of GFX11 is longer.
                    if let (Action::Write { at: MemoryAddress::At(addr), bytes: 4, .. }, Some(stored)) = (effect.action, self.stored_counts.get_mut(buffer)) {
                        *stored = Some(canonical(addr));
                    }
                });
            }
            Opcode::INDEX_BUFFER_SIZE => self.index_buffer_size = body(0),
            Opcode::CONTEXT_CONTROL => {
                // A dword without its bit 31 changes nothing.
                let old = self.context_control.unwrap_or_default();
                let update = |new: u32, old: u32| if new >> 31 == 1 { new } else { old };
                self.context_control = body(0).zip(body(1)).map(|(load, shadow)| (update(load, old.0), update(shadow, old.1)));
                self.control_lost &= body(0).is_none_or(|load| load >> 31 == 0);
            }
            Opcode::PERF_COUNTER_WINDOW => self.counter_window = packet.field(gfx, queue, "op").is_none_or(|op| op == 3 || op == 7),
            _ => {}
        }
    }

    /// Records that COPY_DATA has written a register.
    pub(in crate::cp) fn copied(&mut self, addr: u32, place: Place) {
        if addr == FILLED_SIZE {
            self.copied_count = Some(place);
        }
    }

    /// Records a draw that has been judged.
    pub(in crate::cp) fn draw(&mut self, draw: DrawSummary) {
        let DrawState { ngg, tessellation, restart, cut_mode, needs_release, wave_ids, counts_samples } = draw.state;
        if let Some(dump) = &mut self.occlusion {
            dump.draw = dump.draw.or(Some(draw.place));
            dump.may_count |= counts_samples != Some(false);
        }
        let Waited { vertices, released, pixels_released, all, .. } = self.waited;
        let busy = self.ordered_ids.filter(|_| !(vertices || all));
        // A wait after this draw for a release before it is not followed.
        let busy = busy.map(|ids| if released || pixels_released { OrderedIds { doubt: Some(IdsDoubt::Released), ..ids } } else { ids });
        self.ordered_ids = match wave_ids {
            Some(false) => busy,
            Some(true) => Some(OrderedIds { draw: draw.place, doubt: None }),
            None => busy.filter(|ids| ids.doubt.is_none()).or(Some(OrderedIds { draw: draw.place, doubt: Some(IdsDoubt::Unknown) })),
        };
        self.ngg = ngg;
        self.tessellation = tessellation.then_some(draw.place);
        self.restart = restart;
        self.vgt_flush = false;
        self.non_events = 0;
        (self.opaque, self.opaque_written) = (draw.opaque.then_some(draw.place), None);
        self.last_draw = Some(draw.place);
        self.waited = Waited::default();
        self.needs_release = needs_release.filter(|_| !draw.sends_release).map(|field| (draw.place, field));
        self.cut_mode = cut_mode;
        self.topology = draw.topology.zip(Some(draw.packet));
        self.scissors_since_roll = false;
    }
}

/// The facts about a draw that the history keeps.
pub(in crate::cp) struct DrawSummary {
    pub(in crate::cp) place: Place,
    pub(in crate::cp) state: DrawState,
    pub(in crate::cp) opaque: bool,
    /// VGT_PRIMITIVE_TYPE, on GFX9.
    pub(in crate::cp) topology: Option<u32>,
    /// The number of the packet.
    pub(in crate::cp) packet: u64,
    /// Whether the packet itself sends the release at the bottom of the pipe.
    pub(in crate::cp) sends_release: bool,
}

/// Why a release at the bottom of the pipe must follow a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) struct ReleaseNeed {
    /// The field that is set.
    pub(in crate::cp) field: &'static str,
    /// Whether sources differ on the need for the release.
    pub(in crate::cp) in_doubt: bool,
}

/// The facts about the registers of a draw that the history keeps.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::cp) struct DrawState {
    pub(in crate::cp) ngg: Option<bool>,
    pub(in crate::cp) tessellation: bool,
    pub(in crate::cp) restart: Option<u32>,
    pub(in crate::cp) cut_mode: Option<u32>,
    pub(in crate::cp) needs_release: Option<ReleaseNeed>,
    /// Whether samples that pass the depth test are counted; None if unknown.
    pub(in crate::cp) counts_samples: Option<bool>,
    /// Whether waves get ids in the order of the draws (VGT_SHADER_STAGES_EN.NGG_WAVE_ID_EN), as NGG streamout needs them.
    pub(in crate::cp) wave_ids: Option<bool>,
}

/// The event index of end-of-pipe releases, and of those that are sent when shaders are done.
const END_OF_PIPE: u32 = 5;
const END_OF_SHADER: u32 = 6;

/// The counter of a pixel wait sync that PS_DONE events move.
const PS_SELECT: u32 = 1;
