//! Rasterization: binning, primitive type, faces, lines, clipping, conservative rasterization.

use crate::chip::{Chip, Erratum, Gfx};
use crate::draw::check::color_format::hardware;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::decide::clip_planes;
use crate::draw::desc::topology::Class;
use crate::draw::desc::{ConservativeRaster, Cull, DepthBias, DepthFormat, LineMode, PolygonMode, Topology, VertexPath, Winding};
use crate::draw::sheet::{On, Sheet, Why, Word};
use crate::regs::layout::{PaSuScModeCntlPolyMode as PolyMode, PaSuScModeCntlPolymodeFrontPtype as DrawnAs};

/// Returns BINNING_MODE and the reason; the value that switches bins off depends on the generation. On GFX11 and later the sources differ in the names of the
/// values, not in the numbers (Mesa 25.0.7 radv_cmd_buffer.c).
fn binning_mode(inputs: &DrawInputs<'_>) -> (u32, &'static str) {
    let on = inputs.desc.binning.is_some();
    let rule = if on { "binning is on" } else { "binning is off; the value is the generation's" };
    let mode: u32 = on_gfx!(inputs.gfx, r => {
        Gfx9 => if on { r::BinningMode::BINNING_ALLOWED } else { r::BinningMode::DISABLE_BINNING_USE_LEGACY_SC }.into(),
        Gfx10x => if on { r::BinningMode::BINNING_ALLOWED } else { r::BinningMode::DISABLE_BINNING_USE_NEW_SC }.into(),
        Gfx11 => if on { r::BinningMode::BINNING_ALLOWED } else { r::BinningMode::BINNING_ONE_PRIM_PER_BATCH }.into(),
        Gfx115 | Gfx12 => if on { r::BinningMode::BINNING_ALLOWED } else { r::BinningMode::BINNING_DISABLED }.into(),
    });
    (mode, rule)
}

/// Returns the width and height of bins and the reason. While binning is off, from GFX10 on 128 by 128 pixels, or 64 high where every target has more than 4
/// bytes per pixel, which is too low for GFX12 (Mesa 2026 radv_get_disabled_binning_state).
fn bin_size(inputs: &DrawInputs<'_>) -> (u32, u32, &'static str) {
    let narrowest = inputs.desc.color.iter().map(|color| hardware(color.format).bytes).min().unwrap_or(0);
    match (inputs.desc.binning, inputs.gfx.major()) {
        (Some(bins), _) => (bins.width, bins.height, "size of bins asked for"),
        (None, 9) => (32, 32, "no size counts while binning is off"),
        (None, 10 | 11) if narrowest > 4 => (128, 64, "binning is off; targets of more than 4 bytes per pixel halve the height"),
        (None, _) => (128, 128, "binning is off; 128 by 128 pixels"),
    }
}

