//! What the packet descriptions say, as data.

use crate::regdb::diag::Span;
use crate::regdb::gfx::{GENERATIONS, GfxSet};

/// The engines of the command processor, in the order of their bits.
pub const ENGINES: [&str; 4] = ["pfp", "me", "mec", "ce"];
/// The enum whose values are events and carry more than a number.
pub const EVENTS: &str = "VGT_EVENT_TYPE";

/// A set of pairs of generation and engine, bit `4 * generation + engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(pub u32);

impl Scope {
    pub const ALL: Self = Self(0xFF_FFFF);

    pub fn product(gfx: GfxSet, engines: u32) -> Self {
        Self(gfx.indices().fold(0, |set, i| set | engines << (4 * i)))
    }
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    pub fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
    /// The generations in which any engine belongs to the set.
    pub fn gfx(self) -> GfxSet {
        GfxSet((0..GENERATIONS.len()).fold(0, |set, i| set | u8::from(self.0 >> (4 * i) & 0xF != 0) << i))
    }
}

/// All packet descriptions.
#[derive(Debug, Default)]
pub struct Packets {
    pub packets: Vec<Packet>,
    /// Names of opcode numbers, those of the packets included.
    pub opcodes: Vec<NamedOpcode>,
    pub enums: Vec<Enum>,
    pub bitfields: Vec<Bitfield>,
}

#[derive(Debug)]
pub struct Packet {
    pub name: String,
    pub span: Span,
    /// Name of the opcode constant where it is not the packet's.
    pub constant: String,
    pub opcodes: Vec<(GfxSet, u8)>,
    pub scope: Scope,
    pub shader_type: bool,
    /// For the kernel driver: user mode reads it, never writes it.
    pub kernel: bool,
    pub doc: String,
    pub notes: Vec<String>,
    pub sources: Vec<String>,
    pub forms: Vec<Form>,
}

#[derive(Debug)]
pub struct NamedOpcode {
    pub name: String,
    pub span: Span,
    pub gfx: GfxSet,
    pub value: u8,
}

#[derive(Debug)]
pub struct Form {
    pub scope: Scope,
    pub internal: bool,
    pub sizes: Vec<(GfxSet, u8)>,
    pub repeat: Option<Repeat>,
    pub fields: Vec<Field>,
}

#[derive(Debug, Clone, Copy)]
pub struct Repeat {
    pub from: u8,
    pub len: u8,
}

#[derive(Debug)]
pub struct Field {
    pub name: String,
    pub span: Span,
    pub dword: u8,
    pub lo: u8,
    pub hi: u8,
    pub scope: Scope,
    pub when: Vec<When>,
    /// May share its bits with other fields that mean something at the same time.
    pub overlap: bool,
    /// Zero from user mode.
    pub kernel: bool,
    /// Its values are events.
    pub event: bool,
    pub doc: String,
    /// Index into [`Packets::enums`].
    pub values: Option<usize>,
    /// Index into [`Packets::bitfields`].
    pub layout: Option<usize>,
}

/// A condition as written.
#[derive(Debug)]
pub struct When {
    pub span: Span,
    pub field: String,
    pub not: bool,
    pub values: Vec<String>,
}

/// A condition on bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub dword: u8,
    pub lo: u8,
    pub hi: u8,
    pub not: bool,
    pub values: Vec<u32>,
}

#[derive(Debug)]
pub struct Enum {
    pub name: String,
    pub values: Vec<EnumValue>,
}

#[derive(Debug)]
pub struct EnumValue {
    pub name: String,
    pub span: Span,
    pub value: u32,
    pub scope: Scope,
    /// Events: index in EVENT_WRITE by generation, 0 where none is given.
    pub index: Vec<(GfxSet, u8)>,
    pub timestamp: bool,
    pub sample: bool,
}

#[derive(Debug)]
pub struct Bitfield {
    pub name: String,
    pub fields: Vec<BitfieldField>,
}

#[derive(Debug)]
pub struct BitfieldField {
    pub name: String,
    pub span: Span,
    pub lo: u8,
    pub hi: u8,
    pub gfx: GfxSet,
    pub values: Option<usize>,
}
