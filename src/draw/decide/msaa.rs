//! Sample counts: coverage, what the shader sees, and how often it runs.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::decide::hierarchical;
use crate::draw::decide::samples::farthest;
use crate::draw::desc::ConservativeRaster;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// PA_SC_AA_CONFIG: coverage samples, and the mask bits that the shader sees.
fn pa_sc_aa_config<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let exposed = inputs.exposed_log2;
    let (coverage, rule) = match inputs.desc.raster.conservative {
        ConservativeRaster::Underestimate => (0, "pixels that are covered whole need no samples"),
        _ if inputs.reads_inner_coverage() => (inputs.rasterized_log2(), "coverage samples, log2, and one step more for inner coverage (PAL 04/2025)"),
        _ => (inputs.coverage_log2, "coverage samples, log2"),
    };
    let rule_exposed = "sample mask bits that the shader sees, log2: all coverage samples";
    let (conservative, conservative_rule) = conservative(inputs);
    let (distance, distance_rule) = (farthest(inputs), distance_rule(inputs));
    let (select, select_rule) = inputs.coverage_select();
    // Underestimation has no coverage samples in the register, but the draw has them.
    let several = inputs.rasterized_log2() > 0;
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 => {
            type R = r::PaScAaConfig;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::MSAA_NUM_SAMPLES, coverage, rule).set(R::MSAA_EXPOSED_SAMPLES, exposed, rule_exposed);
            let word = word.set(R::AA_MASK_CENTROID_DTMN, conservative, conservative_rule);
            let word = word.set(R::COVERAGE_TO_SHADER_SELECT, select, select_rule);
            Some(word.set(R::MAX_SAMPLE_DIST, distance, distance_rule))
        },
        Gfx103 | Gfx11x => {
            type R = r::PaScAaConfig;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::MSAA_NUM_SAMPLES, coverage, rule).set(R::MSAA_EXPOSED_SAMPLES, exposed, rule_exposed);
            let word = word.set(R::AA_MASK_CENTROID_DTMN, conservative, conservative_rule);
            let word = word.set(R::MAX_SAMPLE_DIST, distance, distance_rule);
            let word = word.set(R::COVERAGE_TO_SHADER_SELECT, select, select_rule);
            Some(word.set(R::COVERED_CENTROID_IS_CENTER, several, "with MSAA, as in RADV (captures)"))
        },
        Gfx12 => {
            type R = r::PaScAaConfig;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::MSAA_NUM_SAMPLES, coverage, rule).set(R::MSAA_EXPOSED_SAMPLES, exposed, rule_exposed);
            let word = word.set(R::AA_MASK_CENTROID_DTMN, conservative, conservative_rule);
            Some(word.set(R::PS_ITER_SAMPLES, iterations_log2(inputs), ITERATIONS_RULE))
        },
    })
}

/// PA_SC_SAMPLE_PROPERTIES (GFX12): the fields on sample positions that PA_SC_AA_CONFIG has on earlier generations.
fn pa_sc_sample_properties<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => None,
        Gfx12 => {
            type R = r::PaScSampleProperties;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::MAX_SAMPLE_DIST, farthest(inputs), distance_rule(inputs)))
        },
    })
}

