//! Depth and stencil: the targets, whose sample counts POPS reads too, the tests, and the counting of samples.

use crate::draw::desc::{DepthFormat, DepthTarget};
use crate::draw::fixed::{Occlusion, StencilAction, StencilFace};
use crate::draw::image::{Image, Word};
use crate::draw::inputs::Inputs;

/// DB_Z_INFO: format, and the sample count that GFX11 and later also use for POPS, shading rate and queries without a depth target.
fn db_z_info(inputs: &Inputs<'_>) -> Option<Word> {
    let (samples, rule) = match inputs.depth_log2 {
        Some(samples) => (samples, "samples of the depth target, log2"),
        None if inputs.gfx.major() >= 11 => {
            // Mesa 25.0.7 writes 3 here; the POPS article and PAL ValidateDbZInfo (04/2025) ask for equality.
            (inputs.exposed_log2, "no depth target: GFX11 and later still take the coverage samples of POPS from here, so it equals MSAA_EXPOSED_SAMPLES")
        }
        None => (0, "no depth target; POPS does not read it before GFX11"),
    };
    let format = match inputs.desc.depth.map(|d| d.format) {
        None => 0u32,
        Some(DepthFormat::D16) => 1,
        Some(DepthFormat::D32 | DepthFormat::D32s8) => 3,
    };
    let (swizzle, levels) = surface(inputs);
    let format_rule = if format == 0 { "no depth target" } else { "format of the depth target" };
    on_gfx!(inputs.gfx, r => {
        type R = r::DbZInfo;
        Some(Word::new::<R>(inputs.gfx)?
            .set(R::FORMAT, format, format_rule)
            .set(R::NUM_SAMPLES, samples, rule)
            .set(R::SW_MODE, swizzle, "swizzle mode of the depth target")
            .set(R::MAXMIP, levels, "mip levels of the depth target, less 1"))
    })
}

/// Swizzle mode and last mip level of the target; 0 without one.
fn surface(inputs: &Inputs<'_>) -> (u32, u32) {
    inputs.desc.depth.map_or((0, 0), |d| (u32::from(d.surface.swizzle), d.surface.last_level))
}

fn has_stencil(inputs: &Inputs<'_>) -> bool {
    inputs.desc.depth.is_some_and(|d| d.format == DepthFormat::D32s8)
}

/// DB_STENCIL_INFO.
fn db_stencil_info(inputs: &Inputs<'_>) -> Option<Word> {
    let stencil = has_stencil(inputs);
    let swizzle = if stencil { surface(inputs).0 } else { 0 };
    on_gfx!(inputs.gfx, r => {
        type R = r::DbStencilInfo;
        Some(Word::new::<R>(inputs.gfx)?
            .set(R::FORMAT, stencil, if stencil { "the target has 8-bit stencil" } else { "no stencil" })
            .set(R::SW_MODE, swizzle, "swizzle mode of stencil"))
    })
}

/// DB_RENDER_CONTROL: no compression (the surfaces have no HTILE); the erratum of GFX11 limits tiles in its own place.
fn db_render_control(inputs: &Inputs<'_>) -> Option<Word> {
    let bound = inputs.desc.depth.is_some();
    let rule = if bound { "the depth target has no HTILE, so it is not compressed" } else { "no depth target" };
    on_gfx!(inputs.gfx, r => {
        type R = r::DbRenderControl;
        Some(Word::new::<R>(inputs.gfx)?.set(R::STENCIL_COMPRESS_DISABLE, bound, rule).set(R::DEPTH_COMPRESS_DISABLE, bound, rule))
    })
}

/// DB_DEPTH_CONTROL: the tests that act on the target's aspects.
fn db_depth_control(inputs: &Inputs<'_>) -> Option<Word> {
    let test = &inputs.desc.depth_test;
    let depth = inputs.desc.depth.is_some();
    let stencil = test.stencil.filter(|_| has_stencil(inputs));
    let absent = "no depth target";
    let rule = |present: &'static str| if depth { present } else { absent };
    on_gfx!(inputs.gfx, r => {
        type R = r::DbDepthControl;
        let word = Word::new::<R>(inputs.gfx)?
            .set(R::Z_ENABLE, depth && test.test, rule("depth test of the draw"))
            .set(R::Z_WRITE_ENABLE, depth && test.test && test.write, rule("depth write of the draw"))
            .set(R::ZFUNC, if depth && test.test { test.compare as u32 } else { 0 }, rule("comparison of the draw"))
            .set(R::DEPTH_BOUNDS_ENABLE, depth && test.bounds.is_some(), rule("depth bounds of the draw"))
            .set(R::STENCIL_ENABLE, stencil.is_some(), "stencil test of the draw, where the target has stencil");
        let Some((front, back)) = stencil else { return Some(word) };
        Some(word
            .set(R::BACKFACE_ENABLE, true, "back faces have a stencil test of their own")
            .set(R::STENCILFUNC, front.compare as u32, "comparison of front faces")
            .set(R::STENCILFUNC_BF, back.compare as u32, "comparison of back faces"))
    })
}

