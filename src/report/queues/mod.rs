//! Streams of non-PM4 queues, decoded: text, JSON records, and back.

mod dump;
mod from_json;
mod from_text;
mod to_json;
mod to_text;

pub use dump::{QueueDump, QueueDumpOptions};
pub(super) use from_json::{family, packet};
pub(super) use from_text::{TITLE, contradiction, version};
#[cfg(feature = "html")]
pub(super) use to_text::line;
