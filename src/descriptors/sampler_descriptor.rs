//! Sampler descriptors from API terms.

use crate::chip::Chip;
use crate::descriptors::error::Checks;
use crate::descriptors::typed_descriptor::layout::{SqImgFilterType, SqTexBorderColor, SqTexClamp, SqTexDepthCompare, SqTexMipFilter, SqTexXyFilter};
use crate::descriptors::{Compare, DescriptorError};

/// How a shader samples an image. Derived values follow Mesa 25.0.7 (ac_build_sampler_descriptor, radv_init_sampler).
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::SamplerDesc;
///
/// let trilinear = SamplerDesc::default(); // repeats, filters linearly, all levels
/// assert_eq!(trilinear.words(Chip::Navi10)?, [0, 0x00F0_0000, 0x0850_0000, 0]);
///
/// let odd = SamplerDesc { max_anisotropy: 17, ..trilinear }.words(Chip::Navi10).unwrap_err();
/// assert_eq!(odd.to_string(), "sampler descriptor: max_anisotropy = 17 is not within 1 to 16");
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplerDesc {
    /// The addressing beyond the edge, per axis.
    pub address: [AddressMode; 3],
    /// Filter for magnification.
    pub magnify: Filter,
    /// Filter for minification.
    pub minify: Filter,
    /// Filter between levels.
    pub mip: MipFilter,
    /// Largest anisotropy, 1 to 16; other values than powers of two are rounded down to one. 1: no anisotropy.
    pub max_anisotropy: u32,
    /// Disables anisotropy for views of one level (ANISO_OVERRIDE). RADV writes false, radeonsi and PAL true.
    pub isotropic_single_level: bool,
    /// Smallest level of detail. Clamped to the hardware's range 0 to 15 (GFX12: 17), as in drivers.
    pub min_lod: f32,
    /// Largest level of detail, not below the smallest; clamped like `min_lod`. 1000 means all levels.
    pub max_lod: f32,
    /// Added to the level of detail: -16 to 16, from GFX10 -32 to 31.
    pub lod_bias: f32,
    /// Comparison of a shadow sampler.
    pub compare: Option<Compare>,
    /// How a filter combines texels.
    pub reduction: Reduction,
    /// Colour beyond the border, for address modes that reach it.
    pub border: BorderColor,
    /// Whether coordinates are in texels.
    pub unnormalized: bool,
    /// Whether filtering stops at the edge of a cube face.
    pub separate_cube_faces: bool,
    /// Truncates coordinates for every filter; otherwise only if both filters are nearest. The kernel states which devices need this
    /// (AMDGPU_IDS_FLAGS_CONFORMANT_TRUNC_COORD); it does not follow from the generation.
    pub conformant_truncation: bool,
}

impl Default for SamplerDesc {
    /// Returns a sampler that repeats, filters linearly within and between levels, and uses all levels.
    fn default() -> Self {
        Self {
            address: [AddressMode::Repeat; 3],
            magnify: Filter::Linear,
            minify: Filter::Linear,
            mip: MipFilter::Linear,
            max_anisotropy: 1,
            isotropic_single_level: false,
            min_lod: 0.0,
            max_lod: 1000.0,
            lod_bias: 0.0,
            compare: None,
            reduction: Reduction::Mean,
            border: BorderColor::TransparentBlack,
            unnormalized: false,
            separate_cube_faces: false,
            conformant_truncation: false,
        }
    }
}

/// Addressing beyond the edge (radv_tex_wrap, PAL GetAddressClamp).
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{AddressMode, SamplerDesc};
/// let clamp = SamplerDesc { address: [AddressMode::ClampToEdge, AddressMode::Repeat, AddressMode::Repeat], ..SamplerDesc::default() };
/// assert_eq!(clamp.words(Chip::Navi10)?[0], 2);
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AddressMode {
    /// The image repeats.
    #[default]
    Repeat,
    /// The image repeats, mirrored every second time.
    MirroredRepeat,
    /// The texel at the edge.
    ClampToEdge,
    /// Mirrored once, then the texel at the edge.
    MirrorClampToEdge,
    /// Half way to the border colour.
    ClampHalfBorder,
    /// Mirrored once, then half way to the border colour.
    MirrorClampHalfBorder,
    /// The border colour.
    ClampToBorder,
    /// Mirrored once, then the border colour.
    MirrorClampToBorder,
}

/// A filter within a level ([`SamplerDesc::magnify`]); with anisotropy, the hardware's anisotropic filter of the same kind.
///
/// For an example see [`Reduction`](crate::descriptors::Reduction).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Filter {
    /// The nearest texel.
    #[default]
    Nearest,
    /// A weighted mean of the four nearest texels.
    Linear,
}

/// A filter between levels ([`SamplerDesc::mip`]).
///
/// For an example see [`Reduction`](crate::descriptors::Reduction).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MipFilter {
    /// Only the first level.
    #[default]
    None,
    /// The nearest level.
    Nearest,
    /// A weighted mean of the two nearest levels.
    Linear,
}

