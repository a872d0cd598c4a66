//! Limits that several packets share.

use crate::chip::Gfx;
use crate::packet::rules::write_error::WriteError;

/// The size field has 20 bits, and a buffer of nothing is illegal (PAL gfxCmdStream.cpp).
pub(in crate::packet) const fn ib_size(dwords: u32) -> Result<(), WriteError> {
    if dwords == 0 || dwords > 0xF_FFFF { Err(WriteError::IbSize { dwords }) } else { Ok(()) }
}

/// PAL waIndexBufferZeroSize.
pub(in crate::packet) fn empty_index_buffer(gfx: Gfx, empty: bool) -> Result<(), WriteError> {
    if empty && gfx.version() == (10, 1) { Err(WriteError::EmptyIndexBuffer) } else { Ok(()) }
}

/// Addresses have 48 bits; canonical ones repeat bit 47 above.
pub(in crate::packet) const fn is_canonical(addr: u64) -> bool {
    addr >> 48 == 0 || addr >> 47 == 0x1_FFFF
}
