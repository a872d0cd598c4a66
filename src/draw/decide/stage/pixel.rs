//! Registers of the pixel stage.

use crate::chip::Erratum;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::decide::stage::late_alloc::pixel_start_cus;
use crate::draw::decide::stage::rsrc::{self, memory_order, rsrc1, rsrc1_until_gfx11, user_sgprs};
use crate::draw::desc::pixel_inputs::{POINT_COORDINATES, ResolvedLoads};
use crate::draw::desc::{Interpolant, InterpolantSource, PixelInput, PixelLoads, resource_units};
use crate::draw::programs::wave_start::pixel_vgprs;
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::isa::WaveSize;
use crate::regs::BitField;
use alloc::format;
use alloc::string::String;

/// SPI_SHADER_PGM_RSRC1_PS: registers and modes.
fn spi_shader_pgm_rsrc1_ps<S: Why>(inputs: &DrawInputs<'_>, loads: ResolvedLoads) -> Option<Word<S>> {
    let program = inputs.program;
    let vgprs = program.vgprs.max(pixel_vgprs(loads.addr));
    let provoking = inputs.shader().is_some_and(|s| s.inputs.provoking_vertex);
    let provoking_rule = if provoking { "the shader reads the provoking vertex" } else { "the shader does not read the provoking vertex" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Ps, inputs.gfx, program, vgprs);
            Some(rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Ps, program))
        },
        Gfx10 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Ps, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Ps, program);
            Some(memory_order!(word, r::SpiShaderPgmRsrc1Ps, inputs.gfx, program))
        },
        Gfx103 | Gfx11x => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Ps, inputs.gfx, program, vgprs);
            let word = rsrc1_until_gfx11!(word, r::SpiShaderPgmRsrc1Ps, program);
            type R = r::SpiShaderPgmRsrc1Ps;
            Some(memory_order!(word, r::SpiShaderPgmRsrc1Ps, inputs.gfx, program).set(R::LOAD_PROVOKING_VTX, provoking, provoking_rule))
        },
        Gfx12 => {
            let word = rsrc1!(r::SpiShaderPgmRsrc1Ps, inputs.gfx, program, vgprs);
            Some(word.set(r::SpiShaderPgmRsrc1Ps::LOAD_PROVOKING_VTX, provoking, provoking_rule))
        },
    })
}

/// SPI_SHADER_PGM_RSRC2_PS: the initial SGPRs, LDS besides the parameters, scratch; the SPI's half of the collision loads (GFX9 to GFX10.3).
fn spi_shader_pgm_rsrc2_ps<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let program = inputs.program;
    let ((wave, wave_rule), (intrawave, intrawave_rule)) = crate::draw::decide::stage::pixel::collision_loads(inputs);
    let count = inputs.shader().is_some_and(|s| s.inputs.wave_count);
    let count_rule = if count { "the shader reads the wave count" } else { "the shader does not read the wave count" };
    let lds = resource_units::extra_lds_field(inputs.gfx, program.lds_bytes);
    let scratch = program.scratch_bytes != 0;
    let scratch_rule = if scratch { "the program uses scratch" } else { "the program uses no scratch" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::SpiShaderPgmRsrc2Ps;
            let word = user_sgprs!(Word::new(On::<R, { r::GFX }>::SLOT), r::SpiShaderPgmRsrc2Ps, program);
            let word = word.set(R::SCRATCH_EN, scratch, scratch_rule).set(R::WAVE_CNT_EN, count, count_rule);
            let word = word.set(R::EXTRA_LDS_SIZE, lds, "LDS of the program in addition to its parameters");
            Some(word.set(R::LOAD_COLLISION_WAVEID, wave, wave_rule).set(R::LOAD_INTRAWAVE_COLLISION, intrawave, intrawave_rule))
        },
        Gfx10x => {
            type R = r::SpiShaderPgmRsrc2Ps;
            let word = user_sgprs!(Word::new(On::<R, { r::GFX }>::SLOT), r::SpiShaderPgmRsrc2Ps, program);
            let word = word.set(R::SCRATCH_EN, scratch, scratch_rule).set(R::WAVE_CNT_EN, count, count_rule);
            let word = word.set(R::EXTRA_LDS_SIZE, lds, "LDS of the program in addition to its parameters");
            let word = word.set(R::SHARED_VGPR_CNT, program.shared_vgprs / 8, "blocks of 8 shared VGPRs");
            Some(word.set(R::LOAD_COLLISION_WAVEID, wave, wave_rule).set(R::LOAD_INTRAWAVE_COLLISION, intrawave, intrawave_rule))
        },
        Gfx11x | Gfx12 => {
            type R = r::SpiShaderPgmRsrc2Ps;
            let gone = "not used by GFX11 and later, which order by export: 0";
            let word = user_sgprs!(Word::new(On::<R, { r::GFX }>::SLOT), r::SpiShaderPgmRsrc2Ps, program);
            let word = word.set(R::SCRATCH_EN, scratch, scratch_rule).set(R::WAVE_CNT_EN, count, count_rule);
            let word = word.set(R::EXTRA_LDS_SIZE, lds, "LDS of the program in addition to its parameters");
            let word = word.set(R::SHARED_VGPR_CNT, program.shared_vgprs / 8, "blocks of 8 shared VGPRs");
            Some(word.set(R::LOAD_COLLISION_WAVEID, false, gone).set(R::LOAD_INTRAWAVE_COLLISION, false, gone))
        },
    })
}

