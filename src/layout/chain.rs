//! Tiled surfaces from GFX10 on: every slice, or row of blocks in z, holds all levels, the smallest first, and the levels of the tail share the first block.

use crate::layout::blocks;
use crate::layout::config::{AddressConfig, Generation};
use crate::layout::plane::{MAX_LEVELS, Mip, Mips, Outline};
use crate::layout::shape::{Dim, Shape, align_size, level_size};

/// Returns the first level of the tail, or the number of levels if there is no tail.
fn first_tail(config: &AddressConfig, shape: &Shape, mode: u32, bytes: u32, thick: bool, tail: [u32; 3]) -> u32 {
    if shape.levels == 1 || bytes <= 8 {
        return shape.levels;
    }
    let e = shape.element();
    let [mut w, mut h, _] = tail;
    // HTILE has one tail for depth and stencil, so small elements of Z modes use the limits of 4-byte elements (not on Navi10 and GFX12).
    if config.traits.common_tail && config.generation != Generation::Gfx12 && mode & 3 == 0 && e < 2 {
        let [micro_w, micro_h] = blocks::thin_micro(e);
        (w, h) = (w - (micro_w - 3), h - (micro_h - 3));
    }
    // A level fits if its rounded-up size does: level n fits if the size of level 0 is at most 2^n times the limit.
    let by_size = |size: u32, limit: u32| size.next_power_of_two().ilog2().saturating_sub(limit);
    let by_count = shape.levels.saturating_sub(blocks::tail_levels(bytes, thick));
    by_size(shape.width, w).max(by_size(shape.height, h)).max(by_count).min(shape.levels)
}

/// Returns the offset in bytes of a level in the block of the tail.
fn tail_offset(most: u32, index: u32) -> u32 {
    let step = (most - 1).saturating_sub(index);
    if step > 6 { 16 << step } else { step << 8 }
}

/// Converts such an offset to elements: its bits alternate between x and y, in units of micro blocks.
fn tail_coordinates(config: &AddressConfig, bytes: u32, thick: bool, e: u32, offset: u32) -> [u16; 2] {
    let every_second = |bits: u32| {
        let pairs = (bits | bits >> 1) & 0x333;
        let fours = (pairs | pairs >> 2) & 0xF0F;
        (fours | fours >> 4) & 0x3F
    };
    let (mut x, mut y) = (every_second(offset >> 9 & 0x555), every_second(offset >> 8 & 0x555));
    if bytes & 1 == 1 && config.generation == Generation::Gfx103 && !thick {
        (x, y) = (y, x);
        if e & 1 == 1 {
            (x, y) = (x / 2, y * 2 + (x & 1));
        }
    }
    let [w, h, _] = micro(thick, e);
    [(x << w) as u16, (y << h) as u16]
}

fn micro(thick: bool, e: u32) -> [u32; 3] {
    if thick {
        blocks::thick_micro(e)
    } else {
        let [w, h] = blocks::thin_micro(e);
        [w, h, 0]
    }
}

/// The blocks of a surface in a mode.
struct Blocks {
    /// Bytes of a block, dimensions of a block and of the largest level in the tail, log2.
    bytes: u32,
    block: [u32; 3],
    tail: [u32; 3],
    thick: bool,
    first_tail: u32,
}

impl Blocks {
    fn of(config: &AddressConfig, shape: &Shape, number: u32) -> Self {
        let thick = shape.thick(config, number);
        let bytes = blocks::block_bytes(config, number);
        let block = blocks::block(config, number, thick, shape.element(), shape.fragments);
        let tail = blocks::tail(config, bytes, thick, block);
        Self { bytes, block, tail, thick, first_tail: first_tail(config, shape, number, bytes, thick, tail) }
    }
}

/// Returns the pitch and the number of rows of a level outside the tail, and the bytes of one slice.
fn level(shape: &Shape, block: [u32; 3], level: u32) -> (u32, u32, u64) {
    let pitch = align_size(level_size(shape.width, level), block[0]);
    let height = align_size(level_size(shape.height, level), block[1]);
    (pitch, height, (u64::from(pitch) * u64::from(height)) << (shape.element() + shape.fragments))
}

/// Returns the plane of a surface in a tiled mode, without its levels.
pub(in crate::layout) fn outline(config: &AddressConfig, shape: &Shape, number: u32) -> Outline {
    let Blocks { bytes, block, first_tail, .. } = Blocks::of(config, shape, number);
    let [bw, bh, bd] = block;
    let slices = align_size(shape.slices, bd);
    let tail_size = if first_tail < shape.levels { 1 << (bytes - bd) } else { 0 };
    let slice_size = (0..first_tail.min(shape.levels)).fold(tail_size, |size, index| size + level(shape, block, index).2);
    Outline {
        block: [1 << bw, 1 << bh, 1 << bd],
        pitch: align_size(shape.width, bw),
        height: align_size(shape.height, bh),
        slices,
        slice_size,
        size: slice_size * u64::from(slices),
        align: 1 << bytes,
        first_tail,
        chain_in_tail: first_tail == 0 && shape.levels > 1,
        chain: None,
    }
}

/// Fills in the levels of such a plane.
pub(in crate::layout) fn mips(config: &AddressConfig, shape: &Shape, number: u32, mips: &mut Mips) {
    let Blocks { bytes, block, tail, thick, first_tail } = Blocks::of(config, shape, number);
    let (e, bd) = (shape.element(), block[2]);
    let levels = shape.levels.min(MAX_LEVELS as u32);
    let volume = shape.dim == Dim::Three;
    // GFX10 counts the slices of level 0 in each level.
    let depth = |level: u32, unit: u32| match volume {
        true if config.generation >= Generation::Gfx11 => align_size(level_size(shape.slices, level), unit),
        true => align_size(shape.slices, bd),
        false => 1,
    };
    // Linear offsets count the slices of each level if blocks hold several slices, and always on GFX12.
    let spread = thick || config.generation == Generation::Gfx12 && volume;
    let slices = |level: u32, unit: u32| if spread { align_size(level_size(shape.slices, level), unit) } else { 1 };
    let (mut offset, mut macro_offset) = (0u64, 0u64);
    if first_tail < levels {
        let most = blocks::tail_levels(bytes, thick);
        let [micro_w, micro_h, micro_d] = micro(thick, e);
        let first_depth = slices(first_tail, micro_d);
        for (level, mip) in (first_tail..levels).zip(&mut mips[first_tail as usize..]) {
            let index = level - first_tail;
            let tail_offset = tail_offset(most, index);
            *mip = Mip {
                offset: u64::from(tail_offset) * u64::from(first_depth >> micro_d),
                macro_offset: 0,
                tail_offset,
                tail: tail_coordinates(config, bytes, thick, e, tail_offset),
                pitch: 1 << tail[0].saturating_sub(index).max(micro_w),
                height: 1 << tail[1].saturating_sub(index).max(micro_h),
                depth: if config.generation == Generation::Gfx11 && !thick { 1 } else { depth(level, micro_d) },
            };
        }
        (offset, macro_offset) = (u64::from(align_size(first_depth, bd) >> bd) << bytes, 1 << bytes);
    }
    for index in (0..first_tail.min(levels)).rev() {
        let (pitch, height, size) = level(shape, block, index);
        if let Some(mip) = mips.get_mut(index as usize) {
            *mip = Mip { offset, macro_offset, pitch, height, depth: depth(index, bd), ..Mip::default() };
        }
        offset += size * u64::from(slices(index, bd));
        macro_offset += size << bd;
    }
}
