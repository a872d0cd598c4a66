//! The page of a program that ran on a device without a GPU: its submissions one after the other, and what was found.

use super::page_data::{PageData, Viewer};
use super::shell::Block;
use alloc::format;
use alloc::string::ToString;
use serde_json::Value;
use std::io::{self, Write};

const LIVE: Viewer = Viewer { look: include_str!("assets/live.css"), script: include_str!("assets/live.js"), start: include_str!("assets/live_start.js") };

/// Writes the page of `pm4 live --html`. `record` has `chip`, `processes`, `ioctls`, `errors`, `warnings`, `known`, `groups`
/// (findings by code: `code`, `severity`, `count`, `submissions`, `first`, `text`, `known`) and `profile` (`metrics`,
/// `rows` of their counts and of errors, `each` submissions in a row, `submissions`).
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
/// What writing to `out` fails with; the record is not valid.
pub fn live_page(out: &mut dyn Write, record: &str) -> io::Result<()> {
    let record: Value = serde_json::from_str(record)?;
    let title = format!("{}: pm4 live", record["chip"].as_str().unwrap_or("a device"));
    PageData::new(title, [Block::new("head", record.to_string().into_bytes())].into()).write(out, LIVE)
}