/// Returns the wave limit of the program, with its rule.
fn wave_limit(inputs: &DrawInputs<'_>) -> (u32, &'static str) {
    let limit = inputs.program.wave_limit;
    (resource_units::wave_limit_field(inputs.gfx, limit), resource_units::wave_limit_rule(inputs.gfx, limit))
}

/// SPI_SHADER_PGM_RSRC3_PS: CUs 0 to 15, wave limit up to GFX11.5.
fn spi_shader_pgm_rsrc3_ps<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let ((cus, rule), (limit, limit_rule)) = (pixel_start_cus(inputs), wave_limit(inputs));
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => {
            type R = r::SpiShaderPgmRsrc3Ps;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, cus & 0xFFFF, rule);
            Some(word.set(R::WAVE_LIMIT, limit, limit_rule))
        },
        Gfx11x => {
            type R = r::SpiShaderPgmRsrc3Ps;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, cus & 0xFFFF, rule);
            let word = word.set(R::WAVE_LIMIT, limit, limit_rule);
            Some(word.set(R::LDS_GROUP_SIZE, 1u32, "GFX11 (Mesa 25.0.7, captures)"))
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc3Ps;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, cus & 0xFFFF, rule))
        },
    })
}

/// SPI_SHADER_PGM_RSRC4_PS (GFX10 and later): CUs 16 to 31, on GFX12 the wave limit; prefetch of code.
fn spi_shader_pgm_rsrc4_ps<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let ((cus, rule), (limit, limit_rule)) = (pixel_start_cus(inputs), wave_limit(inputs));
    let prefetch = resource_units::prefetch_field(inputs.gfx, inputs.program.prefetch_bytes);
    on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10x => {
            type R = r::SpiShaderPgmRsrc4Ps;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, cus >> 16, rule))
        },
        Gfx11x => {
            type R = r::SpiShaderPgmRsrc4Ps;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::CU_EN, cus >> 16, rule).set(R::INST_PREF_SIZE, prefetch, resource_units::PREFETCH))
        },
        Gfx12 => {
            type R = r::SpiShaderPgmRsrc4Ps;
            // Mesa 25.0.7, PAL 04/2025.
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::WAVE_LIMIT, limit, limit_rule).set(R::LDS_GROUP_SIZE, 1u32, "GFX12 as GFX11");
            Some(word.set(R::INST_PREF_SIZE, prefetch, resource_units::PREFETCH))
        },
    })
}

/// Sets the bits of a register that lays out its inputs as SPI_PS_INPUT_ENA.
macro_rules! inputs_of {
    ($r:ident :: $register:ident, $loads:expr, $rule:expr) => {{
        type R = $r::$register;
        const FIELDS: [BitField; 16] = [
            R::PERSP_SAMPLE_ENA,
            R::PERSP_CENTER_ENA,
            R::PERSP_CENTROID_ENA,
            R::PERSP_PULL_MODEL_ENA,
            R::LINEAR_SAMPLE_ENA,
            R::LINEAR_CENTER_ENA,
            R::LINEAR_CENTROID_ENA,
            R::LINE_STIPPLE_TEX_ENA,
            R::POS_X_FLOAT_ENA,
            R::POS_Y_FLOAT_ENA,
            R::POS_Z_FLOAT_ENA,
            R::POS_W_FLOAT_ENA,
            R::FRONT_FACE_ENA,
            R::ANCILLARY_ENA,
            R::SAMPLE_COVERAGE_ENA,
            R::POS_FIXED_PT_ENA,
        ];
        let loads: PixelLoads = $loads;
        PixelInput::all().zip(&FIELDS).fold(Word::new(On::<R, { $r::GFX }>::SLOT), |word, (input, field)| match loads.has(input) {
            true => word.set(*field, true, $rule),
            false => word.set(*field, false, "the shader does not read it"),
        })
    }};
}

