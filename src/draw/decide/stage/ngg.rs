//! Vertex work as next-generation geometry, with or without a geometry shader, and mesh shaders (GFX10 and later).
//!
//! Rules: Mesa 25.0.7 radv_shader.c, radv_shader_info.c (gfx10_get_ngg_info), radv_pipeline_graphics.c; captures of three generations agree.

use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::check::front::vertex_shader_exports_primitive_id;
use crate::draw::check::programs::vertex_cus;
use crate::draw::decide::stage::late_alloc::late;
use crate::draw::decide::stage::rsrc::{memory_order, rsrc1, rsrc1_until_gfx11, user_sgprs};
use crate::draw::desc::{VertexPath, resource_units};
use crate::draw::programs::wave_start::vertex_vgprs;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// SPI_SHADER_PGM_RSRC1_GS: registers, modes, and how many inputs of a primitive are loaded.
fn spi_shader_pgm_rsrc1_gs<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let (desc, stage) = (inputs.desc, &inputs.desc.vertex);
    let program = &stage.program;
    let vgprs = program.vgprs.max(vertex_vgprs(desc, VertexPath::Ngg, inputs.gfx));
    let components = inputs.front.primitive_components(desc, inputs.gfx);
    let rule = match (desc.mesh.is_some(), desc.geometry.is_some(), vertex_shader_exports_primitive_id(desc), stage.culling) {
        (true, ..) => "a mesh shader, as in RADV (captures)",
        (_, true, ..) => "last of the primitive's inputs that the geometry shader reads",
        (.., true, _) => "the primitive's index is exported",
        (.., false, true) => "culling reads the offsets of all three vertices",
        (.., false, false) => "a primitive that passes through is one VGPR",
    };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Gs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Gs, program);
            type R = r::SpiShaderPgmRsrc1Gs;
            let word = memory_order!(word, r::SpiShaderPgmRsrc1Gs, inputs.gfx, program).set(R::WGP_MODE, true, "GFX10.1 spreads subgroups over a WGP");
            Some(word.set(R::GS_VGPR_COMP_CNT, components, rule))
        },
        Gfx103 | Gfx11x => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Gs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Gs, program);
            type R = r::SpiShaderPgmRsrc1Gs;
            let word = memory_order!(word, r::SpiShaderPgmRsrc1Gs, inputs.gfx, program).set(R::WGP_MODE, false, "hangs from GFX10.3 on while one CU of the array is masked");
            Some(word.set(R::GS_VGPR_COMP_CNT, components, rule))
        },
        Gfx12 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Gs, inputs.gfx, program, vgprs);
            type R = r::SpiShaderPgmRsrc1Gs;
            Some(word.set(R::WGP_MODE, false, "as GFX11").set(R::GS_VGPR_COMP_CNT, components, rule))
        },
    })
}

/// SPI_SHADER_PGM_RSRC2_GS: user SGPRs, LDS, scratch, and how many inputs of a vertex are loaded.
fn spi_shader_pgm_rsrc2_gs<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let desc = inputs.desc;
    let (program, components) = (&desc.vertex.program, inputs.front.vertex_components(desc, inputs.gfx));
    let lds = inputs.front.group.lds_bytes + program.lds_bytes;
    let offchip = desc.tessellation.is_some();
    let offchip_rule = if offchip { "the evaluation shader reads off-chip memory" } else { "no tessellation" };
    let scratch = program.scratch_bytes != 0;
    let rule = if scratch { "the program uses scratch" } else { "the program uses no scratch" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10x | Gfx11x | Gfx12 => {
            type R = r::SpiShaderPgmRsrc2Gs;
            let word = user_sgprs!(Word::new(On::<R, { r::GFX }>::SLOT), r::SpiShaderPgmRsrc2Gs, program);
            let word = word.set(R::SCRATCH_EN, scratch, rule).set(R::SHARED_VGPR_CNT, program.shared_vgprs / 8, "blocks of 8 shared VGPRs");
            let word = word.set(R::ES_VGPR_COMP_CNT, components, "last of the vertex's inputs that the program reads");
            let word = word.set(R::OC_LDS_EN, offchip, offchip_rule);
            Some(word.set(R::LDS_SIZE, resource_units::lds_field(lds), "LDS of the subgroup in blocks of 512 bytes"))
        },
    })
}

