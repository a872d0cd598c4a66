//! The register database as in the description files, with all generations together.

use crate::diag::{Source, Span};
use crate::gfx::GfxSet;
use crate::input::Text;
use std::collections::BTreeSet;

#[derive(Default)]
pub struct Database {
    pub registers: Vec<Register>,
    pub enums: Vec<Enum>,
    pub lineage: Vec<Lineage>,
}

/// The descriptions used for a generation, and those that list a register by default.
pub struct Lineage {
    pub gfx: GfxSet,
    pub usual: Sources,
    /// Whether the register values after CLEAR_STATE are known.
    pub clear_state: bool,
    pub texts: Vec<(String, String)>,
    /// Groups of chips that differ within the generation, according to the sources.
    pub chips: Vec<String>,
}

/// A set of descriptions: bit 0 Mesa, bit 1 Linux, bit 2 PAL.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Sources(pub u8);

impl Sources {
    pub const NAMES: [&'static str; 3] = ["mesa", "linux", "pal"];
}

/// The Rust type of a register.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// None: only a table entry.
    No,
    /// A word with field constants for shifting and masking.
    Constants,
    /// A bit-field struct, with the same constants.
    Struct,
}

impl Typed {
    pub fn is_typed(self) -> bool {
        self != Self::No
    }
}

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
    /// The value after CLEAR_STATE (context registers of generations whose lineage states it).
    pub clear: u32,
    /// The place of that value.
    pub clear_at: Option<Span>,
    /// Generations whose CLEAR_STATE table lacks the register.
    pub clear_unknown: GfxSet,
    /// The index with which it is written, alone in its packet.
    pub index: Vec<Part<u8>>,
    /// An index that drivers write although none is needed, and the source.
    pub index_seen: Vec<Part<(u32, String)>>,
    /// Bits outside all fields that drivers set, and the source.
    pub bits_seen: Vec<Part<(u32, String)>>,
    /// The registers that are written together with it: elements with the same number in all registers of a group.
    pub group: Vec<Part<String>>,
    /// Whether a write rolls the context, if this does not follow from the space.
    pub rolls: Option<Part<bool>>,
}

/// A property of a register on some of its generations.
pub struct Part<T> {
    pub gfx: GfxSet,
    pub value: T,
    pub span: Span,
}

impl<T> Part<T> {
    /// Returns the part that applies to a generation.
    pub fn on(parts: &[Self], gfx: usize) -> Option<&Self> {
        parts.iter().find(|part| part.gfx.has(gfx))
    }
}

/// Registers of a group on one generation, each with its place and the line that adds it to the group.
pub type Group<'a> = Vec<(&'a Register, &'a Place, &'a Part<String>)>;

/// Consecutive equal groups.
pub struct Groups {
    /// Byte address of the first register of the first group.
    pub first: u32,
    /// Size of one group in bytes.
    pub bytes: u32,
    pub count: u32,
}

/// The place of the register in some generations; more than one element makes an array.
pub struct Place {
    pub gfx: GfxSet,
    pub addr: u32,
    pub count: u32,
    pub stride: u32,
    /// Addresses of chip groups that differ within the generation.
    pub chips: Vec<(Text, u32)>,
    /// A privileged register of the same name at another address, by source.
    pub privileged_twin: Vec<(Text, u32)>,
    pub span: Span,
}

/// Names of array elements: `{}` in the pattern is replaced by first + index.
pub struct Naming {
    pub gfx: GfxSet,
    pub pattern: String,
    pub first: u32,
    pub span: Span,
}

pub struct Alias {
    pub gfx: GfxSet,
    pub name: String,
    pub span: Span,
}

/// A field that one source lists for an unspecified subset of a generation's chips.
pub struct Unplaced {
    pub gfx: GfxSet,
    pub source: String,
    pub name: String,
    pub lo: u8,
    pub hi: u8,
}

pub struct Field {
    pub name: Text,
    pub gfx: GfxSet,
    pub lo: u8,
    pub hi: u8,
    pub values: Option<Text>,
    /// Whether the enum is known to have values that the field cannot hold.
    pub partial: bool,
    /// Whether the bits are an IEEE float.
    pub float: bool,
    pub doc: Option<String>,
    pub sources: Option<Sources>,
    pub chips: Vec<Text>,
    pub alt_names: Vec<(String, Vec<String>)>,
    pub note: Option<String>,
    pub span: Span,
}

pub struct Enum {
    pub name: Text,
    pub gfx: GfxSet,
    pub doc: Option<String>,
    /// Whether it is a set of flags: any combination of values is legal.
    pub flags: bool,
    pub entries: Vec<Entry>,
    /// Unnamed values that drivers write, and the evidence.
    pub values_seen: Vec<Part<(u32, String)>>,
    pub sources: Vec<(GfxSet, Sources)>,
    pub disagreements: Vec<Disagreement>,
}

pub struct Entry {
    pub name: Text,
    pub gfx: GfxSet,
    pub value: u32,
}

/// How another source differs for an enum entry; the entry itself has the value that this project uses.
pub struct Disagreement {
    pub gfx: GfxSet,
    pub source: String,
    pub entry: Text,
    /// None: the source lacks the entry.
    pub value: Option<u32>,
}

