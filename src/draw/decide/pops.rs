//! Primitive ordered pixel shading: how it is switched on, when two invocations overlap, and what the shader receives.
//!
//! Rules: POPS article (docs/drivers/amd/hw/pops.rst of Mesa), Mesa 25.0.7 RADV, PAL 04/2025.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::decide::stage::pixel::collision_loads;
use crate::draw::desc::DepthLayout;
use crate::draw::desc::pipeline::NO_SHADER;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// Returns log2 of the samples that make two invocations overlap, and the rule.
fn overlap(inputs: &DrawInputs<'_>) -> (u32, &'static str) {
    match (inputs.pops, inputs.desc.interlock.is_per_sample()) {
        (false, _) => (0, "no ordered section"),
        (true, false) => (0, "pixel interlock: any shared pixel overlaps"),
        (true, true) => (inputs.exposed_log2, "sample interlock: invocations overlap only where they share a sample, so it equals MSAA_EXPOSED_SAMPLES"),
    }
}

/// Returns the sentence that fits.
fn said(yes: bool, when: &'static str, otherwise: &'static str) -> &'static str {
    if yes { when } else { otherwise }
}

/// Expands to the generation's name of the bound on the depth that the shader writes.
macro_rules! conservative_z {
    ($r:ident, $shader:expr) => {
        match $shader.depth_layout {
            DepthLayout::Any => $r::ConservativeZExport::EXPORT_ANY_Z,
            DepthLayout::Less => $r::ConservativeZExport::EXPORT_LESS_THAN_Z,
            DepthLayout::Greater => $r::ConservativeZExport::EXPORT_GREATER_THAN_Z,
        }
    };
}

/// PA_SC_HISZ_CONTROL (GFX12): how HiZ and HiS round, and what they may assume about the shader's depth. Also written without a shader: GFX12 may hang where
/// nothing has set the state of a pixel shader (Mesa 2026 radv_emit_graphics_shaders).
fn pa_sc_hisz_control<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => None,
        Gfx12 => {
            type R = r::PaScHiszControl;
            let shader = inputs.shader().unwrap_or(&NO_SHADER);
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::ROUND, 2u32, "the smallest rounding that hardware accepts (Mesa 25.0.7, PAL 04/2025)");
            Some(word.set(R::CONSERVATIVE_Z_EXPORT, conservative_z!(r, shader), "depth layout of the shader"))
        },
    })
}

/// Sets the fields of DB_SHADER_CONTROL that every generation has: what the shader does.
macro_rules! shader_control {
    ($inputs:ident, $r:ident) => {{
        type R = $r::DbShaderControl;
        let inputs = $inputs;
        let shader = inputs.shader().unwrap_or(&NO_SHADER);
        // A feedback loop takes precedence over early tests (Mesa 25.0.7 radv_emit_db_shader_control).
        let (order, order_rule) = match (shader.reads_depth_target, shader.early_fragment_tests, shader.writes_memory) {
            (true, ..) => ($r::ZOrder::LATE_Z, "the shader reads the depth target of the draw, so tests are late"),
            (_, true, _) => ($r::ZOrder::EARLY_Z_THEN_LATE_Z, "early fragment tests are asked for"),
            (.., false) => ($r::ZOrder::EARLY_Z_THEN_LATE_Z, "the shader writes no memory, so early tests change nothing that is seen"),
            (.., true) => ($r::ZOrder::LATE_Z, "the shader writes memory and does not ask for early tests"),
        };
        let layout = conservative_z!($r, shader);
        let memory = if shader.writes_memory { "the shader writes memory: it must run even if no sample is written" } else { "the shader writes no memory" };
        let rb_plus = inputs.chip.info().rb_plus;
        Word::new(On::<R, { $r::GFX }>::SLOT)
            .set(R::Z_EXPORT_ENABLE, shader.writes_depth, said(shader.writes_depth, "the shader writes depth", "the shader writes no depth"))
            .set(
                R::STENCIL_TEST_VAL_EXPORT_ENABLE,
                shader.writes_stencil,
                said(shader.writes_stencil, "the shader writes a stencil reference", "the shader writes no stencil reference"),
            )
            .set(R::Z_ORDER, order, order_rule)
            .set(R::KILL_ENABLE, shader.can_discard, said(shader.can_discard, "the shader may discard", "the shader never discards"))
            .set(
                R::MASK_EXPORT_ENABLE,
                shader.writes_sample_mask,
                said(shader.writes_sample_mask, "the shader writes the sample mask", "the shader writes no sample mask"),
            )
            .set(R::EXEC_ON_HIER_FAIL, shader.writes_memory, memory)
            .set(R::EXEC_ON_NOOP, shader.writes_memory, memory)
            .set(
                R::DEPTH_BEFORE_SHADER,
                shader.early_fragment_tests,
                said(shader.early_fragment_tests, "early fragment tests are asked for", "early fragment tests are not asked for"),
            )
            .set(R::CONSERVATIVE_Z_EXPORT, layout, "depth layout of the shader")
            .set(R::DUAL_QUAD_DISABLE, !rb_plus, if rb_plus { "RB+ is allowed on this chip" } else { "RB+ is not allowed on this chip" })
            .set(R::PRIMITIVE_ORDERED_PIXEL_SHADER, inputs.pops, if inputs.pops { "the shader runs an ordered section" } else { "no ordered section" })
    }};
}

