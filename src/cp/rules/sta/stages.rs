//! Stages before the rasterizer: work distribution of GFX9, tessellation, geometry shaders.

use crate::chip::Erratum;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules::sta::programs::is_mesh;
use crate::cp::rules::sta::units::{array_units, cu_mask};
use crate::cp::state::finding::Severity;
use crate::cp::state::registers::RegisterState;
use crate::cp::view::draw_summary::is_opaque;
use crate::cp::view::draw_view::{DrawView, FieldState};
use crate::packet::EffectKinds;
use alloc::format;

pub(in crate::cp::rules::sta) const PACKETS_APART: Rule = Rule::new(
    "STA-33",
    Severity::Warning,
    ChipScope::GFX9,
    "primitives that depend on each other are split over the engines",
    "Fans, triangle strips with adjacency, line loops, polygons, draws with primitive restart (other than points and line strips) and draws counted from streamout \
     cannot be split within a packet: IA_MULTI_VGT_PARAM.WD_SWITCH_ON_EOP is 1 for them in RADV. radeonsi 25.0.7 leaves it 0 for restart on triangle strips, with \
     PARTIAL_VS_WAVE_ON, and 26.2.6 writes 1: drivers disagreed, and the newer one agrees with the rule. No source says what happens otherwise. The field has no \
     effect with fewer than 4 shader engines: the rule is silent there.",
    "Mesa 25.0.7 radv_get_ia_multi_vgt_param, si_state_draw.cpp; radeonsi 26.2.6 (recorded streams)",
    Judge::Draw(packets_apart),
)
.on_work();

pub(in crate::cp::rules::sta) const RESTART_WAVES: Rule = Rule::new(
    "STA-34",
    Severity::Warning,
    ChipScope::GFX9,
    "primitive restart on strips without partial waves",
    "RADV sets IA_MULTI_VGT_PARAM.PARTIAL_VS_WAVE_ON for primitive restart on line strips or triangle strips, with or without adjacency, to avoid a hang of \
     the VGT. radeonsi does not set it on GFX9 (26.1.6): sources differ.",
    "Mesa 25.0.7 radv_get_ia_multi_vgt_param",
    Judge::Draw(restart_waves),
)
.on_work();

pub(in crate::cp::rules::sta) const REUSE: Rule = Rule::new(
    "STA-35",
    Severity::Error,
    ChipScope::GFX103,
    "tessellation with a legacy geometry shader while vertices are reused",
    "GFX10.3 hangs with tessellation and a geometry shader on the legacy pipe unless VGT_REUSE_OFF is 1.",
    "Mesa 25.0.7 radv_cmd_buffer.c, si_state_shaders.cpp",
    Judge::Draw(reuse),
)
.on_work();

pub(in crate::cp::rules::sta) const PATCHES: Rule = Rule::new(
    "STA-36",
    Severity::Warning,
    ChipScope::All,
    "patches of a workgroup do not fit",
    "A workgroup of tessellation has at most 256 threads: NUM_PATCHES times the larger number of control points. On GFX9, and on the legacy pipe \
     of GFX10 \
     without a geometry shader, the primitives of a primitive group must be a multiple of NUM_PATCHES; drivers write NUM_PATCHES itself.",
    "Mesa 25.0.7 ac_compute_num_tess_patches, radv_cmd_buffer.c; Mesa radeonsi si_state_draw (the multiple); PAL 04/2024",
    Judge::Draw(patches),
)
.on_work();

pub(in crate::cp::rules::sta) const DISTRIBUTED: Rule = Rule::new(
    "STA-37",
    Severity::Warning,
    ChipScope::GFX12,
    "distributed tessellation with packets to one primitive assembler",
    "With GE_CNTL.PACKET_TO_ONE_PA, as stippled lines need it, PAL turns the distribution of tessellation off on GFX12: VGT_TF_PARAM.DISTRIBUTION_MODE is 0.",
    "PAL 04/2025 waNoDistTessPacketToOnePa",
    Judge::Draw(distributed),
)
.on_work();

