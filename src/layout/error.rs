//! Surfaces that a chip cannot lay out, and the reasons.

use crate::layout::SwizzleMode;

/// Why a surface cannot be laid out, by this chip or by any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A number is outside its range.
    #[error("layout: {what} = {value} is not within {limit}")]
    Limit {
        /// The field of the description.
        what: &'static str,
        /// Its value.
        value: u32,
        /// The range.
        limit: &'static str,
    },
    /// Two properties of the description exclude each other on this chip.
    #[error("layout: {what} cannot have {with}")]
    Excluded {
        /// One property.
        what: &'static str,
        /// The other.
        with: &'static str,
    },
    /// The chip cannot have this surface in this swizzle mode.
    #[error("layout: swizzle mode {mode} is not legal: {why}")]
    Mode {
        /// The mode.
        mode: SwizzleMode,
        /// The rule that forbids it.
        why: &'static str,
    },
    /// No swizzle mode permits all requested properties.
    #[error("layout: no swizzle mode of this chip allows {what}")]
    NoMode {
        /// The rule that left no mode.
        what: &'static str,
    },
    /// No source states how this mode orders elements of this size on this chip.
    #[error("layout: the order of elements in swizzle mode {mode} is not known for this element and chip")]
    Equation {
        /// The mode.
        mode: SwizzleMode,
    },
    /// A coordinate is outside the image.
    #[error("layout: {what} = {value} is outside the image, which has {limit}")]
    Outside {
        /// The coordinate.
        what: &'static str,
        /// Its value.
        value: u32,
        /// Number of coordinates of this kind in the image.
        limit: u32,
    },
    /// A buffer is too small for the image.
    #[error("layout: {what} has {bytes} bytes, and needs {needs}")]
    Buffer {
        /// Which buffer.
        what: &'static str,
        /// Its size in bytes.
        bytes: u64,
        /// The required size in bytes.
        needs: u64,
    },
    /// GB_ADDR_CONFIG holds a value that no supported chip has.
    #[error("layout: GB_ADDR_CONFIG.{what} = {value} is not within {limit}")]
    Config {
        /// The field.
        what: &'static str,
        /// Its value.
        value: u32,
        /// Its limit.
        limit: &'static str,
    },
}
