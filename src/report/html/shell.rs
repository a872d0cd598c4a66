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

/// What a page may do besides running its own scripts with its own style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rights {
    /// Nothing.
    Show,
    /// It runs a module of WebAssembly, on a thread of its own.
    Run,
}

/// Nothing is loaded from anywhere: what the page needs is in it, and of that only these scripts run and only this style counts.
fn policy(scripts: &[String], styles: &[String], rights: Rights) -> String {
    let hashed = |texts: &[String]| {
        let hashes: Vec<String> = texts.iter().map(|text| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))).collect();
        if hashes.is_empty() { "'none'".into() } else { hashes.join(" ") }
    };
    let (modules, threads) = match rights {
        Rights::Show => ("", ""),
        Rights::Run => ("'wasm-unsafe-eval' ", "; connect-src 'none'; worker-src blob:"),
    };
    format!(
        "default-src 'none'; script-src {modules}{}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'{threads}",
        hashed(scripts),
        hashed(styles)
    )
}

/// Bytes of data of one kind that stay as they are until a page is written: what shows them at once need not unpack them. More is kept compressed.
const PLAIN: usize = 4 << 20;

/// Data of a page under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub name: String,
    pub bytes: Vec<u8>,
    /// They are compressed.
    pub packed: bool,
}

impl Block {
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes, packed: false }
    }

    /// Returns a block of many: compressed, where so many bytes are before it.
    pub fn of_many(name: impl Into<String>, bytes: &[u8], before: &[Self]) -> io::Result<Self> {
        let plain = Self::new(name, bytes.to_vec());
        if before.iter().map(|block| block.bytes.len()).sum::<usize>() < PLAIN { Ok(plain) } else { plain.pack(Compression::default()) }
    }

    /// Returns the same block, compressed.
    pub fn pack(self, level: Compression) -> io::Result<Self> {
        if self.packed {
            return Ok(self);
        }
        let mut gzip = GzEncoder::new(Vec::new(), level);
        gzip.write_all(&self.bytes)?;
        Ok(Self { name: self.name, bytes: gzip.finish()?, packed: true })
    }
}

/// Data of a page that may be long: compressed as it comes.
pub(super) struct BlockWriter {
    name: String,
    plain: Vec<u8>,
    gzip: Option<GzEncoder<Vec<u8>>>,
}

impl BlockWriter {
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), plain: Vec::new(), gzip: None }
    }

    pub fn finish(self) -> io::Result<Block> {
        match self.gzip {
            Some(gzip) => Ok(Block { name: self.name, bytes: gzip.finish()?, packed: true }),
            None => Ok(Block::new(self.name, self.plain)),
        }
    }
}

impl Write for BlockWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(gzip) = &mut self.gzip {
            return gzip.write(bytes);
        }
        self.plain.extend_from_slice(bytes);
        if self.plain.len() > PLAIN {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            gzip.write_all(&core::mem::take(&mut self.plain))?;
            self.gzip = Some(gzip);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.gzip.as_mut().map_or(Ok(()), GzEncoder::flush)
    }
}

/// Returns a script or style without indentation and without lines that hold only a comment, which browsers do not need. No text of the assets spans lines.
fn lean(text: &str) -> String {
    let is_comment = |line: &str| line.starts_with("//") || line.starts_with("/*") && line.find("*/") == Some(line.len() - 2);
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line)).fold(String::new(), |text, line| text + line + "\n")
}

/// Writes a page that is complete in itself: its script finds `data` by name. The title may hold anything.
pub(super) fn write(out: &mut dyn Write, title: &str, look: &str, script: &str, data: Vec<Block>) -> io::Result<()> {
    write_with(out, title, look, script, data, Rights::Show)
}

/// [`write`], for a page that may do more.
pub(super) fn write_with(out: &mut dyn Write, title: &str, look: &str, script: &str, data: Vec<Block>, rights: Rights) -> io::Result<()> {
    let scripts = [TOOLS, script].map(|script| format!("\n{}", lean(script)));
    let styles = [LOOK, look].map(lean);
    let head = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, &policy(&scripts, &styles, rights), html! { @for style in &styles { style { (PreEscaped(style)) } } }))
            body {
                noscript { p { "This page needs JavaScript: it unpacks the data that it holds." } }
                div id="app" {}
            }
        }
    };
    let head = head.into_string();
    // The data is between the body and its end; a string of the whole page would be a second copy.
    let (before, after) = head.split_at(head.rfind("</body>").unwrap_or(head.len()));
    out.write_all(before.as_bytes())?;
    let mut line = String::new();
    for block in data {
        let block = block.pack(Compression::default())?;
        line.clear();
        STANDARD.encode_string(&block.bytes, &mut line);
        writeln!(out, "<script type=\"application/gzip\" data-name=\"{}\">{line}</script>", block.name)?;
    }
    for script in scripts {
        write!(out, "<script>{script}</script>")?;
    }
    out.write_all(after.as_bytes())
}

/// Writes a page without a script, all of whose content is in its body.
pub(super) fn plain(out: &mut dyn Write, title: &str, look: &str, body: &Markup) -> io::Result<()> {
    let style = [format!("{LOOK}{look}")];
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, &policy(&[], &style, Rights::Show), html! { style { (PreEscaped(&style[0])) } }))
            body { (body) }
        }
    };
    out.write_all(page.into_string().as_bytes())
}

/// Returns the head of a page.
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
