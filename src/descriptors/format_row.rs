//! What regdb states about a format, and the sources of its channels.

use crate::regs::layout::SurfaceSwap;

/// What a channel of the shader reads.
///
/// ```
/// use pm4::descriptors::{ChannelSource, TexelFormat};
/// use ChannelSource::{One, X, Zero};
/// assert_eq!(TexelFormat::R8_UNORM.channels(), [X, Zero, Zero, One]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelSource {
    /// 0.
    Zero,
    /// 1, in the number type of the format.
    One,
    /// The first channel, red.
    X,
    /// The second channel, green.
    Y,
    /// The third channel, blue.
    Z,
    /// The fourth channel, alpha.
    W,
}

impl ChannelSource {
    /// Every channel unchanged.
    pub const IDENTITY: [Self; 4] = [Self::X, Self::Y, Self::Z, Self::W];

    /// Returns the source after applying `channels`: composes a view's mapping with that of its format.
    pub(super) const fn of(self, channels: [Self; 4]) -> Self {
        match self {
            Self::X => channels[0],
            Self::Y => channels[1],
            Self::Z => channels[2],
            Self::W => channels[3],
            constant => constant,
        }
    }
}

/// What regdb states about a format.
pub(super) struct FormatRow {
    pub bits: u8,
    pub channels: [ChannelSource; 4],
    pub own: [ChannelSource; 4],
    pub gfx9: Option<(u8, u8)>,
    pub numbers: [Option<u16>; 6],
    pub etc2: bool,
    pub buffers_only: bool,
    pub blocks: bool,
    pub depth: Option<(u8, u8)>,
    pub swap: Option<SurfaceSwap>,
}
