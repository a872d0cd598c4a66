//! Checks of descriptions against a chip, and the facts from which registers are decided.

pub(crate) mod color_format;
mod dispatch;
mod draw;
pub(crate) mod draw_inputs;
mod draw_sgprs;
pub(crate) mod effective_draw;
mod exports;
pub(crate) mod front;
mod passes;
pub(crate) mod programs;
pub(crate) mod rates;
pub(crate) mod rings;
mod targets;

pub use draw_sgprs::DrawSgprs;
pub use rates::{VrsProperties, vrs_properties};
