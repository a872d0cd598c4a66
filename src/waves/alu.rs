//! What scalar instructions compute.

use crate::isa::Op;

/// The result of an instruction: what it writes, if anything, and the condition code after it.
pub(super) struct Out {
    pub value: Option<u64>,
    pub scc: bool,
}

const fn field(width: u32, at: u32) -> u64 {
    ((1u64 << (width & 63)) - 1) << (at & 63)
}

/// Computes `op`. Operands of 32 bits come zero-extended; `old` is the destination before. Comparisons write nothing.
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
