//! Blending, logic operation, alpha to coverage, and what RB+ may skip of blending.

use crate::chip::{Erratum, Gfx};
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::decide::compression;
use crate::draw::desc::{Blend, BlendFactor, BlendFunction, LogicOp, TargetPass};
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::regs::layout::{CombFunc, SxBlendOpt, SxOptCombFcn};

/// Expands to the generation's name of a blend factor.
macro_rules! factor {
    ($r:ident, $factor:expr) => {{
        use $r::BlendOp as B;
        match $factor {
            BlendFactor::Zero => B::BLEND_ZERO,
            BlendFactor::One => B::BLEND_ONE,
            BlendFactor::SrcColor => B::BLEND_SRC_COLOR,
            BlendFactor::OneMinusSrcColor => B::BLEND_ONE_MINUS_SRC_COLOR,
            BlendFactor::SrcAlpha => B::BLEND_SRC_ALPHA,
            BlendFactor::OneMinusSrcAlpha => B::BLEND_ONE_MINUS_SRC_ALPHA,
            BlendFactor::DstAlpha => B::BLEND_DST_ALPHA,
            BlendFactor::OneMinusDstAlpha => B::BLEND_ONE_MINUS_DST_ALPHA,
            BlendFactor::DstColor => B::BLEND_DST_COLOR,
            BlendFactor::OneMinusDstColor => B::BLEND_ONE_MINUS_DST_COLOR,
            BlendFactor::SrcAlphaSaturate => B::BLEND_SRC_ALPHA_SATURATE,
            BlendFactor::ConstantColor => B::BLEND_CONSTANT_COLOR,
            BlendFactor::OneMinusConstantColor => B::BLEND_ONE_MINUS_CONSTANT_COLOR,
            BlendFactor::ConstantAlpha => B::BLEND_CONSTANT_ALPHA,
            BlendFactor::OneMinusConstantAlpha => B::BLEND_ONE_MINUS_CONSTANT_ALPHA,
            BlendFactor::Src1Color => B::BLEND_SRC1_COLOR,
            BlendFactor::OneMinusSrc1Color => B::BLEND_INV_SRC1_COLOR,
            BlendFactor::Src1Alpha => B::BLEND_SRC1_ALPHA,
            BlendFactor::OneMinusSrc1Alpha => B::BLEND_INV_SRC1_ALPHA,
        }
    }};
}

/// Returns the hardware's name of a function.
fn combine(function: BlendFunction) -> CombFunc {
    match function {
        BlendFunction::Add => CombFunc::COMB_DST_PLUS_SRC,
        BlendFunction::Subtract => CombFunc::COMB_SRC_MINUS_DST,
        BlendFunction::Min => CombFunc::COMB_MIN_DST_SRC,
        BlendFunction::Max => CombFunc::COMB_MAX_DST_SRC,
        BlendFunction::ReverseSubtract => CombFunc::COMB_DST_MINUS_SRC,
    }
}

