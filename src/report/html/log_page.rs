//! The page of a log: what went wrong, and when.

use super::run_page::title;
use super::shell::{self, Block};
use alloc::format;
use alloc::string::{String, ToString};
use serde_json::Value;
use std::io::{self, Write};

const LOOK: &str = include_str!("assets/incidents.css");
const SCRIPT: &str = concat!(include_str!("assets/incidents.js"), include_str!("assets/log.js"));

/// The page of inputs without words: the verdict, and a timeline of what the logs say. `record` is what `pm4::hang::Incidents::timeline` gives; `lines` say
/// what was read.
///
/// ```
/// let mut page = Vec::new();
/// let record = r#"{"files":["<b>.txt"],"verdict":["ring gfx timed out"],"incidents":[],"events":[],"count":0}"#;
/// pm4::report::html::log_page(&mut page, record, &[])?;
/// assert!(!String::from_utf8_lossy(&page).contains("<b>"), "names are text");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// What writing to `out` fails with; the record is not valid.
pub fn log_page(out: &mut dyn Write, record: &str, lines: &[String]) -> io::Result<()> {
    let mut record: Value = serde_json::from_str(record)?;
    record["lines"] = lines.into();
    let files = record["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let title = format!("{}: check", title(files));
    shell::write(out, &title, LOOK, SCRIPT, &[Block::new("head", record.to_string().as_bytes())?])
}
