//! What the tables of packet layouts consist of.

use crate::chip::Gfx;
use crate::packet::tables::generated;
use crate::packet::wire::opcode::{Engine, Opcode, Queue};
use core::fmt;

/// All packets with a known layout, in alphabetical order.
///
/// ```
/// use pm4::packet::formats;
/// let event_write = formats().iter().find(|f| f.name == "EVENT_WRITE").unwrap();
/// let names: Vec<_> = event_write.forms[0].fields.iter().map(|f| f.name).collect();
/// assert_eq!(names[..2], ["event_type", "event_index"]);
/// ```
#[must_use]
pub fn formats() -> &'static [Format] {
    generated::FORMATS
}

/// A set of pairs of generation and engine: bit `4 * generation + engine`, generations from GFX9 to GFX12, engines PFP, ME, MEC, CE.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::{Engine, Queue, Scope};
/// let graphics = Scope::queue(Gfx::Gfx10, Queue::Graphics);
/// assert!(graphics.has(Gfx::Gfx10, Engine::Pfp) && graphics.has(Gfx::Gfx10, Engine::Me) && !graphics.has(Gfx::Gfx10, Engine::Mec));
/// assert_eq!(graphics.and(Scope::one(Gfx::Gfx10, Engine::Mec)), Scope::NONE);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scope(pub u32);

impl Scope {
    /// No generation.
    pub const NONE: Self = Self(0);

    /// One engine of one generation.
    #[must_use]
    pub const fn one(gfx: Gfx, engine: Engine) -> Self {
        Self(1 << (4 * gfx.bit().trailing_zeros() + engine as u32))
    }

    /// The engines of a queue: PFP and ME, MEC, or CE.
    #[must_use]
    pub const fn queue(gfx: Gfx, queue: Queue) -> Self {
        let engines = match queue {
            Queue::Graphics => 0b0011,
            Queue::Compute => 0b0100,
            Queue::Constant => 0b1000,
        };
        Self(engines << (4 * gfx.bit().trailing_zeros()))
    }

    /// Every engine of a generation.
    #[must_use]
    pub const fn gfx(gfx: Gfx) -> Self {
        Self(0xF << (4 * gfx.bit().trailing_zeros()))
    }

    /// Whether the sets share a pair.
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// What both sets have.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether an engine of a generation belongs to the set.
    #[must_use]
    pub const fn has(self, gfx: Gfx, engine: Engine) -> bool {
        self.intersects(Self::one(gfx, engine))
    }
}

/// A packet.
///
/// ```
/// use pm4::packet::{Bits, FieldRegister, FirmwareNeed, Format, Layout, RepeatedGroup, ToleratedBits, formats};
/// let format = |name: &str| -> &'static Format { formats().iter().find(|format| format.name == name).unwrap() };
///
/// // SET_CONTEXT_REG: a register by its number in dwords from 0x28000 on, then values up to the end of the packet.
/// let set = format("SET_CONTEXT_REG");
/// let RepeatedGroup { from, len, kind } = set.forms[0].repeat.unwrap();
/// assert_eq!((from, len, kind), (2, 1, "values"));
/// assert_eq!(set.forms[0].fields[0].register, Some(FieldRegister { start: 0x28000, or_none: false }));
/// // Drivers set bits of its first dword that no field has.
/// let ToleratedBits { dword, mask, .. } = set.tolerated[0];
/// assert_eq!((dword, mask), (1, 0xF000_0000));
///
/// // The packed form needs firmware that knows it.
/// let FirmwareNeed { of, from, .. } = format("SET_CONTEXT_REG_PAIRS_PACKED").forms[0].firmware[0];
/// println!("{of:?} firmware from version {from} on");
///
/// // The last dword of a dispatch is laid out like a register.
/// let layout: &Layout = format("DISPATCH_DIRECT").forms[0].fields.last().and_then(|field| field.layout).unwrap();
/// assert!(layout.bits.iter().any(|Bits { name, lo, .. }| (*name, *lo) == ("COMPUTE_SHADER_EN", 0)));
/// ```
#[derive(Debug)]
pub struct Format {
    /// Name of the packet in AMD's packet headers.
    pub name: &'static str,
    /// Name of the opcode constant, which differs for a few packets (`INDIRECT_BUFFER_CNST`).
    pub opcode_name: &'static str,
    /// Numbers by generation (one bit each).
    pub opcodes: &'static [(u8, Opcode)],
    /// Engines that define the packet.
    pub scope: Scope,
    /// Whether the shader type of the header means anything.
    pub shader_type: bool,
    /// For the kernel driver; user mode must not write it.
    pub kernel: bool,
    /// What the packet does.
    pub doc: &'static str,
    /// Limits, hang conditions, habits.
    pub notes: &'static [&'static str],
    /// The sources of the layout and the notes.
    pub sources: &'static [&'static str],
    /// What the packet does to registers, memory and the stream, and who does it: one sentence per effect. [`Packet::effects`](crate::packet::Packet::effects)
    /// evaluates them for one packet.
    pub effects: &'static [&'static str],
    /// Bits of no field that drivers set without harm.
    pub tolerated: &'static [ToleratedBits],
    /// Layouts; more than one where the engines see different packets.
    pub forms: &'static [Form],
}

