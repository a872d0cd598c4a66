//! The packet descriptions as data.

use crate::diag::Span;
use crate::gfx::GfxSet;
use crate::input::Text;

/// The engines of the command processor, in bit order.
pub const ENGINES: [&str; 4] = ["pfp", "me", "mec", "ce"];
/// The enum whose values are events and have further properties.
pub const EVENTS: &str = "VGT_EVENT_TYPE";

/// A set of generation and engine pairs: bit `4 * generation + engine`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Scope(pub u32);

impl Scope {
    pub const ALL: Self = Self(0xFF_FFFF);

    pub fn product(gfx: GfxSet, engines: u32) -> Self {
        let mut set = 0;
        for index in gfx.indices() {
            set |= engines << (4 * index);
        }
        Self(set)
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
    /// Returns the generations with any engine in the set.
    pub fn gfx(self) -> GfxSet {
        let mut set = GfxSet::NONE;
        for index in GfxSet::ALL.indices() {
            if self.0 >> (4 * index) & 0xF != 0 {
                set = set.or(GfxSet::only(index));
            }
        }
        set
    }
}

/// All packet descriptions.
#[derive(Default, Clone)]
pub struct Packets {
    pub packets: Vec<Packet>,
    /// Names of opcode numbers, including those of the packets.
    pub opcodes: Vec<NamedOpcode>,
    pub enums: Vec<Enum>,
    pub bitfields: Vec<Bitfield>,
}

impl Packets {
    /// Returns the descriptions for some generations, without packets, fields and effects of the others. Names of numbers, values and layouts stay.
    pub fn only(&self, enabled: GfxSet) -> Self {
        let mask = Scope::product(enabled, 0xF);
        let mut left = self.clone();
        left.packets.retain(|packet| packet.scope.intersects(mask));
        for packet in &mut left.packets {
            packet.scope = packet.scope.and(mask);
            packet.effects.retain(|effect| effect.scope.intersects(mask));
            for form in &mut packet.forms {
                form.scope = form.scope.and(mask);
                // A field without generations stays, because conditions may name it.
                for field in &mut form.fields {
                    field.scope = field.scope.and(mask);
                }
            }
            packet.firmware.retain(|firmware| firmware.scope.intersects(mask));
            packet.tolerated.retain(|bits| bits.scope.intersects(mask));
        }
        left
    }
}

#[derive(Clone)]
pub struct Packet {
    pub name: String,
    pub span: Span,
    /// Name of the opcode constant, if it differs from the packet's name.
    pub constant: String,
    pub opcodes: Vec<(GfxSet, u8)>,
    pub scope: Scope,
    pub shader_type: bool,
    /// Whether only the kernel driver writes it; user mode only reads it.
    pub kernel: bool,
    pub doc: String,
    pub notes: Vec<String>,
    pub sources: Vec<String>,
    /// Values that span several fields.
    pub split_values: Vec<SplitValue>,
    /// Bits outside all fields that drivers set without harm.
    pub tolerated: Vec<Tolerated>,
    /// Who executes it on the graphics queue, as an index into [`ENGINES`]; None: ME if it supports the packet.
    pub engine: Option<u8>,
    /// Conditions under which PFP executes it.
    pub pfp_when: Vec<When>,
    pub work: Vec<Starts>,
    /// The firmware that it needs.
    pub firmware: Vec<Firmware>,
    pub effects: Vec<Effect>,
    pub forms: Vec<Form>,
}

/// Bits outside all fields that drivers set without harm.
#[derive(Clone)]
pub struct Tolerated {
    pub span: Span,
    pub dword: u8,
    pub lo: u8,
    pub hi: u8,
    /// Restricts the entry to packets of this many dwords.
    pub dwords: Option<u8>,
    pub scope: Scope,
    /// Who sets them.
    pub doc: String,
}

/// A firmware version that a packet, or a part of it, needs.
#[derive(Clone)]
pub struct Firmware {
    pub span: Span,
    /// Index into [`FIRMWARE`].
    pub counter: usize,
    pub from: u32,
    /// Firmware from this version on may support it; from `from` on, it certainly does.
    pub maybe_from: u32,
    pub scope: Scope,
    pub when: Vec<When>,
    /// The part that needs it, if not the whole packet.
    pub what: String,
    /// Whether no older firmware is in use.
    pub always_satisfied: bool,
}

/// The version counters.
pub const FIRMWARE: [&str; 4] = ["pfp", "me", "mec", "feature"];

/// The work that a packet starts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    None,
    Draw,
    /// A draw that reads indices.
    IndexedDraw,
    Dispatch,
}