/// CB_BLENDn_CONTROL. With dual-source blending the word of target 1 has a meaning too: up to GFX10.3 blending is on in it, from GFX11 on it is the word of
/// target 0 (PAL 04/2025 gfx9ColorBlendState.cpp, Mesa 25.0.7 si_state.c, recorded command buffers of radeonsi).
fn cb_blend_control<S: Why>(inputs: &DrawInputs<'_>, index: u32) -> Option<Word<S>> {
    let second = index == 1 && inputs.desc.dual_source();
    let of_target = if second && inputs.gfx.major() >= 11 { 0 } else { index };
    let blend = inputs.desc.color.get(of_target as usize).and_then(|target| inputs.desc.blend(&target));
    on_gfx!(inputs.gfx, r => {
        type R = r::CbBlendControl;
        let word = Word::element(On::<R, { r::GFX }>::PLACE, index)?;
        if second && inputs.gfx.major() < 11 {
            return Some(word.set(R::ENABLE, true, "target 0 blends with a second colour: the word of target 1 must be on"));
        }
        let Some(Blend { color, alpha }) = blend else { return Some(word.set(R::ENABLE, false, "the target does not blend")) };
        let word = word
            .set(R::ENABLE, true, if second { "a second colour: the blending of target 0 repeated" } else { "the target blends" })
            .set(R::COLOR_SRCBLEND, factor!(r, color.0), "factor of the source's colour")
            .set(R::COLOR_COMB_FCN, combine(color.1), "function of colour")
            .set(R::COLOR_DESTBLEND, factor!(r, color.2), "factor of the target's colour");
        if color == alpha {
            return Some(word.set(R::SEPARATE_ALPHA_BLEND, false, "alpha blends as colour does"));
        }
        Some(word
            .set(R::SEPARATE_ALPHA_BLEND, true, "alpha has its own blending")
            .set(R::ALPHA_SRCBLEND, factor!(r, alpha.0), "factor of the source's alpha")
            .set(R::ALPHA_COMB_FCN, combine(alpha.1), "function of alpha")
            .set(R::ALPHA_DESTBLEND, factor!(r, alpha.2), "factor of the target's alpha"))
    })
}

/// Returns the operation of the colour block, and why. A pass that the generation lacks was refused before.
fn mode(inputs: &DrawInputs<'_>) -> (u32, &'static str) {
    let Some(pass) = inputs.desc.pass.filter(|pass| pass.is_color_pass()) else {
        return on_gfx!(each inputs.gfx, r => match inputs.desc.writes_color() {
            true => (r::CBMode::CB_NORMAL.into(), "some channel is written"),
            false => (r::CBMode::CB_DISABLE.into(), "no channel is written"),
        });
    };
    let mode = on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 => match pass {
            TargetPass::EliminateFastClear => r::CBMode::CB_ELIMINATE_FAST_CLEAR,
            TargetPass::FmaskDecompress => r::CBMode::CB_FMASK_DECOMPRESS,
            TargetPass::DccDecompress => r::CBMode::CB_DCC_DECOMPRESS,
            TargetPass::Resolve => r::CBMode::CB_RESOLVE,
            TargetPass::DepthDecompress | TargetPass::DepthClear => r::CBMode::CB_DISABLE,
        }.into(),
        Gfx11x | Gfx12 => match pass {
            TargetPass::EliminateFastClear => r::CBMode::CB_ELIMINATE_FAST_CLEAR,
            TargetPass::DccDecompress => r::CBMode::CB_DCC_DECOMPRESS,
            TargetPass::FmaskDecompress | TargetPass::Resolve | TargetPass::DepthDecompress | TargetPass::DepthClear => r::CBMode::CB_DISABLE,
        }.into(),
    });
    (mode, "the pass over targets")
}

/// CB_COLOR_CONTROL: colour is written or not; the raster operation.
fn cb_color_control<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    on_gfx!(each inputs.gfx, r => {
        type R = r::CbColorControl;
        let (mode, rule) = mode(inputs);
        let (operation, operation_rule) = match inputs.desc.logic_op {
            Some(operation) => (operation, "logic operation of the draw"),
            None => (LogicOp::COPY, "no logic operation: copy the source"),
        };
        let resolves = inputs.desc.pass == Some(TargetPass::Resolve);
        let single = resolves || inputs.chip.info().rb_plus && (inputs.desc.dual_source() || inputs.desc.logic_op.is_some());
        let single_rule = match (resolves, single) {
            (true, _) => "a resolve takes no quads in pairs (captures, with RB+ and without)",
            (_, true) => "RB+ takes no second colour and no logic operation (Mesa 2026)",
            (_, false) => "neither a second colour nor a logic operation",
        };
        Some(Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::DISABLE_DUAL_QUAD, single, single_rule)
            .set(R::MODE, mode, rule)
            .set(R::ROP3, operation.rop3(), operation_rule))
    })
}

