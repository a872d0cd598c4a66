//! The results of scalar instructions.

use crate::isa::Op;

/// The result of an instruction: the value that it writes, if any, and the resulting condition code.
pub(super) struct Out {
    pub value: Option<u64>,
    pub scc: bool,
}

const fn field(width: u32, at: u32) -> u64 {
    ((1u64 << (width & 63)) - 1) << (at & 63)
}

/// Computes `op`. 32-bit operands are zero-extended; `old` is the previous value of the destination. Comparisons write no value.
pub(super) fn compute(op: Op, a: u64, b: u64, old: u64, scc: bool) -> Out {
    let (x, y) = (a as u32, b as u32);
    let (i, j) = (x as i32, y as i32);
    // Logic and shifts: the condition code says whether the result is not 0.
    let logic = |value: u32| Out { value: Some(value.into()), scc: value != 0 };
    let logic64 = |value: u64| Out { value: Some(value), scc: value != 0 };
    let carry = |(value, carry): (u32, bool)| Out { value: Some(value.into()), scc: carry };
    let signed = |(value, overflow): (i32, bool)| Out { value: Some(u64::from(value as u32)), scc: overflow };
    let plain = |value: u32| Out { value: Some(value.into()), scc };
    let plain64 = |value: u64| Out { value: Some(value), scc };
    let test = |result: bool| Out { value: None, scc: result };
    match op {
        Op::SAddU32 => carry(x.overflowing_add(y)),
        Op::SSubU32 => carry(x.overflowing_sub(y)),
        Op::SAddI32 | Op::SAddkI32 => signed(i.overflowing_add(j)),
        Op::SSubI32 => signed(i.overflowing_sub(j)),
        Op::SAddcU32 => {
            let sum = u64::from(x) + u64::from(y) + u64::from(scc);
            Out { value: Some(sum & 0xFFFF_FFFF), scc: sum >> 32 != 0 }
        }
        Op::SSubbU32 => {
            let wanted = u64::from(y) + u64::from(scc);
            Out { value: Some(u64::from(x.wrapping_sub(wanted as u32))), scc: wanted > u64::from(x) }
        }
        Op::SMinU32 => Out { value: Some(x.min(y).into()), scc: x < y },
        // SCC is 0 for equal operands. AMD's manuals state `SCC = S0 >= S1`; tinygrad's emulator corrects them to `>`, the behaviour of hardware.
        Op::SMaxU32 => Out { value: Some(x.max(y).into()), scc: x > y },
        Op::SCselectB32 | Op::SCselectB64 => plain64(if scc { a } else { b }),
        Op::SAndB32 | Op::SAndB64 => logic64(a & b),
        Op::SOrB32 | Op::SOrB64 => logic64(a | b),
        Op::SXorB32 | Op::SXorB64 => logic64(a ^ b),
        Op::SAndn2B32 => logic(x & !y),
        Op::SAndn2B64 => logic64(a & !b),
        Op::SOrn2B32 => logic(x | !y),
        Op::SNandB32 => logic(!(x & y)),
        Op::SNorB32 => logic(!(x | y)),
        Op::SLshlB32 => logic(x << (y & 31)),
        Op::SLshlB64 => logic64(a << (y & 63)),
        Op::SLshrB32 => logic(x >> (y & 31)),
        Op::SAshrI32 => logic((i >> (y & 31)) as u32),
        Op::SBfmB32 => plain(((1u32 << (x & 31)) - 1) << (y & 31)),
        Op::SBfmB64 => plain64(field(x, y)),
        Op::SMulI32 | Op::SMulkI32 => plain(x.wrapping_mul(y)),
        Op::SBfeU32 => {
            let width = (y >> 16 & 0x7F).min(32);
            logic((u64::from(x >> (y & 31)) & ((1u64 << width) - 1)) as u32)
        }
        Op::SBfeI32 => {
            let (at, width) = (y & 31, (y >> 16 & 0x7F).min(32));
            let value = i64::from(i >> at);
            logic(if width == 0 { 0 } else { ((value << (64 - width)) >> (64 - width)) as u32 })
        }
        Op::SLshl1AddU32 | Op::SLshl2AddU32 => {
            let sum = (u64::from(x) << if op == Op::SLshl1AddU32 { 1 } else { 2 }) + u64::from(y);
            Out { value: Some(sum & 0xFFFF_FFFF), scc: sum >> 32 != 0 }
        }
        Op::SPackLlB32B16 => plain(x & 0xFFFF | y << 16),
        Op::SMovB32 | Op::SMovB64 | Op::SMovkI32 => plain64(a),
        Op::SCmovB32 | Op::SCmovkI32 => Out { value: scc.then_some(a), scc },
        Op::SNotB32 => logic(!x),
        Op::SNotB64 => logic64(!a),
        Op::SWqmB32 | Op::SWqmB64 => {
            let any = (a | a >> 1 | a >> 2 | a >> 3) & 0x1111_1111_1111_1111;
            logic64(any * 0xF)
        }
        Op::SBrevB32 => plain(x.reverse_bits()),
        Op::SBcnt1I32B32 => logic(x.count_ones()),
        Op::SFf1I32B32 => plain(if x == 0 { u32::MAX } else { x.trailing_zeros() }),
        Op::SFf1I32B64 => plain(if a == 0 { u32::MAX } else { a.trailing_zeros() }),
        Op::SFlbitI32B32 => plain(if x == 0 { u32::MAX } else { x.leading_zeros() }),
        Op::SBitset0B32 => plain(old as u32 & !(1 << (x & 31))),
        Op::SBitset1B32 => plain(old as u32 | 1 << (x & 31)),
        Op::SBitreplicateB64B32 => plain64((0..32).fold(0, |wide, bit| wide | (u64::from(x >> bit & 1) * 3) << (2 * bit))),
        Op::SCmpEqI32 | Op::SCmpEqU32 | Op::SCmpkEqI32 | Op::SCmpkEqU32 => test(x == y),
        Op::SCmpLgI32 | Op::SCmpLgU32 | Op::SCmpkLgU32 => test(x != y),
        Op::SCmpGtI32 => test(i > j),
        Op::SCmpGeI32 => test(i >= j),
        Op::SCmpLtI32 => test(i < j),
        Op::SCmpLeI32 => test(i <= j),
        Op::SCmpGtU32 => test(x > y),
        Op::SCmpGeU32 => test(x >= y),
        Op::SCmpLtU32 | Op::SCmpkLtU32 => test(x < y),
        Op::SCmpLeU32 => test(x <= y),
        Op::SBitcmp0B32 => test(x >> (y & 31) & 1 == 0),
        Op::SBitcmp1B32 => test(x >> (y & 31) & 1 == 1),
        Op::SBitcmp0B64 => test(a >> (y & 63) & 1 == 0),
        Op::SBitcmp1B64 => test(a >> (y & 63) & 1 == 1),
        Op::SCmpEqU64 => test(a == b),
        Op::SCmpLgU64 => test(a != b),
        _ => Out { value: None, scc },
    }
}

