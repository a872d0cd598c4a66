//! What both ways of vertex work share: which hardware stages run, how primitives are handed out, what reaches the pixel stage.

use crate::chip::Erratum;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::check::front::{passes_through, vertex_shader_exports_primitive_id};
use crate::draw::decide::stage::{hardware_vs, late_alloc, legacy_geometry, ngg, rsrc, tessellation};
use crate::draw::desc::{PatchSpacing, Program, Subgroup, Topology, VertexPath};
use crate::draw::sheet::{NoReasons, On, Sheet, Why, Word};
use crate::isa::WaveSize;
use crate::regs;

/// Returns whether the vertex program runs as NGG.
fn is_ngg(inputs: &DrawInputs<'_>) -> bool {
    inputs.path == VertexPath::Ngg
}

/// VGT_SHADER_STAGES_EN: the stages that run, their wave sizes, and how primitives pass.
fn vgt_shader_stages_en<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let (desc, ngg) = (inputs.desc, is_ngg(inputs));
    let (tessellates, geometry, mesh) = (desc.tessellation.is_some(), desc.geometry.is_some(), desc.mesh.is_some());
    let wave32 = |program: &Program| program.wave == WaveSize::W32;
    let passes = ngg && passes_through(desc);
    // The hardware VS runs the copy program after a geometry shader.
    let vs_wave32 = !ngg && desc.geometry.as_ref().map_or(wave32(&desc.vertex.program), |shader| wave32(&shader.copy_program));
    let hs_wave32 = desc.tessellation.as_ref().is_some_and(|patches| wave32(&patches.program));
    let gs_wave32 = ngg && wave32(&desc.vertex.program);
    let gs = geometry || mesh;
    let wave_rule = "wave size of the stage's program";
    let groups = "waves take primitives of 2 groups at most (Mesa 25.0.7, captures)";
    let pass_rule = if passes { "nothing culls or changes primitives: they pass the program" } else { "the program exports its primitives" };
    let tess_rule = if tessellates { "the draw tessellates" } else { "the draw does not tessellate" };
    let gs_rule = if gs { "a geometry or mesh shader runs" } else { "no geometry or mesh shader" };
    let es_rule = match (mesh, ngg || geometry, tessellates) {
        (true, ..) => "a mesh shader has no vertices before it",
        (_, false, _) => "the vertex program runs on the hardware VS",
        (.., false) => "the vertex program runs as export shader",
        (.., true) => "the evaluation shader runs as export shader",
    };
    let gen_rule = if ngg { "next-generation geometry" } else { "no next-generation geometry" };
    let streams = inputs.gfx.major() >= 11 && desc.vertex.streamout.is_some();
    let wave_id = desc.mesh.is_some_and(|mesh| mesh.scratch_ring) || streams;
    let id_rule = match (streams, wave_id) {
        (true, _) => "waves stream out in the order of their numbers",
        (_, true) => "the mesh shader finds its place in the scratch ring by its number",
        (_, false) => "nothing asks for the number of the wave",
    };
    let launch_rule = if mesh { "workgroups of a mesh shader start as such" } else { "no mesh shader" };
    let vs_rule = match (ngg, geometry, tessellates) {
        (true, ..) => "the hardware VS does not run",
        (_, true, _) => "the hardware VS copies vertices from the ring",
        (.., true) => "the hardware VS runs the evaluation shader",
        _ => "the hardware VS runs the vertex program",
    };
    /// The stages that generations up to GFX11.5 name.
    macro_rules! stages {
        ($r:ident) => {{
            type R = $r::VgtShaderStagesEn;
            let es = match (mesh || !(ngg || geometry), tessellates) {
                (true, _) => $r::VgtStagesEsEn::ES_STAGE_OFF,
                (false, false) => $r::VgtStagesEsEn::ES_STAGE_REAL,
                (false, true) => $r::VgtStagesEsEn::ES_STAGE_DS,
            };
            Word::new(On::<R, { $r::GFX }>::SLOT)
                .set(R::LS_EN, if tessellates { $r::VgtStagesLsEn::LS_STAGE_ON } else { $r::VgtStagesLsEn::LS_STAGE_OFF }, tess_rule)
                .set(R::HS_EN, tessellates, tess_rule)
                .set(R::ES_EN, es, es_rule)
                .set(R::GS_EN, gs, gs_rule)
                .set(R::MAX_PRIMGRP_IN_WAVE, 2u32, groups)
        }};
    }
    /// What runs on the hardware VS.
    macro_rules! vs {
        ($r:ident) => {
            match (ngg, geometry, tessellates) {
                (false, true, _) => $r::VgtStagesVsEn::VS_STAGE_COPY_SHADER,
                (false, false, true) => $r::VgtStagesVsEn::VS_STAGE_DS,
                _ => $r::VgtStagesVsEn::VS_STAGE_REAL,
            }
        };
    }
    on_gfx!(inputs.gfx, r => {
        Gfx9 => Some(stages!(r).set(r::VgtShaderStagesEn::VS_EN, vs!(r), vs_rule)),
        Gfx10 | Gfx103 => {
            type R = r::VgtShaderStagesEn;
            Some(stages!(r)
                .set(R::VS_EN, vs!(r), vs_rule)
                .set(R::DYNAMIC_HS, tessellates, tess_rule)
                .set(R::PRIMGEN_EN, ngg, gen_rule)
                .set(R::GS_FAST_LAUNCH, u32::from(mesh), launch_rule)
                .set(R::HS_W32_EN, hs_wave32, wave_rule)
                .set(R::GS_W32_EN, gs_wave32, wave_rule)
                .set(R::VS_W32_EN, vs_wave32, wave_rule)
                .set(R::NGG_WAVE_ID_EN, wave_id, id_rule)
                .set(R::PRIMGEN_PASSTHRU_EN, passes, pass_rule))
        },
        Gfx11x => {
            type R = r::VgtShaderStagesEn;
            Some(stages!(r)
                .set(R::DYNAMIC_HS, tessellates, tess_rule)
                .set(R::PRIMGEN_EN, ngg, gen_rule)
                .set(R::GS_FAST_LAUNCH, 2 * u32::from(mesh), launch_rule)
                .set(R::HS_W32_EN, hs_wave32, wave_rule)
                .set(R::GS_W32_EN, gs_wave32, wave_rule)
                .set(R::NGG_WAVE_ID_EN, wave_id, id_rule)
                .set(R::PRIMGEN_PASSTHRU_EN, passes, pass_rule)
                .set(R::PRIMGEN_PASSTHRU_NO_MSG, passes, "primitives that pass need no allocation message from GFX11 on (Mesa 25.0.7: from Navi23 on)"))
        },
        Gfx12 => {
            type R = r::VgtShaderStagesEn;
            // RADV 25.0.7 (radv_cmd_buffer.c) sets the geometry stage for geometry shaders alone. PAL 04/2025 takes the bit from its compiler.
            Some(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::HS_EN, tessellates, tess_rule)
                .set(R::GS_EN, geometry, if geometry { gs_rule } else { "no geometry shader" })
                .set(R::GS_FAST_LAUNCH, u32::from(mesh), launch_rule)
                .set(R::HS_W32_EN, hs_wave32, wave_rule)
                .set(R::GS_W32_EN, gs_wave32, wave_rule)
                .set(R::NGG_WAVE_ID_EN, wave_id, id_rule)
                .set(R::PRIMGEN_PASSTHRU_NO_MSG, passes, pass_rule))
        },
    })
}

