//! Scalar registers that words which are not a known instruction may write.
//!
//! Formats and their first bits: see `length.rs`.

use super::vector::Sdwa;
use crate::chip::Gfx;

/// SOPP: first dword >> 23.
const SOPP: u32 = 0b1_0111_1111;

/// Returns whether words that begin with `first` and are not a known instruction may write the condition code: all scalar ALU formats except SOPP.
pub(crate) fn may_write_condition(first: u32) -> bool {
    first >> 30 == 0b10 && first >> 23 != SOPP
}

/// Returns whether words that begin with `first` and are not a known instruction may write an SGPR, judging by their format. VCC and EXEC do not count.
pub(crate) fn may_write_sgprs(gfx: Gfx, first: u32) -> bool {
    const V_READFIRSTLANE_B32: u32 = 2;
    let major = gfx.major();
    if first >> 31 == 0 {
        return match first >> 25 {
            // A comparison writes VCC; with SDWA it may write SGPRs (LLVM llvm-mc, GFX9 and GFX10).
            62 => Sdwa::exists(gfx) && first & 0x1FF == u32::from(Sdwa::SOURCE),
            63 => first >> 9 & 0xFF == V_READFIRSTLANE_B32,
            _ => false,
        };
    }
    if first >> 30 == 0b10 {
        let sopc = 0b1_0111_1110;
        return first >> 23 != sopc && first >> 23 != SOPP;
    }
    match (major, first >> 26) {
        (9, 0b11_0100) => first >> 23 != 0b1_1010_0111, // not packed instructions
        (9, prefix) => prefix == 0b11_0000,             // scalar memory
        (_, prefix) => matches!(prefix, 0b11_0101 | 0b11_1101),
    }
}