fn distance_rule(inputs: &DrawInputs<'_>) -> &'static str {
    match inputs.desc.sample_locations {
        Some(_) => "farthest of the draw's sample positions, 1/16 pixel",
        None => "farthest of the standard sample positions, 1/16 pixel",
    }
}

/// Returns whether rasterization is conservative, and the reason to print for fields that depend on it (Mesa 25.0.7 and 2026).
fn conservative(inputs: &DrawInputs<'_>) -> (bool, &'static str) {
    let on = inputs.desc.raster.conservative != ConservativeRaster::Off;
    (on, if on { "rasterization is conservative" } else { "samples decide" })
}

/// The value of DB_EQAA.OVERRASTERIZATION_AMOUNT for conservative rasterization.
const OVERRASTERIZATION: u32 = 4;

const ITERATIONS_RULE: &str = "log2 of the shader invocations per pixel: one per sample with sample shading, else one";

/// Returns log2 of the shader invocations per pixel.
fn iterations_log2(inputs: &DrawInputs<'_>) -> u32 {
    if inputs.shader().is_some_and(|s| s.sample_shading) { inputs.coverage_log2 } else { 0 }
}

/// log2 of the anchor samples, and why. A depth target with more samples than the coverage: up to GFX10.3 they follow the coverage, which no source calls
/// wrong; on GFX11 and GFX11.5 the larger number applies, as in RADV on all generations (Mesa 25.0.7 radv_emit_msaa_state; PAL gfx9MsaaState.cpp has those of
/// depth). GFX12 has no such field.
fn anchors(inputs: &DrawInputs<'_>) -> (u32, &'static str) {
    let coverage = inputs.coverage_log2;
    match inputs.depth_log2 {
        Some(depth) if inputs.gfx.major() >= 11 && coverage > 0 && depth > coverage => {
            (depth, "samples of the depth target, log2: it has more than the coverage")
        }
        _ => (coverage, "coverage samples, log2"),
    }
}

/// DB_EQAA.
fn db_eqaa<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let samples = inputs.coverage_log2;
    let rule = "coverage samples, log2";
    let (anchors, anchors_rule) = anchors(inputs);
    let always = "always set (Mesa 25.0.7, captures)";
    let (conservative, conservative_rule) = conservative(inputs);
    let amount = if conservative { OVERRASTERIZATION } else { 0 };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            type R = r::DbEqaa;
            let word = Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::HIGH_QUALITY_INTERSECTIONS, true, always)
                .set(R::INCOHERENT_EQAA_READS, true, always)
                .set(R::STATIC_ANCHOR_ASSOCIATIONS, true, always)
                .set(R::MAX_ANCHOR_SAMPLES, anchors, anchors_rule)
                .set(R::MASK_EXPORT_NUM_SAMPLES, samples, rule)
                .set(R::ALPHA_TO_MASK_NUM_SAMPLES, samples, rule)
                .set(R::OVERRASTERIZATION_AMOUNT, amount, conservative_rule);
            Some(word.set(R::PS_ITER_SAMPLES, iterations_log2(inputs), ITERATIONS_RULE))
        },
        Gfx12 => {
            type R = r::DbEqaa;
            Some(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::HIGH_QUALITY_INTERSECTIONS, true, always)
                .set(R::STATIC_ANCHOR_ASSOCIATIONS, true, always)
                .set(R::MASK_EXPORT_NUM_SAMPLES, samples, rule)
                .set(R::ALPHA_TO_MASK_NUM_SAMPLES, samples, rule)
                .set(R::OVERRASTERIZATION_AMOUNT, amount, conservative_rule))
        },
    })
}

/// PA_SC_MODE_CNTL_0.
fn pa_sc_mode_cntl_0<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    on_gfx!(each inputs.gfx, r => {
        type R = r::PaScModeCntl0;
        let (several, own) = (inputs.coverage_log2 > 0, inputs.desc.sample_locations.is_some());
        let msaa_rule = match (several, own) {
            (true, _) => "more than one coverage sample",
            (false, true) => "one coverage sample with a custom position",
            (false, false) => "one coverage sample",
        };
        let stipple = inputs.desc.raster.stipple.is_some();
        Some(Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::MSAA_ENABLE, several || own, msaa_rule)
            .set(R::VPORT_SCISSOR_ENABLE, true, "viewport scissors are always used")
            .set(R::LINE_STIPPLE_ENABLE, stipple, if stipple { "lines have a pattern" } else { "lines have no pattern" })
            .set(R::ALTERNATE_RBS_PER_TILE, true, "always set (Mesa 25.0.7, captures)"))
    })
}