/// How a filter combines texels ([`SamplerDesc::reduction`]).
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{DescriptorKind, Filter, MipFilter, Reduction, SamplerDesc};
/// // The least of four texels, of the nearest level.
/// let least = SamplerDesc { magnify: Filter::Linear, minify: Filter::Linear, mip: MipFilter::Nearest, reduction: Reduction::Least, ..SamplerDesc::default() };
/// let words = least.words(Chip::Navi31)?;
/// let name = |field| DescriptorKind::Sampler.fields(Chip::Navi31.gfx()).iter().find(|f| f.name == field).and_then(|f| f.name_of(f.get(&words)));
/// assert_eq!(name("FILTER_MODE"), Some("SQ_IMG_FILTER_MODE_MIN"));
/// assert_eq!((name("XY_MAG_FILTER"), name("MIP_FILTER")), (Some("SQ_TEX_XY_FILTER_BILINEAR"), Some("SQ_TEX_MIP_FILTER_POINT")));
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reduction {
    /// The weighted mean of the texels.
    #[default]
    Mean,
    /// The minimum per channel.
    Least,
    /// The maximum per channel.
    Greatest,
}

/// The colour beyond the border.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{AddressMode, BorderColor, SamplerDesc};
///
/// let clamp = SamplerDesc { address: [AddressMode::ClampToBorder; 3], border: BorderColor::Custom(5), ..SamplerDesc::default() };
/// assert_eq!(clamp.words(Chip::Navi31)?[3], 0xC014_0000);
/// # Ok::<(), pm4::descriptors::DescriptorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BorderColor {
    /// 0, 0, 0, 0.
    #[default]
    TransparentBlack,
    /// 0, 0, 0, 1.
    OpaqueBlack,
    /// 1, 1, 1, 1.
    OpaqueWhite,
    /// A slot of the table at TA_BC_BASE_ADDR, 0 to 4095, 16 bytes each.
    Custom(u16),
}

const CHECKS: Checks = Checks("sampler");

impl AddressMode {
    const fn code(self) -> SqTexClamp {
        match self {
            Self::Repeat => SqTexClamp::SQ_TEX_WRAP,
            Self::MirroredRepeat => SqTexClamp::SQ_TEX_MIRROR,
            Self::ClampToEdge => SqTexClamp::SQ_TEX_CLAMP_LAST_TEXEL,
            Self::MirrorClampToEdge => SqTexClamp::SQ_TEX_MIRROR_ONCE_LAST_TEXEL,
            Self::ClampHalfBorder => SqTexClamp::SQ_TEX_CLAMP_HALF_BORDER,
            Self::MirrorClampHalfBorder => SqTexClamp::SQ_TEX_MIRROR_ONCE_HALF_BORDER,
            Self::ClampToBorder => SqTexClamp::SQ_TEX_CLAMP_BORDER,
            Self::MirrorClampToBorder => SqTexClamp::SQ_TEX_MIRROR_ONCE_BORDER,
        }
    }

    /// Returns whether the mode uses the border colour.
    const fn has_border(self) -> bool {
        matches!(self, Self::ClampHalfBorder | Self::MirrorClampHalfBorder | Self::ClampToBorder | Self::MirrorClampToBorder)
    }
}

impl Filter {
    const fn code(self, anisotropic: bool) -> SqTexXyFilter {
        match (self, anisotropic) {
            (Self::Nearest, false) => SqTexXyFilter::SQ_TEX_XY_FILTER_POINT,
            (Self::Linear, false) => SqTexXyFilter::SQ_TEX_XY_FILTER_BILINEAR,
            (Self::Nearest, true) => SqTexXyFilter::SQ_TEX_XY_FILTER_ANISO_POINT,
            (Self::Linear, true) => SqTexXyFilter::SQ_TEX_XY_FILTER_ANISO_BILINEAR,
        }
    }
}

impl MipFilter {
    const fn code(self) -> SqTexMipFilter {
        match self {
            Self::None => SqTexMipFilter::SQ_TEX_MIP_FILTER_NONE,
            Self::Nearest => SqTexMipFilter::SQ_TEX_MIP_FILTER_POINT,
            Self::Linear => SqTexMipFilter::SQ_TEX_MIP_FILTER_LINEAR,
        }
    }
}

impl Reduction {
    const fn code(self) -> SqImgFilterType {
        match self {
            Self::Mean => SqImgFilterType::SQ_IMG_FILTER_MODE_BLEND,
            Self::Least => SqImgFilterType::SQ_IMG_FILTER_MODE_MIN,
            Self::Greatest => SqImgFilterType::SQ_IMG_FILTER_MODE_MAX,
        }
    }
}

impl BorderColor {
    /// Returns the kind and the slot in the table.
    const fn code(self) -> (SqTexBorderColor, u32) {
        match self {
            Self::TransparentBlack => (SqTexBorderColor::SQ_TEX_BORDER_COLOR_TRANS_BLACK, 0),
            Self::OpaqueBlack => (SqTexBorderColor::SQ_TEX_BORDER_COLOR_OPAQUE_BLACK, 0),
            Self::OpaqueWhite => (SqTexBorderColor::SQ_TEX_BORDER_COLOR_OPAQUE_WHITE, 0),
            Self::Custom(slot) => (SqTexBorderColor::SQ_TEX_BORDER_COLOR_REGISTER, slot as u32),
        }
    }
}

