//! Authoring: from an API-neutral description of a draw to a register image, and from the image to packets.
//!
//! [`DrawDesc`] describes a draw, [`resolve`] decides every register for a chip, [`explain`] gives the reasons, [`Recorder`] writes packets.

// Without some generation the arms for it are gone, and what only they use is then unused.
#![cfg_attr(
    not(all(feature = "gfx9", feature = "gfx10", feature = "gfx103", feature = "gfx11", feature = "gfx115", feature = "gfx12")),
    allow(unused_variables, unused_imports, unused_macros, dead_code)
)]

mod blend;
mod calls;
mod check_numbers;
mod clip_planes;
mod color;
mod color_format;
mod compression;
mod depth;
mod desc;
mod draw_parts;
mod dynamic;
pub(crate) mod errata;
mod error;
mod exports;
mod fixed;
mod hierarchical;
mod image;
mod inputs;
mod msaa;
mod objects;
mod pairs;
mod parts;
mod passes;
mod pops;
pub(crate) mod preamble;
mod raster;
mod rate_image;
mod rb_plus;
mod record;
mod record_bound;
mod record_calls;
mod record_compute;
mod record_dispatch;
pub(crate) mod record_dynamic;
pub(crate) mod record_held;
pub(crate) mod record_plain;
mod record_predication;
mod record_queries;
mod record_streamout;
mod record_task;
mod resolve;
mod samples;
mod shader;
mod sheet;
pub(crate) mod stage;
mod surface;
pub mod sync;
mod viewport;
mod vrs;

pub use crate::descriptors::CompressedBlock;
pub use calls::{CallError, CountedDraw, DrawCall, DrawSgprs, IndexBuffer, IndexFormat, Indices, IndirectDraws, Instances, Vertices};
pub use clip_planes::ClipPlanes;
pub use compression::{ColorCompression, Dcc, DccBlocks, DccClear, Fmask};
pub use desc::{
    Binning, ColorFormat, DepthFormat, DepthLayout, DepthTarget, Drain, DrawDesc, ExpertOptions, Interlock, PixelShader, RasterizationOrder, RateCombiner,
    ShadingRate, Topology,
};
pub use errata::{WORKAROUNDS, Workaround, WorkaroundPlace};
pub use error::DrawError;
pub use exports::{ExportFormat, PixelExports};
pub use fixed::{
    Blend, BlendFactor, BlendFunction, Compare, ConservativeRaster, Cull, DepthBias, DepthTest, LineMode, LineStipple, LogicOp, Occlusion, PolygonMode, Raster,
    Rect, SampleLocations, StencilAction, StencilFace, Surface, Viewport, Winding,
};
pub use hierarchical::{DepthClear, HiSurface, Htile};
pub use image::{RegisterImage, RegisterValue};
pub use objects::{Pipeline, Targets};
pub use pairs::PairCache;
pub use parts::{DynamicState, PipelineDesc, StencilValues, TargetBlend, TargetImage, TargetsDesc, UserDataWords};
pub use passes::TargetPass;
pub use preamble::{AttributeRing, ClearMethod, GeometryRing, GeometryRings, QueueMemory};
pub use rate_image::RateImage;
pub use record::{RecordError, Recorder};
pub use record_compute::ComputePipeline;
pub use record_predication::{Predicate, PredicateKind};
pub use record_streamout::{StreamoutBegin, StreamoutBuffer};
pub use record_task::{GangMemory, TaskGroups, TaskGroupsIndirect, TaskRings};
pub use resolve::{Resolved, explain, resolve};
pub use sheet::{Reason, Reasons};
pub use stage::{
    Board, DispatchDesc, ExportWords, FloatMode, GeometryOutput, GeometryStage, Grid, Interpolant, InterpolantSource, LegacyGroup, LinkError, LinkedValue,
    MeshStage, NggGroup, Occupancy, OccupancyLimit, PatchDomain, PatchGroup, PatchSpacing, PixelInput, PixelInputs, PixelLink, PixelLinkError, PixelLoads,
    PixelRead, PixelWords, PlacedItem, Program, ProgramWords, RegisterMap, ResolvedDispatch, ResolvedGrid, ScratchRing, SgprItem, SgprMap, Stage, StageLink,
    Streamout, Subgroup, Tessellation, TessellationRings, UserData, VertexOutputs, VertexPath, VertexStage, VgprItem, VgprMap, WaveSize, WaveStart, WordsError,
    Workgroup, compute_queue, explain_compute_queue, occupancy, pixel_occupancy, register_occupancy, resolve_dispatch, wave_limit,
};
pub use vrs::{VrsProperties, vrs_properties};
