//! STA: draw and dispatch state.

mod dispatches;
mod rasterizer;
mod rings;
mod stages;

use crate::chip::Erratum;
use crate::cp::rules::{ChipScope, Judge, PacketView, Rule, Verdict, WatchedPackets};
use crate::cp::state::addresses::VGT_INDEX_TYPE;
use crate::cp::state::history::History;
use crate::cp::view::draw_facts::primitive_restart;
use crate::cp::{DrawView, FieldState, Place, RegisterState, Severity};
use crate::packet::{EffectKinds, Opcode, Queue, ShaderType};
use crate::plurals::{all_of, counted};
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

const DISPATCH: &[Opcode] = &[Opcode::DISPATCH_DIRECT, Opcode::DISPATCH_INDIRECT];
/// Draws that fetch indices.
const INDEXED: WatchedPackets = WatchedPackets::Matching(|opcode, chip, _| opcode.effect_kinds(chip.gfx()).intersects(EffectKinds::INDEXED));

const fn on(opcodes: &'static [Opcode], judge: fn(&PacketView<'_>) -> Option<Verdict>) -> Judge {
    Judge::Packet { watch: WatchedPackets::Opcodes(opcodes), judge }
}

pub(in crate::cp::rules) static RULES: &[Rule] = &[
    Rule::new(
        "STA-01",
        Severity::Warning,
        ChipScope::All,
        "first draw without the state that every draw needs",
        "A draw needs a primitive type, shader stages, a target mask, a program before the rasterizer, and a pixel shader where colours are exported, each \
         program with its resources (RSRC1 and RSRC2). Where nothing wrote them and CLEAR_STATE has not run, it runs with what the last submission left.",
        "no source states it; it follows from what the packet or field does",
        Judge::Draw(missing_state),
    ),
    Rule::new(
        "STA-02",
        Severity::Error,
        ChipScope::All,
        "indexed draw after DRAW_INDEX_AUTO without VGT_INDEX_TYPE",
        "DRAW_INDEX_AUTO overwrites VGT_INDEX_TYPE inside the firmware. The next indexed draw reads indices of the wrong size, or hangs.",
        "PAL gfx9UniversalCmdBuffer.cpp; Mesa 25.0.7 radv_cmd_buffer.c",
        Judge::Packet { watch: INDEXED, judge: lost_index_type },
    )
    .on_work(),
    Rule::new(
        "STA-03",
        Severity::Error,
        ChipScope::GFX10,
        "indexed draw with an empty index buffer",
        "GFX10.1 hangs when an indexed draw has an index buffer of size 0.",
        "PAL waIndexBufferZeroSize; Mesa 25.0.7 radv_cmd_buffer.c",
        Judge::Packet { watch: INDEXED, judge: empty_index_buffer },
    ),
    Rule::new(
        "STA-04",
        Severity::Error,
        ChipScope::GFX10_AND_103,
        "switch from NGG to the legacy pipe, or of the GS cut mode, without VGT_FLUSH",
        "GFX10.1 and Navi21 hang when a legacy draw follows an NGG draw before the VGT has been flushed. PAL also sends the flush on GFX10.1, and on the chips \
         of GFX10.3 that are not APUs, if VGT_GS_MODE.CUT_MODE changes between two draws with a legacy geometry shader (PRIMGEN_EN 0, GS_EN 1, \
         GS_SCENARIO_G). PAL does not say what happens otherwise, and no other driver is known to send it: a warning.",
        "PAL gfx9WorkaroundState.cpp (waLegacyGsCutModeFlush); Mesa 25.0.7 radv_emit_vgt_flush, si_update_ngg",
        Judge::Draw(legacy_after_ngg),
    ),
    Rule::new(
        "STA-05",
        Severity::Error,
        ChipScope::All,
        "dual-source blending without both exports",
        "Blend factors of the second source read the export MRT1. Unless the shader exports MRT0 and MRT1, the CB must be off, or it may hang. Factors count \
         where blending reads them: those of alpha with SEPARATE_ALPHA_BLEND, and none with the functions MIN and MAX. Draws that rasterize nothing \
         (PA_CL_CLIP_CNTL.DX_RASTERIZATION_KILL) have no pixels, here and in the other rules on pixels.",
        "PAL gfx9GraphicsPipeline.cpp; Mesa 25.0.7 radv_pipeline_graphics.c",
        Judge::Draw(dual_source),
    )
    .on_pixels(),
    Rule::new(
        "STA-06",
        Severity::Warning,
        ChipScope::Erratum(Erratum::ViewportScissor),
        "viewport scissors are not written after a context roll",
        "Vega10 and Raven lose the viewport scissors when the context rolls: they must be written again before the draw, after all other context registers. \
         Draws with PA_SC_MODE_CNTL_0.VPORT_SCISSOR_ENABLE = 0 do not use them.",
        "Mesa 25.0.7 has_gfx9_scissor_bug; PAL waMiscScissorRegisterChange (until 2024)",
        Judge::Draw(scissors_lost),
    ),
    Rule::new(
        "STA-07",
        Severity::Error,
        ChipScope::GFX10,
        "ITERATE_256 with 4 samples without DECOMPRESS_ON_N_ZPLANES = 2",
        "GFX10.1 hangs with ITERATE_256 on a 4-sample depth and stencil image unless DECOMPRESS_ON_N_ZPLANES is 2.",
        "PAL gfx9DepthStencilView.cpp; Mesa 25.0.7 radv_initialise_ds_surface",
        Judge::Draw(iterate_256),
    )
    .on_pixels(),
    Rule::new(
        "STA-08",
        Severity::Error,
        ChipScope::GFX10_AND_103,
        "GE_CNTL.VERT_GRP_SIZE is too small",
        "256 turns vertex grouping off, and 0 is allowed; smaller groups hang the geometry engine. On GFX10.1 the smallest subgroup has 24 vertices, and \
         the group must be 5 smaller than the subgroup: the smallest group has 19 (radeonsi writes it). On GFX10.3 it has 29. Without NGG the group is that \
         of the geometry shader, of any size (radeonsi), and mesh draws have none: where VGT_SHADER_STAGES_EN is not known, nothing is reported.",
        "PAL gfx9GraphicsPipeline.cpp CalcGeCntl; Mesa 25.0.7 si_state_shaders.cpp; Mesa 2021 si_state_draw.cpp gfx10_emit_ge_cntl",
        Judge::Draw(vertex_group),
    )
    .on_work(),
    Rule::new(
        "STA-09",
        Severity::Error,
        ChipScope::GFX11_AND_115,
        "GE_CNTL.PRIM_GRP_SIZE is not 1 to 256",
        "The field has 9 bits; 0 and values above 256 are undefined.",
        "PAL gfx9GraphicsPipeline.cpp",
        Judge::Draw(primitive_group),
    )
    .on_work(),
    Rule::new(
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
    .on_work(),
    Rule::new(
        "STA-11",
        Severity::Warning,
        ChipScope::FROM_GFX10,
        "binning is turned off with another generation's value",
        "BINNING_MODE turns binning off with 2 on GFX10 and GFX11, and with 3 on GFX11.5 and GFX12, where 2 means one primitive in a batch. On GFX10 and \
         GFX11 the name of 3 says that binning is off, too, and AMD's own tests (libdrm) write it: there the value 3 has severity info. PAL also asserts \
         that bins have a width where they have a height: the fields have no code for a size of 0, so no stream shows that mistake.",
        "PAL gfx9ColorTargetView.cpp; Mesa 25.0.7 radv_cmd_buffer.c; register headers for the names",
        Judge::Draw(binning_off),
    ),
    Rule::new(
        "STA-12",
        Severity::Error,
        ChipScope::FROM_GFX10,
        "more than one context state per bin",
        "From GFX10 on more than one context state per bin hangs at random; drivers write CONTEXT_STATES_PER_BIN = 0, which means one. Older versions of PAL \
         wrote three states on chips of GFX10.1 and GFX10.3 with at most 4 render backends: sources differ there, and it is a warning unless every board \
         of the chip is known to have more.",
        "Mesa 25.0.7 ac_gpu_info.c; older PAL gfx9SettingsLoader.cpp (binningContextStatesPerBin)",
        Judge::Draw(states_per_bin),
    )
    .on_work(),
    Rule::new(
        "STA-13",
        Severity::Error,
        ChipScope::FROM_GFX11,
        "shading-rate image with aligned walking",
        "With a shading-rate image WALK_ALIGNMENT and WALK_ALIGN8_PRIM_FITS_ST must be 0: otherwise GFX12 hangs; for GFX11 it is only advised.",
        "PAL gfx12UniversalCmdBuffer.cpp; Mesa 25.0.7",
        Judge::Draw(rate_image_walk),
    )
    .on_pixels(),
    Rule::new(
        "STA-14",
        Severity::Warning,
        ChipScope::FROM_GFX10,
        "KEEP_TOGETHER_ENABLE does not match binning and polygon mode",
        "The bit keeps the parts of a polygon in order where it is drawn as lines or points: without it, bins may separate them. Drivers set it without \
         binning as well. Where polygons are filled it is of no use, except with rectangular lines (PA_SC_LINE_CNTL.PERPENDICULAR_ENDCAP_ENA). GFX12 has \
         no such bit.",
        "PAL ValidateTriangleRasterState; Mesa 25.0.7 radv_get_pa_su_sc_mode_cntl",
        Judge::Draw(keep_together),
    ),
    Rule::new(
        "STA-15",
        Severity::Error,
        ChipScope::GFX11_AND_115,
        "MAX_ALLOWED_TILES_IN_WAVE does not match the samples",
        "GFX11 hangs when too many tiles enter a wave. The limit is 6 with 8 samples (APU 7), and 13 with 4 samples (APU 15); 0 is no limit. A smaller \
         limit is a warning: no source says that it hangs.",
        "PAL waIncorrectMaxAllowedTilesInWave; Mesa 25.0.7 radv_emit_framebuffer_state",
        Judge::Draw(tiles_in_wave),
    )
    .on_pixels(),
    Rule::new(
        "STA-16",
        Severity::Warning,
        ChipScope::Erratum(Erratum::OpaqueOreo),
        "OREO_MODE is opaque-then-blend",
        "PAL replaces OMODE_O_THEN_B by OMODE_BLEND on these chips: a mismatch of sample masks spoils the scoreboard. RADV writes OMODE_BLEND everywhere. \
         radeonsi (25.0.7, 26.1.6) writes OMODE_O_THEN_B, as the faster mode, unless the pixel shader exports depth (DB_SHADER_CONTROL.Z_EXPORT_ENABLE): \
         without that export sources differ, and it has severity info. The rule is reported once per run.",
        "PAL 04/2025 waNoOpaqueOreo; Mesa 25.0.7 si_emit_db_render_state",
        Judge::Draw(oreo_mode),
    )
    .report_once(),
    OPAQUE_EVENTS,
    NO_NON_EVENT,
    Rule::new(
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
    .on_work(),
    Rule::new(
        "STA-20",
        Severity::Error,
        ChipScope::All,
        "shader stage without a compute unit",
        "The compute units of a stage are those of CU_EN in its RSRC3 and, from GFX10 to GFX11.5, its RSRC4 register. Without any, no wave of the stage can \
         start, and the draw never ends. The kernel may disable further compute units. Nothing is reported where one of these registers is not known, or \
         where it is not known whether the stage runs.",
        "no source states it; it follows from what the packet or field does",
        Judge::Draw(no_compute_unit),
    )
    .on_work(),
    Rule::new(
        "STA-21",
        Severity::Warning,
        ChipScope::All,
        "sample mask is not replicated, or sample counts contradict each other",
        "The 16-bit sample mask of each pixel holds the mask of the samples repeated: drivers write mask | mask << 16 into both registers. With several \
         samples PA_SC_MODE_CNTL_0.MSAA_ENABLE is set, and DB_EQAA exports no more mask samples than are covered; up to GFX11.5 it has at least as many \
         anchor samples as a bound depth target (up to GFX10.3 a smaller number has severity info, because no source says what it does). With inner coverage \
         PA_SC_AA_CONFIG has twice as many samples as the draw. Where these are 2, only the masks are compared.",
        "PAL gfx9MsaaState.cpp; Mesa 25.0.7 radv_emit_msaa_state",
        Judge::Draw(sample_mask),
    ),
    Rule::new(
        "STA-22",
        Severity::Error,
        ChipScope::All,
        "pixel shader inputs that hang",
        "SPI_PS_INPUT_ENA needs at least one barycentric bit (0x7f) or LINE_STIPPLE_TEX_ENA, or the pixel shader hangs. It must be a part of \
         SPI_PS_INPUT_ADDR, and POS_W_FLOAT needs a perspective barycentric. LINE_STIPPLE_TEX_ENA alone is the cheapest up to GFX11.5; on GFX12 with it only \
         one shader engine gets primitives, which has severity info.",
        "Mesa 25.0.7 radv_shader.c, si_state_shaders.cpp; Mesa 2026 (spi_ps_input, LINE_STIPPLE_TEX)",
        Judge::Draw(shader_inputs),
    )
    .on_pixels(),
    Rule::new(
        "STA-23",
        Severity::Warning,
        ChipScope::All,
        "USE_OPAQUE with an index count",
        "A draw that takes its count from streamout has an index count of 0.",
        "PAL gfx9CmdUtil.cpp BuildDrawIndexAuto",
        on(&[Opcode::DRAW_INDEX_AUTO], opaque_count),
    ),
    Rule::new(
        "STA-24",
        Severity::Warning,
        ChipScope::All,
        "dispatch without the compute bits",
        "PAL sends a dispatch on the graphics queue with shader_type = 1 in its header, and with COMPUTE_SHADER_EN in its initiator. No second source says \
         what happens otherwise. A test of AMD's own (libdrm, dependent submissions) dispatches with shader_type 0, so shader_type 0 has severity info.",
        "PAL gfx9CmdUtil.cpp BuildDispatchDirect",
        on(DISPATCH, plain_dispatch),
    ),
    Rule::new(
        "STA-25",
        Severity::Error,
        ChipScope::GFX12,
        "dispatch order bits that exclude each other",
        "INTERLEAVE_2D_EN excludes USE_THREAD_DIMENSIONS, PARTIAL_TG_EN and ORDERED_APPEND_ENBL; PING_PONG_EN excludes the first two.",
        "PAL gfx12CmdUtil.cpp",
        on(DISPATCH, dispatch_order),
    ),
    Rule::new(
        "STA-26",
        Severity::Warning,
        ChipScope::All,
        "out-of-order rasterization on a chip without it",
        "Only GFX9 chips with several shader engines rasterize out of order.",
        "Mesa 25.0.7 ac_gpu_info.c has_out_of_order_rast",
        Judge::Draw(out_of_order),
    ),
    Rule::new(
        "STA-27",
        Severity::Warning,
        ChipScope::GFX10_AND_103,
        "primitive restart changes without a context write",
        "On GFX10 a change of primitive restart (GE_MULTI_PRIM_IB_RESET_EN.RESET_EN) between draws needs a context roll or an SQ_NON_EVENT.",
        "Mesa 25.0.7 radv_cmd_buffer.c",
        Judge::Draw(restart),
    ),
    Rule::new(
        "STA-28",
        Severity::Info,
        ChipScope::GFX12,
        "shading rate with 8 samples",
        "With 8 samples GFX12 shades at 1x1 whatever rate is asked for. Older generations may hang: STA-38.",
        "Mesa 25.0.7 radv_physical_device.c",
        Judge::Draw(rate_with_8_samples),
    ),
    rings::PARTLY_WRITTEN,
    rings::NOT_WRITTEN,
    rings::BACK_PRESSURE,
    rasterizer::LARGE_BATCH,
    stages::PACKETS_APART,
    stages::RESTART_WAVES,
    stages::REUSE,
    stages::PATCHES,
    stages::DISTRIBUTED,
    rasterizer::COARSE_AT_8,
    rasterizer::NO_RELEASE_AFTER_DRAW,
    stages::GEOMETRY_WAVE32,
    stages::NO_VERTICES_OUT,
    stages::CUT_MODE,
    rasterizer::COMPRESSED_FRAGMENTS,
    rasterizer::ALIGNED_WALK,
    dispatches::NO_PROGRAM,
    dispatches::NO_COMPUTE_UNIT,
    rasterizer::SMALL_BINS,
    stages::WGP_MODE,
    stages::DEALLOCATIONS,
];

pub(crate) const OPAQUE_EVENTS: Rule = Rule::new(
    "STA-17",
    Severity::Warning,
    ChipScope::Erratum(Erratum::OpaqueDrawEvents),
    "draw counted from streamout is not followed by three SQ_NON_EVENTs",
    "A draw with USE_OPAQUE takes its vertex count from streamout. On GFX12 the registers of such a draw must not change within 5 cycles after it. To avoid \
     wrong results, drivers send three SQ_NON_EVENT events after it, before any register write (radeonsi after the RELEASE_MEM that GFX12 may need there). \
     Other draws need none. The rule is judged at the next draw and at the end of the stream.",
    "PAL 04/2025 waDrawOpaqueSqNonEvents; Mesa 25.0.7 radv_CmdDrawIndirectByteCountEXT; Mesa 2026 si_emit_draw_packets",
    Judge::Draw(non_events),
)
.not_in_rings();

pub(crate) const NO_NON_EVENT: Rule = Rule::new(
    "STA-18",
    Severity::Error,
    ChipScope::Erratum(Erratum::TessellationEnd),
    "stream ends after tessellation without SQ_NON_EVENT",
    "GFX11 can hang when the last command buffer with tessellation ends without an SQ_NON_EVENT. PAL sends it; RADV does not. PAL sends it on GFX11.5 as \
     well, where no other source mentions it: there it is a warning. It is also a warning where the event follows the last draw with tessellation, and draws \
     without it follow the event in the same command buffer.",
    "PAL gfx9UniversalCmdBuffer.cpp; PAL 04/2025 waAddPostambleEvent (Navi3x, Phoenix, Phoenix2, Strix1, Strix Halo)",
    Judge::Model,
)
.not_in_rings();

/// Mesh draws have no vertices and no vertex groups. On GFX10.3 they are plain draws with fast launch.
fn is_mesh(view: &DrawView<'_>) -> bool {
    let fast_launch = view.field("VGT_SHADER_STAGES_EN", "GS_FAST_LAUNCH").is_some_and(|mode| mode.is_set());
    fast_launch || matches!(view.packet().opcode(), Some(Opcode::DISPATCH_MESH_INDIRECT_MULTI | Opcode::DISPATCH_TASKMESH_GFX | Opcode::DISPATCH_MESH_DIRECT))
}

/// A program: the registers that may hold its address, on whatever generation, and those of its resources.
struct StageProgram {
    addresses: &'static [&'static str],
    resources: [&'static str; 2],
}

/// The stages before the rasterizer, one of which is enough.
const FRONT_PROGRAMS: &[StageProgram] = &[
    StageProgram { addresses: &["SPI_SHADER_PGM_LO_ES", "SPI_SHADER_PGM_LO_GS"], resources: ["SPI_SHADER_PGM_RSRC1_GS", "SPI_SHADER_PGM_RSRC2_GS"] },
    StageProgram { addresses: &["SPI_SHADER_PGM_LO_VS"], resources: ["SPI_SHADER_PGM_RSRC1_VS", "SPI_SHADER_PGM_RSRC2_VS"] },
    StageProgram { addresses: &["SPI_SHADER_PGM_LO_LS", "SPI_SHADER_PGM_LO_HS"], resources: ["SPI_SHADER_PGM_RSRC1_HS", "SPI_SHADER_PGM_RSRC2_HS"] },
];
const PIXEL_PROGRAMS: &[StageProgram] =
    &[StageProgram { addresses: &["SPI_SHADER_PGM_LO_PS"], resources: ["SPI_SHADER_PGM_RSRC1_PS", "SPI_SHADER_PGM_RSRC2_PS"] }];

fn missing_state(view: &DrawView<'_>) -> Option<Verdict> {
    if view.draws_before() != 0 || view.queue() == Queue::Compute {
        return None;
    }
    const NEEDED: [&str; 3] = ["VGT_PRIMITIVE_TYPE", "VGT_SHADER_STAGES_EN", "CB_TARGET_MASK"];
    let unknown = |name: &&str| view.register(name).is_some_and(|register| view.state(register.addr()) == RegisterState::Unknown);
    let exports = view.register("SPI_SHADER_COL_FORMAT").and_then(|register| view.value(register.addr())).is_some_and(|formats| formats != 0);
    let there = |name: &&str| view.register(name).is_some();
    let missing_of = |programs: &'static [StageProgram]| -> Vec<&'static str> {
        let mut addresses = programs.iter().flat_map(|program| program.addresses).copied().filter(there);
        let Some(program) = programs.iter().find(|program| program.addresses.iter().filter(|name| there(name)).any(|name| !unknown(name))) else {
            return addresses.next().into_iter().collect();
        };
        // The resources of another stage may be those of the program that runs.
        let lost = |at: &usize| programs.iter().map(|program| &program.resources[*at]).filter(|name| there(name)).all(unknown);
        (0..2).filter(lost).map(|at| program.resources[at]).filter(there).collect()
    };
    let programs = missing_of(FRONT_PROGRAMS);
    let pixels = exports.then(|| missing_of(PIXEL_PROGRAMS)).into_iter().flatten();
    let needed = NEEDED.into_iter().skip(usize::from(is_mesh(view))).filter(unknown);
    let missing: Vec<&str> = needed.chain(programs).chain(pixels).collect();
    let (first, names) = (*missing.first()?, all_of(&missing));
    Some(
        Verdict::new(format!("at the first draw nothing has written {names}: the draw runs with what the last submission left"))
            .register(first)
            .help(format!("write {names} before the first draw, or for a context register run CLEAR_STATE where the generation has it")),
    )
}

fn lost_index_type(view: &PacketView<'_>) -> Option<Verdict> {
    let lost = |draw: &Place| {
        view.registers().state(VGT_INDEX_TYPE) == RegisterState::Loaded && view.registers().origin(VGT_INDEX_TYPE).is_some_and(|o| o.place == *draw)
    };
    let draw = view.history.index_type_lost.filter(lost)?;
    Some(
        Verdict::new("the draw reads indices, but one without indices has overwritten VGT_INDEX_TYPE since it was set: indices of the wrong size, or a hang")
            .register("VGT_INDEX_TYPE")
            .note("the draw without indices", Some(draw))
            .help("write VGT_INDEX_TYPE (0x3090c, index 2) again after the last draw without indices"),
    )
}

fn empty_index_buffer(view: &PacketView<'_>) -> Option<Verdict> {
    let size = match view.packet().opcode()? {
        Opcode::DRAW_INDEX_2 | Opcode::DRAW_INDEX_OFFSET_2 => view.word(0),
        _ => view.history.index_buffer_size?,
    };
    (size == 0).then(|| Verdict::new("the index buffer has size 0: this chip hangs").field("max_size").help("skip the draw, or give it one index"))
}

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
    // Of GFX10.3 the chips that are not APUs: Navi2x.
    let discrete = view.gfx().version() == (10, 1) || !view.chip().info().apu;
    let (before, now) = (view.history().cut_mode?, crate::cp::view::draw_facts::cut_mode(view)?);
    let cut = view.field("VGT_GS_MODE", "CUT_MODE")?;
    (discrete && before != now).then(|| {
        // PAL alone sends the flush, and names no effect.
        Verdict::new(format!("the cut mode of the geometry shader changes from {before} to {now} without a VGT_FLUSH, which PAL sends: the chip may hang"))
            .severity(Severity::Warning)
            .at(&cut)
            .help(HELP)
    })
}

/// Name of the value that a field of CB_BLEND0_CONTROL has.
fn blend_value(view: &DrawView<'_>, field: &str) -> Option<(FieldState, &'static str)> {
    let state = view.field("CB_BLEND0_CONTROL", field)?;
    Some((state, state.field.name_of(state.value())?))
}

/// The blend factor that reads the second source: MIN and MAX read no factor, and alpha has its own ones with SEPARATE_ALPHA_BLEND only.
fn second_source(view: &DrawView<'_>) -> Option<FieldState> {
    let separate = view.field("CB_BLEND0_CONTROL", "SEPARATE_ALPHA_BLEND").is_some_and(|separate| separate.is_set());
    let color = ("COLOR_COMB_FCN", ["COLOR_SRCBLEND", "COLOR_DESTBLEND"], true);
    let alpha = ("ALPHA_COMB_FCN", ["ALPHA_SRCBLEND", "ALPHA_DESTBLEND"], separate);
    let reads = |function| !blend_value(view, function).is_some_and(|(_, name)| matches!(name, "COMB_MIN_DST_SRC" | "COMB_MAX_DST_SRC"));
    let read = [color, alpha].into_iter().filter(|(function, _, used)| *used && reads(function));
    let mut factors = read.flat_map(|(_, factors, _)| factors).filter_map(|factor| blend_value(view, factor));
    factors.find(|(_, name)| name.contains("SRC1")).map(|(factor, _)| factor)
}

fn dual_source(view: &DrawView<'_>) -> Option<Verdict> {
    let enable = view.field("CB_BLEND0_CONTROL", "ENABLE").filter(FieldState::is_set)?;
    let second = second_source(view)?;
    let (mask, target) = (view.register("CB_SHADER_MASK")?, view.register("CB_TARGET_MASK")?);
    let exports = view.value(mask.addr())?;
    let mode = view.field("CB_COLOR_CONTROL", "MODE")?;
    let both = exports & 0xF != 0 && exports >> 4 & 0xF != 0;
    (!both && mode.is_set() && view.value(target.addr())? & 0xF != 0).then(|| {
        Verdict::new(format!("{} reads the second colour, but CB_SHADER_MASK is 0x{exports:08x}: the CB may hang", second.field.name))
            .at(&second)
            .because(&enable)
            .help("export MRT0 and MRT1, or set CB_COLOR_CONTROL.MODE to disabled")
    })
}

fn scissors_lost(view: &DrawView<'_>) -> Option<Verdict> {
    let rolled = view.roll().source.is_some();
    let unused = || view.field("PA_SC_MODE_CNTL_0", "VPORT_SCISSOR_ENABLE").is_some_and(|enable| !enable.is_set());
    (rolled && !view.history().scissors_since_roll && view.draws_before() > 0 && !unused()).then(|| {
        Verdict::new("the context has rolled and no packet has written the viewport scissors since: they are lost on this chip")
            .register("PA_SC_VPORT_SCISSOR_0_TL")
            .help("after a context write, write PA_SC_VPORT_SCISSOR again before the next draw, after all other context registers")
    })
}

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

fn vertex_group(view: &DrawView<'_>) -> Option<Verdict> {
    // The legacy pipe has the group of its geometry shader, of any size (radeonsi): nothing is sure before NGG is known.
    let ngg = view.field("VGT_SHADER_STAGES_EN", "PRIMGEN_EN").is_some_and(|ngg| ngg.is_set());
    let size = view.field("GE_CNTL", "VERT_GRP_SIZE")?;
    let least = if view.gfx().version() == (10, 1) { 19 } else { 29 };
    (size.is_set() && size.value() < least && ngg && !is_mesh(view)).then(|| {
        Verdict::new(format!("VERT_GRP_SIZE is {}, below {least}: the geometry engine hangs", size.value())).at(&size).help_set(
            &size,
            256,
            " (off), or a larger group",
        )
    })
}

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

fn streamout_groups(view: &DrawView<'_>) -> Option<Verdict> {
    let streams = view.value(view.register("VGT_STRMOUT_CONFIG")?.addr())? & 0xF;
    let buffers = view.value(view.register("VGT_STRMOUT_BUFFER_CONFIG")?.addr())?;
    let size = view.field("IA_MULTI_VGT_PARAM", "PRIMGROUP_SIZE")?;
    let severity = match view.options().board.shader_engines {
        Some(2) => Severity::Error,
        Some(_) => return None,
        // One engine, on the chips that cannot rasterize out of order.
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

fn binning_off(view: &DrawView<'_>) -> Option<Verdict> {
    let mode = view.field("PA_SC_BINNER_CNTL_0", "BINNING_MODE").filter(|mode| mode.value() >= 2)?;
    let right = if matches!(view.gfx().version(), (10, _) | (11, 0)) { 2 } else { 3 };
    // What CLEAR_STATE leaves is the chip's own.
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

/// Whether a board with this chip of GFX10.1 or GFX10.3 may have at most 4 render backends. Of these two chips boards with 16 are recorded, and of the others
/// boards with fewer or none (Mesa 25.0.7 src/amd/drm-shim/amdgpu_devices.c).
fn may_have_few_backends(chip: &str) -> bool {
    !matches!(chip, "navi10" | "navi21")
}

fn rate_image_walk(view: &DrawView<'_>) -> Option<Verdict> {
    let image = view.field("PA_SC_VRS_OVERRIDE_CNTL", "VRS_SURFACE_ENABLE").filter(FieldState::is_set)?;
    let walk = ["WALK_ALIGNMENT", "WALK_ALIGN8_PRIM_FITS_ST"].iter().find_map(|name| view.field("PA_SC_MODE_CNTL_1", name).filter(FieldState::is_set))?;
    let hangs = view.gfx().major() >= 12;
    let effect = if hangs { "the chip hangs" } else { "drivers write 0; what happens otherwise is not known" };
    let verdict = Verdict::new(format!("{} is 1 with a shading-rate image bound: {effect}", walk.field.name)).at(&walk).because(&image).help_set(&walk, 0, "");
    Some(if hangs { verdict } else { verdict.severity(Severity::Warning) })
}

fn keep_together(view: &DrawView<'_>) -> Option<Verdict> {
    let keep = view.field("PA_SU_SC_MODE_CNTL", "KEEP_TOGETHER_ENABLE")?;
    let mode = view.field("PA_SU_SC_MODE_CNTL", "POLY_MODE")?;
    let binning = view.field("PA_SC_BINNER_CNTL_0", "BINNING_MODE")?;
    const TRIANGLES: u32 = 2;
    let outline = mode.is_set()
        && ["POLYMODE_FRONT_PTYPE", "POLYMODE_BACK_PTYPE"].iter().any(|f| view.field("PA_SU_SC_MODE_CNTL", f).is_some_and(|f| f.value() != TRIANGLES));
    // Where the register is not known, they may be.
    let rectangular_lines = view.field("PA_SC_LINE_CNTL", "PERPENDICULAR_ENDCAP_ENA").is_none_or(|ends| ends.is_set());
    match (keep.is_set(), outline) {
        (true, false) if !rectangular_lines => {
            Some(Verdict::new("KEEP_TOGETHER_ENABLE is 1, but polygons are filled and lines are not rectangular: the bit has no use here").at(&keep).help_set(
                &keep,
                0,
                ", or set PA_SC_LINE_CNTL.PERPENDICULAR_ENDCAP_ENA for rectangular lines",
            ))
        }
        // Drivers set it without binning as well; what happens there otherwise is not described.
        (false, true) if binning.value() < 2 => Some(
            Verdict::new("polygons are drawn as lines or points in bins, and KEEP_TOGETHER_ENABLE is 0: their parts may be separated")
                .at(&keep)
                .because(&binning)
                .help_set(&keep, 1, ""),
        ),
        _ => None,
    }
}

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
    // 0 is no limit: it is what drivers write with fewer samples, and one less than it is 15 in Mesa of 2022.
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

fn oreo_mode(view: &DrawView<'_>) -> Option<Verdict> {
    let mode = view.field("DB_RENDER_CONTROL", "OREO_MODE")?;
    let values = mode.field.values?;
    let (wrong, right) = (values.value_of("OMODE_O_THEN_B")?, values.value_of("OMODE_BLEND")?);
    // radeonsi writes this mode on purpose, but not with a depth export.
    let depth_export = view.field("DB_SHADER_CONTROL", "Z_EXPORT_ENABLE").is_some_and(|export| export.is_set());
    let (text, severity) = if depth_export {
        ("OREO_MODE is OMODE_O_THEN_B with a depth export, which PAL and radeonsi avoid on this chip: results may be wrong", Severity::Warning)
    } else {
        ("OREO_MODE is OMODE_O_THEN_B, which PAL replaces on this chip and radeonsi writes: it is not known whether results are right", Severity::Info)
    };
    (mode.value() == wrong).then(|| Verdict::new(text).severity(severity).at(&mode).help_set(&mode, right, " (OMODE_BLEND)"))
}

fn non_events(view: &DrawView<'_>) -> Option<Verdict> {
    opaque_events(view.history()).map(|(draw, verdict)| verdict.note("the draw with USE_OPAQUE", Some(draw)))
}

/// SQ_NON_EVENTs after a draw that takes its count from streamout.
const OPAQUE_EVENT_COUNT: u32 = 3;

/// The last draw, if it takes its count from streamout and too few events follow it, with what is wrong.
pub(crate) fn opaque_events(history: &History) -> Option<(Place, Verdict)> {
    let draw = history.opaque.filter(|_| history.events_in_time() < OPAQUE_EVENT_COUNT)?;
    let until = if history.opaque_written.is_some() { " before a register is written" } else { "" };
    let text =
        format!("{} after the draw that takes its count from streamout{until}: drivers send three", counted(history.events_in_time(), "SQ_NON_EVENT event"));
    Some((draw, Verdict::new(text).help("send three EVENT_WRITE SQ_NON_EVENT (38) directly after the draw")))
}

/// Whether a program is set: one at address 0 does not count.
fn has_program(view: &DrawView<'_>, name: &str) -> bool {
    view.register(name).is_some_and(|register| view.value(register.addr()).is_some_and(|lo| lo != 0))
}

/// The compute units of a stage that the registers name.
struct UnitMask {
    units: u64,
    /// The units of which that is known.
    known: u64,
    /// CU_EN of RSRC3.
    low: FieldState,
}

/// The compute units of a stage: those of RSRC3, and the further ones of RSRC4 (GFX10 to GFX11.5).
fn cu_mask(view: &DrawView<'_>, stage: &str) -> Option<UnitMask> {
    let (first, further) = (format!("SPI_SHADER_PGM_RSRC3_{stage}"), format!("SPI_SHADER_PGM_RSRC4_{stage}"));
    let low = view.field(&first, "CU_EN")?;
    let units = u64::from(low.value());
    Some(match (view.has_field(&further, "CU_EN"), view.field(&further, "CU_EN")) {
        (false, _) => UnitMask { units, known: u64::MAX, low },
        (true, Some(high)) => UnitMask { units: units | u64::from(high.value()) << 16, known: u64::MAX, low },
        (true, None) => UnitMask { units, known: 0xFFFF, low },
    })
}

/// The compute units of a shader array: 16, or as many as the caller has stated.
fn array_units(view: &DrawView<'_>) -> u64 {
    u64::MAX >> (64 - view.options().board.cus_per_array.unwrap_or(16).clamp(1, 32))
}

/// Late waves that GFX10.1 accepts with NGG.
const LATE_WAVES: u32 = 64;

fn late_waves(view: &DrawView<'_>) -> Option<Verdict> {
    let ngg = view.field("VGT_SHADER_STAGES_EN", "PRIMGEN_EN")?;
    let geometry = view.field("VGT_SHADER_STAGES_EN", "GS_EN").is_some_and(|gs| gs.is_set());
    let late = view.field("SPI_SHADER_PGM_RSRC4_GS", "SPI_SHADER_LATE_ALLOC_GS").filter(|late| late.is_set() && (ngg.is_set() || geometry))?;
    if view.gfx().version() == (10, 1) && ngg.is_set() && late.value() > LATE_WAVES {
        let text = format!("{} late waves with NGG: GFX10.1 accepts {LATE_WAVES}, and may hang with more", late.value());
        return Some(Verdict::new(text).at(&late).help_set(&late, LATE_WAVES, " or less"));
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

fn no_compute_unit(view: &DrawView<'_>) -> Option<Verdict> {
    let stage = |name| view.field("VGT_SHADER_STAGES_EN", name);
    let set = |name| stage(name).is_some_and(|bit| bit.is_set());
    // Only stages that run: the vertex stage of NGG and of merged shaders is GS.
    let (ngg, legacy) = match stage("PRIMGEN_EN") {
        Some(ngg) => (ngg.is_set(), !ngg.is_set()),
        // From GFX11 on there is no other pipe.
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

/// The pixel shader reads which pixels are covered whole: COVERAGE_TO_SHADER_SELECT is INPUT_INNER_COVERAGE, on GFX12 in SPI_PS_INPUT_ENA.
fn reads_inner_coverage(view: &DrawView<'_>) -> bool {
    const INNER: u32 = 1;
    let registers = ["PA_SC_AA_CONFIG", "SPI_PS_INPUT_ENA"];
    registers.iter().any(|register| view.field(register, "COVERAGE_TO_SHADER_SELECT").is_some_and(|select| select.value() == INNER))
}

fn sample_mask(view: &DrawView<'_>) -> Option<Verdict> {
    let coverage = view.coverage_samples_log2().filter(FieldState::is_set)?;
    let replicated = |name: &&str| match view.register(name).map(|register| view.state(register.addr())) {
        Some(RegisterState::Written(mask)) => mask & 0xFFFF == mask >> 16,
        _ => true,
    };
    if let Some(name) = ["PA_SC_AA_MASK_X0Y0_X1Y0", "PA_SC_AA_MASK_X0Y1_X1Y1"].into_iter().find(|name| !replicated(name)) {
        return Some(
            Verdict::new(format!("{name} holds different masks for neighbouring pixels"))
                .register_of(view, name)
                .help("write mask | mask << 16 into both registers"),
        );
    }
    // For inner coverage the register has a step more than the draw has samples (PAL 04/2025): one sample is no MSAA.
    if coverage.value() <= u32::from(reads_inner_coverage(view)) {
        return None;
    }
    let samples = 1u32.wrapping_shl(coverage.value());
    if let Some(enable) = view.field("PA_SC_MODE_CNTL_0", "MSAA_ENABLE").filter(|enable| !enable.is_set()) {
        let text = format!("MSAA_ENABLE is 0, and PA_SC_AA_CONFIG has {samples} samples");
        return Some(Verdict::new(text).at(&enable).because(&coverage).help_set(&enable, 1, ""));
    }
    let anchors = view.field("DB_EQAA", "MAX_ANCHOR_SAMPLES").filter(|anchors| anchors.origin.is_some());
    if let Some((anchors, depth)) = anchors.zip(view.z_samples_log2().filter(|_| view.has_depth_image()))
        && anchors.value() < depth.value()
    {
        let text = format!("MAX_ANCHOR_SAMPLES is {} (log2), and the depth target has {} samples", anchors.value(), 1u32 << depth.value());
        let verdict = Verdict::new(text).at(&anchors).because(&depth).help_set(&anchors, depth.value().max(coverage.value()), "");
        // RADV and PAL write no smaller number. No source says what the hardware does with one.
        return Some(if view.gfx().major() >= 11 { verdict } else { verdict.severity(Severity::Info) });
    }
    let mask = view.field("DB_EQAA", "MASK_EXPORT_NUM_SAMPLES").filter(|mask| mask.origin.is_some() && mask.value() > coverage.value())?;
    let text = format!("MASK_EXPORT_NUM_SAMPLES is {} (log2), and PA_SC_AA_CONFIG has {samples} samples", mask.value());
    Some(Verdict::new(text).at(&mask).because(&coverage).help_set(&mask, coverage.value(), ""))
}

fn shader_inputs(view: &DrawView<'_>) -> Option<Verdict> {
    let ena = view.register("SPI_PS_INPUT_ENA")?;
    let (RegisterState::Written(enabled), Some(address)) = (view.state(ena.addr()), view.register("SPI_PS_INPUT_ADDR").and_then(|r| view.value(r.addr())))
    else {
        return None;
    };
    let program = view.register("SPI_SHADER_PGM_LO_PS").and_then(|r| view.value(r.addr()))?;
    let position = enabled >> 11 & 1 == 1 && enabled & 0xF == 0;
    let (barycentric, stipple) = (enabled & 0x7F != 0, enabled >> 7 & 1 == 1);
    let stray = enabled & !address & 0xFFFF;
    const CENTER: &str = "PERSP_CENTER_ENA";
    // What is wrong; or, on GFX12, what costs time.
    let (text, field, severity): (Cow<'static, str>, &str, Severity) = if !barycentric && !stipple {
        ("neither a barycentric input nor LINE_STIPPLE_TEX is enabled: the pixel shader hangs".into(), CENTER, Severity::Error)
    } else if stray != 0 {
        let lowest = ena.fields().iter().find(|field| stray & field.mask() != 0).map_or(CENTER, |field| field.name);
        let inputs = if stray.is_power_of_two() { "input" } else { "inputs" };
        let are = if stray.is_power_of_two() { "is" } else { "are" };
        (format!("{inputs} 0x{stray:x} {are} enabled that SPI_PS_INPUT_ADDR does not have").into(), lowest, Severity::Error)
    } else if position {
        ("POS_W_FLOAT is enabled without a perspective barycentric".into(), "POS_W_FLOAT_ENA", Severity::Error)
    } else if view.gfx().major() >= 12 && !barycentric {
        ("LINE_STIPPLE_TEX without a barycentric input: only one shader engine accepts primitives".into(), CENTER, Severity::Info)
    } else {
        return None;
    };
    let help = match stray {
        0 => "enable PERSP_CENTER_ENA in both",
        _ if !barycentric && !stipple => "enable PERSP_CENTER_ENA in both",
        _ => "set the same bits in SPI_PS_INPUT_ADDR, or clear them in SPI_PS_INPUT_ENA",
    };
    let field = view.field("SPI_PS_INPUT_ENA", field)?;
    (program != 0)
        .then(|| Verdict::new(format!("SPI_PS_INPUT_ENA is 0x{enabled:x}, SPI_PS_INPUT_ADDR 0x{address:x}: {text}")).severity(severity).at(&field).help(help))
}

fn opaque_count(view: &PacketView<'_>) -> Option<Verdict> {
    (view.bits(1, 6, 6) == 1 && view.word(0) != 0)
        .then(|| Verdict::new(format!("USE_OPAQUE takes the count from streamout, and index_count is {}", view.word(0))).field("index_count").help("write 0"))
}

fn plain_dispatch(view: &PacketView<'_>) -> Option<Verdict> {
    let initiator = *view.packet().body.last()?;
    if initiator & 1 == 0 {
        let verdict = Verdict::new("COMPUTE_SHADER_EN is 0 in the dispatch initiator: PAL always sets it; what happens without it is not known")
            .field("dispatch_initiator");
        return Some(verdict.help("set bit 0 of the initiator"));
    }
    (view.queue() == Queue::Graphics && view.packet().header.shader_type() == ShaderType::Graphics).then(|| {
        Verdict::new("a dispatch on the graphics queue with shader_type 0: PAL sets 1; a test of AMD's own (libdrm) sets 0")
            .severity(Severity::Info)
            .field("shader_type")
            .help("set bit 1 of the header")
    })
}

fn dispatch_order(view: &PacketView<'_>) -> Option<Verdict> {
    let initiator = *view.packet().body.last()?;
    let bit = |at: u32| initiator >> at & 1 == 1;
    let (partial, append, threads, ping_pong, interleave) = (bit(1), bit(3), bit(5), bit(12), bit(18));
    let bad = interleave && (threads || partial || append) || ping_pong && (threads || partial);
    bad.then(|| {
        Verdict::new(format!("the dispatch initiator 0x{initiator:08x} combines orders that exclude each other: which one the hardware follows is not known"))
            .field("dispatch_initiator")
            .help("clear INTERLEAVE_2D_EN and PING_PONG_EN")
    })
}

fn out_of_order(view: &DrawView<'_>) -> Option<Verdict> {
    let bit = view.field("PA_SC_MODE_CNTL_1", "OUT_OF_ORDER_PRIMITIVE_ENABLE").filter(FieldState::is_set)?;
    (!view.chip().info().out_of_order_rasterization).then(|| {
        Verdict::new(format!("OUT_OF_ORDER_PRIMITIVE_ENABLE is 1, and {} has no out-of-order rasterization", view.chip().info().name))
            .at(&bit)
            .help_set(&bit, 0, "")
    })
}

fn restart(view: &DrawView<'_>) -> Option<Verdict> {
    let before = view.history().restart?;
    let now = primitive_restart(view)?;
    (before != now && view.roll().source.is_none() && view.history().non_events == 0).then(|| {
        Verdict::new(format!("primitive restart (RESET_EN) changes from {before} to {now} between two draws of one context"))
            .register("GE_MULTI_PRIM_IB_RESET_EN")
            .help("send EVENT_WRITE SQ_NON_EVENT (38) before the draw, or write a context register")
    })
}

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
