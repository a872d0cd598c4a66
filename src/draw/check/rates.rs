//! Shading rates that a chip offers, and the rate that holds for a draw.

use crate::chip::{Chip, Erratum};
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::desc::{DrawError, RateCombiner, ShadingRate};

/// Fragment shading rate and interlock properties of a chip, in the words of Vulkan.
///
/// For an example see [`vrs_properties`](crate::draw::vrs_properties).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VrsProperties {
    /// Rates by pipeline state and primitive; the shading-rate image follows `attachment_fragment_shading_rate`.
    pub pipeline_fragment_shading_rate: bool,
    /// A shading-rate image; on GFX10.3 the rates are in HTILE, which needs HiZ.
    pub attachment_fragment_shading_rate: bool,
    /// Width and height of the largest fragment; (1, 1) without VRS.
    pub max_fragment_size: (u32, u32),
    /// Coverage samples of the largest fragment; 0 without VRS.
    pub max_fragment_shading_rate_coverage_samples: u32,
    /// Rasterization samples with coarse rates; 0 without VRS.
    pub max_fragment_shading_rate_rasterization_samples: u32,
    /// A shader that writes depth or stencil keeps its rate.
    pub fragment_shading_rate_with_shader_depth_stencil_writes: bool,
    /// A shader that declares an interlock keeps its rate. False where POPS forces 1x1 in hardware.
    pub fragment_shading_rate_with_fragment_shader_interlock: bool,
    /// Interlock by pixel.
    pub fragment_shader_pixel_interlock: bool,
    /// Interlock by sample.
    pub fragment_shader_sample_interlock: bool,
    /// Interlock by coarse fragment: never, POPS works on fine pixels.
    pub fragment_shader_shading_rate_interlock: bool,
}

/// What a chip offers.
///
/// Sources: POPS article, section Variable rate shading; Mesa 25.0.7 radv_physical_device.c. xgl (04/2025) reports
/// `fragment_shading_rate_with_fragment_shader_interlock` as false on every generation.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{VrsProperties, vrs_properties};
/// let navi21: VrsProperties = vrs_properties(Chip::Navi21);
/// assert!(navi21.pipeline_fragment_shading_rate && !navi21.fragment_shading_rate_with_fragment_shader_interlock);
/// assert!(vrs_properties(Chip::Navi31).fragment_shading_rate_with_fragment_shader_interlock);
/// ```
pub fn vrs_properties(chip: Chip) -> VrsProperties {
    let version = chip.gfx().version();
    let vrs = version >= (10, 3);
    VrsProperties {
        pipeline_fragment_shading_rate: vrs,
        attachment_fragment_shading_rate: vrs,
        max_fragment_size: if vrs { (2, 2) } else { (1, 1) },
        max_fragment_shading_rate_coverage_samples: match version {
            (12, _) => 16,
            _ if vrs => 32,
            _ => 0,
        },
        // GFX12 accepts no more (Mesa 25.0.7); before, the erratum keeps rates at 1x1 with 8 samples.
        max_fragment_shading_rate_rasterization_samples: if vrs { 4 } else { 0 },
        fragment_shading_rate_with_shader_depth_stencil_writes: vrs && !chip.has(Erratum::VrsDepthExport),
        fragment_shading_rate_with_fragment_shader_interlock: version >= (11, 0),
        fragment_shader_pixel_interlock: true,
        fragment_shader_sample_interlock: true,
        fragment_shader_shading_rate_interlock: false,
    }
}

/// Why shading at 1x1 is forced on a generation with VRS, if it is.
///
/// Interlock on GFX10.3: POPS forces 1x1 in hardware, and state says so even when the section is unused (Mesa 25.0.7 radv_emit_msaa_state). Sample shading, and
/// reading the sample mask, on all (captures).
pub(crate) fn forces_fine_rate(desc: &EffectiveDraw<'_>, chip: Chip) -> Option<&'static str> {
    let properties = vrs_properties(chip);
    let shader = desc.shader.as_ref();
    if !properties.pipeline_fragment_shading_rate {
        None
    } else if desc.interlock.is_declared() && !properties.fragment_shading_rate_with_fragment_shader_interlock {
        Some("GFX10.3 shades at 1x1 with an interlock mode, whatever is asked for")
    } else if shader.is_some_and(|s| s.sample_shading) {
        Some("sample shading is finer than any coarse rate")
    } else if shader.is_some_and(|s| s.reads_sample_mask) {
        Some("the shader reads the sample mask of its pixel, so it shades at 1x1")
    } else {
        None
    }
}

/// Why a shader that exports depth or stencil shades at 1x1 on this chip, if it does.
pub(crate) fn fine_depth_export(desc: &EffectiveDraw<'_>, chip: Chip) -> Option<&'static str> {
    let exports = desc.shader.as_ref().is_some_and(|s| s.writes_depth || s.writes_stencil);
    (exports && chip.has(Erratum::VrsDepthExport)).then_some("this chip cannot export depth or stencil at coarse rates")
}

/// Why a draw whose targets have no rates shades at 1x1; None where nothing requires it. Targets without rates count as 1x1, and a combination with 1x1 by MIN
/// or REPLACE is 1x1 (Mesa 25.0.7 radv_emit_fragment_shading_rate; Vulkan says so of a draw without a shading-rate image).
pub(crate) fn fine_without_target_rates(desc: &EffectiveDraw<'_>) -> Option<&'static str> {
    let fine = matches!(desc.rate_image_combiner, RateCombiner::Min | RateCombiner::Replace) && !targets_have_rates(desc);
    fine.then_some("targets without rates have 1x1, which their combiner takes")
}

/// Returns the rate that is programmed, and why.
pub(crate) fn effective_rate(desc: &EffectiveDraw<'_>, chip: Chip) -> Result<(ShadingRate, &'static str), DrawError> {
    let absent = |option| Err(DrawError::OptionAbsent { option, chip, limit: "GFX10.3 and later have VRS" });
    if !vrs_properties(chip).pipeline_fragment_shading_rate {
        if desc.rate.is_coarse() {
            return absent("a coarse shading rate");
        }
        if desc.rate_combiner != RateCombiner::Keep || desc.rate_image_combiner != RateCombiner::Keep || desc.rate_override.is_some() {
            return absent("a combination of shading rates");
        }
    }
    Ok(match forces_fine_rate(desc, chip).or_else(|| fine_depth_export(desc, chip)).or_else(|| fine_without_target_rates(desc)) {
        _ if !desc.rate.is_coarse() => (desc.rate, "no coarse rate asked for"),
        Some(rule) => (ShadingRate::R1x1, rule),
        None => (desc.rate, "rate asked for"),
    })
}

/// Returns whether targets bring rates: an image, or HTILE on GFX10.3.
pub(crate) fn targets_have_rates(desc: &EffectiveDraw<'_>) -> bool {
    desc.rate_image.is_some() || desc.depth.and_then(|depth| depth.htile).is_some_and(|htile| htile.rates)
}