impl Format {
    /// The opcode on a generation; none where the packet does not exist.
    #[must_use]
    pub fn opcode(&self, gfx: Gfx) -> Option<Opcode> {
        self.opcodes.iter().find(|(set, _)| set & gfx.bit() != 0).map(|&(_, opcode)| opcode)
    }
}

/// Bits of a packet that belong to no field, and that drivers set without harm.
///
/// For an example see [`Format`](crate::packet::Format).
#[derive(Debug)]
pub struct ToleratedBits {
    /// Where they are; 1 is the first dword of the body.
    pub dword: u8,
    /// The bits.
    pub mask: u32,
    /// Only in packets of this many dwords, with the header.
    pub dwords: Option<u8>,
    /// On which engines.
    pub scope: Scope,
    /// Who sets them, and why that is not a mistake.
    pub doc: &'static str,
}

/// One layout of a packet.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::{Condition, Enum, EnumValue, Field, Form, Format, FormSize, Queue, Scope, formats};
///
/// // How the engines of the graphics queue of GFX11 read EVENT_WRITE.
/// let scope = Scope::queue(Gfx::Gfx11, Queue::Graphics);
/// let format: &Format = formats().iter().find(|format| format.name == "EVENT_WRITE").unwrap();
/// let form: &Form = format.forms.iter().find(|form| !form.internal && form.scope.intersects(scope)).unwrap();
/// for FormSize { dwords, .. } in form.sizes.iter().filter(|size| size.gfx & Gfx::Gfx11.bit() != 0) {
///     println!("{} of {dwords} dwords", format.name);
/// }
/// assert!(form.fits(Gfx::Gfx11, 2) && form.fits(Gfx::Gfx11, 4) && !form.fits(Gfx::Gfx11, 3));
/// for Field { name, dword, lo, hi, when, .. } in form.fields.iter().filter(|field| field.scope.intersects(scope)) {
///     println!("dword {dword}, bits {hi}:{lo}: {name}");
///     for Condition { dword, lo, hi, not, values } in *when {
///         println!("    only where bits {hi}:{lo} of dword {dword} are {}of {values:?}", if *not { "not " } else { "" });
///     }
/// }
/// // The events have names.
/// let events: &Enum = form.fields[0].values.unwrap();
/// assert_eq!(events.value_of(scope, "PS_PARTIAL_FLUSH"), Some(0x10));
/// assert!(events.values.iter().any(|EnumValue { name, value, .. }| (*name, *value) == ("CS_PARTIAL_FLUSH", 7)));
/// ```
#[derive(Debug)]
pub struct Form {
    /// Engines and generations that read the packet in this layout.
    pub scope: Scope,
    /// PFP hands this form to ME; it is never in a buffer.
    pub internal: bool,
    /// Allowed sizes in dwords, with the header; of forms with a repeated group, the size with one group or none.
    pub sizes: &'static [FormSize],
    /// The group of dwords that repeats to the end of the packet.
    pub repeat: Option<RepeatedGroup>,
    /// Fields in the order of dwords and bits.
    pub fields: &'static [Field],
    /// Values that several fields hold together: addresses and other numbers of more than 32 bits.
    pub split_values: &'static [SplitValue],
    /// What the packet does, by who reads it.
    pub(in crate::packet) effects: &'static [(Scope, &'static [crate::packet::read::effects::Rule])],
    /// The firmware that the packet needs.
    pub firmware: &'static [FirmwareNeed],
    /// The work that it starts.
    pub(in crate::packet) work: &'static [crate::packet::read::effects::Starts],
}

