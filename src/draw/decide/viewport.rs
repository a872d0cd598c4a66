//! Viewports, their scissors, depth ranges, and the guard band.

use crate::chip::Gfx;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::decide::view_inputs::ViewInputs;
use crate::draw::desc::topology::Class;
use crate::draw::desc::{Rect, Viewport};
use crate::draw::sheet::{On, Sheet, Why, Word};

/// Returns scale and offset from clip space to pixels: x, y, and depth.
#[inline(always)]
fn transform(v: &Viewport) -> [(f32, f32); 3] {
    let (half_width, half_height) = (v.width * 0.5, v.height * 0.5);
    [(half_width, half_width + v.x), (half_height, half_height + v.y), (v.max_depth - v.min_depth, v.min_depth)]
}

/// The slots of the registers of viewport 0 and of the guard band: the first of each row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ViewSlots {
    pub guard_band: usize,
    pub transform: usize,
    pub range: usize,
    pub scissor: usize,
}

/// Expands to the slots of a generation, in an arm of `on_gfx!`, where they are constants.
macro_rules! view_slots {
    ($r:ident) => {
        $crate::draw::decide::viewport::ViewSlots {
            guard_band: $crate::draw::sheet::On::<$r::PaClGbVertClipAdj, { $r::GFX }>::SLOT,
            transform: $crate::draw::sheet::On::<$r::PaClVportXscale, { $r::GFX }>::SLOT,
            range: $crate::draw::sheet::On::<$r::PaScVportZmin, { $r::GFX }>::SLOT,
            scissor: $crate::draw::sheet::On::<$r::PaScVportScissorTl, { $r::GFX }>::SLOT,
        }
    };
}
pub(crate) use view_slots;

impl ViewSlots {
    pub fn of(gfx: Gfx) -> Self {
        on_gfx!(gfx, r => view_slots!(r))
    }

    /// Returns whether the slots of the depth range directly follow those of the transform.
    #[inline]
    pub fn together(&self) -> bool {
        self.range == self.transform + 6
    }
}

/// The transform of a viewport, and its depth range.
type ViewportWords<S> = ([Word<S>; 6], [Word<S>; 2]);

/// Returns the range to which depth is clamped, and the reason: the range of the viewport if the draw asks for it, otherwise 0 to 1, so that depth of a shader
/// passes (Mesa 25.0.7 radv_get_depth_clamp_mode, radv_emit_viewport). A viewport with a wider range widens it.
#[inline(always)]
fn depth_range(viewport: &Viewport, clamp: bool) -> (f32, f32, &'static str) {
    let (near, far) = in_order(viewport.min_depth, viewport.max_depth);
    if clamp {
        (near, far, "depth is clamped to the range of the viewport, as a float")
    } else {
        (smaller(near, 0.0), larger(far, 1.0), "depth is clamped to 0 to 1, or to a viewport that reaches further, as a float")
    }
}

/// PA_CL_VPORT_* and PA_SC_VPORT_ZMIN, ZMAX of one viewport.
#[inline(always)]
pub(crate) fn transform_words<S: Why>(inputs: &ViewInputs<'_>, index: u32, viewport: &Viewport) -> Option<ViewportWords<S>> {
    let [x, y, z] = transform(viewport);
    let scale = "half the size of the viewport, as a float";
    let offset = "centre of the viewport, as a float";
    let depth = "depth range of the viewport, as a float";
    let (near, far, range) = depth_range(viewport, inputs.depth_clamp);
    on_gfx!(inputs.gfx, r => Some((
        [
            Word::element(On::<r::PaClVportXscale, { r::GFX }>::PLACE, index)?.whole(x.0.to_bits(), scale),
            Word::element(On::<r::PaClVportXoffset, { r::GFX }>::PLACE, index)?.whole(x.1.to_bits(), offset),
            Word::element(On::<r::PaClVportYscale, { r::GFX }>::PLACE, index)?.whole(y.0.to_bits(), scale),
            Word::element(On::<r::PaClVportYoffset, { r::GFX }>::PLACE, index)?.whole(y.1.to_bits(), offset),
            Word::element(On::<r::PaClVportZscale, { r::GFX }>::PLACE, index)?.whole(z.0.to_bits(), depth),
            Word::element(On::<r::PaClVportZoffset, { r::GFX }>::PLACE, index)?.whole(z.1.to_bits(), depth),
        ],
        [
            Word::element(On::<r::PaScVportZmin, { r::GFX }>::PLACE, index)?.whole(near.to_bits(), range),
            Word::element(On::<r::PaScVportZmax, { r::GFX }>::PLACE, index)?.whole(far.to_bits(), range),
        ],
    )))
}

/// The pixels that a viewport touches, right and bottom exclusive. They change only with the viewport.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Edges {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

impl Edges {
    #[inline]
    pub fn of(viewport: &Viewport) -> Self {
        let ((left, top), (right, bottom)) = ((viewport.x, viewport.y), (viewport.x + viewport.width, viewport.y + viewport.height));
        let ((left, right), (top, bottom)) = (in_order(left, right), in_order(top, bottom));
        Self { left: floor(left), top: floor(top), right: ceil(right), bottom: ceil(bottom) }
    }
}