/// CB_BLEND_RED to CB_BLEND_ALPHA: the blend constant as floats, if a target blends; a draw that does not blend leaves it unchanged, as RADV does.
#[inline]
pub(crate) fn constant_words<S: Why>(gfx: Gfx, constants: [f32; 4]) -> [Word<S>; 4] {
    let [red, green, blue, alpha] = constants.map(f32::to_bits);
    let rule = "blend constant of the draw";
    on_gfx!(gfx, r => [
        Word::new(On::<r::CbBlendRed, { r::GFX }>::SLOT).whole(red, rule),
        Word::new(On::<r::CbBlendGreen, { r::GFX }>::SLOT).whole(green, rule),
        Word::new(On::<r::CbBlendBlue, { r::GFX }>::SLOT).whole(blue, rule),
        Word::new(On::<r::CbBlendAlpha, { r::GFX }>::SLOT).whole(alpha, rule),
    ])
}

/// DB_ALPHA_TO_MASK: dithered offsets, as in RADV.
fn db_alpha_to_mask<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let on = inputs.desc.alpha_to_coverage;
    let offsets = "offsets of the four pixels, dithered (captures)";
    on_gfx!(inputs.gfx, r => {
        type R = r::DbAlphaToMask;
        Some(Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::ALPHA_TO_MASK_ENABLE, on, if on { "alpha becomes coverage" } else { "alpha does not become coverage" })
            .set(R::ALPHA_TO_MASK_OFFSET0, 3u32, offsets)
            .set(R::ALPHA_TO_MASK_OFFSET1, 1u32, offsets)
            .set(R::ALPHA_TO_MASK_OFFSET2, 0u32, offsets)
            .set(R::ALPHA_TO_MASK_OFFSET3, 2u32, offsets)
            .set(R::OFFSET_ROUND, true, offsets))
    })
}

/// Returns what RB+ may assume about a factor (BlendOpt): which source values preserve or replace the target. Captures show SRC_ALPHA, ONE_MINUS_SRC_ALPHA, ONE
/// and a constant; the others follow the same names and are unverified.
fn blend_opt(factor: BlendFactor, alpha: bool) -> SxBlendOpt {
    match (factor, alpha) {
        (BlendFactor::Zero, _) => SxBlendOpt::BLEND_OPT_PRESERVE_NONE_IGNORE_ALL,
        (BlendFactor::One, _) | (BlendFactor::SrcAlphaSaturate, true) => SxBlendOpt::BLEND_OPT_PRESERVE_ALL_IGNORE_NONE,
        (BlendFactor::SrcColor, false) => SxBlendOpt::BLEND_OPT_PRESERVE_C1_IGNORE_C0,
        (BlendFactor::OneMinusSrcColor, false) => SxBlendOpt::BLEND_OPT_PRESERVE_C0_IGNORE_C1,
        (BlendFactor::SrcAlpha, _) | (BlendFactor::SrcColor, true) => SxBlendOpt::BLEND_OPT_PRESERVE_A1_IGNORE_A0,
        (BlendFactor::OneMinusSrcAlpha, _) | (BlendFactor::OneMinusSrcColor, true) => SxBlendOpt::BLEND_OPT_PRESERVE_A0_IGNORE_A1,
        (BlendFactor::SrcAlphaSaturate, false) => SxBlendOpt::BLEND_OPT_PRESERVE_NONE_IGNORE_A0,
        _ => SxBlendOpt::BLEND_OPT_PRESERVE_NONE_IGNORE_NONE,
    }
}

fn reads_target(factor: BlendFactor) -> bool {
    matches!(
        factor,
        BlendFactor::DstAlpha | BlendFactor::OneMinusDstAlpha | BlendFactor::DstColor | BlendFactor::OneMinusDstColor | BlendFactor::SrcAlphaSaturate
    )
}

