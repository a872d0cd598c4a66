//! What the descriptions of resource descriptors say, as data: words with fields as registers have, values that several fields hold, and formats.

use crate::gfx::GfxSet;
use crate::input::Text;
use crate::model::registers::{Database, Field};

/// All that `regdb/descriptors/` says.
#[derive(Default)]
pub struct Descriptors {
    pub list: Vec<Descriptor>,
    pub words: Vec<Word>,
    pub formats: Vec<TexelFormat>,
    /// The value lists alone.
    pub values: Database,
}

/// A descriptor: some words in a row.
pub struct Descriptor {
    pub name: Text,
    pub doc: String,
    pub words: Vec<Text>,
    pub joined: Vec<Joined>,
}

/// A value that two fields hold.
pub struct Joined {
    pub name: Text,
    pub gfx: GfxSet,
    pub lo: Text,
    pub hi: Text,
    /// The unit of the lowest bit, in bytes.
    pub unit: u32,
    pub doc: String,
}

pub struct Word {
    pub name: Text,
    pub fields: Vec<WordField>,
}

pub struct WordField {
    pub field: Field,
    /// The field whose bits it reads in another way.
    pub same_bits: Option<Text>,
}

/// What the descriptors call a format of texels or elements.
pub struct TexelFormat {
    pub name: Text,
    pub bits: u32,
    /// What the channels of the shader read.
    pub channels: Text,
    /// The channels of the format itself, where those are others.
    pub own: Option<Text>,
    /// Without the name of the list, from GFX10.
    pub format: Option<Text>,
    /// Data and number format of GFX9, without the names of the lists.
    pub gfx9: Option<(Text, Text)>,
    pub etc2: bool,
    pub buffers_only: bool,
    pub blocks: bool,
    /// Bits of depth and stencil of a depth surface.
    pub depth: Option<(u32, u32)>,
    pub swap: Option<Text>,
}

impl Descriptors {
    pub fn word(&self, name: &str) -> Option<&Word> {
        self.words.iter().find(|word| word.name.text == name)
    }
}

impl Word {
    /// The fields of a generation, lowest bit first.
    pub fn layout(&self, gfx: usize) -> Vec<&WordField> {
        let mut fields = self.fields.iter().filter(|f| f.field.gfx.has(gfx)).collect::<Vec<_>>();
        fields.sort_by_key(|f| (f.field.lo, f.same_bits.is_some()));
        fields
    }
}
