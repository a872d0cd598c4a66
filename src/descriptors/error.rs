//! Why a descriptor cannot be encoded.

use crate::chip::Chip;
use crate::descriptors::typed_descriptor::TexelFormat;
use alloc::format;
use alloc::string::String;

/// An input that the chip does not support, with its value and the limit.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::descriptors::{ImageDesc, TexelFormat};
/// let odd = ImageDesc::new(0x1080, TexelFormat::R8_UNORM).words(Chip::Navi31).unwrap_err();
/// assert_eq!(odd.to_string(), "image descriptor: address = 0x1080 is not a multiple of 256");
/// let three = ImageDesc::new(0x1000, TexelFormat::R32G32B32_SFLOAT).words(Chip::Navi31).unwrap_err();
/// assert_eq!(three.to_string(), "image descriptor: format = R32G32B32_SFLOAT: navi31 does not have it");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptorError {
    /// A number that exceeds its field or the chip's limit.
    #[error("{descriptor} descriptor: {input} = {value} is not within {least} to {most}")]
    OutOfRange {
        /// Buffer, image or sampler.
        descriptor: &'static str,
        /// The input.
        input: &'static str,
        /// Its value.
        value: u64,
        /// The smallest allowed value.
        least: u64,
        /// The largest allowed value.
        most: u64,
    },
    /// A fraction beyond its limits, or not a finite number.
    #[error("{descriptor} descriptor: {input} = {value} is not {}", limits(*least, *most))]
    FractionOutOfRange {
        /// Buffer, image or sampler.
        descriptor: &'static str,
        /// The input.
        input: &'static str,
        /// Its value.
        value: f32,
        /// The smallest allowed value.
        least: f32,
        /// The largest allowed value.
        most: f32,
    },
    /// A misaligned address or size.
    #[error("{descriptor} descriptor: {input} = {value:#x} is not a multiple of {align}")]
    Misaligned {
        /// Buffer, image or sampler.
        descriptor: &'static str,
        /// The input.
        input: &'static str,
        /// Its value.
        value: u64,
        /// The required alignment.
        align: u64,
    },
    /// A format that the chip does not support in this kind of descriptor.
    #[error("{descriptor} descriptor: format = {format}: {chip} does not have it")]
    Format {
        /// Buffer, image or sampler.
        descriptor: &'static str,
        /// The requested format.
        format: TexelFormat,
        /// The chip.
        chip: Chip,
    },
    /// An input that conflicts with another input or with the chip.
    #[error("{descriptor} descriptor: {input}{}: {why}", value.map_or_else(String::new, |value| format!(" = {value}")))]
    Refused {
        /// Buffer, image or sampler.
        descriptor: &'static str,
        /// The input.
        input: &'static str,
        /// Its value; None for a switch, an enum or a missing input.
        value: Option<u64>,
        /// The violated rule.
        why: &'static str,
    },
}

/// Returns the limits of a fraction as text; the largest finite number counts as no limit.
fn limits(least: f32, most: f32) -> String {
    match (least == f32::MIN, most == f32::MAX) {
        (true, true) => "a finite number".into(),
        (false, true) => format!("a finite number of at least {least}"),
        _ => format!("within {least} to {most}"),
    }
}

/// The checks for one kind of descriptor. Each returns the value, or an error that says what is wrong.
#[derive(Clone, Copy)]
pub(super) struct Checks(pub &'static str);

impl Checks {
    pub fn range(self, input: &'static str, value: u64, least: u64, most: u64) -> Result<u64, DescriptorError> {
        if (least..=most).contains(&value) { Ok(value) } else { Err(DescriptorError::OutOfRange { descriptor: self.0, input, value, least, most }) }
    }

    pub fn aligned(self, input: &'static str, value: u64, align: u64) -> Result<u64, DescriptorError> {
        if value.is_multiple_of(align) { Ok(value) } else { Err(DescriptorError::Misaligned { descriptor: self.0, input, value, align }) }
    }

    /// Checks that an address has 48 bits and is aligned.
    pub fn address(self, input: &'static str, value: u64, align: u64) -> Result<u64, DescriptorError> {
        self.range(input, value, 0, (1 << 48) - 1)?;
        self.aligned(input, value, align)
    }

    pub fn fraction(self, input: &'static str, value: f32, least: f32, most: f32) -> Result<f32, DescriptorError> {
        let fits = value >= least && value <= most; // false for NaN
        if fits { Ok(value) } else { Err(DescriptorError::FractionOutOfRange { descriptor: self.0, input, value, least, most }) }
    }

    /// Returns an error unless `fine` is true.
    pub fn demand(self, fine: bool, input: &'static str, value: Option<u64>, why: &'static str) -> Result<(), DescriptorError> {
        if fine { Ok(()) } else { Err(DescriptorError::Refused { descriptor: self.0, input, value, why }) }
    }
}
