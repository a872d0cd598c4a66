//! The page of streams of queues other than PM4.

use super::run_page::title;
use super::shell;
use crate::queues::{QueueReader, Version};
use crate::report::queues::line;
use alloc::format;
use alloc::string::String;
use maud::{Markup, html};
use std::io::{self, Write};

const LOOK: &str =
    "main{padding:1em}table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:0 1em 0 0}td{font-family:monospace}.damage{color:#c00}";

/// Writes a page with the packets of streams, each given as version, name and words. The page shows fields, words and damage. Returns whether a stream is
/// damaged.
///
/// ```
/// use pm4::queues::{QueueFamily, Version};
/// let version = Version::new(QueueFamily::Sdma, "6.0").expect("a version");
/// let mut page = Vec::new();
/// let damaged = pm4::report::html::queue_page(&mut page, &[(version, "<trap>.bin", &[6, 0])])?;
/// assert!(!damaged && String::from_utf8_lossy(&page).contains("&lt;trap&gt;"), "names are text");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Returns the error from writing to `out`.
pub fn queue_page(out: &mut dyn Write, streams: &[(Version, &str, &[u32])]) -> io::Result<bool> {
    let mut damaged = false;
    let body = html! {
        main {
            @for (version, name, words) in streams {
                h2 { (name) ", " (version.family()) " (" (version.name()) "), " (words.len()) " dwords" }
                (table(*version, words, &mut damaged))
            }
        }
    };
    let names = streams.iter().map(|(_, name, _)| *name);
    shell::plain(out, &format!("{}: dump", title(names)), LOOK, &body)?;
    Ok(damaged)
}

fn table(version: Version, words: &[u32], damaged: &mut bool) -> Markup {
    html! {
        table {
            thead { tr { th { "Dword" } th { "QueuePacket" } th { "Fields" } th { "Words" } } }
            tbody {
                @for item in QueueReader::new(version, words) {
                    @match item {
                        Ok(packet) => {
                            @let text = fields(&packet);
                            @let defect = packet.defect();
                            tr title=(packet.format.doc) {
                                td { (packet.offset) }
                                td { (packet.name()) }
                                td {
                                    (text)
                                    @if let Some(defect) = defect {
                                        span .damage { (mark(damaged)) (defect) }
                                    }
                                }
                                td { (hex(packet.words)) }
                            }
                        }
                        Err(damage) => {
                            tr .damage { td { (damage.offset) } td { (mark(damaged)) "error" } td { (damage) } td { (hex(words.get(damage.offset..damage.offset + damage.dwords).unwrap_or_default())) } }
                        }
                    }
                }
            }
        }
    }
}

/// Sets `damaged`, and returns an empty string to show.
fn mark(damaged: &mut bool) -> &'static str {
    *damaged = true;
    ""
}

/// Returns the part of the text form between name and words.
fn fields(packet: &crate::queues::QueuePacket<'_>) -> String {
    let mut text = String::new();
    line(&mut text, packet, false);
    let fields = text.split(';').next().unwrap_or_default().split_whitespace().skip(3);
    fields.collect::<alloc::vec::Vec<_>>().join(" ")
}

/// Formats the first words of a packet.
fn hex(words: &[u32]) -> String {
    const MOST: usize = 64;
    let mut text: String = words.iter().take(MOST).map(|word| format!("{word:08x} ")).collect();
    if words.len() > MOST {
        text.push('…');
    }
    text
}
