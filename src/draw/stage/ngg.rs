//! Vertex work as next-generation geometry, without a geometry shader (GFX10 and later).
//!
//! Rules: Mesa 25.0.7 radv_shader.c, radv_shader_info.c (gfx10_get_ngg_info), radv_pipeline_graphics.c; captures of three generations agree.

use crate::draw::inputs::Inputs;
use crate::draw::sheet::{Sheet, Why, Word};
use crate::draw::stage::late_alloc::{late, vertex_cus};
use crate::draw::stage::resource_units;
use crate::draw::stage::rsrc::{MEM_ORDERED, rsrc1, rsrc1_until_gfx11, user_sgprs};
use crate::draw::stage::vertex::VertexPath;
use crate::draw::stage::wave_start::vertex_vgprs;

/// SPI_SHADER_PGM_RSRC1_GS: registers, modes, and how many inputs of a primitive are loaded.
fn spi_shader_pgm_rsrc1_gs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let stage = &inputs.desc.vertex;
    let program = &stage.program;
    let vgprs = program.vgprs.max(vertex_vgprs(stage, VertexPath::Ngg, inputs.gfx));
    let components = stage.primitive_components(inputs.gfx);
    let rule = match (stage.exports_primitive_id, stage.culling) {
        (true, _) => "the primitive's index is exported",
        (false, true) => "culling reads the offsets of all three vertices",
        (false, false) => "a primitive that passes through is one VGPR",
    };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Gs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Gs, program);
            type R = r::SpiShaderPgmRsrc1Gs;
            let word = word.set(R::MEM_ORDERED, true, MEM_ORDERED).set(R::WGP_MODE, true, "GFX10.1 spreads subgroups over a WGP");
            Some(word.set(R::GS_VGPR_COMP_CNT, components, rule))
        },
        Gfx103 | Gfx11 | Gfx115 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Gs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Gs, program);
            type R = r::SpiShaderPgmRsrc1Gs;
            let word = word.set(R::MEM_ORDERED, true, MEM_ORDERED).set(R::WGP_MODE, false, "hangs from GFX10.3 on while one CU of the array is masked");
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
fn spi_shader_pgm_rsrc2_gs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let stage = &inputs.desc.vertex;
    let (program, components) = (&stage.program, stage.vertex_components(VertexPath::Ngg, inputs.gfx));
    let scratch = program.scratch_bytes != 0;
    let rule = if scratch { "the program uses scratch" } else { "the program uses no scratch" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            type R = r::SpiShaderPgmRsrc2Gs;
            let word = user_sgprs!(Word::new::<R, { r::GFX }>(), r::SpiShaderPgmRsrc2Gs, program);
            let word = word.set(R::SCRATCH_EN, scratch, rule).set(R::SHARED_VGPR_CNT, program.shared_vgprs / 8, "blocks of 8 shared VGPRs");
            let word = word.set(R::ES_VGPR_COMP_CNT, components, "last of the vertex's inputs that the program reads");
            Some(word.set(R::LDS_SIZE, resource_units::lds_field(program.lds_bytes), "LDS of the subgroup in blocks of 512 bytes"))
        },
    })
}

/// SPI_SHADER_PGM_RSRC3_GS: CUs, wave limit until GFX11.5.
fn spi_shader_pgm_rsrc3_gs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let program = &inputs.desc.vertex.program;
    let limit = resource_units::wave_limit_field(program.wave_limit);
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 => {
            type R = r::SpiShaderPgmRsrc3Gs;
            let late = late(inputs);
            let cus = late.start_mask(program.cu_mask);
            Some(Word::new::<R, { r::GFX }>().set(R::CU_EN, cus, late.rule).set(R::WAVE_LIMIT, limit, "wave limit of the program, 63 for none"))
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc3Gs;
            let rule = "CUs 1 and 9 are left to pixel waves, else a deadlock";
            Some(Word::new::<R, { r::GFX }>().set(R::CU_EN, vertex_cus(inputs.chip, program.cu_mask), rule))
        },
    })
}

