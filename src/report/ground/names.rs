//! Words that all parts of a report share.

use crate::packet::Queue;
use alloc::format;
use alloc::string::{String, ToString};

/// What is wrong with one line of JSON, and the column: serde_json counts lines within this line, so its number says nothing.
pub(crate) fn json_mistake(error: &serde_json::Error) -> String {
    let (text, line, column) = (error.to_string(), error.line(), error.column());
    text.strip_suffix(&format!(" at line {line} column {column}")).map_or_else(|| text.clone(), |what| format!("{what} at column {column}"))
}

/// What records and texts call a queue.
pub(crate) fn queue_name(queue: Queue) -> &'static str {
    match queue {
        Queue::Graphics => "gfx",
        Queue::Compute => "compute",
        Queue::Constant => "constant",
    }
}
