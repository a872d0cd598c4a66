//! The fast path: a draw after a plain draw writes its packet, and what has changed since.
//!
//! A draw is plain if no workaround looks at it and its call puts nothing but base vertex, first instance and the number of instances into registers. Nothing of
//! what is after the previous draw is asked again: it was looked at there ([`draw_changed`](Recorder::draw_changed)). All is written into memory that is asked
//! for once.

use crate::chip::Erratum;
use crate::draw::desc::{DrawCall, IndexBuffer, Indices, Instances, Vertices};
use crate::draw::record::changes::{Changes, VIEW};
use crate::draw::record::recorder::{RecordError, Recorder};
use crate::draw::state::joined::parts;
use crate::packet::layouts::DrawInitiator;
use crate::packet::{Buffer, Direct, SetPacket, counted_draw, indexed_draw, instances_packet};

/// What a plain draw had beside its state.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Plain {
    /// The last draw was plain.
    pub draws: bool,
    /// User SGPRs whose values are known, among those that programs leave free: one bit each.
    pub known: [u32; 3],
    pub base: u32,
    pub first: u32,
    /// Addresses of the SGPRs that hold these, where the program has them.
    pub base_vertex: Option<u32>,
    pub first_instance: Option<u32>,
}

/// Dwords of the packet of the number of instances.
const INSTANCES: usize = 2;
/// Dwords of first instance, base vertex and the width of indices.
const NUMBERS: usize = 3 * 3;

/// Dwords that a draw takes at most after its state.
const AFTER_STATE: usize = INSTANCES + NUMBERS + Indexed::DWORDS;

/// The packet of a plain draw, before it is put together: its words go from registers of the CPU into the stream. As an array in memory they would be
/// read back in wider pieces than they were stored in, which takes longer than all the rest.
trait DrawPacket: Copy {
    const DWORDS: usize;

    fn put(self, predicate: bool, direct: &mut Direct<'_>);
}

/// Vertices that are counted: how many.
#[derive(Clone, Copy)]
struct Counted(u32);

/// Vertices by indices.
#[derive(Clone, Copy)]
struct Indexed {
    addr: u64,
    size: u32,
    count: u32,
}

impl DrawPacket for Counted {
    const DWORDS: usize = 3;

    #[inline(always)]
    fn put(self, predicate: bool, direct: &mut Direct<'_>) {
        direct.packet(counted_draw(self.0, DrawInitiator::AUTO_INDEX, predicate));
    }
}

impl DrawPacket for Indexed {
    const DWORDS: usize = 6;

    #[inline(always)]
    fn put(self, predicate: bool, direct: &mut Direct<'_>) {
        direct.packet(indexed_draw(self.size, self.addr, self.count, DrawInitiator::INDICES, predicate));
    }
}

/// What a draw has beside its packet.
#[derive(Clone, Copy)]
struct Numbers {
    base: u32,
    instances: Instances,
    /// The width of indices, where it has any.
    index_type: Option<u32>,
}

/// Numbers that may be others than those of the previous draw; none where they are known to be the same.
trait Others: Copy {
    fn numbers(self) -> Option<Numbers>;
}

#[derive(Clone, Copy)]
struct Same;

impl Others for Same {
    #[inline(always)]
    fn numbers(self) -> Option<Numbers> {
        None
    }
}

impl Others for Numbers {
    #[inline(always)]
    fn numbers(self) -> Option<Numbers> {
        Some(self)
    }
}

impl<B: Buffer> Recorder<B> {
    /// Draws vertices with what is bound, one instance.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound).
    #[inline]
    pub fn draw_vertices(&mut self, vertices: Vertices) -> Result<(), RecordError> {
        self.draw_instances(vertices, Instances::default())
    }

    /// Draws indexed vertices with what is bound, one instance.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound).
    #[inline]
    pub fn draw_indices(&mut self, buffer: IndexBuffer, indices: Indices) -> Result<(), RecordError> {
        self.draw_indexed_instances(buffer, indices, Instances::default())
    }

    /// Draws vertices with what is bound, several times.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound).
    #[inline(always)]
    pub fn draw_instances(&mut self, vertices: Vertices, instances: Instances) -> Result<(), RecordError> {
        let drawn = self.draw_plainly(Numbers { base: vertices.first, instances, index_type: None }, Counted(vertices.count));
        if drawn { Ok(()) } else { self.draw_instances_changed(vertices, instances) }
    }

