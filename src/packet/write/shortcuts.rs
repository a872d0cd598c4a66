//! The packets of a plain graphics draw, one method each.

use crate::packet::rules::limits::{empty_index_buffer, ib_size, is_canonical};
use crate::packet::rules::write_error::WriteError;
use crate::packet::tables::generated::layouts::DrawInitiator;
use crate::packet::tables::generated::structs::{
    ClearState, DrawIndex2, DrawIndexAuto, EventWrite, EventWriteDw4, IndexBase, IndexBufferSize, Nop, NumInstances,
};
use crate::packet::tables::generated::values::{EventWriteEventIndex, VgtDiSourceSelect};
use crate::packet::typed::packet_fields::PacketFields;
use crate::packet::wire::event::Event;
use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::wire::windows::{self, VGT_INDEX_TYPE};
use crate::packet::write::buffer::Buffer;
use crate::packet::write::levels::IbKind;
use crate::packet::write::writer::Writer;
use crate::regs::layout::VgtIndexTypeMode;

/// The index that goes with VGT_INDEX_TYPE.
const INDEX_TYPE: u32 = 2;

impl DrawInitiator {
    /// The hardware numbers the vertices: draws without an index buffer.
    pub const AUTO_INDEX: Self = Self::new().with_source_select(VgtDiSourceSelect::DI_SRC_SEL_AUTO_INDEX);
    /// Vertices by indices in memory.
    pub const INDICES: Self = Self::new().with_source_select(VgtDiSourceSelect::DI_SRC_SEL_DMA);
}

/// NUM_INSTANCES.
#[inline]
pub(crate) const fn instances_packet(instances: u32) -> [u32; 2] {
    [Header::type3(Opcode::NUM_INSTANCES, 1).0, instances]
}

/// DRAW_INDEX_AUTO.
#[inline]
pub(crate) const fn counted_draw(count: u32, initiator: DrawInitiator, predicate: bool) -> [u32; 3] {
    [Header::type3(Opcode::DRAW_INDEX_AUTO, 2).with_predicate(predicate).0, count, initiator.word()]
}

/// DRAW_INDEX_2.
#[inline]
pub(crate) const fn indexed_draw(max_size: u32, base: u64, count: u32, initiator: DrawInitiator, predicate: bool) -> [u32; 6] {
    [Header::type3(Opcode::DRAW_INDEX_2, 5).with_predicate(predicate).0, max_size, base as u32, (base >> 32) as u32, count, initiator.word()]
}

impl<B: Buffer> Writer<B> {
    /// Writes CONTEXT_CONTROL that loads and shadows no registers, as at the beginning of a submission. [`emit`](Self::emit) writes the packet with other
    /// settings.
    ///
    /// # Errors
    /// [`NotAvailable`](WriteError::NotAvailable) on compute queues, [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain),
    /// [`SpanSplit`](WriteError::SpanSplit) if the packet does not fit into a range that may be skipped.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Queue, Stream}};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.load_and_shadow_nothing()?;
    /// assert_eq!(stream.words(), [0xC001_2800, 1 << 31, 1 << 31]); // the update bit of each word
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn load_and_shadow_nothing(&mut self) -> Result<(), WriteError> {
        on_gfx!(packet self.gfx(), p => {
            Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 =>
                self.emit(&p::ContextControl { update_load_enables: true, update_shadow_enables: true, ..Default::default() }),
        })
    }

    /// Writes CLEAR_STATE, which resets all context registers to their defaults.
    ///
    /// # Errors
    /// [`UnknownValue`](WriteError::UnknownValue) on GFX12, which lacks the command (PAL has only push and pop), and those of
    /// [`load_and_shadow_nothing`](Self::load_and_shadow_nothing).
    pub fn clear_state(&mut self) -> Result<(), WriteError> {
        self.emit(&ClearState::default())
    }