/// Returns the source option, target option and function of one half of a blend equation.
fn sx_half((source, function, target): (BlendFactor, BlendFunction, BlendFactor), alpha: bool) -> (SxBlendOpt, SxBlendOpt, SxOptCombFcn) {
    let function = match function {
        BlendFunction::Add => SxOptCombFcn::OPT_COMB_ADD,
        BlendFunction::Subtract => SxOptCombFcn::OPT_COMB_SUBTRACT,
        BlendFunction::Min => SxOptCombFcn::OPT_COMB_MIN,
        BlendFunction::Max => SxOptCombFcn::OPT_COMB_MAX,
        BlendFunction::ReverseSubtract => SxOptCombFcn::OPT_COMB_REVSUBTRACT,
    };
    let saturates = !alpha && source == BlendFactor::SrcAlphaSaturate;
    let target_option = match target {
        // Where the source's alpha is 0, both factors are (Mesa 25.0.7 radv_translate_blend_equation and si_create_blend_state_mode).
        BlendFactor::Zero | BlendFactor::SrcAlpha | BlendFactor::SrcAlphaSaturate if saturates => SxBlendOpt::BLEND_OPT_PRESERVE_NONE_IGNORE_A0,
        _ if reads_target(source) => SxBlendOpt::BLEND_OPT_PRESERVE_NONE_IGNORE_NONE,
        _ => blend_opt(target, alpha),
    };
    (blend_opt(source, alpha), target_option, function)
}

/// SX_MRTn_BLEND_OPT. Also written on chips without RB+, as RADV does.
fn sx_blend_opt<S: Why>(inputs: &DrawInputs<'_>, index: u32) -> Option<Word<S>> {
    const BLEND_DISABLED: SxOptCombFcn = SxOptCombFcn::OPT_COMB_BLEND_DISABLED;
    let blend = inputs.desc.color.get(index as usize).and_then(|target| inputs.desc.blend(&target));
    on_gfx!(inputs.gfx, r => {
        type R = r::SxMrtBlendOpt;
        let word = Word::element(On::<R, { r::GFX }>::PLACE, index)?;
        if index == 0 && inputs.gfx.major() >= 11 && inputs.exports_coverage_alpha() {
            return Some(word.set(R::COLOR_COMB_FCN, SxOptCombFcn::OPT_COMB_NONE, "alpha becomes coverage: nothing may be skipped (captures)"));
        }
        if inputs.desc.dual_source() {
            return Some(word.set(R::COLOR_COMB_FCN, SxOptCombFcn::OPT_COMB_NONE, "dual-source blending: no blending work may be skipped (captures)"));
        }
        let Some(blend) = blend else {
            let rule = "the target does not blend";
            return Some(word.set(R::COLOR_COMB_FCN, BLEND_DISABLED, rule).set(R::ALPHA_COMB_FCN, BLEND_DISABLED, rule));
        };
        let (color, alpha) = (sx_half(blend.color, false), sx_half(blend.alpha, true));
        let rule = "what may be skipped, from the blend factors";
        Some(word
            .set(R::COLOR_SRC_OPT, color.0, rule)
            .set(R::COLOR_DST_OPT, color.1, rule)
            .set(R::COLOR_COMB_FCN, color.2, "function of colour")
            .set(R::ALPHA_SRC_OPT, alpha.0, rule)
            .set(R::ALPHA_DST_OPT, alpha.1, rule)
            .set(R::ALPHA_COMB_FCN, alpha.2, "function of alpha"))
    })
}

/// CB_DCC_CONTROL, as in the preamble, on chips with an erratum whose code changes it.
fn cb_dcc_control<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    if inputs.chip.has(Erratum::CompressedSampleBlend) { compression::chip_control(inputs.chip) } else { None }
}

/// Adds the blend registers.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(cb_dcc_control(inputs));
    sheet.add(cb_color_control(inputs));
    for index in 0..8 {
        sheet.add(cb_blend_control(inputs, index));
        sheet.add(sx_blend_opt(inputs, index));
    }
    sheet.add(db_alpha_to_mask(inputs));
}
