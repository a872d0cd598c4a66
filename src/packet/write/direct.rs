//! Packets written directly into memory that is reserved once, after checks that are made once.

use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::header::{Header, ShaderType};
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::wire::windows::shader_type;
use crate::packet::wire::windows::{COMPUTE_START, SH, Window};
use crate::packet::write::buffer::Buffer;
use crate::packet::write::writer::Writer;

/// A prepared packet that sets consecutive registers; a draw fills in the values and their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SetPacket {
    /// The header of a packet of one register.
    header: u32,
    /// Dwords from the start of the window.
    offset: u32,
}

impl SetPacket {
    /// No register.
    pub const NONE: Self = Self { header: 0, offset: 0 };

    /// Returns the packet for the register at a byte address; the caller knows that a packet reaches it.
    pub const fn of(addr: u32) -> Self {
        let (set, start, _) = Self::reaching(addr);
        set.after((addr - start) / 4)
    }

    /// Returns the packet for the registers around a byte address, and the byte addresses that it reaches: those of one window and one shader type.
    pub const fn reaching(addr: u32) -> (Self, u32, u32) {
        let Some(window) = Window::of(addr) else {
            return (Self::NONE, addr, addr + 4);
        };
        let kind = shader_type(window, addr);
        let (start, end) = match kind {
            ShaderType::Compute => (COMPUTE_START, window.end),
            ShaderType::Graphics if window.start == SH.start => (window.start, COMPUTE_START),
            ShaderType::Graphics => (window.start, window.end),
        };
        (Self { header: Header::type3(window.set, 2).with_shader_type(kind).0, offset: (start - window.start) / 4 }, start, end)
    }

    /// Returns the packet for the register this number of dwords after the current one.
    pub const fn after(self, dwords: u32) -> Self {
        Self { header: self.header, offset: self.offset + dwords }
    }

    /// Returns the header for this number of registers.
    #[inline]
    const fn header(self, registers: usize) -> u32 {
        self.header.wrapping_add((registers.wrapping_sub(1) as u32) << 16)
    }

    const fn opcode(self) -> Opcode {
        Header(self.header).opcode()
    }

    /// Returns the byte address of the register.
    fn addr(self) -> u32 {
        Window::set_by(self.opcode()).map_or(0, |window| window.start) + 4 * self.offset
    }
}

/// A destination of packets for known registers: the generation has them, none has an index, and no group is torn.
pub(crate) trait KnownRegisters {
    /// Sets consecutive registers in a separate packet.
    fn set_known_run(&mut self, set: SetPacket, values: &[u32]) -> Result<(), WriteError>;
}

/// Memory for complete packets. The value stays in CPU registers if everything that writes into it is inlined.
#[derive(Debug)]
pub(crate) struct Direct<'m> {
    /// The unused rest.
    rest: &'m mut [u32],
    /// Dwords of the last packet and of the unused rest; [`NO_PLACE`] after a packet that did not fit.
    last: usize,
}

/// The result of writing ([`Writer::end_direct`]).
#[must_use]
pub(crate) struct Written {
    left: usize,
    last: usize,
}

const NO_PLACE: usize = usize::MAX;

impl Direct<'_> {
    /// Takes out the memory; nothing fits into what is left.
    #[inline(always)]
    pub fn take(&mut self) -> Self {
        Self { rest: core::mem::take(&mut self.rest), last: self.last }
    }

    /// Writes a packet.
    #[inline(always)]
    pub fn packet<const N: usize>(&mut self, words: [u32; N]) {
        if let Some(place) = self.next(N).and_then(<[u32]>::first_chunk_mut) {
            *place = words;
        }
    }

    /// Writes a packet that sets consecutive registers.
    #[inline(always)]
    pub fn registers<const N: usize>(&mut self, set: SetPacket, values: [u32; N]) {
        if let Some([header, offset, rest @ ..]) = self.next(2 + N)
            && let Some(place) = rest.first_chunk_mut()
        {
            (*header, *offset, *place) = (set.header(N), set.offset, values);
        }
    }

    /// Writes a packet that sets any number of consecutive registers.
    #[inline(always)]
    pub fn registers_of(&mut self, set: SetPacket, values: &[u32]) {
        if let Some([header, offset, rest @ ..]) = self.next(2 + values.len()) {
            (*header, *offset) = (set.header(values.len()), set.offset);
            rest.copy_from_slice(values);
        }
    }

    /// Ends the writing.
    #[inline(always)]
    pub fn end(self) -> Written {
        Written { left: self.rest.len(), last: self.last }
    }

    /// Returns memory for this number of dwords.
    #[inline(always)]
    fn next(&mut self, dwords: usize) -> Option<&mut [u32]> {
        let left = self.rest.len();
        match core::mem::take(&mut self.rest).split_at_mut_checked(dwords) {
            Some((place, rest)) => {
                (self.rest, self.last) = (rest, left);
                Some(place)
            }
            None => {
                self.last = NO_PLACE;
                None
            }
        }
    }
}

/// Packets that do not fit are an error at the end ([`Writer::end_direct`]).
impl KnownRegisters for Direct<'_> {
    #[inline(always)]
    fn set_known_run(&mut self, set: SetPacket, values: &[u32]) -> Result<(), WriteError> {
        self.registers_of(set, values);
        Ok(())
    }
}

impl<B: Buffer> KnownRegisters for Writer<B> {
    fn set_known_run(&mut self, set: SetPacket, values: &[u32]) -> Result<(), WriteError> {
        if self.is_special() || self.queue() != Queue::Graphics {
            self.break_run();
            return self.set_regs(set.addr(), values);
        }
        let dwords = 2 + values.len();
        let Some(mut direct) = self.direct(dwords) else { return Err(self.full(set.opcode(), dwords)) };
        direct.set_known_run(set, values)?;
        let written = direct.end();
        self.end_direct(dwords, written);
        Ok(())
    }
}

impl<B: Buffer> Writer<B> {
    /// Returns memory of `most` dwords for complete packets, to be [ended](Self::end_direct); None if there is less. The caller knows that no chain, skippable
    /// range or choice of instances precedes them, and that the queue is the graphics queue.
    #[inline(always)]
    pub(crate) fn direct(&mut self, most: usize) -> Option<Direct<'_>> {
        self.buffer.grow(most).map(|rest| Direct { last: rest.len(), rest })
    }

    /// Gives the unused part of `most` dwords back to the buffer. Returns whether all packets fitted; if not, nothing is written.
    #[inline(always)]
    pub(crate) fn end_direct(&mut self, most: usize, written: Written) -> bool {
        let (Written { left, last }, end) = (written, self.len());
        if last == NO_PLACE {
            self.buffer.truncate(end.saturating_sub(most));
            return false;
        }
        if left > 0 {
            self.buffer.truncate(end.wrapping_sub(left));
        }
        self.appended(end.wrapping_sub(last));
        true
    }
}