/// Work that a packet starts, and when.
#[derive(Clone)]
pub struct Starts {
    pub work: Work,
    pub scope: Scope,
    pub when: Vec<When>,
}

#[derive(Clone)]
pub struct NamedOpcode {
    pub name: String,
    pub span: Span,
    pub gfx: GfxSet,
    pub value: u8,
    /// The properties of an opcode without a layout.
    pub bare: Option<Bare>,
}

/// The known properties of a packet without a layout.
#[derive(Clone, Copy)]
pub struct Bare {
    pub work: Work,
    pub touches: Touches,
    /// The engines that support it, if a source states them.
    pub engines: Option<Scope>,
}

/// What a packet without a layout may change.
#[derive(Debug, Clone, Copy)]
pub enum Touches {
    Nothing,
    Registers,
    /// Memory at unknown addresses.
    Memory,
    Everything,
}

/// A value that spans several fields.
#[derive(Clone)]
pub struct SplitValue {
    pub name: Text,
    /// Fields of the lower part: alternatives with different conditions.
    pub lo: Vec<Text>,
    /// The field of the upper part; None for an offset.
    pub hi: Option<Text>,
    /// Number of bits below the upper part.
    pub shift: u32,
    pub address: Option<AddressLimits>,
    /// Conditions under which it is an address.
    pub when: Vec<When>,
}

impl SplitValue {
    /// Returns all its fields, the lower part first.
    pub fn halves(&self) -> Vec<&Text> {
        let mut halves = Vec::new();
        halves.extend(&self.lo);
        halves.extend(&self.hi);
        halves
    }
}

#[derive(Clone, Copy)]
pub struct AddressLimits {
    /// Required alignment in bytes; 0: given by the lowest bit of the field.
    pub align: u32,
    /// Recommended alignment in bytes, beyond the required one.
    pub preferred_align: u32,
    pub bits: u32,
}

/// When an effect takes place.
pub const TIMINGS: [&str; 4] = ["issue", "pipe", "end_of_pipe", "dma"];

#[derive(Clone)]
pub struct Effect {
    pub span: Span,
    pub scope: Scope,
    pub when: Vec<When>,
    /// Whether it may not take place.
    pub may: bool,
    pub by: Option<u8>,
    /// Index into [`TIMINGS`].
    pub timing: usize,
    pub does: Does,
    pub doc: String,
}

/// A window (config, SH, context, uconfig); None: the address is absolute, in dwords.
pub type Start = Option<usize>;

#[derive(Clone)]
pub enum Does {
    Set {
        start: Start,
        at: Vec<Text>,
        values: Vec<Text>,
        count: Option<Text>,
        dwords: Option<Product>,
        still: Vec<When>,
    },
    Named {
        register: Text,
        value: Option<Text>,
    },
    Modify {
        start: Start,
        at: Text,
        mask: Text,
        keeps: bool,
        value: Text,
    },
    Load {
        start: Start,
        at: Text,
        dwords: Product,
        from: Option<Location>,
        image: bool,
    },
    Sgprs {
        at: Text,
        dwords: u8,
    },
    Unknown {
        windows: u8,
    },
    /// Changes memory that the packet does not name.
    Anywhere,
    /// Changes memory and registers.
    Everything,
    Memory(Box<MemoryUse>),
    Run {
        at: Text,
        dwords: Product,
        last: bool,
    },
    Skip {
        dwords: Product,
    },
    Base {
        index: Text,
        value: Text,
    },
    Rolls,
    Waits,
}

impl Does {
    /// Returns the window in which a field that names a register counts, and whether 0 names none.
    pub fn names_register(&self, field: &str) -> Option<(Start, bool)> {
        match self {
            Self::Set { start, at, .. } if at.iter().any(|name| name.text == field) => Some((*start, false)),
            Self::Modify { start, at, .. } | Self::Load { start, at, .. } if at.text == field => Some((*start, false)),
            // SGPRs of arguments are in the SH window.
            Self::Sgprs { at, .. } if at.text == field => Some((Some(1), true)),
            _ => None,
        }
    }
}

#[derive(Clone)]
pub struct MemoryUse {
    pub write: bool,
    pub at: Location,
    pub plus: Option<Product>,
    pub bytes: Product,
    /// The number of repetitions, and the stride in bytes.
    pub each: Option<(Product, Product)>,
    /// The field with the data.
    pub data: Option<Text>,
    /// Conditions under which all data goes to the first dword.
    pub still: Vec<When>,
    /// Conditions under which the packet waits for completion.
    pub at_once: Vec<When>,
}

