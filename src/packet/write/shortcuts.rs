//! The packets of a plain graphics draw, one method each.

use crate::packet::rules;
use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::event::Event;
use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::wire::windows::VGT_INDEX_TYPE;
use crate::packet::write::buffer::Buffer;
use crate::packet::write::writer::Writer;

/// How an INDIRECT_BUFFER goes to the other buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IbKind {
    /// The engine returns after the other buffer.
    Call,
    /// The other buffer replaces this one; this packet is the last.
    Chain,
}

impl<B: Buffer> Writer<B> {
    /// CONTEXT_CONTROL: what the CP loads and shadows. Each word counts only with its bit 31.
    ///
    /// # Errors
    /// [`NotAvailable`](WriteError::NotAvailable) on compute queues, [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain).
    pub fn context_control(&mut self, load: u32, shadow: u32) -> Result<(), WriteError> {
        self.packet(Opcode::CONTEXT_CONTROL, &[load, shadow])
    }

    /// CLEAR_STATE: all context registers go back to their defaults.
    ///
    /// # Errors
    /// [`UnknownValue`](WriteError::UnknownValue) on GFX12, where the command is gone (PAL knows push and pop only), and those of [`context_control`](Self::context_control).
    pub fn clear_state(&mut self) -> Result<(), WriteError> {
        self.packet(Opcode::CLEAR_STATE, &[0])
    }

    /// The index type, as a value of VGT_INDEX_TYPE (0: 16 bits, 1: 32 bits, 2: 8 bits).
    ///
    /// # Errors
    /// Those of [`context_control`](Self::context_control).
    pub fn index_type(&mut self, value: u32) -> Result<(), WriteError> {
        self.set_reg_indexed(VGT_INDEX_TYPE, value, 2)
    }

    /// INDEX_BASE: where the indices of indirect draws lie.
    ///
    /// # Errors
    /// [`FieldMisaligned`](WriteError::FieldMisaligned) for an odd address, and those of [`context_control`](Self::context_control).
    pub fn index_base(&mut self, addr: u64) -> Result<(), WriteError> {
        self.packet(Opcode::INDEX_BASE, &[lo(addr), hi(addr)])
    }

    /// INDEX_BUFFER_SIZE: how many indices lie there.
    ///
    /// # Errors
    /// [`EmptyIndexBuffer`](WriteError::EmptyIndexBuffer) for 0 on GFX10.1, and those of [`context_control`](Self::context_control).
    pub fn index_buffer_size(&mut self, indices: u32) -> Result<(), WriteError> {
        self.packet(Opcode::INDEX_BUFFER_SIZE, &[indices])
    }

    /// NUM_INSTANCES: instances of the draws that follow.
    ///
    /// # Errors
    /// Those of [`context_control`](Self::context_control).
    #[inline]
    pub fn num_instances(&mut self, instances: u32) -> Result<(), WriteError> {
        if self.bypasses_filter() {
            return self.packet(Opcode::NUM_INSTANCES, &[instances]);
        }
        self.whole_packet(&[Header::type3(Opcode::NUM_INSTANCES, 1).0, instances])
    }

    /// DRAW_INDEX_AUTO: a draw without index buffer. It overwrites VGT_INDEX_TYPE: emit the index type again before an indexed draw
    /// (PAL gfx9UniversalCmdBuffer.cpp CmdDraw).
    ///
    /// # Errors
    /// [`Rule`](WriteError::Rule) for a count beside USE_OPAQUE, and those of [`context_control`](Self::context_control).
    #[inline]
    pub fn draw_index_auto(&mut self, count: u32, initiator: u32) -> Result<(), WriteError> {
        rules::use_opaque(count, initiator)?;
        let header = Header::type3(Opcode::DRAW_INDEX_AUTO, 2).with_predicate(self.predicate);
        self.whole_packet(&[header.0, count, initiator])
    }

    /// DRAW_INDEX_2: a draw with the index buffer in the packet. `max_size` is in indices.
    ///
    /// # Errors
    /// [`EmptyIndexBuffer`](WriteError::EmptyIndexBuffer) for a `max_size` of 0 on GFX10.1, [`AddressTooWide`](WriteError::AddressTooWide), and those of
    /// [`context_control`](Self::context_control).
    #[inline]
    pub fn draw_index_2(&mut self, max_size: u32, base: u64, count: u32, initiator: u32) -> Result<(), WriteError> {
        rules::empty_index_buffer(self.gfx(), max_size == 0)?;
        if !rules::is_canonical(base) {
            return Err(WriteError::AddressTooWide { packet: "DRAW_INDEX_2", field: "index_base", addr: base, bits: 48 });
        }
        let header = Header::type3(Opcode::DRAW_INDEX_2, 5).with_predicate(self.predicate);
        self.whole_packet(&[header.0, max_size, lo(base), hi(base), count, initiator])
    }

