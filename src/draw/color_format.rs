//! Colour formats in the hardware's terms: one row each.

use crate::chip::Gfx;
use crate::descriptors::TexelFormat;
use crate::draw::desc::ColorFormat;
use crate::regs::layout::{SpiShaderExFormat, SurfaceNumber, SurfaceSwap, SxBlendOptEpsilonMrt0Epsilon};

/// What hardware makes of a format; the numbers are the same on all generations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hardware {
    pub number: SurfaceNumber,
    pub swap: SurfaceSwap,
    /// Bytes of a pixel.
    pub bytes: u32,
    /// Exports, see [`Export`].
    exports: [SpiShaderExFormat; 4],
    /// There is no alpha in memory: it reads as 1.
    pub no_alpha: bool,
    /// Precision of blending with RB+.
    pub epsilon: SxBlendOptEpsilonMrt0Epsilon,
}

/// What decides on the export to a target (Mesa 25.0.7 radv_choose_spi_color_format).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Export {
    /// The target blends: the export keeps the precision that blending has.
    pub blends: bool,
    /// Blending or alpha to coverage reads alpha, whether the format has it or not.
    pub alpha: bool,
    /// The chip has RB+.
    pub rb_plus: bool,
}

/// Format of texels, channels, kind of number; exports: plain, with alpha, for blending, for blending with alpha; no alpha in memory; down-conversion with RB+
/// and the epsilon of its blending. Rows after `later` are formats of GFX10.3 and later.
macro_rules! formats {
    ({ $($name:ident: $texel:ident $channels:ident $number:ident $plain:ident $alpha:ident $blend:ident $both:ident $no_alpha:literal $convert:ident $epsilon:ident;)* }
     later { $($new:ident: $new_texel:ident $new_channels:ident $new_number:ident $new_plain:ident $new_alpha:ident $new_blend:ident $new_both:ident $new_no_alpha:literal $new_convert:ident $new_epsilon:ident;)* }) => {
        /// What hardware makes of a format.
        pub(crate) const fn hardware(format: ColorFormat) -> Hardware {
            match format {
                $(ColorFormat::$name => row(
                    format, SurfaceNumber::$number, [SpiShaderExFormat::$plain, SpiShaderExFormat::$alpha, SpiShaderExFormat::$blend, SpiShaderExFormat::$both],
                    $no_alpha, SxBlendOptEpsilonMrt0Epsilon::$epsilon,
                ),)*
                $(ColorFormat::$new => row(
                    format, SurfaceNumber::$new_number,
                    [SpiShaderExFormat::$new_plain, SpiShaderExFormat::$new_alpha, SpiShaderExFormat::$new_blend, SpiShaderExFormat::$new_both],
                    $new_no_alpha, SxBlendOptEpsilonMrt0Epsilon::$new_epsilon,
                ),)*
            }
        }

        impl ColorFormat {
            /// The same format as textures have it.
            ///
            /// ```
            /// use pm4::{descriptors::TexelFormat, draw::ColorFormat};
            /// assert_eq!(ColorFormat::Bgra8.texel_format(), TexelFormat::B8G8R8A8_UNORM);
            /// ```
            pub const fn texel_format(self) -> TexelFormat {
                match self {
                    $(Self::$name => TexelFormat::$texel,)*
                    $(Self::$new => TexelFormat::$new_texel,)*
                }
            }

            /// Whether colour targets of a generation may have it: shared exponents came with GFX10.3 (Mesa 25.0.7 ac_get_cb_format).
            pub const fn is_for_targets(self, gfx: Gfx) -> bool {
                let (major, minor) = gfx.version();
                major > 10 || (major == 10 && minor >= 3) || !matches!(self, $(Self::$new)|*)
            }
        }

        /// Channels and their widths (ColorFormat of the generation).
        pub(crate) fn channels(gfx: Gfx, format: ColorFormat) -> u32 {
            on_gfx!(gfx, r => {
                // Later formats are refused before.
                Gfx9 | Gfx10 => match format { $(ColorFormat::$name => r::ColorFormat::$channels,)* $(ColorFormat::$new => r::ColorFormat::COLOR_INVALID,)* }.into(),
                Gfx103 | Gfx11 | Gfx115 | Gfx12 => match format {
                    $(ColorFormat::$name => r::ColorFormat::$channels,)*
                    $(ColorFormat::$new => r::ColorFormat::$new_channels,)*
                }.into(),
            })
        }

        /// Down-conversion of plain exports with RB+ (SX_DOWNCONVERT_FORMAT of the generation).
        fn plain_downconvert(gfx: Gfx, format: ColorFormat) -> u32 {
            on_gfx!(gfx, r => match format {
                $(ColorFormat::$name => r::SxDownconvertFormat::$convert,)*
                $(ColorFormat::$new => r::SxDownconvertFormat::$new_convert,)*
            }.into())
        }
    };
}

