//! Typed descriptors: words with named fields, made by build.rs from `regdb/descriptors/`.

use crate::chip::Gfx;
use crate::descriptors::error::DescriptorError;
use crate::descriptors::format_row::{ChannelSource, FormatRow};
use crate::regs::layout::SurfaceSwap;
use crate::regs::{BitField, EnumInfo, FieldType, closed_enum, open_enum};
use core::fmt;
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantArray};

/// Where some bits of a descriptor are ([`DescriptorField::parts`]).
///
/// For an example see [`DescriptorField`](crate::descriptors::DescriptorField).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorBits {
    /// Number of the dword, from 0.
    pub dword: u8,
    /// Which bits of it, and AMD's name of them.
    pub bits: BitField,
}

/// A field of a descriptor on one generation.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::descriptors::{DescriptorBits, DescriptorKind};
///
/// let width = DescriptorKind::Image.fields(Gfx::Gfx11).iter().find(|f| f.name == "WIDTH").unwrap();
/// assert_eq!((width.parts.len(), width.max()), (2, 16383)); // two bits in dword 1, twelve in dword 2
/// let low: &DescriptorBits = &width.parts[0];
/// assert_eq!((low.dword, low.bits.width()), (1, 2));
/// assert_eq!(width.get(&[0, 0xC000_0000, 0x1DF, 0, 0, 0, 0, 0]), 1919);
/// ```
#[derive(Debug)]
pub struct DescriptorField {
    /// AMD's name.
    pub name: &'static str,
    /// Its bits, the lower part first; two parts for values that are in two dwords.
    pub parts: &'static [DescriptorBits],
    /// log2 of the unit of the lowest bit: 8 for addresses in steps of 256 bytes.
    unit: u8,
    /// Named values.
    pub values: Option<&'static EnumInfo>,
    /// Another field has the same bits: this one reads them in a special case.
    pub same_bits: bool,
    /// What it does; empty where nothing is written down.
    pub doc: &'static str,
}

impl DescriptorField {
    /// Bits of the field.
    pub fn width(&self) -> u32 {
        self.parts.iter().map(|part| u32::from(part.bits.width())).sum()
    }

    /// What values are a multiple of: 256 for most addresses, 1 otherwise.
    pub const fn unit(&self) -> u64 {
        1 << self.unit
    }

    /// Returns the largest value.
    pub fn max(&self) -> u64 {
        (u64::MAX >> (64 - self.width())) << self.unit
    }

    /// Returns the value in the words of a descriptor; words that are not there count as 0.
    pub fn get(&self, words: &[u32]) -> u64 {
        let read = |(value, at): (u64, u32), part: &DescriptorBits| {
            let word = words.get(usize::from(part.dword)).copied().unwrap_or(0);
            (value | u64::from(part.bits.get(word)) << at, at + u32::from(part.bits.width()))
        };
        self.parts.iter().fold((0, 0), read).0 << self.unit
    }

    /// Sets the value; false if it is too large or no multiple of the unit.
    fn put(&self, words: &mut [u32], value: u64) -> bool {
        let mut rest = value >> self.unit;
        for part in self.parts {
            if let Some(word) = words.get_mut(usize::from(part.dword)) {
                *word = part.bits.put(*word, rest as u32);
            }
            rest >>= part.bits.width();
        }
        value <= self.max() && value.is_multiple_of(self.unit())
    }

    /// Returns the name of a value if it has one.
    pub fn name_of(&self, value: u64) -> Option<&'static str> {
        self.values?.name_of(u32::try_from(value).ok()?)
    }
}

/// A value that did not fit: which field, and what was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Misfit {
    field: u8,
    value: u64,
}

impl Misfit {
    fn error(self, descriptor: &'static str, fields: &[DescriptorField]) -> DescriptorError {
        let (input, most, align) = fields.get(usize::from(self.field)).map_or(("", 0, 1), |f| (f.name, f.max(), f.unit()));
        match self.value > most {
            true => DescriptorError::OutOfRange { descriptor, input, value: self.value, least: 0, most },
            false => DescriptorError::Misaligned { descriptor, input, value: self.value, align },
        }
    }
}

/// Sets a field by its place in the table; the first value that does not fit is kept for the error.
fn set(table: &[DescriptorField], field: u8, words: &mut [u32], misfit: &mut Option<Misfit>, value: u64) {
    let fits = table.get(usize::from(field)).is_some_and(|f| f.put(words, value));
    if !fits && misfit.is_none() {
        *misfit = Some(Misfit { field, value });
    }
}

/// A typed descriptor: its words, and what they are.
///
/// ```
/// use pm4::descriptors::{Descriptor, gfx10};
///
/// let sampler = gfx10::SamplerDescriptor::from_slice(&[0x92, 0, 0, 0]).unwrap();
/// assert_eq!(sampler.clamp_x(), gfx10::SqTexClamp::SQ_TEX_CLAMP_LAST_TEXEL);
/// assert_eq!(
///     format!("{sampler:?}"),
///     "SamplerDescriptor { CLAMP_X: SQ_TEX_CLAMP_LAST_TEXEL, CLAMP_Y: SQ_TEX_CLAMP_LAST_TEXEL, CLAMP_Z: SQ_TEX_CLAMP_LAST_TEXEL, .. }"
/// );
/// ```
pub trait Descriptor: Copy + Default + fmt::Debug {
    /// Buffer, image or sampler.
    const KIND: DescriptorKind;
    /// Returns all fields of the layout, in the order of the words.
    fn fields() -> &'static [DescriptorField];
    /// Returns the words as they are, even after a value that did not fit.
    fn raw(&self) -> &[u32];
    /// Returns the descriptor of some words: None if they are not as many as it has.
    fn from_slice(words: &[u32]) -> Option<Self>;
}

