//! Rasterizer, shading rates and targets.

use crate::chip::Erratum;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::finding::Severity;
use crate::cp::view::draw_view::{DrawView, FieldState};
use alloc::format;

pub(in crate::cp::rules::sta) const LARGE_BATCH: Rule = Rule::new(
    "STA-32",
    Severity::Warning,
    ChipScope::GFX12,
    "batches of more primitives than the binner accepts",
    "The binner of GFX12 accepts at most 512 primitives in a batch: drivers write 511 to PA_SC_BINNER_CNTL_1.MAX_PRIM_PER_BATCH. Older generations accept \
     1023.",
    "PAL 04/2025 gfx12QueueContexts.cpp; Mesa 25.0.7 ac_cmdbuf.c",
    Judge::Draw(large_batch),
);

pub(in crate::cp::rules::sta) const COARSE_AT_8: Rule = Rule::new(
    "STA-38",
    Severity::Warning,
    ChipScope::Generations(0b01_1100),
    "coarse shading rate with 8 samples",
    "With 8 samples RADV (2026) keeps every coarse rate off up to GFX11.5: override combiner MIN with rate 1x1, and no shading-rate image (GFX10.3: \
     VRS_HTILE_ENCODING 0, or a HTILE combiner of PASSTHROUGH or MIN). It names random hangs of GFX11 with flat shading at coarse rates. A rate that the \
     state allows may remain unused, so this is a warning. For GFX10.3 RADV has the same condition, names no hang, and radeonsi uses such rates there: \
     severity info.",
    "Mesa 2026 radv_emit_override_vrs_state",
    Judge::Draw(coarse_at_8),
)
.on_pixels();

pub(in crate::cp::rules::sta) const NO_RELEASE_AFTER_DRAW: Rule = Rule::new(
    "STA-39",
    Severity::Warning,
    ChipScope::GFX12,
    "draw is not followed by a release at the bottom of the pipe",
    "On GFX12 draws whose last geometry stage exports shading rates can hang at random, and so can draws under HiZ or HiS. The known workaround is a \
     RELEASE_MEM of BOTTOM_OF_PIPE_TS after each of them. RADV sends it after every draw while such a surface is bound; PAL turns HiZ and HiS off, but only \
     for draws that write depth or stencil: other draws have severity info. It is not known when the hang occurs, and older drivers have no workaround: the \
     rule is reported once per run.",
    "Mesa 2026 ac_gpu_info.c has_vrs_export_bug; Mesa 25.0.7 radv_cmd_buffer.c (HiZ workaround); PAL 04/2025 waHiZsDisableWhenZsWrite",
    Judge::Draw(no_release_after_draw),
)
.report_once();

pub(in crate::cp::rules::sta) const COMPRESSED_FRAGMENTS: Rule = Rule::new(
    "STA-43",
    Severity::Warning,
    ChipScope::Erratum(Erratum::MaxCompressedFragments),
    "compressed target of several samples without a limit of fragments",
    "On these chips a compressed colour target of 4 samples or more needs ENABLE_MAX_COMP_FRAG_OVERRIDE and MAX_COMP_FRAGS in CB_COLORn_FDCC_CONTROL.",
    "PAL 04/2025 (Phoenix2, Strix1, Strix Halo)",
    Judge::Draw(compressed_fragments),
)
.on_pixels();

pub(in crate::cp::rules::sta) const ALIGNED_WALK: Rule = Rule::new(
    "STA-44",
    Severity::Warning,
    ChipScope::GFX12,
    "HiZ or HiS with aligned walking",
    "PAL writes WALK_ALIGNMENT and WALK_ALIGN8_PRIM_FITS_ST = 0 while a HiZ or HiS surface is bound on GFX12; RADV (2026) does so with HiZ. PAL says that \
     the hardware may hang otherwise.",
    "PAL 04/2025 gfx12UniversalCmdBuffer.cpp (paScWalkAlignState, WritePaScModeCntl1); Mesa 2026 radv_emit_rast_samples_state",
    Judge::Draw(aligned_walk),
)
.on_pixels();