/// A version of the firmware that a packet, or something in it, needs.
///
/// For an example see [`Format`](crate::packet::Format).
#[derive(Debug, Clone, Copy)]
pub struct FirmwareNeed {
    /// The version number that counts.
    pub of: FirmwareCounter,
    /// The first version that has the packet.
    pub from: u32,
    /// Engines and generations for which this holds.
    pub scope: Scope,
    /// The conditions under which a packet needs it.
    pub when: &'static [Condition],
    /// The part of the packet that needs it; empty for the packet as a whole.
    pub what: &'static str,
    /// All firmware in use has this version or a newer one.
    pub always_satisfied: bool,
}

/// What a firmware version is counted of.
///
/// For an example see [`Packet::firmware_needs`](crate::packet::Packet::firmware_needs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FirmwareCounter {
    /// Prefetch parser.
    Pfp,
    /// Micro-engine.
    Me,
    /// Micro-engine of compute queues.
    Mec,
    /// The feature version of the micro-engine, which the kernel reports in addition to the firmware versions.
    MeFeature,
}

/// A value that is split over several fields, such as an address.
///
/// ```
/// use pm4::packet::{AddressLimits, SplitValue, formats};
/// let index_base = formats().iter().find(|format| format.name == "INDEX_BASE").unwrap();
/// let form = &index_base.forms[0];
/// let SplitValue { lo, hi, shift, address, .. } = &form.split_values[0];
/// let AddressLimits { bits, .. } = address.unwrap();
/// assert_eq!((*shift, bits), (32, 48));
/// // The fields of its halves, and the dwords in which they are.
/// let halves = [lo[0], hi[0]].map(|field| &form.fields[usize::from(field)]).map(|field| field.dword);
/// assert_eq!(halves, [1, 2]);
/// ```
#[derive(Debug)]
pub struct SplitValue {
    /// Name of the value: the member of the packet's struct.
    pub name: &'static str,
    /// Engines and generations for which this holds.
    pub scope: Scope,
    /// The field of the lower part, as places in [`Form::fields`]; alternatives differ in scope or condition.
    pub lo: &'static [u8],
    /// That of the upper part; empty for an offset.
    pub hi: &'static [u8],
    /// Bits below the upper part.
    pub shift: u8,
    /// What an address must be.
    pub address: Option<AddressLimits>,
    /// The conditions under which the value has a meaning.
    pub when: &'static [Condition],
}

/// What an address in a packet must be.
///
/// For an example see [`SplitValue`](crate::packet::SplitValue).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressLimits {
    /// Bytes of its alignment; 0: as the lowest bit of the field says.
    pub align: u32,
    /// Bytes that a driver should align to; 0: no more than that.
    pub preferred_align: u32,
    /// Bits of the address.
    pub bits: u8,
}

impl Form {
    /// Whether a packet of `dwords` (with the header) can have this layout.
    #[must_use]
    pub fn fits(&self, gfx: Gfx, dwords: usize) -> bool {
        match self.repeat {
            None => self.sizes.iter().any(|s| s.gfx & gfx.bit() != 0 && usize::from(s.dwords) == dwords),
            Some(RepeatedGroup { from, len, .. }) => {
                let (from, len) = (usize::from(from), usize::from(len).max(1));
                dwords >= from && (dwords - from).is_multiple_of(len)
            }
        }
    }
}

/// A size of a form on some generations.
///
/// For an example see [`Form`](crate::packet::Form).
#[derive(Debug, Clone, Copy)]
pub struct FormSize {
    /// Generations, one bit each.
    pub gfx: u8,
    /// Dwords with the header.
    pub dwords: u8,
}

/// A group of dwords that repeats until the packet ends.
///
/// For an example see [`Format`](crate::packet::Format).
#[derive(Debug, Clone, Copy)]
pub struct RepeatedGroup {
    /// First dword of the group; 0 is the header.
    pub from: u8,
    /// Dwords of the group.
    pub len: u8,
    /// What the group is: values, pairs, packed_pairs, ranges, data, payload, fences, tail.
    pub kind: &'static str,
}

