//! Messages of s_sendmsg and s_sendmsg_rtn_b32.

use crate::chip::Gfx;

/// Name, number, and the set of generations with the message (LLVM 19.1.7).
const MESSAGES: &[(&str, u16, u8)] = &[
    ("INTERRUPT", 1, 0b11_1111),
    ("GS", 2, 0b00_0111),
    ("HS_TESSFACTOR", 2, 0b11_1000),
    ("GS_DONE", 3, 0b00_0111),
    ("DEALLOC_VGPRS", 3, 0b11_1000),
    ("SAVEWAVE", 4, 0b00_0111),
    ("STALL_WAVE_GEN", 5, 0b01_1111),
    ("HALT_WAVES", 6, 0b01_1111),
    ("ORDERED_PS_DONE", ORDERED_PS_DONE, 0b00_0111),
    ("EARLY_PRIM_DEALLOC", 8, 0b00_0001),
    ("GS_ALLOC_REQ", 9, 0b11_1111),
    ("GET_DOORBELL", 10, 0b00_0111),
    ("GET_DDID", 11, 0b00_0110),
    ("SYSMSG", 15, 0b00_0111),
    ("RTN_GET_DOORBELL", 128, 0b11_1000),
    ("RTN_GET_DDID", 129, 0b11_1000),
    ("RTN_GET_TMA", 130, 0b11_1000),
    ("RTN_GET_REALTIME", 131, 0b11_1000),
    ("RTN_SAVE_WAVE", 132, 0b11_1000),
    ("RTN_GET_TBA", 133, 0b11_1000),
    ("RTN_GET_TBA_TO_PC", 134, 0b11_1000),
    ("RTN_GET_SE_AID_ID", 135, 0b10_0000),
];

/// The wave leaves its ordered section (GFX9 to GFX10.3; POPS article, section Exiting the ordered section).
pub const ORDERED_PS_DONE: u16 = 7;

/// The wave releases its VGPRs (GFX11 and later; LLVM 19.1.7 SIDefines.h ID_DEALLOC_VGPRS_GFX11Plus).
pub const DEALLOC_VGPRS: u16 = 3;

/// Returns the mask of the message number in the immediate.
const fn id_mask(gfx: Gfx) -> u16 {
    if gfx.major() >= 11 { 0xFF } else { 0xF }
}

/// Returns number, operation and stream of a message as in text. For each: the error text for a value that does not fit, its mask, and its lowest bit (LLVM
/// SIDefines.h, SendMsg).
pub(super) const fn parts(gfx: Gfx) -> [(&'static str, u16, u32); 3] {
    [
        ("the number of a message has 4 bits, from GFX11 on 8", id_mask(gfx), 0),
        ("an operation of a message is a number from 0 to 7", 7, 4),
        ("a stream of a message is a number from 0 to 3", 3, 8),
    ]
}

/// Returns the number of the message in an immediate.
pub const fn id(gfx: Gfx, imm: u16) -> u16 {
    imm & id_mask(gfx)
}

/// Returns the name of a message; None if the generation lacks it.
pub fn name(gfx: Gfx, id: u16) -> Option<&'static str> {
    MESSAGES.iter().find(|m| m.1 == id && m.2 & gfx.bit() != 0).map(|m| m.0)
}

/// Returns the number of a message by name, even if only another generation has it.
pub(super) fn from_name(gfx: Gfx, name: &str) -> Option<u16> {
    let of = |m: &&(&str, u16, u8)| m.0 == name;
    MESSAGES.iter().find(|m| of(m) && m.2 & gfx.bit() != 0).or_else(|| MESSAGES.iter().find(of)).map(|m| m.1)
}
