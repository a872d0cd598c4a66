//! Typed registers: the trait, and the structs and value types that build.rs makes from `regdb/`.

use crate::chip::Gfx;
use crate::regs::bit_struct::{FieldType, bit_struct};
use crate::regs::bits::BitField;
use crate::regs::info::{RegisterInfo, lookup};
use crate::regs::place::{RegisterEntry, RegisterPlace};
use core::fmt;
use strum::IntoEnumIterator;

/// A typed register: a 32-bit value with named fields, and where it is written. Implemented by the structs of this crate only.
///
/// ```
/// use pm4::{chip::Gfx, regs::{Register, gfx11::DbShaderControl}};
/// assert_eq!((DbShaderControl::NAME, DbShaderControl::addr(Gfx::Gfx11)), ("DB_SHADER_CONTROL", Some(0x2880C)));
/// ```
pub trait Register: Copy + From<u32> + Into<u32> + fmt::Debug {
    // One number for each register: the two below follow from it.
    #[doc(hidden)]
    const ENTRY: usize;
    /// AMD's name; of the first element for an array.
    const NAME: &'static str = ENTRIES[Self::ENTRY].name;
    /// Its place on each generation, oldest first; None where this layout does not exist.
    const PLACES: [Option<RegisterPlace>; 6] = ENTRIES[Self::ENTRY].places;

    /// Its place on a generation; None where this layout does not exist.
    fn place(gfx: Gfx) -> Option<RegisterPlace> {
        Self::PLACES[gfx.index()]
    }

    /// Byte address (of element 0) on a generation; None where this layout does not exist.
    fn addr(gfx: Gfx) -> Option<u32> {
        Self::place(gfx).map(|place| place.addr)
    }

    /// A copy with a field set, for values that are known only when the program runs; None where the value does not fit the field. The `with_` methods do the
    /// same for one field each, and panic.
    ///
    /// ```
    /// use pm4::regs::{Register, gfx11::DbDepthControl};
    /// let test = DbDepthControl::from(0).try_with(DbDepthControl::ZFUNC, 3).unwrap();
    /// assert_eq!(u32::from(test), 0x30);
    /// assert_eq!(test.try_with(DbDepthControl::ZFUNC, 8), None);
    /// ```
    #[must_use]
    fn try_with(self, field: BitField, value: u32) -> Option<Self> {
        (value <= field.max()).then(|| Self::from(field.put(self.into(), value)))
    }

    /// The table entry on a generation.
    fn info(gfx: Gfx) -> Option<&'static RegisterInfo> {
        lookup(gfx, Self::addr(gfx)?).map(|found| found.info())
    }
}

/// The addresses of all typed registers of a generation, sorted; the position of an address is its slot.
pub(crate) fn slots(gfx: Gfx) -> &'static [u32] {
    on_gfx!(each gfx, r => r::SLOTS)
}

/// Prints `NAME { FIELD: value, … }` from the field table of the first generation that has it, the fields that are 0 left out. Not generic: it would be compiled
/// once per register.
fn debug_register(entry: usize, word: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let entry = &ENTRIES[entry];
    let mut out = f.debug_struct(entry.name);
    let info = Gfx::iter().find_map(|gfx| lookup(gfx, entry.places[gfx.index()]?.addr)).map(|found| found.info());
    for field in info.map_or(&[][..], |info| info.fields).iter().filter(|field| field.get(word) != 0) {
        out.field(field.name, &format_args!("{}", field.display(field.get(word))));
    }
    out.finish_non_exhaustive()
}

/// What every typed register has: field constants, name and places from an entry, a Debug that names the fields.
macro_rules! register_impls {
    ($name:ident, $entry:literal, { $($text:literal $mask:ident = $field:literal $lo:literal $width:literal;)* }) => {
        impl $name {
            $(#[doc = $text] pub const $mask: BitField = BitField { name: $field, lo: $lo, width: $width };)*
        }

        impl Register for $name {
            const ENTRY: usize = $entry;
        }

        impl fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                debug_register(Self::ENTRY, u32::from(*self), f)
            }
        }
    };
}

