//! Derives a setup from the registers of a draw, as the command-processor model saw it.

use super::arguments::{ArgumentLoad, Arguments};
use super::setup::{Axiom, InterlockScope, Setup};
use crate::chip::{Chip, Erratum};
use crate::cp::DrawView;
use crate::isa::WaveSize;
use alloc::vec::Vec;

/// Returns the axioms of a chip: the errata whose effect the model takes from their sources.
pub fn axioms(chip: Chip) -> Vec<Axiom> {
    let all = [(Erratum::PopsMissedOverlap, Axiom::MissedOverlap), (Erratum::StalledPops, Axiom::StalledPops)];
    all.into_iter().filter(|(erratum, _)| chip.has(*erratum)).map(|(_, axiom)| axiom).collect()
}

fn small(value: u32) -> u8 {
    value.min(7) as u8
}

/// Returns the configuration of packers and waves for a draw. `interlock` is the shader's declaration, which no register contains.
///
/// Registers that the stream left unknown count as 0; DB_DFSM_CONTROL then has its reset value, and export formats count as allocated.
pub fn setup(view: &DrawView<'_>, interlock: InterlockScope) -> Setup {
    let (chip, gfx) = (view.chip(), view.gfx());
    let exposed_log2 = small(view.exposed_samples_log2().map_or(0, |f| f.value()));
    let samples_log2 = small(view.coverage_samples_log2().map_or(0, |f| f.value()));
    let overlap = on_gfx!(gfx, r => {
        Gfx9 | Gfx10x => view.get::<r::DbShaderControl>().map_or(0, |c| r::DbShaderControl::POPS_OVERLAP_NUM_SAMPLES.get(c.into())),
        Gfx11x | Gfx12 => view.get::<r::DbShaderControl>().map_or(0, |c| r::DbShaderControl::OVERRIDE_INTRINSIC_RATE.get(c.into())),
    });
    let pops = view.pops_enabled();
    let drain = view.drain().is_some_and(|drain| drain.on);
    let depth_log2 = if view.has_depth_image() { small(view.z_samples_log2().map_or(0, |f| f.value())) } else { 0 };
    // On GFX11, POPS counts the samples of DB_Z_INFO too, with or without a depth target. No source covers GFX12 (PAL leaves 0 there).
    let limited = gfx.major() == 11;
    let compared_log2 = if limited { exposed_log2.min(view.z_samples_log2().map_or(0, |f| small(f.value()))) } else { exposed_log2 };
    let samples = samples_log2.max(depth_log2);
    let hang_only = view.field("DB_RENDER_OVERRIDE2", "PARTIAL_SQUAD_LAUNCH_CONTROL").is_some_and(|f| f.value() == 1);
    let axiom = axioms(chip).into_iter().filter(|_| pops).find(|axiom| match axiom {
        Axiom::MissedOverlap => samples >= 3 && !drain,
        Axiom::StalledPops => drain && !hang_only,
    });
    Setup {
        gfx,
        pops,
        packers: chip.packer_ids() as u8,
        arguments: arguments(view),
        wave: wave_size(view),
        samples_log2: samples_log2.min(3),
        exposed_log2,
        overlap_log2: small(overlap),
        compared_log2,
        invocations_log2: invocations_log2(view),
        rate: rate(view, pops),
        drain,
        export_space: export_space(view),
        axiom,
        interlock,
        resource: None,
    }
}

/// Returns the scalar arguments that the draw loads.
pub fn arguments(view: &DrawView<'_>) -> Arguments {
    let field = |register, name| view.field(register, name).map_or(0, |f| f.value());
    let set = |register, name| field(register, name) != 0;
    let old = view.gfx().major() <= 10;
    const RSRC2: &str = "SPI_SHADER_PGM_RSRC2_PS";
    let load = |name| ArgumentLoad { shader: old && set(RSRC2, name), scan_converter: old && set("PA_SC_SHADER_CONTROL", name) };
    // For 32 user SGPRs, the field is 0 and the high bit is set.
    let user = field(RSRC2, "USER_SGPR") | field(RSRC2, "USER_SGPR_MSB") << 5;
    Arguments {
        user: user.min(32) as u8,
        wave_count: set(RSRC2, "WAVE_CNT_EN"),
        collision: load("LOAD_COLLISION_WAVEID"),
        intrawave: load("LOAD_INTRAWAVE_COLLISION"),
        provoking_vertex: view.gfx().version() >= (10, 3) && set("SPI_SHADER_PGM_RSRC1_PS", "LOAD_PROVOKING_VTX"),
        scratch: old && set(RSRC2, "SCRATCH_EN"),
    }
}

