//! Variable rate shading: the options of a chip, the effect of interlock, and the registers.

use crate::chip::Erratum;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::check::rates::{fine_depth_export, fine_without_target_rates, forces_fine_rate, targets_have_rates};
use crate::draw::desc::{RateCombiner, ShadingRate};
use crate::draw::sheet::{On, Sheet, Why, Word};
use alloc::format;
use alloc::string::String;

/// GE_VRS_RATE (GFX10.3 and later): log2 of width and height.
fn ge_vrs_rate<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let (width, height) = inputs.rate.size();
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 => None,
        Gfx103 | Gfx11x | Gfx12 => {
            type R = r::GeVrsRate;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::RATE_X, width - 1, inputs.rate_rule).set(R::RATE_Y, height - 1, inputs.rate_rule))
        },
    })
}

/// Expands to the hardware's name of a combiner.
macro_rules! combiner_mode {
    ($r:ident, $combiner:expr) => {
        match $combiner {
            RateCombiner::Keep => $r::VRSCombinerModeSC::SC_VRS_COMB_MODE_PASSTHRU,
            RateCombiner::Replace => $r::VRSCombinerModeSC::SC_VRS_COMB_MODE_OVERRIDE,
            RateCombiner::Min => $r::VRSCombinerModeSC::SC_VRS_COMB_MODE_MIN,
            RateCombiner::Max => $r::VRSCombinerModeSC::SC_VRS_COMB_MODE_MAX,
            RateCombiner::Multiply => $r::VRSCombinerModeSC::SC_VRS_COMB_MODE_SATURATE,
        }
    };
}

/// Returns how the rate of the targets combines, and the reason.
fn image_combiner(inputs: &DrawInputs<'_>) -> (RateCombiner, &'static str) {
    if !targets_have_rates(inputs.desc) {
        return (RateCombiner::Keep, "no shading-rate image");
    }
    match forces_fine_rate(inputs.desc, inputs.chip).or_else(|| fine_depth_export(inputs.desc, inputs.chip)) {
        Some(why) => (RateCombiner::Keep, why),
        None => (inputs.desc.rate_image_combiner, "how the rate of the targets combines"),
    }
}

/// Returns whether primitives of mesh shaders may carry a rate: their payload is a layer, a viewport or a rate.
fn primitives_may_have_rates(inputs: &DrawInputs<'_>) -> bool {
    inputs.desc.mesh.is_some_and(|mesh| mesh.primitive_payload)
}

/// PA_CL_VRS_CNTL (GFX10.3 and later): how rates combine. The rate of the draw combines with that of the vertex, or of the primitive of a mesh shader, then
/// with that of the targets (Mesa 25.0.7 radv_emit_fragment_shading_rate).
fn pa_cl_vrs_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let forced = forces_fine_rate(inputs.desc, inputs.chip);
    let fine = forced.or_else(|| fine_depth_export(inputs.desc, inputs.chip)).or_else(|| fine_without_target_rates(inputs.desc));
    let combiner = if fine.is_some() { RateCombiner::Keep } else { inputs.desc.rate_combiner };
    let (of_vertices, of_primitives) = if inputs.desc.mesh.is_some() { (RateCombiner::Keep, combiner) } else { (combiner, RateCombiner::Keep) };
    let (of_targets, targets_rule) = image_combiner(inputs);
    let rule = || forced.map_or_else(|| String::from("rates pass"), |why| format!("the sample iteration rate, 1x1, overrides all others: {why}"));
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 => None,
        Gfx103 | Gfx11x | Gfx12 => {
            type R = r::PaClVrsCntl;
            use r::VRSCombinerModeSC as Mode;
            let samples = if forced.is_some() { Mode::SC_VRS_COMB_MODE_OVERRIDE } else { Mode::SC_VRS_COMB_MODE_PASSTHRU };
            let word = Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::VERTEX_RATE_COMBINER_MODE, combiner_mode!(r, of_vertices), fine.unwrap_or("how the draw's rate and the vertex's combine"))
                .set(R::PRIMITIVE_RATE_COMBINER_MODE, combiner_mode!(r, of_primitives), fine.unwrap_or("how the draw's rate and the primitive's combine"));
            let word = word.set(R::HTILE_RATE_COMBINER_MODE, combiner_mode!(r, of_targets), targets_rule);
            Some(word.set(R::SAMPLE_ITER_COMBINER_MODE, samples, rule))
        },
    })
}

/// The effect of the last combiner on the rate of the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The rate passes unchanged.
    Passes,
    /// This rate replaces it.
    Override(ShadingRate),
    /// No rate is coarser than 1x1.
    Fine,
}

/// Returns whether any state allows the draw a coarse rate.
fn may_be_coarse(inputs: &DrawInputs<'_>) -> bool {
    let by_targets = image_combiner(inputs).0 != RateCombiner::Keep;
    let by_shaders = inputs.desc.vertex.outputs.shading_rate || primitives_may_have_rates(inputs);
    by_targets || by_shaders || inputs.rate.is_coarse() || inputs.desc.rate_override.is_some_and(ShadingRate::is_coarse)
}

