//! Register windows, and the registers that are written with an index.

use crate::chip::Gfx;
use crate::packet::wire::header::ShaderType;
use crate::packet::wire::opcode::Opcode;
use crate::regs::{Space, tables};

/// First byte address of the compute registers in the SH window.
pub(in crate::packet) const COMPUTE_START: u32 = 0xB800;

/// A range of registers that one kind of SET packet reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    /// First byte address: packets count dwords from here.
    pub start: u32,
    /// First byte address after it.
    pub end: u32,
    /// The plain SET packet.
    pub set: Opcode,
    /// The packet for writes with an index. The context window has none of its own from GFX10 on: SET_CONTEXT_REG carries the index.
    pub set_index: Opcode,
}

pub(in crate::packet) const CONFIG: Window = Window { start: 0x8000, end: 0xB000, set: Opcode::SET_CONFIG_REG, set_index: Opcode::SET_CONFIG_REG };
pub(in crate::packet) const SH: Window = Window { start: 0xB000, end: 0xC000, set: Opcode::SET_SH_REG, set_index: Opcode::SET_SH_REG_INDEX };
pub(crate) const CONTEXT: Window = Window { start: 0x2_8000, end: 0x2_9000, set: Opcode::SET_CONTEXT_REG, set_index: Opcode::SET_CONTEXT_REG };
pub(in crate::packet) const UCONFIG: Window = Window { start: 0x3_0000, end: 0x4_0000, set: Opcode::SET_UCONFIG_REG, set_index: Opcode::SET_UCONFIG_REG_INDEX };

impl Window {
    /// Returns the window of user mode whose plain SET packet this is.
    #[inline]
    pub const fn set_by(opcode: Opcode) -> Option<Self> {
        if opcode.0 == CONTEXT.set.0 {
            Some(CONTEXT)
        } else if opcode.0 == SH.set.0 {
            Some(SH)
        } else if opcode.0 == UCONFIG.set.0 {
            Some(UCONFIG)
        } else {
            None
        }
    }

    /// Returns the window that holds a byte address, if any.
    pub const fn of(addr: u32) -> Option<Self> {
        match Space::of(addr) {
            Some(Space::Context) => Some(CONTEXT),
            Some(Space::Sh) => Some(SH),
            Some(Space::Uconfig) => Some(UCONFIG),
            Some(Space::Config) => Some(CONFIG),
            Some(Space::Privileged) | None => None,
        }
    }
}

/// Returns the index with which a register must be written, alone in its packet ([`Writer::set_reg_indexed`](crate::packet::Writer::set_reg_indexed)); none for
/// plain registers.
///
/// 1 to 4 tell the CP which draw state it is; 3 in the SH window means: AND with the CU mask of the kernel. The index of a register is in
/// `regdb/` and in [`RegisterInfo::index`](crate::regs::RegisterInfo::index)
/// (PAL gfx9CmdUtil.cpp BuildSetOneConfigReg and BuildSetOneShRegIndex, 11/2023 for GFX9, 04/2025 for the others; gfx12CmdUtil.cpp).
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// use pm4::{chip::Gfx, packet::register_index};
/// assert_eq!(register_index(Gfx::Gfx11, 0x3090C), Some(2)); // VGT_INDEX_TYPE
/// assert_eq!(register_index(Gfx::Gfx11, 0x2880C), None);
/// # }
/// ```
#[must_use]
pub const fn register_index(gfx: Gfx, addr: u32) -> Option<u8> {
    match next_indexed(gfx, addr) {
        Some((at, index)) if at == addr => Some(index),
        _ => None,
    }
}

/// Returns the first register with an index from `addr` on in its window, and its index.
pub(crate) const fn next_indexed(gfx: Gfx, addr: u32) -> Option<(u32, u8)> {
    let tables = tables(gfx);
    let list = match Space::of(addr) {
        Some(Space::Sh) => tables.indexed_sh,
        Some(Space::Context) => tables.indexed_context,
        Some(Space::Uconfig) => tables.indexed_uconfig,
        Some(Space::Config | Space::Privileged) | None => return None,
    };
    let (mut at, mut end) = (0, list.len());
    while at < end {
        let middle = (at + end) / 2;
        if list[middle].0 < addr { at = middle + 1 } else { end = middle }
    }
    if at < list.len() { Some(list[at]) } else { None }
}

pub(in crate::packet) const VGT_INDEX_TYPE: u32 = 0x3_090C;

/// Selects the shader engines, arrays and instances that register writes reach.
pub(in crate::packet) const GRBM_GFX_INDEX: u32 = 0x3_0800;
/// Writes reach all of them.
pub(in crate::packet) const GRBM_BROADCAST: u32 = 7 << 29;

/// Returns whether this value of GRBM_GFX_INDEX selects everything.
pub(in crate::packet) const fn is_broadcast(value: u32) -> bool {
    value & GRBM_BROADCAST == GRBM_BROADCAST
}

/// Returns the shader type in the header of a SET packet: compute for the compute registers of the SH window.
pub(in crate::packet) const fn shader_type(window: Window, addr: u32) -> ShaderType {
    if window.start == SH.start && addr >= COMPUTE_START { ShaderType::Compute } else { ShaderType::Graphics }
}
