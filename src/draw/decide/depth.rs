//! Depth and stencil: the targets, whose sample counts POPS reads too, the tests, and the counting of samples.

use crate::chip::{Erratum, Gfx};
use crate::descriptors::Compare;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::decide::hierarchical;
use crate::draw::desc::{DepthFormat, DepthTarget, Htile, Occlusion, StencilAction, StencilFace, Surface, TargetPass};
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::regs::layout::{CompareFrag, StencilFormat, StencilOp, ZFormat};

/// DB_Z_INFO: format, and the sample count that GFX11 and later also use for POPS, shading rate and queries without a depth target.
fn db_z_info<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let (samples, rule) = match inputs.depth_log2 {
        Some(samples) => (samples, "samples of the depth target, log2"),
        None if inputs.gfx.major() == 11 => {
            // RADV up to 26.1.6 writes 3 here (captures); the POPS article, PAL ValidateDbZInfo (04/2025) and Mesa of mid-2026 (radv_emit_msaa_state) have equality.
            (inputs.exposed_log2, "no depth target: GFX11 still takes the coverage samples of POPS from here, so it equals MSAA_EXPOSED_SAMPLES")
        }
        // RADV up to 26.1.6 writes 3 (recordings), PAL (04/2025) and Mesa of mid-2026 (radv_gfx12_emit_null_ds_state) 0. Equality is right whether the hardware reads it or not.
        None if inputs.gfx.major() >= 12 => {
            (inputs.exposed_log2, "no depth target: equals MSAA_EXPOSED_SAMPLES as on GFX11; no source says that GFX12 reads it")
        }
        None => (0, "no depth target; POPS does not read it before GFX11"),
    };
    let format = match inputs.desc.depth.map(|d| d.format) {
        None => ZFormat::Z_INVALID,
        Some(DepthFormat::S8) => ZFormat::Z_INVALID,
        Some(DepthFormat::D16) => ZFormat::Z_16,
        Some(DepthFormat::D24 | DepthFormat::D24s8) => ZFormat::Z_24,
        Some(DepthFormat::D32 | DepthFormat::D32s8) => ZFormat::Z_32_FLOAT,
    };
    let (swizzle, levels) = surface(inputs);
    let format_rule = if format == ZFormat::Z_INVALID { "no depth target" } else { "format of the depth target" };
    let word = on_gfx!(inputs.gfx, r => {
        type R = r::DbZInfo;
        Some(Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::FORMAT, format, format_rule)
            .set(R::NUM_SAMPLES, samples, rule)
            .set(R::SW_MODE, swizzle, "swizzle mode of the depth target")
            .set(R::MAXMIP, levels, "mip levels of the depth target, minus 1"))
    });
    let (steps, steps_rule) = iterate_256(inputs);
    let word = on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx12 => word,
        Gfx10x | Gfx11x => word.map(|word| word.set(r::DbZInfo::ITERATE_256, steps, steps_rule)),
    });
    let Some(htile) = inputs.desc.depth.and_then(|depth| depth.htile) else { return word };
    let (precise, precise_rule) = range_precision(inputs, &htile);
    let (planes, planes_rule) = decompress_planes(inputs, &htile);
    let (flush, flush_rule) = iterate_flush(&htile);
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            type R = r::DbZInfo;
            word.map(|word| word
                .set(R::TILE_SURFACE_ENABLE, true, "the depth target has HTILE")
                .set(R::ZRANGE_PRECISION, precise, precise_rule)
                .set(R::DECOMPRESS_ON_N_ZPLANES, planes, planes_rule)
                .set(R::ITERATE_FLUSH, flush, flush_rule))
        },
        Gfx12 => word,
    })
}

/// ITERATE_256 (GFX10 to GFX11.5): the caller's value with HTILE; set for every target from GFX11 on (captures).
fn iterate_256(inputs: &DrawInputs<'_>) -> (bool, &'static str) {
    match inputs.desc.depth {
        Some(_) if inputs.gfx.major() >= 11 => (true, "GFX11 walks depth targets in steps of 256 bytes (captures)"),
        Some(DepthTarget { htile: Some(htile), .. }) => (htile.iterate_256, "whether the surface is walked in steps of 256 bytes"),
        Some(_) => (false, "the depth target has no HTILE"),
        None => (false, "no depth target"),
    }
}

