//! The data of a page, without the page around it.

use super::shell::{self, Block};
use alloc::string::String;
use alloc::vec::Vec;
use std::io::{self, Write};

/// The scripts and the style of a kind of page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Viewer {
    pub look: &'static str,
    pub script: &'static str,
    /// The call that builds the page from its data.
    pub start: &'static str,
}

/// The data of a page: a title, and named blocks, of which large ones are gzip-compressed. The scripts of [`AppPage`](super::AppPage) can show it.
///
/// For an example, see [`RunPage::data`](super::RunPage::data).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageData {
    title: String,
    blocks: Vec<Block>,
}

impl PageData {
    pub(super) fn new(title: String, blocks: Vec<Block>) -> Self {
        Self { title, blocks }
    }

    /// Returns the title of the page.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the name and the bytes of each block, and whether the bytes are compressed.
    pub fn blocks(&self) -> impl Iterator<Item = (&str, &[u8], bool)> {
        self.blocks.iter().map(|block| (block.name.as_str(), block.bytes.as_slice(), block.packed))
    }

    /// Writes a self-contained page with the data. The data does not refer to its viewer, so that a program with its own scripts need not contain the others.
    pub(super) fn write(self, out: &mut dyn Write, viewer: Viewer) -> io::Result<()> {
        let script = [viewer.script, viewer.start].concat();
        shell::write(out, &self.title, viewer.look, &script, self.blocks)
    }
}
