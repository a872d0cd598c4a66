//! The swizzle mode that Mesa 25.0.7 chooses among the legal ones (ac_surface.c gfx9_get_preferred_swizzle_mode, gfx12_select_swizzle_mode; addrlib
//! HwlGetPreferredSurfaceSetting, gfx12addrlib.cpp): the largest block that does not cost too much memory, then the letter that the hardware prefers.

use crate::layout::config::{AddressConfig, Generation};
use crate::layout::legal::{self, BLOCK_4K, BLOCK_64K, BLOCK_256, BLOCK_LARGE, D, LINEAR, R, S, XOR, Z};
use crate::layout::shape::{Dim, Shape, align};
use crate::layout::{blocks, size};

/// The largest permitted block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum BlockLimit {
    /// 4 KiB.
    Kib4,
    /// 64 KiB.
    Kib64,
    /// Any block that the chip supports.
    #[default]
    Any,
}

/// Returns the number of the chosen mode; the error is the rule that forbids every mode.
pub(in crate::layout) fn choose(config: &AddressConfig, shape: &Shape, limit: BlockLimit) -> Result<u32, &'static str> {
    let legal = legal::allowed(config, shape)?;
    if config.generation == Generation::Gfx12 { choose_12(config, shape, limit, legal) } else { choose_9_to_11(config, shape, limit, legal) }
}

fn choose_9_to_11(config: &AddressConfig, shape: &Shape, limit: BlockLimit, legal: u32) -> Result<u32, &'static str> {
    let (generation, flags) = (config.generation, &shape.flags);
    let mut forbidden = 0;
    if !flags.video {
        forbidden |= BLOCK_256;
    }
    if generation != Generation::Gfx11 || !config.traits.own_memory {
        forbidden |= BLOCK_LARGE;
    }
    if flags.sparse {
        forbidden |= LINEAR | BLOCK_4K | BLOCK_LARGE;
    }
    match limit {
        BlockLimit::Kib4 => forbidden |= BLOCK_64K | BLOCK_LARGE,
        BlockLimit::Kib64 => forbidden |= BLOCK_LARGE,
        BlockLimit::Any => {}
    }
    let mut modes = legal & !forbidden;
    if generation != Generation::Gfx9 && shape.dim == Dim::Three && shape.slices > 1 && modes & (S | LINEAR) != 0 {
        modes &= S | LINEAR;
    }
    if modes == 0 {
        return Err("blocks of this size");
    }
    if modes == LINEAR {
        return Ok(0);
    }
    if shape.height > 1 {
        modes &= !LINEAR;
    }
    modes = block_of_least_cost(config, shape, modes);
    if modes == LINEAR {
        return Ok(0);
    }
    // Texture-readable multisampled depth (chips whose depth has no pipe XOR).
    let fragments = 1 << shape.fragments;
    if config.traits.no_depth_xor
        && flags.depth
        && flags.texture
        && (shape.bytes == 2 && fragments >= 4 || shape.bytes == 4 && fragments >= 2)
        && modes & !XOR != 0
    {
        modes &= !XOR;
    }
    let thick_64 = (modes & BLOCK_64K) != 0 && shape.thick(config, modes.ilog2());
    let letters = letters(generation, shape, thick_64);
    modes = letters.into_iter().map(|letter| modes & letter).find(|&left| left != 0).unwrap_or(modes);
    Ok(modes.ilog2())
}

/// Returns sets of modes by letter, in order of preference.
fn letters(generation: Generation, shape: &Shape, thick_64: bool) -> [u32; 4] {
    let color = shape.flags.color;
    let only = |condition: bool, letter: u32| if condition { letter } else { 0 };
    match (generation, shape.compressed_blocks(), shape.dim) {
        (Generation::Gfx9, true, _) => [D, S, 0, 0],
        (_, true, _) => [D, S, R, 0],
        (Generation::Gfx9, false, Dim::Three) => [only(color, D), Z, S, 0],
        (Generation::Gfx9, false, _) => [D, S, Z, 0],
        (Generation::Gfx11, false, Dim::Three) => [only(color, R), S, D, Z],
        (_, false, Dim::Three) => [only(color && thick_64, D), S, R, Z],
        (Generation::Gfx11, false, _) => [R, D, Z, 0],
        (_, false, _) => [R, D, S, Z],
    }
}

