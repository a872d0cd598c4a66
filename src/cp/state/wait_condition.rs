//! The conditions of WAIT_REG_MEM and its 64-bit form.

#[cfg(feature = "input")]
use crate::cp::state::block::SIGNS;
use crate::cp::state::block::{Test, Until};
use crate::cp::state::memory::{address, canonical};
use crate::packet::{Opcode, Packet};

/// Returns control, the two dwords of the address, and the comparison of WAIT_REG_MEM or its 64-bit form.
pub(in crate::cp) fn comparison(body: &[u32], wide: bool) -> Option<(u32, (u32, u32), Test)> {
    let both = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    let (control, addr, reference, mask) = match *body {
        [control, lo, hi, reference, mask, _] if !wide => (control, (lo, hi), reference.into(), mask.into()),
        [control, lo, hi, ref_lo, ref_hi, mask_lo, mask_hi, _] if wide => (control, (lo, hi), both(ref_lo, ref_hi), both(mask_lo, mask_hi)),
        _ => return None,
    };
    Some((control, addr, Test { function: control & 7, mask, reference, wide, signed: false }))
}

/// Returns whether the packet writes the first register and waits for the second.
pub(in crate::cp) fn writes_first(control: u32) -> bool {
    control >> 6 & 3 == 1
}

/// Returns the byte address of a register from its dword address in the packet.
pub(in crate::cp) fn register(dword: u32) -> u32 {
    (dword & 0x3_FFFF) * 4
}

/// Returns the condition of WAIT_REG_MEM or its 64-bit form.
pub(in crate::cp) fn until(control: u32, addr: (u32, u32), test: Test) -> Until {
    match control >> 4 & 3 {
        _ if writes_first(control) => Until::Register { addr: register(addr.1), test },
        0 => Until::Register { addr: register(addr.0), test },
        _ => Until::Memory { addr: canonical(u64::from(addr.1) << 32 | u64::from(addr.0)), test },
    }
}

/// The condition of a wait, in parts.
#[cfg(feature = "input")]
pub(crate) struct WaitCondition {
    /// The address in memory, or of a register in bytes.
    pub addr: u64,
    pub is_memory: bool,
    /// The comparison as printed: `==`.
    pub function: &'static str,
    pub mask: u64,
    pub reference: u64,
    pub bytes: u64,
}

/// Returns the condition of WAIT_REG_MEM or its 64-bit form; None for other packets.
#[cfg(feature = "input")]
pub(crate) fn wait_condition(packet: &Packet<'_>) -> Option<WaitCondition> {
    let wide = packet.opcode() == Some(Opcode::WAIT_REG_MEM64);
    let (control, addr, test) = comparison(packet.body, wide).filter(|_| wide || packet.opcode() == Some(Opcode::WAIT_REG_MEM))?;
    let (addr, is_memory) = match until(control, addr, test) {
        Until::Memory { addr, .. } => (addr, true),
        Until::Register { addr, .. } => (addr.into(), false),
        _ => return None,
    };
    let function = SIGNS.get(test.function as usize).copied().unwrap_or("?");
    Some(WaitCondition { addr, is_memory, function, mask: test.mask, reference: test.reference, bytes: if wide { 8 } else { 4 } })
}

/// Returns the memory and the comparison of a packet that only waits.
pub(in crate::cp) fn memory_wait(packet: &Packet<'_>) -> Option<(u64, Test)> {
    let wide = packet.opcode() == Some(Opcode::WAIT_REG_MEM64);
    let (control, (lo, hi), test) = comparison(packet.body, wide).filter(|_| wide || packet.opcode() == Some(Opcode::WAIT_REG_MEM))?;
    (control >> 4 & 3 != 0 && control >> 6 & 3 != 1).then_some((address(lo, hi), test))
}
