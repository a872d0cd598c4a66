//! The compute units on which the waves of a stage may run.

use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::sta::programs::has_program;
use crate::cp::rules::sta::units::{array_units, cu_mask};
use crate::cp::state::finding::Severity;
use crate::cp::view::draw_view::DrawView;
use alloc::format;

/// The most late waves that GFX10.1 accepts with NGG.
const MOST_LATE_WAVES: u32 = 64;

pub(super) const LATE_WAVES: Rule = Rule::new(
    "STA-19",
    Severity::Warning,
    ChipScope::Generations(0b01_1110),
    "late vertex waves without a compute unit for pixel waves",
    "With late allocation (SPI_SHADER_LATE_ALLOC_GS) vertex waves start before there is room for what they export, and wait until pixel waves have made \
     room. When vertex waves may fill every compute unit that pixel waves may use, neither continues: a hang. Drivers keep CU 1 free of vertex waves, on \
     GFX10.1 CUs 2 and 3, or allow no late wave. GFX10.1 with NGG accepts up to 64 late waves. The rule checks up to 16 CUs of an array, or as many as \
     the caller has stated. GFX12 has its own rule (STA-31).",
    "PAL (late allocation limits); Mesa 25.0.7 ac_compute_late_alloc",
    Judge::Draw(late_waves),
)
.on_work();

fn late_waves(view: &DrawView<'_>) -> Option<Verdict> {
    let ngg = view.field("VGT_SHADER_STAGES_EN", "PRIMGEN_EN")?;
    let geometry = view.field("VGT_SHADER_STAGES_EN", "GS_EN").is_some_and(|gs| gs.is_set());
    let late = view.field("SPI_SHADER_PGM_RSRC4_GS", "SPI_SHADER_LATE_ALLOC_GS").filter(|late| late.is_set() && (ngg.is_set() || geometry))?;
    if view.gfx().version() == (10, 1) && ngg.is_set() && late.value() > MOST_LATE_WAVES {
        let text = format!("{} late waves with NGG: GFX10.1 accepts {MOST_LATE_WAVES}, and may hang with more", late.value());
        return Some(Verdict::new(text).at(&late).help_set(&late, MOST_LATE_WAVES, " or less"));
    }
    let (pixels, vertices) = (cu_mask(view, "PS")?, cu_mask(view, "GS")?);
    let there = array_units(view);
    let (pixel, vertex, known) = (pixels.units, vertices.units, pixels.known & vertices.known);
    (there & !known == 0 && pixel & there & !vertex == 0).then(|| {
        Verdict::new(format!(
            "{} late vertex waves, and vertex waves may take every CU that pixel waves have (0x{:x} of 0x{:x}): they wait for each other",
            late.value(),
            vertex & there,
            pixel & there
        ))
        .at(&vertices.low)
        .because(&late)
        .help("leave CU 1 (on GFX10.1 CUs 2 and 3) out of the mask, or write 0 to SPI_SHADER_LATE_ALLOC_GS")
    })
}

pub(super) const STAGE_WITHOUT_UNIT: Rule = Rule::new(
    "STA-20",
    Severity::Error,
    ChipScope::All,
    "shader stage without a compute unit",
    "The compute units of a stage are those of CU_EN in its RSRC3 and, from GFX10 to GFX11.5, its RSRC4 register. Without any, no wave of the stage can \
     start, and the draw never ends. The kernel may disable further compute units. Nothing is reported where one of these registers is not known, or \
     where it is not known whether the stage runs.",
    "no source states it; it follows from what the packet or field does",
    Judge::Draw(stage_without_unit),
)
.on_work();

fn stage_without_unit(view: &DrawView<'_>) -> Option<Verdict> {
    let stage = |name| view.field("VGT_SHADER_STAGES_EN", name);
    let set = |name| stage(name).is_some_and(|bit| bit.is_set());
    // Only running stages: with NGG and merged shaders, the vertex stage is GS.
    let (ngg, legacy) = match stage("PRIMGEN_EN") {
        Some(ngg) => (ngg.is_set(), !ngg.is_set()),
        // From GFX11 on there is only NGG.
        None => (view.gfx().major() >= 11, false),
    };
    let stages =
        [("PS", has_program(view, "SPI_SHADER_PGM_LO_PS") && view.may_have_pixels()), ("GS", ngg || set("GS_EN")), ("VS", legacy), ("HS", set("HS_EN"))];
    let (name, field) = stages
        .into_iter()
        .filter(|(_, runs)| *runs)
        .find_map(|(name, _)| cu_mask(view, name).filter(|mask| mask.units == 0 && mask.known == u64::MAX).map(|mask| (name, mask.low)))?;
    Some(Verdict::new(format!("{name} has no compute unit: no wave of the stage can start and the draw never ends")).at(&field).help_set(&field, 0xFFFF, ""))
}
