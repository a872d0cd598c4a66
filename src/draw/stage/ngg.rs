//! Vertex work as next-generation geometry, without a geometry shader (GFX10 and later).
//!
//! Rules: Mesa 25.0.7 radv_shader.c, radv_shader_info.c (gfx10_get_ngg_info), radv_pipeline_graphics.c; captures of three generations agree.

use crate::draw::image::{Image, Word};
use crate::draw::inputs::Inputs;
use crate::draw::stage::late_alloc::{LateAlloc, late_alloc};
use crate::draw::stage::limits;
use crate::draw::stage::rsrc::{MEM_ORDERED, rsrc1, rsrc1_until_gfx11, user_sgprs};
use crate::draw::stage::vertex::VertexPath;

/// Late waves of the geometry stage.
pub(crate) fn late(inputs: &Inputs<'_>) -> LateAlloc {
    let stage = &inputs.desc.vertex;
    late_alloc(inputs.chip, inputs.board(), true, stage.culling, stage.program.scratch_bytes != 0)
}

/// SPI_SHADER_PGM_LO_ES and HI_ES: the program's address in units of 256 bytes. The geometry stage starts at the export shader's address.
fn program(inputs: &Inputs<'_>, image: &mut Image) {
    let Some(address) = inputs.desc.vertex.program.address else { return };
    let (lo, hi) = ((address >> 8) as u32, (address >> 40) as u32);
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {},
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            type Lo = r::SpiShaderPgmLoEs;
            type Hi = r::SpiShaderPgmHiEs;
            image.add(Word::new::<Lo>(inputs.gfx).map(|w| w.set(Lo::MEM_BASE, lo, "address of the program >> 8")));
            image.add(Word::new::<Hi>(inputs.gfx).map(|w| w.set(Hi::MEM_BASE, hi, "address of the program >> 40")));
        },
    });
}

/// SPI_SHADER_PGM_RSRC1_GS: registers, modes, and how many inputs of a primitive are loaded.
fn spi_shader_pgm_rsrc1_gs(inputs: &Inputs<'_>) -> Option<Word> {
    let stage = &inputs.desc.vertex;
    let program = &stage.program;
    let vgprs = program.vgprs.max(crate::draw::stage::registers::vertex_wave(stage, VertexPath::Ngg, inputs.chip).vgprs.len());
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
fn spi_shader_pgm_rsrc2_gs(inputs: &Inputs<'_>) -> Option<Word> {
    let stage = &inputs.desc.vertex;
    let (program, components) = (&stage.program, stage.vertex_components(VertexPath::Ngg, inputs.gfx));
    let scratch = program.scratch_bytes != 0;
    let rule = if scratch { "the program uses scratch" } else { "the program uses no scratch" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            type R = r::SpiShaderPgmRsrc2Gs;
            let word = user_sgprs!(Word::new::<R>(inputs.gfx)?, r::SpiShaderPgmRsrc2Gs, program);
            let word = word.set(R::SCRATCH_EN, scratch, rule).set(R::SHARED_VGPR_CNT, program.shared_vgprs / 8, "blocks of 8 shared VGPRs");
            let word = word.set(R::ES_VGPR_COMP_CNT, components, "last of the vertex's inputs that the program reads");
            Some(word.set(R::LDS_SIZE, limits::lds_field(program.lds_bytes), "LDS of the subgroup in blocks of 512 bytes"))
        },
    })
}

/// SPI_SHADER_PGM_RSRC3_GS: CUs, wave limit until GFX11.5.
fn spi_shader_pgm_rsrc3_gs(inputs: &Inputs<'_>) -> Option<Word> {
    let program = &inputs.desc.vertex.program;
    let limit = limits::wave_limit_field(program.wave_limit);
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 => {
            type R = r::SpiShaderPgmRsrc3Gs;
            let late = late(inputs);
            let cus = late.start_mask(program.cu_mask);
            Some(Word::new::<R>(inputs.gfx)?.set(R::CU_EN, cus, late.rule).set(R::WAVE_LIMIT, limit, "wave limit of the program, 63 for none"))
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc3Gs;
            let rule = "GFX12 masks no CU for late allocation (Mesa 2026)";
            Some(Word::new::<R>(inputs.gfx)?.set(R::CU_EN, program.cu_mask.unwrap_or(u32::MAX), rule))
        },
    })
}

