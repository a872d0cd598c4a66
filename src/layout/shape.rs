//! The properties of a surface that layout rules need, in elements.

use crate::layout::config::{AddressConfig, Generation};

/// A surface or a plane of a surface, with sizes in elements (texels, or blocks of a block-compressed format).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::layout) struct Shape {
    pub dim: Dim,
    /// Bytes of an element: 1, 2, 4, 8, 12 or 16.
    pub bytes: u32,
    pub width: u32,
    pub height: u32,
    /// Level 0 in texels.
    pub width_texels: u32,
    pub height_texels: u32,
    /// Number of layers, or the depth of a three-dimensional surface.
    pub slices: u32,
    pub levels: u32,
    /// Whether there is more than one coverage sample.
    pub multisampled: bool,
    /// log2 of the number of stored samples.
    pub fragments: u32,
    /// Texels per element in x and y.
    pub texels: [u32; 2],
    pub flags: Flags,
}

/// Dimensions as addresses see them: cubes are two-dimensional.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::layout) enum Dim {
    One,
    Two,
    Three,
}

/// Uses that decide modes, alignments and metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::layout) struct Flags {
    /// A colour target.
    pub color: bool,
    pub depth: bool,
    pub stencil: bool,
    /// Read by textures: sampled colour, or depth with texture-readable HTILE.
    pub texture: bool,
    pub display: bool,
    pub sparse: bool,
    pub fmask: bool,
    pub rate_image: bool,
    pub video: bool,
    /// 3D slices will be viewed as layers.
    pub slices_as_layers: bool,
    /// DCC is aligned neither to pipes nor to render backends.
    pub unaligned: bool,
}

impl Shape {
    /// Returns the log2 of the bytes of an element. Elements of 12 bytes count as three of 4 bytes.
    pub fn element(&self) -> u32 {
        if self.bytes == 12 { 2 } else { self.bytes.trailing_zeros() }
    }

    pub fn compressed_blocks(&self) -> bool {
        self.texels[0] > 1 || self.texels[1] > 1
    }

    pub fn is_depth(&self) -> bool {
        self.flags.depth || self.flags.stencil
    }

    /// Returns whether blocks of a mode hold several slices of this surface.
    pub fn thick(&self, config: &AddressConfig, mode: u32) -> bool {
        thick(config.generation, mode, self.dim == Dim::Three)
    }
}

/// Returns whether blocks of a mode hold several slices of a volume.
pub(in crate::layout) fn thick(generation: Generation, mode: u32, volume: bool) -> bool {
    match generation {
        Generation::Gfx12 => mode >= 5,
        _ if !volume || mode == 0 => false,
        // Z and S.
        Generation::Gfx9 => mode & 3 < 2,
        // S, and 64KB_D_X.
        _ => mode & 3 == 1 || mode == 26,
    }
}

/// Returns the size of a level in memory, where halves are rounded up.
pub(in crate::layout) fn level_size(size: u32, level: u32) -> u32 {
    (size.saturating_sub(1) >> level.min(31)) + 1
}

/// Returns the next multiple of a power of two.
pub(in crate::layout) fn align(value: u64, log2: u32) -> u64 {
    let mask = (1u64 << log2) - 1;
    (value + mask) & !mask
}

/// Returns the next multiple of a power of two, for sizes.
pub(in crate::layout) fn align_size(value: u32, log2: u32) -> u32 {
    let mask = (1u32 << log2) - 1;
    value.saturating_add(mask) & !mask
}
