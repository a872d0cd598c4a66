//! What all pages have in common: the head, the look, and the data that a page carries.

use alloc::string::String;
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::io::{self, Write};

/// The look of every page, and what every script uses.
pub(super) const LOOK: &str = include_str!("assets/look.css");
pub(super) const TOOLS: &str = include_str!("assets/tools.js");

/// Nothing is loaded from anywhere: what the page needs is in it.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/// Data of a page under a name, compressed.
pub(super) struct Block {
    name: String,
    packed: Vec<u8>,
}

impl Block {
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> io::Result<Self> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(bytes)?;
        Ok(Self { name: name.into(), packed: gzip.finish()? })
    }
}

/// A page that is complete in itself: its script finds `data` by name. The title may hold anything.
pub(super) fn write(out: &mut dyn Write, title: &str, look: &str, script: &str, data: &[Block]) -> io::Result<()> {
    let head = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, POLICY, html! { style { (PreEscaped(LOOK)) (PreEscaped(look)) } }))
            body {
                noscript { p { "This page needs JavaScript: it unpacks the data that it holds." } }
                div id="app" {}
            }
        }
    };
    let head = head.into_string();
    // The data is between the body and its end: a string of all of it would be a second copy.
    let (before, after) = head.split_at(head.rfind("</body>").unwrap_or(head.len()));
    out.write_all(before.as_bytes())?;
    let mut line = String::new();
    for block in data {
        line.clear();
        STANDARD.encode_string(&block.packed, &mut line);
        writeln!(out, "<script type=\"application/gzip\" data-name=\"{}\">{line}</script>", block.name)?;
    }
    for script in [TOOLS, script] {
        write!(out, "<script>\n{script}</script>")?;
    }
    out.write_all(after.as_bytes())
}

/// The head of a page.
pub(super) fn head(title: &str, policy: &str, look: Markup) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            meta http-equiv="Content-Security-Policy" content=(policy);
            link rel="icon" href="data:,";
            title { (title) }
            (look)
        }
    }
}
