//! Bit-field structs of one dword: typed registers, and the words of packets.

use crate::regs::BitField;

/// What a field of a typed register or descriptor holds. Implemented by bool, the unsigned numbers, f32 and the lists of values.
pub trait FieldType: Copy {
    /// The value of the field's bits; bits above those that the type has are dropped.
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;
    /// The bits of the value.
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

/// The bytes of the struct with a field set. Each setter of each struct is a call of this function and no more: their text costs compile time once for each
/// field. The panic is a function of its own, so that the rest can be inlined.
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

/// A bit-field struct of one dword. modular-bitfield makes the struct, its conversions from and to bytes, the check that its fields fill 32 bits, and private
/// getters of the bits, unless one field is the whole word. The public getters give these bits the type of the field, which is total, so reading never fails.
/// Setters are not modular-bitfield's: its panics name no limit, and its four setters for each field cost a tenth of the whole build. The constants that the
/// methods name are made beside it.
macro_rules! bit_struct {
    // One field that is the whole word needs no bit fields.
    ($doc:literal, $name:ident, $label:expr, { ($($skip:tt)*) $field:ident B32; }, $methods:tt) => {
        #[doc = $doc]
        #[derive(Copy)]
        pub struct $name {
            bytes: [u8; 4],
        }

        impl $name {
            /// Returns an instance with zero initialized data.
            #[must_use]
            #[allow(clippy::new_without_default)] // as modular-bitfield's
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
        // modular-bitfield's own conversions from and to numbers have conditions, which the compiler proves wherever they are called.
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

        // Derived, these are several functions and constants for each struct, which cost more than all that is written here.
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
