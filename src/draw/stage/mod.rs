//! Shader stages: what programs need, what hardware starts them with, and the registers of each stage.

mod board;
mod compute;
mod compute_queue;
mod front;
mod geometry;
mod geometry_shader;
mod hardware_vs;
mod late_alloc;
mod legacy_geometry;
mod link;
mod mesh;
mod ngg;
mod occupancy;
mod pixel;
mod pixel_inputs;
mod pixel_link;
mod program_words;
mod resource_units;
mod rsrc;
mod scratch;
mod shader_program;
mod streamout;
mod tessellation;
mod vertex;
pub(crate) mod wave_start;

pub use crate::isa::WaveSize;
pub use board::Board;
pub use compute::{DispatchDesc, Grid, ResolvedDispatch, ResolvedGrid, resolve_dispatch};
pub use compute_queue::{compute_queue, explain_compute_queue};
pub use geometry_shader::{GeometryOutput, GeometryStage, LegacyGroup, NggGroup};
pub use link::{LinkError, StageLink};
pub use mesh::MeshStage;
pub use occupancy::{Occupancy, OccupancyLimit, Workgroup, occupancy, pixel_occupancy, register_occupancy, wave_limit};
pub use pixel_inputs::{Interpolant, InterpolantSource, PixelInput, PixelInputs, PixelLoads};
pub use pixel_link::{LinkedValue, PixelLink, PixelLinkError, PixelRead};
pub use program_words::{ExportWords, PixelWords, ProgramWords, WordsError};
pub use scratch::ScratchRing;
pub use shader_program::{FloatMode, Program, Stage, UserData};
pub use streamout::Streamout;
pub use tessellation::{PatchDomain, PatchGroup, PatchSpacing, Tessellation, TessellationRings};
pub use vertex::{Subgroup, VertexOutputs, VertexPath, VertexStage};
pub use wave_start::{PlacedItem, RegisterMap, SgprItem, SgprMap, VgprItem, VgprMap, WaveStart};

pub(crate) use board::Units;
pub(crate) use front::{Front, user_data_registers, vertex_program_stage};
pub(crate) use geometry::ia_multi_vgt_param_counted;
pub(crate) use pixel_inputs::ResolvedLoads;

use crate::chip::Chip;
use crate::draw::draw_parts::DrawParts;
use crate::draw::error::DrawError;
use crate::draw::inputs::Inputs;
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