/// SPI_SHADER_PGM_RSRC4_GS: CUs from 16 up, late waves.
fn spi_shader_pgm_rsrc4_gs(inputs: &Inputs<'_>) -> Option<Word> {
    let high = inputs.desc.vertex.program.cu_mask.map_or(0xFFFF, |mask| mask >> 16);
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 => {
            type R = r::SpiShaderPgmRsrc4Gs;
            let late = late(inputs);
            Some(Word::new::<R>(inputs.gfx)?.set(R::CU_EN, high, "CUs 16 to 31").set(R::SPI_SHADER_LATE_ALLOC_GS, late.waves, late.rule))
        },
        Gfx11 | Gfx115 => {
            type R = r::SpiShaderPgmRsrc4Gs;
            let late = late(inputs);
            Some(Word::new::<R>(inputs.gfx)?.set(R::CU_EN, high & 1, "CU 16").set(R::SPI_SHADER_LATE_ALLOC_GS, late.waves, late.rule))
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc4Gs;
            Some(Word::new::<R>(inputs.gfx)?
                .set(R::WAVE_LIMIT, 0x3FFu32, "no limit: drivers write the largest")
                // Mesa 2026 radeonsi; unverified.
                .set(R::GLG_FORCE_DISABLE, true, "no group launch guarantee")
                .set(R::SPI_SHADER_LATE_ALLOC_GS, 127u32, "GFX12 allows all late waves (PAL 04/2025)"))
        },
    })
}

/// SPI_SHADER_IDX_FORMAT: the primitive export is one dword.
fn spi_shader_idx_format(inputs: &Inputs<'_>) -> Option<Word> {
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            type R = r::SpiShaderIdxFormat;
            Some(Word::new::<R>(inputs.gfx)?.set(R::IDX0_EXPORT_FORMAT, 1u32, "SPI_SHADER_1COMP: a primitive is exported as one dword"))
        },
    })
}

/// VGT_GS_ONCHIP_CNTL (GFX10.1 and GFX10.3): what a subgroup holds.
fn vgt_gs_onchip_cntl(inputs: &Inputs<'_>) -> Option<Word> {
    let subgroup = inputs.desc.vertex.subgroup;
    let vertices = subgroup.hardware_vertices(inputs.gfx);
    on_gfx!(inputs.gfx, r => {
        Gfx10 | Gfx103 => {
            type R = r::VgtGsOnchipCntl;
            Some(Word::new::<R>(inputs.gfx)?
                .set(R::ES_VERTS_PER_SUBGRP, vertices, "vertices of a subgroup; GFX10.1 must still fit a primitive behind its check")
                .set(R::GS_PRIMS_PER_SUBGRP, subgroup.primitives, "primitives of a subgroup")
                .set(R::GS_INST_PRIMS_IN_SUBGRP, subgroup.primitives, "one geometry instance each"))
        },
        Gfx9 | Gfx11 | Gfx115 | Gfx12 => None,
    })
}

/// VERT_GRP_SIZE of GFX10: on GFX10.1 five less than what a subgroup holds, or the geometry engine hangs; 256 switches grouping off and needs nothing
/// (Mesa 25.0.7, PAL 04/2025).
fn vertex_group(inputs: &Inputs<'_>) -> (u32, &'static str) {
    let vertices = inputs.desc.vertex.subgroup.hardware_vertices(inputs.gfx);
    // PAL 04/2025 CalcGeCntl: smaller groups hang, 256 switches grouping off.
    let (least, margin) = if inputs.gfx.version() == (10, 1) { (24, 5) } else { (29, 0) };
    if vertices < least + margin {
        return (256, "vertices are not grouped: groups as small as this subgroup would hang the geometry engine");
    }
    match inputs.gfx.version() {
        (10, 1) if vertices != 256 => (vertices - 5, "GFX10.1: five vertices less than VGT_GS_ONCHIP_CNTL says, else the geometry engine can hang"),
        _ => (vertices, "vertices of a subgroup"),
    }
}