/// ITERATE_FLUSH (GFX9 to GFX11.5), as drivers set it if shaders read HTILE (captures).
fn iterate_flush(htile: &Htile) -> (bool, &'static str) {
    if htile.shader_readable { (true, "shaders read the target as it is (captures)") } else { (false, "shaders do not read the target as it is") }
}

/// ZRANGE_PRECISION: 1, except on chips that lose the range of targets which shaders read and which are cleared to 0.
fn range_precision(inputs: &DrawInputs<'_>, htile: &Htile) -> (bool, &'static str) {
    let to_zero = inputs.desc.depth.and_then(|depth| depth.clear).is_some_and(|clear| clear.depth == 0.0);
    match inputs.chip.has(Erratum::TcCompatZrange) && htile.shader_readable && to_zero {
        true => (false, "shaders read the target, and it is cleared to 0: this chip loses the precise range then"),
        false => (true, "the precise range (captures)"),
    }
}

/// DECOMPRESS_ON_N_ZPLANES: the caller's value, except where it would hang the chip.
fn decompress_planes(inputs: &DrawInputs<'_>, htile: &Htile) -> (u32, &'static str) {
    let hit = htile.iterate_256 && inputs.depth_log2 == Some(2) && has_stencil(inputs) && inputs.chip.has(Erratum::TwoPlanesIterate256);
    if hit { (2, Erratum::TwoPlanesIterate256.doc()) } else { (htile.decompress_planes.into(), "depth planes at which tiles are decompressed") }
}

/// Returns the swizzle mode and last mip level of the target; 0 without a target.
fn surface(inputs: &DrawInputs<'_>) -> (u32, u32) {
    inputs.desc.depth.map_or((0, 0), |d| (d.surface.mode(inputs.gfx, None), d.surface.last_level))
}

fn has_depth(inputs: &DrawInputs<'_>) -> bool {
    inputs.desc.depth.is_some_and(|d| d.format != DepthFormat::S8)
}

fn has_stencil(inputs: &DrawInputs<'_>) -> bool {
    inputs.desc.depth.is_some_and(|d| d.format.has_stencil())
}

/// DB_STENCIL_INFO.
fn db_stencil_info<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let stencil = has_stencil(inputs);
    let swizzle = inputs.desc.depth.filter(|_| stencil).map_or(0, |d| d.surface.stencil_mode(inputs.gfx));
    let word = on_gfx!(inputs.gfx, r => {
        type R = r::DbStencilInfo;
        Some(Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::FORMAT, if stencil { StencilFormat::STENCIL_8 } else { StencilFormat::STENCIL_INVALID }, if stencil { "the target has 8-bit stencil" } else { "no stencil" })
            .set(R::SW_MODE, swizzle, "swizzle mode of stencil"))
    });
    let (steps, steps_rule) = iterate_256(inputs);
    let word = on_gfx!(inputs.gfx, r => {
        Gfx9 => word,
        Gfx10x | Gfx11x => word.map(|word| word.set(r::DbStencilInfo::ITERATE_256, steps, steps_rule)),
        Gfx12 => word.map(|word| word.set(r::DbStencilInfo::TILE_STENCIL_DISABLE, true, "GFX12 has no HTILE (recordings)")),
    });
    let Some(htile) = inputs.desc.depth.and_then(|depth| depth.htile) else { return word };
    let rule = if htile.stencil { "HTILE has stencil as well" } else { "HTILE has only depth" };
    let (flush, flush_rule) = if stencil { iterate_flush(&htile) } else { (false, "no stencil") };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            type R = r::DbStencilInfo;
            word.map(|word| word.set(R::TILE_STENCIL_DISABLE, !htile.stencil, rule).set(R::ITERATE_FLUSH, flush, flush_rule))
        },
        Gfx12 => word,
    })
}