/// A field of a packet.
///
/// For an example see [`Form`](crate::packet::Form).
#[derive(Debug)]
pub struct Field {
    /// Name in AMD's headers.
    pub name: &'static str,
    /// Dword of the packet; 0 is the header.
    pub dword: u8,
    /// Lowest bit.
    pub lo: u8,
    /// Highest bit.
    pub hi: u8,
    /// Engines and generations that have the field.
    pub scope: Scope,
    /// The conditions under which the field has a meaning; all must hold.
    pub when: &'static [Condition],
    /// Names of values.
    pub values: Option<&'static Enum>,
    /// The register-like layout of the field's own bits (draw initiator and others).
    pub layout: Option<&'static Layout>,
    /// For the kernel driver: zero from user mode.
    pub kernel: bool,
    /// An address that keeps its place: the low bits that the field lacks are zero, the value is not shifted.
    pub in_place: bool,
    /// The field names a register.
    pub register: Option<FieldRegister>,
    /// A dword of all ones means everything, though the field is narrower.
    pub everything: bool,
    /// Meaning of the field.
    pub doc: &'static str,
}

/// How a field names a register.
///
/// For an example see [`Format`](crate::packet::Format).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldRegister {
    /// Byte address from which the field counts dwords: the start of a window, or 0.
    pub start: u32,
    /// 0 names none.
    pub or_none: bool,
}

impl Field {
    /// The value of the field in a dword.
    #[must_use]
    pub fn get(&self, dword: u32) -> u32 {
        let value = bits(dword, self.lo, self.hi);
        if self.in_place { value << self.lo } else { value }
    }
}

/// A condition on another field of the packet.
///
/// For an example see [`Form`](crate::packet::Form).
#[derive(Debug, Clone, Copy)]
pub struct Condition {
    /// Dword of the other field.
    pub dword: u8,
    /// Its lowest bit.
    pub lo: u8,
    /// Its highest bit.
    pub hi: u8,
    /// Whether the values are those that must not be there.
    pub not: bool,
    /// The values.
    pub values: &'static [u32],
}

impl Condition {
    /// Whether the condition holds in a packet with this body.
    #[must_use]
    pub fn holds(&self, body: &[u32]) -> bool {
        let dword = usize::from(self.dword).checked_sub(1).and_then(|i| body.get(i)).copied().unwrap_or(0);
        self.values.contains(&bits(dword, self.lo, self.hi)) != self.not
    }
}

/// Names of values.
///
/// For an example see [`Form`](crate::packet::Form).
pub struct Enum {
    /// Name of the enum.
    pub name: &'static str,
    /// Its values.
    pub values: &'static [EnumValue],
}

impl Enum {
    /// The name of a value for an engine in `scope`.
    #[must_use]
    pub fn name_of(&self, scope: Scope, value: u32) -> Option<&'static str> {
        self.values.iter().find(|v| v.value == value && v.scope.intersects(scope)).map(|v| v.name)
    }

    /// The value with a name.
    #[must_use]
    pub fn value_of(&self, scope: Scope, name: &str) -> Option<u32> {
        self.values.iter().find(|v| v.name == name && v.scope.intersects(scope)).map(|v| v.value)
    }
}

impl fmt::Debug for Enum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// One named value.
///
/// For an example see [`Form`](crate::packet::Form).
#[derive(Debug)]
pub struct EnumValue {
    /// Name in AMD's headers.
    pub name: &'static str,
    /// The number.
    pub value: u32,
    /// Engines and generations that have the name.
    pub scope: Scope,
}

/// The inner bits of a field that is laid out like a register.
///
/// For an example see [`Format`](crate::packet::Format).
#[derive(Debug)]
pub struct Layout {
    /// Name of the layout.
    pub name: &'static str,
    /// The bits.
    pub bits: &'static [Bits],
}

impl Layout {
    /// Whether a generation names a bit.
    pub(in crate::packet) fn has(&self, gfx: Gfx, bit: u8) -> bool {
        self.bits.iter().any(|b| b.gfx & gfx.bit() != 0 && (b.lo..=b.hi).contains(&bit))
    }
}

/// A bit range of a [`Layout`].
///
/// For an example see [`Format`](crate::packet::Format).
#[derive(Debug)]
pub struct Bits {
    /// Name in AMD's headers.
    pub name: &'static str,
    /// Lowest bit.
    pub lo: u8,
    /// Highest bit.
    pub hi: u8,
    /// Generations, one bit each.
    pub gfx: u8,
    /// Names of values.
    pub values: Option<&'static Enum>,
}

/// Bits `lo..=hi` of a dword.
pub(in crate::packet) const fn bits(dword: u32, lo: u8, hi: u8) -> u32 {
    let width = hi as u32 + 1 - lo as u32;
    dword >> lo & (u32::MAX >> (32 - width))
}