/// The space of a register, which follows from its address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Space {
    Config,
    Sh,
    Context,
    Uconfig,
    Privileged,
}

/// The first byte address of the context registers, and their number.
pub const CONTEXT: (u32, usize) = (0x28000, 0x400);

impl Space {
    /// Returns the space of a byte address; None outside all of them.
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
        gfx_of(&self.at)
    }

    pub fn place(&self, gfx: usize) -> Option<&Place> {
        self.at.iter().find(|place| place.gfx.has(gfx))
    }

    /// Returns the fields of one generation, lowest bit first.
    pub fn layout(&self, gfx: usize) -> Vec<&Field> {
        let mut fields = Vec::new();
        for field in &self.fields {
            if field.gfx.has(gfx) {
                fields.push(field);
            }
        }
        fields.sort_by_key(|f| f.lo);
        fields
    }

    pub fn naming(&self, gfx: usize) -> Option<&Naming> {
        self.array.iter().find(|naming| naming.gfx.has(gfx))
    }

    pub fn space(&self, gfx: usize) -> Option<Space> {
        self.place(gfx).and_then(|place| Space::of(place.addr))
    }

    /// Returns whether a write rolls the context; writes of context registers do, unless the register says otherwise.
    pub fn rolls(&self, gfx: usize) -> bool {
        self.rolls.as_ref().map_or(self.space(gfx) == Some(Space::Context), |rolls| rolls.value)
    }

    /// Returns the name of an element; the first element has the name of the register.
    pub fn element_name(&self, gfx: usize, element: u32) -> String {
        match self.naming(gfx).filter(|_| element > 0) {
            Some(naming) => naming.pattern.replace("{}", &(naming.first + element).to_string()),
            None => self.name.text.clone(),
        }
    }
}

/// Returns the generations with one of the places.
pub fn gfx_of(places: &[Place]) -> GfxSet {
    let mut set = GfxSet::NONE;
    for place in places {
        set = set.or(place.gfx);
    }
    set
}

impl Place {
    /// Returns the byte addresses of all elements.
    pub fn addresses(&self) -> Vec<u32> {
        let mut all = Vec::new();
        for element in 0..self.count {
            all.push(self.addr + element * self.stride);
        }
        all
    }
}

impl Enum {
    /// Returns the entries of one generation, smallest value first.
    pub fn entries_on(&self, gfx: usize) -> Vec<&Entry> {
        let mut entries = Vec::new();
        for entry in &self.entries {
            if entry.gfx.has(gfx) {
                entries.push(entry);
            }
        }
        entries.sort_by_key(|e| e.value);
        entries
    }
}

impl Database {
    pub fn values(&self, name: &str, gfx: usize) -> Option<&Enum> {
        self.place_of_values(name, gfx).map(|place| &self.enums[place])
    }

    /// Returns the index of a value list in `enums`.
    pub fn place_of_values(&self, name: &str, gfx: usize) -> Option<usize> {
        self.enums.iter().position(|e| e.name.text == name && e.gfx.has(gfx))
    }

    /// Returns the value of a register after CLEAR_STATE; None if unknown.
    pub fn clear_value(&self, register: &Register, gfx: usize) -> Option<u32> {
        let known = self.lineage.iter().any(|l| l.gfx.has(gfx) && l.clear_state);
        (known && register.space(gfx) == Some(Space::Context) && !register.clear_unknown.has(gfx)).then_some(register.clear)
    }

    /// Returns the names of all groups, sorted.
    pub fn group_names(&self) -> Vec<&str> {
        let mut names = BTreeSet::new();
        for register in &self.registers {
            for part in &register.group {
                names.insert(part.value.as_str());
            }
        }
        Vec::from_iter(names)
    }

    /// Returns the registers of a group on a generation, sorted by address.
    pub fn group(&self, name: &str, gfx: usize) -> Group<'_> {
        let mut group: Group<'_> = Vec::new();
        for register in &self.registers {
            let (Some(place), Some(part)) = (register.place(gfx), Part::on(&register.group, gfx)) else { continue };
            if part.value == name {
                group.push((register, place, part));
            }
        }
        group.sort_by_key(|(_, place, _)| place.addr);
        group
    }

    /// Returns the places of the groups of a generation, for descriptions without mistakes.
    pub fn group_places(&self, gfx: usize) -> Vec<Groups> {
        let mut rows: Vec<Groups> = Vec::new();
        for name in self.group_names() {
            let group = self.group(name, gfx);
            if let Some((_, place, _)) = group.first() {
                rows.push(Groups { first: place.addr, bytes: 4 * group.len() as u32, count: place.count });
            }
        }
        rows.sort_by_key(|row| (row.first, row.bytes, row.count));
        rows
    }

    pub fn usual_sources(&self, gfx: usize) -> Sources {
        self.lineage.iter().find(|l| l.gfx.has(gfx)).map_or(Sources(0), |l| l.usual)
    }
}

/// Returns whether a file describes registers: all `regdb/*.toml` except the special ones.
pub fn is_register_file(source: &Source) -> bool {
    let name = source.name.strip_prefix("regdb/").unwrap_or(&source.name);
    !name.contains('/') && name != "chips.toml" && name != "sources.toml"
}
