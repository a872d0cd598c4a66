//! Colour surfaces: the contents of CB_COLORn in each generation's layout; for metadata see [`compression`].

use crate::draw::check::color_format::{channels, hardware};
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::check::effective_draw::ColorTarget;
use crate::draw::decide::compression;
use crate::draw::sheet::{On, Sheet, Why, Word};

/// CB_COLORn_INFO; FORMAT is 0 for an unbound target.
fn info<S: Why>(inputs: &DrawInputs<'_>, index: u32, target: Option<&ColorTarget<'_>>) -> Option<Word<S>> {
    let word = on_gfx!(each inputs.gfx, r => {
        type R = r::CbColorInfo;
        let word = Word::element(On::<R, { r::GFX }>::PLACE, index)?;
        let Some(target) = target else { return Some(word.set(R::FORMAT, r::ColorFormat::COLOR_INVALID, "no target is bound")) };
        let format = hardware(target.format);
        let (integer, normalized) = (target.format.is_integer(), format.is_normalized());
        Some(word
            .set(R::FORMAT, channels(inputs.gfx, target.format), "channels of the target's format")
            .set(R::NUMBER_TYPE, format.number, "numbers of the target's format")
            .set(R::COMP_SWAP, format.swap, "order of the channels")
            .set(R::BLEND_CLAMP, normalized, "normalized numbers are clamped before blending")
            .set(R::BLEND_BYPASS, integer, "integers do not blend")
            .set(R::SIMPLE_FLOAT, true, "always set (Mesa 25.0.7, captures)")
            .set(R::ROUND_MODE, !normalized, "round to nearest for normalized numbers, truncate others (Mesa 25.0.7)"))
    });
    // The fields of compression, up to GFX10.3.
    let Some(compression) = target.and_then(|target| target.compression) else { return word };
    let fmask = compression.fmask;
    let (compressed, single) = (fmask.is_some_and(|fmask| fmask.compressed), fmask.is_some_and(|fmask| fmask.single_fragments));
    let dcc = if compression.dcc.is_some() { "the target has DCC" } else { "the target has no DCC" };
    let samples = if compressed { "samples are compressed" } else { "samples are not compressed" };
    let cmask = if compression.cmask.is_some() { "the target has CMASK: blocks can be cleared at once" } else { "the target has no CMASK" };
    let fragments = if single { "shaders read FMASK" } else { "shaders do not read FMASK" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 => {
            type R = r::CbColorInfo;
            word.map(|word| word
                .set(R::FAST_CLEAR, compression.cmask.is_some(), cmask)
                .set(R::COMPRESSION, compressed, samples)
                .set(R::FMASK_COMPRESS_1FRAG_ONLY, single, fragments)
                .set(R::DCC_ENABLE, compression.dcc.is_some(), dcc))
        },
        Gfx11x | Gfx12 => word,
    })
}

/// CB_COLORn_BASE and its upper bits.
fn base<S: Why>(inputs: &DrawInputs<'_>, index: u32, target: &ColorTarget<'_>, sheet: &mut Sheet<S>) {
    let (lo, hi) = ((target.surface.address >> 8) as u32, (target.surface.address >> 40) as u32);
    sheet.add(on_gfx!(inputs.gfx, r => {
        type R = r::CbColorBase;
        Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w.set(R::BASE_256B, lo, "address of the target >> 8"))
    }));
    sheet.add(on_gfx!(inputs.gfx, r => {
        type R = r::CbColorBaseExt;
        Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w.set(R::BASE_256B, hi, "address of the target >> 40"))
    }));
}

