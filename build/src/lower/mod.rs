//! Lowers the model to what becomes a single Rust item: layouts that generations share, and effects as one queue of one generation sees them.

pub mod conditions;
pub mod descriptors;
pub mod effects;
pub mod typed;