/// Returns whether primitives of the draw depend on each other, so that a packet must not be split over four shader engines.
fn hang_together(inputs: &DrawInputs<'_>) -> bool {
    let restarts = inputs.desc.primitive_restart && !matches!(inputs.desc.topology, Topology::PointList | Topology::LineStrip);
    restarts || matches!(inputs.desc.topology, Topology::TriangleFan | Topology::TriangleStripAdjacency)
}

/// Some stage reads the index of the primitive (with tessellation of the patch), or exports it.
fn reads_primitive_id(inputs: &DrawInputs<'_>) -> bool {
    let (desc, exported) = (inputs.desc, inputs.desc.vertex.exports_primitive_id);
    let of_patch = desc.tessellation.as_ref().is_some_and(|patches| patches.uses_patch_id(exported));
    exported || of_patch || desc.geometry.as_ref().is_some_and(|shader| shader.reads_primitive_id)
}

/// Returns whether strips restart.
fn strips_restart(inputs: &DrawInputs<'_>) -> bool {
    use Topology::{LineStrip, LineStripAdjacency, TriangleStrip, TriangleStripAdjacency};
    inputs.desc.primitive_restart && matches!(inputs.desc.topology, LineStrip | LineStripAdjacency | TriangleStrip | TriangleStripAdjacency)
}

