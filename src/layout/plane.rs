//! A plane of a surface: all its levels in one order of elements.

use crate::layout::SwizzleMode;
use crate::layout::shape::Shape;

/// Most levels of a surface.
pub const MAX_LEVELS: usize = 17;

/// One plane of an image: colour, depth, stencil, or FMASK. Sizes in elements, memory in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plane {
    /// Order of elements.
    pub mode: SwizzleMode,
    /// Bytes of an element. Elements of 12 bytes are laid out as three elements of 4 bytes: pitches and block are in those.
    pub element_bytes: u32,
    /// Width, height and slices of a block, in elements.
    pub block: [u32; 3],
    /// Row of level 0 in elements, padded. GFX9, whole chain in the tail: that of the tail.
    pub pitch: u32,
    /// Rows of level 0, padded.
    pub height: u32,
    /// Layers or slices, padded to blocks.
    pub slices: u32,
    /// Bytes of one slice with all levels.
    pub slice_size: u64,
    /// Bytes of the plane.
    pub size: u64,
    /// Alignment of the plane in bytes.
    pub align: u32,
    /// First level of the tail: the levels that share one block. [`levels`](Self::levels) where there is none.
    pub first_tail: u32,
    /// All levels are in the tail.
    pub chain_in_tail: bool,
    /// GFX9: width and height of all levels together, in elements.
    pub chain: Option<Chain>,
    /// Levels of the image.
    pub levels: u32,
    pub(in crate::layout) mips: [Mip; MAX_LEVELS],
}

/// GFX9 lays the levels of a slice out as one picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    /// Pitch of all levels in elements.
    pub pitch: u32,
    /// Height in elements.
    pub height: u32,
    /// What fields named EPITCH hold: the pitch minus 1, or the height minus 1 where levels extend it.
    pub epitch: u32,
}

/// Where a level of a plane is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mip {
    /// Bytes from the start of a slice if levels were linear: the offset of linear levels.
    pub offset: u64,
    /// Bytes from the start of a slice to the first block of the level, or to the block of the tail.
    pub macro_offset: u64,
    /// Bytes inside the block of the tail.
    pub tail_offset: u32,
    /// The same as elements that are added to x and y, from GFX10 on.
    pub tail: [u16; 2],
    /// Elements of a row, padded.
    pub pitch: u32,
    /// Rows, padded.
    pub height: u32,
    /// Slices, padded.
    pub depth: u32,
}

/// Levels, as far as there are.
pub(in crate::layout) type Mips = [Mip; MAX_LEVELS];

/// A plane without its levels.
#[derive(Debug, Clone, Copy)]
pub(in crate::layout) struct Outline {
    pub block: [u32; 3],
    pub pitch: u32,
    pub height: u32,
    pub slices: u32,
    pub slice_size: u64,
    pub size: u64,
    pub align: u32,
    pub first_tail: u32,
    pub chain_in_tail: bool,
    pub chain: Option<Chain>,
}

impl Plane {
    pub(in crate::layout) fn new(mode: SwizzleMode, shape: &Shape, outline: Outline, fill: impl FnOnce(&mut Mips)) -> Self {
        let mut mips = [Mip::default(); MAX_LEVELS];
        fill(&mut mips);
        let Outline { block, pitch, height, slices, slice_size, size, align, first_tail, chain_in_tail, chain } = outline;
        let Shape { bytes: element_bytes, levels, .. } = *shape;
        Self { mode, element_bytes, block, pitch, height, slices, slice_size, size, align, first_tail, chain_in_tail, chain, levels, mips }
    }

    /// Returns the levels, largest first.
    pub fn mips(&self) -> &[Mip] {
        &self.mips[..(self.levels as usize).min(MAX_LEVELS)]
    }
}