fn wave_size(view: &DrawView<'_>) -> WaveSize {
    let wave32 = view.gfx().major() >= 10 && view.field("SPI_PS_IN_CONTROL", "PS_W32_EN").is_some_and(|f| f.is_set());
    if wave32 { WaveSize::W32 } else { WaveSize::W64 }
}

/// Returns the log2 of the invocations per pixel; PS_ITER_SAMPLES counts only if PS_ITER_SAMPLE is on.
fn invocations_log2(view: &DrawView<'_>) -> u8 {
    if !view.field("PA_SC_MODE_CNTL_1", "PS_ITER_SAMPLE").is_some_and(|f| f.is_set()) {
        return 0;
    }
    let register = if view.gfx().major() >= 12 { "PA_SC_AA_CONFIG" } else { "DB_EQAA" };
    small(view.field(register, "PS_ITER_SAMPLES").map_or(0, |f| f.value()))
}

/// Returns the shading rate of the draw. POPS forces 1x1 on GFX10.3 (POPS article, Variable-rate shading interaction), and 8 samples force it on GFX12 (Mesa
/// 25.0.7 radv_physical_device.c; the rule STA-28).
fn rate(view: &DrawView<'_>, pops: bool) -> (u8, u8) {
    let gfx = view.gfx();
    let eight = || view.coverage_samples_log2().is_some_and(|f| f.value() >= 3);
    let forced = gfx.version() < (10, 3) || gfx.major() == 10 && pops || gfx.major() >= 12 && eight();
    let overridden = view.field("PA_CL_VRS_CNTL", "SAMPLE_ITER_COMBINER_MODE").is_some_and(|f| f.value() == 1);
    if forced || overridden || ends_fine(view) {
        return (1, 1);
    }
    let log2 = |name| small(view.field("GE_VRS_RATE", name).map_or(0, |f| f.value())).min(1);
    (1 << log2("RATE_X"), 1 << log2("RATE_Y"))
}

/// Returns whether the last combiner makes the rate 1x1: OVERRIDE (1) or MIN (2) with that rate, and no shading-rate image (Mesa 2026
/// radv_emit_override_vrs_state).
fn ends_fine(view: &DrawView<'_>) -> bool {
    const LAST: [(&str, &[&str]); 2] =
        [("PA_SC_VRS_OVERRIDE_CNTL", &["VRS_RATE", "VRS_SURFACE_ENABLE"]), ("DB_VRS_OVERRIDE_CNTL", &["VRS_OVERRIDE_RATE_X", "VRS_OVERRIDE_RATE_Y"])];
    LAST.iter().any(|(register, coarse)| {
        let forces = view.field(register, "VRS_OVERRIDE_RATE_COMBINER_MODE").is_some_and(|mode| matches!(mode.value(), 1 | 2));
        forces && !coarse.iter().any(|field| view.field(register, field).is_some_and(|f| f.is_set()))
    })
}

/// Returns whether the formats of colour target 0 and of depth decide whether exports are skipped (RDNA3 ISA, 3.4.1). Unknown registers count as allocated.
fn export_space(view: &DrawView<'_>) -> bool {
    let known = |name| view.register(name).and_then(|r| view.value(r.addr()));
    ["SPI_SHADER_COL_FORMAT", "SPI_SHADER_Z_FORMAT"].into_iter().any(|name| known(name).is_none_or(|formats| formats & 0xF != 0))
}
