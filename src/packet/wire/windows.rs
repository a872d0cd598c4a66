//! Register windows, and the registers that are written with an index.

use crate::chip::Gfx;
use crate::packet::wire::opcode::Opcode;
use crate::regs::Space;

/// First byte address of the compute registers in the SH window.
pub(in crate::packet) const COMPUTE_START: u32 = 0xB800;

/// A range of registers that one kind of SET packet reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::packet) struct Window {
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
pub(in crate::packet) const CONTEXT: Window = Window { start: 0x2_8000, end: 0x2_9000, set: Opcode::SET_CONTEXT_REG, set_index: Opcode::SET_CONTEXT_REG };
pub(in crate::packet) const UCONFIG: Window = Window { start: 0x3_0000, end: 0x4_0000, set: Opcode::SET_UCONFIG_REG, set_index: Opcode::SET_UCONFIG_REG_INDEX };

impl Window {
    /// The window that holds a byte address, if any.
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

/// The index with which a register must be written, alone in its packet ([`Writer::set_reg_indexed`](crate::packet::Writer::set_reg_indexed)); none for plain registers.
///
/// 1 to 4 tell the CP which draw state it is; 3 in the SH window means: AND with the CU mask of the kernel
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

/// The first register with an index from `addr` on in its window, and its index.
pub(in crate::packet) const fn next_indexed(gfx: Gfx, addr: u32) -> Option<(u32, u8)> {
    let list: &[(u32, u8)] = match (gfx.major(), addr) {
        (9, 0xB000..0xC000) => SH_GFX9,
        (10, 0xB000..0xC000) => SH_GFX10,
        (11, 0xB000..0xC000) => SH_GFX11,
        (_, 0xB000..0xC000) => SH_GFX12,
        (9, 0x2_8000..0x2_9000) => &[(VGT_LS_HS_CONFIG, 2)],
        (9, 0x3_0000..) => &[(VGT_PRIMITIVE_TYPE, 1), (VGT_INDEX_TYPE, 2), (VGT_NUM_INSTANCES, 3), (IA_MULTI_VGT_PARAM, 4)],
        (10 | 11, 0x3_0000..) => &[(VGT_INDEX_TYPE, 2), (VGT_NUM_INSTANCES, 3)],
        (_, 0x3_0000..) => &[(VGT_INDEX_TYPE, 2)],
        _ => &[],
    };
    let mut i = 0;
    while i < list.len() {
        if list[i].0 >= addr {
            return Some(list[i]);
        }
        i += 1;
    }
    None
}

const SH_GFX9: &[(u32, u8)] = &[
    (SPI_SHADER_PGM_RSRC3_PS, 3),
    (SPI_SHADER_PGM_RSRC3_VS, 3),
    (SPI_SHADER_PGM_RSRC4_GS, 3),
    (SPI_SHADER_PGM_RSRC3_GS, 3),
    (SPI_SHADER_PGM_RSRC4_HS, 3),
    (SPI_SHADER_PGM_RSRC3_HS, 3),
];

const SH_GFX10: &[(u32, u8)] = &[
    (SPI_SHADER_PGM_RSRC4_PS, 3),
    (SPI_SHADER_PGM_RSRC3_PS, 3),
    (SPI_SHADER_PGM_RSRC4_VS, 3),
    (SPI_SHADER_PGM_RSRC3_VS, 3),
    (SPI_SHADER_PGM_RSRC4_GS, 3),
    (SPI_SHADER_PGM_RSRC3_GS, 3),
    (SPI_SHADER_PGM_RSRC4_HS, 3),
    (SPI_SHADER_PGM_RSRC3_HS, 3),
];

const SH_GFX11: &[(u32, u8)] = &[
    (SPI_SHADER_PGM_RSRC4_PS, 3),
    (SPI_SHADER_PGM_RSRC3_PS, 3),
    (SPI_SHADER_PGM_RSRC4_GS, 3),
    (SPI_SHADER_PGM_RSRC3_GS, 3),
    (SPI_SHADER_PGM_RSRC4_HS, 3),
    (SPI_SHADER_PGM_RSRC3_HS, 3),
];

/// COMPUTE_STATIC_THREAD_MGMT_SE0 to SE8 and COMPUTE_DISPATCH_INTERLEAVE among them.
const SH_GFX12: &[(u32, u8)] = &[
    (0xB018, 3), // SPI_SHADER_PGM_RSRC3_PS
    (SPI_SHADER_PGM_RSRC3_GS, 3),
    (SPI_SHADER_PGM_RSRC3_HS, 3),
    (0xB858, 3),
    (0xB85C, 3),
    (0xB864, 3),
    (0xB868, 3),
    (0xB88C, 3),
    (0xB8AC, 3),
    (0xB8B0, 3),
    (0xB8B4, 3),
    (0xB8B8, 3),
    (0xB8BC, 2), // COMPUTE_DISPATCH_INTERLEAVE
];

const SPI_SHADER_PGM_RSRC4_PS: u32 = 0xB004;
const SPI_SHADER_PGM_RSRC3_PS: u32 = 0xB01C;
const SPI_SHADER_PGM_RSRC4_VS: u32 = 0xB104;
const SPI_SHADER_PGM_RSRC3_VS: u32 = 0xB118;
const SPI_SHADER_PGM_RSRC4_GS: u32 = 0xB204;
const SPI_SHADER_PGM_RSRC3_GS: u32 = 0xB21C;
const SPI_SHADER_PGM_RSRC4_HS: u32 = 0xB404;
const SPI_SHADER_PGM_RSRC3_HS: u32 = 0xB41C;
const VGT_LS_HS_CONFIG: u32 = 0x2_8B58;
const VGT_PRIMITIVE_TYPE: u32 = 0x3_0908;
pub(in crate::packet) const VGT_INDEX_TYPE: u32 = 0x3_090C;
const VGT_NUM_INSTANCES: u32 = 0x3_0934;
const IA_MULTI_VGT_PARAM: u32 = 0x3_0960;

/// Selects the shader engines, arrays and instances that register writes reach.
pub(in crate::packet) const GRBM_GFX_INDEX: u32 = 0x3_0800;
/// Writes reach all of them.
pub(in crate::packet) const GRBM_BROADCAST: u32 = 7 << 29;
