//! The swizzle modes that a surface may have, rule by rule.
//!
//! Sets of modes are words with one bit per mode number. Sources: Mesa 25.0.7 addrlib (sanity checks of each generation, HwlGetPreferredSurfaceSetting,
//! HwlGetPossibleSwizzleModes), checked against its answers.

use crate::layout::config::{AddressConfig, Display, Generation};
use crate::layout::shape::{Dim, Shape};

pub(in crate::layout) const LINEAR: u32 = 1;
pub(in crate::layout) const BLOCK_256: u32 = 0b1110;
pub(in crate::layout) const BLOCK_4K: u32 = 0x00F0_00F0;
pub(in crate::layout) const BLOCK_64K: u32 = 0x0F0F_0F00;
/// Variable blocks of GFX10.3, 256 KiB of GFX11.
pub(in crate::layout) const BLOCK_LARGE: u32 = 0xF000_0000;
pub(in crate::layout) const Z: u32 = 0x1111_1110;
pub(in crate::layout) const S: u32 = 0x2222_2222;
pub(in crate::layout) const D: u32 = 0x4444_4444;
pub(in crate::layout) const R: u32 = 0x8888_8888;
/// Modes with XOR: `_T` and `_X`.
pub(in crate::layout) const XOR: u32 = 0xFFFF_0000;
const X: u32 = 0xFFF0_0000;
/// GFX12.
pub(in crate::layout) const PLANAR_12: u32 = 0b1_1110;
pub(in crate::layout) const VOLUME_12: u32 = 0b1110_0000;

const fn set(numbers: &[u32]) -> u32 {
    let mut bits = 0;
    let mut i = 0;
    while i < numbers.len() {
        bits |= 1 << numbers[i];
        i += 1;
    }
    bits
}