    /// Takes the numbers by value, so that they stay in registers of the CPU on the way of a plain draw.
    #[inline(never)]
    fn draw_instances_changed(&mut self, vertices: Vertices, instances: Instances) -> Result<(), RecordError> {
        self.draw_changed(&DrawCall::Auto { vertices, instances })
    }

    /// Draws indexed vertices with what is bound, several times.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound).
    #[inline(always)]
    pub fn draw_indexed_instances(&mut self, buffer: IndexBuffer, indices: Indices, instances: Instances) -> Result<(), RecordError> {
        if self.is_plain_buffer(&buffer, indices.first) {
            let addr = buffer.addr + u64::from(indices.first) * buffer.format.bytes();
            let packet = Indexed { addr, size: buffer.indices - indices.first, count: indices.count };
            if self.draw_plainly(Numbers { base: indices.base_vertex as u32, instances, index_type: Some(buffer.format as u32) }, packet) {
                return Ok(());
            }
        }
        self.draw_changed(&DrawCall::Indexed { buffer, indices, instances })
    }

    /// Draws with what is bound: writes the registers that differ from what hardware holds, and the call.
    ///
    /// # Errors
    /// [`RecordError::NotBound`] without a pipeline or targets, [`RecordError::Draw`] for objects that the chip cannot have together, and those of
    /// [`draw_call`](Self::draw_call). Then nothing is written.
    #[inline]
    pub fn draw_bound(&mut self, call: &DrawCall) -> Result<(), RecordError> {
        match *call {
            DrawCall::Auto { vertices, instances } => self.draw_instances(vertices, instances),
            DrawCall::Indexed { buffer, indices, instances } => self.draw_indexed_instances(buffer, indices, instances),
            _ => self.draw_changed(call),
        }
    }

    /// Whether there are indices from this one on at an address that the packet holds, and no workaround looks at them.
    #[inline]
    fn is_plain_buffer(&self, buffer: &IndexBuffer, first: u32) -> bool {
        let IndexBuffer { addr, indices: size, format } = *buffer;
        let packs = self.calls.index_type == Some(format as u32) || !self.chip.has(Erratum::InstancePacking);
        let end = addr.saturating_add(u64::from(size) * format.bytes());
        addr != 0 && addr & (format.bytes() - 1) == 0 && first < size && end <= 1 << 48 && packs
    }

    /// Draws, where the current draw is its packet and what changed since the one before: whether it is, and there is room for it. All else is left to
    /// [`draw_changed`](Self::draw_changed), errors among it.
    #[inline(always)]
    fn draw_plainly<P: DrawPacket>(&mut self, numbers: Numbers, packet: P) -> bool {
        let (bound, calls) = (&self.bound, &self.calls);
        let Numbers { base, instances, index_type } = numbers;
        if !bound.plain.draws || calls.end != self.writer.len() || instances.count == 0 {
            return false;
        }
        let same = bound.plain.base == base && bound.plain.first == instances.first && (index_type.is_none() || calls.index_type == index_type);
        let drawn = match same && bound.changed & parts::JOINED == 0 {
            false => self.draw_changes(numbers, packet),
            // One function for each of what changes most often: small ones keep all they need in registers of the CPU.
            true => match bound.changed {
                0 => self.put(instances.count, packet),
                VIEW if bound.has_one_viewport() => self.bring_parts::<P, Same, VIEW>(false, instances.count, Same, packet),
                parts::SCISSORS if bound.has_one_viewport() => self.bring_parts::<P, Same, { parts::SCISSORS }>(false, instances.count, Same, packet),
                parts::USER_DATA if bound.is_known_user_data() => self.bring_parts::<P, Same, { parts::USER_DATA }>(false, instances.count, Same, packet),
                _ => self.bring_parts::<P, Same, { parts::ALL }>(false, instances.count, Same, packet),
            },
        };
        if drawn {
            (self.calls.index_type, self.calls.end) = (index_type, self.writer.len());
        }
        drawn
    }

