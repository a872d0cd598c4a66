//! Registers that the hardware needs written together.

use crate::chip::Gfx;
use crate::packet::wire::windows::CONTEXT;
use crate::regs::tables;

/// Returns whether a context register is in a group but is not its first register.
pub(crate) const fn inside_group(gfx: Gfx, addr: u32) -> bool {
    let slot = addr.wrapping_sub(CONTEXT.start) as usize / 4;
    let bits = &tables(gfx).inner;
    slot / 64 < bits.len() && bits[slot / 64] >> (slot % 64) & 1 == 1
}

/// Returns whether consecutive registers from `addr` on begin or end inside a group.
#[inline]
pub(in crate::packet) fn tears(gfx: Gfx, addr: u32, registers: usize) -> bool {
    let bits = &tables(gfx).inner;
    let inside = |slot: usize| bits.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1);
    let slot = addr.wrapping_sub(CONTEXT.start) as usize / 4;
    registers > 0 && addr & 3 == 0 && (inside(slot) || inside(slot.saturating_add(registers)))
}

/// Returns the first group that consecutive registers from `addr` on would tear.
#[cold]
pub(in crate::packet) fn torn(gfx: Gfx, addr: u32, registers: usize) -> Option<core::ops::Range<u32>> {
    let end = addr.saturating_add(4 * u32::try_from(registers).unwrap_or(0));
    let whole = |group: &core::ops::Range<u32>| addr <= group.start && group.end <= end;
    [Some(addr), end.checked_sub(4)].into_iter().flatten().filter_map(|one| register_group(gfx, one)).find(|group| !whole(group))
}

/// Returns the group that a register belongs to, as byte addresses of its first register and after its last register: the transform of a viewport, its scissor
/// or depth range, the guard band. They are written completely or not at all (PAL gfx9Pm4Optimizer.cpp IsRegisterMustWrite). `regdb/` lists the groups, and so
/// does [`RegisterInfo::group`](crate::regs::RegisterInfo::group).
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// use pm4::{chip::Gfx, packet::register_group};
/// assert_eq!(register_group(Gfx::Gfx11, 0x28440), Some(0x2843C..0x28454)); // PA_CL_VPORT_XOFFSET
/// assert_eq!(register_group(Gfx::Gfx11, 0x2880C), None);
/// # }
/// ```
#[must_use]
pub const fn register_group(gfx: Gfx, addr: u32) -> Option<core::ops::Range<u32>> {
    let groups = tables(gfx).groups;
    // The last row that begins at the address or before it: rows are sorted and do not overlap.
    let (mut at, mut end) = (0, groups.len());
    while at < end {
        let middle = (at + end) / 2;
        if groups[middle].first <= addr { at = middle + 1 } else { end = middle }
    }
    if at == 0 {
        return None;
    }
    let row = &groups[at - 1];
    if addr >= row.first + row.bytes * row.count {
        return None;
    }
    let start = addr - (addr - row.first) % row.bytes;
    Some(start..start + row.bytes)
}