#[derive(Clone)]
pub enum Location {
    Address(Text),
    Base {
        index: u8,
        offset: Text,
    },
    /// Not named by the packet; known to the firmware.
    Unnamed,
}

/// The product of a number and the values of fields.
#[derive(Clone)]
pub struct Product {
    pub factor: u32,
    pub fields: Vec<String>,
    pub span: Span,
}

#[derive(Clone)]
pub struct Form {
    pub span: Span,
    pub scope: Scope,
    pub internal: bool,
    pub sizes: Vec<(GfxSet, u8)>,
    pub repeat: Option<Repeat>,
    pub fields: Vec<Field>,
    /// Indices into `fields`, sorted by name.
    pub by_name: Vec<usize>,
}

/// The most dwords of a body without its repeating group. The crate uses this constant.
pub const MAX_FIXED: u8 = 24;

impl Form {
    /// Returns the fields with a name.
    pub fn named(&self, name: &str) -> Vec<&Field> {
        let first = self.by_name.partition_point(|&place| self.fields[place].name.as_str() < name);
        let mut named = Vec::new();
        for &place in &self.by_name[first..] {
            if self.fields[place].name != name {
                break;
            }
            named.push(&self.fields[place]);
        }
        named
    }

    /// Returns whether a packet of `dwords` dwords may have the layout on a generation.
    pub fn may_have(&self, gfx: usize, dwords: u8) -> bool {
        match self.repeat {
            None => self.sizes.iter().any(|(set, size)| set.has(gfx) && *size == dwords),
            Some(repeat) => dwords.checked_sub(repeat.from).is_some_and(|rest| rest.is_multiple_of(repeat.len)),
        }
    }
}

#[derive(Clone, Copy)]
pub struct Repeat {
    pub from: u8,
    pub len: u8,
    /// Index into [`GROUPS`].
    pub kind: usize,
}

/// The kinds of dword groups.
pub const GROUPS: [&str; 8] = ["values", "pairs", "packed_pairs", "ranges", "data", "payload", "fences", "tail"];

#[derive(Clone)]
pub struct Field {
    pub name: String,
    pub span: Span,
    pub dword: u8,
    pub lo: u8,
    pub hi: u8,
    pub scope: Scope,
    pub when: Vec<When>,
    /// Whether it may share its bits with other fields that apply at the same time.
    pub overlap: bool,
    /// Whether it must be zero in user mode.
    pub kernel: bool,
    /// Whether its values are events.
    pub event: bool,
    /// If the field names a register that the packet reads: the window in which its number counts.
    pub register: Option<Start>,
    /// Whether a dword of all ones means everything, although the field is narrower.
    pub everything: bool,
    pub doc: String,
    /// Index into [`Packets::enums`].
    pub values: Option<usize>,
    /// Index into [`Packets::bitfields`].
    pub layout: Option<usize>,
}

/// A condition, as written in the file.
#[derive(Clone)]
pub struct When {
    pub span: Span,
    pub field: String,
    pub not: bool,
    pub values: Vec<String>,
}

/// A condition on bits.
#[derive(Clone, PartialEq, Eq)]
pub struct Condition {
    pub dword: u8,
    pub lo: u8,
    pub hi: u8,
    pub not: bool,
    pub values: Vec<u32>,
}

#[derive(Clone)]
pub struct Enum {
    pub name: String,
    pub span: Span,
    pub doc: String,
    pub values: Vec<EnumValue>,
}

#[derive(Clone)]
pub struct EnumValue {
    pub name: String,
    pub span: Span,
    pub value: u32,
    pub scope: Scope,
    /// Whether this is an additional name of a number.
    pub also: bool,
    /// For events: the index in EVENT_WRITE by generation, 0 if none is given.
    pub index: Vec<(GfxSet, u8)>,
    pub timestamp: bool,
    pub sample: bool,
    pub shader_done: bool,
}

#[derive(Clone)]
pub struct Bitfield {
    pub name: String,
    pub span: Span,
    /// The register with this layout, or several separated by `|`.
    pub register: Option<Text>,
    pub doc: String,
    pub fields: Vec<BitfieldField>,
}

#[derive(Clone)]
pub struct BitfieldField {
    pub name: String,
    pub span: Span,
    pub lo: u8,
    pub hi: u8,
    pub gfx: GfxSet,
    pub values: Option<usize>,
    pub doc: String,
}
