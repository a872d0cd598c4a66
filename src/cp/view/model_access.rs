//! The observer's access to the model between packets.

use crate::cp::state::memory::Memory;
use alloc::vec::Vec;

/// The observer's access to the model between two packets: it may read and write memory as the CPU or a shader would, and stop the run.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, Interest, ModelAccess, Observer}, packet::Queue};
/// /// Writes the flag that a stream waits for, as a shader would.
/// struct Flag;
/// impl Observer for Flag {
///     fn interest(&self) -> Interest {
///         Interest::ACT
///     }
///     fn act(&mut self, access: &mut ModelAccess<'_, '_>) {
///         access.write(0x1000, &[7]);
///     }
/// }
/// let wait = [0xC000_1000, 0, 0xC005_3C00, 0x13, 0x1000, 0, 7, u32::MAX, 4]; // NOP, then WAIT_REG_MEM
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.map_owned("flag", 0x1000, &[0]);
/// cp.submit(Queue::Graphics, "wait", &wait);
/// assert_eq!(cp.run(&mut Flag).errors, 0);
/// ```
#[derive(Debug)]
pub struct ModelAccess<'h, 'a> {
    pub(in crate::cp) memory: &'h mut Memory<'a>,
    pub(in crate::cp) stop: &'h mut bool,
    /// The written ranges: addresses and bytes.
    pub(in crate::cp) written: &'h mut Vec<(u64, u64)>,
}

impl ModelAccess<'_, '_> {
    /// Returns the dword of memory at an address if it is known.
    pub fn dword(&self, addr: u64) -> Option<u32> {
        self.memory.known(addr)
    }

    /// Writes consecutive dwords on behalf of a shader or the CPU. Waits see them, and read-only mappings accept them too. Writes right after a draw or
    /// dispatch count as writes of its shaders, for which something must wait before they are read (SYN-33). Returns false if the model has no room left
    /// ([`max_memory`](crate::cp::CommandProcessor::max_memory)); what did not fit is unknown.
    pub fn write(&mut self, addr: u64, words: &[u32]) -> bool {
        self.written.push((addr, 4 * words.len() as u64));
        self.memory.write_for_caller(addr, words)
    }

    /// Stops the run after this packet. Running again continues it.
    pub fn stop(&mut self) {
        *self.stop = true;
    }
}
