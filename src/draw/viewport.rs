//! Viewports, their scissors, depth ranges, and the guard band.

use crate::draw::fixed::{Rect, Viewport};
use crate::draw::image::{Image, Word};
use crate::draw::inputs::Inputs;

/// The viewports of a draw: those given, or one over the whole extent.
fn viewports(inputs: &Inputs<'_>) -> alloc::vec::Vec<Viewport> {
    if inputs.desc.viewports.is_empty() { alloc::vec![Viewport::covering(inputs.desc.extent)] } else { inputs.desc.viewports.clone() }
}

/// Scale and offset from clip space to pixels: x, y, and depth.
fn transform(v: &Viewport) -> [(f32, f32); 3] {
    let (half_width, half_height) = (v.width * 0.5, v.height * 0.5);
    [(half_width, half_width + v.x), (half_height, half_height + v.y), (v.max_depth - v.min_depth, v.min_depth)]
}

/// PA_CL_VPORT_*: six words a viewport.
fn transforms(inputs: &Inputs<'_>, index: u32, viewport: &Viewport, image: &mut Image) {
    let [x, y, z] = transform(viewport);
    let scale = "half the size of the viewport, as a float";
    let offset = "centre of the viewport, as a float";
    let depth = "depth range of the viewport, as a float";
    macro_rules! add {
        ($register:ident, $field:ident, $value:expr, $rule:expr) => {
            image.add(on_gfx!(inputs.gfx, r => {
                Word::element::<r::$register>(inputs.gfx, index).map(|w| w.set(r::$register::$field, $value.to_bits(), $rule))
            }));
        };
    }
    add!(PaClVportXscale, VPORT_XSCALE, x.0, scale);
    add!(PaClVportXoffset, VPORT_XOFFSET, x.1, offset);
    add!(PaClVportYscale, VPORT_YSCALE, y.0, scale);
    add!(PaClVportYoffset, VPORT_YOFFSET, y.1, offset);
    add!(PaClVportZscale, VPORT_ZSCALE, z.0, depth);
    add!(PaClVportZoffset, VPORT_ZOFFSET, z.1, depth);
    let (near, far) = (viewport.min_depth.min(viewport.max_depth), viewport.min_depth.max(viewport.max_depth));
    add!(PaScVportZmin, VPORT_ZMIN, near, depth);
    add!(PaScVportZmax, VPORT_ZMAX, far, depth);
}

/// The pixels that a viewport and its scissor leave of targets of this size.
fn visible(viewport: &Viewport, scissor: Rect, (width, height): (u32, u32)) -> (u32, u32, u32, u32) {
    let (x0, x1) = (viewport.x.min(viewport.x + viewport.width), viewport.x.max(viewport.x + viewport.width));
    let (y0, y1) = (viewport.y.min(viewport.y + viewport.height), viewport.y.max(viewport.y + viewport.height));
    // Conversions saturate: what is negative becomes 0.
    let left = scissor.x.max(x0 as u32);
    let top = scissor.y.max(y0 as u32);
    let right = scissor.x.saturating_add(scissor.width).min(ceil(x1)).min(width);
    let bottom = scissor.y.saturating_add(scissor.height).min(ceil(y1)).min(height);
    (left.min(width), top.min(height), right, bottom)
}

fn ceil(value: f32) -> u32 {
    let floor = value as u32;
    floor.saturating_add(u32::from(floor as f32 != value && value > 0.0))
}

/// PA_SC_VPORT_SCISSOR_n: right and bottom are exclusive up to GFX11.5, inclusive on GFX12, which writes an empty one as 1,1 to 0,0.
fn scissor(inputs: &Inputs<'_>, index: u32, viewport: &Viewport, image: &mut Image) {
    let (width, height) = inputs.desc.extent;
    let whole = Rect { x: 0, y: 0, width, height };
    let given = inputs.desc.scissors.get(index as usize).copied().unwrap_or(whole);
    let (left, top, right, bottom) = visible(viewport, given, inputs.desc.extent);
    let rule = "what viewport and scissor leave";
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 => {
            type Tl = r::PaScVportScissorTl;
            type Br = r::PaScVportScissorBr;
            image.add(Word::element::<Tl>(inputs.gfx, index).map(|w| w
                .set(Tl::TL_X, left, rule)
                .set(Tl::TL_Y, top, rule)
                .set(Tl::WINDOW_OFFSET_DISABLE, true, "the scissor is not relative to the window")));
            image.add(Word::element::<Br>(inputs.gfx, index).map(|w| w.set(Br::BR_X, right, rule).set(Br::BR_Y, bottom, rule)));
        },
        Gfx12 => {
            type Tl = r::PaScVportScissorTl;
            type Br = r::PaScVportScissorBr;
            let empty = left >= right || top >= bottom;
            let (left, top, right, bottom) = if empty { (1, 1, 0, 0) } else { (left, top, right - 1, bottom - 1) };
            image.add(Word::element::<Tl>(inputs.gfx, index).map(|w| w.set(Tl::TL_X, left, rule).set(Tl::TL_Y, top, rule)));
            image.add(Word::element::<Br>(inputs.gfx, index).map(|w| w.set(Br::BR_X, right, rule).set(Br::BR_Y, bottom, rule)));
        },
    });
}

