//! Registers that the hardware wants written together.

use crate::chip::Gfx;

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