pub(in crate::cp::rules::sta) const GEOMETRY_WAVE32: Rule = Rule::new(
    "STA-40",
    Severity::Warning,
    ChipScope::GFX10_AND_103,
    "legacy geometry shader with 32 lanes",
    "On the legacy pipe a geometry shader works with waves of 64 lanes only: VGT_SHADER_STAGES_EN.GS_W32_EN must be 0.",
    "Mesa 25.0.7 radv_shader.c (an assertion)",
    Judge::Draw(geometry_wave32),
)
.on_work();

pub(in crate::cp::rules::sta) const NO_VERTICES_OUT: Rule = Rule::new(
    "STA-41",
    Severity::Error,
    ChipScope::All,
    "geometry or mesh shader without VGT_GS_MAX_VERT_OUT",
    "VGT_GS_MAX_VERT_OUT is the largest number of vertices that the shader emits. Mesh draws hang while it is 0; a geometry shader with 0 emits nothing, \
     which is a warning. A mesh draw while nothing has written the register is a warning, because its value is unknown.",
    "Mesa 25.0.7 radv_pipeline_graphics.c",
    Judge::Draw(no_vertices_out),
)
.on_work();

pub(in crate::cp::rules::sta) const WGP_MODE: Rule = Rule::new(
    "STA-48",
    Severity::Warning,
    ChipScope::Erratum(Erratum::GeometryWgpMode),
    "NGG in WGP mode with one compute unit masked",
    "On GFX10.3 waves of NGG in WGP mode (SPI_SHADER_PGM_RSRC1_GS) can hang while exactly one compute unit of each shader array is masked for them, as drivers mask one \
     for late allocation. Mesa keeps WGP mode off there; no other source mentions it. The rule checks up to 16 CUs of an array, or as many as the caller has stated.",
    "Mesa 25.0.7 radv_shader.c (inline rule)",
    Judge::Draw(wgp_mode),
)
.on_work();

pub(in crate::cp::rules::sta) const DEALLOCATIONS: Rule = Rule::new(
    "STA-49",
    Severity::Warning,
    ChipScope::FROM_GFX10,
    "limit of deallocations above the bound that drivers keep",
    "With NGG, PA_SC_NGG_MODE_CNTL.MAX_DEALLOCS_IN_WAVE limits how many deallocations of the parameter cache a pixel wave gathers. A larger limit can deadlock: the wave waits for more \
     pixels, and the stages before it wait for room. Drivers write 512 on GFX10, 16 on GFX11 and 64 on GFX12. Which larger value hangs depends on the chip: a warning.",
    "Mesa 25.0.7 radv_emit_graphics, ac_cmdbuf.c; PAL 04/2025 gfx12QueueContexts.cpp",
    Judge::Draw(deallocations),
)
.on_work();

pub(in crate::cp::rules::sta) const CUT_MODE: Rule = Rule::new(
    "STA-42",
    Severity::Warning,
    ChipScope::UP_TO_GFX103,
    "cut mode too small for the vertices of the geometry shader",
    "VGT_GS_MODE.CUT_MODE says for how many vertices strip cuts are kept: 1024, 512, 256 or 128. A geometry shader may emit no more than that.",
    "Mesa 25.0.7 ac_vgt_gs_mode",
    Judge::Draw(cut_mode),
)
.on_work();

/// Values of VGT_DI_PRIM_TYPE.
mod topology {
    pub const POINTS: u32 = 1;
    pub const LINE_STRIP: u32 = 3;
    pub const FAN: u32 = 5;
    pub const TRIANGLE_STRIP: u32 = 6;
    pub const LINE_STRIP_ADJACENCY: u32 = 11;
    pub const TRIANGLE_STRIP_ADJACENCY: u32 = 13;
    pub const LINE_LOOP: u32 = 18;
    pub const POLYGON: u32 = 21;
}