    /// Writes the packet that draws, and the number of instances where it is another one.
    #[inline(always)]
    fn put<P: DrawPacket>(&mut self, instances: u32, packet: P) -> bool {
        let (predicate, other) = (self.writer.is_predicated(), self.calls.instances != Some(instances));
        let dwords = if other { P::DWORDS + INSTANCES } else { P::DWORDS };
        let Some(mut direct) = self.writer.direct(dwords) else { return false };
        if other {
            direct.packet(instances_packet(instances));
        }
        packet.put(predicate, &mut direct);
        let written = direct.end();
        if other {
            self.calls.instances = Some(instances);
        }
        self.writer.end_direct(dwords, written)
    }

    /// The same with other objects, or other numbers than those of instances.
    #[inline(never)]
    fn draw_changes<P: DrawPacket>(&mut self, numbers: Numbers, packet: P) -> bool {
        let Numbers { base, instances, .. } = numbers;
        let plain = self.bound.plain;
        let takes = |same: bool, sgpr: Option<u32>| same || sgpr.is_some();
        if !takes(base == plain.base, plain.base_vertex) || !takes(instances.first == plain.first, plain.first_instance) {
            return false;
        }
        match self.join_plainly() {
            Some(rolled) => self.bring_parts::<P, Numbers, { parts::ALL }>(rolled, instances.count, numbers, packet),
            None => false,
        }
    }

    /// Another joined state, where draws with it are plain as well and there is room for one with all of its state: whether it rolls the context. Nothing is
    /// written where not.
    fn join_plainly(&mut self) -> Option<bool> {
        if self.bound.changed & parts::JOINED == 0 {
            return Some(false);
        }
        let joined = self.joined().ok()?;
        let before = self.held.base()?;
        if joined.facts != before.facts || joined.after_draws || joined.leaves_drain || joined.sgprs != before.sgprs || joined.rings != before.rings {
            return None;
        }
        let differs = joined.differs(before);
        let (changed, words, shown) = (self.bound.changed | differs, joined.user_words(self.dynamic_state()), joined.shown);
        self.bound.one.depth_changed |= differs & parts::VIEWPORTS != 0;
        let mut rolled = false;
        if joined.number != before.number {
            let changes = Changes { parts: changed, words: &words, ..self.bound.changes(&joined, None) };
            let after = changes.most::<{ parts::ALL }>() + AFTER_STATE;
            rolled = self.held.switch_plainly(joined, &self.bound.pairs, &mut self.writer, after)?;
        }
        (self.bound.changed, self.bound.words, self.bound.shown, self.bound.plain.known) = (changed, words, shown, [0; 3]);
        Some(rolled)
    }

    /// Writes the parts of dynamic state that changed, the number of instances, the other numbers where they may be others, and the packet that draws, in the
    /// order that all draws have: whether there is a joined state, and room. No parts but `PARTS` changed.
    #[inline(never)]
    fn bring_parts<P: DrawPacket, O: Others, const PARTS: u8>(&mut self, rolled: bool, instances: u32, others: O, packet: P) -> bool {
        let Self { held, writer, bound, calls, lost_by_rolls, .. } = self;
        let (Some(joined), registers) = held.beside() else { return false };
        let others = others.numbers();
        let plain = bound.plain;
        let first_instance = others.and_then(|now| Some((plain.first_instance.filter(|_| plain.first != now.instances.first)?, now.instances.first)));
        let base_vertex = others.and_then(|now| Some((plain.base_vertex.filter(|_| plain.base != now.base)?, now.base)));
        let index_type = others.and_then(|now| now.index_type.filter(|_| now.index_type != calls.index_type));
        let index_type = index_type.map(|format| writer.index_type_packet(format));
        let changes = bound.changes(joined, lost_by_rolls.as_ref());
        let predicate = writer.is_predicated();
        let most = changes.most::<PARTS>() + INSTANCES + if others.is_some() { NUMBERS } else { 0 } + P::DWORDS;
        let Some(direct) = writer.direct(most) else { return false };
        let mut direct = changes.bring_directly::<PARTS>(rolled, registers, direct);
        index_type.into_iter().for_each(|packet| direct.packet(packet));
        let other_count = calls.instances != Some(instances);
        match (first_instance, base_vertex) {
            // Nothing is between them: one packet, as everywhere.
            (Some((addr, first)), Some((next, base))) if next == addr + 4 && !other_count => direct.registers(SetPacket::of(addr), [first, base]),
            _ => {
                if let Some((addr, first)) = first_instance {
                    direct.registers(SetPacket::of(addr), [first]);
                }
                if other_count {
                    direct.packet(instances_packet(instances));
                }
                if let Some((addr, base)) = base_vertex {
                    direct.registers(SetPacket::of(addr), [base]);
                }
            }
        }
        packet.put(predicate, &mut direct);
        let written = direct.end();
        if !writer.end_direct(most, written) {
            // All is written anew.
            debug_assert!(false, "a draw takes more than the {most} dwords that were asked for");
            held.forget();
            bound.forget_registers();
            return false;
        }
        if let Some(now) = others {
            first_instance.into_iter().chain(base_vertex).for_each(|(addr, value)| held.set(addr, Some(value)));
            (bound.plain.base, bound.plain.first) = (now.base, now.instances.first);
        }
        bound.changed = 0;
        if PARTS & parts::VIEWPORTS != 0 {
            bound.one.depth_changed = false;
        }
        if PARTS & parts::USER_DATA != 0 {
            (bound.words, bound.plain.known) = ([0; 3], bound.dynamic_state().given());
        }
        if other_count {
            calls.instances = Some(instances);
        }
        true
    }
}

#[cfg(feature = "self-test")]
pub(crate) mod self_test {
    use super::*;
    use crate::chip::Chip;
    use crate::draw::desc::{Cull, PipelineDesc, Program, Raster, Rect, Stage, TargetsDesc, UserData, VertexStage, Viewport};
    use crate::draw::state::{Pipeline, Targets};

