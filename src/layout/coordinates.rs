//! Bits of coordinates, and the properties that determine their order in addresses.

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

/// The properties on which an equation depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::layout) struct Order {
    pub mode: u32,
    /// Whether blocks hold several slices.
    pub thick: bool,
    /// Whether the image has three dimensions.
    pub volume: bool,
    /// log2 of the bytes of an element.
    pub e: u32,
    /// log2 of the number of stored samples.
    pub s: u32,
}