/// IA_MULTI_VGT_PARAM (GFX9) of draws of this state that streamout counts, where it is another one: its byte address and value.
pub(crate) fn ia_multi_vgt_param_counted(inputs: &DrawInputs<'_>) -> Option<(u32, u32)> {
    let (slot, value) = ia_multi_vgt_param::<NoReasons>(inputs, true)?.at();
    let (_, of_others) = ia_multi_vgt_param::<NoReasons>(inputs, false)?.at();
    let addr = regs::slots(inputs.gfx).get(slot)?;
    (value != of_others).then_some((*addr, value))
}

/// IA_MULTI_VGT_PARAM (GFX9): how primitives are handed to the shader engines; `counted` where streamout has counted the vertices.
fn ia_multi_vgt_param<S: Why>(inputs: &DrawInputs<'_>, counted: bool) -> Option<Word<S>> {
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::IaMultiVgtParam;
            // Mesa 25.0.7 radv_get_ia_multi_vgt_param.
            let engines = inputs.board.map_or(0, |board| board.shader_engines);
            let (eop, eop_rule) = match engines {
                0..4 => (true, "fewer than four shader engines, or their number is not known: switch at the end of the packet"),
                _ if counted => (true, "four shader engines must not share a packet whose vertices streamout has counted"),
                _ if hang_together(inputs) => (true, "four shader engines must not share a packet of a fan, a triangle strip with adjacency, or restart"),
                _ => (false, "four shader engines: primitives of a packet are distributed"),
            };
            let (eoi, eoi_rule) = match (engines > 2 && !eop, reads_primitive_id(inputs)) {
                (_, true) => (true, "a shader reads the primitive's index: switch at the end of an instance"),
                (true, false) => (true, "more than two shader engines share packets: switch at the end of an instance"),
                (false, false) => (false, "nothing asks for a switch at the end of an instance"),
            };
            let patches = inputs.desc.tessellation.as_ref();
            let spread = patches.is_some() && inputs.desc.geometry.is_none() && tessellation::distributes(inputs).0;
            let (partial, partial_rule) = match (strips_restart(inputs), spread) {
                (true, _) => (true, "strips restart: without partial waves the VGT can hang"),
                (_, true) => (true, "patches are distributed among the shader engines"),
                _ => (false, "no strip restarts, no patches are distributed"),
            };
            let (size, size_rule) = match (patches, &inputs.desc.geometry) {
                (Some(patches), _) => (patches.group().patches, "patches of a workgroup, minus 1"),
                (None, Some(_)) => (64, "64 primitives per group with a geometry shader, minus 1"),
                (None, None) => (128, "128 primitives per group without geometry shader and tessellation, minus 1"),
            };
            Some(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::PRIMGROUP_SIZE, size.saturating_sub(1), size_rule)
                .set(R::PARTIAL_VS_WAVE_ON, partial, partial_rule)
                .set(R::SWITCH_ON_EOI, eoi, eoi_rule)
                .set(R::WD_SWITCH_ON_EOP, eop, eop_rule)
                .set(R::EN_INST_OPT_BASIC, true, "GFX9 (Mesa 25.0.7, captures)")
                .set(R::EN_INST_OPT_ADV, true, "GFX9 (Mesa 25.0.7, captures)"))
        },
        Gfx10x | Gfx11x | Gfx12 => None,
    })
}