/// DB_SHADER_CONTROL: the switch of POPS, and the overlap granularity under its two names.
fn db_shader_control<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let (samples, rule) = overlap(inputs);
    let exec_if_overlapped = inputs.desc.expert.exec_if_overlapped;
    let exec_rule = if exec_if_overlapped { "asked for as an expert option" } else { "no driver sets it" };
    let post_depth = inputs.shader().is_some_and(|s| s.post_depth_coverage);
    let post_rule = said(post_depth, "coverage after the early tests is asked for", "coverage after the early tests is not asked for");
    let coverage_to_mask = inputs.exports_coverage_alpha();
    let mask_rule =
        said(coverage_to_mask, "alpha becomes coverage and then 1: the depth export carries the coverage", "not both alpha to coverage and alpha to one");
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            let word = shader_control!(inputs, r);
            type R = r::DbShaderControl;
            let word = word.set(R::COVERAGE_TO_MASK_ENABLE, coverage_to_mask, mask_rule);
            Some(word.set(R::POPS_OVERLAP_NUM_SAMPLES, samples, rule).set(R::EXEC_IF_OVERLAPPED, exec_if_overlapped, exec_rule))
        },
        Gfx10x => {
            let word = shader_control!(inputs, r);
            type R = r::DbShaderControl;
            let word = word.set(R::COVERAGE_TO_MASK_ENABLE, coverage_to_mask, mask_rule).set(R::PRE_SHADER_DEPTH_COVERAGE_ENABLE, post_depth, post_rule);
            Some(word.set(R::POPS_OVERLAP_NUM_SAMPLES, samples, rule).set(R::EXEC_IF_OVERLAPPED, exec_if_overlapped, exec_rule))
        },
        Gfx11x | Gfx12 => {
            let word = shader_control!(inputs, r);
            type R = r::DbShaderControl;
            let enable = if inputs.pops { "every POPS draw overrides the intrinsic rate" } else { "no ordered section" };
            let word = word.set(R::PRE_SHADER_DEPTH_COVERAGE_ENABLE, post_depth, post_rule);
            Some(word.set(R::OVERRIDE_INTRINSIC_RATE_ENABLE, inputs.pops, enable).set(R::OVERRIDE_INTRINSIC_RATE, samples, rule))
        },
    })
}

/// DB_DFSM_CONTROL (GFX9 to GFX10.3): DFSM off, the drain bit by option; the code of the erratum sets it too.
fn db_dfsm_control<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    use crate::draw::desc::Drain;
    if inputs.desc.drain == Drain::ResetDefault {
        return None; // left as reset left it
    }
    let on = inputs.desc.drain == Drain::On;
    let rule = if on { "asked for" } else { "no erratum of this chip asks for it in this draw, so it is cleared (again)" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {
            type R = r::DbDfsmControl;
            Some(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::PUNCHOUT_MODE, r::DbDfsmControlPunchoutMode::FORCE_OFF, "every driver switches DFSM off; the reset default forces it on")
                .set(R::DISALLOW_OVERFLOW, false, "every driver leaves it 0; the reset default is 1")
                .set(R::POPS_DRAIN_PS_ON_OVERLAP, on, rule))
        },
        Gfx11x | Gfx12 => None,
    })
}

/// DB_RENDER_OVERRIDE2: partial squads, flushed depth. The code of the Navi1x erratum sets the field.
fn db_render_override2<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let rule = "no erratum of this chip asks for another mode in this draw";
    // GFX12 compresses depth without HTILE.
    let flush = inputs.desc.depth.is_some_and(|depth| (depth.htile.is_some() || inputs.gfx.major() == 12) && depth.samples >= 4);
    let flush_rule =
        if flush { "compressed depth of 4 samples or more is decompressed when it is flushed (captures)" } else { "no compressed depth of 4 samples or more" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 => {
            type R = r::DbRenderOverride2;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::PARTIAL_SQUAD_LAUNCH_CONTROL, r::DbPSLControl::PSLC_AUTO, rule);
            Some(word.set(R::DECOMPRESS_Z_ON_FLUSH, flush, flush_rule))
        },
        Gfx103 | Gfx11x | Gfx12 => {
            type R = r::DbRenderOverride2;
            Some(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::PARTIAL_SQUAD_LAUNCH_CONTROL, r::DbPSLControl::PSLC_AUTO, rule)
                .set(R::DECOMPRESS_Z_ON_FLUSH, flush, flush_rule)
                .set(R::CENTROID_COMPUTATION_MODE, 1u32, "GFX10.3 and later (Mesa 25.0.7, captures)"))
        },
    })
}

/// PA_SC_SHADER_CONTROL: the scan converter's half of the collision loads (GFX9 to GFX10.3).
fn pa_sc_shader_control<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let ((wave, wave_rule), (intrawave, intrawave_rule)) = collision_loads(inputs);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {
            type R = r::PaScShaderControl;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::LOAD_COLLISION_WAVEID, wave, wave_rule);
            Some(word.set(R::LOAD_INTRAWAVE_COLLISION, intrawave, intrawave_rule))
        },
        Gfx11x => None,
        Gfx12 => {
            type R = r::PaScShaderControl;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::REALIGN_DQUADS_AFTER_N_WAVES, 1u32, "GFX12 (Mesa 25.0.7 preamble, recordings)"))
        },
    })
}

/// Adds the registers of POPS.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(pa_sc_hisz_control(inputs));
    sheet.add(db_shader_control(inputs));
    sheet.add(db_dfsm_control(inputs));
    sheet.add(db_render_override2(inputs));
    sheet.add(pa_sc_shader_control(inputs));
}