const fn row(format: ColorFormat, number: SurfaceNumber, exports: [SpiShaderExFormat; 4], no_alpha: bool, epsilon: SxBlendOptEpsilonMrt0Epsilon) -> Hardware {
    let texel = format.texel_format();
    let swap = match texel.swap() {
        Some(swap) => swap,
        None => SurfaceSwap::SWAP_STD,
    };
    Hardware { number, swap, bytes: texel.bytes(), exports, no_alpha, epsilon }
}

// Channels, numbers and exports: Mesa 25.0.7 ac_get_cb_format, ac_get_cb_number_type, ac_choose_spi_color_formats; rgba8 and rgba16f are seen in the captures too.
// Down-conversions and epsilons of rgba8 and rgba16f are seen in the captures, others that convert follow from the names and widths of the formats, and are
// unverified.
#[rustfmt::skip] // a table
formats! { {
    R8:           R8_UNORM                 COLOR_8           NUMBER_UNORM SPI_SHADER_32_R         SPI_SHADER_FP16_ABGR    SPI_SHADER_32_R        SPI_SHADER_FP16_ABGR   true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    R8Snorm:      R8_SNORM                 COLOR_8           NUMBER_SNORM SPI_SHADER_32_R         SPI_SHADER_FP16_ABGR    SPI_SHADER_32_R        SPI_SHADER_FP16_ABGR   true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    R8Srgb:       R8_SRGB                  COLOR_8           NUMBER_SRGB  SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    R8ui:         R8_UINT                  COLOR_8           NUMBER_UINT  SPI_SHADER_32_R         SPI_SHADER_UINT16_ABGR  SPI_SHADER_32_R        SPI_SHADER_UINT16_ABGR true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    R8i:          R8_SINT                  COLOR_8           NUMBER_SINT  SPI_SHADER_32_R         SPI_SHADER_SINT16_ABGR  SPI_SHADER_32_R        SPI_SHADER_SINT16_ABGR true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg8:          R8G8_UNORM               COLOR_8_8         NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg8Snorm:     R8G8_SNORM               COLOR_8_8         NUMBER_SNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg8ui:        R8G8_UINT                COLOR_8_8         NUMBER_UINT  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR SPI_SHADER_UINT16_ABGR true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg8i:         R8G8_SINT                COLOR_8_8         NUMBER_SINT  SPI_SHADER_SINT16_ABGR  SPI_SHADER_SINT16_ABGR  SPI_SHADER_SINT16_ABGR SPI_SHADER_SINT16_ABGR true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba8:        R8G8B8A8_UNORM           COLOR_8_8_8_8     NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_8_8_8_8       _8BIT_FORMAT_0_5;
    Rgba8Snorm:   R8G8B8A8_SNORM           COLOR_8_8_8_8     NUMBER_SNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba8Srgb:    R8G8B8A8_SRGB            COLOR_8_8_8_8     NUMBER_SRGB  SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_8_8_8_8       _8BIT_FORMAT_0_5;
    Rgba8ui:      R8G8B8A8_UINT            COLOR_8_8_8_8     NUMBER_UINT  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR SPI_SHADER_UINT16_ABGR false SX_RT_EXPORT_8_8_8_8       EXACT;
    Rgba8i:       R8G8B8A8_SINT            COLOR_8_8_8_8     NUMBER_SINT  SPI_SHADER_SINT16_ABGR  SPI_SHADER_SINT16_ABGR  SPI_SHADER_SINT16_ABGR SPI_SHADER_SINT16_ABGR false SX_RT_EXPORT_8_8_8_8       EXACT;
    Bgra8:        B8G8R8A8_UNORM           COLOR_8_8_8_8     NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_8_8_8_8       _8BIT_FORMAT_0_5;
    Bgra8Srgb:    B8G8R8A8_SRGB            COLOR_8_8_8_8     NUMBER_SRGB  SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_NO_CONVERSION EXACT;
    R5g6b5:       R5G6B5_UNORM_PACK16      COLOR_5_6_5       NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    B5g6r5:       B5G6R5_UNORM_PACK16      COLOR_5_6_5       NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgb5a1:       R5G5B5A1_UNORM_PACK16    COLOR_5_5_5_1     NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_NO_CONVERSION EXACT;
    A1rgb5:       A1R5G5B5_UNORM_PACK16    COLOR_1_5_5_5     NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba4:        R4G4B4A4_UNORM_PACK16    COLOR_4_4_4_4     NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Bgra4:        B4G4R4A4_UNORM_PACK16    COLOR_4_4_4_4     NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Argb4:        A4R4G4B4_UNORM_PACK16    COLOR_4_4_4_4     NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Abgr4:        A4B4G4R4_UNORM_PACK16    COLOR_4_4_4_4     NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgb10a2:      A2B10G10R10_UNORM_PACK32 COLOR_2_10_10_10  NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_2_10_10_10    _10BIT_FORMAT_0_5;
    Rgb10a2Snorm: A2B10G10R10_SNORM_PACK32 COLOR_2_10_10_10  NUMBER_SNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgb10a2ui:    A2B10G10R10_UINT_PACK32  COLOR_2_10_10_10  NUMBER_UINT  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR SPI_SHADER_UINT16_ABGR false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Bgr10a2:      A2R10G10B10_UNORM_PACK32 COLOR_2_10_10_10  NUMBER_UNORM SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_NO_CONVERSION EXACT;
    R11g11b10f:   B10G11R11_UFLOAT_PACK32  COLOR_10_11_11    NUMBER_FLOAT SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   true  SX_RT_EXPORT_10_11_11      EXACT;
    R16:          R16_UNORM                COLOR_16          NUMBER_UNORM SPI_SHADER_UNORM16_ABGR SPI_SHADER_UNORM16_ABGR SPI_SHADER_32_R        SPI_SHADER_32_AR       true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    R16Snorm:     R16_SNORM                COLOR_16          NUMBER_SNORM SPI_SHADER_SNORM16_ABGR SPI_SHADER_SNORM16_ABGR SPI_SHADER_32_R        SPI_SHADER_32_AR       true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    R16f:         R16_SFLOAT               COLOR_16          NUMBER_FLOAT SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    R16ui:        R16_UINT                 COLOR_16          NUMBER_UINT  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR SPI_SHADER_UINT16_ABGR true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    R16i:         R16_SINT                 COLOR_16          NUMBER_SINT  SPI_SHADER_SINT16_ABGR  SPI_SHADER_SINT16_ABGR  SPI_SHADER_SINT16_ABGR SPI_SHADER_SINT16_ABGR true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg16:         R16G16_UNORM             COLOR_16_16       NUMBER_UNORM SPI_SHADER_UNORM16_ABGR SPI_SHADER_UNORM16_ABGR SPI_SHADER_32_GR       SPI_SHADER_32_ABGR     true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg16Snorm:    R16G16_SNORM             COLOR_16_16       NUMBER_SNORM SPI_SHADER_SNORM16_ABGR SPI_SHADER_SNORM16_ABGR SPI_SHADER_32_GR       SPI_SHADER_32_ABGR     true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg16f:        R16G16_SFLOAT            COLOR_16_16       NUMBER_FLOAT SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   true  SX_RT_EXPORT_16_16_GR      EXACT;
    Rg16ui:       R16G16_UINT              COLOR_16_16       NUMBER_UINT  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR SPI_SHADER_UINT16_ABGR true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg16i:        R16G16_SINT              COLOR_16_16       NUMBER_SINT  SPI_SHADER_SINT16_ABGR  SPI_SHADER_SINT16_ABGR  SPI_SHADER_SINT16_ABGR SPI_SHADER_SINT16_ABGR true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba16:       R16G16B16A16_UNORM       COLOR_16_16_16_16 NUMBER_UNORM SPI_SHADER_UNORM16_ABGR SPI_SHADER_UNORM16_ABGR SPI_SHADER_32_ABGR     SPI_SHADER_32_ABGR     false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba16Snorm:  R16G16B16A16_SNORM       COLOR_16_16_16_16 NUMBER_SNORM SPI_SHADER_SNORM16_ABGR SPI_SHADER_SNORM16_ABGR SPI_SHADER_32_ABGR     SPI_SHADER_32_ABGR     false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba16f:      R16G16B16A16_SFLOAT      COLOR_16_16_16_16 NUMBER_FLOAT SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba16ui:     R16G16B16A16_UINT        COLOR_16_16_16_16 NUMBER_UINT  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR  SPI_SHADER_UINT16_ABGR SPI_SHADER_UINT16_ABGR false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba16i:      R16G16B16A16_SINT        COLOR_16_16_16_16 NUMBER_SINT  SPI_SHADER_SINT16_ABGR  SPI_SHADER_SINT16_ABGR  SPI_SHADER_SINT16_ABGR SPI_SHADER_SINT16_ABGR false SX_RT_EXPORT_NO_CONVERSION EXACT;
    R32f:         R32_SFLOAT               COLOR_32          NUMBER_FLOAT SPI_SHADER_32_R         SPI_SHADER_32_AR        SPI_SHADER_32_R        SPI_SHADER_32_AR       true  SX_RT_EXPORT_32_R          EXACT;
    R32ui:        R32_UINT                 COLOR_32          NUMBER_UINT  SPI_SHADER_32_R         SPI_SHADER_32_AR        SPI_SHADER_32_R        SPI_SHADER_32_AR       true  SX_RT_EXPORT_32_R          EXACT;
    R32i:         R32_SINT                 COLOR_32          NUMBER_SINT  SPI_SHADER_32_R         SPI_SHADER_32_AR        SPI_SHADER_32_R        SPI_SHADER_32_AR       true  SX_RT_EXPORT_32_R          EXACT;
    Rg32f:        R32G32_SFLOAT            COLOR_32_32       NUMBER_FLOAT SPI_SHADER_32_GR        SPI_SHADER_32_ABGR      SPI_SHADER_32_GR       SPI_SHADER_32_ABGR     true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg32ui:       R32G32_UINT              COLOR_32_32       NUMBER_UINT  SPI_SHADER_32_GR        SPI_SHADER_32_ABGR      SPI_SHADER_32_GR       SPI_SHADER_32_ABGR     true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rg32i:        R32G32_SINT              COLOR_32_32       NUMBER_SINT  SPI_SHADER_32_GR        SPI_SHADER_32_ABGR      SPI_SHADER_32_GR       SPI_SHADER_32_ABGR     true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba32f:      R32G32B32A32_SFLOAT      COLOR_32_32_32_32 NUMBER_FLOAT SPI_SHADER_32_ABGR      SPI_SHADER_32_ABGR      SPI_SHADER_32_ABGR     SPI_SHADER_32_ABGR     false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba32ui:     R32G32B32A32_UINT        COLOR_32_32_32_32 NUMBER_UINT  SPI_SHADER_32_ABGR      SPI_SHADER_32_ABGR      SPI_SHADER_32_ABGR     SPI_SHADER_32_ABGR     false SX_RT_EXPORT_NO_CONVERSION EXACT;
    Rgba32i:      R32G32B32A32_SINT        COLOR_32_32_32_32 NUMBER_SINT  SPI_SHADER_32_ABGR      SPI_SHADER_32_ABGR      SPI_SHADER_32_ABGR     SPI_SHADER_32_ABGR     false SX_RT_EXPORT_NO_CONVERSION EXACT;
    R64ui:        R64_UINT                 COLOR_32_32       NUMBER_UINT  SPI_SHADER_32_GR        SPI_SHADER_32_ABGR      SPI_SHADER_32_GR       SPI_SHADER_32_ABGR     true  SX_RT_EXPORT_NO_CONVERSION EXACT;
    R64i:         R64_SINT                 COLOR_32_32       NUMBER_SINT  SPI_SHADER_32_GR        SPI_SHADER_32_ABGR      SPI_SHADER_32_GR       SPI_SHADER_32_ABGR     true  SX_RT_EXPORT_NO_CONVERSION EXACT;
} later {
    Rgb9e5:       E5B9G9R9_UFLOAT_PACK32   COLOR_5_9_9_9     NUMBER_FLOAT SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR    SPI_SHADER_FP16_ABGR   SPI_SHADER_FP16_ABGR   true  SX_RT_EXPORT_NO_CONVERSION EXACT;
} }