/// CB_COLORn_VIEW (GFX12: and VIEW2): layers and mip level.
fn view<S: Why>(inputs: &DrawInputs<'_>, index: u32, target: &ColorTarget<'_>, sheet: &mut Sheet<S>) {
    let (first, last) = target.surface.layers;
    let level = target.surface.level;
    let (layers, level_rule) = ("layers of the target", "mip level of the target");
    sheet.add(on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            type R = r::CbColorView;
            Word::element(On::<R, { r::GFX }>::PLACE, index)
                .map(|w| w.set(R::SLICE_START, first, layers).set(R::SLICE_MAX, last, layers).set(R::MIP_LEVEL, level, level_rule))
        },
        Gfx12 => {
            type R = r::CbColorView;
            Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w.set(R::SLICE_START, first, layers).set(R::SLICE_MAX, last, layers))
        },
    }));
    sheet.add(on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => None,
        Gfx12 => Word::element(On::<r::CbColorView2, { r::GFX }>::PLACE, index).map(|w| w.set(r::CbColorView2::MIP_LEVEL, level, level_rule)),
    }));
}

/// Returns MIP0_WIDTH plus 1: from GFX10.3 on the pitch, where a target has its own (Mesa 25.0.7 ac_descriptors.c).
fn held_width(inputs: &DrawInputs<'_>, target: &ColorTarget<'_>) -> (u32, &'static str) {
    match target.surface.pitch {
        Some(pitch) if inputs.gfx.version() >= (10, 3) => (pitch, "pitch of a linear target in pixels, minus 1"),
        _ => (inputs.desc.extent.0, SIZE),
    }
}

const SIZE: &str = "size of the target, minus 1";

/// CB_COLORn_ATTRIB, ATTRIB2 and ATTRIB3: samples, size, kind of image, swizzle.
fn attrib<S: Why>(inputs: &DrawInputs<'_>, index: u32, target: &ColorTarget<'_>, sheet: &mut Sheet<S>) {
    let samples = target.samples.unwrap_or(inputs.desc.samples);
    let surface = target.surface;
    let (swizzle, last) = (surface.mode(inputs.gfx, Some(samples)), surface.layers.1);
    let samples = samples.trailing_zeros();
    let ((width, width_rule), height) = (held_width(inputs, target), inputs.desc.extent.1);
    let no_alpha = hardware(target.format).no_alpha;
    let metadata = target.compression.unwrap_or_default();
    let fmask = u32::from(metadata.fmask.map_or(0, |fmask| fmask.swizzle));
    let (fmask_rule, aligned) = (if metadata.fmask.is_some() { "swizzle mode of FMASK" } else { "no FMASK" }, "how metadata is aligned");
    let (cmask_aligned, dcc_aligned) = (metadata.pipe_aligned && metadata.cmask.is_some(), metadata.pipe_aligned && metadata.dcc.is_some());
    let alpha_rule = if no_alpha { "the format has no alpha: blending reads 1" } else { "the format has alpha" };
    let samples_rule = "samples of the target, log2";
    let (two_d, tiling) = ("a 2D image", "swizzle mode of the target");
    let depth = "last layer of the target";
    sheet.add(on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::CbColorAttrib;
            Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w
                .set(R::MIP0_DEPTH, last, depth)
                .set(R::NUM_SAMPLES, samples, samples_rule)
                .set(R::NUM_FRAGMENTS, samples, samples_rule)
                .set(R::COLOR_SW_MODE, swizzle, tiling)
                .set(R::RESOURCE_TYPE, 1u32, two_d)
                .set(R::FMASK_SW_MODE, fmask, fmask_rule)
                .set(R::RB_ALIGNED, metadata.rb_aligned, aligned)
                .set(R::PIPE_ALIGNED, metadata.pipe_aligned, aligned)
                .set(R::FORCE_DST_ALPHA_1, no_alpha, alpha_rule))
        },
        Gfx10x => {
            type R = r::CbColorAttrib;
            Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w
                .set(R::NUM_SAMPLES, samples, samples_rule)
                .set(R::NUM_FRAGMENTS, samples, samples_rule)
                .set(R::FORCE_DST_ALPHA_1, no_alpha, alpha_rule))
        },
        Gfx11x | Gfx12 => {
            type R = r::CbColorAttrib;
            Word::element(On::<R, { r::GFX }>::PLACE, index)
                .map(|w| w.set(R::NUM_FRAGMENTS, samples, samples_rule).set(R::FORCE_DST_ALPHA_1, no_alpha, alpha_rule))
        },
    }));
    sheet.add(on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            type R = r::CbColorAttrib2;
            Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w
                .set(R::MIP0_WIDTH, width - 1, width_rule)
                .set(R::MIP0_HEIGHT, height - 1, SIZE)
                .set(R::MAX_MIP, surface.last_level, "mip levels of the target, minus 1"))
        },
        Gfx12 => {
            type R = r::CbColorAttrib2;
            Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w.set(R::MIP0_WIDTH, width - 1, width_rule).set(R::MIP0_HEIGHT, height - 1, SIZE))
        },
    }));
    sheet.add(on_gfx!(inputs.gfx, r => {
        Gfx9 => None,
        Gfx10 | Gfx103 => {
            type R = r::CbColorAttrib3;
            Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w
                .set(R::MIP0_DEPTH, last, depth)
                .set(R::COLOR_SW_MODE, swizzle, tiling)
                .set(R::RESOURCE_TYPE, 1u32, two_d)
                .set(R::FMASK_SW_MODE, fmask, fmask_rule)
                .set(R::CMASK_PIPE_ALIGNED, cmask_aligned, aligned)
                .set(R::DCC_PIPE_ALIGNED, dcc_aligned, aligned)
                .set(R::RESOURCE_LEVEL, 1u32, "always 1 on GFX10 (Mesa 25.0.7, captures)"))
        },
        Gfx11x => {
            type R = r::CbColorAttrib3;
            Word::element(On::<R, { r::GFX }>::PLACE, index)
                .map(|w| w.set(R::MIP0_DEPTH, last, depth).set(R::COLOR_SW_MODE, swizzle, tiling).set(R::RESOURCE_TYPE, 1u32, two_d))
                .map(|w| w.set(R::DCC_PIPE_ALIGNED, dcc_aligned, aligned))
        },
        Gfx12 => {
            type R = r::CbColorAttrib3;
            Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w
                .set(R::MIP0_DEPTH, last, depth)
                .set(R::COLOR_SW_MODE, swizzle, tiling)
                .set(R::MAX_MIP, surface.last_level, "mip levels of the target, minus 1")
                .set(R::RESOURCE_TYPE, 1u32, two_d))
        },
    }));
}

