//! Colour formats in the hardware's terms: one row each.

use crate::draw::desc::ColorFormat;

/// Kind of number in a channel (SurfaceNumber; the numbers are the same on all generations).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Unorm = 0,
    Uint = 4,
    Sint = 5,
    Srgb = 6,
    Float = 7,
}

impl Number {
    pub fn is_integer(self) -> bool {
        matches!(self, Self::Uint | Self::Sint)
    }

    pub fn is_normalized(self) -> bool {
        matches!(self, Self::Unorm | Self::Srgb)
    }
}

/// Order of channels (SurfaceSwap): red first, or blue first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Swap {
    Std = 0,
    Alt = 1,
}

/// How a shader exports colour (SPI_SHADER_EX_FORMAT; the numbers are the same on all generations).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Export {
    Zero = 0,
    R32 = 1,
    Gr32 = 2,
    Fp16 = 4,
    Uint16 = 7,
    Sint16 = 8,
    Abgr32 = 9,
}

impl Export {
    /// Channels that the export carries, for CB_SHADER_MASK.
    pub fn channels(self) -> u32 {
        match self {
            Self::Zero => 0,
            Self::R32 => 0x1,
            Self::Gr32 => 0x3,
            Self::Fp16 | Self::Uint16 | Self::Sint16 | Self::Abgr32 => 0xF,
        }
    }
}

/// What hardware makes of a format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hardware {
    /// Channels and their widths (ColorFormat; the numbers used here are the same on all generations).
    pub format: u32,
    pub number: Number,
    pub swap: Swap,
    /// Bytes of a pixel.
    pub bytes: u32,
    /// The narrowest export that loses nothing.
    pub export: Export,
    /// Down-conversion with RB+ (SX_DOWNCONVERT_FORMAT), and the epsilon of its blending.
    pub downconvert: (u32, u32),
}

const fn row(format: u32, number: Number, swap: Swap, bytes: u32, export: Export, downconvert: (u32, u32)) -> Hardware {
    Hardware { format, number, swap, bytes, export, downconvert }
}

/// The rows. rgba8 and rgba16f are seen in the captures; the others follow from the names and widths of the formats and are unverified.
#[rustfmt::skip] // a table
pub(crate) const fn hardware(format: ColorFormat) -> Hardware {
    use ColorFormat as F;
    use Export::*;
    use Number::*;
    use Swap::*;
    match format {
        F::R8 => row(1, Unorm, Std, 1, Fp16, (0, 0)),
        F::Rg8 => row(3, Unorm, Std, 2, Fp16, (0, 0)),
        F::Rgba8 => row(10, Unorm, Std, 4, Fp16, (5, 6)),
        F::Rgba8Srgb => row(10, Srgb, Std, 4, Fp16, (5, 6)),
        F::Bgra8 => row(10, Unorm, Alt, 4, Fp16, (5, 6)),
        F::Rgb10a2 => row(9, Unorm, Std, 4, Fp16, (4, 2)),
        F::R11g11b10f => row(6, Float, Std, 4, Fp16, (3, 0)),
        F::R16f => row(2, Float, Std, 2, Fp16, (0, 0)),
        F::Rg16f => row(5, Float, Std, 4, Fp16, (9, 0)),
        F::Rgba16f => row(12, Float, Std, 8, Fp16, (0, 0)),
        F::R32f => row(4, Float, Std, 4, R32, (1, 0)),
        F::Rg32f => row(11, Float, Std, 8, Gr32, (0, 0)),
        F::Rgba32f => row(14, Float, Std, 16, Abgr32, (0, 0)),
        F::Rgba8ui => row(10, Uint, Std, 4, Uint16, (5, 0)),
        F::Rgba8i => row(10, Sint, Std, 4, Sint16, (5, 0)),
        F::R16ui => row(2, Uint, Std, 2, Uint16, (0, 0)),
        F::Rgba16ui => row(12, Uint, Std, 8, Uint16, (0, 0)),
        F::Rgba16i => row(12, Sint, Std, 8, Sint16, (0, 0)),
        F::R32ui => row(4, Uint, Std, 4, R32, (1, 0)),
        F::R32i => row(4, Sint, Std, 4, R32, (1, 0)),
        F::Rg32ui => row(11, Uint, Std, 8, Gr32, (0, 0)),
        F::Rgba32ui => row(14, Uint, Std, 16, Abgr32, (0, 0)),
        F::Rgba32i => row(14, Sint, Std, 16, Abgr32, (0, 0)),
    }
}

impl ColorFormat {
    /// Integer channels: no blending.
    pub fn is_integer(self) -> bool {
        hardware(self).number.is_integer()
    }

    /// Bytes of a pixel.
    pub fn bytes(self) -> u32 {
        hardware(self).bytes
    }
}