/// DB_RENDER_CONTROL: whether depth is written compressed, and passes over depth; the code of the GFX11 erratum limits tiles.
fn db_render_control<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let pass = inputs.desc.pass;
    let (plain, rule) = match inputs.desc.depth.map(|depth| depth.htile) {
        None => (false, "no depth target"),
        Some(None) => (true, "the depth target has no HTILE, so it is not compressed"),
        Some(Some(_)) if pass == Some(TargetPass::DepthDecompress) => (true, "the pass decompresses the depth target"),
        Some(Some(htile)) if htile.compressed => (false, "the depth target is written compressed"),
        Some(Some(_)) => (true, "the depth target is not written compressed"),
    };
    let clears = pass == Some(TargetPass::DepthClear);
    let clear_rule = if clears { "the pass clears it" } else { "no pass clears it" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 | Gfx11x => {
            type R = r::DbRenderControl;
            let format = inputs.desc.depth.map(|depth| depth.format);
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::STENCIL_COMPRESS_DISABLE, plain, rule).set(R::DEPTH_COMPRESS_DISABLE, plain, rule);
            let word = word.set(R::DEPTH_CLEAR_ENABLE, clears && format != Some(DepthFormat::S8), clear_rule);
            Some(word.set(R::STENCIL_CLEAR_ENABLE, clears && has_stencil(inputs), clear_rule))
        },
        Gfx12 => {
            type R = r::DbRenderControl;
            let rule = "the page table says whether the target is compressed (recorded)";
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::STENCIL_COMPRESS_DISABLE, false, rule).set(R::DEPTH_COMPRESS_DISABLE, false, rule))
        },
    })
}

/// DB_RENDER_OVERRIDE (GFX12): what the errata force. Earlier generations have a constant 0.
fn db_render_override<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let test = inputs.desc.depth_test.stencil.filter(|_| has_stencil(inputs));
    let differs = test.is_some_and(|(front, back)| [front, back].iter().any(|face| face.pass != face.depth_fail));
    let valid = differs && inputs.depth_log2.is_some_and(|samples| samples > 0);
    let rule = if valid { Erratum::ForceStencilValid.doc() } else { "no stencil test of several samples whose actions differ" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => None,
        Gfx12 => {
            type R = r::DbRenderOverride;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::FORCE_STENCIL_READ, true, Erratum::ForceStencilRead.doc()).set(R::FORCE_STENCIL_VALID, valid, rule))
        },
    })
}

/// DB_DEPTH_CONTROL: the tests that act on the target's aspects.
fn db_depth_control<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let test = &inputs.desc.depth_test;
    let depth = has_depth(inputs);
    let stencil = test.stencil.filter(|_| has_stencil(inputs));
    let absent = if inputs.desc.depth.is_some() { "the target has only stencil" } else { "no depth target" };
    let rule = |present: &'static str| if depth { present } else { absent };
    on_gfx!(inputs.gfx, r => {
        type R = r::DbDepthControl;
        let word = Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::Z_ENABLE, depth && test.test, rule("depth test of the draw"))
            .set(R::Z_WRITE_ENABLE, depth && test.test && test.write, rule("depth write of the draw"))
            .set(R::ZFUNC, if depth && test.test { compare(test.compare) } else { CompareFrag::FRAG_NEVER }, rule("comparison of the draw"))
            .set(R::DEPTH_BOUNDS_ENABLE, depth && test.bounds.is_some(), rule("depth bounds of the draw"))
            .set(R::STENCIL_ENABLE, stencil.is_some(), "stencil test of the draw, where the target has stencil");
        let Some((front, back)) = stencil else { return Some(word) };
        Some(word
            .set(R::BACKFACE_ENABLE, true, "back faces have a separate stencil test")
            .set(R::STENCILFUNC, compare(front.compare), "comparison of front faces")
            .set(R::STENCILFUNC_BF, compare(back.compare), "comparison of back faces"))
    })
}

/// Returns the hardware's name of a comparison.
fn compare(compare: Compare) -> CompareFrag {
    match compare {
        Compare::Never => CompareFrag::FRAG_NEVER,
        Compare::Less => CompareFrag::FRAG_LESS,
        Compare::Equal => CompareFrag::FRAG_EQUAL,
        Compare::LessOrEqual => CompareFrag::FRAG_LEQUAL,
        Compare::Greater => CompareFrag::FRAG_GREATER,
        Compare::NotEqual => CompareFrag::FRAG_NOTEQUAL,
        Compare::GreaterOrEqual => CompareFrag::FRAG_GEQUAL,
        Compare::Always => CompareFrag::FRAG_ALWAYS,
    }
}

