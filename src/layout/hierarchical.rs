//! HiZ and HiS of GFX12: separate tiled surfaces with one element per 8x8 texels (Mesa 25.0.7 ac_surface.c gfx12_compute_hiz_his_info).

use crate::layout::choose::{BlockLimit, choose};
use crate::layout::config::AddressConfig;
use crate::layout::plane::Outline;
use crate::layout::shape::{Flags, Shape};
use crate::layout::{SwizzleMode, size};

/// HiZ or HiS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hierarchical {
    /// Bytes from the start of the image.
    pub offset: u64,
    /// Width of level 0 in tiles of 8x8 texels.
    pub width: u32,
    /// Height of level 0 in tiles.
    pub height: u32,
    /// Order of tiles.
    pub mode: SwizzleMode,
    /// Pitch of level 0 in tiles, padded.
    pub pitch: u32,
    /// Bytes of one slice with all levels.
    pub slice_size: u64,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
}

/// Returns the surface of HiZ (`bytes` is 4) or HiS (2).
pub(in crate::layout) fn surface(config: &AddressConfig, shape: &Shape, bytes: u32) -> Result<Hierarchical, &'static str> {
    let tiles = |texels: u32| texels.div_ceil(8).next_multiple_of(2);
    let (width, height) = (tiles(shape.width_texels), tiles(shape.height_texels));
    let shape = Shape { bytes, width, height, width_texels: width, height_texels: height, texels: [1, 1], flags: Flags::default(), ..*shape };
    let number = choose(config, &shape, BlockLimit::Any)?;
    let mode = SwizzleMode::from_number(config.chip().gfx(), number).unwrap_or(SwizzleMode::SW_LINEAR);
    let Outline { pitch, slice_size, size, align, .. } = size::outline(config, &shape, number);
    Ok(Hierarchical { offset: 0, width, height, mode, pitch, slice_size, size, align })
}
