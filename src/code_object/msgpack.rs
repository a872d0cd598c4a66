//! MessagePack as a tree of values. Memory use is at most a constant multiple of the input size, whatever lengths the input announces.

use super::error::CodeObjectError;
use alloc::vec::Vec;
use rmp::Marker;

/// A metadata value, borrowed from the file.
///
/// ```
/// # #[cfg(feature = "gfx11")] {
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code_objects/kernels-gfx1100.elf"));
/// use pm4::code_object::{CodeObject, MetadataValue};
/// let object = CodeObject::parse(file)?;
/// // Keys for which the crate has no field.
/// assert_eq!(object.kernel("saxpy").unwrap().metadata.get(".language").and_then(MetadataValue::text), Some("OpenCL C"));
/// # }
/// # Ok::<(), pm4::code_object::CodeObjectError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum MetadataValue<'a> {
    /// Nothing.
    Nil,
    /// True or false.
    Bool(bool),
    /// A non-negative integer.
    Uint(u64),
    /// A negative integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Text(&'a str),
    /// Bytes: binary, or text that is not UTF-8.
    Bytes(&'a [u8]),
    /// A list.
    List(Vec<Self>),
    /// Keys and values, in file order.
    Map(Vec<(Self, Self)>),
}

impl<'a> MetadataValue<'a> {
    /// Returns the value of a key; None if this is not a map or lacks the key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    /// Returns the text; None if this is not text.
    pub fn text(&self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number; None if this is not a non-negative number. `true` is 1: LLVM 14 and 22 write the same key in both forms.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Uint(number) => Some(*number),
            Self::Bool(set) => Some((*set).into()),
            _ => None,
        }
    }

    /// Returns the elements of a list; empty if this is not a list.
    pub fn list(&self) -> &[Self] {
        match self {
            Self::List(values) => values,
            _ => &[],
        }
    }

    /// Returns the entries of a map; empty if this is not a map.
    pub fn entries(&self) -> &[(Self, Self)] {
        match self {
            Self::Map(entries) => entries,
            _ => &[],
        }
    }
}

/// The deepest nesting; metadata of code objects has less than ten levels.
const MAX_DEPTH: u32 = 32;

/// Decodes one value. The bytes after it are padding.
pub(super) fn decode(bytes: &[u8]) -> Result<MetadataValue<'_>, CodeObjectError> {
    Decoder { bytes, at: 0 }.value(0)
}

struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Decoder<'a> {
    fn wrong<T>(&self, why: &'static str) -> Result<T, CodeObjectError> {
        Err(CodeObjectError::MessagePack { at: self.at, why })
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], CodeObjectError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        match usize::try_from(count).ok().and_then(|count| rest.get(..count)) {
            Some(taken) => {
                self.at += taken.len();
                Ok(taken)
            }
            None => self.wrong("the note ends within this value"),
        }
    }

    /// Reads a big-endian number of `bytes` bytes.
    fn number(&mut self, bytes: u64) -> Result<u64, CodeObjectError> {
        Ok(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn signed(&mut self, bytes: u64) -> Result<MetadataValue<'a>, CodeObjectError> {
        let shift = 64 - 8 * bytes;
        Ok(integer((self.number(bytes)? << shift) as i64 >> shift))
    }

    fn text(&mut self, length: u64) -> Result<MetadataValue<'a>, CodeObjectError> {
        let bytes = self.take(length)?;
        Ok(core::str::from_utf8(bytes).map_or(MetadataValue::Bytes(bytes), MetadataValue::Text))
    }

    fn value(&mut self, depth: u32) -> Result<MetadataValue<'a>, CodeObjectError> {
        if depth > MAX_DEPTH {
            return self.wrong("more than 32 lists and maps in each other");
        }
        let marker = Marker::from_u8(self.take(1)?[0]);
        Ok(match marker {
            Marker::Null => MetadataValue::Nil,
            Marker::False => MetadataValue::Bool(false),
            Marker::True => MetadataValue::Bool(true),
            Marker::FixPos(number) => MetadataValue::Uint(number.into()),
            Marker::U8 => MetadataValue::Uint(self.number(1)?),
            Marker::U16 => MetadataValue::Uint(self.number(2)?),
            Marker::U32 => MetadataValue::Uint(self.number(4)?),
            Marker::U64 => MetadataValue::Uint(self.number(8)?),
            Marker::FixNeg(number) => integer(number.into()),
            Marker::I8 => self.signed(1)?,
            Marker::I16 => self.signed(2)?,
            Marker::I32 => self.signed(4)?,
            Marker::I64 => self.signed(8)?,
            Marker::F32 => MetadataValue::Float(f32::from_bits(self.number(4)? as u32).into()),
            Marker::F64 => MetadataValue::Float(f64::from_bits(self.number(8)?)),
            Marker::FixStr(length) => self.text(length.into())?,
            Marker::Str8 => self.text_of(1)?,
            Marker::Str16 => self.text_of(2)?,
            Marker::Str32 => self.text_of(4)?,
            Marker::Bin8 => self.bytes_of(1)?,
            Marker::Bin16 => self.bytes_of(2)?,
            Marker::Bin32 => self.bytes_of(4)?,
            Marker::FixArray(length) => self.list(length.into(), depth)?,
            Marker::Array16 => self.list_of(2, depth)?,
            Marker::Array32 => self.list_of(4, depth)?,
            Marker::FixMap(length) => self.map(length.into(), depth)?,
            Marker::Map16 => self.map_of(2, depth)?,
            Marker::Map32 => self.map_of(4, depth)?,
            Marker::Ext8 | Marker::Ext16 | Marker::Ext32 | Marker::FixExt1 | Marker::FixExt2 | Marker::FixExt4 | Marker::FixExt8 | Marker::FixExt16 => {
                self.at -= 1;
                return self.wrong("an extension type, which metadata does not have");
            }
            Marker::Reserved => {
                self.at -= 1;
                return self.wrong("0xc1, which begins no value");
            }
        })
    }

    fn text_of(&mut self, bytes: u64) -> Result<MetadataValue<'a>, CodeObjectError> {
        let length = self.number(bytes)?;
        self.text(length)
    }

    fn bytes_of(&mut self, bytes: u64) -> Result<MetadataValue<'a>, CodeObjectError> {
        let length = self.number(bytes)?;
        self.take(length).map(MetadataValue::Bytes)
    }

    fn list_of(&mut self, bytes: u64, depth: u32) -> Result<MetadataValue<'a>, CodeObjectError> {
        let length = self.number(bytes)?;
        self.list(length, depth)
    }

    fn map_of(&mut self, bytes: u64, depth: u32) -> Result<MetadataValue<'a>, CodeObjectError> {
        let length = self.number(bytes)?;
        self.map(length, depth)
    }

    /// The vector grows with its elements, so an announced length allocates nothing.
    fn list(&mut self, length: u64, depth: u32) -> Result<MetadataValue<'a>, CodeObjectError> {
        let mut values = Vec::new();
        for _ in 0..length {
            values.push(self.value(depth + 1)?);
        }
        Ok(MetadataValue::List(values))
    }

    fn map(&mut self, length: u64, depth: u32) -> Result<MetadataValue<'a>, CodeObjectError> {
        let mut entries = Vec::new();
        for _ in 0..length {
            entries.push((self.value(depth + 1)?, self.value(depth + 1)?));
        }
        Ok(MetadataValue::Map(entries))
    }
}

fn integer(number: i64) -> MetadataValue<'static> {
    u64::try_from(number).map_or(MetadataValue::Int(number), MetadataValue::Uint)
}