/// SPI_PS_INPUT_ENA: what is loaded into VGPRs.
fn spi_ps_input_ena<S: Why>(inputs: &DrawInputs<'_>, loads: ResolvedLoads) -> Option<Word<S>> {
    let rule = || match loads.added {
        Some(rule) => format!("loads that the shader reads, and a barycentric: {rule}"),
        None => String::from("loads that the shader reads"),
    };
    let (select, select_rule) = inputs.coverage_select();
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => Some(inputs_of!(r::SpiPsInputEna, loads.ena, rule)),
        // Earlier generations have it in PA_SC_AA_CONFIG.
        Gfx12 => Some(inputs_of!(r::SpiPsInputEna, loads.ena, rule).set(r::SpiPsInputEna::COVERAGE_TO_SHADER_SELECT, select, select_rule)),
    })
}

/// SPI_PS_INPUT_ADDR: what has room in the VGPRs, loaded or not.
fn spi_ps_input_addr<S: Why>(inputs: &DrawInputs<'_>, loads: ResolvedLoads) -> Option<Word<S>> {
    on_gfx!(inputs.gfx, r => Some(inputs_of!(r::SpiPsInputAddr, loads.addr, "room that the program was compiled for")))
}

/// SPI_PS_IN_CONTROL: number of interpolants, wave size.
fn spi_ps_in_control<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let interpolants = inputs.interpolants().len() as u32;
    let wide = inputs.program.wave == WaveSize::W32;
    let wide_rule = "wave size of the pixel shader";
    // GFX11 needs a parameter when LDS is used without any (Mesa 25.0.7 radeonsi; GFX11.0 and GFX11.5 alike).
    let generate = inputs.chip.has(Erratum::GeneratedParameter) && interpolants == 0 && inputs.program.lds_bytes != 0;
    let generate_rule = if generate { "GFX11: LDS is used, but there is no interpolant" } else { "no generated parameter" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::SpiPsInControl;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::NUM_INTERP, interpolants, "interpolants of the shader").set(R::PARAM_GEN, generate, generate_rule))
        },
        Gfx10 | Gfx103 | Gfx11x => {
            type R = r::SpiPsInControl;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::NUM_INTERP, interpolants, "interpolants of the shader");
            Some(word.set(R::PARAM_GEN, generate, generate_rule).set(R::PS_W32_EN, wide, wide_rule))
        },
        Gfx12 => {
            type R = r::SpiPsInControl;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::PARAM_GEN, generate, generate_rule).set(R::PS_W32_EN, wide, wide_rule))
        },
    })
}

/// Returns the OFFSET and DEFAULT_VAL of an interpolant: 32 means no parameter.
fn source(interpolant: Interpolant) -> (u32, u32, &'static str) {
    match interpolant.source {
        InterpolantSource::Parameter(slot) => (u32::from(slot), 0, "parameter of the vertex stage"),
        InterpolantSource::Zeros => (32, 0, "a constant: (0, 0, 0, 0)"),
        InterpolantSource::ZerosOne => (32, 1, "a constant: (0, 0, 0, 1)"),
        InterpolantSource::OnesZero => (32, 2, "a constant: (1, 1, 1, 0)"),
        InterpolantSource::Ones => (32, 3, "a constant: (1, 1, 1, 1)"),
    }
}