/// The pitch: CB_MRTn_EPITCH on GFX9, in pixels, minus 1 (captures; unverified for swizzle modes that they do not show). GFX10 has such registers but does not
/// use them, and drivers write 0 (captures); other generations have none. For the pitch of later generations see [`held_width`].
fn pitch<S: Why>(inputs: &DrawInputs<'_>, index: u32, target: &ColorTarget<'_>, sheet: &mut Sheet<S>) {
    let pixels = target.surface.pitch.unwrap_or(inputs.desc.extent.0) - 1;
    let unused = "not used on GFX10, which takes sizes from ATTRIB2: 0";
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::CbMrtEpitch;
            sheet.add(Word::element(On::<R, { r::GFX }>::PLACE, index).map(|w| w.set(R::EPITCH, pixels, "pitch in pixels, minus 1")));
        },
        Gfx10x => {
            sheet.add(Word::element(On::<r::CbColorPitch, { r::GFX }>::PLACE, index).map(|w| w.whole(0, unused)));
            sheet.add(Word::element(On::<r::CbColorSlice, { r::GFX }>::PLACE, index).map(|w| w.whole(0, unused)));
        },
        Gfx11x | Gfx12 => {},
    });
}

/// Adds the colour surfaces: INFO for all eight, the other registers for bound targets.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    for index in 0..8 {
        let target = inputs.desc.color.get(index as usize);
        sheet.add(info(inputs, index, target.as_ref()));
        if let Some(target) = &target {
            base(inputs, index, target, sheet);
            view(inputs, index, target, sheet);
            attrib(inputs, index, target, sheet);
            pitch(inputs, index, target, sheet);
            compression::add(inputs, index, target, sheet);
        }
    }
}
