//! Fields of packets: their bits, conditions and named values.

use crate::chip::Gfx;
use crate::packet::wire::scope::Scope;
use core::fmt;

/// A field of a packet.
///
/// For an example see [`Form`](crate::packet::Form).
#[derive(Debug)]
pub struct Field {
    /// Name in AMD's headers.
    pub name: &'static str,
    /// The dword of the packet that has the field; 0 is the header.
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
    /// Whether the field is for the kernel driver: zero from user mode.
    pub kernel: bool,
    /// Whether the field is an unshifted address: the low bits that the field lacks are zero.
    pub in_place: bool,
    /// How the field names a register, if it does.
    pub register: Option<FieldRegister>,
    /// Whether a dword with all bits set means everything, although the field is narrower.
    pub everything: bool,
    /// Meaning of the field.
    pub doc: &'static str,
}

/// How a field names a register.
///
/// For an example see [`Format`](crate::packet::Format).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldRegister {
    /// The byte address from which the field counts dwords: the start of a window, or 0.
    pub start: u32,
    /// Whether 0 names no register.
    pub or_none: bool,
}

impl Field {
    /// Returns the value of the field in a dword.
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
    /// The dword of the other field.
    pub dword: u8,
    /// The lowest bit of the other field.
    pub lo: u8,
    /// The highest bit of the other field.
    pub hi: u8,
    /// Whether the other field must have none of the values, instead of one of them.
    pub not: bool,
    /// The values.
    pub values: &'static [u32],
}

impl Condition {
    /// Returns whether the condition holds in a packet with this body.
    #[must_use]
    #[inline]
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
    /// The values of the enum.
    pub values: &'static [EnumValue],
}

impl Enum {
    /// Returns the name of a value for an engine in `scope`.
    #[must_use]
    pub fn name_of(&self, scope: Scope, value: u32) -> Option<&'static str> {
        self.values.iter().find(|v| v.value == value && v.scope.intersects(scope)).map(|v| v.name)
    }

    /// Returns the value with a name.
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
    /// Returns whether a generation names a bit.
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

/// Returns whether all conditions hold in a packet with this body.
#[inline]
pub(in crate::packet) fn holds(when: &[Condition], body: &[u32]) -> bool {
    when.iter().all(|c| c.holds(body))
}
