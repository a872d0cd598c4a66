//! Scan converter and binner: scissors, bins, walks and the order of waves.

use crate::chip::Erratum;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::view::draw_view::{DrawView, FieldState};
use alloc::format;

/// Returns whether a board with this GFX10.1 or GFX10.3 chip may have at most 4 render backends. Boards with 16 are recorded for these two chips; for the
/// others, boards with fewer or none (Mesa 25.0.7 src/amd/drm-shim/amdgpu_devices.c).
fn may_have_few_backends(chip: &str) -> bool {
    !matches!(chip, "navi10" | "navi21")
}

pub(super) const SCISSORS_LOST: Rule = Rule::new(
    "STA-06",
    Severity::Warning,
    ChipScope::Erratum(Erratum::ViewportScissor),
    "viewport scissors are not written after a context roll",
    "Vega10 and Raven lose the viewport scissors when the context rolls: they must be written again before the draw, after all other context registers. \
     Draws with PA_SC_MODE_CNTL_0.VPORT_SCISSOR_ENABLE = 0 do not use them.",
    "Mesa 25.0.7 has_gfx9_scissor_bug; PAL waMiscScissorRegisterChange (until 2024)",
    Judge::Draw(scissors_lost),
);

fn scissors_lost(view: &DrawView<'_>) -> Option<Verdict> {
    let rolled = view.roll().source.is_some();
    let unused = || view.field("PA_SC_MODE_CNTL_0", "VPORT_SCISSOR_ENABLE").is_some_and(|enable| !enable.is_set());
    (rolled && !view.history().scissors_since_roll && view.draws_before() > 0 && !unused()).then(|| {
        Verdict::new("the context has rolled and no packet has written the viewport scissors since: they are lost on this chip")
            .register("PA_SC_VPORT_SCISSOR_0_TL")
            .help("after a context write, write PA_SC_VPORT_SCISSOR again before the next draw, after all other context registers")
    })
}

pub(super) const ITERATE_256: Rule = Rule::new(
    "STA-07",
    Severity::Error,
    ChipScope::GFX10,
    "ITERATE_256 with 4 samples without DECOMPRESS_ON_N_ZPLANES = 2",
    "GFX10.1 hangs with ITERATE_256 on a 4-sample depth and stencil image unless DECOMPRESS_ON_N_ZPLANES is 2.",
    "PAL gfx9DepthStencilView.cpp; Mesa 25.0.7 radv_initialise_ds_surface",
    Judge::Draw(iterate_256),
)
.on_pixels();

fn iterate_256(view: &DrawView<'_>) -> Option<Verdict> {
    let iterate = view.field("DB_Z_INFO", "ITERATE_256").filter(FieldState::is_set)?;
    let planes = view.field("DB_Z_INFO", "DECOMPRESS_ON_N_ZPLANES")?;
    let samples = view.z_samples_log2()?;
    let both = view.field("DB_Z_INFO", "FORMAT")?.is_set() && view.field("DB_STENCIL_INFO", "FORMAT")?.is_set();
    (both && samples.value() == 2 && planes.value() != 2).then(|| {
        Verdict::new(format!("ITERATE_256 with 4 samples and DECOMPRESS_ON_N_ZPLANES = {}: the chip hangs", planes.value()))
            .at(&iterate)
            .help_set(&planes, 2, "")
    })
}

pub(super) const BINNING_OFF: Rule = Rule::new(
    "STA-11",
    Severity::Warning,
    ChipScope::FROM_GFX10,
    "binning is turned off with another generation's value",
    "BINNING_MODE turns binning off with 2 on GFX10 and GFX11, and with 3 on GFX11.5 and GFX12, where 2 means one primitive in a batch. On GFX10 and \
     GFX11 the name of 3 says that binning is off, too, and AMD's own tests (libdrm) write it: there the value 3 has severity info. PAL also asserts \
     that bins have a width where they have a height: the fields have no code for a size of 0, so no stream shows that mistake.",
    "PAL gfx9ColorTargetView.cpp; Mesa 25.0.7 radv_cmd_buffer.c; register headers for the names",
    Judge::Draw(binning_off),
);

fn binning_off(view: &DrawView<'_>) -> Option<Verdict> {
    let mode = view.field("PA_SC_BINNER_CNTL_0", "BINNING_MODE").filter(|mode| mode.value() >= 2)?;
    let right = if matches!(view.gfx().version(), (10, _) | (11, 0)) { 2 } else { 3 };
    // The value left by CLEAR_STATE is the chip's own.
    (mode.origin.is_some() && mode.value() != right).then(|| {
        let (value, gfx) = (mode.value(), view.gfx());
        let verdict = if right == 2 {
            Verdict::new(format!("BINNING_MODE is {value}, which turns binning off by its name; drivers write {right} on {gfx}")).severity(Severity::Info)
        } else {
            Verdict::new(format!("BINNING_MODE is {value}, but on {gfx} the value {right} turns binning off"))
        };
        verdict.at(&mode).help_set(&mode, right, "")
    })
}

