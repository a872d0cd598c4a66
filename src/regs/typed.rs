//! Typed registers: the trait, and the structs and value types that build.rs generates from `regdb/`.

use crate::chip::Gfx;
use crate::regs::bit_struct::{FieldType, bit_struct};
use crate::regs::bits::BitField;
use crate::regs::info::{RegisterInfo, lookup};
use crate::regs::place::{RegisterEntry, RegisterPlace};
use core::fmt;
use strum::IntoEnumIterator;

/// A typed register: a 32-bit value with named fields and an address. Only structs of this crate implement this trait.
///
/// ```
/// use pm4::{chip::Gfx, regs::{Register, gfx11::DbShaderControl}};
/// assert_eq!((DbShaderControl::NAME, DbShaderControl::addr(Gfx::Gfx11)), ("DB_SHADER_CONTROL", Some(0x2880C)));
/// ```
pub trait Register: Copy + From<u32> + Into<u32> + fmt::Debug {
    // One number per register: name and places follow from it.
    #[doc(hidden)]
    const ENTRY: usize;
    /// AMD's name; for an array, the name of the first element.
    const NAME: &'static str = ENTRIES[Self::ENTRY].name;
    /// The register's place on each generation, oldest first; None where this layout does not exist.
    const PLACES: [Option<RegisterPlace>; 6] = ENTRIES[Self::ENTRY].places;

    /// Returns the register's place on a generation; None if this layout does not exist there.
    fn place(gfx: Gfx) -> Option<RegisterPlace> {
        Self::PLACES[gfx.index()]
    }

    /// Returns the byte address (of element 0) on a generation; None if this layout does not exist there.
    fn addr(gfx: Gfx) -> Option<u32> {
        Self::place(gfx).map(|place| place.addr)
    }

    /// Returns a copy with a field set, for fields and values that are known only at run time; None if the value does not fit the field. The `with_` methods
    /// each set one field and panic if the value does not fit.
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

    /// Returns the register's table entry on a generation.
    fn info(gfx: Gfx) -> Option<&'static RegisterInfo> {
        lookup(gfx, Self::addr(gfx)?).map(|found| found.info())
    }
}

/// Returns the addresses of all typed registers of a generation in ascending order; the position of an address is its slot.
pub(crate) fn slots(gfx: Gfx) -> &'static [u32] {
    on_gfx!(each gfx, r => r::SLOTS)
}

/// Prints `NAME { FIELD: value, … }` with the field table of the first generation that has the register; fields that are 0 are left out. Not generic, so that
/// it is compiled once and not per register.
fn debug_register(entry: usize, word: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let entry = &ENTRIES[entry];
    let mut out = f.debug_struct(entry.name);
    let info = Gfx::iter().find_map(|gfx| lookup(gfx, entry.places[gfx.index()]?.addr)).map(|found| found.info());
    for field in info.map_or(&[][..], |info| info.fields).iter().filter(|field| field.get(word) != 0) {
        out.field(field.name, &format_args!("{}", field.display(field.get(word))));
    }
    out.finish_non_exhaustive()
}

/// Implements what every typed register has: field constants, name and places from a table entry, and a Debug that names the fields.
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

/// Defines a register as a bit-field struct.
macro_rules! register {
    ($doc:literal, $name:ident, $amd:literal, $entry:literal, $fields:tt, $masks:tt, $methods:tt) => {
        bit_struct!($doc, $name, $amd, $fields, $methods);
        register_impls!($name, $entry, $masks);
    };
}

/// Defines a register with many fields as a plain word with constants: each field of a bit-field struct adds two functions to compile.
macro_rules! word {
    ($doc:literal, $name:ident, $entry:literal, $masks:tt) => {
        #[doc = $doc]
        #[derive(Copy, Default)]
        pub struct $name(pub u32);

        // As in `bit_struct!`: the derived impls would add more functions.
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

/// Returns the value with this name. A separate function, because the body of `from_str` is compiled once per list.
pub(crate) fn value_named<T: Copy>(values: &[T], name_of: fn(T) -> &'static str, name: &str) -> Result<T, strum::ParseError> {
    values.iter().find(|value| name_of(**value) == name).copied().ok_or(strum::ParseError::VariantNotFound)
}

/// Defines a value list in which every value of the field's width has a variant, so that reading never fails.
macro_rules! closed_enum {
    ($doc:literal, $name:ident { $($(#[$meta:meta])* $variant:ident = $value:literal,)* }) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr, strum::VariantArray)]
        // People search for AMD's own spelling.
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

        // The list contains every value of the width, in order.
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

/// Defines a value list in which some values have no name: an integer with constants.
macro_rules! open_enum {
    ($base:ident, $doc:literal, $name:ident { $($variant:ident = $value:literal $text:literal,)* }) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $base);

        #[allow(missing_docs)] // the names say all that is known
        impl $name {
            $(pub const $variant: Self = Self($value);)*

            /// All named values.
            pub const NAMED: &'static [(Self, &'static str)] = &[$((Self($value), $text),)*];
        }

        impl $name {
            /// Returns AMD's name of the value; None if the value has no name.
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

// Value lists of descriptors use the same macros.
pub(crate) use {closed_enum, open_enum};

include!(concat!(env!("OUT_DIR"), "/typed.rs"));
