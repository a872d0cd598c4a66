//! Colour formats in the hardware's terms: one row each.

use crate::chip::Gfx;
use crate::draw::desc::ColorFormat;
use crate::regs::layout::{SpiShaderExFormat, SurfaceNumber, SurfaceSwap, SxBlendOptEpsilonMrt0Epsilon};

/// What hardware makes of a format; the numbers are the same on all generations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hardware {
    pub number: SurfaceNumber,
    pub swap: SurfaceSwap,
    /// Bytes of a pixel.
    pub bytes: u32,
    /// The narrowest export that loses nothing.
    pub export: SpiShaderExFormat,
    /// Precision of blending with RB+.
    pub epsilon: SxBlendOptEpsilonMrt0Epsilon,
}

/// Channels, kind of number, order of channels, bytes of a pixel, narrowest export, down-conversion with RB+ and the epsilon of its blending.
macro_rules! formats {
    ($($name:ident: $channels:ident $number:ident $swap:ident $bytes:literal $export:ident $downconvert:ident $epsilon:ident;)*) => {
        /// What hardware makes of a format.
        pub(crate) const fn hardware(format: ColorFormat) -> Hardware {
            match format {
                $(ColorFormat::$name => Hardware {
                    number: SurfaceNumber::$number,
                    swap: SurfaceSwap::$swap,
                    bytes: $bytes,
                    export: SpiShaderExFormat::$export,
                    epsilon: SxBlendOptEpsilonMrt0Epsilon::$epsilon,
                },)*
            }
        }

        /// Channels and their widths (ColorFormat of the generation).
        pub(crate) fn channels(gfx: Gfx, format: ColorFormat) -> u32 {
            on_gfx!(gfx, r => match format { $(ColorFormat::$name => r::ColorFormat::$channels,)* }.into())
        }

        /// Down-conversion of exports with RB+ (SX_DOWNCONVERT_FORMAT of the generation).
        pub(crate) fn downconvert(gfx: Gfx, format: ColorFormat) -> u32 {
            on_gfx!(gfx, r => match format { $(ColorFormat::$name => r::SxDownconvertFormat::$downconvert,)* }.into())
        }
    };
}

// rgba8 and rgba16f are seen in the captures; the others follow from the names and widths of the formats and are unverified.
#[rustfmt::skip] // a table
formats! {
    R8:         COLOR_8           NUMBER_UNORM SWAP_STD  1 SPI_SHADER_FP16_ABGR   SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg8:        COLOR_8_8         NUMBER_UNORM SWAP_STD  2 SPI_SHADER_FP16_ABGR   SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba8:      COLOR_8_8_8_8     NUMBER_UNORM SWAP_STD  4 SPI_SHADER_FP16_ABGR   SX_RT_EXPORT_8_8_8_8       _8BIT_FORMAT_0_5;
    Rgba8Srgb:  COLOR_8_8_8_8     NUMBER_SRGB  SWAP_STD  4 SPI_SHADER_FP16_ABGR   SX_RT_EXPORT_8_8_8_8       _8BIT_FORMAT_0_5;
    Bgra8:      COLOR_8_8_8_8     NUMBER_UNORM SWAP_ALT  4 SPI_SHADER_FP16_ABGR   SX_RT_EXPORT_8_8_8_8       _8BIT_FORMAT_0_5;
    Rgb10a2:    COLOR_2_10_10_10  NUMBER_UNORM SWAP_STD  4 SPI_SHADER_FP16_ABGR   SX_RT_EXPORT_2_10_10_10    _10BIT_FORMAT_0_5;
    R11g11b10f: COLOR_10_11_11    NUMBER_FLOAT SWAP_STD  4 SPI_SHADER_FP16_ABGR   SX_RT_EXPORT_10_11_11      EXACT;
    R16f:       COLOR_16          NUMBER_FLOAT SWAP_STD  2 SPI_SHADER_FP16_ABGR   SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg16f:      COLOR_16_16       NUMBER_FLOAT SWAP_STD  4 SPI_SHADER_FP16_ABGR   SX_RT_EXPORT_16_16_GR      EXACT;
    Rgba16f:    COLOR_16_16_16_16 NUMBER_FLOAT SWAP_STD  8 SPI_SHADER_FP16_ABGR   SX_RT_EXPORT_NO_CONVERSION EXACT;
    R32f:       COLOR_32          NUMBER_FLOAT SWAP_STD  4 SPI_SHADER_32_R        SX_RT_EXPORT_32_R          EXACT;
    Rg32f:      COLOR_32_32       NUMBER_FLOAT SWAP_STD  8 SPI_SHADER_32_GR       SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba32f:    COLOR_32_32_32_32 NUMBER_FLOAT SWAP_STD 16 SPI_SHADER_32_ABGR     SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba8ui:    COLOR_8_8_8_8     NUMBER_UINT  SWAP_STD  4 SPI_SHADER_UINT16_ABGR SX_RT_EXPORT_8_8_8_8       EXACT;
    Rgba8i:     COLOR_8_8_8_8     NUMBER_SINT  SWAP_STD  4 SPI_SHADER_SINT16_ABGR SX_RT_EXPORT_8_8_8_8       EXACT;
    R16ui:      COLOR_16          NUMBER_UINT  SWAP_STD  2 SPI_SHADER_UINT16_ABGR SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba16ui:   COLOR_16_16_16_16 NUMBER_UINT  SWAP_STD  8 SPI_SHADER_UINT16_ABGR SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba16i:    COLOR_16_16_16_16 NUMBER_SINT  SWAP_STD  8 SPI_SHADER_SINT16_ABGR SX_RT_EXPORT_NO_CONVERSION EXACT;
    R32ui:      COLOR_32          NUMBER_UINT  SWAP_STD  4 SPI_SHADER_32_R        SX_RT_EXPORT_32_R          EXACT;
    R32i:       COLOR_32          NUMBER_SINT  SWAP_STD  4 SPI_SHADER_32_R        SX_RT_EXPORT_32_R          EXACT;
    Rg32ui:     COLOR_32_32       NUMBER_UINT  SWAP_STD  8 SPI_SHADER_32_GR       SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba32ui:   COLOR_32_32_32_32 NUMBER_UINT  SWAP_STD 16 SPI_SHADER_32_ABGR     SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba32i:    COLOR_32_32_32_32 NUMBER_SINT  SWAP_STD 16 SPI_SHADER_32_ABGR     SX_RT_EXPORT_NO_CONVERSION EXACT;
}

impl Hardware {
    /// The numbers are from 0 to 1, and blending clamps them.
    pub(crate) const fn is_normalized(self) -> bool {
        matches!(self.number, SurfaceNumber::NUMBER_UNORM | SurfaceNumber::NUMBER_SRGB)
    }
}

impl ColorFormat {
    /// Integer channels: no blending.
    pub const fn is_integer(self) -> bool {
        matches!(hardware(self).number, SurfaceNumber::NUMBER_UINT | SurfaceNumber::NUMBER_SINT)
    }

    /// Bytes of a pixel.
    pub const fn bytes(self) -> u32 {
        hardware(self).bytes
    }
}

/// Channels that the export of a format carries, for CB_SHADER_MASK: those of its name, all four where it names none.
pub(crate) const fn exported(export: SpiShaderExFormat) -> u32 {
    match export {
        SpiShaderExFormat::SPI_SHADER_ZERO => 0,
        SpiShaderExFormat::SPI_SHADER_32_R => 0x1,
        SpiShaderExFormat::SPI_SHADER_32_GR => 0x3,
        _ => 0xF,
    }
}
