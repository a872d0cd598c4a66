//! Geometry shaders without NGG (GFX9 to GFX10.3): the merged ES-GS program, and the ring that the copy program reads.
//!
//! Rules: Mesa 25.0.7 radv_precompute_registers_hw_gs, ac_vgt_gs_mode, radeonsi si_shader_gs; captures of Vega10.

use crate::draw::inputs::Inputs;
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::draw::stage::geometry_shader::{GeometryStage, LegacyGroup};
use crate::draw::stage::resource_units;
use crate::draw::stage::rsrc::{self, memory_order, rsrc1, rsrc1_until_gfx11, user_sgprs};
use crate::draw::stage::wave_start::vertex_vgprs;

/// SPI_SHADER_PGM_RSRC1_GS and RSRC2_GS: registers, modes, loaded inputs, LDS between both halves.
fn resources<S: Why>(inputs: &Inputs<'_>, group: LegacyGroup, sheet: &mut Sheet<S>) {
    let (desc, gfx) = (inputs.desc, inputs.gfx);
    let program = &desc.vertex.program;
    let vgprs = program.vgprs.max(vertex_vgprs(desc, inputs.path, gfx));
    let (primitive, vertex) = (inputs.front.primitive_components(desc, gfx), inputs.front.vertex_components(desc, gfx));
    let (of_primitive, of_vertex) = ("last of the primitive's inputs that the program reads", "last of the vertex's inputs that the program reads");
    let scratch = program.scratch_bytes != 0;
    let scratch_rule = if scratch { "the program uses scratch" } else { "the program uses no scratch" };
    let offchip = desc.tessellation.is_some();
    let offchip_rule = if offchip { "the evaluation shader reads off-chip memory" } else { "no tessellation" };
    let lds = resource_units::lds_field(group.lds_bytes + program.lds_bytes);
    let lds_rule = "LDS between vertices and primitives in blocks of 512 bytes";
    let wgp = "groups without late waves spread over a WGP (Mesa 25.0.7)";
    /// What GFX9 and later have alike in RSRC2_GS.
    macro_rules! rsrc2 {
        ($r:ident) => {{
            type R = $r::SpiShaderPgmRsrc2Gs;
            user_sgprs!(Word::new(On::<R, { $r::GFX }>::SLOT), $r::SpiShaderPgmRsrc2Gs, program)
                .set(R::SCRATCH_EN, scratch, scratch_rule)
                .set(R::ES_VGPR_COMP_CNT, vertex, of_vertex)
                .set(R::OC_LDS_EN, offchip, offchip_rule)
                .set(R::LDS_SIZE, lds, lds_rule)
        }};
    }
    on_gfx!(gfx, r => {
        Gfx9 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Gs, gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Gs, program);
            sheet.add(word.set(r::SpiShaderPgmRsrc1Gs::GS_VGPR_COMP_CNT, primitive, of_primitive));
            sheet.add(rsrc2!(r));
        },
        Gfx10x => {
            type R = r::SpiShaderPgmRsrc1Gs;
            let word = rsrc1!(r::SpiShaderPgmRsrc1Gs, gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Gs, program);
            let word = memory_order!(word, r::SpiShaderPgmRsrc1Gs, gfx, program).set(R::WGP_MODE, true, wgp);
            sheet.add(word.set(R::GS_VGPR_COMP_CNT, primitive, of_primitive));
            sheet.add(rsrc2!(r).set(r::SpiShaderPgmRsrc2Gs::SHARED_VGPR_CNT, program.shared_vgprs / 8, "blocks of 8 shared VGPRs"));
        },
        Gfx11x | Gfx12 => {},
    });
}

/// SPI_SHADER_PGM_RSRC3_GS and RSRC4_GS: CUs, wave limit, no late waves.
fn cus<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    let program = &inputs.desc.vertex.program;
    let (mask, limit) = (program.cu_mask.unwrap_or(u32::MAX), resource_units::wave_limit_field(inputs.gfx, program.wave_limit));
    let (rule, limit_rule) = ("CUs of the program, all without a mask", resource_units::wave_limit_rule(inputs.gfx, program.wave_limit));
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::SpiShaderPgmRsrc3Gs;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, mask & 0xFFFF, rule).set(R::WAVE_LIMIT, limit, limit_rule));
        },
        Gfx10x => {
            type R = r::SpiShaderPgmRsrc3Gs;
            type Rsrc4 = r::SpiShaderPgmRsrc4Gs;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, mask & 0xFFFF, rule).set(R::WAVE_LIMIT, limit, limit_rule));
            sheet.add(Word::new(On::<Rsrc4, { r::GFX }>::SLOT)
                .set(Rsrc4::CU_EN, mask >> 16, "CUs 16 to 31")
                .set(Rsrc4::SPI_SHADER_LATE_ALLOC_GS, 0u32, "the program exports nothing: no late waves"));
        },
        Gfx11x | Gfx12 => {},
    });
}