/// Returns the wave limit of the program, with its rule.
fn wave_limit(inputs: &DrawInputs<'_>) -> (u32, &'static str) {
    let limit = inputs.desc.vertex.program.wave_limit;
    (resource_units::wave_limit_field(inputs.gfx, limit), resource_units::wave_limit_rule(inputs.gfx, limit))
}

/// SPI_SHADER_PGM_RSRC3_GS: CUs, wave limit up to GFX11.5.
fn spi_shader_pgm_rsrc3_gs<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let program = &inputs.desc.vertex.program;
    let (limit, limit_rule) = wave_limit(inputs);
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10x | Gfx11x => {
            type R = r::SpiShaderPgmRsrc3Gs;
            let late = late(inputs);
            let cus = late.start_mask(program.cu_mask);
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, cus & 0xFFFF, late.rule).set(R::WAVE_LIMIT, limit, limit_rule))
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc3Gs;
            let rule = "CUs 1 and 9 are left to pixel waves, else a deadlock";
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, vertex_cus(inputs.chip, program.cu_mask), rule))
        },
    })
}

/// SPI_SHADER_PGM_RSRC4_GS: CUs from 16 up, late waves, prefetch of code; on GFX12 the wave limit.
fn spi_shader_pgm_rsrc4_gs<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let high = inputs.desc.vertex.program.cu_mask.map_or(0xFFFF, |mask| mask >> 16);
    let (limit, limit_rule) = wave_limit(inputs);
    let prefetch = resource_units::prefetch_field(inputs.gfx, inputs.desc.vertex.program.prefetch_bytes);
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10x => {
            type R = r::SpiShaderPgmRsrc4Gs;
            let late = late(inputs);
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, high, "CUs 16 to 31").set(R::SPI_SHADER_LATE_ALLOC_GS, late.waves, late.rule))
        },
        Gfx11x => {
            type R = r::SpiShaderPgmRsrc4Gs;
            let late = late(inputs);
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, high & 1, "CU 16").set(R::SPI_SHADER_LATE_ALLOC_GS, late.waves, late.rule);
            Some(word.set(R::INST_PREF_SIZE, prefetch, resource_units::PREFETCH))
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc4Gs;
            Some(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::WAVE_LIMIT, limit, limit_rule)
                .set(R::GLG_FORCE_DISABLE, true, "no group launch guarantee (Mesa 25.0.7, PAL 04/2025)")
                .set(R::SPI_SHADER_LATE_ALLOC_GS, 127u32, "GFX12 allows all late waves (PAL 04/2025)")
                .set(R::INST_PREF_SIZE, prefetch, resource_units::PREFETCH))
        },
    })
}

/// SPI_SHADER_IDX_FORMAT: the primitive export is one dword, or two where it says layer, viewport or rate.
fn spi_shader_idx_format<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let two = inputs.desc.mesh.is_some_and(|mesh| mesh.primitive_payload);
    let one_rule = "SPI_SHADER_1COMP: a primitive is exported as one dword";
    let rule = if two { "SPI_SHADER_2COMP: primitives say their layer, viewport or rate" } else { one_rule };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10x | Gfx11x | Gfx12 => {
            type R = r::SpiShaderIdxFormat;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::IDX0_EXPORT_FORMAT, if two { r::SpiShaderFormat::SPI_SHADER_2COMP } else { r::SpiShaderFormat::SPI_SHADER_1COMP }, rule))
        },
    })
}

