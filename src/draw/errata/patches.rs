//! Workarounds in the registers of a draw: the fields that they override.
//!
//! A condition reads only inputs, never the image, so they may run in any order and any number of times.

use crate::chip::Erratum;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::desc::{LineMode, PolygonMode, VertexPath};
use crate::draw::sheet::{On, Patch};

pub(super) fn drain(inputs: &DrawInputs<'_>, sheet: &mut dyn Patch) {
    let samples = match (inputs.coverage_log2 >= 3, inputs.depth_log2.is_some_and(|d| d >= 3)) {
        (true, true) => "8 coverage samples and 8 depth samples",
        (true, false) => "8 coverage samples",
        _ => "8 depth samples",
    };
    let rule = || {
        alloc::format!(
            "{} with POPS and {samples}: without a drain of the pixel shaders an overlap can be missed or the draw hang ({})",
            inputs.chip,
            Erratum::PopsMissedOverlap.source()
        )
    };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => sheet.patch(On::<r::DbDfsmControl, { r::GFX }>::SLOT, r::DbDfsmControl::POPS_DRAIN_PS_ON_OVERLAP, 1, &rule),
        Gfx11x | Gfx12 => { let _ = (sheet, rule); },
    });
}

pub(super) fn launch_on_hang_only(inputs: &DrawInputs<'_>, sheet: &mut dyn Patch) {
    use crate::draw::desc::Drain;
    let origin = if inputs.desc.drain == Drain::ResetDefault { "left on by the register's reset default" } else { "on" };
    let rule = || {
        alloc::format!(
            "{} with POPS while drain is {origin}: partial squads are launched only on a hang, else the draw would hang ({})",
            inputs.chip,
            Erratum::StalledPops.source()
        )
    };
    on_gfx!(each inputs.gfx, r => {
        type R = r::DbRenderOverride2;
        sheet.patch(On::<R, { r::GFX }>::SLOT, R::PARTIAL_SQUAD_LAUNCH_CONTROL, r::DbPSLControl::PSLC_ON_HANG_ONLY.into(), &rule);
    });
}

pub(super) fn blend_rate(inputs: &DrawInputs<'_>, sheet: &mut dyn Patch) {
    let rule = || alloc::format!("{} blends at one sample: intrinsic rate of 4 samples ({})", inputs.chip, Erratum::ExportConflict.source());
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => { let _ = (sheet, rule); },
        Gfx11x | Gfx12 => {
            type R = r::DbShaderControl;
            sheet.patch(On::<R, { r::GFX }>::SLOT, R::OVERRIDE_INTRINSIC_RATE_ENABLE, 1, &rule);
            sheet.patch(On::<R, { r::GFX }>::SLOT, R::OVERRIDE_INTRINSIC_RATE, 2, &rule);
        },
    });
}

pub(super) fn max_allowed_tiles(inputs: &DrawInputs<'_>, sheet: &mut dyn Patch) {
    let tiles = match (inputs.depth_log2, inputs.chip.info().apu) {
        (Some(3), false) => 6u32,
        (Some(3), true) => 7,
        (_, false) => 13,
        (_, true) => 15,
    };
    let rule = || alloc::format!("{} with this many depth samples hangs otherwise ({})", inputs.chip, Erratum::MaxAllowedTilesInWave.source());
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx12 => { let _ = (sheet, rule, tiles); },
        Gfx11x => sheet.patch(On::<r::DbRenderControl, { r::GFX }>::SLOT, r::DbRenderControl::MAX_ALLOWED_TILES_IN_WAVE, tiles, &rule),
    });
}

pub(super) fn small_primitives_pass(inputs: &DrawInputs<'_>, sheet: &mut dyn Patch) {
    let rule = || alloc::format!("{} with MSAA: the filter may drop what covers a sample ({})", inputs.chip, Erratum::SmallPrimFilterSampleLocations.source());
    on_gfx!(each inputs.gfx, r => {
        type R = r::PaSuSmallPrimFilterCntl;
        sheet.patch(On::<R, { r::GFX }>::SLOT, R::SMALL_PRIM_FILTER_ENABLE, 0, &rule);
    });
}