/// Returns the result of a computation in a lane. Floats are added and multiplied in 32 bits and rounded to nearest. Denormals are always kept, although MODE
/// may flush them.
pub(super) fn vector_result(op: Op, [a, b, c]: [u32; 3]) -> Option<u32> {
    let float = |result: fn(f32, f32) -> f32| result(f32::from_bits(a), f32::from_bits(b)).to_bits();
    Some(match op {
        Op::VMovB32 => a,
        Op::VAddF32 => float(|a, b| a + b),
        Op::VSubF32 => float(|a, b| a - b),
        Op::VMulF32 => float(|a, b| a * b),
        Op::VFloorF32 => floor(f32::from_bits(a)).to_bits(),
        Op::VCvtF32U32 => (a as f32).to_bits(),
        // Towards 0; what does not fit becomes the nearest that does, and NaN 0.
        Op::VCvtI32F32 => f32::from_bits(a) as i32 as u32,
        Op::VMinU32 => a.min(b),
        Op::VMinI32 => (a as i32).min(b as i32) as u32,
        Op::VMaxI32 => (a as i32).max(b as i32) as u32,
        Op::VLshrrevB32 => b >> (a & 31),
        Op::VLshlrevB32 => b << (a & 31),
        Op::VAndB32 => a & b,
        Op::VOrB32 => a | b,
        Op::VAddU32 => a.wrapping_add(b),
        Op::VBfeU32 => {
            let width = c & 31;
            (a >> (b & 31)) & ((1 << width) - 1)
        }
        Op::VLshlAddU32 => (a << (b & 31)).wrapping_add(c),
        Op::VAdd3U32 => a.wrapping_add(b).wrapping_add(c),
        Op::VMulLoU32 => a.wrapping_mul(b),
        _ => return None,
    })
}

