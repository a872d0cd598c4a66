//! Vertex work on the hardware VS (GFX9 to GFX10.3): the vertex program, the evaluation shader, or what copies a geometry shader's vertices from the ring.

use crate::draw::inputs::Inputs;
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::draw::stage::late_alloc::late;
use crate::draw::stage::resource_units;
use crate::draw::stage::rsrc::{memory_order, rsrc1, rsrc1_until_gfx11, user_sgprs};
use crate::draw::stage::shader_program::Program;

/// The program that runs there.
pub(crate) fn program<'a>(inputs: &Inputs<'a>) -> &'a Program {
    inputs.desc.geometry.as_ref().map_or(&inputs.desc.vertex.program, |shader| &shader.copy_program)
}

/// SPI_SHADER_PGM_RSRC1_VS: registers, modes, and how many inputs of a vertex are loaded.
fn spi_shader_pgm_rsrc1_vs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let (program, copies) = (program(inputs), inputs.desc.geometry.is_some());
    let components = if copies { 0 } else { inputs.front.vertex_components(inputs.desc, inputs.gfx) };
    let rule = if copies { "the copy program reads only the vertex's place in the ring" } else { "last of the vertex's inputs that the program reads" };
    let vgprs = program.vgprs.max(components + 1);
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Vs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Vs, program);
            Some(word.set(r::SpiShaderPgmRsrc1Vs::VGPR_COMP_CNT, components, rule))
        },
        Gfx10x => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Vs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Vs, program);
            type R = r::SpiShaderPgmRsrc1Vs;
            Some(memory_order!(word, r::SpiShaderPgmRsrc1Vs, inputs.gfx, program).set(R::VGPR_COMP_CNT, components, rule))
        },
        Gfx11x | Gfx12 => None,
    })
}

/// SPI_SHADER_PGM_RSRC2_VS: user SGPRs, scratch, streamout.
fn spi_shader_pgm_rsrc2_vs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let program = program(inputs);
    let offchip = inputs.desc.tessellation.is_some() && inputs.desc.geometry.is_none();
    let offchip_rule = if offchip { "the evaluation shader reads off-chip memory" } else { "no evaluation shader" };
    let scratch = program.scratch_bytes != 0;
    let rule = if scratch { "the program uses scratch" } else { "the program uses no scratch" };
    let buffers = inputs.desc.vertex.streamout.map_or(0, |streamout| streamout.buffers());
    let streams = if buffers == 0 { "the draw does not stream out" } else { "the draw streams out: the program gets the offset at which it continues" };
    /// Streamout, alike on all generations that have the stage.
    macro_rules! streamout {
        ($word:expr, $register:ty) => {{
            type R = $register;
            let all = [R::SO_BASE0_EN, R::SO_BASE1_EN, R::SO_BASE2_EN, R::SO_BASE3_EN];
            let word = $word.set(R::SO_EN, buffers != 0, streams);
            all.into_iter().enumerate().fold(word, |word, (at, field)| word.set(field, buffers >> at & 1 == 1, "buffers that are streamed to"))
        }};
    }
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            let word = user_sgprs!(Word::new(On::<r::SpiShaderPgmRsrc2Vs, { r::GFX }>::SLOT), r::SpiShaderPgmRsrc2Vs, program);
            let word = word.set(r::SpiShaderPgmRsrc2Vs::SCRATCH_EN, scratch, rule).set(r::SpiShaderPgmRsrc2Vs::OC_LDS_EN, offchip, offchip_rule);
            Some(streamout!(word, r::SpiShaderPgmRsrc2Vs))
        },
        Gfx10x => {
            type R = r::SpiShaderPgmRsrc2Vs;
            let word = user_sgprs!(Word::new(On::<R, { r::GFX }>::SLOT), r::SpiShaderPgmRsrc2Vs, program);
            let word = word.set(R::OC_LDS_EN, offchip, offchip_rule);
            let word = word.set(R::SCRATCH_EN, scratch, rule).set(R::SHARED_VGPR_CNT, program.shared_vgprs / 8, "blocks of 8 shared VGPRs");
            Some(streamout!(word, r::SpiShaderPgmRsrc2Vs))
        },
        Gfx11x | Gfx12 => None,
    })
}

/// SPI_SHADER_PGM_RSRC3_VS: CUs, wave limit.
fn spi_shader_pgm_rsrc3_vs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let (late, program) = (late(inputs), program(inputs));
    let cus = late.start_mask(program.cu_mask);
    let limit = resource_units::wave_limit_field(inputs.gfx, program.wave_limit);
    let limit_rule = resource_units::wave_limit_rule(inputs.gfx, program.wave_limit);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {
            type R = r::SpiShaderPgmRsrc3Vs;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, cus & 0xFFFF, late.rule).set(R::WAVE_LIMIT, limit, limit_rule))
        },
        Gfx11x | Gfx12 => None,
    })
}

/// SPI_SHADER_LATE_ALLOC_VS.
fn spi_shader_late_alloc_vs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let late = late(inputs);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {
            type R = r::SpiShaderLateAllocVs;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::LIMIT, late.waves, late.rule))
        },
        Gfx11x | Gfx12 => None,
    })
}

/// VGT_GS_ONCHIP_CNTL (GFX10.1 and GFX10.3): it counts for an evaluation shader on the hardware VS although nothing is on chip (Mesa 25.0.7 radv_shader.c).
fn vgt_gs_onchip_cntl<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let evaluates = inputs.desc.tessellation.is_some() && inputs.desc.geometry.is_none();
    let rule = "an evaluation shader on the hardware VS needs these numbers";
    on_gfx!(inputs.gfx, r => {
        Gfx10x => {
            type R = r::VgtGsOnchipCntl;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::ES_VERTS_PER_SUBGRP, 250u32, rule).set(R::GS_PRIMS_PER_SUBGRP, 126u32, rule);
            evaluates.then(|| word.set(R::GS_INST_PRIMS_IN_SUBGRP, 126u32, rule))
        },
        Gfx9 | Gfx11x | Gfx12 => None,
    })
}

pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(spi_shader_pgm_rsrc1_vs(inputs));
    sheet.add(spi_shader_pgm_rsrc2_vs(inputs));
    sheet.add(spi_shader_pgm_rsrc3_vs(inputs));
    sheet.add(spi_shader_late_alloc_vs(inputs));
    sheet.add(vgt_gs_onchip_cntl(inputs));
}
