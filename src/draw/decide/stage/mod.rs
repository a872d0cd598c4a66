//! Shader stages: what programs need, what hardware starts them with, and the registers of each stage.

mod compute;
mod compute_queue;
pub(crate) mod geometry;
mod hardware_vs;
pub(crate) mod late_alloc;
mod legacy_geometry;
mod ngg;
mod pixel;
pub(crate) mod rsrc;

pub use compute::{DispatchDesc, Grid, ResolvedDispatch, ResolvedGrid, resolve_dispatch};
pub use compute_queue::{compute_queue, explain_compute_queue};

use crate::chip::Chip;
use crate::draw::check::draw_parts::DrawParts;
use crate::draw::check::front::{self, Front};
use crate::draw::check::inputs::Inputs;
use crate::draw::desc::DrawError;
use crate::draw::desc::pixel_inputs::ResolvedLoads;
use crate::draw::desc::{PixelInputs, Stage};
use crate::draw::desc::{mesh, scratch, streamout, tessellation};
use crate::draw::sheet::{Sheet, Why};

/// Stages checked against the chip: the common result of those before rasterization, and the loads of the pixel shader.
pub(crate) fn check(desc: &DrawParts<'_>, chip: Chip) -> Result<(Front, ResolvedLoads), DrawError> {
    let front = Front::check(desc, chip)?;
    let pixel = desc.shader.as_ref().map(|shader| &shader.program);
    scratch::check(desc.scratch, pixel.into_iter().chain(front::programs(desc)))?;
    let Some(shader) = &desc.shader else { return Ok((front, PixelInputs::NONE.resolve()?)) };
    shader.program.check(Stage::Pixel, chip)?;
    shader.inputs.check(desc.vertex.parameters)?;
    if shader.inputs.provoking_vertex && chip.gfx().version() < (10, 3) {
        return Err(DrawError::OptionAbsent { option: "the provoking vertex in an SGPR", chip, limit: "GFX10.3 and later have LOAD_PROVOKING_VTX" });
    }
    Ok((front, shader.inputs.resolve()?))
}

/// Adds the registers of the stages.
pub(crate) fn add<S: Why>(inputs: &Inputs<'_>, sheet: &mut Sheet<S>) {
    pixel::add(inputs, sheet);
    tessellation::add(inputs, sheet);
    geometry::add(inputs, sheet);
    mesh::add(inputs, sheet);
    streamout::add(inputs, sheet);
    scratch::add(inputs, sheet);
}
