//! Descriptions: plain data of what a caller wants, with limits of single numbers. Nothing here knows how registers are decided.

pub(crate) mod board;
pub(crate) mod call;
mod error;
pub(crate) mod geometry;
mod memory;
pub(crate) mod mesh;
pub(crate) mod numbers;
pub(crate) mod parts;
pub(crate) mod pipeline;
pub(crate) mod pixel_inputs;
mod program;
pub(crate) mod raster;
pub(crate) mod resource_units;
pub(crate) mod scratch;
pub(crate) mod streamout;
pub(crate) mod tessellation;
mod vertex;

pub use board::Board;
pub use call::{
    CallError, CountedDraw, DrawCall, DrawSgprs, IndexBuffer, IndexFormat, Indices, IndirectDraws, Instances, TaskGroups, TaskGroupsIndirect, Vertices,
};
pub use error::DrawError;
pub use geometry::{GeometryOutput, GeometryStage, LegacyGroup, NggGroup};
pub use memory::TaskRings;
pub use mesh::MeshStage;
pub use parts::{DynamicState, PipelineDesc, StencilValues, TargetBlend, TargetImage, TargetsDesc, UserDataWords};
pub use pipeline::{
    Binning, ColorFormat, DepthFormat, DepthLayout, DepthTarget, Drain, DrawDesc, ExpertOptions, Interlock, PixelShader, RasterizationOrder, RateCombiner,
    ShadingRate, Topology,
};
pub use pixel_inputs::{Interpolant, InterpolantSource, PixelInput, PixelInputs, PixelLoads};
pub use program::{FloatMode, Program, Stage, UserData};
pub use raster::{
    Blend, BlendFactor, BlendFunction, ConservativeRaster, Cull, DepthBias, DepthTest, LineMode, LineStipple, LogicOp, Occlusion, PolygonMode, Raster, Rect,
    SampleLocations, StencilAction, StencilFace, Surface, Viewport, Winding,
};
pub use scratch::ScratchRing;
pub use streamout::Streamout;
pub use tessellation::{PatchDomain, PatchGroup, PatchSpacing, Tessellation, TessellationRings};
pub use vertex::{Subgroup, VertexOutputs, VertexPath, VertexStage};
