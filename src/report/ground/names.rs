//! Words shared by all parts of a report.

use crate::packet::Queue;
use alloc::format;
use alloc::string::{String, ToString};

/// Returns the error in one line of JSON, with the column: serde_json counts lines within this line, so its line number is useless.
pub(crate) fn json_mistake(error: &serde_json::Error) -> String {
    let (text, line, column) = (error.to_string(), error.line(), error.column());
    text.strip_suffix(&format!(" at line {line} column {column}")).map_or_else(|| text.clone(), |what| format!("{what} at column {column}"))
}

/// Returns the name of a queue in records and texts.
pub(crate) fn queue_name(queue: Queue) -> &'static str {
    match queue {
        Queue::Graphics => "gfx",
        Queue::Compute => "compute",
        Queue::Constant => "constant",
    }
}