/// PA_SC_BINNER_CNTL_0: bins, their size, limits and mapping.
fn pa_sc_binner_cntl_0<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let ((mode, mode_rule), (width, height, size_rule)) = (binning_mode(inputs), bin_size(inputs));
    let extend = |size: u32| size.max(32).trailing_zeros() - 5;
    // GFX12 has the same limits with binning and without (Mesa 2026 radv_get_disabled_binning_state).
    let on = inputs.desc.binning.is_some() || inputs.gfx.major() == 12;
    let (state, limits) = ("one state per bin: more can hang from GFX10 on, and lose viewport scissors on GFX9", "as in RADV with binning (captures)");
    macro_rules! bins {
        ($r:ident) => {{
            type R = $r::PaScBinnerCntl0;
            Word::new(On::<R, { $r::GFX }>::SLOT)
                .set(R::BINNING_MODE, mode, mode_rule)
                .set(R::BIN_SIZE_X, width == 16, size_rule)
                .set(R::BIN_SIZE_Y, height == 16, size_rule)
                .set(R::BIN_SIZE_X_EXTEND, extend(width), size_rule)
                .set(R::BIN_SIZE_Y_EXTEND, extend(height), size_rule)
                .set(R::CONTEXT_STATES_PER_BIN, 0u32, state)
                .set(R::PERSISTENT_STATES_PER_BIN, 0u32, "one state per bin")
                .set(R::DISABLE_START_OF_PRIM, on, limits)
                .set(R::FPOVS_PER_BATCH, if on { 63u32 } else { 0 }, limits)
                .set(R::OPTIMAL_BIN_SELECTION, on, limits)
        }};
    }
    let transition = "bins are flushed when binning is switched on or off (Mesa 25.0.7: on Vega12, Vega20, Raven2 and later chips)";
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            let flush = on && !matches!(inputs.chip, Chip::Vega10 | Chip::Raven);
            Some(bins!(r).set(r::PaScBinnerCntl0::FLUSH_ON_BINNING_TRANSITION, flush, transition))
        },
        Gfx10x | Gfx11 | Gfx115 => {
            type R = r::PaScBinnerCntl0;
            let pops = inputs.desc.expert.bin_mapping_pops;
            let mapping = if pops { r::BinMapMode::BIN_MAP_MODE_POPS } else { r::BinMapMode::BIN_MAP_MODE_NONE };
            let rule = if pops { "asked for as an expert option" } else { "no driver uses another mode" };
            Some(bins!(r).set(R::FLUSH_ON_BINNING_TRANSITION, on, transition).set(R::BIN_MAPPING_MODE, mapping, rule))
        },
        Gfx12 => {
            type R = r::PaScBinnerCntl0;
            let word = bins!(r).set(R::FLUSH_ON_BINNING_TRANSITION, on, transition);
            Some(word.set(R::BIN_MAPPING_MODE, r::BinMapMode::BIN_MAP_MODE_NONE, "GFX12 reserves the POPS mode"))
        },
    })
}

/// VGT_MULTI_PRIM_IB_RESET_EN (GFX9) or GE_MULTI_PRIM_IB_RESET_EN: whether an index restarts strips. The index has all bits set; a stream writes it once.
fn primitive_restart<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let on = inputs.desc.primitive_restart;
    let rule = if on { "the index of all ones starts a new strip" } else { "strips never restart" };
    on_gfx!(inputs.gfx, r => {
        Gfx9 => {
            type R = r::VgtMultiPrimIbResetEn;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::RESET_EN, on, rule))
        },
        Gfx10x => {
            type R = r::GeMultiPrimIbResetEn;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::RESET_EN, on, rule))
        },
        Gfx11x | Gfx12 => {
            type R = r::GeMultiPrimIbResetEn;
            let auto = "strips never restart in draws without an index buffer";
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::RESET_EN, on, rule).set(R::DISABLE_FOR_AUTO_INDEX, true, auto))
        },
    })
}

/// PA_SU_SMALL_PRIM_FILTER_CNTL: on; the code of an erratum switches it off on some chips.
fn small_primitives<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let rule = "primitives that cover no sample are dropped early";
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 | Gfx11x => {
            type R = r::PaSuSmallPrimFilterCntl;
            Some(Word::new(On::<R, { r::GFX }>::SLOT).set(R::SMALL_PRIM_FILTER_ENABLE, true, rule))
        },
        Gfx12 => {
            type R = r::PaSuSmallPrimFilterCntl;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::SMALL_PRIM_FILTER_ENABLE, true, rule);
            Some(word.set(R::SC_1XMSAA_COMPATIBLE_DISABLE, true, "GFX12, as in RADV and PAL"))
        },
    })
}

