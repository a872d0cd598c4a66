//! STA: draw and dispatch state.

mod blending;
mod dispatches;
pub(super) mod events;
mod exports;
mod geometry_engine;
mod indices;
mod pixel_shader;
mod programs;
mod rasterizer;
mod rings;
mod scan_converter;
mod stages;
mod table;
mod units;
mod user_data;
mod waves;
mod workarounds;

pub(in crate::cp) use events::{NO_NON_EVENT, OPAQUE_EVENTS, opaque_events};
pub(super) use table::RULES;
