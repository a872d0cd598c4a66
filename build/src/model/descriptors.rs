//! The contents of the descriptor files as data: words with fields like those of registers, values that span several fields, and formats.

use crate::gfx::GfxSet;
use crate::input::Text;
use crate::model::registers::{Database, Field};

/// The contents of `regdb/descriptors/`.
#[derive(Default)]
pub struct Descriptors {
    pub list: Vec<Descriptor>,
    pub words: Vec<Word>,
    pub formats: Vec<TexelFormat>,
    /// Only the value lists.
    pub values: Database,
}

/// A descriptor: consecutive words.
pub struct Descriptor {
    pub name: Text,
    pub doc: String,
    pub words: Vec<Text>,
    pub joined: Vec<Joined>,
}

/// A value that spans two fields.
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
    /// The field that shares its bits and gives them a different meaning.
    pub same_bits: Option<Text>,
}

/// A format of texels or elements, in descriptor terms.
pub struct TexelFormat {
    pub name: Text,
    pub bits: u32,
    /// The channels that the shader reads.
    pub channels: Text,
    /// The channels of the format itself, if they differ.
    pub own: Option<Text>,
    /// The format from GFX10 on, without the name of the list.
    pub format: Option<Text>,
    /// Data and number format of GFX9, without the names of the lists.
    pub gfx9: Option<(Text, Text)>,
    pub etc2: bool,
    pub buffers_only: bool,
    pub blocks: bool,
    /// Number of depth and stencil bits of a depth surface.
    pub depth: Option<(u32, u32)>,
    pub swap: Option<Text>,
}

impl Descriptors {
    pub fn word(&self, name: &str) -> Option<&Word> {
        self.words.iter().find(|word| word.name.text == name)
    }
}

impl Word {
    /// Returns the fields of a generation, lowest bit first.
    pub fn layout(&self, gfx: usize) -> Vec<&WordField> {
        let mut fields = self.fields.iter().filter(|f| f.field.gfx.has(gfx)).collect::<Vec<_>>();
        fields.sort_by_key(|f| (f.field.lo, f.same_bits.is_some()));
        fields
    }
}