pub(in crate::cp::rules::sta) const SMALL_BINS: Rule = Rule::new(
    "STA-47",
    Severity::Warning,
    ChipScope::GFX12,
    "bins smaller than GFX12 supports",
    "Bins of GFX12 have at least 128 pixels per side, even if binning is off: BIN_SIZE_X_EXTEND and BIN_SIZE_Y_EXTEND are at least 2, and BIN_SIZE_X and \
     BIN_SIZE_Y, which mean 16 pixels, are not supported and stay 0. No source says what happens otherwise.",
    "Mesa 2026 radv_get_disabled_binning_state",
    Judge::Draw(small_bins),
);

pub(in crate::cp::rules::sta) const EXCLUDED_EDGE: Rule = Rule::new(
    "STA-50",
    Severity::Warning,
    ChipScope::UP_TO_GFX115,
    "a sample on an edge of its pixel that the primitive filter excludes",
    "PA_SU_PRIM_FILTER_CNTL drops primitives that reach no sample. XMAX_RIGHT_EXCLUSION must be 0 where a sample is on the left edge of its pixel (x = -8, in \
     1/16 pixel), and YMAX_BOTTOM_EXCLUSION where one is on the upper edge (y = -8). No source says what happens otherwise; primitives that end at the \
     sample may be lost. RADV clears the bits for each axis, radeonsi has no position of -8. Only samples that PA_SC_AA_CONFIG has count.",
    "Mesa 25.0.7 radv_cmd_buffer.c, si_state.c, si_state_msaa.c",
    Judge::Draw(excluded_edge),
)
.on_pixels();

fn set(view: &DrawView<'_>, register: &str, field: &str) -> Option<FieldState> {
    view.field(register, field).filter(FieldState::is_set)
}

/// Largest value of MAX_PRIM_PER_BATCH on GFX12.
const BATCH: u32 = 511;

fn large_batch(view: &DrawView<'_>) -> Option<Verdict> {
    let primitives = view.field("PA_SC_BINNER_CNTL_1", "MAX_PRIM_PER_BATCH")?;
    let binning = view.field("PA_SC_BINNER_CNTL_0", "BINNING_MODE")?;
    (primitives.value() > BATCH && binning.value() < 2).then(|| {
        Verdict::new(format!("MAX_PRIM_PER_BATCH is {}, and the binner accepts {BATCH}", primitives.value())).at(&primitives).because(&binning).help_set(
            &primitives,
            BATCH,
            "",
        )
    })
}

/// BIN_SIZE_X_EXTEND for 128 pixels: log2 of the size minus 5.
const LEAST_BIN: u32 = 2;

fn small_bins(view: &DrawView<'_>) -> Option<Verdict> {
    const SIDES: [(&str, &str); 2] = [("BIN_SIZE_X", "BIN_SIZE_X_EXTEND"), ("BIN_SIZE_Y", "BIN_SIZE_Y_EXTEND")];
    let side = |(sixteen, extend): (&str, &str)| {
        let sixteen = set(view, "PA_SC_BINNER_CNTL_0", sixteen).map(|bit| (bit, 16, 0));
        let small = || view.field("PA_SC_BINNER_CNTL_0", extend).filter(|size| size.value() < LEAST_BIN);
        sixteen.or_else(|| small().map(|size| (size, 32 << size.value(), LEAST_BIN)))
    };
    // A register that nothing has written is ignored.
    let (field, pixels, right) = SIDES.into_iter().find_map(side).filter(|(field, ..)| field.origin.is_some())?;
    Some(Verdict::new(format!("{} makes bins of {pixels} pixels per side, and GFX12 has at least 128", field.field.name)).at(&field).help_set(
        &field,
        right,
        " or more, and 0 to BIN_SIZE_X and BIN_SIZE_Y",
    ))
}

/// Values of VRSCombinerModeSC.
mod combiner {
    pub const PASSTHROUGH: u32 = 0;
    pub const OVERRIDE: u32 = 1;
    pub const MIN: u32 = 2;
}

