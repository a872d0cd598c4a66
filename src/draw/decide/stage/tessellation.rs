//! Registers of tessellation: the merged program of vertex and control shader, and the tessellator.
//!
//! Rules: Mesa 25.0.7 ac_get_hs_info, radv_emit_patch_control_points, radv_emit_tess_domain_origin, radv_shader.c; captures of four boards agree.

use crate::chip::{Erratum, Gfx};
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::decide::stage::rsrc::{self, memory_order, rsrc1, rsrc1_until_gfx11, user_sgprs};
use crate::draw::desc::topology::Class;
use crate::draw::desc::{Program, Tessellation, Winding, resource_units};
use crate::draw::programs::wave_start::hull_vgprs;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// SPI_SHADER_PGM_RSRC1_HS: registers, modes, and how many inputs of a vertex are loaded.
fn spi_shader_pgm_rsrc1_hs<S: Why>(inputs: &DrawInputs<'_>, stage: &Tessellation) -> Word<S> {
    let (program, components) = (&stage.program, stage.vertex_components(inputs.gfx));
    let vgprs = program.vgprs.max(hull_vgprs(stage, inputs.gfx));
    let rule = "last of the vertex's inputs that the vertex shader reads";
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Hs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Hs, program);
            word.set(r::SpiShaderPgmRsrc1Hs::LS_VGPR_COMP_CNT, components, rule)
        },
        Gfx10x | Gfx11x => {
            type R = r::SpiShaderPgmRsrc1Hs;
            let word = rsrc1!(r::SpiShaderPgmRsrc1Hs, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Hs, program);
            memory_order!(word, r::SpiShaderPgmRsrc1Hs, inputs.gfx, program).set(R::WGP_MODE, true, WGP).set(R::LS_VGPR_COMP_CNT, components, rule)
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc1Hs;
            let word = rsrc1!(r::SpiShaderPgmRsrc1Hs, inputs.gfx, program, vgprs);
            word.set(R::WGP_MODE, true, WGP).set(R::LS_VGPR_COMP_CNT, components, rule)
        },
    })
}

const WGP: &str = "workgroups of patches may spread over a WGP (captures)";

/// SPI_SHADER_PGM_RSRC2_HS: user SGPRs, scratch, LDS of all patches of a workgroup.
fn spi_shader_pgm_rsrc2_hs<S: Why>(inputs: &DrawInputs<'_>, stage: &Tessellation) -> Word<S> {
    let (program, group) = (&stage.program, stage.group());
    let scratch = program.scratch_bytes != 0;
    let scratch_rule = if scratch { "the program uses scratch" } else { "the program uses no scratch" };
    let lds_rule = "LDS of the workgroup's patches in blocks of 512 bytes";
    let lds = resource_units::lds_field(group.lds_bytes);
    on_gfx!(inputs.gfx, r => {
        type R = r::SpiShaderPgmRsrc2Hs;
        let word = user_sgprs!(Word::new(On::<R, { r::GFX }>::SLOT), r::SpiShaderPgmRsrc2Hs, program);
        word.set(R::SCRATCH_EN, scratch, scratch_rule).set(R::LDS_SIZE, lds, lds_rule)
    })
}

/// SHARED_VGPR_CNT of SPI_SHADER_PGM_RSRC2_HS, which GFX9 lacks.
fn shared_vgprs<S: Why>(inputs: &DrawInputs<'_>, stage: &Tessellation, word: Word<S>) -> Word<S> {
    on_gfx!(inputs.gfx, r => {
        Gfx9 => word,
        Gfx10x | Gfx11x | Gfx12 => {
            word.set(r::SpiShaderPgmRsrc2Hs::SHARED_VGPR_CNT, stage.program.shared_vgprs / 8, "blocks of 8 shared VGPRs")
        },
    })
}

/// SPI_SHADER_PGM_RSRC3_HS and RSRC4_HS: CUs, wave limit, prefetch of code.
fn cus<S: Why>(inputs: &DrawInputs<'_>, stage: &Tessellation, sheet: &mut Sheet<S>) {
    let program = &stage.program;
    let (mask, limit) = (program.cu_mask.unwrap_or(u32::MAX), resource_units::wave_limit_field(inputs.gfx, program.wave_limit));
    let prefetch = resource_units::prefetch_field(inputs.gfx, program.prefetch_bytes);
    let (rule, limit_rule) = ("CUs of the program, all without a mask", resource_units::wave_limit_rule(inputs.gfx, program.wave_limit));
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::SpiShaderPgmRsrc3Hs;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, mask & 0xFFFF, rule).set(R::WAVE_LIMIT, limit, limit_rule));
        },
        Gfx10x => {
            type R = r::SpiShaderPgmRsrc3Hs;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, mask & 0xFFFF, rule).set(R::WAVE_LIMIT, limit, limit_rule));
            sheet.add(Word::new(On::<r::SpiShaderPgmRsrc4Hs, { r::GFX }>::SLOT).set(r::SpiShaderPgmRsrc4Hs::CU_EN, mask >> 16, "CUs 16 to 31"));
        },
        Gfx11x => {
            type R = r::SpiShaderPgmRsrc3Hs;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, mask & 0xFFFF, rule).set(R::WAVE_LIMIT, limit, limit_rule));
            type R4 = r::SpiShaderPgmRsrc4Hs;
            let word = Word::new(On::<R4, { r::GFX }>::SLOT).set(R4::CU_EN, mask >> 16, "CUs 16 to 31");
            sheet.add(word.set(R4::INST_PREF_SIZE, prefetch, resource_units::PREFETCH));
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc4Hs;
            sheet.add(Word::new(On::<r::SpiShaderPgmRsrc3Hs, { r::GFX }>::SLOT).set(r::SpiShaderPgmRsrc3Hs::CU_EN, mask, rule));
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::WAVE_LIMIT, limit, limit_rule)
                .set(R::GLG_FORCE_DISABLE, true, "no group launch guarantee (Mesa 25.0.7, PAL 04/2025)")
                .set(R::INST_PREF_SIZE, prefetch, resource_units::PREFETCH));
        },
    });
}

