//! Why the kernel's answers are not understood.

/// Why the kernel's answers are not understood.
///
/// For an example see [`Gpu::from_device_info`](crate::gpu::Gpu::from_device_info).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// Fewer bytes than the fields that are read.
    #[error("the device information has {bytes} bytes; up to its field {field} it has {needed}")]
    Short {
        /// Bytes that there are.
        bytes: usize,
        /// The first field that is missing.
        field: &'static str,
        /// Bytes up to the end of that field.
        needed: usize,
    },
    /// A chip that this crate does not know, or several that share the numbers.
    #[error("family {family}, revision {external_rev:#x}: no chip of this crate, or several; name the chip with Gpu::new, and set what else is known of it")]
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