/// Calls `rule` with each rule that concerns the surface, and the modes that it leaves.
fn rules(config: &AddressConfig, shape: &Shape, rule: &mut impl FnMut(&'static str, u32)) {
    let generation = config.generation;
    let bits = 8 * shape.bytes;
    let multisampled = shape.multisampled;
    if shape.bytes == 12 {
        rule("elements of 96 bits are linear", LINEAR);
    }
    if shape.is_depth() {
        rule("depth and stencil are not linear", !LINEAR);
    }
    if multisampled {
        rule("several samples are not linear", !LINEAR);
    }
    if generation == Generation::Gfx12 {
        return rules_12(shape, rule);
    }
    let flags = &shape.flags;
    rule("dimensions of the surface", dimensions(generation, shape));
    if generation == Generation::Gfx9 && flags.texture && shape.compressed_blocks() {
        rule("compressed blocks that are sampled are not linear on GFX9", !LINEAR);
    }
    if shape.is_depth() {
        rule("depth and stencil have Z modes", Z);
    }
    if flags.fmask {
        rule("FMASK has Z modes", Z);
    }
    if multisampled {
        rule("several samples need blocks above 256 bytes", !BLOCK_256);
        if generation == Generation::Gfx9 {
            if flags.color {
                rule("colour of several samples has no Z mode", !Z);
            }
        } else {
            rule("several samples have Z and R modes", if flags.color { R } else { Z | R });
        }
        if bits > 32 {
            rule("Z modes of several samples hold up to 32 bits", !Z);
        }
    }
    if bits > 64 && (generation != Generation::Gfx9 || shape.dim != Dim::Three) {
        rule("Z modes hold up to 64 bits", !Z);
    }
    if shape.compressed_blocks() {
        rule("compressed blocks have no Z mode", !Z);
    }
    if generation == Generation::Gfx9 {
        if bits > 64 || shape.compressed_blocks() {
            rule("R modes of GFX9 hold up to 64 bits, no compressed blocks", !R);
        }
        if shape.levels > 1 {
            rule("several levels need blocks above 256 bytes", !BLOCK_256);
        }
        if shape.dim == Dim::Three {
            if bits == 128 && flags.color {
                rule("targets of 128 bits and three dimensions have no S mode", !S);
            }
            if shape.levels > 1 && shape.slices >= shape.width && shape.slices >= shape.height {
                rule("levels of an image as deep as wide and high have no D mode", !D);
            }
            if flags.sparse {
                rule("sparse images of three dimensions have no D mode", !D);
            }
        }
    }
    if shape.is_depth() || shape.dim == Dim::Three {
        rule("depth and three dimensions need blocks above 256 bytes", !BLOCK_256);
    }
    if flags.rate_image && generation == Generation::Gfx11 {
        rule("shading-rate images are 64KB_R_X", 1 << 27);
    }
    if flags.video {
        rule("reference frames of the decoder are 256B_D", 1 << 2);
    }
    if flags.display {
        rule("what the display engine reads", displayable(config, bits));
    }
}

fn rules_12(shape: &Shape, rule: &mut impl FnMut(&'static str, u32)) {
    let flags = &shape.flags;
    let volume = shape.dim == Dim::Three;
    rule(
        "dimensions of the surface",
        match (volume, shape.compressed_blocks() || flags.slices_as_layers) {
            (false, _) => LINEAR | PLANAR_12,
            (true, true) if !flags.sparse => LINEAR | PLANAR_12 & !(1 << 1),
            (true, _) => LINEAR | VOLUME_12,
        },
    );
    if flags.sparse {
        rule("sparse images have blocks of 64 KiB", 1 << 3 | 1 << 6);
    }
    if shape.is_depth() {
        rule("depth and stencil are 64KB_2D or 256KB_2D", 1 << 3 | 1 << 4);
    }
    if flags.rate_image {
        rule("shading-rate images are not linear", !LINEAR);
    }
    if flags.video {
        rule("reference frames of the decoder are 256B_2D", 1 << 1);
    }
    if flags.display {
        rule("what the display engine reads", displayable_12(8 * shape.bytes));
    }
}

fn displayable_12(bits: u32) -> u32 {
    if bits > 64 { 0 } else { LINEAR | PLANAR_12 }
}

/// Returns the modes that support the number of dimensions.
fn dimensions(generation: Generation, shape: &Shape) -> u32 {
    let sparse = shape.flags.sparse;
    match (generation, shape.dim, sparse) {
        (Generation::Gfx9, Dim::One, _) => LINEAR,
        (Generation::Gfx9, Dim::Two, false) => LINEAR | BLOCK_256 | BLOCK_4K | BLOCK_64K,
        (Generation::Gfx9, Dim::Three, false) => LINEAR | (BLOCK_4K | BLOCK_64K) & !R,
        (Generation::Gfx9, Dim::Two, true) => (BLOCK_4K | BLOCK_64K) & !X,
        (Generation::Gfx9, Dim::Three, true) => (BLOCK_4K | BLOCK_64K) & !X & !D & !R,
        (Generation::Gfx10, Dim::One, _) => set(&[0, 24, 27]),
        (Generation::Gfx10, Dim::Two, false) => set(&[0, 1, 2, 5, 6, 9, 10, 17, 18, 21, 22, 24, 25, 26, 27]),
        (Generation::Gfx10, Dim::Three, false) => set(&[0, 5, 9, 17, 21, 24, 25, 26, 27]),
        (Generation::Gfx103, Dim::One, _) => set(&[0, 24, 27, 28, 31]),
        (Generation::Gfx103, Dim::Two, false) => set(&[0, 1, 2, 5, 6, 9, 10, 17, 18, 21, 22, 24, 25, 26, 27, 28, 31]),
        (Generation::Gfx103, Dim::Three, false) => set(&[0, 5, 9, 17, 21, 24, 25, 26, 27, 28, 31]),
        (Generation::Gfx10 | Generation::Gfx103, Dim::Two, true) => set(&[5, 6, 9, 10, 17, 18]),
        (Generation::Gfx11, Dim::One, _) => set(&[0, 24, 27]),
        (Generation::Gfx11, Dim::Two, false) => set(&[0, 2, 6, 10, 18, 22, 24, 26, 27, 28, 30, 31]),
        (Generation::Gfx11, Dim::Three, false) => set(&[0, 5, 9, 17, 21, 25, 29, 24, 28, 27, 31, 26]),
        (Generation::Gfx11, Dim::Two, true) => set(&[6, 10, 18]),
        (_, Dim::Three, true) => set(&[5, 9, 17]),
        (Generation::Gfx12, ..) => 0,
    }
}

/// Returns the modes that the display engine reads, for elements of up to 64 bits.
pub(in crate::layout) fn displayable(config: &AddressConfig, bits: u32) -> u32 {
    let only_64 = |modes: &[u32]| if bits == 64 { set(modes) } else { 0 };
    if bits > 64 {
        return 0;
    }
    match config.traits.display {
        Display::Dce12 => LINEAR | (BLOCK_4K | BLOCK_64K) & (D | R) & !(0xF << 16) | if bits == 32 { set(&[2, 3]) } else { 0 },
        Display::Dcn1 => set(&[0, 5, 9, 17, 21, 25]) | only_64(&[6, 10, 18, 22, 26]),
        Display::Dcn20 => set(&[0, 5, 9, 17, 21, 25, 27]) | only_64(&[6, 10, 18, 22, 26]),
        Display::Dcn3 => set(&[0, 9, 17, 25, 27]) | only_64(&[10, 18, 26]),
        Display::Dcn32 { large_blocks } => set(&[0, 10, 18, 26, 27]) | if large_blocks { set(&[30, 31]) } else { 0 },
        Display::Dcn4 => displayable_12(bits),
    }
}

/// Returns the legal modes; the error is the rule that left none.
pub(in crate::layout) fn allowed(config: &AddressConfig, shape: &Shape) -> Result<u32, &'static str> {
    let (mut modes, mut last) = (u32::MAX, None);
    rules(config, shape, &mut |why, left| {
        modes &= left;
        if modes == 0 && last.is_none() {
            last = Some(why);
        }
    });
    last.map_or(Ok(modes), Err)
}

/// Returns the rule that forbids a mode.
pub(in crate::layout) fn why_not(config: &AddressConfig, shape: &Shape, mode: u32) -> Option<&'static str> {
    let mut first = None;
    rules(config, shape, &mut |why, left| {
        if left >> mode & 1 == 0 && first.is_none() {
            first = Some(why);
        }
    });
    first
}