fn set(view: &DrawView<'_>, register: &str, field: &str) -> Option<FieldState> {
    view.field(register, field).filter(FieldState::is_set)
}

fn stage(view: &DrawView<'_>, field: &str) -> bool {
    set(view, "VGT_SHADER_STAGES_EN", field).is_some()
}

/// Returns the primitive-restart field of an indexed draw.
fn restart(view: &DrawView<'_>) -> Option<FieldState> {
    let opcode = view.packet().opcode()?;
    let indexed = opcode.effect_kinds(view.gfx()).intersects(EffectKinds::INDEXED);
    set(view, "VGT_MULTI_PRIM_IB_RESET_EN", "RESET_EN").filter(|_| indexed)
}

/// Returns whether the chip may have four or more shader engines. GFX9 chips have one if they cannot rasterize out of order, and at least four otherwise.
fn may_have_four_engines(view: &DrawView<'_>) -> bool {
    view.options().board.shader_engines.map_or(view.chip().info().out_of_order_rasterization, |engines| engines >= 4)
}

fn packets_apart(view: &DrawView<'_>) -> Option<Verdict> {
    use topology::{FAN, LINE_LOOP, LINE_STRIP, POINTS, POLYGON, TRIANGLE_STRIP_ADJACENCY};
    let switch = view.field("IA_MULTI_VGT_PARAM", "WD_SWITCH_ON_EOP").filter(|switch| !switch.is_set() && may_have_four_engines(view))?;
    let primitives = view.field("VGT_PRIMITIVE_TYPE", "PRIM_TYPE")?;
    let why = match primitives.value() {
        FAN | TRIANGLE_STRIP_ADJACENCY | LINE_LOOP | POLYGON => "primitives of this topology depend on each other",
        other if !matches!(other, POINTS | LINE_STRIP) && restart(view).is_some() => "primitive restart is on",
        _ if is_opaque(view) => "the vertex count is read from streamout",
        _ => return None,
    };
    Some(
        Verdict::new(format!("WD_SWITCH_ON_EOP is 0, and {why}: RADV and radeonsi of today write 1; what happens otherwise is not known"))
            .at(&switch)
            .because(&primitives)
            .help_set(&switch, 1, ""),
    )
}

fn restart_waves(view: &DrawView<'_>) -> Option<Verdict> {
    use topology::{LINE_STRIP, LINE_STRIP_ADJACENCY, TRIANGLE_STRIP, TRIANGLE_STRIP_ADJACENCY};
    let partial = view.field("IA_MULTI_VGT_PARAM", "PARTIAL_VS_WAVE_ON").filter(|partial| !partial.is_set())?;
    let primitives = view.field("VGT_PRIMITIVE_TYPE", "PRIM_TYPE")?;
    let strip = matches!(primitives.value(), LINE_STRIP | LINE_STRIP_ADJACENCY | TRIANGLE_STRIP | TRIANGLE_STRIP_ADJACENCY);
    let restart = restart(view).filter(|_| strip)?;
    Some(
        Verdict::new("primitive restart on strips, and PARTIAL_VS_WAVE_ON is 0: the VGT may hang")
            .at(&partial)
            .because(&restart)
            .because(&primitives)
            .help_set(&partial, 1, ""),
    )
}

fn reuse(view: &DrawView<'_>) -> Option<Verdict> {
    let legacy = view.field("VGT_SHADER_STAGES_EN", "PRIMGEN_EN").is_some_and(|ngg| !ngg.is_set());
    let reuse = view.field("VGT_REUSE_OFF", "REUSE_OFF").filter(|off| !off.is_set())?;
    (legacy && stage(view, "HS_EN") && stage(view, "GS_EN")).then(|| {
        Verdict::new("tessellation and a geometry shader on the legacy pipe, and VGT_REUSE_OFF is 0: the chip hangs").at(&reuse).help_set(&reuse, 1, "")
    })
}

