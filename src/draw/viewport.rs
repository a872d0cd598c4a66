//! Viewports, their scissors, depth ranges, and the guard band.

use crate::draw::desc::Class;
use crate::draw::fixed::{Rect, Viewport};
use crate::draw::inputs::Inputs;
use crate::draw::sheet::{Sheet, Why, Word};

/// Scale and offset from clip space to pixels: x, y, and depth.
fn transform(v: &Viewport) -> [(f32, f32); 3] {
    let (half_width, half_height) = (v.width * 0.5, v.height * 0.5);
    [(half_width, half_width + v.x), (half_height, half_height + v.y), (v.max_depth - v.min_depth, v.min_depth)]
}

/// PA_CL_VPORT_*: six words a viewport.
fn transforms<S: Why>(inputs: &Inputs<'_>, index: u32, viewport: &Viewport, sheet: &mut Sheet<S>) {
    let [x, y, z] = transform(viewport);
    let scale = "half the size of the viewport, as a float";
    let offset = "centre of the viewport, as a float";
    let depth = "depth range of the viewport, as a float";
    let (near, far) = (viewport.min_depth.min(viewport.max_depth), viewport.min_depth.max(viewport.max_depth));
    on_gfx!(inputs.gfx, r => {
        sheet.add(Word::element::<r::PaClVportXscale, { r::GFX }>(index).map(|w| w.whole(x.0.to_bits(), scale)));
        sheet.add(Word::element::<r::PaClVportXoffset, { r::GFX }>(index).map(|w| w.whole(x.1.to_bits(), offset)));
        sheet.add(Word::element::<r::PaClVportYscale, { r::GFX }>(index).map(|w| w.whole(y.0.to_bits(), scale)));
        sheet.add(Word::element::<r::PaClVportYoffset, { r::GFX }>(index).map(|w| w.whole(y.1.to_bits(), offset)));
        sheet.add(Word::element::<r::PaClVportZscale, { r::GFX }>(index).map(|w| w.whole(z.0.to_bits(), depth)));
        sheet.add(Word::element::<r::PaClVportZoffset, { r::GFX }>(index).map(|w| w.whole(z.1.to_bits(), depth)));
        sheet.add(Word::element::<r::PaScVportZmin, { r::GFX }>(index).map(|w| w.whole(near.to_bits(), depth)));
        sheet.add(Word::element::<r::PaScVportZmax, { r::GFX }>(index).map(|w| w.whole(far.to_bits(), depth)));
    });
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
fn scissor<S: Why>(inputs: &Inputs<'_>, index: u32, viewport: &Viewport, sheet: &mut Sheet<S>) {
    let (width, height) = inputs.desc.extent;
    let whole = Rect { x: 0, y: 0, width, height };
    let given = inputs.desc.scissors.get(index as usize).copied().unwrap_or(whole);
    let (left, top, right, bottom) = visible(viewport, given, inputs.desc.extent);
    let rule = "what viewport and scissor leave";
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 => {
            type Tl = r::PaScVportScissorTl;
            type Br = r::PaScVportScissorBr;
            sheet.add(Word::element::<Tl, { r::GFX }>(index).map(|w| w
                .set(Tl::TL_X, left, rule)
                .set(Tl::TL_Y, top, rule)
                .set(Tl::WINDOW_OFFSET_DISABLE, true, "the scissor is not relative to the window")));
            sheet.add(Word::element::<Br, { r::GFX }>(index).map(|w| w.set(Br::BR_X, right, rule).set(Br::BR_Y, bottom, rule)));
        },
        Gfx12 => {
            type Tl = r::PaScVportScissorTl;
            type Br = r::PaScVportScissorBr;
            let empty = left >= right || top >= bottom;
            let (left, top, right, bottom) = if empty { (1, 1, 0, 0) } else { (left, top, right - 1, bottom - 1) };
            sheet.add(Word::element::<Tl, { r::GFX }>(index).map(|w| w.set(Tl::TL_X, left, rule).set(Tl::TL_Y, top, rule)));
            sheet.add(Word::element::<Br, { r::GFX }>(index).map(|w| w.set(Br::BR_X, right, rule).set(Br::BR_Y, bottom, rule)));
        },
    });
}