/// Vertices are not reused.
fn reuse_nothing(inputs: &DrawInputs<'_>, sheet: &mut dyn Patch, rule: &dyn Fn() -> alloc::string::String) {
    on_gfx!(inputs.gfx, r => {
        Gfx10x => sheet.patch(On::<r::VgtReuseOff, { r::GFX }>::SLOT, r::VgtReuseOff::REUSE_OFF, 1, rule),
        Gfx9 | Gfx11x | Gfx12 => { let _ = (sheet, rule); },
    });
}

pub(super) fn reuse_off(inputs: &DrawInputs<'_>, sheet: &mut dyn Patch) {
    let rule = || alloc::format!("{} hangs otherwise with tessellation before a geometry shader ({})", inputs.chip, Erratum::ReuseOff.source());
    reuse_nothing(inputs, sheet, &rule);
}

/// Polygons of a tessellator before the hardware VS or a geometry shader without NGG are drawn as lines.
pub(super) fn is_tessellated_wireframe(inputs: &DrawInputs<'_>) -> bool {
    inputs.path == VertexPath::Legacy && inputs.desc.tessellation.is_some() && inputs.desc.raster.polygon == PolygonMode::Line
}

pub(super) fn tessellated_wireframe(inputs: &DrawInputs<'_>, sheet: &mut dyn Patch) {
    let rule = || alloc::format!("{} draws tessellated polygons wrong as lines otherwise ({})", inputs.chip, Erratum::TessellatedWireframe.source());
    reuse_nothing(inputs, sheet, &rule);
}

/// Some target of several samples with DCC blends, or has a logic operation.
pub(super) fn combines_compressed_samples(inputs: &DrawInputs<'_>) -> bool {
    inputs.desc.color.iter().any(|target| {
        let combines = inputs.desc.blend(&target).is_some() || inputs.desc.logic_op.is_some() && inputs.shader().is_some() && target.write_mask != 0;
        combines && target.samples.unwrap_or(inputs.desc.samples) > 1 && target.compression.is_some_and(|compression| compression.dcc.is_some())
    })
}

pub(super) fn overwrite_combiner(inputs: &DrawInputs<'_>, sheet: &mut dyn Patch) {
    let rule = || alloc::format!("{} can corrupt compressed samples otherwise ({})", inputs.chip, Erratum::CompressedSampleBlend.source());
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => sheet.patch(On::<r::CbDccControl, { r::GFX }>::SLOT, r::CbDccControl::OVERWRITE_COMBINER_DISABLE, 1, &rule),
        Gfx11x | Gfx12 => { let _ = (sheet, rule); },
    });
}

/// Polygons are drawn as lines or points, or lines have square ends (PERPENDICULAR_ENDCAP_ENA), which smooth ones have not (Mesa 25.0.7
/// radv_get_pa_su_sc_mode_cntl, si_create_rs_state).
pub(super) fn needs_keeping_together(inputs: &DrawInputs<'_>) -> bool {
    let raster = &inputs.desc.raster;
    raster.polygon != PolygonMode::Fill || raster.line_mode == LineMode::Rectangular
}

pub(super) fn keep_together(inputs: &DrawInputs<'_>, sheet: &mut dyn Patch) {
    let rule = || alloc::format!("{}: the parts of a primitive stay together and in order ({})", inputs.chip, Erratum::KeepTogether.source());
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx12 => { let _ = (sheet, rule); },
        Gfx10x | Gfx11x => {
            type R = r::PaSuScModeCntl;
            sheet.patch(On::<R, { r::GFX }>::SLOT, R::KEEP_TOGETHER_ENABLE, 1, &rule);
        },
    });
}
