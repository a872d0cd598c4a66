//! Addresses of memory, as packets take them.

/// 48 bits, aligned, not 0; the canonical form with the upper bits set counts as 48 bits.
pub(crate) fn is_address(addr: u64, align: u64) -> bool {
    let upper = addr >> 47;
    addr != 0 && addr.is_multiple_of(align) && (addr >> 48 == 0 || upper == 0x1_FFFF)
}