/// VGT_PRIMITIVE_TYPE: the primitives that the draw gives to the geometry engine: points for a mesh shader.
fn vgt_primitive_type<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    on_gfx!(inputs.gfx, r => {
        type R = r::VgtPrimitiveType;
        use r::VgtDiPrimType as Type;
        let kind = match inputs.desc.topology {
            _ if inputs.desc.mesh.is_some() => Type::DI_PT_POINTLIST,
            Topology::PointList => Type::DI_PT_POINTLIST,
            Topology::LineList => Type::DI_PT_LINELIST,
            Topology::LineStrip => Type::DI_PT_LINESTRIP,
            Topology::TriangleList => Type::DI_PT_TRILIST,
            Topology::TriangleFan => Type::DI_PT_TRIFAN,
            Topology::TriangleStrip => Type::DI_PT_TRISTRIP,
            Topology::LineListAdjacency => Type::DI_PT_LINELIST_ADJ,
            Topology::LineStripAdjacency => Type::DI_PT_LINESTRIP_ADJ,
            Topology::TriangleListAdjacency => Type::DI_PT_TRILIST_ADJ,
            Topology::TriangleStripAdjacency => Type::DI_PT_TRISTRIP_ADJ,
            Topology::RectList => Type::DI_PT_RECTLIST,
            Topology::PatchList => Type::DI_PT_PATCH,
        };
        let rule = if inputs.desc.mesh.is_some() { "a workgroup of a mesh shader counts as a point" } else { "topology of the draw" };
        Some(control_points(inputs, Word::new(On::<R, { r::GFX }>::SLOT).set(R::PRIM_TYPE, kind, rule)))
    })
}

/// Sets VGT_PRIMITIVE_TYPE.NUM_INPUT_CP on GFX12: 0 without patches (PAL 04/2025).
fn control_points<S: Why>(inputs: &DrawInputs<'_>, word: Word<S>) -> Word<S> {
    let (points, rule) = inputs.desc.tessellation.as_ref().map_or((0, "no patches"), |patches| (patches.input_points, "control points of a patch"));
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => word,
        Gfx12 => word.set(r::VgtPrimitiveType::NUM_INPUT_CP, points, rule),
    })
}

/// VGT_GS_OUT_PRIM_TYPE: points, lines or triangles leave the geometry front end. NGG rasterizes rectangles as such, as 3; the hardware VS turns them into
/// triangles (captures).
fn vgt_gs_out_prim_type<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let desc = inputs.desc;
    let rectangles = desc.topology == Topology::RectList && desc.mesh.is_none() && inputs.path == VertexPath::Ngg;
    let rule = match (rectangles, desc.mesh.is_some() || desc.geometry.is_some(), desc.tessellation.is_some()) {
        (true, ..) => "rectangles, which NGG supports",
        (_, true, _) => "points, lines or polygons that the geometry or mesh shader makes",
        (.., true) => "points, lines or polygons that the tessellator makes",
        _ => "points, lines or polygons, from the topology",
    };
    macro_rules! kind {
        ($r:ident, $rectangles:ident) => {{
            type R = $r::VgtGsOutPrimType;
            use $r::VgtGsOutprimType as Type;
            let kind = match inputs.desc.rasterized() {
                Class::Points => Type::POINTLIST,
                Class::Lines => Type::LINESTRIP,
                Class::Polygons if rectangles => Type::$rectangles,
                Class::Polygons => Type::TRISTRIP,
            };
            Some(Word::new(On::<R, { $r::GFX }>::SLOT).set(R::OUTPRIM_TYPE, kind, rule))
        }};
    }
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x => kind!(r, RECTLIST),
        Gfx11x | Gfx12 => kind!(r, RECT_2D),
    })
}

