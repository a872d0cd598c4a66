//! Colour formats in the hardware's terms: one row each.

use crate::chip::Gfx;
use crate::descriptors::{ChannelSource, TexelFormat};
use crate::draw::desc::ColorFormat;
use crate::regs::layout::{SpiShaderExFormat, SurfaceNumber, SurfaceSwap, SxBlendOptEpsilonMrt0Epsilon};

/// A format in the hardware's terms; the numbers are the same on all generations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hardware {
    pub channels: Channels,
    pub number: SurfaceNumber,
    pub swap: SurfaceSwap,
    /// The size of a pixel in bytes.
    pub bytes: u32,
    /// Whether memory has no alpha: it reads as 1.
    pub no_alpha: bool,
    /// The stored channels, as bits of a write mask. A channel of 64 bits is stored as two.
    pub stored: u8,
}

/// Channels and their widths, as ColorFormat names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(non_camel_case_types, clippy::upper_case_acronyms)] // AMD's own spelling
pub(crate) enum Channels {
    COLOR_8,
    COLOR_8_8,
    COLOR_8_8_8_8,
    COLOR_5_6_5,
    COLOR_5_5_5_1,
    COLOR_1_5_5_5,
    COLOR_4_4_4_4,
    COLOR_2_10_10_10,
    COLOR_10_11_11,
    COLOR_5_9_9_9,
    COLOR_16,
    COLOR_16_16,
    COLOR_16_16_16_16,
    COLOR_32,
    COLOR_32_32,
    COLOR_32_32_32_32,
}

impl Channels {
    /// Returns whether the format has exactly one channel.
    pub const fn is_single(self) -> bool {
        matches!(self, Self::COLOR_8 | Self::COLOR_16 | Self::COLOR_32)
    }

    /// Returns the bits of a channel, the widest if they differ.
    pub const fn bits(self) -> u32 {
        match self {
            Self::COLOR_4_4_4_4 => 4,
            Self::COLOR_5_5_5_1 | Self::COLOR_1_5_5_5 => 5,
            Self::COLOR_5_6_5 => 6,
            Self::COLOR_8 | Self::COLOR_8_8 | Self::COLOR_8_8_8_8 => 8,
            Self::COLOR_5_9_9_9 => 9,
            Self::COLOR_2_10_10_10 => 10,
            Self::COLOR_10_11_11 => 11,
            Self::COLOR_16 | Self::COLOR_16_16 | Self::COLOR_16_16_16_16 => 16,
            Self::COLOR_32 | Self::COLOR_32_32 | Self::COLOR_32_32_32_32 => 32,
        }
    }
}

/// The facts that decide on the export format of a target (Mesa 25.0.7 radv_choose_spi_color_format).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Export {
    /// Whether the target blends: the export keeps the precision of blending.
    pub blends: bool,
    /// Whether blending or alpha to coverage reads alpha; the format need not have alpha.
    pub alpha: bool,
    /// Whether the chip has RB+.
    pub rb_plus: bool,
}

/// Format of texels, channels, kind of number. Rows after `later` are formats of GFX10.3 and later.
macro_rules! formats {
    ({ $($name:ident: $texel:ident $channels:ident $number:ident;)* } later { $($new:ident: $new_texel:ident $new_channels:ident $new_number:ident;)* }) => {
        /// Returns the format in the hardware's terms.
        pub(crate) const fn hardware(format: ColorFormat) -> &'static Hardware {
            match format {
                $(ColorFormat::$name => const { &row(ColorFormat::$name, Channels::$channels, SurfaceNumber::$number) },)*
                $(ColorFormat::$new => const { &row(ColorFormat::$new, Channels::$new_channels, SurfaceNumber::$new_number) },)*
            }
        }

        impl ColorFormat {
            /// Returns the same format as a texture format.
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

            /// Returns whether colour targets of a generation may have the format: shared exponents need GFX10.3 or later (Mesa 25.0.7 ac_get_cb_format).
            pub const fn is_for_targets(self, gfx: Gfx) -> bool {
                let (major, minor) = gfx.version();
                major > 10 || (major == 10 && minor >= 3) || !matches!(self, $(Self::$new)|*)
            }
        }

        /// Channels and their widths (ColorFormat of the generation).
        pub(crate) fn channels(gfx: Gfx, format: ColorFormat) -> u32 {
            on_gfx!(gfx, r => {
                // Checks have already refused later formats.
                Gfx9 | Gfx10 => match format { $(ColorFormat::$name => r::ColorFormat::$channels,)* $(ColorFormat::$new => r::ColorFormat::COLOR_INVALID,)* }.into(),
                Gfx103 | Gfx11x | Gfx12 => match format {
                    $(ColorFormat::$name => r::ColorFormat::$channels,)*
                    $(ColorFormat::$new => r::ColorFormat::$new_channels,)*
                }.into(),
            })
        }
    };
}