/// Returns the code of a comparison; 0 without one (radv_tex_compare).
const fn compare_code(compare: Option<Compare>) -> SqTexDepthCompare {
    match compare {
        None | Some(Compare::Never) => SqTexDepthCompare::SQ_TEX_DEPTH_COMPARE_NEVER,
        Some(Compare::Less) => SqTexDepthCompare::SQ_TEX_DEPTH_COMPARE_LESS,
        Some(Compare::Equal) => SqTexDepthCompare::SQ_TEX_DEPTH_COMPARE_EQUAL,
        Some(Compare::LessOrEqual) => SqTexDepthCompare::SQ_TEX_DEPTH_COMPARE_LESSEQUAL,
        Some(Compare::Greater) => SqTexDepthCompare::SQ_TEX_DEPTH_COMPARE_GREATER,
        Some(Compare::NotEqual) => SqTexDepthCompare::SQ_TEX_DEPTH_COMPARE_NOTEQUAL,
        Some(Compare::GreaterOrEqual) => SqTexDepthCompare::SQ_TEX_DEPTH_COMPARE_GREATEREQUAL,
        Some(Compare::Always) => SqTexDepthCompare::SQ_TEX_DEPTH_COMPARE_ALWAYS,
    }
}

/// Returns a fraction in units of 1/256, truncated (util_unsigned_fixed).
pub(super) fn fixed(value: f32) -> u32 {
    (value * 256.0) as u32
}

impl SamplerDesc {
    /// All bits 0 (PAL NullSampler).
    pub const NULL: [u32; 4] = [0; 4];

    /// Returns the descriptor's dwords for a chip.
    ///
    /// # Errors
    /// The first input that the chip does not accept, with its value and the limit.
    pub fn words(&self, chip: Chip) -> Result<[u32; 4], DescriptorError> {
        let gfx = chip.gfx();
        let major = gfx.major();
        CHECKS.range("max_anisotropy", self.max_anisotropy.into(), 1, 16)?;
        let ratio = self.max_anisotropy.ilog2();
        let anisotropic = ratio > 0;
        let finest = if major >= 12 { 17.0 } else { 15.0 };
        CHECKS.fraction("min_lod", self.min_lod, f32::MIN, f32::MAX)?;
        CHECKS.fraction("max_lod", self.max_lod, self.min_lod, f32::MAX)?;
        let (min_lod, max_lod) = (fixed(self.min_lod.clamp(0.0, finest)), fixed(self.max_lod.clamp(0.0, finest)));
        let (least, most) = if major == 9 { (-16.0, 16.0) } else { (-32.0, 31.0) };
        let bias = (CHECKS.fraction("lod_bias", self.lod_bias, least, most)? * 256.0) as i32;
        let bias = bias as u32 & 0x3FFF; // two's complement in 14 bits
        if let BorderColor::Custom(slot) = self.border {
            CHECKS.range("border", slot.into(), 0, 4095)?;
        }
        let bordered = self.address.into_iter().any(AddressMode::has_border);
        let (border, slot) = if bordered { self.border } else { BorderColor::TransparentBlack }.code();
        let nearest = self.magnify == Filter::Nearest && self.minify == Filter::Nearest;
        let perf_mip = if anisotropic { ratio + 6 } else { 0 };

        macro_rules! common {
            ($r:ident) => {
                $r::SamplerDescriptor::new()
                    .with_clamp_x(self.address[0].code())
                    .with_clamp_y(self.address[1].code())
                    .with_clamp_z(self.address[2].code())
                    .with_max_aniso_ratio(ratio)
                    .with_depth_compare_func(compare_code(self.compare))
                    .with_force_unnormalized(self.unnormalized)
                    .with_aniso_threshold(ratio >> 1)
                    .with_aniso_bias(ratio)
                    .with_trunc_coord(nearest || self.conformant_truncation)
                    .with_disable_cube_wrap(self.separate_cube_faces)
                    .with_filter_mode(self.reduction.code())
                    .with_min_lod(min_lod)
                    .with_max_lod(max_lod)
                    .with_perf_mip(perf_mip)
                    .with_lod_bias(bias)
                    .with_xy_mag_filter(self.magnify.code(anisotropic))
                    .with_xy_min_filter(self.minify.code(anisotropic))
                    .with_mip_filter(self.mip.code())
                    .with_aniso_override(self.isotropic_single_level)
                    .with_border_color_ptr(slot)
                    .with_border_color_type(border)
            };
        }
        on_gfx!(descriptors gfx, r => {
            Gfx9 => common!(r).with_compat_mode(true).with_filter_prec_fix(true).words(),
            Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => common!(r).words(),
        })
    }
}
