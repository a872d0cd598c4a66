//! Metadata of surfaces: DCC, HTILE and CMASK, and the size of FMASK per texel.

use crate::layout::plane::{MAX_LEVELS, Plane};
use crate::layout::shape::Shape;

/// Kinds of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetadataKind {
    /// Colour compression: 1 byte per 256 bytes of colour.
    Dcc,
    /// Depth and stencil tiles: 4 bytes per 8x8 texels.
    Htile,
    /// Fast clears of colour and state of FMASK: 4 bits per 8x8 texels.
    Cmask,
}

/// DCC, HTILE or CMASK of an image. Dimensions in texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetadataLayout {
    /// Kind of metadata.
    pub kind: MetadataKind,
    /// Bytes from the start of the image. 0 for CMASK of one sample on GFX9, which is a separate allocation.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Size of a slice in bytes.
    pub slice_size: u64,
    /// Pitch in texels, padded to blocks of metadata.
    pub pitch: u32,
    /// Height in texels, padded.
    pub height: u32,
    /// Width and height in texels of a block of metadata.
    pub block: [u32; 2],
    /// Number of levels that use the metadata, starting with the largest.
    pub levels: u32,
    /// Whether the metadata is spread over all pipes.
    pub pipe_aligned: bool,
    /// Whether the metadata is spread over all render backends (GFX9).
    pub rb_aligned: bool,
    /// log2 of the bytes of a block of metadata.
    pub(in crate::layout) block_bytes: u32,
    /// Swizzle mode of the data, by number.
    pub(in crate::layout) mode: u32,
    /// log2 of the bytes of an element of the data with its samples.
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
    /// Returns the metadata of each level; entries from [`levels`](Self::levels) on are 0.
    pub fn mips(&self) -> &[MetadataMip; MAX_LEVELS] {
        &self.mips
    }
}

/// The properties of the data that determine sizes of metadata.
#[derive(Debug, Clone, Copy)]
pub(in crate::layout) struct Data {
    /// In texels.
    pub width: u32,
    pub height: u32,
    pub slices: u32,
    pub levels: u32,
    pub element: u32,
    /// log2 of the number of stored samples.
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

/// Returns the log2 of the bytes of FMASK per texel: the fragment numbers of all samples, with one additional bit if there are fewer fragments than samples.
pub(in crate::layout) fn fmask_element(samples: u32, fragments: u32) -> u32 {
    let bits = match fragments + u32::from(samples > fragments) {
        3 => 4,
        bits => bits,
    };
    let total = (bits << samples).max(8);
    total.next_power_of_two().ilog2() - 3
}
