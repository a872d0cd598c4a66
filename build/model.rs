//! The register database as the description files state it: all generations in place.

use crate::regdb::diag::{Source, Span};
use crate::regdb::gfx::GfxSet;
use crate::regdb::input::Text;

#[derive(Debug, Default)]
pub struct Database {
    pub registers: Vec<Register>,
    pub enums: Vec<Enum>,
    pub lineage: Vec<Lineage>,
}

/// Which descriptions a generation was taken from, and which of them list a register unless it says otherwise.
#[derive(Debug)]
pub struct Lineage {
    pub gfx: GfxSet,
    pub usual: Sources,
    /// The register values after CLEAR_STATE are known.
    pub clear_state: bool,
    pub texts: Vec<(String, String)>,
}

/// A set of descriptions: bit 0 Mesa, bit 1 Linux, bit 2 PAL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sources(pub u8);

impl Sources {
    pub const NAMES: [&'static str; 3] = ["mesa", "linux", "pal"];
}

/// What Rust type a register gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// None: a table entry alone.
    No,
    /// A word whose fields are constants for shifting and masking.
    Constants,
    /// A bit-field struct with the constants beside it.
    Struct,
}

impl Typed {
    pub fn is_typed(self) -> bool {
        self != Self::No
    }
}

#[derive(Debug)]
pub struct Register {
    pub name: Text,
    pub doc: Option<String>,
    pub at: Vec<Place>,
    pub array: Vec<Naming>,
    pub typed: Typed,
    pub fields: Vec<Field>,
    pub aliases: Vec<Alias>,
    pub sources: Vec<(GfxSet, Sources)>,
    pub unplaced: Vec<Unplaced>,
    pub note: Option<String>,
    /// Value after CLEAR_STATE (context registers of generations whose lineage knows them).
    pub clear: u32,
    /// Generations whose CLEAR_STATE table lacks the register.
    pub clear_unknown: GfxSet,
}

/// Where the register stands in some generations; more than one element makes an array.
#[derive(Debug)]
pub struct Place {
    pub gfx: GfxSet,
    pub addr: u32,
    pub count: u32,
    pub stride: u32,
    /// Address by chip group where the group's differs inside the generation.
    pub chips: Vec<(String, u32)>,
    /// A privileged register of the same name elsewhere, by source.
    pub privileged_twin: Vec<(String, u32)>,
    pub span: Span,
}

/// How the elements of an array are named: `{}` in the pattern stands for first + index.
#[derive(Debug, Clone)]
pub struct Naming {
    pub gfx: GfxSet,
    pub pattern: String,
    pub first: u32,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub struct Alias {
    pub gfx: GfxSet,
    pub name: String,
    pub span: Span,
}

/// A field that one source lists for an unnamed subset of a generation's chips.
#[derive(Debug)]
pub struct Unplaced {
    pub gfx: GfxSet,
    pub source: String,
    pub name: String,
    pub lo: u8,
    pub hi: u8,
}

#[derive(Debug)]
pub struct Field {
    pub name: Text,
    pub gfx: GfxSet,
    pub lo: u8,
    pub hi: u8,
    pub values: Option<Text>,
    /// The enum has values that the field cannot hold, and that is known.
    pub partial: bool,
    pub doc: Option<String>,
    pub sources: Option<Sources>,
    pub chips: Vec<String>,
    pub alt_names: Vec<(String, Vec<String>)>,
    pub note: Option<String>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Enum {
    pub name: Text,
    pub gfx: GfxSet,
    pub doc: Option<String>,
    /// A set of flags: any combination of values is legal.
    pub flags: bool,
    pub entries: Vec<Entry>,
    pub sources: Vec<(GfxSet, Sources)>,
    pub disagreements: Vec<Disagreement>,
}

#[derive(Debug)]
pub struct Entry {
    pub name: Text,
    pub gfx: GfxSet,
    pub value: u32,
}

/// What another source says of an enum entry; the entry itself carries the value this project uses.
#[derive(Debug)]
pub struct Disagreement {
    pub gfx: GfxSet,
    pub source: String,
    pub entry: String,
    /// None: the source does not have the entry.
    pub value: Option<u32>,
}

/// Where a register lives; follows from its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    Config,
    Sh,
    Context,
    Uconfig,
    Privileged,
}

impl Space {
    /// The space of a byte address, None outside all of them.
    pub fn of(addr: u32) -> Option<Self> {
        Some(match addr {
            0x8000..0xB000 => Self::Config,
            0xB000..0xC000 => Self::Sh,
            0x28000..0x29000 => Self::Context,
            0x2A000..0x2B000 => Self::Privileged,
            0x30000..0x40000 => Self::Uconfig,
            _ => return None,
        })
    }
}

impl Register {
    pub fn gfx(&self) -> GfxSet {
        self.at.iter().fold(GfxSet::NONE, |set, place| set.or(place.gfx))
    }

    pub fn place(&self, gfx: usize) -> Option<&Place> {
        self.at.iter().find(|place| place.gfx.has(gfx))
    }

    /// The fields of one generation, lowest bit first.
    pub fn layout(&self, gfx: usize) -> Vec<&Field> {
        let mut fields: Vec<_> = self.fields.iter().filter(|f| f.gfx.has(gfx)).collect();
        fields.sort_by_key(|f| f.lo);
        fields
    }

    pub fn naming(&self, gfx: usize) -> Option<&Naming> {
        self.array.iter().find(|naming| naming.gfx.has(gfx))
    }

    /// The first element has the register's own name.
    pub fn element_name(&self, gfx: usize, element: u32) -> String {
        match self.naming(gfx).filter(|_| element > 0) {
            Some(naming) => naming.pattern.replace("{}", &(naming.first + element).to_string()),
            None => self.name.text.clone(),
        }
    }
}

impl Place {
    /// Byte addresses of all elements.
    pub fn addresses(&self) -> impl Iterator<Item = u32> {
        (0..self.count).map(|i| self.addr + i * self.stride)
    }
}

impl Enum {
    /// The entries of one generation, smallest value first.
    pub fn entries_on(&self, gfx: usize) -> Vec<&Entry> {
        let mut entries: Vec<_> = self.entries.iter().filter(|e| e.gfx.has(gfx)).collect();
        entries.sort_by_key(|e| e.value);
        entries
    }
}

impl Database {
    pub fn values(&self, name: &str, gfx: usize) -> Option<&Enum> {
        self.enums.iter().find(|e| e.name.text == name && e.gfx.has(gfx))
    }

    /// What CLEAR_STATE leaves in a register; None where nobody says.
    pub fn clear_value(&self, register: &Register, gfx: usize) -> Option<u32> {
        let known = self.lineage.iter().any(|l| l.gfx.has(gfx) && l.clear_state);
        let context = register.place(gfx).and_then(|p| Space::of(p.addr)) == Some(Space::Context);
        (known && context && !register.clear_unknown.has(gfx)).then_some(register.clear)
    }

    pub fn usual_sources(&self, gfx: usize) -> Sources {
        self.lineage.iter().find(|l| l.gfx.has(gfx)).map_or(Sources(0), |l| l.usual)
    }
}

/// The files of one kind: `registers` for `regdb/*.toml` but the special ones.
pub fn is_register_file(source: &Source) -> bool {
    let name = source.name.strip_prefix("regdb/").unwrap_or(&source.name);
    !name.contains('/') && name != "chips.toml" && name != "sources.toml"
}
