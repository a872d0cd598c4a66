//! The page of a program that ran on a device without a GPU: its submissions in order, and the findings.

use super::page_data::{PageData, Viewer};
use super::shell::Block;
use alloc::format;
use alloc::string::ToString;
use serde_json::Value;
use std::io::{self, Write};

const LIVE: Viewer = Viewer { look: include_str!("assets/live.css"), script: include_str!("assets/live.js"), start: include_str!("assets/live_start.js") };

/// Writes the page of `pm4 live --html`. `record` is JSON with `chip`, `processes`, `ioctls`, `errors`, `warnings`, `known`, `groups` (findings by code:
/// `code`, `severity`, `count`, `submissions`, `first`, `text`, `known`) and `profile` (`metrics`, `rows` of counts and errors, `each`: submissions per row,
/// `submissions`).
///
/// ```
/// let mut page = Vec::new();
/// let record = r#"{"chip":"<navi31>","processes":1,"ioctls":2,"errors":0,"warnings":0,"known":0,"groups":[],
///     "profile":{"metrics":["draws"],"each":1,"submissions":1,"rows":[[[3],0]]}}"#;
/// pm4::report::html::live_page(&mut page, record)?;
/// assert!(!String::from_utf8_lossy(&page).contains("<navi31>"), "names are text");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Returns an error if writing to `out` fails or the record is not valid.
pub fn live_page(out: &mut dyn Write, record: &str) -> io::Result<()> {
    let record: Value = serde_json::from_str(record)?;
    let title = format!("{}: pm4 live", record["chip"].as_str().unwrap_or("a device"));
    PageData::new(title, [Block::new("head", record.to_string().into_bytes())].into()).write(out, LIVE)
}