/// Returns the mode and rate of the last combiner; the rate is nonzero if coarse.
fn rate_override(view: &DrawView<'_>) -> Option<(FieldState, bool)> {
    const FIELD: &str = "VRS_OVERRIDE_RATE_COMBINER_MODE";
    if let Some(mode) = view.field("PA_SC_VRS_OVERRIDE_CNTL", FIELD) {
        return Some((mode, set(view, "PA_SC_VRS_OVERRIDE_CNTL", "VRS_RATE").is_some()));
    }
    let mode = view.field("DB_VRS_OVERRIDE_CNTL", FIELD)?;
    Some((mode, ["VRS_OVERRIDE_RATE_X", "VRS_OVERRIDE_RATE_Y"].iter().any(|rate| set(view, "DB_VRS_OVERRIDE_CNTL", rate).is_some())))
}

/// Returns the field that allows a coarse rate for the draw.
fn coarse(view: &DrawView<'_>) -> Option<FieldState> {
    if let Some(image) = set(view, "PA_SC_VRS_OVERRIDE_CNTL", "VRS_SURFACE_ENABLE") {
        return Some(image);
    }
    let (mode, rate) = rate_override(view)?;
    match (mode.value(), rate) {
        (combiner::OVERRIDE | combiner::MIN, false) => return None,
        (combiner::PASSTHROUGH | combiner::MIN, _) | (_, false) => {}
        _ => return Some(mode),
    }
    // A sample-iteration combiner of OVERRIDE shades at 1x1.
    if view.field("PA_CL_VRS_CNTL", "SAMPLE_ITER_COMBINER_MODE").is_some_and(|mode| mode.value() == combiner::OVERRIDE) {
        return None;
    }
    let draw = ["RATE_X", "RATE_Y"].iter().find_map(|field| set(view, "GE_VRS_RATE", field));
    draw.or_else(|| set(view, "PA_CL_VS_OUT_CNTL", "USE_VTX_VRS_RATE")).or_else(|| rates_in_htile(view))
}

/// Returns the field with which a GFX10.3 draw uses the rates in HTILE, if the combiner can make 1x1 coarser.
fn rates_in_htile(view: &DrawView<'_>) -> Option<FieldState> {
    let combines = view.field("PA_CL_VRS_CNTL", "HTILE_RATE_COMBINER_MODE").is_some_and(|mode| !matches!(mode.value(), combiner::PASSTHROUGH | combiner::MIN));
    let read = combines && view.has_depth_image() && set(view, "DB_Z_INFO", "TILE_SURFACE_ENABLE").is_some();
    set(view, "DB_HTILE_SURFACE", "VRS_HTILE_ENCODING").filter(|_| read)
}

fn coarse_at_8(view: &DrawView<'_>) -> Option<Verdict> {
    let samples = view.coverage_samples_log2().filter(|samples| samples.value() == 3)?;
    let coarse = coarse(view)?;
    let (effect, severity) = match view.gfx().major() {
        10 => ("RADV turns such rates off, and no source names a hang on this generation", Severity::Info),
        _ => ("the chip may hang", Severity::Warning),
    };
    let verdict = Verdict::new(format!("{} allows a coarse shading rate with 8 samples: {effect}", coarse.field.name)).severity(severity);
    Some(verdict.at(&coarse).because(&samples).help(
        "write combiner MIN with rate 1x1 to the override register, and bind no shading-rate image (GFX10.3: VRS_HTILE_ENCODING 0, or a HTILE combiner of \
         PASSTHROUGH or MIN)",
    ))
}

fn no_release_after_draw(view: &DrawView<'_>) -> Option<Verdict> {
    let (before, need) = view.history().needs_release?;
    let severity = if need.in_doubt { Severity::Info } else { Severity::Warning };
    let effect = if need.in_doubt { "RADV sends one, and PAL does without where neither depth nor stencil is written" } else { "the chip may hang" };
    (!view.history().waited.released).then(|| {
        Verdict::new(format!("no release at the bottom of the pipe between this draw and the previous one, which has {} set: {effect}", need.field))
            .severity(severity)
            .note("the previous draw", Some(before))
            .help("send RELEASE_MEM BOTTOM_OF_PIPE_TS (40, index 5) without data after the draw")
    })
}