/// GE_CNTL: what goes into a subgroup.
fn ge_cntl(inputs: &Inputs<'_>) -> Option<Word> {
    let subgroup = inputs.desc.vertex.subgroup;
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 => {
            type R = r::GeCntl;
            let (vertices, rule) = vertex_group(inputs);
            Some(Word::new::<R>(inputs.gfx)?.set(R::PRIM_GRP_SIZE, subgroup.primitives, "primitives of a subgroup").set(R::VERT_GRP_SIZE, vertices, rule))
        },
        Gfx11 | Gfx115 => {
            type R = r::GeCntl;
            Some(Word::new::<R>(inputs.gfx)?
                .set(R::PRIMS_PER_SUBGRP, subgroup.primitives, "primitives of a subgroup")
                .set(R::VERTS_PER_SUBGRP, subgroup.vertices, "vertices of a subgroup")
                .set(R::PRIM_GRP_SIZE, 252u32, "256 works, but is slower (Mesa 25.0.7, captures)"))
        },
        Gfx12 => {
            type R = r::GeCntl;
            // Mesa 2026 radeonsi; unverified.
            Some(Word::new::<R>(inputs.gfx)?
                .set(R::PRIMS_PER_SUBGRP, subgroup.primitives, "primitives of a subgroup")
                .set(R::VERTS_PER_SUBGRP, subgroup.vertices, "vertices of a subgroup")
                .set(R::PRIM_GRP_SIZE, 256u32, "GFX12")
                .set(R::DIS_PG_SIZE_ADJUST_FOR_STRIP, true, "GFX12"))
        },
    })
}

/// GE_NGG_SUBGRP_CNTL: no amplification without a geometry shader.
fn ge_ngg_subgrp_cntl(inputs: &Inputs<'_>) -> Option<Word> {
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            type R = r::GeNggSubgrpCntl;
            let word = Word::new::<R>(inputs.gfx)?.set(R::PRIM_AMP_FACTOR, 1u32, "no geometry shader: a primitive stays one");
            Some(word.set(R::THDS_PER_SUBGRP, 0u32, "hardware counts threads itself"))
        },
    })
}

/// GE_MAX_OUTPUT_PER_SUBGROUP.
fn ge_max_output_per_subgroup(inputs: &Inputs<'_>) -> Option<Word> {
    let vertices = inputs.desc.vertex.subgroup.vertices;
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            type R = r::GeMaxOutputPerSubgroup;
            Some(Word::new::<R>(inputs.gfx)?.set(R::MAX_VERTS_PER_SUBGROUP, vertices, "each vertex is exported once"))
        },
    })
}

/// VGT_GS_INSTANCE_CNT: one instance of a geometry shader that is not there.
fn vgt_gs_instance_cnt(inputs: &Inputs<'_>) -> Option<Word> {
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            type R = r::VgtGsInstanceCnt;
            Some(Word::new::<R>(inputs.gfx)?.set(R::CNT, 1u32, "one geometry instance").set(R::ENABLE, false, "one geometry instance"))
        },
    })
}

/// SPI_SHADER_USER_DATA_GS_n.
fn user_data(inputs: &Inputs<'_>, image: &mut Image) {
    for (index, value) in (0..).zip(&inputs.desc.vertex.program.user_data) {
        let Some(value) = *value else { continue };
        on_gfx!(inputs.gfx, r => {
            Gfx9 => {},
            Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
                type R = r::SpiShaderUserDataGs;
                image.add(Word::element::<R>(inputs.gfx, index).map(|word| word.set(R::DATA, value, "user data of the vertex program")));
            },
        });
    }
}

pub(crate) fn add(inputs: &Inputs<'_>, image: &mut Image) {
    program(inputs, image);
    image.add(spi_shader_pgm_rsrc1_gs(inputs));
    image.add(spi_shader_pgm_rsrc2_gs(inputs));
    image.add(spi_shader_pgm_rsrc3_gs(inputs));
    image.add(spi_shader_pgm_rsrc4_gs(inputs));
    image.add(spi_shader_idx_format(inputs));
    image.add(vgt_gs_onchip_cntl(inputs));
    image.add(ge_cntl(inputs));
    image.add(ge_ngg_subgrp_cntl(inputs));
    image.add(ge_max_output_per_subgroup(inputs));
    image.add(vgt_gs_instance_cnt(inputs));
    user_data(inputs, image);
}