/// Returns the hardware's name of an action. Replace takes the reference; counting adds or subtracts STENCILOPVAL, which is 1.
fn stencil_op(action: StencilAction) -> StencilOp {
    match action {
        StencilAction::Keep => StencilOp::STENCIL_KEEP,
        StencilAction::Zero => StencilOp::STENCIL_ZERO,
        StencilAction::Replace => StencilOp::STENCIL_REPLACE_TEST,
        StencilAction::IncrementClamp => StencilOp::STENCIL_ADD_CLAMP,
        StencilAction::DecrementClamp => StencilOp::STENCIL_SUB_CLAMP,
        StencilAction::Invert => StencilOp::STENCIL_INVERT,
        StencilAction::IncrementWrap => StencilOp::STENCIL_ADD_WRAP,
        StencilAction::DecrementWrap => StencilOp::STENCIL_SUB_WRAP,
    }
}

/// DB_STENCIL_CONTROL.
fn db_stencil_control<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let (front, back) = inputs.desc.depth_test.stencil.filter(|_| has_stencil(inputs)).unwrap_or_default();
    let rule = "stencil actions of the draw";
    on_gfx!(inputs.gfx, r => {
        type R = r::DbStencilControl;
        Some(Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::STENCILFAIL, stencil_op(front.fail), rule)
            .set(R::STENCILZPASS, stencil_op(front.pass), rule)
            .set(R::STENCILZFAIL, stencil_op(front.depth_fail), rule)
            .set(R::STENCILFAIL_BF, stencil_op(back.fail), rule)
            .set(R::STENCILZPASS_BF, stencil_op(back.pass), rule)
            .set(R::STENCILZFAIL_BF, stencil_op(back.depth_fail), rule))
    })
}

/// References and masks of front and back faces: DB_STENCILREFMASK and _BF up to GFX11.5; DB_STENCIL_REF, OPVAL, READ_MASK, WRITE_MASK on GFX12. In the order
/// of addresses; None for what the generation does not have.
#[inline]
pub(crate) fn stencil_words<S: Why>(gfx: Gfx, front: &StencilFace, back: &StencilFace) -> [Option<Word<S>>; 4] {
    let rule = "stencil reference, masks and step of the draw";
    on_gfx!(gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            macro_rules! masks {
                ($register:ident, $face:ident, $test:ident, $read:ident, $write:ident, $step:ident) => {{
                    type R = r::$register;
                    let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::$test, $face.reference, rule).set(R::$read, $face.read_mask, rule);
                    word.set(R::$write, $face.write_mask, rule).set(R::$step, 1u32, rule)
                }};
            }
            let front = masks!(DbStencilrefmask, front, STENCILTESTVAL, STENCILMASK, STENCILWRITEMASK, STENCILOPVAL);
            let back = masks!(DbStencilrefmaskBf, back, STENCILTESTVAL_BF, STENCILMASK_BF, STENCILWRITEMASK_BF, STENCILOPVAL_BF);
            [Some(front), Some(back), None, None]
        },
        Gfx12 => {
            type Reference = r::DbStencilRef;
            type Read = r::DbStencilReadMask;
            type Write = r::DbStencilWriteMask;
            type Step = r::DbStencilOpval;
            [
                Some(Word::new(On::<Reference, { r::GFX }>::SLOT).set(Reference::TESTVAL, front.reference, rule).set(Reference::TESTVAL_BF, back.reference, rule)),
                Some(Word::new(On::<Step, { r::GFX }>::SLOT).set(Step::OPVAL, 1u32, rule).set(Step::OPVAL_BF, 1u32, rule)),
                Some(Word::new(On::<Read, { r::GFX }>::SLOT).set(Read::TESTMASK, front.read_mask, rule).set(Read::TESTMASK_BF, back.read_mask, rule)),
                Some(Word::new(On::<Write, { r::GFX }>::SLOT).set(Write::WRITEMASK, front.write_mask, rule).set(Write::WRITEMASK_BF, back.write_mask, rule)),
            ]
        },
    })
}

