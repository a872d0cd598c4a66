//! What all pages have in common: the head, the look, and the data that a page carries.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};
use std::io::{self, Write};

/// The look of every page, and what every script uses.
pub(super) const LOOK: &str = include_str!("assets/look.css");
pub(super) const TOOLS: &str = include_str!("assets/tools.js");

/// Nothing is loaded from anywhere: what the page needs is in it, and of that only these scripts run and only this style counts.
fn policy(scripts: &[String], style: &str) -> String {
    let hashed = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let scripts: Vec<String> = scripts.iter().map(|script| hashed(script)).collect();
    let scripts = if scripts.is_empty() { Vec::from(["'none'".into()]) } else { scripts };
    format!("default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'", scripts.join(" "), hashed(style))
}

/// Data of a page under a name, compressed.
pub(super) struct Block {
    name: String,
    packed: Vec<u8>,
}

impl Block {
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> io::Result<Self> {
        let mut writer = BlockWriter::new(name);
        writer.write_all(bytes)?;
        writer.finish()
    }
}

/// Data of a page that is compressed as it comes.
pub(super) struct BlockWriter {
    name: String,
    gzip: GzEncoder<Vec<u8>>,
}

impl BlockWriter {
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), gzip: GzEncoder::new(Vec::new(), Compression::default()) }
    }

    pub fn finish(self) -> io::Result<Block> {
        Ok(Block { name: self.name, packed: self.gzip.finish()? })
    }
}

impl Write for BlockWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gzip.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.gzip.flush()
    }
}

/// A page that is complete in itself: its script finds `data` by name. The title may hold anything.
pub(super) fn write(out: &mut dyn Write, title: &str, look: &str, script: &str, data: &[Block]) -> io::Result<()> {
    let scripts = [TOOLS, script].map(|script| format!("\n{script}"));
    let style = format!("{LOOK}{look}");
    let head = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, &policy(&scripts, &style), html! { style { (PreEscaped(&style)) } }))
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
    for script in scripts {
        write!(out, "<script>{script}</script>")?;
    }
    out.write_all(after.as_bytes())
}

/// A page without a script: all of it is in its body.
pub(super) fn plain(out: &mut dyn Write, title: &str, look: &str, body: &Markup) -> io::Result<()> {
    let style = format!("{LOOK}{look}");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, &policy(&[], &style), html! { style { (PreEscaped(&style)) } }))
            body { (body) }
        }
    };
    out.write_all(page.into_string().as_bytes())
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
