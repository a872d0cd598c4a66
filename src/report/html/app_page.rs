//! Application pages: a program's own page with the viewers of all other pages.

use super::run_page::PACKETS;
use super::shell::{self, Block, Rights};
use alloc::vec::Vec;
use flate2::Compression;
use std::io::{self, Write};

/// A self-contained page that may run WebAssembly on its own thread: the page of `web/`. Its script can use the viewers of [`RunPage`](super::RunPage),
/// [`stream_page`](super::stream_page), [`log_page`](super::log_page) and the manual to show [`PageData`](super::PageData) and a [`Manual`](super::Manual) that
/// it obtains at run time.
///
/// ```
/// use pm4::report::html::AppPage;
///
/// let mut page = Vec::new();
/// AppPage { title: "read a dump", look: "", script: "start();", data: &[("module", b"\0asm")] }.write(&mut page)?;
/// let page = String::from_utf8_lossy(&page);
/// assert!(page.contains("connect-src &#39;none&#39;") || page.contains("connect-src 'none'"), "it asks no network");
/// assert!(page.contains("data-name=\"module\""));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct AppPage<'a> {
    /// The title; may contain any characters.
    pub title: &'a str,
    /// CSS of the page, after that of the viewers.
    pub look: &'a str,
    /// JavaScript of the page, after that of the viewers.
    pub script: &'a str,
    /// Named data for the script: `blockStream(name)` and `block(name)` unpack it.
    pub data: &'a [(&'a str, &'a [u8])],
}

impl AppPage<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// Returns the error from writing to `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let blocks = self.data.iter().map(|(name, bytes)| Block::new(*name, bytes.to_vec()).pack(Compression::best())).collect::<io::Result<Vec<Block>>>()?;
        let (look, script) = ([PACKETS.look, self.look].concat(), [PACKETS.script, include_str!("assets/manual.js"), self.script].concat());
        shell::write_with(out, self.title, &look, &script, blocks, Rights::Run)
    }
}
