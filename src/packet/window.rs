//! Register windows, and the registers that are written with an index.

use super::opcode::Opcode;
use crate::chip::Gfx;
use crate::regs::Space;

/// First byte address of the compute registers in the SH window.
pub(super) const COMPUTE_START: u32 = 0xB800;

/// A range of registers that one kind of SET packet reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// First byte address: packets count dwords from here.
    pub start: u32,
    /// First byte address after it.
    pub end: u32,
    /// The plain SET packet.
    pub set: Opcode,
    /// The packet for writes with an index. The context window has none of its own from GFX10 on: SET_CONTEXT_REG carries the index.
    pub set_index: Option<Opcode>,
}

pub(super) const CONFIG: Window = Window { start: 0x8000, end: 0xB000, set: Opcode::SET_CONFIG_REG, set_index: None };
pub(super) const SH: Window = Window { start: 0xB000, end: 0xC000, set: Opcode::SET_SH_REG, set_index: Some(Opcode::SET_SH_REG_INDEX) };
pub(super) const CONTEXT: Window = Window { start: 0x2_8000, end: 0x2_9000, set: Opcode::SET_CONTEXT_REG, set_index: Some(Opcode::SET_CONTEXT_REG) };
pub(super) const UCONFIG: Window = Window { start: 0x3_0000, end: 0x4_0000, set: Opcode::SET_UCONFIG_REG, set_index: Some(Opcode::SET_UCONFIG_REG_INDEX) };

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

/// The index with which a register must be written, alone in its packet ([`Writer::set_reg_indexed`](super::Writer::set_reg_indexed)); none for plain registers.
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
    let index = match (gfx.major(), addr) {
        (_, VGT_INDEX_TYPE) => 2,
        (9..=11, VGT_NUM_INSTANCES) => 3,
        (9, VGT_PRIMITIVE_TYPE) => 1,
        (9, IA_MULTI_VGT_PARAM) => 4,
        (9, VGT_LS_HS_CONFIG) => 2,
        // SPI_SHADER_PGM_RSRC3_PS, _GS, _HS
        (9..=11, 0xB01C) | (12, 0xB018) | (_, 0xB21C | 0xB41C) => 3,
        // SPI_SHADER_PGM_RSRC4_GS, _HS; _PS; RSRC3_VS; RSRC4_VS
        (9..=11, 0xB204 | 0xB404) | (10 | 11, 0xB004) | (9 | 10, 0xB118) | (10, 0xB104) => 3,
        // COMPUTE_STATIC_THREAD_MGMT_SE0 to SE8
        (12, 0xB858 | 0xB85C | 0xB864 | 0xB868 | 0xB8AC | 0xB8B0 | 0xB8B4 | 0xB8B8 | 0xB88C) => 3,
        // COMPUTE_DISPATCH_INTERLEAVE
        (12, 0xB8BC) => 2,
        _ => return None,
    };
    Some(index)
}

pub(super) const VGT_INDEX_TYPE: u32 = 0x3_090C;
const VGT_PRIMITIVE_TYPE: u32 = 0x3_0908;
const VGT_NUM_INSTANCES: u32 = 0x3_0934;
const IA_MULTI_VGT_PARAM: u32 = 0x3_0960;
const VGT_LS_HS_CONFIG: u32 = 0x2_8B58;