pub(super) const STATES_PER_BIN: Rule = Rule::new(
    "STA-12",
    Severity::Error,
    ChipScope::FROM_GFX10,
    "more than one context state per bin",
    "From GFX10 on more than one context state per bin hangs at random; drivers write CONTEXT_STATES_PER_BIN = 0, which means one. Older versions of PAL \
     wrote three states on chips of GFX10.1 and GFX10.3 with at most 4 render backends: sources differ there, and it is a warning unless every board \
     of the chip is known to have more.",
    "Mesa 25.0.7 radv_physical_device.c, si_pipe.c; older PAL gfx9SettingsLoader.cpp (binningContextStatesPerBin)",
    Judge::Draw(states_per_bin),
)
.on_work();

fn states_per_bin(view: &DrawView<'_>) -> Option<Verdict> {
    let states = view.field("PA_SC_BINNER_CNTL_0", "CONTEXT_STATES_PER_BIN").filter(FieldState::is_set)?;
    let binning = view.field("PA_SC_BINNER_CNTL_0", "BINNING_MODE")?;
    let count = states.value() + 1;
    let verdict = if view.gfx().major() == 10 && may_have_few_backends(view.chip().info().name) {
        let text = format!("{count} context states per bin: Mesa writes one because of random hangs, but older PAL wrote three for up to 4 render backends");
        Verdict::new(text).severity(Severity::Warning)
    } else {
        Verdict::new(format!("{count} context states per bin: random hangs"))
    };
    (binning.value() < 2).then(|| verdict.at(&states).help_set(&states, 0, ", one state"))
}

pub(super) const RATE_IMAGE_WALK: Rule = Rule::new(
    "STA-13",
    Severity::Error,
    ChipScope::FROM_GFX11,
    "shading-rate image with aligned walking",
    "With a shading-rate image WALK_ALIGNMENT and WALK_ALIGN8_PRIM_FITS_ST must be 0: otherwise GFX12 hangs. According to PAL, they cannot be set together \
     with such an image on GFX11 either; PAL does not say what happens: a warning.",
    "PAL 04/2025 gfx12UniversalCmdBuffer.cpp, gfx9UniversalCmdBuffer.cpp (GFX11); Mesa 25.0.7",
    Judge::Draw(rate_image_walk),
)
.on_pixels();

fn rate_image_walk(view: &DrawView<'_>) -> Option<Verdict> {
    let image = view.field("PA_SC_VRS_OVERRIDE_CNTL", "VRS_SURFACE_ENABLE").filter(FieldState::is_set)?;
    let walk = ["WALK_ALIGNMENT", "WALK_ALIGN8_PRIM_FITS_ST"].iter().find_map(|name| view.field("PA_SC_MODE_CNTL_1", name).filter(FieldState::is_set))?;
    let hangs = view.gfx().major() >= 12;
    let effect = if hangs { "the chip hangs" } else { "PAL says that it cannot be set then, and not what happens" };
    let verdict = Verdict::new(format!("{} is 1 with a shading-rate image bound: {effect}", walk.field.name)).at(&walk).because(&image).help_set(&walk, 0, "");
    Some(if hangs { verdict } else { verdict.severity(Severity::Warning) })
}

pub(super) const TILES_IN_WAVE: Rule = Rule::new(
    "STA-15",
    Severity::Error,
    ChipScope::GFX11_AND_115,
    "MAX_ALLOWED_TILES_IN_WAVE does not match the samples",
    "GFX11 hangs when too many tiles enter a wave. The limit is 6 with 8 samples (APU 7), and 13 with 4 samples (APU 15); 0 is no limit. A smaller \
     limit is a warning: no source says that it hangs.",
    "PAL waIncorrectMaxAllowedTilesInWave; Mesa 25.0.7 radv_emit_framebuffer_state",
    Judge::Draw(tiles_in_wave),
)
.on_pixels();

