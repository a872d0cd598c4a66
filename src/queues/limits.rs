//! Limits of SDMA versions.

use super::version::Version;

/// Limits of a version of SDMA.
///
/// ```
/// use pm4::queues::{QueueFamily, SdmaLimits, Version};
/// let old = SdmaLimits::of(Version::new(QueueFamily::Sdma, "4.0").expect("a version"));
/// assert_eq!((old.copy_bytes, old.safe_copy_bytes), (1 << 22, 0x3F_FF00));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SdmaLimits {
    /// Maximum bytes of COPY_LINEAR: 22 bits up to 5.0, 30 bits on 4.4 and from 5.2 on (Linux 7.1.8 sdma_v*.c buffer functions, ROCr sdma_registers.h).
    pub copy_bytes: u64,
    /// Maximum bytes that Mesa copies with one packet (Mesa 2026 ac_cmdbuf_sdma.c: a copy of the maximum size loses its last 255 bytes, which no other source
    /// says). 4.4 is treated as having a field of 30 bits, as in the kernel.
    pub safe_copy_bytes: u64,
    /// Maximum bytes of CONSTANT_FILL. PAL and Mesa use only 22 bits on 5.2, whose field has 30 bits according to a comment in the kernel.
    pub fill_bytes: u64,
    /// Alignment in bytes of the address of INDIRECT (Linux 7.1.8 ring_emit_ib, ring_pad_ib).
    pub ib_bytes: u64,
    /// Alignment in dwords of INDIRECT's size, and of the position in a ring at which INDIRECT ends.
    pub ib_dwords: u64,
}

impl SdmaLimits {
    /// Returns the limits of a version.
    pub fn of(version: Version) -> Self {
        let bits = if matches!(version.name(), "4.0" | "4.1" | "4.2" | "5.0") { 22 } else { 30 };
        let fill = if version.name() == "5.2" { 22 } else { bits };
        Self { copy_bytes: 1 << bits, safe_copy_bytes: (1 << bits) - 256, fill_bytes: 1 << fill, ib_bytes: 32, ib_dwords: 8 }
    }
}