/// PS_ITER_SAMPLE: one invocation per sample, or 1x1 shading forced on chips with VRS.
fn per_sample(inputs: &DrawInputs<'_>) -> (bool, &'static str) {
    match (iterations_log2(inputs) > 0, crate::draw::check::rates::forces_fine_rate(inputs.desc, inputs.chip)) {
        (true, _) => (true, "sample shading"),
        (false, Some(rule)) => (true, rule),
        (false, None) => (false, "one invocation per pixel"),
    }
}

/// SPI_BARYC_CNTL: with sample shading the shader reads the position of the sample (captures), otherwise the centre of the pixel.
fn spi_baryc_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let sample = iterations_log2(inputs) > 0;
    on_gfx!(inputs.gfx, r => {
        type R = r::SpiBarycCntl;
        let (location, rule) = if sample { (2u32, "sample shading: positions at the sample") } else { (0, "positions at the pixel centre") };
        Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::POS_FLOAT_LOCATION, location, rule))
    })
}

/// PA_SC_MODE_CNTL_1: walk constants, order of primitives, invocations per sample.
fn pa_sc_mode_cntl_1<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let (per_sample, per_sample_rule) = per_sample(inputs);
    let order = order_rule(inputs);
    let walk = "walk constant (Mesa 25.0.7, captures); the fence size of chips with two pipes is smaller there";
    // Mesa 2026 radv_emit_rast_samples_state.
    let (mark, mark_rule) = if inputs.gfx.major() >= 12 { (0u32, "none on GFX12 (Mesa 2026)") } else { (7, walk) };
    let (align, align_rule) = match (hierarchical::has_surfaces(inputs), inputs.desc.rate_image) {
        (true, _) => (false, "with HiZ or HiS surfaces it must be off, else GFX12 may hang (PAL 04/2025)"),
        (_, Some(_)) => (false, "with a shading-rate image it must be off, else GFX12 hangs (Mesa 25.0.7, PAL 04/2025)"),
        (false, None) => (true, walk),
    };
    on_gfx!(inputs.gfx, r => {
        type R = r::PaScModeCntl1;
        Some(Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::WALK_ALIGN8_PRIM_FITS_ST, align, align_rule)
            .set(R::WALK_FENCE_ENABLE, true, walk)
            .set(R::WALK_FENCE_SIZE, 3u32, walk)
            .set(R::SUPERTILE_WALK_ORDER_ENABLE, true, walk)
            .set(R::TILE_WALK_ORDER_ENABLE, true, walk)
            .set(R::MULTI_SHADER_ENGINE_PRIM_DISCARD_ENABLE, true, walk)
            .set(R::FORCE_EOV_CNTDWN_ENABLE, true, walk)
            .set(R::FORCE_EOV_REZ_ENABLE, true, walk)
            .set(R::OUT_OF_ORDER_WATER_MARK, mark, mark_rule)
            .set(R::OUT_OF_ORDER_PRIMITIVE_ENABLE, inputs.out_of_order(), order)
            .set(R::PS_ITER_SAMPLE, per_sample, per_sample_rule))
    })
}

fn order_rule(inputs: &DrawInputs<'_>) -> &'static str {
    use crate::draw::desc::RasterizationOrder::{Relaxed, Strict};
    match (inputs.desc.order, inputs.out_of_order()) {
        (Strict, _) => "strict order: never out of order unless it is asked for, least of all under an ordered interlock",
        (Relaxed, true) => "relaxed order was asked for, and the chip can",
        (Relaxed, false) => "relaxed order was asked for, but this chip keeps order (only GFX9 with several shader engines does not)",
    }
}

/// Adds the sample registers.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(pa_sc_aa_config(inputs));
    sheet.add(pa_sc_sample_properties(inputs));
    sheet.add(db_eqaa(inputs));
    sheet.add(pa_sc_mode_cntl_0(inputs));
    sheet.add(pa_sc_mode_cntl_1(inputs));
    sheet.add(spi_baryc_cntl(inputs));
}