/// The program's address and user data.
fn program<S: Why>(inputs: &DrawInputs<'_>, program: &Program, sheet: &mut Sheet<S>) {
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            rsrc::address!(sheet, r, SpiShaderPgmLoLs, SpiShaderPgmHiLs, program);
            rsrc::address_pair!(sheet, r, SpiShaderUserDataAddrLoHs, SpiShaderUserDataAddrHiHs, program);
            rsrc::user_data!(sheet, r, SpiShaderUserDataLs, program);
        },
        Gfx10x => {
            rsrc::address!(sheet, r, SpiShaderPgmLoLs, SpiShaderPgmHiLs, program);
            rsrc::address_pair!(sheet, r, SpiShaderUserDataAddrLoHs, SpiShaderUserDataAddrHiHs, program);
            rsrc::user_data!(sheet, r, SpiShaderUserDataHs, program);
        },
        Gfx11x | Gfx12 => {
            rsrc::address!(sheet, r, SpiShaderPgmLoLs, SpiShaderPgmHiLs, program);
            rsrc::address_pair!(sheet, r, SpiShaderPgmLoHs, SpiShaderPgmHiHs, program);
            rsrc::user_data!(sheet, r, SpiShaderUserDataHs, program);
        },
    });
}

/// VGT_LS_HS_CONFIG: patches of a workgroup, control points.
fn vgt_ls_hs_config<S: Why>(inputs: &DrawInputs<'_>, stage: &Tessellation) -> Word<S> {
    let (patches, output) = (stage.group().patches, "control points that the control shader makes");
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            type R = r::VgtLsHsConfig;
            Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::NUM_PATCHES, patches, PATCHES)
                .set(R::HS_NUM_INPUT_CP, stage.input_points, "control points of a patch")
                .set(R::HS_NUM_OUTPUT_CP, stage.output_points, output)
        },
        Gfx12 => {
            type R = r::VgtLsHsConfig;
            Word::new(On::<R, { r::GFX }>::SLOT).set(R::NUM_PATCHES, patches, PATCHES).set(R::HS_NUM_OUTPUT_CP, stage.output_points, output)
        },
    })
}

const PATCHES: &str = "patches of a workgroup, by threads, LDS and off-chip memory";

/// Returns whether patches are distributed among shader engines, and why: on all boards with more than one (Mesa 25.0.7 has_distributed_tess). Where the board
/// is not known, chips of GFX9 that may rasterize out of order have several.
pub(crate) fn distributes(inputs: &DrawInputs<'_>) -> (bool, &'static str) {
    let several = inputs.board.map_or(inputs.chip.info().out_of_order_rasterization, |board| board.shader_engines > 1);
    if inputs.chip.has(Erratum::TessellationToOneAssembler) && inputs.reads_line_stipple() {
        (false, Erratum::TessellationToOneAssembler.doc())
    } else if inputs.gfx.major() >= 10 || several {
        (true, "trapezoids are distributed among the shader engines")
    } else {
        (false, "one shader engine")
    }
}

/// VGT_TF_PARAM: what the tessellator makes, and where.
fn vgt_tf_param<S: Why>(inputs: &DrawInputs<'_>, stage: &Tessellation) -> Word<S> {
    let clockwise = (stage.winding == Winding::Clockwise) != stage.lower_left_origin;
    let (topology, rule) = match stage.class() {
        Class::Points => (0u32, "points alone"),
        Class::Lines => (1, "isolines"),
        Class::Polygons if clockwise => (2, "clockwise triangles, with the origin taken into account"),
        Class::Polygons => (3, "counter-clockwise triangles, with the origin taken into account"),
    };
    let (spread, spread_rule) = distributes(inputs);
    on_gfx!(inputs.gfx, r => {
        type R = r::VgtTfParam;
        let word = Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::TYPE, stage.domain as u32, "what a patch is")
            .set(R::PARTITIONING, stage.spacing as u32, "how edges are divided")
            .set(R::TOPOLOGY, topology, rule)
            .set(R::DISTRIBUTION_MODE, if spread { 3u32 } else { 0 }, spread_rule);
        temporal(inputs.gfx, word)
    })
}

/// VGT_TF_PARAM.TEMPORAL, which GFX12 has.
fn temporal<S: Why>(gfx: Gfx, word: Word<S>) -> Word<S> {
    on_gfx!(gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => word,
        Gfx12 => word.set(r::VgtTfParam::TEMPORAL, 3u32, "factors are read once (Mesa 25.0.7)"),
    })
}

/// Adds the registers of the merged program and of the tessellator, where the draw tessellates.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let Some(stage) = &inputs.desc.tessellation else { return };
    program(inputs, &stage.program, sheet);
    sheet.add(spi_shader_pgm_rsrc1_hs(inputs, stage));
    let rsrc2 = spi_shader_pgm_rsrc2_hs(inputs, stage);
    sheet.add(shared_vgprs(inputs, stage, rsrc2));
    cus(inputs, stage, sheet);
    sheet.add(vgt_ls_hs_config(inputs, stage));
    sheet.add(vgt_tf_param(inputs, stage));
}