/// The largest whole number that is not larger; without `std` there is none.
fn floor(value: f32) -> f32 {
    // From 2^23 on all floats are whole; NaN stays what it is.
    if value == 0.0 || !(-8_388_608.0..8_388_608.0).contains(&value) {
        return value;
    }
    let whole = value as i32 as f32;
    if whole > value { whole - 1.0 } else { whole }
}

#[cfg(test)]
mod tests {
    use super::{Op, compute, vector_result};

    const NONE: Option<u64> = None;

    const fn is(value: u64) -> Option<u64> {
        Some(value)
    }

    /// Instruction, sources, previous destination, previous SCC; written value, resulting SCC.
    type Row = (Op, u64, u64, u64, bool, Option<u64>, bool);

    /// The results that this model assumes for each instruction. The sources state SCC for comparisons, logic, shifts, `s_add_i32`, `s_sub_i32`, `s_add_u32`,
    /// `s_addc_u32`, `s_lshl1_add_u32`, `s_bitcmp1` and the whole of `s_bfe_u32`; the other results follow from the names and are unverified.
    #[rustfmt::skip]
    const RESULTS: &[Row] = &[
        (Op::SAddU32, 0xFFFF_FFFF, 2, 0, false, is(1), true),
        (Op::SAddU32, 0x7FFF_FFFF, 1, 0, true, is(0x8000_0000), false),
        (Op::SSubU32, 1, 2, 0, false, is(0xFFFF_FFFF), true),
        (Op::SSubU32, 0x8000_0000, 1, 0, true, is(0x7FFF_FFFF), false),
        (Op::SAddI32, 0x7FFF_FFFF, 1, 0, false, is(0x8000_0000), true),
        (Op::SAddI32, 0xFFFF_FFFF, 2, 0, true, is(1), false),
        (Op::SAddkI32, 5, 0xFFFF_FFFE, 0, true, is(3), false),
        (Op::SSubI32, 0x8000_0000, 1, 0, false, is(0x7FFF_FFFF), true),
        (Op::SSubI32, 1, 2, 0, true, is(0xFFFF_FFFF), false),
        (Op::SAddcU32, 0xFFFF_FFFF, 0, 0, true, is(0), true),
        (Op::SAddcU32, 0xFFFF_FFFE, 1, 0, false, is(0xFFFF_FFFF), false),
        (Op::SAddcU32, 5, 6, 0, true, is(12), false),
        (Op::SSubbU32, 5, 5, 0, true, is(0xFFFF_FFFF), true),
        (Op::SSubbU32, 5, 5, 0, false, is(0), false),
        (Op::SSubbU32, 9, 5, 0, true, is(3), false),
        (Op::SMinU32, 3, 5, 0, false, is(3), true),
        (Op::SMinU32, 5, 3, 0, true, is(3), false),
        (Op::SMinU32, 4, 4, 0, true, is(4), false),
        (Op::SMaxU32, 3, 5, 0, true, is(5), false),
        (Op::SMaxU32, 5, 3, 0, false, is(5), true),
        (Op::SMaxU32, 4, 4, 0, true, is(4), false),
        (Op::SCselectB32, 1, 2, 0, true, is(1), true),
        (Op::SCselectB32, 1, 2, 0, false, is(2), false),
        (Op::SCselectB64, 1 << 40, 2, 0, true, is(1 << 40), true),
        (Op::SAndB32, 0xC, 0xA, 0, false, is(8), true),
        (Op::SAndB32, 0xC, 0x3, 0, true, is(0), false),
        (Op::SAndB64, 0xC << 40, 0xA << 40, 0, false, is(8 << 40), true),
        (Op::SOrB32, 0xC, 0xA, 0, false, is(0xE), true),
        (Op::SOrB64, 0xC << 40, 0xA, 0, false, is(0xC << 40 | 0xA), true),
        (Op::SOrB32, 0, 0, 0, true, is(0), false),
        (Op::SXorB32, 0xC, 0xA, 0, false, is(6), true),
        (Op::SXorB64, 0xC << 40, 0xC << 40, 0, true, is(0), false),
        (Op::SAndn2B32, 0xC, 0xA, 0, false, is(4), true),
        (Op::SAndn2B32, 0xC, 0xC, 0, true, is(0), false),
        (Op::SAndn2B64, 0xC << 40 | 1, 0xA << 40, 0, false, is(4 << 40 | 1), true),
        (Op::SOrn2B32, 1, 0xFFFF_FFF0, 0, false, is(0xF), true),
        (Op::SOrn2B32, 0, 0xFFFF_FFFF, 0, true, is(0), false),
        (Op::SNandB32, 0xC, 0xA, 0, false, is(0xFFFF_FFF7), true),
        (Op::SNandB32, 0xFFFF_FFFF, 0xFFFF_FFFF, 0, true, is(0), false),
        (Op::SNorB32, 0xC, 0xA, 0, false, is(0xFFFF_FFF1), true),
        (Op::SNorB32, 0xFFFF_0000, 0xFFFF, 0, true, is(0), false),
        (Op::SLshlB32, 3, 33, 0, false, is(6), true),
        (Op::SLshlB32, 0x8000_0000, 1, 0, true, is(0), false),
        (Op::SLshlB64, 3, 65, 0, false, is(6), true),
        (Op::SLshlB64, 3, 40, 0, false, is(3 << 40), true),
        (Op::SLshrB32, 0x8000_0000, 33, 0, false, is(0x4000_0000), true),
        (Op::SLshrB32, 1, 1, 0, true, is(0), false),
        (Op::SAshrI32, 0x8000_0000, 33, 0, false, is(0xC000_0000), true),
        (Op::SAshrI32, 1, 31, 0, true, is(0), false),
        (Op::SBfmB32, 36, 33, 0, true, is(0x1E), true),
        (Op::SBfmB32, 0, 7, 0, false, is(0), false),
        (Op::SBfmB64, 68, 65, 0, true, is(0x1E), true),
        (Op::SBfmB64, 4, 40, 0, false, is(0xF << 40), false),
        (Op::SMulI32, 0xFFFF_FFFF, 3, 0, true, is(0xFFFF_FFFD), true),
        (Op::SMulkI32, 0x1_0001, 0x1_0000, 0, false, is(0x1_0000), false),
        (Op::SBfeU32, 0xABCD_1234, 0x0008_0024, 0, false, is(0x23), true),
        (Op::SBfeU32, 0xABCD_1234, 0x0000_0004, 0, true, is(0), false),
        (Op::SBfeU32, 0xABCD_1234, 0x0040_0010, 0, false, is(0xABCD), true),
        (Op::SBfeI32, 0x0000_0F80, 0x0008_0024, 0, false, is(0xFFFF_FFF8), true),
        (Op::SBfeI32, 0x0000_0780, 0x0008_0004, 0, false, is(0x78), true),
        (Op::SBfeI32, 0xFFFF_FFFF, 0x0000_0004, 0, true, is(0), false),
        (Op::SBfeI32, 0x8000_0000, 0x007F_0004, 0, false, is(0xF800_0000), true),
        (Op::SLshl1AddU32, 0x8000_0000, 5, 0, false, is(5), true),
        (Op::SLshl1AddU32, 3, 5, 0, true, is(11), false),
        (Op::SLshl2AddU32, 3, 5, 0, true, is(17), false),
        (Op::SLshl2AddU32, 0x4000_0000, 5, 0, false, is(5), true),
        (Op::SPackLlB32B16, 0xAAAA_1234, 0xBBBB_5678, 0, true, is(0x5678_1234), true),
        (Op::SMovB32, 7, 0, 9, true, is(7), true),
        (Op::SMovB64, 7 << 40, 0, 9, false, is(7 << 40), false),
        (Op::SMovkI32, 0xFFFF_FFFE, 0, 9, false, is(0xFFFF_FFFE), false),
        (Op::SCmovB32, 7, 0, 9, true, is(7), true),
        (Op::SCmovB32, 7, 0, 9, false, NONE, false),
        (Op::SCmovkI32, 7, 0, 9, true, is(7), true),
        (Op::SCmovkI32, 7, 0, 9, false, NONE, false),
        (Op::SNotB32, 0xFFFF_0000, 0, 0, false, is(0xFFFF), true),
        (Op::SNotB32, 0xFFFF_FFFF, 0, 0, true, is(0), false),
        (Op::SNotB64, 0xFF, 0, 0, false, is(!0xFF), true),
        (Op::SNotB64, u64::MAX, 0, 0, true, is(0), false),
        (Op::SWqmB32, 0x8421_0010, 0, 0, false, is(0xFFFF_00F0), true),
        (Op::SWqmB64, 0x0008_0400_2001_0000, 0, 0, false, is(0x000F_0F00_F00F_0000), true),
        (Op::SWqmB32, 0, 0, 0, true, is(0), false),
        (Op::SBrevB32, 0x8000_0002, 0, 0, true, is(0x4000_0001), true),
        (Op::SBcnt1I32B32, 0xF0F, 0, 0, false, is(8), true),
        (Op::SBcnt1I32B32, 0, 0, 0, true, is(0), false),
        (Op::SFf1I32B32, 0x50, 0, 0, true, is(4), true),
        (Op::SFf1I32B32, 0, 0, 0, false, is(0xFFFF_FFFF), false),
        (Op::SFf1I32B64, 1 << 40, 0, 0, true, is(40), true),
        (Op::SFf1I32B64, 0, 0, 0, false, is(0xFFFF_FFFF), false),
        (Op::SFlbitI32B32, 0x0080_0000, 0, 0, true, is(8), true),
        (Op::SFlbitI32B32, 0, 0, 0, false, is(0xFFFF_FFFF), false),
        (Op::SBitset0B32, 36, 0, 0xFF, true, is(0xEF), true),
        (Op::SBitset1B32, 36, 0, 0x1, false, is(0x11), false),
        (Op::SBitreplicateB64B32, 0x8000_0005, 0, 0, true, is(0xC000_0000_0000_0033), true),
        (Op::SCmpEqI32, 5, 5, 0, false, NONE, true),
        (Op::SCmpEqU32, 5, 6, 0, true, NONE, false),
        (Op::SCmpkEqI32, 5, 5, 0, false, NONE, true),
        (Op::SCmpkEqU32, 5, 6, 0, true, NONE, false),
        (Op::SCmpLgI32, 5, 5, 0, true, NONE, false),
        (Op::SCmpLgU32, 5, 6, 0, false, NONE, true),
        (Op::SCmpkLgU32, 5, 6, 0, false, NONE, true),
        (Op::SCmpGtI32, 1, 0xFFFF_FFFF, 0, false, NONE, true),
        (Op::SCmpGtI32, 1, 1, 0, true, NONE, false),
        (Op::SCmpGeI32, 1, 1, 0, false, NONE, true),
        (Op::SCmpGeI32, 0xFFFF_FFFF, 1, 0, true, NONE, false),
        (Op::SCmpLtI32, 0xFFFF_FFFF, 1, 0, false, NONE, true),
        (Op::SCmpLtI32, 1, 1, 0, true, NONE, false),
        (Op::SCmpLeI32, 1, 1, 0, false, NONE, true),
        (Op::SCmpLeI32, 1, 0xFFFF_FFFF, 0, true, NONE, false),
        (Op::SCmpGtU32, 0xFFFF_FFFF, 1, 0, false, NONE, true),
        (Op::SCmpGtU32, 1, 1, 0, true, NONE, false),
        (Op::SCmpGeU32, 1, 1, 0, false, NONE, true),
        (Op::SCmpGeU32, 1, 0xFFFF_FFFF, 0, true, NONE, false),
        (Op::SCmpLtU32, 1, 0xFFFF_FFFF, 0, false, NONE, true),
        (Op::SCmpLtU32, 1, 1, 0, true, NONE, false),
        (Op::SCmpkLtU32, 1, 2, 0, false, NONE, true),
        (Op::SCmpLeU32, 1, 1, 0, false, NONE, true),
        (Op::SCmpLeU32, 0xFFFF_FFFF, 1, 0, true, NONE, false),
        (Op::SBitcmp0B32, 0x10, 36, 0, true, NONE, false),
        (Op::SBitcmp0B32, 0x10, 3, 0, false, NONE, true),
        (Op::SBitcmp1B32, 0x10, 36, 0, false, NONE, true),
        (Op::SBitcmp1B32, 0x10, 5, 0, true, NONE, false),
        (Op::SBitcmp0B64, 1 << 40, 104, 0, true, NONE, false),
        (Op::SBitcmp0B64, 1 << 40, 8, 0, false, NONE, true),
        (Op::SBitcmp1B64, 1 << 40, 104, 0, false, NONE, true),
        (Op::SBitcmp1B64, 1 << 40, 8, 0, true, NONE, false),
        (Op::SCmpEqU64, 1 << 40, 1 << 40, 0, false, NONE, true),
        (Op::SCmpEqU64, 1 << 40, 0, 0, true, NONE, false),
        (Op::SCmpLgU64, 1 << 40, 0, 0, false, NONE, true),
        (Op::SCmpLgU64, 1 << 40, 1 << 40, 0, true, NONE, false),
        // Instructions that compute nothing change nothing.
        (Op::SNop, 1, 2, 3, true, NONE, true),
    ];