/// DB_DEPTH_VIEW (GFX12: and VIEW1): layers, mip level, missing aspects.
fn view<S: Why>(inputs: &DrawInputs<'_>, target: &DepthTarget, sheet: &mut Sheet<S>) {
    let (first, last) = target.surface.layers;
    let (layers, level_rule, aspect) = ("layers of the depth target", "mip level of the depth target", "an aspect that is not there is never written");
    let (level, no_depth, no_stencil) = (target.surface.level, !has_depth(inputs), !has_stencil(inputs));
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::DbDepthView;
            sheet.add(Some(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::SLICE_START, first, layers)
                .set(R::SLICE_MAX, last, layers)
                .set(R::Z_READ_ONLY, no_depth, aspect)
                .set(R::STENCIL_READ_ONLY, no_stencil, aspect)
                .set(R::MIPID, level, level_rule)));
        },
        Gfx10x | Gfx11x => {
            type R = r::DbDepthView;
            sheet.add(Some(Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::SLICE_START, first & 0x7FF, layers)
                .set(R::SLICE_START_HI, first >> 11, layers)
                .set(R::SLICE_MAX, last & 0x7FF, layers)
                .set(R::SLICE_MAX_HI, last >> 11, layers)
                .set(R::Z_READ_ONLY, no_depth, aspect)
                .set(R::STENCIL_READ_ONLY, no_stencil, aspect)
                .set(R::MIPID, level, level_rule)));
        },
        Gfx12 => {
            type R = r::DbDepthView;
            type R1 = r::DbDepthView1;
            sheet.add(Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::SLICE_START, first, layers).set(R::SLICE_MAX, last, layers)));
            sheet.add(Some(Word::new(On::<R1, { r::GFX }>::SLOT)
                .set(R1::Z_READ_ONLY, no_depth, aspect)
                .set(R1::STENCIL_READ_ONLY, no_stencil, aspect)
                .set(R1::MIPID, level, level_rule)));
        },
    });
}

/// DB_DEPTH_SIZE (GFX9) or DB_DEPTH_SIZE_XY; on GFX9 also the pitches, in pixels (captures).
fn size<S: Why>(inputs: &DrawInputs<'_>, target: &DepthTarget, sheet: &mut Sheet<S>) {
    let (width, height) = inputs.desc.extent;
    let rule = "size of the depth target, minus 1";
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::DbDepthSize;
            type Pitch = r::DbZInfo2;
            type Stencil = r::DbStencilInfo2;
            let surface = target.surface;
            let pitch = surface.pitch.unwrap_or(width) - 1;
            let stencil = if has_stencil(inputs) { surface.stencil_pitch.or(surface.pitch).unwrap_or(width) - 1 } else { 0 };
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT).set(R::X_MAX, width - 1, rule).set(R::Y_MAX, height - 1, rule));
            sheet.add(Word::new(On::<Pitch, { r::GFX }>::SLOT).set(Pitch::EPITCH, pitch, "pitch of the depth target in pixels, minus 1"));
            sheet.add(Word::new(On::<Stencil, { r::GFX }>::SLOT).set(Stencil::EPITCH, stencil, "pitch of stencil in pixels, minus 1"));
        },
        Gfx10x | Gfx11x | Gfx12 => {
            type R = r::DbDepthSizeXy;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT).set(R::X_MAX, width - 1, rule).set(R::Y_MAX, height - 1, rule));
        },
    });
}

/// Returns the stencil address: a stencil-only target may give it as the address of the target.
fn stencil_address(target: &DepthTarget) -> u64 {
    match (target.format, target.surface) {
        (DepthFormat::S8, Surface { address, stencil_address: 0, .. }) => address,
        (_, Surface { stencil_address, .. }) => stencil_address,
    }
}

/// DB_Z_READ_BASE to DB_STENCIL_WRITE_BASE_HI: the addresses of the target's aspects, the same for reads and writes.
fn addresses<S: Why>(inputs: &DrawInputs<'_>, target: &DepthTarget, sheet: &mut Sheet<S>) {
    let parts = |address: u64| ((address >> 8) as u32, (address >> 40) as u32);
    let ((depth, depth_hi), (stencil, stencil_hi)) = (parts(target.surface.address), parts(stencil_address(target)));
    let (low, high) = ("address of the depth target >> 8", "address of the depth target >> 40");
    on_gfx!(inputs.gfx, r => {
        sheet.add(Word::new(On::<r::DbZReadBase, { r::GFX }>::SLOT).whole(depth, low));
        sheet.add(Word::new(On::<r::DbZReadBaseHi, { r::GFX }>::SLOT).whole(depth_hi, high));
        sheet.add(Word::new(On::<r::DbZWriteBase, { r::GFX }>::SLOT).whole(depth, low));
        sheet.add(Word::new(On::<r::DbZWriteBaseHi, { r::GFX }>::SLOT).whole(depth_hi, high));
        sheet.add(Word::new(On::<r::DbStencilReadBase, { r::GFX }>::SLOT).whole(stencil, low));
        sheet.add(Word::new(On::<r::DbStencilReadBaseHi, { r::GFX }>::SLOT).whole(stencil_hi, high));
        sheet.add(Word::new(On::<r::DbStencilWriteBase, { r::GFX }>::SLOT).whole(stencil, low));
        sheet.add(Word::new(On::<r::DbStencilWriteBaseHi, { r::GFX }>::SLOT).whole(stencil_hi, high));
    });
}

