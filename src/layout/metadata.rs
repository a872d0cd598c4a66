//! Metadata of surfaces: what DCC, HTILE and CMASK are made from, and how many bits of FMASK a texel has.

use crate::layout::plane::{MAX_LEVELS, Plane};
use crate::layout::shape::Shape;

/// Kinds of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetadataKind {
    /// Compression of colour: a byte for 256 bytes of colour.
    DccLayout,
    /// Tiles of depth and stencil: 4 bytes for 8x8 texels.
    HtileUse,
    /// Fast clears of colour, and state of FMASK: 4 bits for 8x8 texels.
    Cmask,
}

/// DCC, HTILE or CMASK of an image. Dimensions in texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetadataLayout {
    /// Which.
    pub kind: MetadataKind,
    /// Bytes from the start of the image. CMASK of one sample on GFX9: 0, because it is an allocation of its own.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Bytes of a slice.
    pub slice_size: u64,
    /// Texels of a row, padded to blocks of metadata.
    pub pitch: u32,
    /// Rows, padded.
    pub height: u32,
    /// Texels that a block of metadata covers: width, height.
    pub block: [u32; 2],
    /// Levels that use it, from the largest on.
    pub levels: u32,
    /// It is spread over all pipes.
    pub pipe_aligned: bool,
    /// It is spread over all render backends (GFX9).
    pub rb_aligned: bool,
    /// Bytes of a block of metadata, log2.
    pub(in crate::layout) block_bytes: u32,
    /// Swizzle mode of the data, by number.
    pub(in crate::layout) mode: u32,
    /// Bytes of an element of the data and its samples, log2.
    pub(in crate::layout) element: u32,
    pub(in crate::layout) fragments: u32,
    pub(in crate::layout) slices: u32,
    pub(in crate::layout) image_levels: u32,
    pub(in crate::layout) mips: [MetadataMip; MAX_LEVELS],
}

/// Metadata of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MetadataMip {
    /// From GFX10 on: bytes from the start of a slice.
    pub offset: u32,
    /// From GFX10 on: bytes.
    pub size: u32,
    /// GFX9: the texel in the metadata at which the level starts.
    pub start: [u32; 2],
}

impl MetadataLayout {
    /// Metadata of each level; what is beyond [`levels`](Self::levels) is 0.
    pub fn mips(&self) -> &[MetadataMip; MAX_LEVELS] {
        &self.mips
    }
}

/// What sizes of metadata are made from.
#[derive(Debug, Clone, Copy)]
pub(in crate::layout) struct Data {
    /// In texels.
    pub width: u32,
    pub height: u32,
    pub slices: u32,
    pub levels: u32,
    pub element: u32,
    /// Samples that are stored, log2.
    pub fragments: u32,
    /// First level of the data's tail.
    pub first_tail: u32,
}

impl Data {
    pub fn of(shape: &Shape, plane: &Plane) -> Self {
        Self {
            width: shape.width_texels,
            height: shape.height_texels,
            slices: shape.slices,
            levels: shape.levels,
            element: shape.element(),
            fragments: shape.fragments,
            first_tail: plane.first_tail,
        }
    }
}

/// Bits of FMASK of a texel, log2 of bytes: fragment numbers of all samples, and one bit more where there are fewer fragments than samples.
pub(in crate::layout) fn fmask_element(samples: u32, fragments: u32) -> u32 {
    let bits = match fragments + u32::from(samples > fragments) {
        3 => 4,
        bits => bits,
    };
    let total = (bits << samples).max(8);
    total.next_power_of_two().ilog2() - 3
}
