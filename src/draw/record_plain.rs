//! Draws that follow a plain one: their packet, and what changed since.
//!
//! A draw is plain if no workaround looks at it and its call puts nothing but base vertex, first instance and the number of instances into registers. Nothing of
//! what stands after the draw before is asked again: it was looked at there ([`draw_changed`](Recorder::draw_changed)). All is written into memory that is asked
//! for once.

use crate::chip::Erratum;
use crate::draw::calls::{DrawCall, IndexBuffer, Indices, Instances, Vertices};
use crate::draw::image::WORDS;
use crate::draw::objects::parts;
use crate::draw::record::{RecordError, Recorder};
use crate::draw::record_dynamic::VIEW;
use crate::packet::layouts::DrawInitiator;
use crate::packet::{Buffer, Direct, KnownRegisters, SetPacket, counted_draw, indexed_draw, instances_packet};

/// What a plain draw had beside its state.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Plain {
    /// The last draw was plain.
    pub draws: bool,
    pub base: u32,
    pub first: u32,
    /// Addresses of the SGPRs that hold these, where the program has them.
    pub base_vertex: Option<u32>,
    pub first_instance: Option<u32>,
}

/// Dwords that a draw with all of its state takes at most: each register of the generation in a packet of its own.
const ROOM: usize = 3 * 64 * WORDS;

/// The packet of a plain draw, before it is put together: its words go from registers of the processor into the stream. As an array in memory they would be
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
        direct.packet(counted_draw(self.0, DrawInitiator::COUNTED, predicate));
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

