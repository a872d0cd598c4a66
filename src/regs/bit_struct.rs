//! Bit-field structs of one dword: typed registers, and the words of packets.

use crate::regs::BitField;

/// The type of a field of a typed register or descriptor. Implemented for bool, the unsigned integers, f32 and the value lists.
pub trait FieldType: Copy {
    /// Converts the bits of a field into a value; bits that do not fit the type are dropped.
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;
    /// Converts the value into the bits of a field.
    #[doc(hidden)]
    fn into_bits(self) -> u64;
}

impl FieldType for bool {
    #[inline]
    fn from_bits(bits: u64) -> Self {
        bits != 0
    }
    #[inline]
    fn into_bits(self) -> u64 {
        self.into()
    }
}

impl FieldType for f32 {
    #[inline]
    fn from_bits(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
    #[inline]
    fn into_bits(self) -> u64 {
        self.to_bits().into()
    }
}

macro_rules! number_fields {
    ($($number:ident)*) => {
        $(impl FieldType for $number {
            #[inline]
            fn from_bits(bits: u64) -> Self {
                bits as Self
            }
            #[inline]
            fn into_bits(self) -> u64 {
                self.into()
            }
        })*
    };
}

number_fields!(u8 u16 u32 u64);

/// Returns the bytes of the struct with one field set. The setters of all structs only call this function, because their text costs compile time once per
/// field. The panic is in a separate function so that the rest can be inlined.
#[inline]
#[track_caller]
pub(crate) fn with_field<T: FieldType>(bytes: [u8; 4], name: &'static str, field: BitField, value: T) -> [u8; 4] {
    let value = value.into_bits() as u32;
    if value > field.max() {
        too_large(name, field, value);
    }
    field.put(u32::from_le_bytes(bytes), value).to_le_bytes()
}

#[cold]
#[track_caller]
fn too_large(name: &str, field: BitField, value: u32) -> ! {
    panic!("{name}.{} holds 0 to {}, not {value}", field.name(), field.max())
}

/// Defines a bit-field struct of one dword. modular-bitfield generates the struct, its conversions from and to bytes, the check that its fields fill 32 bits,
/// and private getters of the bits, except for structs with one field that is the whole word. The public getters convert these bits to the type of the field;
/// the conversion is total, so reading never fails. The setters do not come from modular-bitfield: its panics name no limit, and its four setters per field
/// take a tenth of the build time. The caller defines the field constants (`$mask`) that the setters use.
macro_rules! bit_struct {
    // A struct with one field that is the whole word needs no bit fields.
    ($doc:literal, $name:ident, $label:expr, { ($($skip:tt)*) $field:ident B32; }, $methods:tt) => {
        #[doc = $doc]
        #[derive(Copy)]
        pub struct $name {
            bytes: [u8; 4],
        }

        impl $name {
            /// Returns an instance with zero initialized data.
            #[must_use]
            #[allow(clippy::new_without_default)] // as in modular-bitfield
            pub const fn new() -> Self {
                Self { bytes: [0; 4] }
            }

            /// Returns the underlying bits.
            #[inline]
            #[must_use]
            pub const fn into_bytes(self) -> [u8; 4] {
                self.bytes
            }

            /// Converts the given bytes directly into the bitfield struct.
            #[inline]
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 4]) -> Self {
                Self { bytes }
            }

            #[inline]
            const fn $field(&self) -> u32 {
                u32::from_le_bytes(self.bytes)
            }
        }

        bit_struct!(@methods $name, $label, $methods);
    };
    ($doc:literal, $name:ident, $label:expr, { $(($($skip:tt)*) $field:ident $bits:ident;)* }, $methods:tt) => {
        #[doc = $doc]
        #[modular_bitfield::bitfield(bits = 32)]
        #[derive(Copy)]
        pub struct $name { $(#[$($skip)*] $field: modular_bitfield::specifiers::$bits,)* }

        bit_struct!(@methods $name, $label, $methods);
    };
    (@methods $name:ident, $label:expr, { $($text:literal $get:ident $raw:ident $with:ident $mask:ident $kind:ident;)* }) => {
        // modular-bitfield's own conversions from and to integers contain checks that the compiler has to prove away at every call.
        impl From<u32> for $name {
            #[inline]
            fn from(word: u32) -> Self {
                Self { bytes: word.to_le_bytes() }
            }
        }

        impl From<$name> for u32 {
            #[inline]
            fn from(fields: $name) -> Self {
                u32::from_le_bytes(fields.bytes)
            }
        }

        // The derived impls would add several functions and constants per struct, which cost more compile time than all code here.
        impl Clone for $name {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl PartialEq for $name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                u32::from_le_bytes(self.bytes) == u32::from_le_bytes(other.bytes)
            }
        }

        impl Eq for $name {}

        impl $name {
            $(
                #[doc = $text]
                #[inline]
                #[must_use]
                pub fn $get(self) -> $kind {
                    $crate::regs::FieldType::from_bits(self.$raw().into())
                }

                #[doc = concat!("A copy with [`", stringify!($mask), "`](Self::", stringify!($mask), ") set to the value.\n\n# Panics\n\nIf the value does not fit the field.")]
                #[inline]
                #[must_use]
                #[track_caller]
                pub fn $with(self, value: $kind) -> Self {
                    Self { bytes: $crate::regs::bit_struct::with_field(self.bytes, $label, Self::$mask, value) }
                }
            )*
        }
    };
}
pub(crate) use bit_struct;