    /// Sets the width of indices of later draws: VGT_INDEX_TYPE, with all other bits 0.
    ///
    /// # Errors
    /// The errors of [`load_and_shadow_nothing`](Self::load_and_shadow_nothing).
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Queue, Stream}, regs::gfx11::VgtIndexTypeMode};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.index_type(VgtIndexTypeMode::VGT_INDEX_32)?;
    /// assert_eq!(stream.words(), [0xC001_7A00, 2 << 28 | 0x243, 1]);
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn index_type(&mut self, width: VgtIndexTypeMode) -> Result<(), WriteError> {
        self.set_index_type(width as u32)
    }

    /// Writes VGT_INDEX_TYPE with all its bits.
    pub(crate) fn set_index_type(&mut self, value: u32) -> Result<(), WriteError> {
        self.set_reg_indexed(VGT_INDEX_TYPE, value, INDEX_TYPE as u8)
    }

    /// Returns the packet that sets VGT_INDEX_TYPE, for a stream that reaches all instances.
    pub(crate) fn index_type_packet(&self, value: u32) -> [u32; 3] {
        let header = Header::type3(self.set_indexed(windows::UCONFIG), 2);
        [header.0, ((VGT_INDEX_TYPE - windows::UCONFIG.start) / 4) | (INDEX_TYPE << 28), value]
    }

    /// Writes INDEX_BASE: the address of the indices of indirect draws.
    ///
    /// # Errors
    /// [`FieldMisaligned`](WriteError::FieldMisaligned) for an odd address, [`AddressTooWide`](WriteError::AddressTooWide), and those of
    /// [`load_and_shadow_nothing`](Self::load_and_shadow_nothing).
    pub fn index_base(&mut self, addr: u64) -> Result<(), WriteError> {
        self.emit(&IndexBase { index_base: addr })
    }

    /// Writes INDEX_BUFFER_SIZE: the number of indices in the buffer.
    ///
    /// # Errors
    /// [`EmptyIndexBuffer`](WriteError::EmptyIndexBuffer) for 0 on GFX10.1, and those of [`load_and_shadow_nothing`](Self::load_and_shadow_nothing).
    pub fn index_buffer_size(&mut self, indices: u32) -> Result<(), WriteError> {
        self.emit(&IndexBufferSize { index_buffer_size: indices })
    }

    /// Writes NUM_INSTANCES: the number of instances of later draws.
    ///
    /// # Errors
    /// The errors of [`load_and_shadow_nothing`](Self::load_and_shadow_nothing).
    #[inline]
    pub fn num_instances(&mut self, instances: u32) -> Result<(), WriteError> {
        if self.bypasses_filter() {
            return self.emit(&NumInstances { num_instances: instances });
        }
        self.whole_packet(&instances_packet(instances))
    }

    /// Writes DRAW_INDEX_AUTO: a draw without an index buffer. It overwrites VGT_INDEX_TYPE: emit the index type again before an indexed draw
    /// (PAL gfx9UniversalCmdBuffer.cpp CmdDraw).
    ///
    /// # Errors
    /// [`Rule`](WriteError::Rule) for a count together with USE_OPAQUE, [`NoSuchBits`](WriteError::NoSuchBits) and [`ReservedBits`](WriteError::ReservedBits)
    /// for bits of the initiator that the generation lacks, and those of [`load_and_shadow_nothing`](Self::load_and_shadow_nothing).
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Queue, Stream, layouts::DrawInitiator}};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.draw_index_auto(3, DrawInitiator::AUTO_INDEX)?;
    /// assert_eq!(stream.words(), [0xC001_2D00, 3, 2]);
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    #[inline]
    pub fn draw_index_auto(&mut self, count: u32, draw_initiator: DrawInitiator) -> Result<(), WriteError> {
        if !is_plain(draw_initiator) {
            return self.emit(&DrawIndexAuto { index_count: count, draw_initiator });
        }
        self.whole_packet(&counted_draw(count, draw_initiator, self.predicate))
    }

    /// Writes DRAW_INDEX_2: a draw with the address of the index buffer in the packet. `max_size` is in indices.
    ///
    /// # Errors
    /// [`EmptyIndexBuffer`](WriteError::EmptyIndexBuffer) for a `max_size` of 0 on GFX10.1, [`AddressTooWide`](WriteError::AddressTooWide),
    /// [`NoSuchBits`](WriteError::NoSuchBits) and [`ReservedBits`](WriteError::ReservedBits) for bits of the initiator that the generation lacks, and those of
    /// [`load_and_shadow_nothing`](Self::load_and_shadow_nothing).
    #[inline]
    pub fn draw_index_2(&mut self, max_size: u32, base: u64, count: u32, draw_initiator: DrawInitiator) -> Result<(), WriteError> {
        if !is_plain(draw_initiator) {
            return self.emit(&DrawIndex2 { max_size, index_base: base, index_count: count, draw_initiator });
        }
        empty_index_buffer(self.gfx(), max_size == 0)?;
        if !is_canonical(base) {
            return Err(WriteError::AddressTooWide { packet: "DRAW_INDEX_2", field: "index_base", addr: base, bits: 48 });
        }
        self.whole_packet(&indexed_draw(max_size, base, count, draw_initiator, self.predicate))
    }

    /// Writes a packet as one piece, its rules checked: every generation has these on the graphics queue.
    #[inline]
    fn whole_packet<const N: usize>(&mut self, packet: &[u32; N]) -> Result<(), WriteError> {
        let opcode = Header(packet[0]).opcode();
        if self.queue() != Queue::Graphics {
            return Err(WriteError::NotAvailable { packet: opcode, queue: self.queue(), gfx: self.gfx() });
        }
        self.append(packet, opcode)?;
        self.drew(opcode);
        self.mark_last(N);
        Ok(())
    }

    /// Writes EVENT_WRITE of an event without memory.
    ///
    /// # Errors
    /// [`UnknownEvent`](WriteError::UnknownEvent), [`TimestampEvent`](WriteError::TimestampEvent), [`EventAddress`](WriteError::EventAddress) for a
    /// sample event, [`EventOnCompute`](WriteError::EventOnCompute), [`Rule`](WriteError::Rule) on GFX11 for flush events that may hang,
    /// [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain), [`SpanSplit`](WriteError::SpanSplit).
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Event, Queue, Stream, WriteError}};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.event(Event::PS_PARTIAL_FLUSH)?;
    /// assert_eq!(stream.words(), [0xC000_4600, 0x410]);
    /// assert_eq!(stream.event(Event::BOTTOM_OF_PIPE_TS), Err(WriteError::TimestampEvent { name: "BOTTOM_OF_PIPE_TS" }));
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn event(&mut self, event: Event) -> Result<(), WriteError> {
        let (event_type, event_index) = (event, self.event_index(event)?);
        if self.queue() == Queue::Graphics {
            return self.emit(&EventWrite { event_type, event_index });
        }
        on_gfx!(packet self.gfx(), p => {
            Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => self.emit(&p::EventWriteCompute { event_type, event_index, ..Default::default() }),
        })
    }

    /// Writes EVENT_WRITE of a sample event, which writes memory at `addr`. The settings of PIXEL_PIPE_STAT_CONTROL have no address: [`emit`](Self::emit)
    /// writes them.
    ///
    /// # Errors
    /// [`UnknownEvent`](WriteError::UnknownEvent), [`EventAddress`](WriteError::EventAddress) for an event that writes no memory,
    /// [`EventOnCompute`](WriteError::EventOnCompute), [`FieldMisaligned`](WriteError::FieldMisaligned) unless the address is a multiple of 8,
    /// [`AddressTooWide`](WriteError::AddressTooWide), [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain),
    /// [`SpanSplit`](WriteError::SpanSplit).
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{Event, Queue, Stream}};
    /// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    /// stream.event_at(Event::SAMPLE_PIPELINESTAT, 0x1_0000_1000)?;
    /// assert_eq!(stream.words(), [0xC002_4600, 0x21E, 0x1000, 0x1]);
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    pub fn event_at(&mut self, event: Event, addr: u64) -> Result<(), WriteError> {
        let (event_type, event_index, address) = (event, self.event_index(event)?, Some(addr));
        if let Some(name) = event.name(self.gfx()).filter(|_| !event.is_sample(self.gfx())) {
            return Err(WriteError::EventAddress { name, sample: false });
        }
        if self.queue() == Queue::Graphics {
            return self.emit(&EventWriteDw4 { event_type, event_index, address, ..Default::default() });
        }
        on_gfx!(packet self.gfx(), p => {
            Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 =>
                self.emit(&p::EventWriteDw4Compute { event_type, event_index, address, ..Default::default() }),
        })
    }

    /// Returns the index that belongs to an event.
    fn event_index(&self, event: Event) -> Result<EventWriteEventIndex, WriteError> {
        let index = event.index(self.gfx()).ok_or(WriteError::UnknownEvent { event, gfx: self.gfx() })?;
        Ok(EventWriteEventIndex::new(index.into()))
    }

    /// Writes INDIRECT_BUFFER, which continues at `addr` for `dwords` dwords. After a chain, this stream accepts no more packets.
    ///
    /// # Errors
    /// [`IbSize`](WriteError::IbSize), [`FieldMisaligned`](WriteError::FieldMisaligned) unless the address is a multiple of 4,
    /// [`AddressTooWide`](WriteError::AddressTooWide), [`CallOnCompute`](WriteError::CallOnCompute), [`Full`](WriteError::Full),
    /// [`AfterChain`](WriteError::AfterChain), [`SpanSplit`](WriteError::SpanSplit).
    pub fn indirect_buffer(&mut self, kind: IbKind, addr: u64, dwords: u32) -> Result<(), WriteError> {
        ib_size(dwords)?;
        let (ib_base, ib_size, chain) = (addr, dwords, kind == IbKind::Chain);
        on_gfx!(packet self.gfx(), p => {
            Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => match self.queue() {
                // MEC requires `valid`; PFP has no such bit.
                Queue::Compute => self.emit(&p::IndirectBufferCompute { ib_base, ib_size, chain, valid: true, ..Default::default() }),
                _ => self.emit(&p::IndirectBuffer { ib_base, ib_size, chain, ..Default::default() }),
            },
        })
    }

    /// Writes a NOP with this payload; without payload the one-dword NOP.
    ///
    /// # Errors
    /// [`Full`](WriteError::Full), [`BodySize`](WriteError::BodySize), [`AfterChain`](WriteError::AfterChain), [`SpanSplit`](WriteError::SpanSplit).
    pub fn nop(&mut self, payload: &[u32]) -> Result<(), WriteError> {
        self.emit(&Nop {}.followed_by(payload))
    }

    /// Writes one-dword NOPs until `tail` more dwords end at a multiple of `align` dwords: `pad(8, 0)` at the end of a buffer, `pad(8, 4)` before the chain
    /// packet that ends it.
    ///
    /// # Errors
    /// [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain), [`SpanSplit`](WriteError::SpanSplit) if they do not fit into a range that may be
    /// skipped; no NOP is written then.
    pub fn pad(&mut self, align: usize, tail: usize) -> Result<(), WriteError> {
        let missing = padding(self.len(), tail, align);
        if missing > 0 && self.chained {
            return Err(WriteError::AfterChain { packet: Opcode::NOP });
        }
        if self.buffer.room() < missing {
            return Err(self.full(Opcode::NOP, missing));
        }
        self.all_or_nothing(|writer| (0..missing).try_for_each(|_| writer.nop(&[])))
    }
}

/// Returns the dwords between `len` and `tail` that make their sum a multiple of `align`, for any numbers; `align` 0 counts as 1.
const fn padding(len: usize, tail: usize, align: usize) -> usize {
    if align == 0 {
        return 0;
    }
    // The distance of each to a multiple is less than `align`, so nothing here overflows.
    let (len, tail) = ((align - len % align) % align, tail % align);
    if len >= tail { len - tail } else { align - (tail - len) }
}

/// Returns whether an initiator has only what nearly all draws use and every generation supports: an index buffer, immediate indices or counted ones, NOT_EOP.
/// Other initiators take the general path.
const fn is_plain(initiator: DrawInitiator) -> bool {
    const SOURCE: u32 = 3;
    const NOT_EOP: u32 = 1 << 5;
    let word = initiator.word();
    word & !(SOURCE | NOT_EOP) == 0 && initiator.fits()
}
