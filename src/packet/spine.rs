//! The packets of a plain graphics draw, one method each.

use super::buffer::Buffer;
use super::event::Event;
use super::header::Header;
use super::opcode::{Opcode, Queue};
use super::window::VGT_INDEX_TYPE;
use super::write_error::WriteError;
use super::writer::Writer;

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

    /// CLEAR_STATE: all context registers go back to their defaults. No driver emits it from GFX12 on.
    ///
    /// # Errors
    /// Those of [`context_control`](Self::context_control).
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
    /// [`Misaligned`](WriteError::Misaligned) for an odd address, and those of [`context_control`](Self::context_control).
    pub fn index_base(&mut self, addr: u64) -> Result<(), WriteError> {
        aligned(Opcode::INDEX_BASE, addr, 2)?;
        self.packet(Opcode::INDEX_BASE, &[lo(addr), hi(addr)])
    }

    /// INDEX_BUFFER_SIZE: how many indices lie there.
    ///
    /// # Errors
    /// [`EmptyIndexBuffer`](WriteError::EmptyIndexBuffer) for 0 on GFX10.1, and those of [`context_control`](Self::context_control).
    pub fn index_buffer_size(&mut self, indices: u32) -> Result<(), WriteError> {
        if indices == 0 && self.gfx().version() == (10, 1) {
            return Err(WriteError::EmptyIndexBuffer);
        }
        self.packet(Opcode::INDEX_BUFFER_SIZE, &[indices])
    }

    /// NUM_INSTANCES: instances of the draws that follow.
    ///
    /// # Errors
    /// Those of [`context_control`](Self::context_control).
    pub fn num_instances(&mut self, instances: u32) -> Result<(), WriteError> {
        self.packet(Opcode::NUM_INSTANCES, &[instances])
    }

    /// DRAW_INDEX_AUTO: a draw without index buffer. It overwrites VGT_INDEX_TYPE: emit the index type again before an indexed draw
    /// (PAL gfx9UniversalCmdBuffer.cpp CmdDraw).
    ///
    /// # Errors
    /// Those of [`context_control`](Self::context_control).
    #[inline]
    pub fn draw_index_auto(&mut self, count: u32, initiator: u32) -> Result<(), WriteError> {
        let header = Header::type3(Opcode::DRAW_INDEX_AUTO, 2).with_predicate(self.predicate);
        self.draw(&[header.0, count, initiator])
    }

    /// DRAW_INDEX_2: a draw with the index buffer in the packet. `max_size` is in indices.
    ///
    /// # Errors
    /// Those of [`context_control`](Self::context_control).
    #[inline]
    pub fn draw_index_2(&mut self, max_size: u32, base: u64, count: u32, initiator: u32) -> Result<(), WriteError> {
        let header = Header::type3(Opcode::DRAW_INDEX_2, 5).with_predicate(self.predicate);
        self.draw(&[header.0, max_size, lo(base), hi(base), count, initiator])
    }

    /// A draw as one piece: every generation has these on the graphics queue, where nothing more is to be checked.
    #[inline]
    fn draw<const N: usize>(&mut self, packet: &[u32; N]) -> Result<(), WriteError> {
        let opcode = Header(packet[0]).opcode();
        if self.queue() != Queue::Graphics {
            return Err(WriteError::NotAvailable { packet: opcode, queue: self.queue(), gfx: self.gfx() });
        }
        self.append(packet, opcode)?;
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
        let control = self.event_control(event, false)?;
        self.packet(Opcode::EVENT_WRITE, &[control])
    }

    /// EVENT_WRITE of a sample event, which writes memory at `addr`. For PIXEL_PIPE_STAT_CONTROL the low word of `addr` is the counter selection.
    ///
    /// # Errors
    /// Those of [`event`](Self::event), and [`Misaligned`](WriteError::Misaligned) unless the address is a multiple of 8.
    pub fn event_at(&mut self, event: Event, addr: u64) -> Result<(), WriteError> {
        let control = self.event_control(event, true)?;
        aligned(Opcode::EVENT_WRITE, addr, 8)?;
        self.packet(Opcode::EVENT_WRITE, &[control, lo(addr), hi(addr)])
    }

    fn event_control(&self, event: Event, address: bool) -> Result<u32, WriteError> {
        let gfx = self.gfx();
        let (Some(name), Some(index)) = (event.name(gfx), event.index(gfx)) else { return Err(WriteError::UnknownEvent { event, gfx }) };
        if event.is_timestamp(gfx) {
            return Err(WriteError::TimestampEvent { name });
        }
        if event.is_sample(gfx) != address {
            return Err(WriteError::EventAddress { name, sample: !address });
        }
        let on_compute = matches!(index, 0 | 2 | 4) || (gfx.major() >= 11 && (8..=11).contains(&index));
        if self.queue() == Queue::Compute && !on_compute {
            return Err(WriteError::EventOnCompute { name, index });
        }
        Ok(u32::from(event.0) | u32::from(index) << 8)
    }

    /// INDIRECT_BUFFER: goes on at `addr` for `dwords` dwords. After a chain this stream takes no more packets.
    ///
    /// # Errors
    /// [`IbSize`](WriteError::IbSize), [`Misaligned`](WriteError::Misaligned) unless the address is a multiple of 4,
    /// [`CallOnCompute`](WriteError::CallOnCompute), [`Full`](WriteError::Full), [`AfterChain`](WriteError::AfterChain).
    pub fn indirect_buffer(&mut self, kind: IbKind, addr: u64, dwords: u32) -> Result<(), WriteError> {
        if !(1..=0xF_FFFF).contains(&dwords) {
            return Err(WriteError::IbSize { dwords });
        }
        aligned(Opcode::INDIRECT_BUFFER, addr, 4)?;
        if kind == IbKind::Call && self.queue() == Queue::Compute {
            return Err(WriteError::CallOnCompute);
        }
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
        let over = (self.len() + tail) % align.max(1);
        let missing = if over == 0 { 0 } else { align - over };
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

fn aligned(packet: Opcode, addr: u64, align: u64) -> Result<(), WriteError> {
    if addr.is_multiple_of(align) { Ok(()) } else { Err(WriteError::Misaligned { packet, addr, align }) }
}

const fn lo(addr: u64) -> u32 {
    addr as u32
}

const fn hi(addr: u64) -> u32 {
    (addr >> 32) as u32
}