const fn row(format: ColorFormat, channels: Channels, number: SurfaceNumber) -> Hardware {
    let texel = format.texel_format();
    let swap = match texel.swap() {
        Some(swap) => swap,
        None => SurfaceSwap::SWAP_STD,
    };
    let read = texel.channels();
    let (mut stored, mut at) = (0, 0);
    while at < read.len() {
        if !matches!(read[at], ChannelSource::Zero | ChannelSource::One) {
            stored |= 1 << at;
        }
        at += 1;
    }
    let no_alpha = matches!(texel.own_channels()[3], ChannelSource::One);
    Hardware { channels, number, swap, bytes: texel.bytes(), no_alpha, stored }
}

// Channels and numbers: Mesa 25.0.7 ac_get_cb_format, ac_get_cb_number_type; rgba8 and rgba16f are seen in the captures too.
#[rustfmt::skip] // a table
formats! { {
    R8:           R8_UNORM                 COLOR_8           NUMBER_UNORM;
    R8Snorm:      R8_SNORM                 COLOR_8           NUMBER_SNORM;
    R8Srgb:       R8_SRGB                  COLOR_8           NUMBER_SRGB;
    R8ui:         R8_UINT                  COLOR_8           NUMBER_UINT;
    R8i:          R8_SINT                  COLOR_8           NUMBER_SINT;
    Rg8:          R8G8_UNORM               COLOR_8_8         NUMBER_UNORM;
    Rg8Snorm:     R8G8_SNORM               COLOR_8_8         NUMBER_SNORM;
    Rg8ui:        R8G8_UINT                COLOR_8_8         NUMBER_UINT;
    Rg8i:         R8G8_SINT                COLOR_8_8         NUMBER_SINT;
    Rgba8:        R8G8B8A8_UNORM           COLOR_8_8_8_8     NUMBER_UNORM;
    Rgba8Snorm:   R8G8B8A8_SNORM           COLOR_8_8_8_8     NUMBER_SNORM;
    Rgba8Srgb:    R8G8B8A8_SRGB            COLOR_8_8_8_8     NUMBER_SRGB;
    Rgba8ui:      R8G8B8A8_UINT            COLOR_8_8_8_8     NUMBER_UINT;
    Rgba8i:       R8G8B8A8_SINT            COLOR_8_8_8_8     NUMBER_SINT;
    Bgra8:        B8G8R8A8_UNORM           COLOR_8_8_8_8     NUMBER_UNORM;
    Bgra8Srgb:    B8G8R8A8_SRGB            COLOR_8_8_8_8     NUMBER_SRGB;
    R5g6b5:       R5G6B5_UNORM_PACK16      COLOR_5_6_5       NUMBER_UNORM;
    B5g6r5:       B5G6R5_UNORM_PACK16      COLOR_5_6_5       NUMBER_UNORM;
    Rgb5a1:       R5G5B5A1_UNORM_PACK16    COLOR_5_5_5_1     NUMBER_UNORM;
    A1rgb5:       A1R5G5B5_UNORM_PACK16    COLOR_1_5_5_5     NUMBER_UNORM;
    Rgba4:        R4G4B4A4_UNORM_PACK16    COLOR_4_4_4_4     NUMBER_UNORM;
    Bgra4:        B4G4R4A4_UNORM_PACK16    COLOR_4_4_4_4     NUMBER_UNORM;
    Argb4:        A4R4G4B4_UNORM_PACK16    COLOR_4_4_4_4     NUMBER_UNORM;
    Abgr4:        A4B4G4R4_UNORM_PACK16    COLOR_4_4_4_4     NUMBER_UNORM;
    Rgb10a2:      A2B10G10R10_UNORM_PACK32 COLOR_2_10_10_10  NUMBER_UNORM;
    Rgb10a2Snorm: A2B10G10R10_SNORM_PACK32 COLOR_2_10_10_10  NUMBER_SNORM;
    Rgb10a2ui:    A2B10G10R10_UINT_PACK32  COLOR_2_10_10_10  NUMBER_UINT;
    Bgr10a2:      A2R10G10B10_UNORM_PACK32 COLOR_2_10_10_10  NUMBER_UNORM;
    R11g11b10f:   B10G11R11_UFLOAT_PACK32  COLOR_10_11_11    NUMBER_FLOAT;
    R16:          R16_UNORM                COLOR_16          NUMBER_UNORM;
    R16Snorm:     R16_SNORM                COLOR_16          NUMBER_SNORM;
    R16f:         R16_SFLOAT               COLOR_16          NUMBER_FLOAT;
    R16ui:        R16_UINT                 COLOR_16          NUMBER_UINT;
    R16i:         R16_SINT                 COLOR_16          NUMBER_SINT;
    Rg16:         R16G16_UNORM             COLOR_16_16       NUMBER_UNORM;
    Rg16Snorm:    R16G16_SNORM             COLOR_16_16       NUMBER_SNORM;
    Rg16f:        R16G16_SFLOAT            COLOR_16_16       NUMBER_FLOAT;
    Rg16ui:       R16G16_UINT              COLOR_16_16       NUMBER_UINT;
    Rg16i:        R16G16_SINT              COLOR_16_16       NUMBER_SINT;
    Rgba16:       R16G16B16A16_UNORM       COLOR_16_16_16_16 NUMBER_UNORM;
    Rgba16Snorm:  R16G16B16A16_SNORM       COLOR_16_16_16_16 NUMBER_SNORM;
    Rgba16f:      R16G16B16A16_SFLOAT      COLOR_16_16_16_16 NUMBER_FLOAT;
    Rgba16ui:     R16G16B16A16_UINT        COLOR_16_16_16_16 NUMBER_UINT;
    Rgba16i:      R16G16B16A16_SINT        COLOR_16_16_16_16 NUMBER_SINT;
    R32f:         R32_SFLOAT               COLOR_32          NUMBER_FLOAT;
    R32ui:        R32_UINT                 COLOR_32          NUMBER_UINT;
    R32i:         R32_SINT                 COLOR_32          NUMBER_SINT;
    Rg32f:        R32G32_SFLOAT            COLOR_32_32       NUMBER_FLOAT;
    Rg32ui:       R32G32_UINT              COLOR_32_32       NUMBER_UINT;
    Rg32i:        R32G32_SINT              COLOR_32_32       NUMBER_SINT;
    Rgba32f:      R32G32B32A32_SFLOAT      COLOR_32_32_32_32 NUMBER_FLOAT;
    Rgba32ui:     R32G32B32A32_UINT        COLOR_32_32_32_32 NUMBER_UINT;
    Rgba32i:      R32G32B32A32_SINT        COLOR_32_32_32_32 NUMBER_SINT;
    R64ui:        R64_UINT                 COLOR_32_32       NUMBER_UINT;
    R64i:         R64_SINT                 COLOR_32_32       NUMBER_SINT;
} later {
    Rgb9e5:       E5B9G9R9_UFLOAT_PACK32   COLOR_5_9_9_9     NUMBER_FLOAT;
} }