/// The hardware's number of an action (StencilOp). Replace takes the reference; counting adds or subtracts STENCILOPVAL, which is 1.
fn stencil_op(action: StencilAction) -> u32 {
    match action {
        StencilAction::Keep => 0,
        StencilAction::Zero => 1,
        StencilAction::Replace => 3,
        StencilAction::IncrementClamp => 5,
        StencilAction::DecrementClamp => 6,
        StencilAction::Invert => 7,
        StencilAction::IncrementWrap => 8,
        StencilAction::DecrementWrap => 9,
    }
}

/// DB_STENCIL_CONTROL.
fn db_stencil_control(inputs: &Inputs<'_>) -> Option<Word> {
    let (front, back) = inputs.desc.depth_test.stencil.filter(|_| has_stencil(inputs)).unwrap_or_default();
    let rule = "stencil actions of the draw";
    on_gfx!(inputs.gfx, r => {
        type R = r::DbStencilControl;
        Some(Word::new::<R>(inputs.gfx)?
            .set(R::STENCILFAIL, stencil_op(front.fail), rule)
            .set(R::STENCILZPASS, stencil_op(front.pass), rule)
            .set(R::STENCILZFAIL, stencil_op(front.depth_fail), rule)
            .set(R::STENCILFAIL_BF, stencil_op(back.fail), rule)
            .set(R::STENCILZPASS_BF, stencil_op(back.pass), rule)
            .set(R::STENCILZFAIL_BF, stencil_op(back.depth_fail), rule))
    })
}

/// References and masks: DB_STENCILREFMASK and _BF up to GFX11.5; DB_STENCIL_REF, READ_MASK, WRITE_MASK and OPVAL on GFX12.
fn stencil_masks(inputs: &Inputs<'_>, image: &mut Image) {
    let (front, back) = inputs.desc.depth_test.stencil.unwrap_or_default();
    let rule = "stencil reference, masks and step of the draw";
    if inputs.gfx.major() < 12 {
        let word = |f: StencilFace| u32::from(f.reference) | u32::from(f.read_mask) << 8 | u32::from(f.write_mask) << 16 | 1 << 24;
        image.add(Word::whole(inputs.gfx, "DB_STENCILREFMASK", word(front), rule));
        image.add(Word::whole(inputs.gfx, "DB_STENCILREFMASK_BF", word(back), rule));
        return;
    }
    let pair = |f: u8, b: u8| u32::from(f) | u32::from(b) << 8;
    image.add(Word::whole(inputs.gfx, "DB_STENCIL_REF", pair(front.reference, back.reference), rule));
    image.add(Word::whole(inputs.gfx, "DB_STENCIL_READ_MASK", pair(front.read_mask, back.read_mask), rule));
    image.add(Word::whole(inputs.gfx, "DB_STENCIL_WRITE_MASK", pair(front.write_mask, back.write_mask), rule));
    image.add(Word::whole(inputs.gfx, "DB_STENCIL_OPVAL", pair(1, 1), rule));
}

/// DB_DEPTH_VIEW (GFX12: and VIEW1): layers, mip level, aspects that are not there.
fn view(inputs: &Inputs<'_>, target: &DepthTarget, image: &mut Image) {
    let (first, last) = target.surface.layers;
    let (layers, level_rule, aspect) = ("layers of the depth target", "mip level of the depth target", "an aspect that is not there is never written");
    let (level, read_only) = (target.surface.level, !has_stencil(inputs));
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::DbDepthView;
            image.add(Word::new::<R>(inputs.gfx).map(|w| w
                .set(R::SLICE_START, first, layers)
                .set(R::SLICE_MAX, last, layers)
                .set(R::STENCIL_READ_ONLY, read_only, aspect)
                .set(R::MIPID, level, level_rule)));
        },
        Gfx10 | Gfx103 | Gfx11 | Gfx115 => {
            type R = r::DbDepthView;
            image.add(Word::new::<R>(inputs.gfx).map(|w| w
                .set(R::SLICE_START, first & 0x7FF, layers)
                .set(R::SLICE_START_HI, first >> 11, layers)
                .set(R::SLICE_MAX, last & 0x7FF, layers)
                .set(R::SLICE_MAX_HI, last >> 11, layers)
                .set(R::STENCIL_READ_ONLY, read_only, aspect)
                .set(R::MIPID, level, level_rule)));
        },
        Gfx12 => {
            type R = r::DbDepthView;
            type R1 = r::DbDepthView1;
            image.add(Word::new::<R>(inputs.gfx).map(|w| w.set(R::SLICE_START, first, layers).set(R::SLICE_MAX, last, layers)));
            image.add(Word::new::<R1>(inputs.gfx).map(|w| w.set(R1::STENCIL_READ_ONLY, read_only, aspect).set(R1::MIPID, level, level_rule)));
        },
    });
}

