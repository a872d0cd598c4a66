//! Planes of a surface, with all levels in one order of elements.

use crate::layout::SwizzleMode;
use crate::layout::shape::Shape;

/// Maximum number of levels of a surface.
pub const MAX_LEVELS: usize = 17;

/// One plane of an image: colour, depth, stencil or FMASK. Dimensions are in elements, sizes in memory in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plane {
    /// Order of elements.
    pub mode: SwizzleMode,
    /// Bytes of an element. Elements of 12 bytes are laid out as three elements of 4 bytes: pitches and block count those.
    pub element_bytes: u32,
    /// Width, height and slices of a block, in elements.
    pub block: [u32; 3],
    /// Pitch of level 0 in elements, padded. On GFX9, if the whole chain is in the tail, the pitch of the tail.
    pub pitch: u32,
    /// Number of rows of level 0, padded.
    pub height: u32,
    /// Number of layers or slices, padded to blocks.
    pub slices: u32,
    /// Size in bytes of one slice with all levels.
    pub slice_size: u64,
    /// Size of the plane in bytes.
    pub size: u64,
    /// Alignment of the plane in bytes.
    pub align: u32,
    /// First level of the tail, in which levels share one block. Equal to [`levels`](Self::levels) if there is no tail.
    pub first_tail: u32,
    /// Whether all levels are in the tail.
    pub chain_in_tail: bool,
    /// GFX9: width and height of all levels together, in elements.
    pub chain: Option<Chain>,
    /// Number of levels of the image.
    pub levels: u32,
    pub(in crate::layout) mips: [Mip; MAX_LEVELS],
}

/// The picture of all levels of a slice on GFX9.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    /// Pitch of all levels in elements.
    pub pitch: u32,
    /// Height in elements.
    pub height: u32,
    /// Value of fields named EPITCH: the pitch minus 1, or the height minus 1 if levels extend the height.
    pub epitch: u32,
}

/// The position of a level in a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mip {
    /// Offset in bytes from the start of a slice as if levels were linear; the actual offset of linear levels.
    pub offset: u64,
    /// Offset in bytes from the start of a slice to the first block of the level, or to the block of the tail.
    pub macro_offset: u64,
    /// Offset in bytes inside the block of the tail.
    pub tail_offset: u32,
    /// The same offset in elements, to be added to x and y, from GFX10 on.
    pub tail: [u16; 2],
    /// Pitch in elements, padded.
    pub pitch: u32,
    /// Number of rows, padded.
    pub height: u32,
    /// Number of slices, padded.
    pub depth: u32,
}

/// The levels of a plane; unused entries follow.
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
