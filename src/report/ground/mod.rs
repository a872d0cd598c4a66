//! Shared by all parts of a report.

mod names;
mod new_file;
mod output;
mod shown;

pub(crate) use names::{json_mistake, queue_name};
pub use new_file::NewFile;
pub use output::OutputFormat;
pub use shown::{ShownOutput, shown};