    /// Dwords of a plain draw at most, with another pipeline and all that changes here.
    const ENOUGH: usize = 200;

    /// In memory of chunks only the ends of these ask for more than a plain draw does.
    pub(crate) fn draws_are_plain_up_to_the_end_of_a_chunk() {
        for chip in Chip::all() {
            let vertex = VertexStage { program: Program { user_data: alloc::vec![UserData::Keep; 17], ..Program::default() }, ..VertexStage::default() };
            let one = PipelineDesc { vertex, ..PipelineDesc::default() };
            let other = PipelineDesc { raster: Raster { cull: Cull::Back, ..Raster::default() }, ..one.clone() };
            let pipelines = [one, other].map(|desc| Pipeline::new(chip, desc).expect("a pipeline"));
            let mut next = 0;
            let memory = move |_: usize| {
                next += 0x1000;
                Some(next)
            };
            let mut recorder = Recorder::chunked(chip, 1024, memory).expect("chunks");
            recorder.begin().expect("room");
            recorder.bind_targets(&Targets::new(chip, TargetsDesc::default()).expect("targets")).expect("the chip");
            let (mut end, mut careful, mut chunks) = (0, 0, 1);
            for at in 0..3000u32 {
                let size = (at % 200) as f32;
                match at % 5 {
                    0 => recorder.bind_pipeline(&pipelines[at as usize / 5 % 2]),
                    1 => recorder.set_viewports(&[Viewport { width: 64.0 + size, ..Viewport::covering((64, 64)) }]),
                    2 => recorder.set_scissors(&[Rect { x: at % 32, y: 0, width: 64, height: 64 }]),
                    3 => recorder.set_user_data(Stage::Vertex, at % 12, &[at; 5]),
                    _ => Ok(()),
                }
                .expect("what the chip has");
                let room = recorder.writer.has_room(ENOUGH);
                let (vertices, instances) = (Vertices { first: 0, count: 3 }, Instances::default());
                if !recorder.draw_plainly(Numbers { base: 0, instances, index_type: None }, Counted(3)) {
                    careful += 1;
                    // The first draws join pipelines and find the packets between them; the first of a chunk asks whether a context rolls.
                    assert!(!room || at < 20 || recorder.writer.len() < end || recorder.calls.end == 0, "{chip}: draw {at}");
                    recorder.draw_instances(vertices, instances).expect("memory");
                }
                chunks += usize::from(recorder.writer.len() < end);
                end = recorder.writer.len();
            }
            assert!(chunks > 20, "{chip}: {chunks} chunks");
            assert!(careful < 3000 / 5, "{chip}: {careful} draws");
        }
    }
}
