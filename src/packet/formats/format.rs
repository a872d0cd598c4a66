//! Packets and their layouts.

use crate::chip::Gfx;
use crate::packet::formats::effect_row::{EffectRow, Starts};
use crate::packet::formats::field::{Condition, Field, holds};
use crate::packet::wire::opcode::Opcode;
use crate::packet::wire::scope::Scope;

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
    /// Whether the shader type of the header has a meaning.
    pub shader_type: bool,
    /// Whether the packet is for the kernel driver; user mode must not write it.
    pub kernel: bool,
    /// What the packet does.
    pub doc: &'static str,
    /// Limits, hang conditions, habits.
    pub notes: &'static [&'static str],
    /// The sources of the layout and the notes.
    pub sources: &'static [&'static str],
    /// The effects of the packet on registers, memory and the stream, with the engine that causes each: one sentence per effect.
    /// [`Packet::effects`](crate::packet::Packet::effects) evaluates them for one packet.
    pub effects: &'static [&'static str],
    /// Bits outside all fields that drivers set without harm.
    pub tolerated: &'static [ToleratedBits],
    /// Layouts; more than one where the engines see different packets.
    pub forms: &'static [Form],
}

impl Format {
    /// Returns the opcode on a generation; None if the packet does not exist there.
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
    /// The dword that has the bits; 1 is the first dword of the body.
    pub dword: u8,
    /// The bits.
    pub mask: u32,
    /// The size of the packets that may have the bits, in dwords with the header; None for any size.
    pub dwords: Option<u8>,
    /// The engines and generations that the entry is about.
    pub scope: Scope,
    /// The drivers that set the bits, and why this is not a mistake.
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
    /// Whether PFP passes this form to ME; such a form is never in a buffer.
    pub internal: bool,
    /// Allowed sizes in dwords, with the header; of forms with a repeated group, the size with one group or none.
    pub sizes: &'static [FormSize],
    /// The group of dwords that repeats to the end of the packet.
    pub repeat: Option<RepeatedGroup>,
    /// Fields in the order of dwords and bits.
    pub fields: &'static [Field],
    /// Values that are split over several fields: addresses and other numbers of more than 32 bits.
    pub split_values: &'static [SplitValue],
    /// The effects of the packet, by the engine that reads it.
    pub(in crate::packet) effects: &'static [(Scope, &'static [EffectRow])],
    /// The firmware that the packet needs.
    pub firmware: &'static [FirmwareNeed],
    /// The work that the packet starts.
    pub(in crate::packet) work: &'static [Starts],
}

/// A version of the firmware that a packet or a part of it needs.
///
/// For an example see [`Format`](crate::packet::Format).
#[derive(Debug, Clone, Copy)]
pub struct FirmwareNeed {
    /// The version number that counts.
    pub of: FirmwareCounter,
    /// The first version with the packet.
    pub from: u32,
    /// Versions from here on, below [`from`](Self::from), may have the packet: the number did not change with the firmware. Equal to `from` if the first
    /// version is certain.
    pub maybe_from: u32,
    /// The engines and generations to which this applies.
    pub scope: Scope,
    /// The conditions under which a packet needs the version.
    pub when: &'static [Condition],
    /// The part of the packet that needs the version; empty for the whole packet.
    pub what: &'static str,
    /// Whether all firmware in use has this version or a newer one.
    pub always_satisfied: bool,
}

/// The component that a firmware version belongs to.
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
    /// The engines and generations to which this applies.
    pub scope: Scope,
    /// The field of the lower part, as places in [`Form::fields`]; alternatives differ in scope or condition.
    pub lo: &'static [u8],
    /// The field of the upper part, in the same way; empty for an offset.
    pub hi: &'static [u8],
    /// The number of bits below the upper part.
    pub shift: u8,
    /// The requirements for an address.
    pub address: Option<AddressLimits>,
    /// The conditions under which the value has a meaning.
    pub when: &'static [Condition],
}

/// The requirements for an address in a packet.
///
/// For an example see [`SplitValue`](crate::packet::SplitValue).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressLimits {
    /// The required alignment in bytes; 0 if the lowest bit of the field decides.
    pub align: u32,
    /// The recommended alignment in bytes; 0 if no larger one is recommended.
    pub preferred_align: u32,
    /// The width of the address in bits.
    pub bits: u8,
}

impl Form {
    /// Returns whether a packet of `dwords` (with the header) can have this layout.
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
    /// The first dword of the group; 0 is the header.
    pub from: u8,
    /// The number of dwords of the group.
    pub len: u8,
    /// The kind of the group: values, pairs, packed_pairs, ranges, data, payload, fences, tail.
    pub kind: &'static str,
}

impl Form {
    pub(in crate::packet) fn firmware_needs(&'static self, view: Scope, fixed: &[u32]) -> impl Iterator<Item = &'static FirmwareNeed> {
        self.firmware.iter().filter(move |need| need.scope.intersects(view) && holds(need.when, fixed))
    }
}

/// Splits a body into the dwords that every packet of the form has, and those after.
pub(in crate::packet) fn split<'a>(form: &Form, body: &'a [u32]) -> (&'a [u32], &'a [u32]) {
    let fixed = form.repeat.map_or(body.len(), |r| usize::from(r.from).saturating_sub(1));
    body.split_at(fixed.min(body.len()))
}
