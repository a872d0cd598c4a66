//! Linear surfaces: rows are padded to 256 bytes, on GFX12 to 128; levels are ordered from the smallest to the largest, on GFX9 from the largest to the
//! smallest with a common pitch.

use crate::layout::config::{AddressConfig, Generation};
use crate::layout::plane::{Chain, MAX_LEVELS, Mip, Mips, Outline};
use crate::layout::shape::{Dim, Shape, align, align_size, level_size};

/// Returns the number of elements in a row of level 0; elements of 12 bytes count as three.
fn width(shape: &Shape) -> u32 {
    if shape.bytes == 12 { shape.width.saturating_mul(3) } else { shape.width }
}

/// Returns the log2 of the number of elements to which rows are padded.
fn unit(config: &AddressConfig, shape: &Shape) -> u32 {
    // Colour with one layer and level is padded to 256 bytes so that other GPUs can read it (Mesa 25.0.7 ac_surface.c).
    let shared = one_slice(shape) && shape.levels == 1 && shape.dim == Dim::Two && !shape.compressed_blocks();
    let row = if config.generation == Generation::Gfx12 && !shared { 7u32 } else { 8 };
    row.saturating_sub(shape.element())
}

fn one_slice(shape: &Shape) -> bool {
    shape.slices == 1 && shape.dim != Dim::Three
}

/// Returns the bytes of a slice of a level. On GFX12, rows count as 256 bytes, except in level 0 of an image of one slice.
fn bytes(config: &AddressConfig, shape: &Shape, level: u32, pitch: u32, height: u32) -> u64 {
    let (row, rows) = (u64::from(pitch) << shape.element(), u64::from(height));
    match config.generation {
        Generation::Gfx12 if one_slice(shape) && level == 0 => align(row * rows, 8),
        Generation::Gfx12 => align(row, 8) * rows,
        _ => row * rows,
    }
}

/// Returns the linear plane of a surface, without its levels.
pub(in crate::layout) fn outline(config: &AddressConfig, shape: &Shape) -> Outline {
    let unit = unit(config, shape);
    let pitch = align_size(width(shape), unit);
    let gfx9 = config.generation == Generation::Gfx9;
    let (mut slice_size, mut rows, mut height) = (0u64, 0u32, shape.height);
    for level in 0..shape.levels {
        rows = rows.saturating_add(height);
        height = height.div_ceil(2);
        slice_size += bytes(config, shape, level, align_size(level_size(width(shape), level), unit), level_size(shape.height, level));
    }
    if gfx9 {
        slice_size = (u64::from(pitch) * u64::from(rows)) << shape.element();
    }
    let epitch = if shape.levels > 1 { rows } else { pitch } - 1;
    Outline {
        block: [1 << (8 - shape.element()), 1, 1],
        pitch,
        height: shape.height,
        slices: shape.slices,
        slice_size,
        size: slice_size * u64::from(shape.slices),
        align: 256,
        first_tail: shape.levels,
        chain_in_tail: false,
        chain: gfx9.then_some(Chain { pitch, height: rows, epitch }),
    }
}

/// Fills in the levels of a linear plane.
pub(in crate::layout) fn mips(config: &AddressConfig, shape: &Shape, mips: &mut Mips) {
    let unit = unit(config, shape);
    let depth = |level: u32| match shape.dim {
        Dim::Three if config.generation == Generation::Gfx12 => level_size(shape.slices, level),
        Dim::Three => shape.slices,
        _ => 1,
    };
    if config.generation == Generation::Gfx9 {
        let pitch = align_size(width(shape), unit);
        let (mut height, mut rows) = (shape.height, 0u32);
        for (level, mip) in (0..shape.levels).zip(mips) {
            let offset = (u64::from(rows) * u64::from(pitch)) << shape.element();
            *mip = Mip { offset, pitch, height, depth: depth(level), ..Mip::default() };
            rows = rows.saturating_add(height);
            height = height.div_ceil(2);
        }
        return;
    }
    let mut offset = 0;
    for (level, mip) in (0..shape.levels).rev().zip(mips[..(shape.levels as usize).min(MAX_LEVELS)].iter_mut().rev()) {
        let pitch = align_size(level_size(width(shape), level), unit);
        let height = level_size(shape.height, level);
        *mip = Mip { offset, macro_offset: offset, pitch, height, depth: depth(level), ..Mip::default() };
        offset += bytes(config, shape, level, pitch, height);
    }
}
