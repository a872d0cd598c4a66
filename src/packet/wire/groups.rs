//! Registers that the hardware wants written together.

use crate::chip::Gfx;
use crate::packet::wire::windows::CONTEXT;

/// Equal groups of registers in a row: first byte address, bytes of one group, number of groups.
struct Groups(u32, u32, u32);

const BEFORE_GFX12: [Groups; 4] = [
    // PA_SC_VPORT_SCISSOR_n_TL, _BR; PA_SC_VPORT_ZMIN_n, ZMAX_n; PA_CL_VPORT_XSCALE_n to ZOFFSET_n; PA_CL_GB_VERT_CLIP_ADJ to HORZ_DISC_ADJ
    Groups(0x2_8250, 8, 16),
    Groups(0x2_82D0, 8, 16),
    Groups(0x2_843C, 24, 16),
    Groups(0x2_8BE8, 16, 1),
];

const GFX12: [Groups; 3] = [
    // As above; the depth range is part of the viewport's block.
    Groups(0x2_8250, 8, 16),
    Groups(0x2_842C, 16, 1),
    Groups(0x2_843C, 32, 16),
];

/// Registers of the context window.
const WINDOW: usize = (CONTEXT.end - CONTEXT.start) as usize / 4;

/// One bit a context register, and one for the end of the window: it goes on a group that an earlier register began.
type Inner = [u64; WINDOW / 64 + 1];

const fn inner(groups: &[Groups]) -> Inner {
    let mut bits = [0; WINDOW / 64 + 1];
    let mut at = 0;
    while at < groups.len() {
        let Groups(first, bytes, count) = groups[at];
        let mut offset = 0;
        while offset < bytes * count {
            let slot = ((first - CONTEXT.start + offset) / 4) as usize;
            if offset % bytes != 0 {
                bits[slot / 64] |= 1 << (slot % 64);
            }
            offset += 4;
        }
        at += 1;
    }
    bits
}

static INNER_BEFORE_GFX12: Inner = inner(&BEFORE_GFX12);
static INNER_GFX12: Inner = inner(&GFX12);

/// Whether consecutive registers from `addr` on begin or end inside a group.
#[inline]
pub(in crate::packet) fn tears(gfx: Gfx, addr: u32, registers: usize) -> bool {
    let bits = if gfx.major() >= 12 { &INNER_GFX12 } else { &INNER_BEFORE_GFX12 };
    let inside = |slot: usize| bits.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1);
    let slot = addr.wrapping_sub(CONTEXT.start) as usize / 4;
    registers > 0 && addr & 3 == 0 && (inside(slot) || inside(slot.saturating_add(registers)))
}

/// The first group that consecutive registers from `addr` on would tear.
#[cold]
pub(in crate::packet) fn torn(gfx: Gfx, addr: u32, registers: usize) -> Option<core::ops::Range<u32>> {
    let end = addr.saturating_add(4 * u32::try_from(registers).unwrap_or(0));
    let whole = |group: &core::ops::Range<u32>| addr <= group.start && group.end <= end;
    [Some(addr), end.checked_sub(4)].into_iter().flatten().filter_map(|one| register_group(gfx, one)).find(|group| !whole(group))
}

/// The group that a register belongs to, as byte addresses of its first register and of the one behind its last: the transform of a viewport, its scissor
/// or depth range, the guard band. They are written complete or not at all (PAL gfx9Pm4Optimizer.cpp IsRegisterMustWrite).
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// use pm4::{chip::Gfx, packet::register_group};
/// assert_eq!(register_group(Gfx::Gfx11, 0x28440), Some(0x2843C..0x28454)); // PA_CL_VPORT_XOFFSET
/// assert_eq!(register_group(Gfx::Gfx11, 0x2880C), None);
/// # }
/// ```
#[must_use]
pub fn register_group(gfx: Gfx, addr: u32) -> Option<core::ops::Range<u32>> {
    let groups: &[Groups] = if gfx.major() >= 12 { &GFX12 } else { &BEFORE_GFX12 };
    let Groups(first, bytes, _) = groups.iter().find(|Groups(first, bytes, count)| (*first..first + bytes * count).contains(&addr))?;
    let start = addr - (addr - first) % bytes;
    Some(start..start + bytes)
}
