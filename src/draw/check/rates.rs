//! Shading rates that a chip supports, and the effective rate of a draw.

use crate::chip::{Chip, Erratum};
use crate::draw::check::effective_draw::EffectiveDraw;
use crate::draw::desc::{DrawError, RateCombiner, ShadingRate};

/// Properties of fragment shading rate and interlock of a chip, in Vulkan terms.
///
/// For an example, see [`vrs_properties`](crate::draw::vrs_properties).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VrsProperties {
    /// Whether pipeline state and primitives can set the rate; `attachment_fragment_shading_rate` states whether a shading-rate image can.
    pub pipeline_fragment_shading_rate: bool,
    /// Whether shading-rate images are supported; on GFX10.3 the rates are in HTILE, which needs HiZ.
    pub attachment_fragment_shading_rate: bool,
    /// Width and height of the largest fragment in pixels; (1, 1) without VRS.
    pub max_fragment_size: (u32, u32),
    /// The most coverage samples of a fragment; 0 without VRS.
    pub max_fragment_shading_rate_coverage_samples: u32,
    /// The most rasterization samples with coarse rates; 0 without VRS.
    pub max_fragment_shading_rate_rasterization_samples: u32,
    /// Whether a shader that writes depth or stencil keeps its rate.
    pub fragment_shading_rate_with_shader_depth_stencil_writes: bool,
    /// Whether a shader that declares an interlock keeps its rate; false where POPS forces 1x1 in hardware.
    pub fragment_shading_rate_with_fragment_shader_interlock: bool,
    /// Whether pixel interlock is supported.
    pub fragment_shader_pixel_interlock: bool,
    /// Whether sample interlock is supported.
    pub fragment_shader_sample_interlock: bool,
    /// Whether interlock by coarse fragment is supported: always false, because POPS works on fine pixels.
    pub fragment_shader_shading_rate_interlock: bool,
}

/// Returns the properties of a chip.
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
        // GFX12 supports no more (Mesa 25.0.7); on earlier generations, the erratum forces 1x1 with 8 samples.
        max_fragment_shading_rate_rasterization_samples: if vrs { 4 } else { 0 },
        fragment_shading_rate_with_shader_depth_stencil_writes: vrs && !chip.has(Erratum::VrsDepthExport),
        fragment_shading_rate_with_fragment_shader_interlock: version >= (11, 0),
        fragment_shader_pixel_interlock: true,
        fragment_shader_sample_interlock: true,
        fragment_shader_shading_rate_interlock: false,
    }
}

/// Returns why 1x1 shading is forced on a generation with VRS, if it is.
///
/// On GFX10.3, POPS forces 1x1 in hardware, and drivers program it even if the section is unused (Mesa 25.0.7 radv_emit_msaa_state). On all generations, sample
/// shading and reading the sample mask force it (captures).
pub(crate) fn forces_fine_rate(desc: &EffectiveDraw<'_>, chip: Chip) -> Option<&'static str> {
    let properties = vrs_properties(chip);
    let shader = desc.shader.as_ref();
    if !properties.pipeline_fragment_shading_rate {
        None
    } else if desc.interlock.is_declared() && !properties.fragment_shading_rate_with_fragment_shader_interlock {
        Some("GFX10.3 shades at 1x1 with an interlock mode, whatever rate is requested")
    } else if shader.is_some_and(|s| s.sample_shading) {
        Some("sample shading is finer than any coarse rate")
    } else if shader.is_some_and(|s| s.reads_sample_mask) {
        Some("the shader reads the sample mask of its pixel, so it shades at 1x1")
    } else {
        None
    }
}

/// Returns why a shader that exports depth or stencil is shaded at 1x1 on this chip, if it is.
pub(crate) fn fine_depth_export(desc: &EffectiveDraw<'_>, chip: Chip) -> Option<&'static str> {
    let exports = desc.shader.as_ref().is_some_and(|s| s.writes_depth || s.writes_stencil);
    (exports && chip.has(Erratum::VrsDepthExport)).then_some("this chip cannot export depth or stencil at coarse rates")
}

/// Returns why a draw whose targets have no rates is shaded at 1x1; None if nothing requires it. Targets without rates count as 1x1, and combining with 1x1 by
/// MIN or REPLACE gives 1x1 (Mesa 25.0.7 radv_emit_fragment_shading_rate; Vulkan specifies this for draws without a shading-rate image).
pub(crate) fn fine_without_target_rates(desc: &EffectiveDraw<'_>) -> Option<&'static str> {
    let fine = matches!(desc.rate_image_combiner, RateCombiner::Min | RateCombiner::Replace) && !targets_have_rates(desc);
    fine.then_some("targets without rates have 1x1, which their combiner takes")
}

/// Returns the programmed rate and the reason.
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

/// Returns whether the targets supply rates: with an image, or in HTILE on GFX10.3.
pub(crate) fn targets_have_rates(desc: &EffectiveDraw<'_>) -> bool {
    desc.rate_image.is_some() || desc.depth.and_then(|depth| depth.htile).is_some_and(|htile| htile.rates)
}