/// Returns whether coarse rates can hang the chip: with 8 samples. 16 samples count as 8.
fn hangs_at_coarse_rates(inputs: &DrawInputs<'_>) -> bool {
    inputs.chip.has(Erratum::CoarseRateAt8Samples) && inputs.rasterized_log2() >= 3
}

/// Returns the last combiner, and why.
fn last_combiner(inputs: &DrawInputs<'_>) -> (Last, &'static str) {
    let forced = forces_fine_rate(inputs.desc, inputs.chip);
    if hangs_at_coarse_rates(inputs) && forced.is_none() && may_be_coarse(inputs) {
        return (Last::Fine, "8 samples: coarse rates can hang the chip, so 1x1 is the least of all rates (Mesa 2026)");
    }
    let Some(rate) = inputs.desc.rate_override else { return (Last::Passes, "the draw sets shading rates") };
    if inputs.desc.interlock.is_declared() {
        return (Last::Passes, "no coarse rate is forced under an interlock mode (Mesa 25.0.7, all generations)");
    }
    match forced.or_else(|| fine_depth_export(inputs.desc, inputs.chip)) {
        Some(rule) if rate.is_coarse() => (Last::Passes, rule),
        _ => (Last::Override(rate), "requested rate, which overrides all others"),
    }
}

/// Expands to the hardware's name of the effect of the last combiner.
macro_rules! last_mode {
    ($r:ident, $last:expr) => {
        match $last {
            Last::Passes => $r::VRSCombinerModeSC::SC_VRS_COMB_MODE_PASSTHRU,
            Last::Override(_) => $r::VRSCombinerModeSC::SC_VRS_COMB_MODE_OVERRIDE,
            Last::Fine => $r::VRSCombinerModeSC::SC_VRS_COMB_MODE_MIN,
        }
    };
}

/// DB_VRS_OVERRIDE_CNTL (GFX10.3) or PA_SC_VRS_OVERRIDE_CNTL (GFX11 and later): a rate in place of all others, and whether a shading-rate image is
/// bound.
fn vrs_override_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let (last, rule) = last_combiner(inputs);
    let rate = if let Last::Override(rate) = last { rate } else { ShadingRate::R1x1 };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 => None,
        Gfx103 => {
            type R = r::DbVrsOverrideCntl;
            let (width, height) = rate.size();
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::VRS_OVERRIDE_RATE_COMBINER_MODE, last_mode!(r, last), rule);
            Some(word.set(R::VRS_OVERRIDE_RATE_X, width - 1, rule).set(R::VRS_OVERRIDE_RATE_Y, height - 1, rule))
        },
        Gfx11x | Gfx12 => {
            type R = r::PaScVrsOverrideCntl;
            let number = match rate {
                ShadingRate::R1x1 => r::VRSrate::VRS_SHADING_RATE_1X1,
                ShadingRate::R1x2 => r::VRSrate::VRS_SHADING_RATE_1X2,
                ShadingRate::R2x1 => r::VRSrate::VRS_SHADING_RATE_2X1,
                ShadingRate::R2x2 => r::VRSrate::VRS_SHADING_RATE_2X2,
            };
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::VRS_OVERRIDE_RATE_COMBINER_MODE, last_mode!(r, last), rule).set(R::VRS_RATE, number, rule);
            // With 8 samples there is no image, even if nothing uses its rates (Mesa 2026 radv_emit_override_vrs_state).
            let image = inputs.desc.rate_image.is_some() && last != Last::Fine && !hangs_at_coarse_rates(inputs);
            Some(word.set(R::VRS_SURFACE_ENABLE, image, if image { "a shading-rate image is bound" } else { "no shading-rate image, or no rate but 1x1" }))
        },
    })
}

/// VGT_DRAW_PAYLOAD_CNTL (GFX10.3 and later): whether draws carry a rate (captures), and primitives of mesh shaders a payload.
fn vgt_draw_payload_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let payload = inputs.desc.mesh.is_some_and(|mesh| mesh.primitive_payload);
    let payload_rule = if payload { "primitives say their layer, viewport or rate" } else { "primitives have no payload" };
    let rated = inputs.desc.rate.is_coarse();
    let rule = if rated { "the draw carries a shading rate" } else { "the draw carries no shading rate" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 => None,
        Gfx103 | Gfx11x | Gfx12 => {
            type R = r::VgtDrawPayloadCntl;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::EN_VRS_RATE, rated, rule).set(R::EN_PRIM_PAYLOAD, payload, payload_rule))
        },
    })
}

/// Adds the shading rate registers.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(ge_vrs_rate(inputs));
    sheet.add(vgt_draw_payload_cntl(inputs));
    sheet.add(pa_cl_vrs_cntl(inputs));
    sheet.add(vrs_override_cntl(inputs));
}
