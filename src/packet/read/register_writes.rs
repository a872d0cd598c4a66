//! The register writes in a packet.

use crate::chip::Gfx;
use crate::packet::read::packet::Packet;
use crate::packet::tables::generated;
use crate::packet::wire::header::Header;
use crate::packet::wire::windows::{self, Window};
use crate::regs::Space;

/// One register write.
///
/// For an example see [`RegisterWrites`](crate::packet::RegisterWrites).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterWrite {
    /// Byte address of the register.
    pub addr: u32,
    /// The value written.
    pub value: u32,
    /// Offset of the value, in dwords from the start of the reader's slice.
    pub dword: usize,
}

/// The register writes of a packet in its order: SET_CONFIG_REG, SET_CONTEXT_REG, SET_SH_REG, SET_UCONFIG_REG, their INDEX forms, and
/// SET_*_REG_PAIRS, PAIRS_PACKED and PAIRS_PACKED_N. Other packets yield nothing, because what they write depends on memory or on the register's old value.
///
/// Packed pairs end at the number of registers that the packet states or with its body, whichever comes first; a fill pair (a repeated first register
/// in an odd list) is a write like any other, as for the hardware.
///
/// ```
/// use pm4::{chip::Gfx, packet::{Reader, RegisterWrite, RegisterWrites}, regs::Space};
/// # #[cfg(feature = "gfx11")] {
/// let stream = [0xC002_6900, 0x203, 0x1_8600, 0xF]; // SET_CONTEXT_REG of two registers
/// let packet = Reader::new(&stream).flatten().next().unwrap();
/// let writes: RegisterWrites<'_> = packet.writes(Gfx::Gfx11);
/// assert_eq!(writes.space(), Some(Space::Context));
/// let first = RegisterWrite { addr: 0x2880C, value: 0x1_8600, dword: 2 };
/// assert_eq!(writes.collect::<Vec<_>>(), [first, RegisterWrite { addr: 0x28810, value: 0xF, dword: 3 }]);
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct RegisterWrites<'a> {
    body: &'a [u32],
    base: u32,
    /// Dword of `body[0]` in the stream.
    start: usize,
    shape: Shape,
    next: usize,
}

/// How a packet that only sets registers encodes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::packet) enum Shape {
    /// offset, value, value, …
    Run,
    /// (offset, value)*
    Pairs,
    /// count, (offset0 | offset1 << 16, value0, value1)*
    Packed,
    Nothing,
}

impl<'a> RegisterWrites<'a> {
    /// Returns whether each register has an offset of its own (SET_*_REG_PAIRS and the packed forms).
    pub(in crate::packet) const fn is_list(&self) -> bool {
        matches!(self.shape, Shape::Pairs | Shape::Packed)
    }

    pub(in crate::packet) fn new(packet: &Packet<'a>, gfx: Gfx) -> Self {
        let (window, shape) = shape(packet.header, gfx).unwrap_or((windows::CONFIG, Shape::Nothing));
        Self { body: packet.body, base: window.start, start: packet.offset + 1, shape, next: 0 }
    }

    /// Returns whether one offset is followed by the values of consecutive registers. Such packets exist on every generation.
    pub(crate) fn is_run(&self) -> bool {
        self.shape == Shape::Run
    }

    /// Returns the window that the packet reaches; None for packets that do not set registers.
    #[must_use]
    pub fn space(&self) -> Option<Space> {
        if self.shape == Shape::Nothing { None } else { Space::of(self.base) }
    }

    fn write(&self, offset: u32, value: usize) -> Option<RegisterWrite> {
        let addr = self.base + (offset & 0xFFFF) * 4;
        Some(RegisterWrite { addr, value: *self.body.get(value)?, dword: self.start + value })
    }
}

impl Iterator for RegisterWrites<'_> {
    type Item = RegisterWrite;

    #[inline]
    fn next(&mut self) -> Option<RegisterWrite> {
        let at = self.next;
        self.next += 1;
        match self.shape {
            Shape::Run => {
                let offset = *self.body.first()? & 0xFFFF;
                self.write(offset.wrapping_add(at as u32), 1 + at)
            }
            Shape::Pairs => self.write(*self.body.get(2 * at)?, 2 * at + 1),
            Shape::Packed => {
                if at as u64 >= u64::from(*self.body.first()?) {
                    return None;
                }
                let group = 1 + at / 2 * 3;
                let offsets = *self.body.get(group)?;
                self.write(offsets >> (16 * (at % 2)), group + 1 + at % 2)
            }
            Shape::Nothing => None,
        }
    }
}

/// Returns the window of a packet that only sets registers, and how it names them, as its effects say.
#[inline]
pub(in crate::packet) fn shape(header: Header, gfx: Gfx) -> Option<(Window, Shape)> {
    const WINDOWS: [Window; 4] = [windows::CONFIG, windows::SH, windows::CONTEXT, windows::UCONFIG];
    const SHAPES: [Shape; 3] = [Shape::Run, Shape::Pairs, Shape::Packed];
    if header.packet_type() != 3 {
        return None;
    }
    let code = usize::from(generated::SETS[gfx.index()][usize::from(header.opcode().0)]).checked_sub(1)?;
    Some((*WINDOWS.get(code / 3)?, SHAPES[code % 3]))
}

impl<'a> Packet<'a> {
    /// Returns the registers that the packet writes, in its order. See [`RegisterWrites`] for the packets it knows.
    #[must_use]
    pub fn writes(&self, gfx: Gfx) -> RegisterWrites<'a> {
        RegisterWrites::new(self, gfx)
    }
}