/// DB_COUNT_CONTROL: occlusion counting.
fn db_count_control<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let occlusion = inputs.desc.occlusion;
    let (on, precise) = (occlusion != Occlusion::Off, occlusion == Occlusion::Precise);
    let (rule, off) = ("an occlusion query counts samples", "no query is active");
    let samples = inputs.coverage_log2;
    let exact = if precise { "the exact number of samples is asked for" } else { "any or none is enough" };
    macro_rules! counting {
        ($r:ident, $word:expr) => {{
            type R = $r::DbCountControl;
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
            let word = Word::new(On::<R, { r::GFX }>::SLOT);
            if !on { return Some(word.set(R::ZPASS_INCREMENT_DISABLE, true, off)); }
            Some(counting!(r, word).set(R::SAMPLE_RATE, samples, "coverage samples, log2"))
        },
        Gfx10x => {
            type R = r::DbCountControl;
            let word = Word::new(On::<R, { r::GFX }>::SLOT);
            if !on { return Some(word.set(R::ZPASS_INCREMENT_DISABLE, true, off)); }
            let word = counting!(r, word).set(R::SAMPLE_RATE, samples, "coverage samples, log2");
            Some(word.set(R::DISABLE_CONSERVATIVE_ZPASS_COUNTS, precise, exact))
        },
        Gfx11x => {
            type R = r::DbCountControl;
            let word = Word::new(On::<R, { r::GFX }>::SLOT);
            if !on { return Some(word.set(R::ZPASS_ENABLE, 0u32, off)); }
            let word = counting!(r, word).set(R::SAMPLE_RATE, samples, "coverage samples, log2");
            Some(word.set(R::DISABLE_CONSERVATIVE_ZPASS_COUNTS, precise, exact))
        },
        Gfx12 => {
            type R = r::DbCountControl;
            let word = Word::new(On::<R, { r::GFX }>::SLOT);
            let _ = samples;
            if !on { return Some(word.set(R::ZPASS_ENABLE, 0u32, off)); }
            Some(counting!(r, word).set(R::DISABLE_CONSERVATIVE_ZPASS_COUNTS, precise, exact))
        },
    })
}

/// Returns the words of the depth bounds.
#[inline]
pub(crate) fn bounds_words<S: Why>(gfx: Gfx, (min, max): (f32, f32)) -> [Word<S>; 2] {
    let rule = "depth bounds of the draw, as a float";
    on_gfx!(gfx, r => [
        Word::new(On::<r::DbDepthBoundsMin, { r::GFX }>::SLOT).whole(min.to_bits(), rule),
        Word::new(On::<r::DbDepthBoundsMax, { r::GFX }>::SLOT).whole(max.to_bits(), rule),
    ])
}

/// Adds the depth registers except those of the image.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(db_z_info(inputs));
    sheet.add(db_stencil_info(inputs));
    sheet.add(db_render_control(inputs));
    sheet.add(db_render_override(inputs));
    sheet.add(db_depth_control(inputs));
    sheet.add(db_stencil_control(inputs));
    sheet.add(db_count_control(inputs));
}

/// Adds the registers that describe the image of the depth target, except DB_Z_INFO and DB_STENCIL_INFO: metadata, view, size, addresses.
pub(crate) fn add_image<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    hierarchical::add(inputs, sheet);
    if let Some(target) = &inputs.desc.depth {
        view(inputs, target, sheet);
        size(inputs, target, sheet);
        addresses(inputs, target, sheet);
    }
}
