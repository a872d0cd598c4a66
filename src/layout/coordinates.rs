//! Bits of coordinates, and what their order in addresses depends on.

/// A bit of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::layout) struct Bit {
    pub axis: Axis,
    pub bit: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::layout) enum Axis {
    X,
    Y,
    Z,
    Sample,
}

/// What an equation depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::layout) struct Order {
    pub mode: u32,
    /// Blocks hold several slices.
    pub thick: bool,
    /// The image has three dimensions.
    pub volume: bool,
    /// Bytes of an element, log2.
    pub e: u32,
    /// Samples that are stored, log2.
    pub s: u32,
}
