//! Linear surfaces.

use crate::layout::SwizzleMode;
use crate::layout::config::{AddressConfig, Generation};
use crate::layout::plane::{Chain, MAX_LEVELS, Mip, Plane};
use crate::layout::shape::{Dim, Shape, align, align_size, level_size};

/// Rows are padded to 256 bytes, on GFX12 to 128; levels from the smallest to the largest, on GFX9 from the largest to the smallest with a common pitch.
pub(in crate::layout) fn plane(config: &AddressConfig, shape: &Shape) -> Plane {
    let e = shape.element();
    let gfx12 = config.generation == Generation::Gfx12;
    let width = if shape.bytes == 12 { shape.width.saturating_mul(3) } else { shape.width };
    // One-level colour of one layer is padded to 256 bytes so that other GPUs can read it (Mesa 25.0.7 ac_surface.c).
    let single = shape.slices == 1 && shape.dim != Dim::Three;
    let row = if gfx12 && !(single && shape.levels == 1 && shape.dim == Dim::Two && !shape.compressed_blocks()) { 7 } else { 8 };
    let unit = row - e.min(row);
    let block = [1 << (8 - e), 1, 1];
    let mut mips = [Mip::default(); MAX_LEVELS];
    let mut plane = Plane {
        mode: SwizzleMode::SW_LINEAR,
        element_bytes: shape.bytes,
        block,
        pitch: align_size(width, unit),
        height: shape.height,
        slices: shape.slices,
        slice_size: 0,
        size: 0,
        align: 256,
        first_tail: shape.levels,
        chain_in_tail: false,
        chain: None,
        levels: shape.levels,
        mips,
    };
    let levels = shape.levels.min(MAX_LEVELS as u32);
    if config.generation == Generation::Gfx9 {
        let (pitch, mut height, mut rows) = (plane.pitch, shape.height, 0u32);
        for level in 0..levels {
            // One dimension has a row of each level.
            let offset = u64::from(rows) * u64::from(pitch) << e;
            mips[level as usize] = Mip { offset, pitch, height, depth: if shape.dim == Dim::Three { shape.slices } else { 1 }, ..Mip::default() };
            rows = rows.saturating_add(height);
            height = height.div_ceil(2);
        }
        plane.slice_size = u64::from(pitch) * u64::from(rows) << e;
        let epitch = if shape.levels > 1 { rows } else { pitch } - 1;
        plane.chain = Some(Chain { pitch, height: rows, epitch });
    } else {
        let mut offset = 0;
        for level in (0..levels).rev() {
            let pitch = align_size(level_size(width, level), unit);
            let height = level_size(shape.height, level);
            let depth = match shape.dim {
                Dim::Three if gfx12 => level_size(shape.slices, level),
                Dim::Three => shape.slices,
                _ => 1,
            };
            mips[level as usize] = Mip { offset, macro_offset: offset, pitch, height, depth, ..Mip::default() };
            let rows = u64::from(height);
            offset += if !gfx12 {
                u64::from(pitch) * rows << e
            } else if single && level == 0 {
                align(u64::from(pitch) * rows << e, 8)
            } else {
                align(u64::from(pitch) << e, 8) * rows
            };
        }
        plane.slice_size = offset;
    }
    plane.size = plane.slice_size * u64::from(shape.slices);
    plane.mips = mips;
    plane
}