/// Numbers that may be others than those of the draw before; none where they are known to be the same.
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
        let drawn = self.draw_plainly(Numbers { base: vertices.first, instances, index_type: None }, Counted(vertices.count))?;
        if drawn { Ok(()) } else { self.draw_changed(&DrawCall::Auto { vertices, instances }) }
    }

    /// Draws indexed vertices with what is bound, several times.
    ///
    /// # Errors
    /// Those of [`draw_bound`](Self::draw_bound).
    #[inline(always)]
    pub fn draw_indexed_instances(&mut self, buffer: IndexBuffer, indices: Indices, instances: Instances) -> Result<(), RecordError> {
        if self.is_plain_buffer(&buffer, indices.first) {
            let addr = buffer.addr + u64::from(indices.first) * buffer.format.bytes();
            let packet = Indexed { addr, size: buffer.size - indices.first, count: indices.count };
            if self.draw_plainly(Numbers { base: indices.base_vertex as u32, instances, index_type: Some(buffer.format as u32) }, packet)? {
                return Ok(());
            }
        }
        self.draw_changed(&DrawCall::Indexed { buffer, indices, instances })
    }

    /// Draws with what is bound: writes the registers that differ from what hardware holds, and the call.
    ///
    /// # Errors
    /// [`RecordError::NotBound`] without a pipeline or targets, [`RecordError::Draw`] for objects that the chip cannot have together, [`RecordError::Call`] for
    /// what the call cannot be, [`WriteError`](crate::packet::WriteError) when the buffer is full. Then nothing is written.
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
        let IndexBuffer { addr, size, format } = *buffer;
        let packs = self.calls.index_type == Some(format as u32) || !self.chip.has(Erratum::InstancePacking);
        let end = addr.saturating_add(u64::from(size) * format.bytes());
        addr != 0 && addr & (format.bytes() - 1) == 0 && first < size && end <= 1 << 48 && packs
    }

    /// Draws, where the current draw is its packet and what changed since the one before: whether it is. Nothing can fail halfway, for there is [`ROOM`].
    #[inline(always)]
    fn draw_plainly<P: DrawPacket>(&mut self, numbers: Numbers, packet: P) -> Result<bool, RecordError> {
        let (bound, calls) = (&self.bound, &self.calls);
        let Numbers { base, instances, index_type } = numbers;
        if !bound.plain.draws || calls.rolled || calls.end != self.writer.len() || instances.count == 0 || !self.writer.has_room(ROOM) {
            return Ok(false);
        }
        let same = bound.plain.base == base && bound.plain.first == instances.first && (index_type.is_none() || calls.index_type == index_type);
        let drawn = match same && bound.changed & parts::JOINED == 0 {
            false => self.draw_changes(numbers, packet)?,
            // One function for each of what changes most often: small ones keep all they need in registers of the processor.
            true => match bound.changed {
                0 => self.put(instances.count, packet)?,
                VIEW => self.bring_parts::<P, Same, VIEW>(false, instances.count, Same, packet)?,
                parts::SCISSORS => self.bring_parts::<P, Same, { parts::SCISSORS }>(false, instances.count, Same, packet)?,
                parts::USER_DATA => self.bring_parts::<P, Same, { parts::USER_DATA }>(false, instances.count, Same, packet)?,
                _ => self.bring_parts::<P, Same, { parts::ALL }>(false, instances.count, Same, packet)?,
            },
        };
        if drawn {
            (self.calls.index_type, self.calls.end) = (index_type, self.writer.len());
        }
        Ok(drawn)
    }

    /// Writes the packet that draws, and the number of instances where it is another one.
    #[inline(always)]
    fn put<P: DrawPacket>(&mut self, instances: u32, packet: P) -> Result<bool, RecordError> {
        let (predicate, other) = (self.writer.predication(), self.calls.instances != Some(instances));
        let mut direct = self.writer.direct(if other { P::DWORDS + 2 } else { P::DWORDS })?;
        if other {
            direct.packet(instances_packet(instances));
        }
        packet.put(predicate, &mut direct);
        let written = direct.end();
        self.writer.end_direct(written)?;
        self.calls.instances = Some(instances);
        Ok(true)
    }

    /// The same with other objects, or other numbers than those of instances.
    #[inline(never)]
    fn draw_changes<P: DrawPacket>(&mut self, numbers: Numbers, packet: P) -> Result<bool, RecordError> {
        let Numbers { base, instances, .. } = numbers;
        let plain = self.bound.plain;
        let takes = |same: bool, sgpr: Option<u32>| same || sgpr.is_some();
        if !takes(base == plain.base, plain.base_vertex) || !takes(instances.first == plain.first, plain.first_instance) {
            return Ok(false);
        }
        match self.join_plainly()? {
            Some(rolled) => self.bring_parts::<P, Numbers, { parts::ALL }>(rolled, instances.count, numbers, packet),
            None => Ok(false),
        }
    }

    /// Another joined state, where draws with it are plain as well: whether it rolls the context. Nothing is written where they are not.
    fn join_plainly(&mut self) -> Result<Option<bool>, RecordError> {
        if self.bound.changed & parts::JOINED == 0 {
            return Ok(Some(false));
        }
        let joined = self.joined()?;
        let Some(before) = self.held.base() else { return Ok(None) };
        if joined.facts != before.facts || joined.after_draws || joined.sgprs != before.sgprs || joined.rings != before.rings {
            return Ok(None);
        }
        self.bound.changed |= joined.differs(before);
        self.bound.words = [u32::MAX; 3];
        self.bound.shown = joined.shown;
        if joined.number == before.number {
            return Ok(Some(false));
        }
        let rolled = self.held.switch(&joined, &mut self.bound.pairs, &mut self.writer);
        Ok(Some(rolled.inspect_err(|_| self.held.forget())?))
    }

    /// Writes the parts of dynamic state that changed, the number of instances, the other numbers where they may be others, and the packet that draws, in the
    /// order that all draws have: whether there is a joined state. No parts but `PARTS` changed.
    #[inline(never)]
    fn bring_parts<P: DrawPacket, O: Others, const PARTS: u8>(&mut self, rolled: bool, instances: u32, others: O, packet: P) -> Result<bool, RecordError> {
        let Self { held, writer, bound, calls, lost_by_rolls, .. } = self;
        let (Some(joined), registers) = held.beside() else { return Ok(false) };
        let others = others.numbers();
        let plain = bound.plain;
        let first_instance = others.and_then(|now| Some((plain.first_instance.filter(|_| plain.first != now.instances.first)?, now.instances.first)));
        let base_vertex = others.and_then(|now| Some((plain.base_vertex.filter(|_| plain.base != now.base)?, now.base)));
        let index_type = others.and_then(|now| now.index_type.filter(|_| now.index_type != calls.index_type));
        let index_type = index_type.map(|format| writer.index_type_packet(format));
        let changes = bound.changes(joined, lost_by_rolls.as_ref());
        let predicate = writer.predication();
        let most = changes.most::<PARTS>() + P::DWORDS;
        let mut direct = changes.bring_directly::<PARTS>(rolled, registers, writer.direct(most)?);
        index_type.into_iter().for_each(|packet| direct.packet(packet));
        let other_count = calls.instances != Some(instances);
        match (first_instance, base_vertex) {
            // Nothing stands between them: one packet, as everywhere.
            (Some((addr, first)), Some((next, base))) if next == addr + 4 && !other_count => direct.set_known(SetPacket::of(addr), &[first, base])?,
            _ => {
                if let Some((addr, first)) = first_instance {
                    direct.set_known(SetPacket::of(addr), &[first])?;
                }
                if other_count {
                    direct.packet(instances_packet(instances));
                }
                if let Some((addr, base)) = base_vertex {
                    direct.set_known(SetPacket::of(addr), &[base])?;
                }
            }
        }
        packet.put(predicate, &mut direct);
        let written = direct.end();
        if let Err(error) = writer.end_direct(written) {
            held.forget();
            return Err(error.into());
        }
        if let Some(now) = others {
            first_instance.into_iter().chain(base_vertex).for_each(|(addr, value)| held.set(addr, Some(value)));
            (bound.plain.base, bound.plain.first) = (now.base, now.instances.first);
        }
        (bound.changed, bound.words) = (0, [0; 3]);
        calls.instances = Some(instances);
        Ok(true)
    }
}
