//! The geometry engine: NGG, and groups of vertices and primitives.

use crate::chip::Erratum;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::sta::programs::is_mesh;
use crate::cp::state::finding::Severity;
use crate::cp::state::registers::RegisterState;
use crate::cp::view::draw_view::DrawView;
use alloc::format;

pub(super) const LEGACY_AFTER_NGG: Rule = Rule::new(
    "STA-04",
    Severity::Error,
    ChipScope::GFX10_AND_103,
    "switch from NGG to the legacy pipe, or of the GS cut mode, without VGT_FLUSH",
    "GFX10.1 and Navi21 hang when a legacy draw follows an NGG draw before the VGT has been flushed. PAL also sends the flush on GFX10.1, Navi2x, \
     Rembrandt, Raphael and Mendocino, if VGT_GS_MODE.CUT_MODE changes between two draws with a legacy geometry shader (PRIMGEN_EN 0, GS_EN 1, \
     GS_SCENARIO_G), or may have changed. PAL does not say what happens otherwise, and no other driver is known to send it: a warning, and only where both \
     modes are known. PAL has no settings for Vangogh.",
    "PAL 04/2025 waLegacyGsCutModeFlush (gfx9SettingsLoader.cpp, gfx9WorkaroundState.cpp); Mesa 25.0.7 radv_emit_vgt_flush, si_update_ngg",
    Judge::Draw(legacy_after_ngg),
);

fn legacy_after_ngg(view: &DrawView<'_>) -> Option<Verdict> {
    let ngg = view.field("VGT_SHADER_STAGES_EN", "PRIMGEN_EN")?;
    if view.history().vgt_flush {
        return None;
    }
    const HELP: &str = "send EVENT_WRITE VGT_FLUSH (36) before the draw";
    if view.history().ngg == Some(true) && !ngg.is_set() && view.chip().has(Erratum::VgtFlushNggLegacy) {
        let text = "the previous draw used NGG and this one does not, without a VGT_FLUSH between: the chip hangs";
        return Some(Verdict::new(text).at(&ngg).help(HELP));
    }
    let (before, now) = (view.history().cut_mode?, crate::cp::view::draw_summary::cut_mode(view)?);
    let cut = view.field("VGT_GS_MODE", "CUT_MODE")?;
    (view.chip().has(Erratum::VgtFlushCutMode) && before != now).then(|| {
        // Only PAL sends the flush; it does not state the effect of omitting it.
        Verdict::new(format!("the cut mode of the geometry shader changes from {before} to {now} without a VGT_FLUSH, which PAL sends: the chip may hang"))
            .severity(Severity::Warning)
            .at(&cut)
            .help(HELP)
    })
}

pub(super) const VERTEX_GROUP: Rule = Rule::new(
    "STA-08",
    Severity::Error,
    ChipScope::GFX10_AND_103,
    "GE_CNTL.VERT_GRP_SIZE is too small",
    "256 turns vertex grouping off, and 0 is allowed; smaller groups hang the geometry engine. On GFX10.1 the group must be 5 smaller than the subgroup. \
     radeonsi has subgroups of 24 vertices and more: its smallest group has 19, with points. PAL has no group below 24 after the margin: 19 to 23 have \
     severity info. On GFX10.3 the smallest group has 29. Without NGG the group is that of the geometry shader, of any size (radeonsi), and mesh draws have \
     none: where VGT_SHADER_STAGES_EN is not known, nothing is reported.",
    "PAL 04/2025 gfx9UniversalCmdBuffer.cpp CalcGeCntl; Mesa 25.0.7 si_state_shaders.cpp, gfx10_shader_ngg.c; Mesa 2021 si_state_draw.cpp gfx10_emit_ge_cntl",
    Judge::Draw(vertex_group),
)
.on_work();

fn vertex_group(view: &DrawView<'_>) -> Option<Verdict> {
    // The legacy pipe uses the group of its geometry shader, of any size (radeonsi): nothing is certain until NGG is known.
    let ngg = view.field("VGT_SHADER_STAGES_EN", "PRIMGEN_EN").is_some_and(|ngg| ngg.is_set());
    let size = view.field("GE_CNTL", "VERT_GRP_SIZE")?;
    // The smallest group of any driver, and PAL's group.
    let (least, of_pal) = if view.gfx().version() == (10, 1) { (19, 24) } else { (29, 29) };
    (size.is_set() && size.value() < of_pal && ngg && !is_mesh(view)).then(|| {
        let verdict = if size.value() < least {
            Verdict::new(format!("VERT_GRP_SIZE is {}, below {least}: the geometry engine hangs", size.value()))
        } else {
            Verdict::new(format!("VERT_GRP_SIZE is {}: radeonsi has such groups, and PAL none below {of_pal}", size.value())).severity(Severity::Info)
        };
        verdict.at(&size).help_set(&size, 256, " (off), or a larger group")
    })
}

pub(super) const PRIMITIVE_GROUP: Rule = Rule::new(
    "STA-09",
    Severity::Error,
    ChipScope::GFX11_AND_115,
    "GE_CNTL.PRIM_GRP_SIZE is not 1 to 256",
    "The field has 9 bits; 0 and values above 256 are undefined.",
    "PAL gfx9GraphicsPipeline.cpp",
    Judge::Draw(primitive_group),
)
.on_work();