/// Addresses and size of the target.
fn addresses(inputs: &Inputs<'_>, target: &DepthTarget, image: &mut Image) {
    let (width, height) = inputs.desc.extent;
    let size = (width - 1) | (height - 1) << 16;
    let name = if inputs.gfx.major() == 9 { "DB_DEPTH_SIZE" } else { "DB_DEPTH_SIZE_XY" };
    image.add(Word::whole(inputs.gfx, name, size, "size of the depth target, less 1"));
    // GFX9 asks for the pitch as well: pixels from row to row, less 1 (captures).
    let pitch = target.surface.pitch.unwrap_or(width) - 1;
    image.add(Word::whole(inputs.gfx, "DB_Z_INFO2", pitch, "pixels from row to row of the depth target, less 1"));
    image.add(Word::whole(inputs.gfx, "DB_STENCIL_INFO2", if has_stencil(inputs) { pitch } else { 0 }, "pixels from row to row of stencil, less 1"));
    for (aspect, address) in [("Z", target.surface.address), ("STENCIL", target.surface.stencil_address)] {
        for access in ["READ", "WRITE"] {
            let (low, high) = (alloc::format!("DB_{aspect}_{access}_BASE"), alloc::format!("DB_{aspect}_{access}_BASE_HI"));
            image.add(Word::whole(inputs.gfx, &low, (address >> 8) as u32, "address of the depth target >> 8"));
            image.add(Word::whole(inputs.gfx, &high, (address >> 40) as u32, "address of the depth target >> 40"));
        }
    }
}

/// DB_COUNT_CONTROL: occlusion counting.
fn db_count_control(inputs: &Inputs<'_>) -> Option<Word> {
    let occlusion = inputs.desc.occlusion;
    let (on, precise) = (occlusion != Occlusion::Off, occlusion == Occlusion::Precise);
    let (rule, off) = ("an occlusion query counts samples", "no query is active");
    let samples = inputs.coverage_log2;
    macro_rules! counting {
        ($r:ident, $word:expr) => {{
            type R = $r::DbCountControl;
            let exact = if precise { "the exact number is asked for" } else { "any or none is enough" };
            $word.set(R::PERFECT_ZPASS_COUNTS, precise, exact).set(R::ZPASS_ENABLE, 1u32, rule).set(R::SLICE_EVEN_ENABLE, 1u32, rule).set(
                R::SLICE_ODD_ENABLE,
                1u32,
                rule,
            )
        }};
    }
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::DbCountControl;
            let word = Word::new::<R>(inputs.gfx)?;
            if !on { return Some(word.set(R::ZPASS_INCREMENT_DISABLE, true, off)); }
            Some(counting!(r, word).set(R::SAMPLE_RATE, samples, "coverage samples, log2"))
        },
        Gfx10 | Gfx103 => {
            type R = r::DbCountControl;
            let word = Word::new::<R>(inputs.gfx)?;
            if !on { return Some(word.set(R::ZPASS_INCREMENT_DISABLE, true, off)); }
            let word = counting!(r, word).set(R::SAMPLE_RATE, samples, "coverage samples, log2");
            Some(word.set(R::DISABLE_CONSERVATIVE_ZPASS_COUNTS, precise, "the exact number is asked for or not"))
        },
        Gfx11 | Gfx115 => {
            type R = r::DbCountControl;
            let word = Word::new::<R>(inputs.gfx)?;
            if !on { return Some(word.set(R::ZPASS_ENABLE, 0u32, off)); }
            let word = counting!(r, word).set(R::SAMPLE_RATE, samples, "coverage samples, log2");
            Some(word.set(R::DISABLE_CONSERVATIVE_ZPASS_COUNTS, precise, "the exact number is asked for or not"))
        },
        Gfx12 => {
            type R = r::DbCountControl;
            let word = Word::new::<R>(inputs.gfx)?;
            let _ = samples;
            if !on { return Some(word.set(R::ZPASS_ENABLE, 0u32, off)); }
            Some(counting!(r, word).set(R::DISABLE_CONSERVATIVE_ZPASS_COUNTS, precise, "the exact number is asked for or not"))
        },
    })
}

/// Depth bounds, when the draw has them.
fn bounds(inputs: &Inputs<'_>, image: &mut Image) {
    let Some((min, max)) = inputs.desc.depth_test.bounds else { return };
    image.add(Word::whole(inputs.gfx, "DB_DEPTH_BOUNDS_MIN", min.to_bits(), "depth bounds of the draw, as a float"));
    image.add(Word::whole(inputs.gfx, "DB_DEPTH_BOUNDS_MAX", max.to_bits(), "depth bounds of the draw, as a float"));
}

/// Adds the depth registers: what says that nothing is bound, and the rest when something is.
pub(crate) fn add(inputs: &Inputs<'_>, image: &mut Image) {
    for register in [db_z_info, db_stencil_info, db_render_control, db_depth_control, db_stencil_control, db_count_control] {
        image.add(register(inputs));
    }
    stencil_masks(inputs, image);
    bounds(inputs, image);
    if let Some(target) = &inputs.desc.depth {
        view(inputs, target, image);
        addresses(inputs, target, image);
    }
}