/// Returns the two values, the smaller one first. Numbers of viewports are finite.
#[inline]
fn in_order(a: f32, b: f32) -> (f32, f32) {
    if a < b { (a, b) } else { (b, a) }
}

/// Returns the larger value. Unlike `f32::max` it does not check for NaN.
#[inline]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Returns the smaller value.
#[inline]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Returns the pixels that a viewport and its scissor leave of targets of this size.
#[inline]
fn visible(edges: &Edges, scissor: Rect, (width, height): (u32, u32)) -> Edges {
    Edges {
        left: scissor.x.max(edges.left).min(width),
        top: scissor.y.max(edges.top).min(height),
        right: scissor.x.saturating_add(scissor.width).min(edges.right).min(width),
        bottom: scissor.y.saturating_add(scissor.height).min(edges.bottom).min(height),
    }
}

/// Between this value and twice this value, floats are whole numbers, held in their lower bits. Edges are below 2^17.
const WHOLE_NUMBERS: f32 = 8_388_608.0;

/// Returns the whole number next to one that is not negative, and how it compares. The casts of Rust take twice as long, because they check for NaN and
/// saturate.
#[inline(always)]
fn nearest(value: f32) -> (u32, f32) {
    let sum = value + WHOLE_NUMBERS;
    (sum.to_bits().wrapping_sub(WHOLE_NUMBERS.to_bits()), sum - WHOLE_NUMBERS)
}

/// Returns the next whole number below; 0 for a negative value.
#[inline(always)]
fn floor(value: f32) -> u32 {
    let value = larger(value, 0.0);
    let (whole, nearest) = nearest(value);
    whole.wrapping_sub(u32::from(nearest > value))
}

/// Returns the next whole number above; 0 for a negative value.
#[inline(always)]
fn ceil(value: f32) -> u32 {
    let value = larger(value, 0.0);
    let (whole, nearest) = nearest(value);
    whole.wrapping_add(u32::from(nearest < value))
}

/// PA_SC_VPORT_SCISSOR_n: right and bottom are exclusive up to GFX11.5, inclusive on GFX12, which writes an empty one as 1,1 to 0,0.
#[inline(always)]
pub(crate) fn scissor_words<S: Why>(inputs: &ViewInputs<'_>, index: u32, edges: &Edges) -> Option<[Word<S>; 2]> {
    let (width, height) = inputs.extent;
    let whole = Rect { x: 0, y: 0, width, height };
    let given = inputs.scissors.get(index as usize).copied().unwrap_or(whole);
    let Edges { left, top, right, bottom } = visible(edges, given, inputs.extent);
    let rule = "what viewport and scissor leave";
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            type Tl = r::PaScVportScissorTl;
            type Br = r::PaScVportScissorBr;
            let tl = Word::element(On::<Tl, { r::GFX }>::PLACE, index)?
                .set(Tl::TL_X, left, rule)
                .set(Tl::TL_Y, top, rule)
                .set(Tl::WINDOW_OFFSET_DISABLE, true, "the scissor is not relative to the window");
            Some([tl, Word::element(On::<Br, { r::GFX }>::PLACE, index)?.set(Br::BR_X, right, rule).set(Br::BR_Y, bottom, rule)])
        },
        Gfx12 => {
            type Tl = r::PaScVportScissorTl;
            type Br = r::PaScVportScissorBr;
            let empty = left >= right || top >= bottom;
            let (left, top, right, bottom) = if empty { (1, 1, 0, 0) } else { (left, top, right - 1, bottom - 1) };
            let tl = Word::element(On::<Tl, { r::GFX }>::PLACE, index)?.set(Tl::TL_X, left, rule).set(Tl::TL_Y, top, rule);
            Some([tl, Word::element(On::<Br, { r::GFX }>::PLACE, index)?.set(Br::BR_X, right, rule).set(Br::BR_Y, bottom, rule)])
        },
    })
}

/// Returns the reach of the guard band of a viewport: x, y.
#[inline(always)]
fn clip_distances(viewport: &Viewport) -> (f32, f32) {
    let [x, y, _] = transform(viewport);
    let limit = |(scale, offset): (f32, f32)| larger((32767.0 - offset.abs()) / larger(scale.abs(), 0.5), 1.0);
    (limit(x), limit(y))
}