/// VERT_GRP_SIZE of GFX10: what a subgroup holds, less the margin that GFX10.1 needs; 256 switches grouping off and needs nothing (Mesa 25.0.7, PAL 04/2025).
fn vertex_group(inputs: &DrawInputs<'_>) -> (u32, &'static str) {
    if !is_ngg(inputs) {
        return (256, "the legacy pipe: vertices are not grouped");
    }
    let vertices = inputs.front.group.hardware_vertices;
    if inputs.desc.mesh.is_some() {
        return (vertices, "a workgroup of a mesh shader counts as a vertex");
    }
    // After the tessellator RADV keeps no margin (captures).
    let tessellates = inputs.desc.tessellation.is_some();
    let margin = if inputs.chip.has(Erratum::VertexGroupMargin) && vertices != 256 && !tessellates { 5 } else { 0 };
    let group = vertices.saturating_sub(margin);
    if group != 256 && group > inputs.front.input.most_grouped() {
        return (256, "vertices are not grouped: the hardware does not accept groups with this many vertices of these primitives");
    }
    if inputs.chip.has(Erratum::VertexGroupLeast) && group < Subgroup::least_group(inputs.gfx) {
        return (256, "vertices are not grouped: groups as small as this subgroup would hang the geometry engine");
    }
    match margin {
        0 => (group, "vertices of a subgroup"),
        _ => (group, "GFX10.1: five vertices less than in VGT_GS_ONCHIP_CNTL, otherwise the geometry engine can hang"),
    }
}

/// GE_CNTL: what goes into a subgroup, or into a group of the legacy pipe.
fn ge_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let subgroup = inputs.front.group;
    let breaks = inputs.desc.tessellation.is_some() && reads_primitive_id(inputs);
    let break_rule = if breaks { "a shader reads the patch's index: instances do not share groups" } else { "no shader reads the index of a patch" };
    // Mesa 25.0.7 gfx10_emit_ge_cntl: it goes with LINE_STIPPLE_TEX_ENA alone, which no driver uses.
    let one = inputs.reads_line_stipple();
    let one_rule =
        if one { "the pixel shader reads the stipple of lines, which continues from line to line" } else { "the pixel shader reads no stipple of lines" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10x => {
            type R = r::GeCntl;
            let (vertices, rule) = vertex_group(inputs);
            let (primitives, why) = match (inputs.path, &inputs.desc.tessellation, inputs.front.legacy) {
                (VertexPath::Ngg, ..) => (subgroup.primitives, "primitives of a subgroup"),
                (VertexPath::Legacy, Some(patches), _) => (patches.group().patches, "patches of a workgroup"),
                (VertexPath::Legacy, None, Some(group)) => (group.primitives, "primitives of a group of the geometry shader"),
                (VertexPath::Legacy, None, None) => (128, "128 primitives per group without a geometry shader"),
            };
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::PRIM_GRP_SIZE, primitives, why).set(R::VERT_GRP_SIZE, vertices, rule);
            Some(word.set(R::BREAK_WAVE_AT_EOI, breaks, break_rule).set(R::PACKET_TO_ONE_PA, one, one_rule))
        },
        Gfx11x => {
            type R = r::GeCntl;
            Some(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::PRIMS_PER_SUBGRP, subgroup.primitives, "primitives of a subgroup")
                .set(R::VERTS_PER_SUBGRP, subgroup.vertices, "vertices of a subgroup")
                .set(R::BREAK_PRIMGRP_AT_EOI, breaks, break_rule)
                .set(R::PACKET_TO_ONE_PA, one, one_rule)
                .set(R::PRIM_GRP_SIZE, 252u32, "256 works, but is slower (Mesa 25.0.7, captures)"))
        },
        Gfx12 => {
            type R = r::GeCntl;
            // Mesa 25.0.7, PAL 04/2025.
            Some(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::PRIMS_PER_SUBGRP, subgroup.primitives, "primitives of a subgroup")
                .set(R::VERTS_PER_SUBGRP, subgroup.vertices, "vertices of a subgroup")
                .set(R::BREAK_PRIMGRP_AT_EOI, breaks, break_rule)
                .set(R::PACKET_TO_ONE_PA, one, one_rule)
                .set(R::PRIM_GRP_SIZE, 256u32, "GFX12")
                .set(R::DIS_PG_SIZE_ADJUST_FOR_STRIP, true, "GFX12"))
        },
    })
}

/// GE_PC_ALLOC (GFX10 to GFX11.5): parameter cache lines promised beyond what there is.
fn ge_pc_alloc<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let stage = &inputs.desc.vertex;
    let late = late_alloc::late(inputs);
    let lines = late_alloc::oversubscribed_lines(inputs.chip.info().pc_lines.unwrap_or(0), late, stage.culling, stage.parameters);
    let rule = if lines == 0 { "no late vertex waves: nothing is promised" } else { "a quarter of the lines, more with culling and many parameters" };
    on_gfx!(inputs.gfx, r => {
        Gfx10x | Gfx11x => {
            type R = r::GePcAlloc;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::OVERSUB_EN, lines != 0, rule).set(R::NUM_PC_LINES, lines.saturating_sub(1), rule))
        },
        Gfx9 | Gfx12 => None,
    })
}

