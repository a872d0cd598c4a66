//! The inputs from which the registers of dynamic state are decided.

use crate::chip::Gfx;
use crate::draw::check::draw_inputs::DrawInputs;
use crate::draw::desc::topology::Class;
use crate::draw::desc::{DepthBias, DepthFormat, Rect, StencilFace, Viewport};

/// The inputs of viewports, scissors and the guard band.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ViewInputs<'a> {
    pub gfx: Gfx,
    /// Width and height of the targets in pixels.
    pub extent: (u32, u32),
    /// What is drawn: polygons may be drawn as lines or points.
    pub class: Class,
    pub line_width: f32,
    /// Whether depth is clamped to the range of the viewport.
    pub depth_clamp: bool,
    /// The viewports; an empty slice means one viewport over the whole extent.
    pub viewports: &'a [Viewport],
    /// The scissors; a viewport without one has the extent as its scissor.
    pub scissors: &'a [Rect],
}

impl ViewInputs<'_> {
    /// Returns the viewports; one over the whole extent if none is given.
    #[inline]
    pub fn with_viewports<T>(&self, work: impl FnOnce(&[Viewport]) -> T) -> T {
        if self.viewports.is_empty() { work(&[Viewport::covering(self.extent)]) } else { work(self.viewports) }
    }
}

/// All inputs of the registers of dynamic state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DynamicInputs<'a> {
    pub view: ViewInputs<'a>,
    /// The blend constants, if a target blends.
    pub blend_constants: Option<[f32; 4]>,
    /// The stencil state of front and back faces.
    pub stencil: (StencilFace, StencilFace),
    /// The depth bias, if polygons have one, and the format of the depth target.
    pub depth_bias: Option<(DepthBias, Option<DepthFormat>)>,
    /// The depth bounds, if the draw has them.
    pub depth_bounds: Option<(f32, f32)>,
}

impl<'a> DynamicInputs<'a> {
    /// Returns the inputs of a draw.
    pub fn of(inputs: &DrawInputs<'a>) -> Self {
        let desc = inputs.desc;
        Self {
            view: ViewInputs {
                gfx: inputs.gfx,
                extent: desc.extent,
                class: desc.drawn(),
                line_width: desc.raster.line_width,
                depth_clamp: desc.raster.depth_clamp,
                viewports: desc.viewports,
                scissors: desc.scissors,
            },
            blend_constants: inputs.desc.blends().then_some(desc.blend_constants),
            stencil: desc.depth_test.stencil.unwrap_or_default(),
            depth_bias: desc.raster.depth_bias.map(|bias| (bias, desc.depth.map(|depth| depth.format))),
            depth_bounds: desc.depth_test.bounds,
        }
    }
}