/// Returns the clip and discard distances of the guard band in units of the viewport: x, y.
///
/// Clip: (32767 - |offset|) / max(|scale|, 0.5), the least of all viewports, at least 1. Discard: 1, and for points and lines, also those that polygons are drawn
/// as, as much further as half their size reaches, within the clip distance (Mesa 25.0.7 radv_emit_guardband_state).
#[inline(always)]
fn guard_band(viewports: &[Viewport], class: Class, pixels: f32) -> ((f32, f32), (f32, f32)) {
    let Some((first, others)) = viewports.split_first() else { return ((1.0, 1.0), (1.0, 1.0)) };
    let mut clip = clip_distances(first);
    for viewport in others {
        let (x, y) = clip_distances(viewport);
        clip = (smaller(clip.0, x), smaller(clip.1, y));
    }
    let mut discard = (1.0, 1.0);
    if class != Class::Polygons {
        let reach = |size: f32| 1.0 + pixels / (2.0 * larger((size * 0.5).abs(), 0.5));
        for viewport in viewports {
            discard = (larger(discard.0, reach(viewport.width)), larger(discard.1, reach(viewport.height)));
        }
        discard = (smaller(discard.0, clip.0), smaller(discard.1, clip.1));
    }
    (clip, discard)
}

/// PA_CL_GB_*: the four words of the guard band.
#[inline(always)]
pub(crate) fn guard_band_words<S: Why>(inputs: &ViewInputs<'_>, viewports: &[Viewport]) -> [Word<S>; 4] {
    // The shader sets the size of points: the largest that PA_SU_POINT_MINMAX allows counts.
    let pixels = if inputs.class == Class::Points { 8191.875 } else { inputs.line_width };
    let (clip, discard) = guard_band(viewports, inputs.class, pixels);
    let (clip_rule, discard_rule) = ("how far primitives may reach before they are clipped", "how far primitives may reach before they are dropped");
    on_gfx!(inputs.gfx, r => [
        Word::new(On::<r::PaClGbVertClipAdj, { r::GFX }>::SLOT).whole(clip.1.to_bits(), clip_rule),
        Word::new(On::<r::PaClGbVertDiscAdj, { r::GFX }>::SLOT).whole(discard.1.to_bits(), discard_rule),
        Word::new(On::<r::PaClGbHorzClipAdj, { r::GFX }>::SLOT).whole(clip.0.to_bits(), clip_rule),
        Word::new(On::<r::PaClGbHorzDiscAdj, { r::GFX }>::SLOT).whole(discard.0.to_bits(), discard_rule),
    ])
}

/// PA_SC_SCREEN_SCISSOR_BR and PA_SC_WINDOW_SCISSOR: the size of the targets. On GFX12 the right and bottom edges are inclusive (Mesa 25.0.7
/// radv_emit_framebuffer_state; Mesa 2026 ac_cmdbuf.c), and hardware has room for more.
fn window<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    let (width, height) = inputs.desc.extent;
    let rule = "size of the targets";
    let bound = inputs.desc.depth.is_some() || !inputs.desc.color.is_empty();
    let ((screen_x, screen_y), screen_rule) = if bound { ((width, height), rule) } else { ((0x4000, 0x4000), "no target: the largest there could be") };
    on_gfx!(inputs.gfx, r => {
        Gfx9 | Gfx10x | Gfx11x => {
            type Screen = r::PaScScreenScissorBr;
            type Window = r::PaScWindowScissorBr;
            sheet.add(Word::new(On::<Screen, { r::GFX }>::SLOT).set(Screen::BR_X, screen_x, screen_rule).set(Screen::BR_Y, screen_y, screen_rule));
            sheet.add(Word::new(On::<r::PaScWindowScissorTl, { r::GFX }>::SLOT).whole(0, "the whole of the targets, moved by a window offset of 0"));
            sheet.add(Word::new(On::<Window, { r::GFX }>::SLOT).set(Window::BR_X, width, rule).set(Window::BR_Y, height, rule));
        },
        Gfx12 => {
            type Screen = r::PaScScreenScissorBr;
            type Window = r::PaScWindowScissorBr;
            let last = |size: u32| size.saturating_sub(1);
            let screen = if bound { (last(width), last(height)) } else { (0xFFFF, 0xFFFF) };
            sheet.add(Word::new(On::<Screen, { r::GFX }>::SLOT).set(Screen::BR_X, screen.0, screen_rule).set(Screen::BR_Y, screen.1, screen_rule));
            sheet.add(Word::new(On::<r::PaScWindowScissorTl, { r::GFX }>::SLOT).whole(0, "the whole of the targets, moved by a window offset of 0"));
            sheet.add(Word::new(On::<Window, { r::GFX }>::SLOT).set(Window::BR_X, last(width), rule).set(Window::BR_Y, last(height), rule));
        },
    });
}

/// Adds the registers of the window.
pub(crate) fn add<S: Why>(inputs: &DrawInputs<'_>, sheet: &mut Sheet<S>) {
    window(inputs, sheet);
}

/// Adds viewports, scissors and the guard band.
pub(crate) fn add_dynamic<S: Why>(inputs: &ViewInputs<'_>, sheet: &mut Sheet<S>) {
    inputs.with_viewports(|viewports| {
        for (index, viewport) in (0u32..).zip(viewports) {
            if let Some((transform, range)) = transform_words(inputs, index, viewport) {
                sheet.add_all(transform);
                sheet.add_all(range);
            }
            scissor_words(inputs, index, &Edges::of(viewport)).into_iter().for_each(|words| sheet.add_all(words));
        }
        sheet.add_all(guard_band_words(inputs, viewports));
    });
}