/// Returns whether an evaluation shader reads the patch's index where primitives must be counted for it: before a geometry shader the hardware VS gets it
/// uncounted.
fn counts_patches(inputs: &DrawInputs<'_>) -> bool {
    let reads = inputs.desc.tessellation.as_ref().is_some_and(|patches| patches.evaluation_reads_patch_id);
    reads && (is_ngg(inputs) || inputs.desc.geometry.is_none())
}

/// VGT_PRIMITIVEID_EN: primitives are counted; with NGG no vertex serves as the provoking one of two primitives (Mesa 25.0.7 radv_emit_hw_ngg, captures).
fn vgt_primitiveid_en<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let exports = inputs.desc.vertex.exports_primitive_id;
    let reuse = vertex_shader_exports_primitive_id(inputs.desc) && is_ngg(inputs);
    let counts = exports || counts_patches(inputs);
    let rule = match (exports, counts) {
        (true, _) => "the primitive's index is exported",
        (false, true) => "the evaluation shader reads the patch's index",
        (false, false) => "the primitive's index is not exported",
    };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::VgtPrimitiveidEn;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::PRIMITIVEID_EN, counts, rule))
        },
        Gfx10x | Gfx11x => {
            type R = r::VgtPrimitiveidEn;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::PRIMITIVEID_EN, counts, rule).set(R::NGG_DISABLE_PROVOK_REUSE, reuse, rule))
        },
        Gfx12 => {
            type R = r::VgtPrimitiveidEn;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::NGG_DISABLE_PROVOK_REUSE, reuse, rule))
        },
    })
}

/// CUT_MODE of a geometry shader that emits this number of vertices.
fn cut_mode(max_vertices: u32) -> u32 {
    match max_vertices {
        0..=128 => 3,
        129..=256 => 2,
        257..=512 => 1,
        _ => 0,
    }
}

/// VGT_GS_MODE (GFX9 to GFX10.3, hardware VS): GS_SCENARIO_G for a geometry shader, else GS_SCENARIO_A where primitives are numbered (Mesa 25.0.7
/// ac_vgt_gs_mode).
fn vgt_gs_mode<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    if let Some(shader) = &inputs.desc.geometry {
        return on_gfx!(inputs.gfx, r => {
            Gfx9 | Gfx10x => {
                type R = r::VgtGsMode;
                Some(Word::new(On::<R, { r::GFX }>::SLOT)
                    .set(R::MODE, r::VgtGsModeType::GS_SCENARIO_G, "GS_SCENARIO_G: a geometry shader")
                    .set(R::CUT_MODE, cut_mode(shader.max_vertices), "vertices that the geometry shader emits, by class")
                    .set(R::GS_WRITE_OPTIMIZE, true, "as in Mesa")
                    .set(R::ONCHIP, 1u32, "vertices pass through LDS to the geometry shader"))
            },
            Gfx11x | Gfx12 => None,
        });
    }
    let numbered = inputs.desc.vertex.exports_primitive_id || counts_patches(inputs);
    let rule = if numbered { "GS_SCENARIO_A: no geometry shader, but primitives are numbered" } else { "GS_OFF: no geometry shader" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {
            type R = r::VgtGsMode;
            let mode = if numbered { r::VgtGsModeType::GS_SCENARIO_A } else { r::VgtGsModeType::GS_OFF };
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::MODE, mode, rule))
        },
        Gfx11x | Gfx12 => None,
    })
}

/// SPI_SHADER_POS_FORMAT: all position exports are four f32.
fn spi_shader_pos_format<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let positions = inputs.desc.vertex.outputs.positions();
    on_gfx!(inputs.gfx, r => {
        type R = r::SpiShaderPosFormat;
        let fields = [R::POS0_EXPORT_FORMAT, R::POS1_EXPORT_FORMAT, R::POS2_EXPORT_FORMAT, R::POS3_EXPORT_FORMAT];
        let format = r::SpiShaderFormat::SPI_SHADER_4COMP;
        let rule = "SPI_SHADER_4COMP: position, then misc vector and distances";
        Some((0..positions).zip(fields).fold(Word::new(On::<R, { r::GFX }>::SLOT), |word, (_, field)| word.set(field, format, rule)))
    })
}

