//! Formats of colour and depth targets.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// Formats of colour targets. Names consist of the channels with their bits and the number type: f float, ui unsigned, i signed, Srgb, Snorm, else unorm.
/// Packed 16-bit formats are named from the highest bit, as in Vulkan, packed 32-bit formats from the lowest bit.
///
/// For an example see [`Surface`](crate::draw::Surface).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
#[allow(missing_docs)] // the names say all that is known
pub enum ColorFormat {
    R8,
    #[strum(serialize = "r8-snorm")]
    R8Snorm,
    #[strum(serialize = "r8-srgb")]
    R8Srgb,
    R8ui,
    R8i,
    Rg8,
    #[strum(serialize = "rg8-snorm")]
    Rg8Snorm,
    Rg8ui,
    Rg8i,
    #[default]
    Rgba8,
    #[strum(serialize = "rgba8-snorm")]
    Rgba8Snorm,
    #[strum(serialize = "rgba8-srgb")]
    Rgba8Srgb,
    Rgba8ui,
    Rgba8i,
    Bgra8,
    #[strum(serialize = "bgra8-srgb")]
    Bgra8Srgb,
    R5g6b5,
    B5g6r5,
    Rgb5a1,
    A1rgb5,
    Rgba4,
    Bgra4,
    Argb4,
    Abgr4,
    Rgb10a2,
    #[strum(serialize = "rgb10a2-snorm")]
    Rgb10a2Snorm,
    Rgb10a2ui,
    Bgr10a2,
    R11g11b10f,
    Rgb9e5,
    R16,
    #[strum(serialize = "r16-snorm")]
    R16Snorm,
    R16f,
    R16ui,
    R16i,
    Rg16,
    #[strum(serialize = "rg16-snorm")]
    Rg16Snorm,
    Rg16f,
    Rg16ui,
    Rg16i,
    Rgba16,
    #[strum(serialize = "rgba16-snorm")]
    Rgba16Snorm,
    Rgba16f,
    Rgba16ui,
    Rgba16i,
    R32f,
    R32ui,
    R32i,
    Rg32f,
    Rg32ui,
    Rg32i,
    Rgba32f,
    Rgba32ui,
    Rgba32i,
    R64ui,
    R64i,
}

/// Formats of depth targets.
///
/// For an example see [`DepthTarget`](crate::draw::DepthTarget).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum DepthFormat {
    /// 16-bit unorm.
    D16,
    /// 24-bit unorm (GFX9 to GFX11.5). No Vulkan driver offers it; radeonsi's command buffers have it on Vega10 and Navi31.
    D24,
    /// 32-bit float.
    D32,
    /// Only 8-bit stencil.
    S8,
    /// 24-bit unorm and 8-bit stencil (GFX9 to GFX11.5).
    D24s8,
    /// 32-bit float and 8-bit stencil.
    D32s8,
}

impl DepthFormat {
    /// Returns whether depth is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::D32 | Self::D32s8)
    }

    /// Returns whether there is 8-bit stencil.
    pub const fn has_stencil(self) -> bool {
        matches!(self, Self::S8 | Self::D24s8 | Self::D32s8)
    }

    /// Returns whether depth has 24 bits.
    pub(crate) const fn is_of_24_bits(self) -> bool {
        matches!(self, Self::D24 | Self::D24s8)
    }

    /// Returns the bits that a unit of depth bias counts, in the hardware's sense: the bits of the number, or of a float's mantissa (Mesa 25.0.7; 24 bits in
    /// command buffers of radeonsi).
    pub(crate) const fn bias_bits(self) -> i32 {
        match self {
            Self::D32 | Self::D32s8 => 23,
            Self::D24 | Self::D24s8 => 24,
            Self::D16 | Self::S8 => 16,
        }
    }
}
