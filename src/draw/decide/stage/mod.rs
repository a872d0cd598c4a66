//! Shader stages: what programs need, what hardware starts them with, and the registers of each stage.

mod compute;
mod compute_queue;
pub(crate) mod geometry;
mod hardware_vs;
mod late_alloc;
mod legacy_geometry;
pub(crate) mod mesh;
mod ngg;
pub(crate) mod pixel;
mod rsrc;
pub(crate) mod scratch;
pub(crate) mod streamout;
pub(crate) mod tessellation;

pub use compute::{ResolvedDispatch, ResolvedGrid, resolve_dispatch};
pub use compute_queue::{compute_queue, explain_compute_queue};