/// SPI_VS_OUT_CONFIG (up to GFX11.5) or SPI_SHADER_GS_OUT_CONFIG_PS (GFX12): parameters exported.
fn out_config<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let (parameters, interpolants) = (inputs.desc.vertex.parameters, inputs.interpolants().len() as u32);
    let count = parameters.max(1) - 1;
    let (rule, none_rule) = ("parameters minus 1, counting at least one", if parameters == 0 { "no parameter is exported" } else { "parameters are exported" });
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::SpiVsOutConfig;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::VS_EXPORT_COUNT, count, rule))
        },
        Gfx10 | Gfx103 | Gfx11x => {
            type R = r::SpiVsOutConfig;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::VS_EXPORT_COUNT, count, rule).set(R::NO_PC_EXPORT, parameters == 0, none_rule))
        },
        Gfx12 => {
            type R = r::SpiShaderGsOutConfigPs;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::VS_EXPORT_COUNT, count, rule).set(R::NO_PC_EXPORT, parameters == 0, none_rule);
            Some(word.set(R::NUM_INTERP, interpolants, "interpolants of the pixel shader"))
        },
    })
}

/// PA_CL_VS_OUT_CNTL: the contents of the position exports besides the position (the same formula in Mesa 25.0.7 for RADV and radeonsi).
fn pa_cl_vs_out_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let outputs = inputs.desc.vertex.outputs;
    let (misc, positions, distances) = (outputs.misc(), outputs.positions(), outputs.distances());
    // The side bus carries the misc vector; from GFX10.3 on, everything except the position.
    let side = misc || (inputs.gfx.version() >= (10, 3) && positions > 1);
    let said = |yes: bool| if yes { "the vertex program exports it" } else { "the vertex program does not export it" };
    let rate = outputs.shading_rate;
    macro_rules! common {
        ($r:ident) => {{
            type R = $r::PaClVsOutCntl;
            let clip = [
                R::CLIP_DIST_ENA_0,
                R::CLIP_DIST_ENA_1,
                R::CLIP_DIST_ENA_2,
                R::CLIP_DIST_ENA_3,
                R::CLIP_DIST_ENA_4,
                R::CLIP_DIST_ENA_5,
                R::CLIP_DIST_ENA_6,
                R::CLIP_DIST_ENA_7,
            ];
            let cull = [
                R::CULL_DIST_ENA_0,
                R::CULL_DIST_ENA_1,
                R::CULL_DIST_ENA_2,
                R::CULL_DIST_ENA_3,
                R::CULL_DIST_ENA_4,
                R::CULL_DIST_ENA_5,
                R::CULL_DIST_ENA_6,
                R::CULL_DIST_ENA_7,
            ];
            let mut word = Word::new(On::<R, { $r::GFX }>::SLOT)
                .set(R::USE_VTX_POINT_SIZE, outputs.point_size, said(outputs.point_size))
                .set(R::USE_VTX_EDGE_FLAG, outputs.edge_flag, said(outputs.edge_flag))
                .set(R::USE_VTX_RENDER_TARGET_INDX, outputs.layer, said(outputs.layer))
                .set(R::USE_VTX_VIEWPORT_INDX, outputs.viewport, said(outputs.viewport))
                .set(R::VS_OUT_MISC_VEC_ENA, misc, said(misc))
                .set(R::VS_OUT_CCDIST0_VEC_ENA, distances & 0x0F != 0, said(distances & 0x0F != 0))
                .set(R::VS_OUT_CCDIST1_VEC_ENA, distances & 0xF0 != 0, said(distances & 0xF0 != 0))
                .set(R::VS_OUT_MISC_SIDE_BUS_ENA, side, "the misc vector goes over the side bus, from GFX10.3 on distances as well");
            for (bit, (clip, cull)) in clip.into_iter().zip(cull).enumerate() {
                for (field, mask) in [(clip, outputs.clip_distances), (cull, outputs.cull_distances)] {
                    if mask >> bit & 1 == 1 {
                        word = word.set(field, true, said(true));
                    }
                }
            }
            word
        }};
    }
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 => Some(common!(r)),
        Gfx103 | Gfx11 | Gfx115 | Gfx12 => Some(common!(r).set(r::PaClVsOutCntl::USE_VTX_VRS_RATE, rate, said(rate))),
    })
}