impl Hardware {
    /// The numbers are from 0 or -1 to 1, and blending clamps them (Mesa 25.0.7 ac_init_cb_surface).
    pub(crate) const fn is_normalized(self) -> bool {
        matches!(self.number, SurfaceNumber::NUMBER_UNORM | SurfaceNumber::NUMBER_SNORM | SurfaceNumber::NUMBER_SRGB)
    }

    /// What the shader exports to a target of the format.
    pub(crate) const fn export(self, wanted: Export) -> SpiShaderExFormat {
        // With RB+ the 32-bit exports of one channel of 8 bits give way to those with alpha (ac_choose_spi_color_formats).
        let alpha = wanted.alpha || (wanted.rb_plus && self.bytes == 1);
        self.exports[alpha as usize + 2 * wanted.blends as usize]
    }
}

/// Down-conversion of an export with RB+: none where the export carries an alpha that the format has not (unverified: no source states what converts it).
pub(crate) fn downconvert(gfx: Gfx, format: ColorFormat, export: SpiShaderExFormat) -> u32 {
    let plain = [false, true].map(|blends| hardware(format).export(Export { blends, alpha: false, rb_plus: true }));
    if plain.contains(&export) { plain_downconvert(gfx, format) } else { 0 }
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
        SpiShaderExFormat::SPI_SHADER_32_AR => 0x9,
        _ => 0xF,
    }
}