/// The program's address and user data: GFX9 has user data of the first half, later generations of the second.
fn program<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    let program = &inputs.desc.vertex.program;
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            rsrc::address!(sheet, r, SpiShaderPgmLoEs, SpiShaderPgmHiEs, program);
            rsrc::address_pair!(sheet, r, SpiShaderUserDataAddrLoGs, SpiShaderUserDataAddrHiGs, program);
            rsrc::user_data!(sheet, r, SpiShaderUserDataEs, program);
        },
        Gfx10x => {
            rsrc::address!(sheet, r, SpiShaderPgmLoEs, SpiShaderPgmHiEs, program);
            rsrc::address_pair!(sheet, r, SpiShaderUserDataAddrLoGs, SpiShaderUserDataAddrHiGs, program);
            rsrc::user_data!(sheet, r, SpiShaderUserDataGs, program);
        },
        Gfx11x | Gfx12 => {},
    });
}

/// The ring: where the vertices of each stream are in an item, and their sizes.
fn ring<S: Why>(inputs: &Inputs<'_>, shader: &GeometryStage, sheet: &mut Sheet<S>) {
    let ends: [u32; 4] = {
        let mut end = 0;
        shader.vertex_dwords.map(|dwords| {
            end += dwords * shader.max_vertices;
            end
        })
    };
    let (offset, size) = ("dwords of the streams before, in an item of the ring", "dwords of all streams in an item of the ring");
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {
            for (stream, end) in (0u32..3).zip(ends) {
                sheet.add(Word::element(On::<r::VgtGsvsRingOffset1, { r::GFX }>::PLACE, stream).map(|word| word.whole(end, offset)));
            }
            sheet.add(Word::new(On::<r::VgtGsvsRingItemsize, { r::GFX }>::SLOT).whole(ends[3], size));
            for (stream, dwords) in (0u32..).zip(shader.vertex_dwords) {
                let word = Word::element(On::<r::VgtGsVertItemsize, { r::GFX }>::PLACE, stream);
                sheet.add(word.map(|word| word.whole(dwords, "dwords of a vertex of the stream")));
            }
        },
        Gfx11x | Gfx12 => {},
    });
}

/// VGT_GS_ONCHIP_CNTL, VGT_GS_MAX_VERT_OUT, VGT_GS_INSTANCE_CNT, and on GFX9 VGT_GS_MAX_PRIMS_PER_SUBGROUP.
fn counts<S: Why>(inputs: &Inputs<'_>, shader: &GeometryStage, group: LegacyGroup, sheet: &mut Sheet<S>) {
    let instances = group.primitives * shader.invocations;
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {
            type Onchip = r::VgtGsOnchipCntl;
            type Count = r::VgtGsInstanceCnt;
            sheet.add(Word::new(On::<Onchip, { r::GFX }>::SLOT)
                .set(Onchip::ES_VERTS_PER_SUBGRP, group.vertices, "vertices of a group, less what a whole primitive still needs")
                .set(Onchip::GS_PRIMS_PER_SUBGRP, group.primitives, "primitives of a group")
                .set(Onchip::GS_INST_PRIMS_IN_SUBGRP, instances, "primitives of a group, once for each invocation"));
            sheet.add(Word::new(On::<r::VgtGsMaxVertOut, { r::GFX }>::SLOT).set(r::VgtGsMaxVertOut::MAX_VERT_OUT, shader.max_vertices, "vertices that an invocation emits"));
            let invocations = "invocations of the geometry shader";
            sheet.add(Word::new(On::<Count, { r::GFX }>::SLOT).set(Count::CNT, shader.invocations, invocations).set(Count::ENABLE, true, invocations));
        },
        Gfx11x | Gfx12 => {},
    });
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            let rule = "primitives of a group, once for each invocation (RADV; radeonsi multiplies by the vertices as well)";
            sheet.add(Word::new(On::<r::VgtGsMaxPrimsPerSubgroup, { r::GFX }>::SLOT).whole(instances, rule));
        },
        Gfx10x | Gfx11x | Gfx12 => {},
    });
}

/// Adds the registers of the merged program, where the draw has a geometry shader without NGG.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    let (Some(shader), Some(group)) = (&inputs.desc.geometry, inputs.front.legacy) else { return };
    program(inputs, sheet);
    resources(inputs, group, sheet);
    cus(inputs, sheet);
    ring(inputs, shader, sheet);
    counts(inputs, shader, group, sheet);
}
