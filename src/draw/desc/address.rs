//! Checks of memory addresses for packets.

/// Returns whether an address has 48 bits, is aligned and is not 0. The canonical form with the upper bits set counts as 48 bits.
pub(crate) fn is_address(addr: u64, align: u64) -> bool {
    let upper = addr >> 47;
    addr != 0 && addr.is_multiple_of(align) && (addr >> 48 == 0 || upper == 0x1_FFFF)
}
