//! What all parts of a report share.

mod names;
mod output;

pub(crate) use names::{json_mistake, queue_name};
pub use output::OutputFormat;
