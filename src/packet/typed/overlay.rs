//! The building blocks of the structs that overlay the words of packets.

use crate::packet::wire::opcode::Opcode;
use crate::packet::wire::scope::Scope;
use crate::regs::BitField;
use core::fmt;
use core::marker::PhantomData;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The fixed words of a packet, without the header.
pub trait Body: IntoBytes + Immutable + Copy + Default + PartialEq + fmt::Debug {
    /// Name of the packet.
    const NAME: &'static str;
    /// Opcode of the packet.
    const OPCODE: Opcode;
    /// Engines and generations with this layout.
    const SCOPE: Scope;
    /// Whether words follow (the values of SET_* packets).
    const OPEN: bool;
    /// The words, first to last.
    const WORDS: &'static [BodyWord];

    /// Returns the body at the start of `words`, and the words after it. Returns None if there are too few words.
    fn read(words: &[u32]) -> Option<(Self, &[u32])>;

    /// Returns the words as they appear in a stream.
    fn words(&self) -> &[u32] {
        <[u32]>::ref_from_bytes(self.as_bytes()).unwrap_or_default()
    }
}

/// A word of a body, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyWord {
    /// Name of the struct member.
    pub name: &'static str,
    /// The fields, lowest bit first; empty for a plain number.
    pub fields: &'static [BitField],
}

/// Members of a body: plain numbers and words with fields.
pub(in crate::packet) trait Raw {
    fn raw(word: u32) -> Self;
}

impl Raw for u32 {
    fn raw(word: u32) -> Self {
        word
    }
}

impl<T> Raw for Word<T> {
    fn raw(word: u32) -> Self {
        Self::from_raw(word)
    }
}

/// Defines a body. Only its byte layout is derived: other derives would be compiled once per struct with the same result.
macro_rules! body {
    ($doc:literal, $name:ident, $amd:literal, $opcode:literal, $scope:literal, $open:literal, { $($about:literal $word:ident: $ty:ty = $fields:expr,)* }) => {
        #[doc = $doc]
        #[derive(Clone, Copy, zerocopy_derive::FromBytes, zerocopy_derive::Immutable, zerocopy_derive::IntoBytes, zerocopy_derive::KnownLayout)]
        #[repr(C)]
        pub struct $name { $(#[doc = $about] pub $word: $ty,)* }

        impl Body for $name {
            const NAME: &'static str = $amd;
            const OPCODE: Opcode = Opcode($opcode);
            const SCOPE: Scope = Scope($scope);
            const OPEN: bool = $open;
            const WORDS: &'static [BodyWord] = &[$(BodyWord { name: stringify!($word), fields: $fields },)*];

            fn read(words: &[u32]) -> Option<(Self, &[u32])> {
                let ([$($word,)*], rest) = words.split_first_chunk()?;
                Some((Self { $($word: Raw::raw(*$word),)* }, rest))
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($word: Raw::raw(0),)* }
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.words() == other.words()
            }
        }

        impl Eq for $name {}

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                crate::packet::typed::overlay::debug_body(stringify!($name), Self::WORDS, self.words(), f)
            }
        }
    };
}
pub(in crate::packet) use body;

/// A word of several fields.
macro_rules! word {
    ($doc:literal, $name:ident, $fields:tt, { $($place:literal $mask:ident = $field:literal $lo:literal $width:literal;)* }, $methods:tt) => {
        bit_struct!($doc, $name, stringify!($name), $fields, $methods);

        impl $name {
            $(#[doc = $place] pub const $mask: BitField = BitField::new($field, $lo, $width);)*

            /// The fields, lowest bit first.
            pub const FIELDS: &'static [BitField] = &[$(Self::$mask,)*];
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                crate::packet::typed::overlay::DebugWord { name: stringify!($name), fields: Self::FIELDS, word: u32::from(*self) }.fmt(f)
            }
        }
    };
}
pub(in crate::packet) use word;

pub(in crate::packet) fn debug_body(name: &str, members: &[BodyWord], words: &[u32], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut out = f.debug_struct(name);
    for (member, &word) in members.iter().zip(words) {
        out.field(member.name, &DebugWord { name: "", fields: member.fields, word });
    }
    out.finish()
}

/// Prints the fields of a word, or its number if it has none.
pub(in crate::packet) struct DebugWord {
    pub name: &'static str,
    pub fields: &'static [BitField],
    pub word: u32,
}

impl fmt::Debug for DebugWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.fields.is_empty() {
            return write!(f, "{:#x}", self.word);
        }
        let mut out = f.debug_struct(self.name);
        for field in self.fields {
            out.field(field.name(), &field.get(self.word));
        }
        out.finish()
    }
}

/// A dword with named bits; `T` is the bit-field struct.
#[derive(zerocopy_derive::FromBytes, zerocopy_derive::IntoBytes, zerocopy_derive::Immutable, zerocopy_derive::KnownLayout)]
#[repr(transparent)]
pub struct Word<T> {
    raw: u32,
    kind: PhantomData<T>,
}

impl<T: From<u32>> Word<T> {
    /// Returns the dword as its bit-field struct.
    #[must_use]
    pub fn get(self) -> T {
        T::from(self.raw)
    }
}

impl<T> Word<T> {
    /// Creates a word from its bits.
    #[must_use]
    pub const fn from_raw(raw: u32) -> Self {
        Self { raw, kind: PhantomData }
    }

    /// Returns the bits.
    #[must_use]
    pub const fn raw(self) -> u32 {
        self.raw
    }
}

impl<T: Into<u32>> From<T> for Word<T> {
    fn from(bits: T) -> Self {
        Self::from_raw(bits.into())
    }
}

// Implemented by hand, because T need not implement these traits.
impl<T> Clone for Word<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Word<T> {}
impl<T> PartialEq for Word<T> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl<T> Eq for Word<T> {}
impl<T> Default for Word<T> {
    fn default() -> Self {
        Self::from_raw(0)
    }
}
impl<T> fmt::Debug for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.raw)
    }
}
