//! The register writes that a packet carries.

use crate::chip::Gfx;
use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::Opcode;
use crate::packet::wire::reader::Packet;
use crate::packet::wire::windows::{self, Window};

/// One register write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterWrite {
    /// Byte address of the register.
    pub addr: u32,
    /// What is written.
    pub value: u32,
    /// Where the value stands, in dwords of the slice that the reader got.
    pub dword: usize,
}

/// The register writes of a packet in its order: SET_CONFIG_REG, SET_CONTEXT_REG, SET_SH_REG, SET_UCONFIG_REG, their INDEX forms, and
/// SET_*_REG_PAIRS, PAIRS_PACKED and PAIRS_PACKED_N. Other packets yield nothing: what they write depends on memory or on the register's old value.
///
/// Packed pairs end at the number of registers that the packet states or with its body, whichever comes first; a fill pair (a repeated first register
/// in an odd list) is a write like any other, as for the hardware.
#[derive(Debug, Clone)]
pub struct RegisterWrites<'a> {
    body: &'a [u32],
    base: u32,
    /// Dword of `body[0]` in the stream.
    start: usize,
    shape: Shape,
    next: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// offset, value, value, …
    Run,
    /// (offset, value)*
    Pairs,
    /// count, (offset0 | offset1 << 16, value0, value1)*
    Packed,
    Nothing,
}

impl<'a> RegisterWrites<'a> {
    pub(in crate::packet) fn new(packet: &Packet<'a>, gfx: Gfx) -> Self {
        let (window, shape) = shape(packet.header, gfx).unwrap_or((windows::CONFIG, Shape::Nothing));
        Self { body: packet.body, base: window.start, start: packet.offset + 1, shape, next: 0 }
    }

    /// Whether one offset is followed by the values of consecutive registers. Such packets exist on every generation.
    pub(in crate::packet) fn is_run(&self) -> bool {
        self.shape == Shape::Run
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

fn shape(header: Header, gfx: Gfx) -> Option<(Window, Shape)> {
    if header.packet_type() != 3 {
        return None;
    }
    // SET_SH_REG_PAIRS_PACKED moved to another number on GFX12 (PAL gfx12CmdUtil.cpp).
    let sh_packed = if gfx.major() >= 12 { Opcode(0xBC) } else { Opcode(0xBB) };
    let pairs = gfx.major() >= 11;
    Some(match header.opcode() {
        Opcode::SET_CONFIG_REG => (windows::CONFIG, Shape::Run),
        Opcode::SET_CONTEXT_REG => (windows::CONTEXT, Shape::Run),
        Opcode::SET_CONTEXT_REG_INDEX if gfx.major() == 9 => (windows::CONTEXT, Shape::Run),
        Opcode::SET_SH_REG | Opcode::SET_SH_REG_INDEX => (windows::SH, Shape::Run),
        Opcode::SET_UCONFIG_REG | Opcode::SET_UCONFIG_REG_INDEX => (windows::UCONFIG, Shape::Run),
        Opcode::SET_CONTEXT_REG_PAIRS if pairs => (windows::CONTEXT, Shape::Pairs),
        Opcode::SET_SH_REG_PAIRS if pairs => (windows::SH, Shape::Pairs),
        Opcode::SET_UCONFIG_REG_PAIRS if pairs => (windows::UCONFIG, Shape::Pairs),
        Opcode::SET_CONTEXT_REG_PAIRS_PACKED if pairs => (windows::CONTEXT, Shape::Packed),
        Opcode::SET_SH_REG_PAIRS_PACKED_N if pairs => (windows::SH, Shape::Packed),
        opcode if pairs && opcode == sh_packed => (windows::SH, Shape::Packed),
        _ => return None,
    })
}