/// VGT_GS_ONCHIP_CNTL (GFX10.1 and GFX10.3): what a subgroup holds.
fn vgt_gs_onchip_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let group = inputs.front.group;
    on_gfx!(inputs.gfx, r => {
        Gfx10x => {
            type R = r::VgtGsOnchipCntl;
            Some(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::ES_VERTS_PER_SUBGRP, group.hardware_vertices, "vertices of a subgroup; GFX10.1 must still fit one more primitive after its check")
                .set(R::GS_PRIMS_PER_SUBGRP, group.primitives, "primitives of a subgroup")
                .set(R::GS_INST_PRIMS_IN_SUBGRP, group.primitives * group.invocations, "primitives of a subgroup, once for each invocation"))
        },
        Gfx9 | Gfx11x | Gfx12 => None,
    })
}

/// GE_NGG_SUBGRP_CNTL: primitives that one primitive may become.
fn ge_ngg_subgrp_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let group = inputs.front.group;
    let rule = match group.max_emitted {
        None => "no geometry shader: a primitive stays one",
        Some(_) => "vertices of a geometry shader's invocation, or primitives of a mesh shader's workgroup",
    };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10x | Gfx11x | Gfx12 => {
            type R = r::GeNggSubgrpCntl;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::PRIM_AMP_FACTOR, group.amplification, rule);
            Some(word.set(R::THDS_PER_SUBGRP, 0u32, "hardware counts threads itself"))
        },
    })
}

/// GE_MAX_OUTPUT_PER_SUBGROUP.
fn ge_max_output_per_subgroup<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let group = inputs.front.group;
    let rule = if group.max_emitted.is_none() { "each vertex is exported once" } else { "vertices that a subgroup emits at most" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10x | Gfx11x | Gfx12 => {
            type R = r::GeMaxOutputPerSubgroup;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::MAX_VERTS_PER_SUBGROUP, group.output_vertices, rule))
        },
    })
}

/// VGT_GS_INSTANCE_CNT: invocations of a geometry shader; without one as with one invocation.
fn vgt_gs_instance_cnt<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let group = inputs.front.group;
    let rule = if inputs.desc.geometry.is_some() { "invocations of the geometry shader" } else { "one geometry instance" };
    let alone = "whether invocations have separate subgroups: all of a primitive emit more than 256 vertices, or do not fit into LDS";
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10x | Gfx11x | Gfx12 => {
            type R = r::VgtGsInstanceCnt;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::CNT, group.invocations, rule).set(R::ENABLE, group.invocations > 1, rule);
            Some(word.set(R::EN_MAX_VERT_OUT_PER_GS_INSTANCE, group.one_invocation_each, alone))
        },
    })
}

/// VGT_GS_MAX_VERT_OUT, where something emits vertices.
fn vgt_gs_max_vert_out<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let emitted = inputs.front.group.max_emitted?;
    let rule = "vertices that an invocation emits; for a mesh shader of GFX10.3 threads of the workgroup";
    on_gfx!(inputs.gfx, r => Some(Word::new(On::<r::VgtGsMaxVertOut, { r::GFX }>::SLOT).set(r::VgtGsMaxVertOut::MAX_VERT_OUT, emitted, rule)))
}

pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(spi_shader_pgm_rsrc1_gs(inputs));
    sheet.add(spi_shader_pgm_rsrc2_gs(inputs));
    sheet.add(spi_shader_pgm_rsrc3_gs(inputs));
    sheet.add(spi_shader_pgm_rsrc4_gs(inputs));
    sheet.add(spi_shader_idx_format(inputs));
    sheet.add(vgt_gs_onchip_cntl(inputs));
    sheet.add(ge_ngg_subgrp_cntl(inputs));
    sheet.add(ge_max_output_per_subgroup(inputs));
    sheet.add(vgt_gs_instance_cnt(inputs));
    sheet.add(vgt_gs_max_vert_out(inputs));
}