/// PA_SU_SC_MODE_CNTL: faces, filling, depth bias.
fn pa_su_sc_mode_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let raster = &inputs.desc.raster;
    let kind = match raster.polygon {
        PolygonMode::Fill => DrawnAs::X_DRAW_TRIANGLES,
        PolygonMode::Line => DrawnAs::X_DRAW_LINES,
        PolygonMode::Point => DrawnAs::X_DRAW_POINTS,
    };
    let mode = if raster.polygon == PolygonMode::Fill { PolyMode::X_DISABLE_POLY_MODE } else { PolyMode::X_DUAL_MODE };
    let bias = raster.depth_bias.is_some();
    let (cull, fill) = ("faces that the draw drops", "how polygons are filled");
    let bias_rule = if bias { "depth bias of the draw" } else { "no depth bias" };
    on_gfx!(inputs.gfx, r => {
        type R = r::PaSuScModeCntl;
        Some(Word::new(On::<R, { r::GFX }>::SLOT)
            .set(R::CULL_FRONT, matches!(raster.cull, Cull::Front | Cull::FrontAndBack), cull)
            .set(R::CULL_BACK, matches!(raster.cull, Cull::Back | Cull::FrontAndBack), cull)
            .set(R::FACE, raster.front == Winding::Clockwise, "winding of front faces")
            .set(R::POLY_MODE, mode, fill)
            .set(R::POLYMODE_FRONT_PTYPE, kind, fill)
            .set(R::POLYMODE_BACK_PTYPE, kind, fill)
            .set(R::POLY_OFFSET_FRONT_ENABLE, bias, bias_rule)
            .set(R::POLY_OFFSET_BACK_ENABLE, bias, bias_rule)
            .set(R::POLY_OFFSET_PARA_ENABLE, bias, bias_rule)
            .set(R::PROVOKING_VTX_LAST, raster.provoking_vertex_last, "vertex whose values flat attributes take"))
    })
}

/// PA_CL_CLIP_CNTL: Vulkan's clip space, depth clamping, rasterizer discard.
fn pa_cl_clip_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let raster = &inputs.desc.raster;
    let (clip, cull_only) = (clip_planes::enabled(inputs), raster.clip_planes.is_some_and(|clip| clip.cull_only));
    let clamp = if raster.depth_clamp { "depth is clamped instead" } else { "depth is clipped" };
    on_gfx!(inputs.gfx, r => {
        type R = r::PaClClipCntl;
        let planes = [R::UCP_ENA_0, R::UCP_ENA_1, R::UCP_ENA_2, R::UCP_ENA_3, R::UCP_ENA_4, R::UCP_ENA_5];
        let word = planes.into_iter().enumerate().filter(|(at, _)| clip >> at & 1 == 1).fold(Word::new(On::<R, { r::GFX }>::SLOT), |word, (_, field)| {
            word.set(field, true, "the plane clips")
        });
        Some(word
            .set(R::UCP_CULL_ONLY_ENA, cull_only, if cull_only { "planes only drop whole primitives" } else { "planes clip, if there are any" })
            .set(R::DX_CLIP_SPACE_DEF, true, "clip z from 0 to w")
            .set(R::DX_LINEAR_ATTR_CLIP_ENA, true, "attributes without perspective are clipped linearly (Mesa 25.0.7, captures)")
            .set(R::ZCLIP_NEAR_DISABLE, raster.depth_clamp, clamp)
            .set(R::ZCLIP_FAR_DISABLE, raster.depth_clamp, clamp)
            .set(R::DX_RASTERIZATION_KILL, raster.discard, if raster.discard { "nothing is rasterized" } else { "primitives are rasterized" }))
    })
}

/// PA_SU_LINE_CNTL: width in 1/8 pixel, which is half the width in 1/16.
fn pa_su_line_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let width = (inputs.desc.raster.line_width * 8.0) as u32;
    on_gfx!(inputs.gfx, r => Some(Word::new(On::<r::PaSuLineCntl, { r::GFX }>::SLOT).set(r::PaSuLineCntl::WIDTH, width, "width of lines, times 8")))
}