/// Returns the modes with one size of block: a larger block is chosen if it costs at most 3/2 of the memory.
fn block_of_least_cost(config: &AddressConfig, shape: &Shape, modes: u32) -> u32 {
    let thick: u32 = if shape.dim == Dim::Three { (1..32).filter(|&mode| shape.thick(config, mode)).fold(0, |bits, mode| bits | 1 << mode) } else { 0 };
    let kinds = [
        modes & LINEAR,
        modes & BLOCK_256,
        modes & BLOCK_4K & !thick,
        modes & BLOCK_4K & thick,
        modes & BLOCK_64K & !thick,
        modes & BLOCK_64K & thick,
        modes & BLOCK_LARGE & !thick,
        modes & BLOCK_LARGE & thick,
    ];
    if kinds.iter().filter(|&&kind| kind != 0).count() == 1 {
        return modes;
    }
    let mut best: Option<(u32, u64)> = None;
    for kind in kinds.into_iter().filter(|&kind| kind != 0) {
        // Tails of Z modes differ, so the comparison uses another mode with the same block.
        let mode = (kind & !Z).checked_ilog2().unwrap_or_else(|| other_letter(config, kind.ilog2()));
        let size = size::outline(config, shape, mode).size;
        if best.is_none_or(|(_, current)| size.saturating_mul(2) <= current.saturating_mul(3)) {
            best = Some((kind, size));
        }
    }
    best.map_or(modes, |(kind, _)| kind)
}

/// Returns a thin mode with the same block but without Z order, because the tail of small Z elements is shorter.
fn other_letter(config: &AddressConfig, mode: u32) -> u32 {
    if config.generation == Generation::Gfx9 { mode } else { mode | 3 }
}

fn choose_12(config: &AddressConfig, shape: &Shape, limit: BlockLimit, legal: u32) -> Result<u32, &'static str> {
    if shape.dim == Dim::One && !shape.is_depth() && legal & LINEAR != 0 {
        return Ok(0);
    }
    let mut modes = legal;
    if shape.compressed_blocks() {
        modes &= !LINEAR;
    }
    modes &= match limit {
        BlockLimit::Kib4 => LINEAR | 1 << 1 | 1 << 2 | 1 << 5,
        BlockLimit::Kib64 => !(1 << 4 | 1 << 7),
        BlockLimit::Any if config.traits.own_memory => u32::MAX,
        BlockLimit::Any => !(1 << 4 | 1 << 7),
    };
    let has = |mode: u32| modes >> mode & 1 == 1;
    if modes == 0 {
        return Err("blocks of this size");
    }
    let ideal = estimate(shape, [0, 0, 0], 0);
    let dimensions = |mode: u32| blocks::block(config, mode, mode >= 5, shape.element(), shape.fragments);
    // At most `tenths` tenths of the size without blocks.
    let within =
        |mode: u32, tenths: u64| estimate(shape, dimensions(mode), blocks::block_bytes(config, mode)).saturating_mul(10) <= ideal.saturating_mul(tenths);
    if has(7) && (!has(6) || within(7, 11)) {
        return Ok(7);
    }
    if has(6) && (!has(5) || within(6, 12)) {
        return Ok(6);
    }
    if has(5) && (within(5, 20) || shape.slices >= 3 << dimensions(5)[2]) {
        return Ok(5);
    }
    if has(4) && (!has(3) || within(4, 11)) {
        return Ok(4);
    }
    if has(3) && (!has(2) || within(3, 13)) {
        return Ok(3);
    }
    if has(2) && (!has(1) && !has(0) || within(2, 20)) {
        return Ok(2);
    }
    let linear = [8 - shape.element(), 0, 0];
    if has(1) && (!has(0) || estimate(shape, dimensions(1), 8) <= 3 * estimate(shape, linear, 8)) {
        return Ok(1);
    }
    Ok(0)
}

/// Estimates the memory that blocks would cost: dimensions padded to the block, summed over levels until one fits into half a block.
fn estimate(shape: &Shape, block: [u32; 3], block_bytes: u32) -> u64 {
    let [bw, bh, bd] = block;
    let [texel_w, texel_h] = shape.texels.map(u64::from);
    let elements = |size: u64, texel: u64| if texel == 1 { size } else { u64::from((size as u32).div_ceil(texel as u32)) };
    let mut w = align(elements(shape.width_texels.into(), texel_w), bw) * texel_w;
    let mut h = align(elements(shape.height_texels.into(), texel_h), bh) * texel_h;
    let mut d = align(shape.slices.into(), bd);
    if shape.levels > 1 && bh > 0 {
        (w, h) = (w.next_power_of_two(), h.next_power_of_two());
    }
    let mut sum = 0;
    for _ in 0..shape.levels {
        let bytes = (elements(w, texel_w) * elements(h, texel_h) * d * u64::from(shape.bytes)) << shape.fragments;
        sum += bytes;
        if block_bytes >= 12 && bytes <= 1 << (block_bytes - 1) {
            break;
        }
        (w, h) = ((w / 2).max(1), (h / 2).max(1));
        if shape.dim == Dim::Three {
            d = (d / 2).max(1);
        }
    }
    sum
}
