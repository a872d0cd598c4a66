//! Checks against a chip: what a description asks for, and the facts that registers are decided from.

pub(crate) mod color_format;
pub(crate) mod draw_parts;
pub(crate) mod exports;
pub(crate) mod front;
pub(crate) mod inputs;
mod passes;

pub use exports::{ExportFormat, PixelExports};
pub use passes::TargetPass;