/// A register as a bit-field struct.
macro_rules! register {
    ($doc:literal, $name:ident, $amd:literal, $entry:literal, $fields:tt, $masks:tt, $methods:tt) => {
        bit_struct!($doc, $name, $amd, $fields, $methods);
        register_impls!($name, $entry, $masks);
    };
}

/// A register of many fields as a plain word with constants: each field of a bit-field struct costs two functions of compile time.
macro_rules! word {
    ($doc:literal, $name:ident, $entry:literal, $masks:tt) => {
        #[doc = $doc]
        #[derive(Copy, Default)]
        pub struct $name(pub u32);

        // As for `bit_struct!`: derived, these are more functions.
        impl Clone for $name {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl PartialEq for $name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }

        impl Eq for $name {}

        impl From<u32> for $name {
            #[inline]
            fn from(word: u32) -> Self {
                Self(word)
            }
        }

        impl From<$name> for u32 {
            #[inline]
            fn from(register: $name) -> u32 {
                register.0
            }
        }

        register_impls!($name, $entry, $masks);
    };
}

/// The value of a name. A function of its own: the text of `from_str` is compiled once for each list.
pub(crate) fn value_named<T: Copy>(values: &[T], name_of: fn(T) -> &'static str, name: &str) -> Result<T, strum::ParseError> {
    values.iter().find(|value| name_of(**value) == name).copied().ok_or(strum::ParseError::VariantNotFound)
}

/// A value list in which every value of the field's width has a variant, so that reading never fails.
macro_rules! closed_enum {
    ($doc:literal, $name:ident { $($(#[$meta:meta])* $variant:ident = $value:literal,)* }) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr, strum::VariantArray)]
        // AMD's own spelling is what people search for.
        #[allow(non_camel_case_types, missing_docs)]
        pub enum $name { $($(#[$meta])* $variant = $value,)* }

        impl From<$name> for u32 {
            #[inline]
            fn from(value: $name) -> u32 {
                value as u32
            }
        }

        impl fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.into())
            }
        }

        impl core::str::FromStr for $name {
            type Err = strum::ParseError;
            #[inline]
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $crate::regs::value_named(<Self as strum::VariantArray>::VARIANTS, Self::into, name)
            }
        }

        // The list has every value of the width, in order.
        impl FieldType for $name {
            #[inline]
            fn from_bits(bits: u64) -> Self {
                let all = <Self as strum::VariantArray>::VARIANTS;
                all[bits as usize % all.len()]
            }
            #[inline]
            fn into_bits(self) -> u64 {
                self as u64
            }
        }
    };
}

/// A value list that leaves values without a name: a number with constants.
macro_rules! open_enum {
    ($base:ident, $doc:literal, $name:ident { $($variant:ident = $value:literal $text:literal,)* }) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $base);

        #[allow(missing_docs)] // the names say what is known
        impl $name {
            $(pub const $variant: Self = Self($value);)*

            /// All named values.
            pub const NAMED: &'static [(Self, &'static str)] = &[$((Self($value), $text),)*];
        }

        impl $name {
            /// AMD's name of the value, None for an unnamed one.
            pub fn name(self) -> Option<&'static str> {
                Self::NAMED.iter().find(|(value, _)| *value == self).map(|(_, name)| *name)
            }
        }

        impl From<$name> for u32 {
            #[inline]
            fn from(value: $name) -> u32 {
                value.0.into()
            }
        }

        impl core::str::FromStr for $name {
            type Err = strum::ParseError;
            #[inline]
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $crate::regs::value_named(Self::NAMED, |(_, name)| name, name).map(|(value, _)| value)
            }
        }

        impl fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, "{}", self.0),
                }
            }
        }

        impl FieldType for $name {
            #[inline]
            fn from_bits(bits: u64) -> Self {
                Self(bits as $base)
            }
            #[inline]
            fn into_bits(self) -> u64 {
                self.0.into()
            }
        }
    };
}

// Descriptors have value lists as registers have.
pub(crate) use {closed_enum, open_enum};

include!(concat!(env!("OUT_DIR"), "/typed.rs"));