fn compressed_fragments(view: &DrawView<'_>) -> Option<Verdict> {
    let (control, attributes) = (view.register("CB_COLOR0_FDCC_CONTROL")?, view.register("CB_COLOR0_ATTRIB")?);
    let field = |name| control.info().field(name);
    let (enable, limited) = (field("FDCC_ENABLE")?, field("ENABLE_MAX_COMP_FRAG_OVERRIDE")?);
    let fragments = attributes.info().field("NUM_FRAGMENTS")?;
    let mask = view.value(view.register("CB_TARGET_MASK")?.addr())?;
    let target = (0..control.info().count).find(|target| {
        let word = |register: &crate::regs::RegRef| view.value(register.addr() + target * register.info().stride).unwrap_or(0);
        mask >> (4 * target) & 0xF != 0 && enable.get(word(&control)) == 1 && limited.get(word(&control)) == 0 && fragments.get(word(&attributes)) >= 2
    })?;
    Some(
        Verdict::new(format!("colour target {target} is compressed, has 4 samples or more, and ENABLE_MAX_COMP_FRAG_OVERRIDE is 0"))
            .register(format!("CB_COLOR{target}_FDCC_CONTROL"))
            .field(limited.name)
            .help("set ENABLE_MAX_COMP_FRAG_OVERRIDE, and MAX_COMP_FRAGS for the samples"),
    )
}

fn aligned_walk(view: &DrawView<'_>) -> Option<Verdict> {
    let walk = ["WALK_ALIGN8_PRIM_FITS_ST", "WALK_ALIGNMENT"].iter().find_map(|field| set(view, "PA_SC_MODE_CNTL_1", field))?;
    let surface = ["PA_SC_HIZ_INFO", "PA_SC_HIS_INFO"].iter().find_map(|name| set(view, name, "SURFACE_ENABLE"))?;
    Some(
        Verdict::new(format!(
            "{} is {} with {} enabled: drivers write 0; according to PAL the chip may hang otherwise",
            walk.field.name,
            walk.value(),
            surface.register
        ))
        .at(&walk)
        .because(&surface)
        .help_set(&walk, 0, ""),
    )
}

/// Registers of sample positions: four samples each, for the four pixels of a quad.
const POSITIONS: [[&str; 4]; 4] = [
    ["PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0"],
    ["PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_1", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_1", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_1", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_1"],
    ["PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_2", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_2", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_2", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_2"],
    ["PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_3", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_3", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_3", "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_3"],
];

/// x or y of a sample on the left or upper edge of its pixel: -8 in 4 bits.
const EDGE: u32 = 8;

fn excluded_edge(view: &DrawView<'_>) -> Option<Verdict> {
    let axes = [("XMAX_RIGHT_EXCLUSION", 'x', 0), ("YMAX_BOTTOM_EXCLUSION", 'y', 4)];
    let excluded = |field| set(view, "PA_SU_PRIM_FILTER_CNTL", field);
    if axes.iter().all(|(field, ..)| excluded(field).is_none()) {
        return None;
    }
    let samples = 1 << view.coverage_samples_log2()?.value().min(4);
    let places = (0..samples).flat_map(|sample: usize| POSITIONS.get(sample / 4).into_iter().flatten().map(move |name| (sample, *name)));
    places.into_iter().find_map(|(sample, name)| {
        let word = view.value(view.register(name)?.addr())?;
        let position = word >> (8 * (sample % 4));
        axes.into_iter().filter(|(_, _, shift)| position >> shift & 0xF == EDGE).find_map(|(field, axis, _)| {
            let exclusion = excluded(field)?;
            Some(
                Verdict::new(format!("{field} is 1, and sample {sample} is at {axis} = -8: primitives that reach it may be lost"))
                    .at(&exclusion)
                    .note(format!("its position is in {name}"), view.origin(view.register(name)?.addr()).map(|origin| origin.place))
                    .help_set(&exclusion, 0, ""),
            )
        })
    })
}