impl Hardware {
    /// Returns whether the numbers are from 0 or -1 to 1, and blending clamps them (Mesa 25.0.7 ac_init_cb_surface).
    pub(crate) const fn is_normalized(self) -> bool {
        matches!(self.number, SurfaceNumber::NUMBER_UNORM | SurfaceNumber::NUMBER_SNORM | SurfaceNumber::NUMBER_SRGB)
    }

    /// Returns the export format for a target of the format, if the shader does not state one (Mesa 25.0.7 ac_choose_spi_color_formats).
    pub(crate) const fn export(self, wanted: Export) -> SpiShaderExFormat {
        use Channels as C;
        use SpiShaderExFormat as E;
        use SurfaceNumber as N;
        let red = matches!(self.swap, SurfaceSwap::SWAP_STD);
        // 32 bits of each channel that the format has, with alpha where it is read.
        let wide = match (self.channels, red) {
            (C::COLOR_16 | C::COLOR_32, true) if !wanted.alpha => E::SPI_SHADER_32_R,
            (C::COLOR_16 | C::COLOR_32, _) => E::SPI_SHADER_32_AR,
            (C::COLOR_16_16 | C::COLOR_32_32, _) if !wanted.alpha => E::SPI_SHADER_32_GR,
            _ => E::SPI_SHADER_32_ABGR,
        };
        match (self.channels.bits(), self.number) {
            (32, _) => wide,
            // RB+ accepts only exports of 16 bits; without it one channel of 8 bits goes in 32 bits, which saves the packing.
            (8, N::NUMBER_UNORM | N::NUMBER_SNORM | N::NUMBER_UINT | N::NUMBER_SINT)
                if self.channels.is_single() && red && !wanted.alpha && !wanted.rb_plus =>
            {
                E::SPI_SHADER_32_R
            }
            // Normalized exports of 16 bits cannot blend.
            (16, N::NUMBER_UNORM | N::NUMBER_SNORM) if wanted.blends => wide,
            (16, N::NUMBER_UNORM) => E::SPI_SHADER_UNORM16_ABGR,
            (16, N::NUMBER_SNORM) => E::SPI_SHADER_SNORM16_ABGR,
            (_, N::NUMBER_UINT) => E::SPI_SHADER_UINT16_ABGR,
            (_, N::NUMBER_SINT) => E::SPI_SHADER_SINT16_ABGR,
            _ => E::SPI_SHADER_FP16_ABGR,
        }
    }

