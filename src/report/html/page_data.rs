//! What a page shows, without its shell.

use super::shell::{self, Block};
use alloc::string::String;
use alloc::vec::Vec;
use std::io::{self, Write};

/// The scripts and the look of a kind of page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Viewer {
    pub look: &'static str,
    pub script: &'static str,
    /// What makes a page of the data that is in it.
    pub start: &'static str,
}

/// The data of a page: a title, and blocks under names, of which large ones are packed with gzip. [`AppPage`](super::AppPage) has the scripts that show it.
///
/// For an example see [`RunPage::data`](super::RunPage::data).
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

    /// Names and bytes of the blocks, and whether they are packed.
    pub fn blocks(&self) -> impl Iterator<Item = (&str, &[u8], bool)> {
        self.blocks.iter().map(|block| (block.name.as_str(), block.bytes.as_slice(), block.packed))
    }

    /// Writes a self-contained page with the data. The data does not name its viewer: who shows it with scripts of its own holds no others.
    pub(super) fn write(self, out: &mut dyn Write, viewer: Viewer) -> io::Result<()> {
        let script = [viewer.script, viewer.start].concat();
        shell::write(out, &self.title, viewer.look, &script, self.blocks)
    }
}