/// Clip and discard distances of the guard band in units of the viewport: x, y.
///
/// Clip: (32767 - |offset|) / max(|scale|, 0.5), the least of all viewports, at least 1. Discard: 1, and for points and lines as much further as half their
/// size reaches, within the clip distance (Mesa 25.0.7 radv_emit_guardband_state).
fn guard_band(viewports: &[Viewport], class: u32, pixels: f32) -> ((f32, f32), (f32, f32)) {
    let (mut clip, mut discard) = ((f32::MAX, f32::MAX), (1.0f32, 1.0f32));
    for viewport in viewports {
        let [x, y, _] = transform(viewport);
        let limit = |(scale, offset): (f32, f32)| ((32767.0 - offset.abs()) / scale.abs().max(0.5)).max(1.0);
        clip = (clip.0.min(limit(x)), clip.1.min(limit(y)));
        if class < 2 {
            discard.0 = discard.0.max(1.0 + pixels / (2.0 * x.0.abs().max(0.5)));
            discard.1 = discard.1.max(1.0 + pixels / (2.0 * y.0.abs().max(0.5)));
        }
    }
    (clip, (discard.0.min(clip.0), discard.1.min(clip.1)))
}

/// PA_CL_GB_*: the four words of the guard band.
fn pa_cl_gb(inputs: &Inputs<'_>, viewports: &[Viewport], image: &mut Image) {
    // The size of points comes from the shader: the largest that PA_SU_POINT_MINMAX allows counts.
    let pixels = if inputs.desc.topology.class() == 0 { 8191.875 } else { inputs.desc.raster.line_width };
    let (clip, discard) = guard_band(viewports, inputs.desc.topology.class(), pixels);
    let (clip_rule, discard_rule) = ("how far primitives may reach before they are clipped", "how far primitives may reach before they are dropped");
    macro_rules! add {
        ($register:ident, $value:expr, $rule:expr) => {
            image.add(on_gfx!(inputs.gfx, r => {
                Word::new::<r::$register>(inputs.gfx).map(|w| w.set(r::$register::DATA_REGISTER, $value.to_bits(), $rule))
            }));
        };
    }
    add!(PaClGbVertClipAdj, clip.1, clip_rule);
    add!(PaClGbVertDiscAdj, discard.1, discard_rule);
    add!(PaClGbHorzClipAdj, clip.0, clip_rule);
    add!(PaClGbHorzDiscAdj, discard.0, discard_rule);
}

/// PA_SC_SCREEN_SCISSOR_BR and PA_SC_WINDOW_SCISSOR (until GFX11.5): the size of the targets. No source says whether GFX12 counts their right and bottom
/// edges in, so there the preamble leaves them wide; viewport scissors never reach beyond the targets anyway.
fn window(inputs: &Inputs<'_>, image: &mut Image) {
    let (width, height) = inputs.desc.extent;
    if inputs.gfx.major() < 12 {
        let rule = "size of the targets";
        let bound = inputs.desc.depth.is_some() || !inputs.desc.color.is_empty();
        let (screen, screen_rule) = if bound { (width | height << 16, rule) } else { (0x4000_4000, "no target: the largest there could be") };
        image.add(Word::whole(inputs.gfx, "PA_SC_SCREEN_SCISSOR_BR", screen, screen_rule));
        image.add(Word::whole(inputs.gfx, "PA_SC_WINDOW_SCISSOR_TL", 0, "the whole of the targets, moved by a window offset of 0"));
        image.add(Word::whole(inputs.gfx, "PA_SC_WINDOW_SCISSOR_BR", width | height << 16, rule));
    }
}

/// Adds viewports, scissors and the guard band.
pub(crate) fn add(inputs: &Inputs<'_>, image: &mut Image) {
    window(inputs, image);
    let viewports = viewports(inputs);
    for (index, viewport) in (0u32..).zip(&viewports) {
        transforms(inputs, index, viewport, image);
        scissor(inputs, index, viewport, image);
    }
    pa_cl_gb(inputs, &viewports, image);
}
