//! Blocks of swizzle modes: size, dimensions, micro blocks, and the part of a block that small levels share.
//!
//! Dimensions are logarithms to base 2, in elements. Sources: Mesa 25.0.7 addrlib (gfx9addrlib.cpp, gfx10addrlib.cpp, gfx11addrlib.cpp, gfx12addrlib.cpp), checked
//! against its results.

use crate::layout::config::{AddressConfig, Generation};

/// Returns the log2 of the bytes of a block.
pub(in crate::layout) fn block_bytes(config: &AddressConfig, mode: u32) -> u32 {
    if config.generation == Generation::Gfx12 {
        return match mode {
            0 | 1 => 8,
            2 | 5 => 12,
            3 | 6 => 16,
            _ => 18,
        };
    }
    match mode {
        0..=3 => 8,
        4..=7 | 20..=23 => 12,
        28.. if config.generation == Generation::Gfx103 => 14 + u32::from(config.pipes),
        28.. => 18,
        _ => 16,
    }
}

/// Returns the dimensions of a block. `e` and `s` are the log2 of the bytes of an element and of the samples.
pub(in crate::layout) fn block(config: &AddressConfig, mode: u32, thick: bool, e: u32, s: u32) -> [u32; 3] {
    let bytes = block_bytes(config, mode);
    match (config.generation, thick) {
        (Generation::Gfx12, true) => {
            let base = (bytes / 3).saturating_sub(e / 3);
            let (extra, less) = (bytes % 3, e % 3);
            [base + u32::from(extra > 0) - u32::from(less > 0), base, base + u32::from(extra > 1) - u32::from(less > 1)]
        }
        (Generation::Gfx12, false) => {
            let base = (bytes / 2).saturating_sub(e / 2 + s / 2);
            [base.saturating_sub(e & s & 1), base.saturating_sub((e | s) & 1), 0]
        }
        (_, true) => {
            let [w, h, d] = thick_kilobyte(e);
            let doublings = bytes - 10;
            let (each, rest) = (doublings / 3, doublings % 3);
            [w + each, h + each + rest / 2, d + each + u32::from(rest != 0)]
        }
        (Generation::Gfx9, false) => {
            let [w, h] = thin_micro(e);
            let doublings = bytes - 8;
            [(w + doublings / 2).saturating_sub(s.div_ceil(2)), (h + doublings.div_ceil(2)).saturating_sub(s / 2), 0]
        }
        (_, false) => {
            let bits = bytes.saturating_sub(e + s);
            let width = (bits + u32::from(s & 1 == 0 || bytes & 1 == 1)) / 2;
            [width, bits - width, 0]
        }
    }
}

/// Returns the dimensions of 256 bytes of one slice.
pub(in crate::layout) fn thin_micro(e: u32) -> [u32; 2] {
    [(8 - e).div_ceil(2), (8 - e) / 2]
}

/// Returns the dimensions of 256 bytes of several slices: 8x4x8, 4x4x8, 4x4x4, 4x2x4, 2x2x4.
pub(in crate::layout) fn thick_micro(e: u32) -> [u32; 3] {
    [3 - u32::from(e > 0) - u32::from(e > 3), 2 - u32::from(e > 2), 3 - u32::from(e > 1)]
}

/// Returns the dimensions of 1 KiB of several slices: 16x8x8, 8x8x8, 8x8x4, 8x4x4, 4x4x4.
pub(in crate::layout) fn thick_kilobyte(e: u32) -> [u32; 3] {
    [4 - u32::from(e > 0) - u32::from(e > 3), 3 - u32::from(e > 2), 3 - u32::from(e > 1)]
}

/// Returns the dimensions of the largest level that fits into the tail: half a block.
pub(in crate::layout) fn tail(config: &AddressConfig, bytes: u32, thick: bool, block: [u32; 3]) -> [u32; 3] {
    let [w, h, d] = block;
    let half = if thick { [1, 0, 2][(bytes % 3) as usize] } else { u32::from(config.generation == Generation::Gfx12 && bytes & 1 == 1) };
    match half {
        0 => [w.saturating_sub(1), h, d],
        1 => [w, h.saturating_sub(1), d],
        _ => [w, h, d.saturating_sub(1)],
    }
}

/// Returns the maximum number of levels in a tail, from GFX10 on.
pub(in crate::layout) fn tail_levels(bytes: u32, thick: bool) -> u32 {
    let effective = if thick { bytes - (bytes - 8) / 3 } else { bytes };
    match effective {
        0..=8 => 1,
        9..=11 => 1 + (1 << (effective - 9)),
        _ => effective - 4,
    }
}