/// The program's address and user data: of the copy program after a geometry shader. NGG starts at the export shader's address.
fn program<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    match inputs.path {
        VertexPath::Legacy => on_gfx!(inputs.gfx, r => {
            Gfx9 | Gfx10x => {
                let program = late_alloc::vs_program(inputs);
                rsrc::address!(sheet, r, SpiShaderPgmLoVs, SpiShaderPgmHiVs, program);
                rsrc::user_data!(sheet, r, SpiShaderUserDataVs, program);
            },
            Gfx11x | Gfx12 => {},
        }),
        VertexPath::Ngg => on_gfx!(inputs.gfx, r => {
            Gfx9 => {},
            Gfx10x => {
                let program = &inputs.desc.vertex.program;
                rsrc::address!(sheet, r, SpiShaderPgmLoEs, SpiShaderPgmHiEs, program);
                rsrc::address_pair!(sheet, r, SpiShaderUserDataAddrLoGs, SpiShaderUserDataAddrHiGs, program);
                rsrc::user_data!(sheet, r, SpiShaderUserDataGs, program);
            },
            Gfx11x | Gfx12 => {
                let program = &inputs.desc.vertex.program;
                rsrc::address!(sheet, r, SpiShaderPgmLoEs, SpiShaderPgmHiEs, program);
                rsrc::address_pair!(sheet, r, SpiShaderPgmLoGs, SpiShaderPgmHiGs, program);
                rsrc::user_data!(sheet, r, SpiShaderUserDataGs, program);
            },
        }),
    }
}

/// VGT_REUSE_OFF, on chips with an erratum that sets it in its own place (GFX10): vertices are reused.
fn vgt_reuse_off<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    if !inputs.chip.has(Erratum::ReuseOff) && !inputs.chip.has(Erratum::TessellatedWireframe) {
        return None;
    }
    on_gfx!(inputs.gfx, r => {
        Gfx10x => Some(Word::new(On::<r::VgtReuseOff, { r::GFX }>::SLOT).set(r::VgtReuseOff::REUSE_OFF, false, "vertices are reused")),
        Gfx9 | Gfx11x | Gfx12 => None,
    })
}

/// VGT_VERTEX_REUSE_BLOCK_CNTL (GFX9): how deep vertices are reused (Mesa 25.0.7 radv_emit_vgt_vertex_reuse).
fn vgt_vertex_reuse_block_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let odd = inputs.desc.tessellation.as_ref().is_some_and(|patches| patches.spacing == PatchSpacing::FractionalOdd);
    let (depth, rule) = if odd { (14u32, "odd fractional spacing: the last 14 vertices are reused") } else { (30, "the last 30 vertices are reused") };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => Some(Word::new(On::<r::VgtVertexReuseBlockCntl, { r::GFX }>::SLOT).set(r::VgtVertexReuseBlockCntl::VTX_REUSE_DEPTH, depth, rule)),
        Gfx10x | Gfx11x | Gfx12 => None,
    })
}

pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    program(inputs, sheet);
    sheet.add(ge_cntl(inputs));
    sheet.add(vgt_reuse_off(inputs));
    sheet.add(vgt_vertex_reuse_block_cntl(inputs));
    sheet.add(vgt_shader_stages_en(inputs));
    sheet.add(ia_multi_vgt_param(inputs, false));
    sheet.add(ge_pc_alloc(inputs));
    sheet.add(vgt_primitiveid_en(inputs));
    sheet.add(spi_shader_pos_format(inputs));
    sheet.add(out_config(inputs));
    sheet.add(pa_cl_vs_out_cntl(inputs));
    if is_ngg(inputs) {
        ngg::add(inputs, sheet);
    } else {
        sheet.add(vgt_gs_mode(inputs));
        hardware_vs::add(inputs, sheet);
        legacy_geometry::add(inputs, sheet);
    }
}