fn primitive_group(view: &DrawView<'_>) -> Option<Verdict> {
    let size = view.field("GE_CNTL", "PRIM_GRP_SIZE")?;
    let state = view.register("GE_CNTL").map(|register| view.state(register.addr()))?;
    (matches!(state, RegisterState::Written(_)) && !(1..=256).contains(&size.value())).then(|| {
        Verdict::new(format!("PRIM_GRP_SIZE is {}, and 1 to 256 are defined", size.value())).at(&size).help_set(
            &size,
            252,
            ", RADV's value without tessellation",
        )
    })
}

pub(super) const STREAMOUT_GROUPS: Rule = Rule::new(
    "STA-10",
    Severity::Error,
    ChipScope::GFX9,
    "streamout with large primitive groups",
    "With streamout on two shader engines, a primitive group (IA_MULTI_VGT_PARAM) of 256 primitives or more hangs while PARTIAL_ES_WAVE_ON is 0; with \
     EN_INST_OPT_BASIC or EN_INST_OPT_ADV one of 253 or more does. The stream does not say how many shader engines there are: where the caller has not \
     stated it, this is a warning.",
    "PAL 04/2024 SetupIaMultiVgtParam",
    Judge::Draw(streamout_groups),
)
.on_work();

fn streamout_groups(view: &DrawView<'_>) -> Option<Verdict> {
    let streams = view.value(view.register("VGT_STRMOUT_CONFIG")?.addr())? & 0xF;
    let buffers = view.value(view.register("VGT_STRMOUT_BUFFER_CONFIG")?.addr())?;
    let size = view.field("IA_MULTI_VGT_PARAM", "PRIMGROUP_SIZE")?;
    let severity = match view.options().board.shader_engines {
        Some(2) => Severity::Error,
        Some(_) => return None,
        // Chips that cannot rasterize out of order have one engine.
        None if !view.chip().info().out_of_order_rasterization => return None,
        None => Severity::Warning,
    };
    let partial = view.field("IA_MULTI_VGT_PARAM", "PARTIAL_ES_WAVE_ON").is_some_and(|bit| bit.is_set());
    let packed = ["EN_INST_OPT_BASIC", "EN_INST_OPT_ADV"].iter().any(|name| view.field("IA_MULTI_VGT_PARAM", name).is_some_and(|bit| bit.is_set()));
    let limit = if packed { 253 } else { 256 };
    // The field holds the size minus 1.
    (streams != 0 && buffers != 0 && !partial && size.value() + 1 >= limit).then(|| {
        Verdict::new(format!("streamout with primitive groups of {}: {limit} or more hang with two shader engines", size.value() + 1))
            .severity(severity)
            .at(&size)
            .help_set(&size, 127, ", a group of 128; or set PARTIAL_ES_WAVE_ON")
    })
}

pub(super) const KEEP_TOGETHER: Rule = Rule::new(
    "STA-14",
    Severity::Warning,
    ChipScope::FROM_GFX10,
    "KEEP_TOGETHER_ENABLE does not match binning and polygon mode",
    "The bit keeps the parts of a polygon in order where it is drawn as lines or points: without it, bins may separate them. Drivers set it without binning \
     as well. For filled polygons it is useless, except with rectangular lines (PA_SC_LINE_CNTL.PERPENDICULAR_ENDCAP_ENA). GFX12 has no such bit.",
    "PAL ValidateTriangleRasterState; Mesa 25.0.7 radv_get_pa_su_sc_mode_cntl",
    Judge::Draw(keep_together),
);

fn keep_together(view: &DrawView<'_>) -> Option<Verdict> {
    let keep = view.field("PA_SU_SC_MODE_CNTL", "KEEP_TOGETHER_ENABLE")?;
    let mode = view.field("PA_SU_SC_MODE_CNTL", "POLY_MODE")?;
    let binning = view.field("PA_SC_BINNER_CNTL_0", "BINNING_MODE")?;
    const TRIANGLES: u32 = 2;
    let outline = mode.is_set()
        && ["POLYMODE_FRONT_PTYPE", "POLYMODE_BACK_PTYPE"].iter().any(|f| view.field("PA_SU_SC_MODE_CNTL", f).is_some_and(|f| f.value() != TRIANGLES));
    // If the register is unknown, they may be.
    let rectangular_lines = view.field("PA_SC_LINE_CNTL", "PERPENDICULAR_ENDCAP_ENA").is_none_or(|ends| ends.is_set());
    match (keep.is_set(), outline) {
        (true, false) if !rectangular_lines => {
            Some(Verdict::new("KEEP_TOGETHER_ENABLE is 1, but polygons are filled and lines are not rectangular: the bit has no use here").at(&keep).help_set(
                &keep,
                0,
                ", or set PA_SC_LINE_CNTL.PERPENDICULAR_ENDCAP_ENA for rectangular lines",
            ))
        }
        // Drivers also set it without binning; the effect in other cases is not documented.
        (false, true) if binning.value() < 2 => Some(
            Verdict::new("polygons are drawn as lines or points in bins, and KEEP_TOGETHER_ENABLE is 0: their parts may be separated")
                .at(&keep)
                .because(&binning)
                .help_set(&keep, 1, ""),
        ),
        _ => None,
    }
}
