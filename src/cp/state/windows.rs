//! Windows of registers: first and last addresses, and enable bits.

use crate::chip::Gfx;
use crate::regs::Space;

/// Returns the first byte address of the window of a SET or LOAD packet.
pub(in crate::cp) const fn window_start(space: Space) -> u32 {
    match space {
        Space::Config | Space::Privileged => 0x8000,
        Space::Sh => 0xB000,
        Space::Context => 0x28000,
        Space::Uconfig => 0x30000,
    }
}

/// Returns the enable bit of a window in CONTEXT_CONTROL (PAL gfx9_plus_merged_f32_pfp_pm4_packets.h).
pub(in crate::cp) const fn enable_bit(space: Space, compute: bool) -> u32 {
    match space {
        Space::Config | Space::Privileged => 0,
        Space::Context => 1,
        Space::Uconfig => 15,
        Space::Sh if compute => 24,
        Space::Sh => 16,
    }
}

/// Returns the first byte address after the window of a SET packet (PAL gfx9Chip.h; the context window of GFX9 and GFX10 is the wide one).
pub(in crate::cp) const fn window_end(gfx: Gfx, space: Space) -> u32 {
    match space {
        Space::Config => 0xB000,
        Space::Sh => 0xC000,
        Space::Context if gfx.major() >= 11 => 0x29000,
        Space::Context => 0x30000,
        Space::Uconfig => 0x40000,
        Space::Privileged => 0,
    }
}

/// Returns whether a SET packet of the window does not reach the address.
pub(in crate::cp) fn is_outside(gfx: Gfx, space: Space, addr: u32) -> bool {
    addr >= window_end(gfx, space)
}
