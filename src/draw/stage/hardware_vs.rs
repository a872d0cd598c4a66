//! Vertex work on the hardware VS (GFX9 to GFX10.3).

use crate::draw::inputs::Inputs;
use crate::draw::sheet::{Sheet, Why, Word};
use crate::draw::stage::late_alloc::late;
use crate::draw::stage::resource_units;
use crate::draw::stage::rsrc::{MEM_ORDERED, rsrc1, rsrc1_until_gfx11, user_sgprs};
use crate::draw::stage::vertex::VertexPath;

/// SPI_SHADER_PGM_RSRC1_VS: registers, modes, and how many inputs of a vertex are loaded.
fn spi_shader_pgm_rsrc1_vs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let stage = &inputs.desc.vertex;
    let components = stage.vertex_components(VertexPath::Hardware, inputs.gfx);
    let rule = "last of the vertex's inputs that the program reads";
    let program = &stage.program;
    let vgprs = program.vgprs.max(components + 1);
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Vs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Vs, program);
            Some(word.set(r::SpiShaderPgmRsrc1Vs::VGPR_COMP_CNT, components, rule))
        },
        Gfx10 | Gfx103 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Vs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Vs, program);
            type R = r::SpiShaderPgmRsrc1Vs;
            Some(word.set(R::VGPR_COMP_CNT, components, rule).set(R::MEM_ORDERED, true, MEM_ORDERED))
        },
        Gfx11 | Gfx115 | Gfx12 => None,
    })
}

/// SPI_SHADER_PGM_RSRC2_VS: user SGPRs, scratch. No streamout.
fn spi_shader_pgm_rsrc2_vs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let program = &inputs.desc.vertex.program;
    let scratch = program.scratch_bytes != 0;
    let rule = if scratch { "the program uses scratch" } else { "the program uses no scratch" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            let word = user_sgprs!(Word::new::<r::SpiShaderPgmRsrc2Vs, { r::GFX }>(), r::SpiShaderPgmRsrc2Vs, program);
            Some(word.set(r::SpiShaderPgmRsrc2Vs::SCRATCH_EN, scratch, rule))
        },
        Gfx10 | Gfx103 => {
            type R = r::SpiShaderPgmRsrc2Vs;
            let word = user_sgprs!(Word::new::<R, { r::GFX }>(), r::SpiShaderPgmRsrc2Vs, program);
            Some(word.set(R::SCRATCH_EN, scratch, rule).set(R::SHARED_VGPR_CNT, program.shared_vgprs / 8, "blocks of 8 shared VGPRs"))
        },
        Gfx11 | Gfx115 | Gfx12 => None,
    })
}

/// SPI_SHADER_PGM_RSRC3_VS: CUs, wave limit.
fn spi_shader_pgm_rsrc3_vs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let (late, program) = (late(inputs), &inputs.desc.vertex.program);
    let cus = late.start_mask(program.cu_mask);
    let limit = resource_units::wave_limit_field(program.wave_limit);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 => {
            type R = r::SpiShaderPgmRsrc3Vs;
            Some(Word::new::<R, { r::GFX }>().set(R::CU_EN, cus, late.rule).set(R::WAVE_LIMIT, limit, "wave limit of the program, 63 for none"))
        },
        Gfx11 | Gfx115 | Gfx12 => None,
    })
}

/// SPI_SHADER_LATE_ALLOC_VS.
fn spi_shader_late_alloc_vs<S: Why>(inputs: &Inputs<'_>) -> Option<Word<S>> {
    let late = late(inputs);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 => {
            type R = r::SpiShaderLateAllocVs;
            Some(Word::new::<R, { r::GFX }>().set(R::LIMIT, late.waves, late.rule))
        },
        Gfx11 | Gfx115 | Gfx12 => None,
    })
}

pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(spi_shader_pgm_rsrc1_vs(inputs));
    sheet.add(spi_shader_pgm_rsrc2_vs(inputs));
    sheet.add(spi_shader_pgm_rsrc3_vs(inputs));
    sheet.add(spi_shader_late_alloc_vs(inputs));
}