fn tiles_in_wave(view: &DrawView<'_>) -> Option<Verdict> {
    let tiles = view.field("DB_RENDER_CONTROL", "MAX_ALLOWED_TILES_IN_WAVE")?;
    let samples = view.z_samples_log2().filter(|_| view.has_depth_image())?;
    let right = match (samples.value(), view.chip().info().apu) {
        (3, false) => 6,
        (3, true) => 7,
        (2, false) => 13,
        (2, true) => 15,
        _ => return None,
    };
    // 0 means no limit, which drivers write for fewer samples; Mesa of 2022 writes 15, one less.
    let below = (1..right).contains(&tiles.value());
    (tiles.value() != right).then(|| {
        let effect = match (below, tiles.value()) {
            (true, _) => format!("drivers write {right}; no source says what a smaller limit does"),
            (false, 0) => "0 is no limit, and the chip can hang".into(),
            (false, _) => "the chip can hang".into(),
        };
        let verdict = Verdict::new(format!("MAX_ALLOWED_TILES_IN_WAVE is {} with {} depth samples: {effect}", tiles.value(), 1 << samples.value()));
        let verdict = verdict.at(&tiles).because(&samples).help_set(&tiles, right, "");
        if below { verdict.severity(Severity::Warning) } else { verdict }
    })
}

pub(super) const OREO_MODE: Rule = Rule::new(
    "STA-16",
    Severity::Warning,
    ChipScope::Erratum(Erratum::OpaqueOreo),
    "OREO_MODE is opaque-then-blend",
    "PAL replaces OMODE_O_THEN_B by OMODE_BLEND on these chips: a mismatch of sample masks corrupts the scoreboard. RADV writes OMODE_BLEND everywhere. \
     radeonsi (25.0.7, 26.1.6) writes OMODE_O_THEN_B, as the faster mode, unless the pixel shader exports depth (DB_SHADER_CONTROL.Z_EXPORT_ENABLE): \
     without that export sources differ, and it has severity info. The rule is reported once per run.",
    "PAL 04/2025 waNoOpaqueOreo; Mesa 25.0.7 si_emit_db_render_state",
    Judge::Draw(oreo_mode),
)
.report_once();

fn oreo_mode(view: &DrawView<'_>) -> Option<Verdict> {
    let mode = view.field("DB_RENDER_CONTROL", "OREO_MODE")?;
    if mode.field.name_of(mode.value()) != Some("OMODE_O_THEN_B") {
        return None;
    }
    let right = mode.field.values?.value_of("OMODE_BLEND")?;
    // radeonsi writes this mode on purpose, but not with a depth export.
    let depth_export = view.field("DB_SHADER_CONTROL", "Z_EXPORT_ENABLE").is_some_and(|export| export.is_set());
    let (text, severity) = if depth_export {
        ("OREO_MODE is OMODE_O_THEN_B with a depth export, which PAL and radeonsi avoid on this chip: results may be wrong", Severity::Warning)
    } else {
        ("OREO_MODE is OMODE_O_THEN_B, which PAL replaces on this chip and radeonsi writes: it is not known whether results are right", Severity::Info)
    };
    Some(Verdict::new(text).severity(severity).at(&mode).help_set(&mode, right, " (OMODE_BLEND)"))
}

pub(super) const OUT_OF_ORDER: Rule = Rule::new(
    "STA-26",
    Severity::Warning,
    ChipScope::All,
    "out-of-order rasterization on a chip without it",
    "Only GFX9 chips with several shader engines rasterize out of order.",
    "Mesa 25.0.7 ac_gpu_info.c has_out_of_order_rast",
    Judge::Draw(out_of_order),
);

fn out_of_order(view: &DrawView<'_>) -> Option<Verdict> {
    let bit = view.field("PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_PRIMITIVE_ENABLE").filter(FieldState::is_set)?;
    (!view.chip().info().out_of_order_rasterization).then(|| {
        Verdict::new(format!("OUT_OF_ORDER_PRIMITIVE_ENABLE is 1, and {} has no out-of-order rasterization", view.chip().info().name))
            .at(&bit)
            .help_set(&bit, 0, "")
    })
}

pub(super) const RATE_WITH_8_SAMPLES: Rule = Rule::new(
    "STA-28",
    Severity::Info,
    ChipScope::GFX12,
    "shading rate with 8 samples",
    "With 8 samples GFX12 shades at 1x1, whatever rate is requested. Older generations may hang: STA-38.",
    "Mesa 25.0.7 radv_physical_device.c",
    Judge::Draw(rate_with_8_samples),
);

fn rate_with_8_samples(view: &DrawView<'_>) -> Option<Verdict> {
    let samples = view.coverage_samples_log2().filter(|samples| samples.value() >= 3)?;
    let rate = ["RATE_X", "RATE_Y"].into_iter().find_map(|field| view.field("GE_VRS_RATE", field).filter(FieldState::is_set))?;
    Some(
        Verdict::new("a coarse shading rate with 8 samples: the hardware shades at 1x1")
            .at(&rate)
            .because(&samples)
            .help("ask for 1x1, or draw with 4 samples or fewer"),
    )
}
