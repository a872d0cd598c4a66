//! The page of a log: what went wrong and when.

use super::page_data::{PageData, Viewer};
use super::run_page::title;
use super::shell::Block;
use alloc::format;
use alloc::string::{String, ToString};
use serde_json::Value;
use std::io::{self, Write};

const LOG: Viewer = Viewer {
    look: include_str!("assets/incidents.css"),
    script: concat!(include_str!("assets/incidents.js"), include_str!("assets/log.js")),
    start: include_str!("assets/log_start.js"),
};

/// Writes the page of inputs without words: the verdict, and a timeline of the log events. `record` is the result of `pm4::hang::Incidents::timeline`; `lines`
/// describe the inputs.
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
/// Returns an error if writing to `out` fails or the record is not valid.
pub fn log_page(out: &mut dyn Write, record: &str, lines: &[String]) -> io::Result<()> {
    log_data(record, lines)?.write(out, LOG)
}

/// Returns the data that [`log_page`] shows, without the page around it.
///
/// ```
/// let data = pm4::report::html::log_data(r#"{"files":["a.txt"],"verdict":[],"incidents":[],"events":[],"count":0}"#, &[])?;
/// assert_eq!(data.title(), "a.txt: check");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the record is not valid.
pub fn log_data(record: &str, lines: &[String]) -> io::Result<PageData> {
    let mut record: Value = serde_json::from_str(record)?;
    record["lines"] = lines.into();
    let files = record["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let title = format!("{}: check", title(files));
    Ok(PageData::new(title, [Block::new("head", record.to_string().into_bytes())].into()))
}
