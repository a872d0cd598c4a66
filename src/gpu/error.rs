//! Why the kernel's answers cannot be used.

/// Why the kernel's answers cannot be used.
///
/// For an example see [`Gpu::from_device_info`](crate::gpu::Gpu::from_device_info).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// Too few bytes for the fields that are read.
    #[error("the device information has {bytes} bytes; up to its field {field} it has {needed}")]
    Short {
        /// Number of bytes given.
        bytes: usize,
        /// The first missing field.
        field: &'static str,
        /// Number of bytes up to the end of that field.
        needed: usize,
    },
    /// A chip that this crate does not know, or numbers that several chips share.
    #[error("family {family}, revision {external_rev:#x}: no chip of this crate, or several; name the chip with Gpu::new, and set its other known properties")]
    Chip {
        /// AMDGPU_FAMILY_….
        family: u32,
        /// external_rev.
        external_rev: u32,
    },
    /// A number that no board has.
    #[error("the device information states {what} = {value}; a board has 1 to 32")]
    Board {
        /// The field.
        what: &'static str,
        /// Its value.
        value: u32,
    },
}