/// SPI_SHADER_PGM_RSRC4_GS: CUs from 16 up, late waves.
fn spi_shader_pgm_rsrc4_gs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let high = inputs.desc.vertex.program.cu_mask.map_or(0xFFFF, |mask| mask >> 16);
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 => {
            type R = r::SpiShaderPgmRsrc4Gs;
            let late = late(inputs);
            Some(Word::new::<R, { r::GFX }>().set(R::CU_EN, high, "CUs 16 to 31").set(R::SPI_SHADER_LATE_ALLOC_GS, late.waves, late.rule))
        },
        Gfx11 | Gfx115 => {
            type R = r::SpiShaderPgmRsrc4Gs;
            let late = late(inputs);
            Some(Word::new::<R, { r::GFX }>().set(R::CU_EN, high & 1, "CU 16").set(R::SPI_SHADER_LATE_ALLOC_GS, late.waves, late.rule))
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc4Gs;
            Some(Word::new::<R, { r::GFX }>()
                .set(R::WAVE_LIMIT, 0x3FFu32, "no limit: drivers write the largest")
                .set(R::GLG_FORCE_DISABLE, true, "no group launch guarantee (Mesa 25.0.7, PAL 04/2025)")
                .set(R::SPI_SHADER_LATE_ALLOC_GS, 127u32, "GFX12 allows all late waves (PAL 04/2025)"))
        },
    })
}

/// SPI_SHADER_IDX_FORMAT: the primitive export is one dword.
fn spi_shader_idx_format<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            type R = r::SpiShaderIdxFormat;
            Some(Word::new::<R, { r::GFX }>().set(R::IDX0_EXPORT_FORMAT, r::SpiShaderFormat::SPI_SHADER_1COMP, "SPI_SHADER_1COMP: a primitive is exported as one dword"))
        },
    })
}

/// VGT_GS_ONCHIP_CNTL (GFX10.1 and GFX10.3): what a subgroup holds.
fn vgt_gs_onchip_cntl<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let subgroup = inputs.desc.vertex.subgroup;
    let vertices = subgroup.hardware_vertices(inputs.gfx, inputs.desc.topology);
    on_gfx!(inputs.gfx, r => {
        Gfx10 | Gfx103 => {
            type R = r::VgtGsOnchipCntl;
            Some(Word::new::<R, { r::GFX }>()
                .set(R::ES_VERTS_PER_SUBGRP, vertices, "vertices of a subgroup; GFX10.1 must still fit a primitive behind its check")
                .set(R::GS_PRIMS_PER_SUBGRP, subgroup.primitives, "primitives of a subgroup")
                .set(R::GS_INST_PRIMS_IN_SUBGRP, subgroup.primitives, "one geometry instance each"))
        },
        Gfx9 | Gfx11 | Gfx115 | Gfx12 => None,
    })
}

/// GE_NGG_SUBGRP_CNTL: no amplification without a geometry shader.
fn ge_ngg_subgrp_cntl<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            type R = r::GeNggSubgrpCntl;
            let word = Word::new::<R, { r::GFX }>().set(R::PRIM_AMP_FACTOR, 1u32, "no geometry shader: a primitive stays one");
            Some(word.set(R::THDS_PER_SUBGRP, 0u32, "hardware counts threads itself"))
        },
    })
}

/// GE_MAX_OUTPUT_PER_SUBGROUP.
fn ge_max_output_per_subgroup<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let vertices = inputs.desc.vertex.subgroup.vertices;
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            type R = r::GeMaxOutputPerSubgroup;
            Some(Word::new::<R, { r::GFX }>().set(R::MAX_VERTS_PER_SUBGROUP, vertices, "each vertex is exported once"))
        },
    })
}

/// VGT_GS_INSTANCE_CNT: one instance of a geometry shader that is not there.
fn vgt_gs_instance_cnt<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            type R = r::VgtGsInstanceCnt;
            Some(Word::new::<R, { r::GFX }>().set(R::CNT, 1u32, "one geometry instance").set(R::ENABLE, false, "one geometry instance"))
        },
    })
}

pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(spi_shader_pgm_rsrc1_gs(inputs));
    sheet.add(spi_shader_pgm_rsrc2_gs(inputs));
    sheet.add(spi_shader_pgm_rsrc3_gs(inputs));
    sheet.add(spi_shader_pgm_rsrc4_gs(inputs));
    sheet.add(spi_shader_idx_format(inputs));
    sheet.add(vgt_gs_onchip_cntl(inputs));
    sheet.add(ge_ngg_subgrp_cntl(inputs));
    sheet.add(ge_max_output_per_subgroup(inputs));
    sheet.add(vgt_gs_instance_cnt(inputs));
}
