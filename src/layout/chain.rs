//! Tiled surfaces from GFX10 on: every slice, or row of blocks in z, holds all levels, the smallest first, and the levels of the tail share the first block.

use crate::layout::SwizzleMode;
use crate::layout::blocks;
use crate::layout::config::{AddressConfig, Generation};
use crate::layout::plane::{MAX_LEVELS, Mip, Plane};
use crate::layout::shape::{Dim, Shape, align_size, level_size};

/// First level of the tail, or the number of levels.
fn first_tail(config: &AddressConfig, shape: &Shape, mode: u32, bytes: u32, thick: bool, tail: [u32; 3]) -> u32 {
    if shape.levels == 1 || bytes <= 8 {
        return shape.levels;
    }
    let e = shape.element();
    let [mut w, mut h, _] = tail;
    // HTILE has one tail for depth and stencil: small elements of Z modes take the limits of 4-byte elements (not on Navi10 and GFX12).
    if config.traits.common_tail && config.generation != Generation::Gfx12 && mode & 3 == 0 && e < 2 {
        let [micro_w, micro_h] = blocks::thin_micro(e);
        (w, h) = (w - (micro_w - 3), h - (micro_h - 3));
    }
    let most = blocks::tail_levels(bytes, thick);
    let fits = |level: u32| level_size(shape.width, level) <= 1 << w && level_size(shape.height, level) <= 1 << h && shape.levels - level <= most;
    (0..shape.levels).find(|&level| fits(level)).unwrap_or(shape.levels)
}

/// Where a level lies in the block of the tail: bytes.
fn tail_offset(most: u32, index: u32) -> u32 {
    let step = (most - 1).saturating_sub(index);
    if step > 6 { 16 << step } else { step << 8 }
}

/// Those bytes as elements: bits of the offset go to x and y in turn, in units of micro blocks.
fn tail_coordinates(config: &AddressConfig, bytes: u32, thick: bool, e: u32, offset: u32) -> [u32; 3] {
    let pick = |first: u32| (0..6).fold(0, |bits, i| bits | (offset >> (first + 2 * i) & 1) << i);
    let (mut x, mut y) = (pick(9), pick(8));
    if bytes & 1 == 1 && config.generation == Generation::Gfx103 && !thick {
        (x, y) = (y, x);
        if e & 1 == 1 {
            (x, y) = (x / 2, y * 2 + (x & 1));
        }
    }
    let [w, h, _] = micro(thick, e);
    [x << w, y << h, 0]
}

fn micro(thick: bool, e: u32) -> [u32; 3] {
    if thick {
        blocks::thick_micro(e)
    } else {
        let [w, h] = blocks::thin_micro(e);
        [w, h, 0]
    }
}

/// A plane in a tiled mode.
pub(in crate::layout) fn plane(config: &AddressConfig, shape: &Shape, mode: SwizzleMode, number: u32) -> Plane {
    let (e, s) = (shape.element(), shape.fragments);
    let thick = shape.thick(config, number);
    let bytes = blocks::block_bytes(config, number);
    let [bw, bh, bd] = blocks::block(config, number, thick, e, s);
    let tail = blocks::tail(config, bytes, thick, [bw, bh, bd]);
    let first = first_tail(config, shape, number, bytes, thick, tail);
    let levels = shape.levels.min(MAX_LEVELS as u32);
    let slices = align_size(shape.slices, bd);
    // GFX10 counts the slices of level 0 in each level.
    let depth = |level: u32, unit: u32| match shape.dim {
        Dim::Three if config.generation >= Generation::Gfx11 => align_size(level_size(shape.slices, level), unit),
        Dim::Three => slices,
        _ => 1,
    };
    // Linear offsets count the slices of each level where blocks hold several; on GFX12 always.
    let spread = thick || config.generation == Generation::Gfx12 && shape.dim == Dim::Three;
    let mut mips = [Mip::default(); MAX_LEVELS];
    let mut slice_size = 0u64;
    let (mut offset, mut macro_offset) = (0u64, 0u64);
    if first < levels {
        let most = blocks::tail_levels(bytes, thick);
        let [micro_w, micro_h, micro_d] = micro(thick, e);
        let first_depth = align_size(if spread { level_size(shape.slices, first) } else { 1 }, micro_d);
        for level in first..levels {
            let index = level - first;
            let tail_offset = tail_offset(most, index);
            mips[level as usize] = Mip {
                offset: u64::from(tail_offset) * u64::from(first_depth >> micro_d),
                macro_offset: 0,
                tail_offset,
                tail: tail_coordinates(config, bytes, thick, e, tail_offset),
                pitch: 1 << tail[0].saturating_sub(index).max(micro_w),
                height: 1 << tail[1].saturating_sub(index).max(micro_h),
                depth: if config.generation == Generation::Gfx11 && !thick { 1 } else { depth(level, micro_d) },
                start: [0; 3],
            };
        }
        slice_size = 1 << (bytes - bd);
        (offset, macro_offset) = (u64::from(align_size(first_depth, bd) >> bd) << bytes, 1 << bytes);
    }
    for level in (0..first.min(levels)).rev() {
        let pitch = align_size(level_size(shape.width, level), bw);
        let height = align_size(level_size(shape.height, level), bh);
        let size = (u64::from(pitch) * u64::from(height)) << (e + s);
        mips[level as usize] = Mip { offset, macro_offset, pitch, height, depth: depth(level, bd), ..Mip::default() };
        slice_size += size;
        offset += size * u64::from(if spread { align_size(level_size(shape.slices, level), bd) } else { 1 });
        macro_offset += size << bd;
    }
    Plane {
        mode,
        element_bytes: shape.bytes,
        block: [1 << bw, 1 << bh, 1 << bd],
        pitch: align_size(shape.width, bw),
        height: align_size(shape.height, bh),
        slices,
        slice_size,
        size: slice_size * u64::from(slices),
        align: 1 << bytes,
        first_tail: first,
        chain_in_tail: first == 0 && shape.levels > 1,
        chain: None,
        levels: shape.levels,
        mips,
    }
}
