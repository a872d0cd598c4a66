//! The length of any instruction in dwords: unknown instructions between known ones must be skipped correctly.
//!
//! Formats and their first bits: AMD ISA manuals of Vega, RDNA1, RDNA2, RDNA3; LLVM SIInstrFormats.td, VOPInstructions.td for GFX12.

use crate::chip::Gfx;

/// Returns the number of dwords of the instruction at the start of `stream`; 1 if there is no instruction. The stream may be shorter.
pub(super) fn dwords(gfx: Gfx, stream: &[u32]) -> usize {
    let Some(&first) = stream.first() else { return 0 };
    let second = stream.get(1).copied().unwrap_or(0);
    if first >> 31 == 0 {
        return short_vector(gfx, first);
    }
    if first >> 30 == 0b10 {
        return scalar(gfx, first);
    }
    match gfx.major() {
        9 => match first >> 26 {
            0b11_0101 => 1,                                                 // interpolation
            0b11_0010 | 0b11_0011 | 0b11_1011 | 0b11_1101..=0b11_1111 => 1, // nothing
            _ => 2,
        },
        10 => match first >> 26 {
            0b11_0010 => 1, // interpolation
            0b11_0101 | 0b11_0011 => 2 + usize::from(vop3_literal(gfx, first, second)),
            0b11_1100 => 2 + (first >> 1 & 3) as usize, // image, further addresses
            0b11_0110 | 0b11_0111 | 0b11_1000 | 0b11_1010 | 0b11_1101 | 0b11_1110 => 2,
            _ => 1,
        },
        major => match first >> 26 {
            0b11_0011 if first >> 24 == 0xCE => 1, // LDS direct
            0b11_0101 | 0b11_0011 => 2 + usize::from(vop3_literal(gfx, first, second) || vop3_lanes(second)),
            0b11_0010 => 2 + usize::from(first & 0x1FF == 255 || second & 0x1FF == 255 || dual_constant(first)), // dual issue
            0b11_0110 | 0b11_1101 | 0b11_1110 => 2,
            0b11_0001 | 0b11_0100 | 0b11_1001 | 0b11_1011 if major == 12 => 3,
            0b11_1100 if major == 11 => 2 + (first & 1) as usize,
            0b11_0111 | 0b11_1000 | 0b11_1010 if major == 11 => 2,
            _ => 1,
        },
    }
}

/// Returns whether one of two dual-issued instructions is FMAAK or FMAMK (number 1 or 2), after which a 32-bit constant follows (LLVM VOPDInstructions.td).
const fn dual_constant(first: u32) -> bool {
    matches!(first >> 22 & 0xF, 1 | 2) || matches!(first >> 17 & 0x1F, 1 | 2)
}

/// Returns the length of SOP2, SOPK, SOP1, SOPC, SOPP. Source 255 is a literal, except in fields that are not sources; s_fmaak_f32 and s_fmamk_f32 (SOP2 69 and
/// 70 from GFX11.5 on) have a 32-bit constant.
fn scalar(gfx: Gfx, first: u32) -> usize {
    let literal = |field: u32| field & 0xFF == 255;
    let setreg_imm = [20, 21, 21, 19, 19, 19][gfx.index()];
    let sourceless = match (gfx.major(), first >> 8 & 0xFF) {
        (9, 28) | (10, 31) | (11.., 71) => true, // s_getpc_b64
        (11.., 76 | 77) => true,                 // s_sendmsg_rtn_b32 and _b64: a message
        _ => false,
    };
    // s_set_gpr_idx_on: bits in place of the second source.
    let one_source = gfx.major() == 9 && first >> 16 & 0x7F == 17;
    1 + usize::from(match first >> 23 {
        0b1_0111_1101 => literal(first) && !sourceless,
        0b1_0111_1110 => literal(first) || literal(first >> 8) && !one_source,
        0b1_0111_1111 => false,
        _ if first >> 28 == 0b1011 => first >> 23 & 0x1F == setreg_imm,
        _ => literal(first) || literal(first >> 8) || gfx.version() >= (11, 5) && matches!(first >> 23 & 0x7F, 69 | 70),
    })
}

/// Returns the length of VOP1, VOP2, VOPC. A literal or control dword follows if source 0 announces it; a constant follows if the instruction has one.
fn short_vector(gfx: Gfx, first: u32) -> usize {
    let op = first >> 25 & 0x3F;
    let constant = match gfx.major() {
        9 => matches!(op, 23 | 24 | 36 | 37),
        10 => matches!(op, 32 | 33 | 44 | 45 | 55 | 56),
        _ => matches!(op, 44 | 45 | 55 | 56),
    };
    let vop2 = op < 62;
    let source = first & 0x1FF;
    let follows = match source {
        249 => gfx.major() <= 10,
        250 | 255 => true,
        233 | 234 => gfx.major() >= 10,
        _ => false,
    };
    1 + usize::from(follows || vop2 && constant)
}

/// Returns whether a three-source instruction has a literal, which is possible from GFX10 on in each of its source fields.
fn vop3_literal(gfx: Gfx, first: u32, second: u32) -> bool {
    [second, second >> 9, second >> 18].iter().take(vop3_sources(gfx, first)).any(|source| source & 0x1FF == 255)
}

/// Returns the number of sources of instructions in three-source formats (tested with LLVM's disassembler, with a literal in each field for each number). Three
/// for numbers that do not exist.
fn vop3_sources(gfx: Gfx, first: u32) -> usize {
    let packed = first >> 26 == 0b11_0011;
    let op = first >> 16 & if packed { 0x7F } else { 0x3FF };
    match (gfx.major(), op) {
        (_, 1..=8 | 10..=13 | 15..=18) | (12, 27..=30) if packed => 2,
        _ if packed => 3,
        // v_cndmask, and additions and subtractions with carry.
        (_, 257) | (10, 296..=298) | (11.., 288..=290) => 3,
        // VOPC and VOP2, then VOP1.
        (_, 0..=319) => 2,
        (_, 384..=511) => 1,
        (10, 356..=364 | 372 | 767..=793 | 864..=875 | 886 | 895) => 2,
        (12, 640..=649) => 1, // v_s_exp_f32 and others
        (11.., 768..) => 2,
        _ => 3,
    }
}

/// Returns whether a three-source instruction reads other lanes, which is possible from GFX11 on.
fn vop3_lanes(second: u32) -> bool {
    matches!(second & 0x1FF, 250 | 233 | 234)
}
