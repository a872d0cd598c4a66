//! Shading rates, their combination, and shading-rate images.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// The pixels that one invocation of the shader covers.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DrawDesc, PipelineDesc, RateCombiner, RateImage, ShadingRate, TargetsDesc};
/// // Two by two pixels, or what an image says: the coarser one.
/// let pipeline = PipelineDesc { rate: ShadingRate::R2x2, rate_image_combiner: RateCombiner::Max, ..PipelineDesc::default() };
/// // SW_64KB_R_X, the mode of such images on GFX11; a texel for 8 x 8 pixels.
/// let rate_image = Some(RateImage { address: 0x100_0000, swizzle: 27, extent: (32, 16) });
/// let targets = TargetsDesc { extent: (256, 128), rate_image, ..TargetsDesc::default() };
/// DrawDesc { targets, ..DrawDesc::from(pipeline) }.resolve(Chip::Navi31)?;
/// # Ok::<(), pm4::draw::DrawError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
pub enum ShadingRate {
    /// One invocation per pixel.
    #[default]
    #[strum(serialize = "1x1")]
    R1x1,
    /// One pixel wide, two high.
    #[strum(serialize = "1x2")]
    R1x2,
    /// Two pixels wide, one high.
    #[strum(serialize = "2x1")]
    R2x1,
    /// Two by two.
    #[strum(serialize = "2x2")]
    R2x2,
}

impl ShadingRate {
    /// Returns width and height in pixels.
    pub fn size(self) -> (u32, u32) {
        match self {
            Self::R1x1 => (1, 1),
            Self::R1x2 => (1, 2),
            Self::R2x1 => (2, 1),
            Self::R2x2 => (2, 2),
        }
    }

    /// Returns whether an invocation covers more than one pixel.
    pub fn is_coarse(self) -> bool {
        self != Self::R1x1
    }
}

/// How two shading rates combine. The values are those of VRSCombinerModeSC.
///
/// For an example see [`ShadingRate`](crate::draw::ShadingRate).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum RateCombiner {
    /// The first rate is kept.
    #[default]
    Keep = 0,
    /// The second rate replaces the first.
    Replace = 1,
    /// The finer rate.
    Min = 2,
    /// The coarser rate.
    Max = 3,
    /// The product of both rates, up to the largest rate.
    Multiply = 4,
}

/// A shading-rate image: one texel per 8 x 8 pixels.
///
/// For an example see [`ShadingRate`](crate::draw::ShadingRate).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RateImage {
    /// Address, including the pipe and bank bits of the tiling: a multiple of 256.
    pub address: u64,
    /// Number of the swizzle mode on the generation ([`SwizzleMode::number`](crate::layout::SwizzleMode::number)). Only GFX12 has a register for it; on GFX11
    /// the image is always `64KB_R_X`.
    pub swizzle: u8,
    /// Width and height in texels: 1 to 2048, on GFX12 1 to 8192.
    pub extent: (u32, u32),
}