/// The most threads in a tessellation workgroup.
const THREADS: u32 = 256;

fn patches(view: &DrawView<'_>) -> Option<Verdict> {
    let patches = view.field("VGT_LS_HS_CONFIG", "NUM_PATCHES").filter(|patches| patches.origin.is_some() && stage(view, "HS_EN"))?;
    let output = view.field("VGT_LS_HS_CONFIG", "HS_NUM_OUTPUT_CP")?;
    // On GFX12, the number of input control points is in VGT_PRIMITIVE_TYPE.
    let input = view.field("VGT_LS_HS_CONFIG", "HS_NUM_INPUT_CP").or_else(|| view.field("VGT_PRIMITIVE_TYPE", "NUM_INPUT_CP"))?;
    let points = input.value().max(output.value());
    if patches.value() * points > THREADS {
        let text = format!("{} patches of {points} control points take {} threads, and a workgroup has {THREADS}", patches.value(), patches.value() * points);
        return Some(Verdict::new(text).at(&patches).help_set(&patches, THREADS / points, " or less"));
    }
    let (group, less) = if view.gfx().major() == 9 {
        (view.field("IA_MULTI_VGT_PARAM", "PRIMGROUP_SIZE")?, 1)
    } else {
        let legacy = view.gfx().major() == 10 && !stage(view, "PRIMGEN_EN") && !stage(view, "GS_EN");
        (view.field("GE_CNTL", "PRIM_GRP_SIZE").filter(|_| legacy)?, 0)
    };
    // RADV and radeonsi write NUM_PATCHES itself, although a comment of radeonsi asks only for a multiple (si_get_ia_multi_vgt_param). No source states that a
    // multiple does harm.
    let size = group.value() + less;
    let why = match less {
        0 => ", or another multiple".into(),
        _ => format!(" (the field holds the size minus 1: a group of {0}), or a group of another multiple of {0}", patches.value()),
    };
    (group.origin.is_some() && patches.value() != 0 && !size.is_multiple_of(patches.value())).then(|| {
        Verdict::new(format!("primitive groups of {size} with {0} patches in a workgroup: a group must have a multiple of {0} primitives", patches.value()))
            .at(&group)
            .because(&patches)
            .help_set(&group, patches.value() - less, &why)
    })
}

fn distributed(view: &DrawView<'_>) -> Option<Verdict> {
    let one = set(view, "GE_CNTL", "PACKET_TO_ONE_PA").filter(|_| stage(view, "HS_EN"))?;
    let mode = set(view, "VGT_TF_PARAM", "DISTRIBUTION_MODE")?;
    Some(
        Verdict::new(format!(
            "DISTRIBUTION_MODE is {} with PACKET_TO_ONE_PA and tessellation: PAL writes 0; what happens otherwise is not known",
            mode.value()
        ))
        .at(&mode)
        .because(&one)
        .help_set(&mode, 0, ""),
    )
}

fn geometry_wave32(view: &DrawView<'_>) -> Option<Verdict> {
    let legacy = view.field("VGT_SHADER_STAGES_EN", "PRIMGEN_EN").is_some_and(|ngg| !ngg.is_set());
    let wave32 = set(view, "VGT_SHADER_STAGES_EN", "GS_W32_EN")?;
    (legacy && stage(view, "GS_EN"))
        .then(|| Verdict::new("GS_W32_EN is 1 with a legacy geometry shader, which works with 64 lanes only").at(&wave32).help_set(&wave32, 0, ""))
}

const MAX_VERTICES: &str = "VGT_GS_MAX_VERT_OUT";

