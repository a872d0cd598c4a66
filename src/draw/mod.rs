//! Draw authoring: turns an API-neutral description of a draw into a register image, and the image into packets.
//!
//! [`DrawDesc`] describes a draw, [`resolve`] decides every register for a chip, [`explain`] gives the reasons, and [`Recorder`] writes packets.

// If a generation is compiled out, its match arms are gone, and items that only they use are unused.
#![cfg_attr(
    not(all(feature = "gfx9", feature = "gfx10", feature = "gfx103", feature = "gfx11", feature = "gfx115", feature = "gfx12")),
    allow(unused_variables, unused_imports, unused_macros, dead_code)
)]

mod check;
pub(crate) mod decide;
mod desc;
pub(crate) mod errata;
mod image;
pub(crate) mod programs;
mod reasons;
pub(crate) mod record;
mod sheet;
mod state;
pub mod sync;

pub use crate::descriptors::{Compare, CompressedBlock};
pub use crate::isa::WaveSize;
pub use check::{DrawSgprs, VrsProperties, vrs_properties};
pub use decide::{ResolvedDispatch, ResolvedGrid, compute_queue, explain_compute_queue, resolve_dispatch};
pub use desc::{
    AttributeRing, Binning, Blend, BlendFactor, BlendFunction, Board, CallError, ClearMethod, ClipPlanes, ColorCompression, ColorFormat, ConservativeRaster,
    CountedDraw, Cull, Dcc, DccBlocks, DccClear, DepthBias, DepthClear, DepthFormat, DepthLayout, DepthTarget, DepthTest, DispatchDesc, Drain, DrawCall,
    DrawDesc, DrawError, DynamicState, ExpertOptions, ExportFormat, FloatMode, Fmask, GeometryOutput, GeometryRing, GeometryRings, GeometryStage, Grid,
    HiSurface, Htile, IndexBuffer, IndexFormat, Indices, IndirectDraws, Instances, Interlock, Interpolant, InterpolantSource, LegacyGroup, LineMode,
    LineStipple, LogicOp, MeshStage, NggGroup, Occlusion, PatchDomain, PatchGroup, PatchSpacing, PipelineDesc, PixelExports, PixelInput, PixelInputs,
    PixelLoads, PixelShader, PlacedImage, PolygonMode, Program, QueueMemory, Raster, RasterizationOrder, RateCombiner, RateImage, Rect, SampleLocations,
    ScratchRing, ShadingRate, Stage, StencilAction, StencilFace, StencilValues, Streamout, Subgroup, Surface, TargetBlend, TargetImage, TargetPass,
    TargetsDesc, TaskGroups, TaskGroupsIndirect, TaskRings, Tessellation, TessellationRings, Topology, UserData, UserDataWords, VertexOutputs, VertexPath,
    VertexStage, Vertices, Viewport, Winding,
};
pub use errata::{WORKAROUNDS, Workaround, WorkaroundPlace};
pub use image::{RegisterImage, RegisterValue};
pub use programs::{
    ExportWords, ImagePrograms, LinkError, LinkedValue, Occupancy, OccupancyLimit, PixelLink, PixelLinkError, PixelRead, PixelWords, PlacedItem, ProgramWords,
    RegisterMap, SgprItem, SgprMap, StageLink, VgprItem, VgprMap, WaveStart, WordsError, Workgroup, occupancy, pixel_occupancy, register_occupancy, wave_limit,
};
pub use reasons::{Reason, Reasons};
pub use record::{
    Blit, BlitArea, DepthAspect, DepthClearWay, GangMemory, LoadOp, PassEnd, PassResolve, PassTarget, Predicate, PredicateKind, QueryCounts, RecordError,
    Recorder, ResolveMode, StreamoutBegin, StreamoutBuffer, TargetUse,
};
pub use state::{ComputePipeline, PairCache, Pipeline, Resolved, Targets, explain, resolve};