    /// A packet as one piece, its rules checked: every generation has these on the graphics queue.
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

    /// EVENT_WRITE of an event without memory.
    ///
    /// # Errors
    /// [`UnknownEvent`](WriteError::UnknownEvent), [`TimestampEvent`](WriteError::TimestampEvent), [`EventAddress`](WriteError::EventAddress) for a
    /// sample event, [`EventOnCompute`](WriteError::EventOnCompute), [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain).
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
        let control = self.event_control(event)?;
        self.packet(Opcode::EVENT_WRITE, &[control])
    }

    /// EVENT_WRITE of a sample event, which writes memory at `addr`. For PIXEL_PIPE_STAT_CONTROL the low word of `addr` is the counter selection.
    ///
    /// # Errors
    /// Those of [`event`](Self::event), and [`FieldMisaligned`](WriteError::FieldMisaligned) unless the address is a multiple of 8.
    pub fn event_at(&mut self, event: Event, addr: u64) -> Result<(), WriteError> {
        let control = self.event_control(event)?;
        self.packet(Opcode::EVENT_WRITE, &[control, lo(addr), hi(addr)])
    }

    /// An event beside its index.
    fn event_control(&self, event: Event) -> Result<u32, WriteError> {
        let index = event.index(self.gfx()).ok_or(WriteError::UnknownEvent { event, gfx: self.gfx() })?;
        Ok(u32::from(event.0) | u32::from(index) << 8)
    }

    /// INDIRECT_BUFFER: goes on at `addr` for `dwords` dwords. After a chain this stream takes no more packets.
    ///
    /// # Errors
    /// [`IbSize`](WriteError::IbSize), [`FieldMisaligned`](WriteError::FieldMisaligned) unless the address is a multiple of 4,
    /// [`CallOnCompute`](WriteError::CallOnCompute), [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain).
    pub fn indirect_buffer(&mut self, kind: IbKind, addr: u64, dwords: u32) -> Result<(), WriteError> {
        rules::ib_size(dwords)?;
        // Bit 23, valid, must be set on MEC; the PFP has none.
        let valid = u32::from(self.queue() == Queue::Compute) << 23;
        let chain = u32::from(kind == IbKind::Chain) << 20;
        self.packet(Opcode::INDIRECT_BUFFER, &[lo(addr), hi(addr), dwords | chain | valid])
    }

    /// A NOP with this payload; without payload the one-dword NOP.
    ///
    /// # Errors
    /// [`Full`](WriteError::Full), [`BodySize`](WriteError::BodySize), [`AfterChain`](WriteError::AfterChain).
    pub fn nop(&mut self, payload: &[u32]) -> Result<(), WriteError> {
        self.packet(Opcode::NOP, payload)
    }

    /// One-dword NOPs until `tail` more dwords end at a multiple of `align` dwords: `pad(8, 0)` at the end of a buffer, `pad(8, 4)` before the chain
    /// packet that ends it.
    ///
    /// # Errors
    /// [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain); then no NOP is written.
    pub fn pad(&mut self, align: usize, tail: usize) -> Result<(), WriteError> {
        let missing = padding(self.len(), tail, align);
        if missing > 0 && self.chained {
            return Err(WriteError::AfterChain { packet: Opcode::NOP });
        }
        if self.buffer.room() < missing {
            return Err(self.full(Opcode::NOP, missing));
        }
        for _ in 0..missing {
            self.nop(&[])?;
        }
        Ok(())
    }
}

/// Dwords between `len` and `tail` that make their sum a multiple of `align`, whatever the numbers; `align` 0 counts as 1.
const fn padding(len: usize, tail: usize, align: usize) -> usize {
    if align == 0 {
        return 0;
    }
    // What each lacks to a multiple is less than `align`, so that nothing here overflows.
    let (len, tail) = ((align - len % align) % align, tail % align);
    if len >= tail { len - tail } else { align - (tail - len) }
}

const fn lo(addr: u64) -> u32 {
    addr as u32
}

const fn hi(addr: u64) -> u32 {
    (addr >> 32) as u32
}
