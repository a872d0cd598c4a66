//! Resolved draws, and objects that are resolved once: pipelines, targets, and both together.

pub(crate) mod compute_pipeline;
pub(crate) mod joined;
mod object;
pub(crate) mod objects;
pub(crate) mod pairs;
mod resolve;
mod table;

pub use compute_pipeline::ComputePipeline;
pub use objects::{Pipeline, Targets};
pub use pairs::PairCache;
pub use resolve::{Resolved, explain, resolve};