    #[test]
    fn scalar_instructions_compute_the_expected_results() {
        for &(op, a, b, old, scc, value, after) in RESULTS {
            let out = compute(op, a, b, old, scc);
            assert_eq!((out.value, out.scc), (value, after), "{op:?} of {a:#x} and {b:#x} into {old:#x} with SCC {scc}");
        }
    }

    /// The expected results follow from the names of the instructions; no manual states them.
    #[test]
    fn vector_instructions_compute_the_expected_results() {
        let one = 1f32.to_bits();
        for (op, sources, result) in [
            (Op::VMovB32, [7, 1, 2], 7),
            (Op::VAddF32, [one, one, 0], 2f32.to_bits()),
            (Op::VMulF32, [0.5f32.to_bits(), one, 0], 0.5f32.to_bits()),
            (Op::VSubF32, [one, 3f32.to_bits(), 0], (-2f32).to_bits()),
            (Op::VFloorF32, [2.5f32.to_bits(), 0, 0], 2f32.to_bits()),
            (Op::VFloorF32, [(-2.5f32).to_bits(), 0, 0], (-3f32).to_bits()),
            (Op::VFloorF32, [(-3f32).to_bits(), 0, 0], (-3f32).to_bits()),
            (Op::VFloorF32, [3e9f32.to_bits(), 0, 0], 3e9f32.to_bits()),
            (Op::VCvtF32U32, [u32::MAX, 0, 0], 4_294_967_296f32.to_bits()),
            (Op::VCvtI32F32, [(-2.9f32).to_bits(), 0, 0], -2i32 as u32),
            (Op::VMinU32, [3, u32::MAX, 0], 3),
            (Op::VMinI32, [3, u32::MAX, 0], u32::MAX),
            (Op::VMaxI32, [0, u32::MAX, 0], 0),
            (Op::VLshrrevB32, [4, 0x123, 0], 0x12),
            (Op::VLshlrevB32, [36, 1, 0], 16),
            (Op::VAndB32, [6, 3, 0], 2),
            (Op::VOrB32, [6, 3, 0], 7),
            (Op::VAddU32, [u32::MAX, 3, 0], 2),
            (Op::VBfeU32, [0xABCD, 4, 8], 0xBC),
            (Op::VLshlAddU32, [5, 3, 2], 42),
            (Op::VAdd3U32, [u32::MAX, 1, 9], 9),
            (Op::VMulLoU32, [0x1_0000, 0x1_0001, 0], 0x1_0000),
        ] {
            assert_eq!(vector_result(op, sources), Some(result), "{op:?}");
        }
        assert_eq!(vector_result(Op::SAddU32, [1, 2, 0]), None);
    }
}