/// PA_SC_LINE_CNTL. Captures show 0 for default lines; RADV sets one bit for rectangular lines, and no driver sets another.
fn pa_sc_line_cntl<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let mode = inputs.desc.raster.line_mode;
    let rectangular = mode == LineMode::Rectangular;
    let rule = if rectangular { "rectangular lines have square ends" } else { "lines are not rectangular" };
    on_gfx!(inputs.gfx, r => Some(Word::new(On::<r::PaScLineCntl, { r::GFX }>::SLOT).set(r::PaScLineCntl::PERPENDICULAR_ENDCAP_ENA, rectangular, rule)))
}

/// PA_SC_LINE_STIPPLE. AUTO_RESET_CNTL, on GFX12 in PA_SC_LINE_STIPPLE_RESET: 1 for each line, 2 for each strip, but 0 for strips on GFX9, which draws wrongly
/// with 2.
fn pa_sc_line_stipple<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let (pattern, repeat, rule) = match inputs.desc.raster.stipple {
        Some(stipple) => (u32::from(stipple.pattern), stipple.factor - 1, "pattern of the draw, and how often each bit is used, minus 1"),
        None => (0, 255, "no stipple: the longest repeat, as in RADV (captures)"),
    };
    let (reset, reset_rule) = match inputs.desc.topology {
        Topology::LineList | Topology::LineListAdjacency => (1u32, "the pattern starts again at each line"),
        _ if inputs.chip.has(Erratum::LineStippleReset) => (0, "the pattern continues from strip to strip: otherwise GFX9 draws it wrong"),
        _ => (2, "the pattern starts again at each strip"),
    };
    on_gfx!(inputs.gfx, r => {
        Gfx12 => {
            type R = r::PaScLineStipple;
            type Reset = r::PaScLineStippleReset;
            sheet.add(Word::new(On::<R, { r::GFX }>::SLOT).set(R::LINE_PATTERN, pattern, rule).set(R::REPEAT_COUNT, repeat, rule));
            sheet.add(Word::new(On::<Reset, { r::GFX }>::SLOT).set(Reset::AUTO_RESET_CNTL, reset, reset_rule));
        },
        Gfx9 | Gfx10x | Gfx11x => {
            type R = r::PaScLineStipple;
            let word = Word::new(On::<R, { r::GFX }>::SLOT).set(R::LINE_PATTERN, pattern, rule).set(R::REPEAT_COUNT, repeat, rule);
            sheet.add(word.set(R::AUTO_RESET_CNTL, reset, reset_rule));
        },
    });
}

/// PA_SU_LINE_STIPPLE_CNTL (GFX11 and GFX11.5): the erratum's value without a stipple. With a stipple PA_SC_LINE_STIPPLE says when the pattern restarts; 0 here
/// is unverified.
fn stipple_counter<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let (reset, rule) = match inputs.desc.raster.stipple {
        None => (2u32, Erratum::StippleCounterReset.doc()),
        Some(_) => (0, "lines have a pattern"),
    };
    on_gfx!(inputs.gfx, r => {
        Gfx11x => Some(Word::new(On::<r::PaSuLineStippleCntl, { r::GFX }>::SLOT).set(r::PaSuLineStippleCntl::LINE_STIPPLE_RESET, reset, rule)),
        Gfx9 | Gfx10x | Gfx12 => None,
    })
}