fn no_vertices_out(view: &DrawView<'_>) -> Option<Verdict> {
    // RADV sets no geometry stage for GFX12 mesh draws.
    if !stage(view, "GS_EN") && !stage(view, "GS_FAST_LAUNCH") {
        return None;
    }
    let register = view.register(MAX_VERTICES)?;
    if view.state(register.addr()) == RegisterState::Unknown && is_mesh(view) {
        return Some(
            Verdict::new(format!("nothing has written {MAX_VERTICES}, which a mesh shader needs: the draw hangs where it holds 0"))
                .severity(Severity::Warning)
                .register(MAX_VERTICES)
                .help("write the largest number of vertices that the shader emits"),
        );
    }
    let out = view.field(MAX_VERTICES, "MAX_VERT_OUT").filter(|out| !out.is_set())?;
    let (who, effect, severity) = if stage(view, "GS_FAST_LAUNCH") {
        ("mesh shader", "the draw hangs", Severity::Error)
    } else {
        ("geometry shader", "it emits nothing", Severity::Warning)
    };
    Some(
        Verdict::new(format!("VGT_GS_MAX_VERT_OUT is 0 with a {who}: {effect}"))
            .severity(severity)
            .at(&out)
            .help("write the largest number of vertices that the shader emits"),
    )
}

fn wgp_mode(view: &DrawView<'_>) -> Option<Verdict> {
    let mode = set(view, "SPI_SHADER_PGM_RSRC1_GS", "WGP_MODE").filter(|_| stage(view, "PRIMGEN_EN"))?;
    let mask = cu_mask(view, "GS")?;
    let masked = array_units(view) & mask.known & !mask.units;
    (masked.count_ones() == 1).then(|| {
        Verdict::new(format!("WGP_MODE is 1 with NGG, and compute unit {} is masked: the chip can hang", masked.trailing_zeros()))
            .at(&mode)
            .because(&mask.low)
            .help_set(&mode, 0, ", or mask both compute units of a WGP")
    })
}

/// Returns the largest MAX_DEALLOCS_IN_WAVE that drivers write (Mesa 25.0.7 radv_emit_graphics; PAL 04/2025 gfx12QueueContexts.cpp).
const fn most_deallocations(major: u8) -> u32 {
    match major {
        ..=10 => 512,
        11 => 16,
        _ => 64,
    }
}

fn deallocations(view: &DrawView<'_>) -> Option<Verdict> {
    const REGISTER: &str = "PA_SC_NGG_MODE_CNTL";
    // From GFX11 on there is only NGG, and the limit may be off.
    let ngg = view.gfx().major() >= 11 || stage(view, "PRIMGEN_EN");
    let off = set(view, REGISTER, "DISABLE_MAX_DEALLOC").is_some();
    let most = view.field(REGISTER, "MAX_DEALLOCS_IN_WAVE").filter(|most| ngg && !off && most.origin.is_some())?;
    let limit = most_deallocations(view.gfx().major());
    (most.value() > limit).then(|| {
        Verdict::new(format!("MAX_DEALLOCS_IN_WAVE is {}, and drivers keep it at {limit} on {}: a larger limit can deadlock", most.value(), view.gfx()))
            .at(&most)
            .help_set(&most, limit, "")
    })
}

fn cut_mode(view: &DrawView<'_>) -> Option<Verdict> {
    let legacy = view.field("VGT_SHADER_STAGES_EN", "PRIMGEN_EN").is_some_and(|ngg| !ngg.is_set()) && stage(view, "GS_EN");
    let cut = view.field("VGT_GS_MODE", "CUT_MODE").filter(|cut| legacy && cut.origin.is_some())?;
    let out = view.field("VGT_GS_MAX_VERT_OUT", "MAX_VERT_OUT").filter(|out| out.origin.is_some())?;
    let limit = 1024 >> cut.value();
    (out.value() > limit).then(|| {
        Verdict::new(format!("CUT_MODE {} is for {limit} vertices, and the geometry shader emits up to {}", cut.value(), out.value()))
            .at(&cut)
            .because(&out)
            .help("write 3 for up to 128 vertices, 2 for 256, 1 for 512, 0 for 1024")
    })
}
