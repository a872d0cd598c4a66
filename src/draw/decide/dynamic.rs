//! Registers of dynamic state, which changes between draws of one pipeline: viewports, scissors, blend constants, stencil references and masks, depth bias and
//! bounds. They depend on little other state, so a recorder builds them without resolving a draw.

use crate::draw::decide::view_inputs::DynamicInputs;
use crate::draw::decide::{blend, depth, raster, viewport};
use crate::draw::sheet::{Sheet, Why};

/// Adds the registers of dynamic state.
pub(crate) fn add<S: Why>(inputs: &DynamicInputs<'_>, sheet: &mut Sheet<S>) {
    let gfx = inputs.view.gfx;
    viewport::add_dynamic(&inputs.view, sheet);
    if let Some(constants) = inputs.blend_constants {
        sheet.add_all(blend::constant_words(gfx, constants));
    }
    let (front, back) = &inputs.stencil;
    sheet.add_all(depth::stencil_words(gfx, front, back).into_iter().flatten());
    if let Some((bias, format)) = &inputs.depth_bias {
        sheet.add_all(raster::depth_bias_words(gfx, bias, *format));
    }
    if let Some(bounds) = inputs.depth_bounds {
        sheet.add_all(depth::bounds_words(gfx, bounds));
    }
}
