//! Checks against a chip: what a description asks for, and the facts that registers are decided from.

pub(crate) mod color_format;
mod dispatch;
mod draw;
pub(crate) mod draw_parts;
mod draw_sgprs;
mod exports;
pub(crate) mod front;
pub(crate) mod inputs;
mod passes;
pub(crate) mod programs;
pub(crate) mod rates;
pub(crate) mod rings;
mod targets;

pub use draw_sgprs::DrawSgprs;
pub use rates::{VrsProperties, vrs_properties};