/// Prints `Name { FIELD: value, … }`, the fields that are 0 left out.
fn debug_descriptor(name: &str, fields: &[DescriptorField], words: &[u32], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut out = f.debug_struct(name);
    for field in fields.iter().filter(|field| !field.same_bits) {
        match (field.get(words), field.name_of(field.get(words))) {
            (0, _) => {}
            (_, Some(name)) => {
                out.field(field.name, &format_args!("{name}"));
            }
            (value, None) => {
                out.field(field.name, &value);
            }
        }
    }
    out.finish_non_exhaustive()
}

macro_rules! descriptor {
    ($doc:literal, $name:ident, $kind:ident, $dwords:literal, $table:ident, { $($text:literal $get:ident $with:ident $index:literal $ty:ty;)* }) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, Default)]
        pub struct $name {
            words: [u32; $dwords],
            misfit: Option<Misfit>,
        }

        impl $name {
            /// All bits 0.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            /// Returns the words.
            ///
            /// # Errors
            /// The first value that was set and did not fit its field.
            pub fn words(self) -> Result<[u32; $dwords], DescriptorError> {
                self.misfit.map_or(Ok(self.words), |misfit| Err(misfit.error(DescriptorKind::$kind.name(), &$table)))
            }

            $(
                #[doc = $text]
                #[inline]
                #[must_use]
                pub fn $get(self) -> $ty {
                    <$ty>::from_bits($table[$index].get(&self.words))
                }

                #[doc = $text]
                ///
                /// A value that does not fit is an error of [`words`](Self::words).
                #[inline]
                #[must_use]
                pub fn $with(mut self, value: $ty) -> Self {
                    set(&$table, $index, &mut self.words, &mut self.misfit, value.into_bits());
                    self
                }
            )*
        }

        impl From<[u32; $dwords]> for $name {
            #[inline]
            fn from(words: [u32; $dwords]) -> Self {
                Self { words, misfit: None }
            }
        }

        impl Descriptor for $name {
            const KIND: DescriptorKind = DescriptorKind::$kind;
            fn fields() -> &'static [DescriptorField] {
                &$table
            }
            fn raw(&self) -> &[u32] {
                &self.words
            }
            fn from_slice(words: &[u32]) -> Option<Self> {
                <[u32; $dwords]>::try_from(words).ok().map(Self::from)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                debug_descriptor(concat!(stringify!($kind), "Descriptor"), &$table, &self.words, f)
            }
        }
    };
}

macro_rules! descriptor_kinds {
    ($($doc:literal $name:ident,)*) => {
        /// The kinds of descriptors.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr, VariantArray)]
        #[strum(serialize_all = "snake_case")]
        pub enum DescriptorKind { $(#[doc = $doc] $name,)* }
    };
}

macro_rules! texel_formats {
    ($($name:ident,)*) => {
        /// A format of texels or buffer elements, named as Vulkan names it.
        ///
        /// ```
        /// use pm4::descriptors::TexelFormat;
        /// let format: TexelFormat = "R16G16_SFLOAT".parse().unwrap();
        /// assert_eq!(format.bytes(), 4);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
        #[allow(non_camel_case_types, missing_docs)] // the names are Vulkan's
        pub enum TexelFormat { $($name,)* }
    };
}

include!(concat!(env!("OUT_DIR"), "/descriptors.rs"));

impl DescriptorKind {
    /// In lower case: `buffer`, `image`, `sampler`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// How many dwords it has.
    pub const fn dwords(self) -> usize {
        word_names(self).len()
    }

    /// AMD's names of its dwords.
    pub const fn word_names(self) -> &'static [&'static str] {
        word_names(self)
    }

    /// What a generation has in it, in the order of the words. Bits that no field has are 0 in what drivers write.
    ///
    /// ```
    /// use pm4::chip::Gfx;
    /// use pm4::descriptors::DescriptorKind;
    ///
    /// let sampler = [0x0000_0000, 0x00F0_0000, 0x0850_0000, 0x0000_0000];
    /// let fields = DescriptorKind::Sampler.fields(Gfx::Gfx10).iter();
    /// let set: Vec<_> = fields.map(|f| (f.name, f.get(&sampler))).filter(|(_, value)| *value != 0).collect();
    /// assert_eq!(set, [("MAX_LOD", 0xF00), ("XY_MAG_FILTER", 1), ("XY_MIN_FILTER", 1), ("MIP_FILTER", 2)]);
    /// ```
    pub const fn fields(self, gfx: Gfx) -> &'static [DescriptorField] {
        table(self, gfx)
    }
}

pub(super) const fn format_row(format: TexelFormat) -> &'static FormatRow {
    &FORMATS[format as usize]
}