/// SPI_PS_INPUT_CNTL_n: where interpolant n comes from. The last 12 have another layout, without the point coordinate.
fn spi_ps_input_cntl<S: Why>(inputs: &DrawInputs<'_>, index: u32, interpolant: Interpolant) -> Option<Word<S>> {
    let (offset, default, rule) = source(interpolant);
    let (flat, half, sprite) = (interpolant.flat, interpolant.half, interpolant.point_coordinate);
    let half_rule = if half { "two f16 in each channel" } else { "one f32 in each channel" };
    let sprite_rule = if sprite { "replaced by the point coordinate on points" } else { "not replaced on points" };
    macro_rules! common {
        ($r:ident :: $register:ident, $index:expr) => {{
            type R = $r::$register;
            Word::element(On::<R, { $r::GFX }>::PLACE, $index)?
                .set(R::OFFSET, offset, rule)
                .set(R::DEFAULT_VAL, default, rule)
                .set(R::FLAT_SHADE, flat, if flat { "the provoking vertex's value" } else { "interpolated" })
                .set(R::FP16_INTERP_MODE, half, half_rule)
                .set(R::ATTR0_VALID, half, half_rule)
        }};
    }
    on_gfx!(each inputs.gfx, r => Some(match index.checked_sub(POINT_COORDINATES) {
        None => common!(r::SpiPsInputCntl, index).set(r::SpiPsInputCntl::PT_SPRITE_TEX, sprite, sprite_rule),
        Some(index) => common!(r::SpiPsInputCntl20, index),
    }))
}

/// SPI_SHADER_PGM_LO_PS, SPI_SHADER_PGM_HI_PS and SPI_SHADER_USER_DATA_PS_n: where the program is, and its user data.
fn program<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    on_gfx!(inputs.gfx, r => {
        rsrc::address!(sheet, r, SpiShaderPgmLoPs, SpiShaderPgmHiPs, inputs.program);
        rsrc::user_data!(sheet, r, SpiShaderUserDataPs, inputs.program);
    });
}

pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(spi_shader_z_format(inputs));
    let loads = inputs.loads;
    program(inputs, sheet);
    sheet.add(spi_shader_pgm_rsrc1_ps(inputs, loads));
    sheet.add(spi_shader_pgm_rsrc2_ps(inputs));
    sheet.add(spi_shader_pgm_rsrc3_ps(inputs));
    sheet.add(spi_shader_pgm_rsrc4_ps(inputs));
    sheet.add(spi_ps_input_ena(inputs, loads));
    sheet.add(spi_ps_input_addr(inputs, loads));
    sheet.add(spi_ps_in_control(inputs));
    for (index, interpolant) in (0..).zip(inputs.interpolants()) {
        sheet.add(spi_ps_input_cntl(inputs, index, *interpolant));
    }
}

/// SPI_SHADER_Z_FORMAT: how depth, stencil and sample mask leave the shader (captures: depth alone 32_R, mask alone UINT16_ABGR;
/// Mesa 25.0.7 ac_get_spi_shader_z_format: stencil without a mask 32_GR, with depth or without).
fn spi_shader_z_format<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let shader = inputs.shader().map_or((false, false, false), |s| (s.writes_depth, s.writes_stencil, s.writes_sample_mask));
    on_gfx!(inputs.gfx, r => {
        type R = r::SpiShaderZFormat;
        use r::SpiShaderExFormat as Format;
        if let Some(own) = inputs.desc.stated_exports() {
            return Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::Z_EXPORT_FORMAT, own.depth.register(), "the shader states it"));
        }
        let (format, rule) = match shader {
            // With alpha: 32_AR is seen in the captures; together with stencil or a mask it takes all four channels, which is unverified.
            (_, false, false) if inputs.exports_coverage_alpha() => (Format::SPI_SHADER_32_AR, "alpha that becomes coverage is exported, with depth or without"),
            (..) if inputs.exports_coverage_alpha() => (Format::SPI_SHADER_32_ABGR, "alpha that becomes coverage is exported together with stencil or sample mask"),
            (true, _, true) => (Format::SPI_SHADER_32_ABGR, "depth and sample mask are written"),
            (_, true, false) => (Format::SPI_SHADER_32_GR, "stencil is written, with depth or without"),
            (true, false, false) => (Format::SPI_SHADER_32_R, "depth is written"),
            (false, _, true) => (Format::SPI_SHADER_UINT16_ABGR, "the sample mask is written, with stencil or without; depth is not"),
            (false, false, false) => (Format::SPI_SHADER_ZERO, "neither depth nor stencil nor sample mask is written"),
        };
        Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::Z_EXPORT_FORMAT, format, rule))
    })
}

/// Returns whether the collision wave id and the intrawave word are loaded, and the rules. Both registers that load must say the same.
pub(crate) fn collision_loads(inputs: &DrawInputs<'_>) -> ((bool, &'static str), (bool, &'static str)) {
    let wave = if inputs.pops { "the ordered section polls for the waves that this word names" } else { "no ordered section" };
    let intrawave = inputs.desc.expert.intrawave_collision;
    ((inputs.pops, wave), (intrawave, if intrawave { "asked for as an expert option" } else { "no driver uses it" }))
}
