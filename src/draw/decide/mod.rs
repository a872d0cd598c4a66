//! Registers decided from checked inputs, one file per group.

pub(crate) mod blend;
mod clip_planes;
mod color;
mod compression;
pub(crate) mod depth;
pub(crate) mod dynamic;
pub(crate) mod groups;
mod hierarchical;
mod msaa;
mod pops;
pub(crate) mod preamble;
pub(crate) mod raster;
mod rate_image;
mod rb_plus;
mod samples;
pub(crate) mod stage;
mod surface;
pub(crate) mod view_inputs;
pub(crate) mod viewport;
mod vrs;

pub use stage::{ResolvedDispatch, ResolvedGrid, compute_queue, explain_compute_queue, resolve_dispatch};
