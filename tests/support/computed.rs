//! The results of packets that compute what they write, from descriptions of the hardware, independent of the model.

use super::random_packets::{of_space, resolve};
use pm4::chip::Gfx;
use pm4::packet::{Action, Effect, Opcode, Packet, Queue};
use pm4::regs::Space;
use std::collections::BTreeMap;

/// The known state before a packet.
pub trait Before {
    /// Returns a register by byte address.
    fn register(&self, addr: u32) -> Option<u32>;
    /// Returns a dword of memory.
    fn dword(&self, addr: u64) -> Option<u32>;
    /// Returns a dword of the constant engine's memory by number.
    fn const_ram(&self, dword: u32) -> Option<u32>;
}

/// Returns the memory writes of packets that do not contain the values but compute them, from descriptions of the hardware.
pub fn computed(
    packet: &Packet<'_>,
    gfx: Gfx,
    queue: Queue,
    effects: &[Effect<'_>],
    before: &dyn Before,
    bases: &BTreeMap<(u8, bool), u64>,
) -> BTreeMap<u64, u32> {
    let ranges = |write: bool| {
        effects.iter().filter_map(move |e| match e.action {
            Action::Write { at, bytes, .. } if write => Some((resolve(at, bases)?, bytes)),
            Action::Read { at, bytes } if !write => Some((resolve(at, bases)?, bytes)),
            _ => None,
        })
    };
    let get = |name: &str| packet.field(gfx, queue, name).unwrap_or(0) as u32;
    let mut left = BTreeMap::new();
    let (Some((to, bytes)), from) = (ranges(true).next(), ranges(false).next()) else { return left };
    let copied = |left: &mut BTreeMap<u64, u32>| {
        // No source states the result of a copy whose destination overlaps its source.
        if let Some((from, length)) = from.filter(|(from, length)| *length == bytes && (from + length <= to || to + bytes <= *from || *from == to)) {
            left.extend((0..length / 4).filter_map(|i| Some((to + 4 * i, before.dword(from + 4 * i)?))));
        }
    };
    match packet.header.opcode() {
        Opcode::ATOMIC_MEM => {
            let high = if bytes == 8 { before.dword(to + 4) } else { Some(0) };
            let Some(old) = before.dword(to).zip(high).map(|(low, high)| u64::from(low) | u64::from(high) << 32) else { return left };
            let wide = |lo: &str, hi: &str| u64::from(get(hi)) << 32 | u64::from(get(lo));
            let (code, source, compare) = (get("atomic"), wide("src_data_lo", "src_data_hi"), wide("cmp_data_lo", "cmp_data_hi"));
            let Some(new) = atomic(code, old, source, compare) else { return left };
            left.extend((0..bytes / 4).map(|i| (to + 4 * i, (new >> (32 * i)) as u32)));
        }
        Opcode::COPY_DATA if get("src_sel") == 0 => {
            // Registers have 18 bits, of 38 on GFX12.
            let first = get("src_reg_offset").max(get("src_reg_offset_lo"));
            let register = |i: u64| before.register(4 * (first + i as u32)).filter(|_| first < 1 << 18 && get("src_reg_offset_hi") == 0);
            left.extend((0..bytes / 4).filter_map(|i| Some((to + 4 * i, register(i)?))));
        }
        Opcode::COPY_DATA => copied(&mut left),
        // A constant address reads the same dword repeatedly.
        Opcode::DMA_DATA if get("saic") == 0 => copied(&mut left),
        // Other queues do not know what the constant engine has written.
        Opcode::DUMP_CONST_RAM | Opcode::DUMP_CONST_RAM_OFFSET if queue == Queue::Constant => {
            left.extend((0..bytes / 4).filter_map(|i| Some((to + 4 * i, before.const_ram(get("offset") / 4 + i as u32)?))))
        }
        _ => {}
    }
    left
}

/// Returns the result of a 32-bit or 64-bit atomic operation (64-bit codes are 32 higher, those that return nothing 64 higher).
pub fn atomic(code: u32, old: u64, source: u64, compare: u64) -> Option<u64> {
    let wide = matches!(code, 39..=57 | 103..=121);
    let mask = if wide { u64::MAX } else { u32::MAX.into() };
    let (old, source, compare) = (old & mask, source & mask, compare & mask);
    let signed = |value: u64| if wide { value as i64 } else { value as i32 as i64 };
    let new = match code % 32 {
        7 => source,
        8 => {
            if old == compare {
                source
            } else {
                old
            }
        }
        15 => old.wrapping_add(source),
        16 => old.wrapping_sub(source),
        17 => {
            if signed(source) < signed(old) {
                source
            } else {
                old
            }
        }
        18 => old.min(source),
        19 => {
            if signed(source) > signed(old) {
                source
            } else {
                old
            }
        }
        20 => old.max(source),
        21 => old & source,
        22 => old | source,
        23 => old ^ source,
        24 => {
            if old >= source {
                0
            } else {
                old + 1
            }
        }
        25 => {
            if old == 0 || old > source {
                source
            } else {
                old - 1
            }
        }
        26 => old.saturating_sub(source),
        27 => {
            if old >= source {
                old - source
            } else {
                old
            }
        }
        _ => return None,
    };
    Some(new & mask)
}

/// Returns the registers set by a LOAD_*_REG_INDEX from pairs of offset and value in memory: all its groups have the pairs at the same address and set them one
/// after the other. None if a pair is in unknown memory, which may set any register.
pub fn pairs(packet: &Packet<'_>, space: Space, effects: &[Effect<'_>], before: &dyn Before, bases: &BTreeMap<(u8, bool), u64>) -> Option<BTreeMap<u32, u32>> {
    let groups = packet.body.get(2..).unwrap_or_default().chunks_exact(2);
    let counts = groups.filter(|group| group[0] >> 31 == 1).map(|group| group[1] & 0x3FFF);
    let from = effects.iter().find_map(|e| if let Action::Read { at, .. } = e.action { resolve(at, bases) } else { None });
    let range = of_space(space);
    let pair =
        |i: u32| Some((from? + 8 * u64::from(i), range.start)).and_then(|(at, start)| Some((start + 4 * (before.dword(at)? & 0xFFFF), before.dword(at + 4)?)));
    let all: Option<Vec<(u32, u32)>> = counts.flat_map(|count| (0..count).map(pair)).collect();
    all.map(|all| all.into_iter().filter(|(addr, _)| range.contains(addr)).collect())
}