    /// Returns the format to which RB+ reduces an export to a target of the format (SX_DOWNCONVERT_FORMAT), and the precision of blending.
    ///
    /// The pairs of format and export are those of recorded command buffers of radeonsi and RADV on GFX10.3 to GFX12. All others stay whole, as rgba16f and rgba32f do
    /// there. Whether hardware could reduce more of them is unverified; an unreduced export is correct, and at most slower.
    pub(crate) fn reduced(self, gfx: Gfx, export: SpiShaderExFormat) -> (u32, SxBlendOptEpsilonMrt0Epsilon) {
        use Channels as C;
        use SpiShaderExFormat as E;
        use SurfaceNumber as N;
        use SxBlendOptEpsilonMrt0Epsilon as Epsilon;
        on_gfx!(each gfx, r => {
            type D = r::SxDownconvertFormat;
            let (format, epsilon) = match (self.channels, self.number, export) {
                (C::COLOR_8 | C::COLOR_8_8 | C::COLOR_8_8_8_8, N::NUMBER_UNORM, E::SPI_SHADER_FP16_ABGR)
                | (C::COLOR_8 | C::COLOR_8_8_8_8, N::NUMBER_UINT, E::SPI_SHADER_UINT16_ABGR) => (D::SX_RT_EXPORT_8_8_8_8, Epsilon::_8BIT_FORMAT_0_5),
                (C::COLOR_8_8_8_8, N::NUMBER_SRGB, E::SPI_SHADER_FP16_ABGR) => (D::SX_RT_EXPORT_8_8_8_8, Epsilon::EXACT),
                (C::COLOR_5_6_5, N::NUMBER_UNORM, E::SPI_SHADER_FP16_ABGR) => (D::SX_RT_EXPORT_5_6_5, Epsilon::_6BIT_FORMAT_0_5),
                (C::COLOR_16, N::NUMBER_UNORM, E::SPI_SHADER_UNORM16_ABGR) => (D::SX_RT_EXPORT_16_16_GR, Epsilon::EXACT),
                (C::COLOR_32, N::NUMBER_UINT | N::NUMBER_FLOAT, E::SPI_SHADER_32_R) => (D::SX_RT_EXPORT_32_R, Epsilon::EXACT),
                _ => (D::SX_RT_EXPORT_NO_CONVERSION, Epsilon::EXACT),
            };
            (format.into(), epsilon)
        })
    }
}

impl ColorFormat {
    /// Returns whether the channels are integers, which cannot blend.
    pub const fn is_integer(self) -> bool {
        matches!(hardware(self).number, SurfaceNumber::NUMBER_UINT | SurfaceNumber::NUMBER_SINT)
    }

    /// Returns the size of a pixel in bytes.
    pub const fn bytes(self) -> u32 {
        hardware(self).bytes
    }
}