/// Clip and discard distances of the guard band in units of the viewport: x, y.
///
/// Clip: (32767 - |offset|) / max(|scale|, 0.5), the least of all viewports, at least 1. Discard: 1, and for points and lines as much further as half their
/// size reaches, within the clip distance (Mesa 25.0.7 radv_emit_guardband_state).
fn guard_band(viewports: &[Viewport], class: Class, pixels: f32) -> ((f32, f32), (f32, f32)) {
    let (mut clip, mut discard) = ((f32::MAX, f32::MAX), (1.0f32, 1.0f32));
    for viewport in viewports {
        let [x, y, _] = transform(viewport);
        let limit = |(scale, offset): (f32, f32)| ((32767.0 - offset.abs()) / scale.abs().max(0.5)).max(1.0);
        clip = (clip.0.min(limit(x)), clip.1.min(limit(y)));
        if class != Class::Polygons {
            discard.0 = discard.0.max(1.0 + pixels / (2.0 * x.0.abs().max(0.5)));
            discard.1 = discard.1.max(1.0 + pixels / (2.0 * y.0.abs().max(0.5)));
        }
    }
    (clip, (discard.0.min(clip.0), discard.1.min(clip.1)))
}

/// PA_CL_GB_*: the four words of the guard band.
fn pa_cl_gb<S: Why>(inputs: &Inputs<'_>, viewports: &[Viewport], sheet: &mut Sheet<S>) {
    // The size of points comes from the shader: the largest that PA_SU_POINT_MINMAX allows counts.
    let pixels = if inputs.desc.topology.class() == Class::Points { 8191.875 } else { inputs.desc.raster.line_width };
    let (clip, discard) = guard_band(viewports, inputs.desc.topology.class(), pixels);
    let (clip_rule, discard_rule) = ("how far primitives may reach before they are clipped", "how far primitives may reach before they are dropped");
    on_gfx!(inputs.gfx, r => {
        sheet.add(Word::new::<r::PaClGbVertClipAdj, { r::GFX }>().whole(clip.1.to_bits(), clip_rule));
        sheet.add(Word::new::<r::PaClGbVertDiscAdj, { r::GFX }>().whole(discard.1.to_bits(), discard_rule));
        sheet.add(Word::new::<r::PaClGbHorzClipAdj, { r::GFX }>().whole(clip.0.to_bits(), clip_rule));
        sheet.add(Word::new::<r::PaClGbHorzDiscAdj, { r::GFX }>().whole(discard.0.to_bits(), discard_rule));
    });
}

/// PA_SC_SCREEN_SCISSOR_BR and PA_SC_WINDOW_SCISSOR (until GFX11.5): the size of the targets. No source says whether GFX12 counts their right and bottom
/// edges in, so there the preamble leaves them wide; viewport scissors never reach beyond the targets anyway.
fn window<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    let (width, height) = inputs.desc.extent;
    let rule = "size of the targets";
    let bound = inputs.desc.depth.is_some() || !inputs.desc.color.is_empty();
    let ((screen_x, screen_y), screen_rule) = if bound { ((width, height), rule) } else { ((0x4000, 0x4000), "no target: the largest there could be") };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 => {
            type Screen = r::PaScScreenScissorBr;
            type Window = r::PaScWindowScissorBr;
            sheet.add(Word::new::<Screen, { r::GFX }>().set(Screen::BR_X, screen_x, screen_rule).set(Screen::BR_Y, screen_y, screen_rule));
            sheet.add(Word::new::<r::PaScWindowScissorTl, { r::GFX }>().whole(0, "the whole of the targets, moved by a window offset of 0"));
            sheet.add(Word::new::<Window, { r::GFX }>().set(Window::BR_X, width, rule).set(Window::BR_Y, height, rule));
        },
        Gfx12 => {},
    });
}

/// Adds viewports, scissors and the guard band. Without any viewport there is one over the whole extent.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    window(inputs, sheet);
    let whole = [Viewport::covering(inputs.desc.extent)];
    let viewports = if inputs.desc.viewports.is_empty() { &whole } else { inputs.desc.viewports.as_slice() };
    for (index, viewport) in (0u32..).zip(viewports) {
        transforms(inputs, index, viewport, sheet);
        scissor(inputs, index, viewport, sheet);
    }
    pa_cl_gb(inputs, viewports, sheet);
}