/// PA_SC_CONSERVATIVE_RASTERIZATION_CNTL. Captures show the value that switches it off; the others are those of Mesa 25.0.7 and 2026, on GFX12 with PAL's
/// (04/2025) samples.
fn conservative<S: Why>(inputs: &DrawInputs<'_>) -> Option<Word<S>> {
    let mode = inputs.desc.raster.conservative;
    let (over, under) = (mode == ConservativeRaster::Overestimate, mode == ConservativeRaster::Underestimate);
    let (inner, rule) = (inputs.reads_inner_coverage(), "conservative mode of the draw");
    on_gfx!(inputs.gfx, r => {
        type R = r::PaScConservativeRasterizationCntl;
        let word = Word::new(On::<R, { r::GFX }>::SLOT);
        if mode == ConservativeRaster::Off {
            return Some(word.set(R::NULL_SQUAD_AA_MASK_ENABLE, true, "samples decide; set whenever the mode is off"));
        }
        // The direction that is off uses its own samples.
        let own = u32::from(inputs.gfx.major() < 12);
        let own_rule = if own == 1 { "samples of the direction that is off (Mesa 25.0.7)" } else { "GFX12 has 0 for both directions (PAL 04/2025)" };
        Some(word
            .set(R::OVER_RAST_ENABLE, over, rule)
            .set(R::OVER_RAST_SAMPLE_SELECT, if under { own } else { 0 }, own_rule)
            .set(R::UNDER_RAST_ENABLE, under || inner, if inner { "the shader asks which pixels are covered whole (PAL 04/2025)" } else { rule })
            .set(R::COVERAGE_AA_MASK_ENABLE, false, "coverage stays what rasterization gives (PAL 04/2025)")
            .set(R::UNDER_RAST_SAMPLE_SELECT, if over { own } else { 0 }, own_rule)
            .set(R::PBB_UNCERTAINTY_REGION_ENABLE, over, "bins take what overestimation touches")
            .set(R::PREZ_AA_MASK_ENABLE, true, rule)
            .set(R::POSTZ_AA_MASK_ENABLE, true, rule)
            .set(R::CENTROID_SAMPLE_OVERRIDE, true, rule))
    })
}

/// PA_SU_POLY_OFFSET_*: depth bias. Slope factors count 1/16.
#[inline]
pub(crate) fn depth_bias_words<S: Why>(gfx: Gfx, bias: &DepthBias, format: Option<DepthFormat>) -> [Word<S>; 6] {
    let bits = -format.map_or(16, DepthFormat::bias_bits) as u32 & 0xFF;
    let float = format.is_some_and(DepthFormat::is_float);
    let rule = "depth bias of the draw";
    let (clamp, scale, offset) = (bias.clamp.to_bits(), (bias.slope * 16.0).to_bits(), bias.constant.to_bits());
    on_gfx!(gfx, r => {
        type R = r::PaSuPolyOffsetDbFmtCntl;
        [
            Word::new(On::<R, { r::GFX }>::SLOT)
                .set(R::POLY_OFFSET_NEG_NUM_DB_BITS, bits, "bits of the depth format")
                .set(R::POLY_OFFSET_DB_IS_FLOAT_FMT, float, "kind of the depth format"),
            Word::new(On::<r::PaSuPolyOffsetClamp, { r::GFX }>::SLOT).whole(clamp, rule),
            Word::new(On::<r::PaSuPolyOffsetFrontScale, { r::GFX }>::SLOT).whole(scale, rule),
            Word::new(On::<r::PaSuPolyOffsetFrontOffset, { r::GFX }>::SLOT).whole(offset, rule),
            Word::new(On::<r::PaSuPolyOffsetBackScale, { r::GFX }>::SLOT).whole(scale, rule),
            Word::new(On::<r::PaSuPolyOffsetBackOffset, { r::GFX }>::SLOT).whole(offset, rule),
        ]
    })
}

/// Adds the raster registers.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    sheet.add(pa_sc_binner_cntl_0(inputs));
    sheet.add(primitive_restart(inputs));
    sheet.add(small_primitives(inputs));
    sheet.add(vgt_primitive_type(inputs));
    sheet.add(vgt_gs_out_prim_type(inputs));
    sheet.add(pa_su_sc_mode_cntl(inputs));
    sheet.add(pa_cl_clip_cntl(inputs));
    clip_planes::add(inputs, sheet);
    sheet.add(pa_su_line_cntl(inputs));
    sheet.add(pa_sc_line_cntl(inputs));
    pa_sc_line_stipple(inputs, sheet);
    sheet.add(stipple_counter(inputs));
    sheet.add(conservative(inputs));
}
