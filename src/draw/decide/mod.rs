//! Registers decided from checked inputs, one file per group.

pub(crate) mod blend;
mod clip_planes;
pub(crate) mod color;
pub(crate) mod compression;
pub(crate) mod depth;
pub(crate) mod dynamic;
pub(crate) mod hierarchical;
pub(crate) mod msaa;
pub(crate) mod pops;
pub(crate) mod preamble;
pub(crate) mod raster;
pub(crate) mod rate_image;
pub(crate) mod rb_plus;
pub(crate) mod samples;
pub(crate) mod shader;
pub(crate) mod stage;
pub(crate) mod surface;
pub(crate) mod viewport;
pub(crate) mod vrs;

pub use clip_planes::ClipPlanes;
pub use compression::{ColorCompression, Dcc, DccBlocks, DccClear, Fmask};
pub use hierarchical::{DepthClear, HiSurface, Htile};
pub use preamble::{AttributeRing, ClearMethod, GeometryRing, GeometryRings, QueueMemory};
pub use rate_image::RateImage;
pub use stage::{DispatchDesc, Grid, ResolvedDispatch, ResolvedGrid, compute_queue, explain_compute_queue, resolve_dispatch};
pub use vrs::{VrsProperties, vrs_properties};
