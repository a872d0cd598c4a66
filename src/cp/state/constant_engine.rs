//! The memory and the counters of the constant engine.

use crate::packet::{Opcode, Packet};
use alloc::vec;
use alloc::vec::Vec;

/// The constant memory and the counters. Dwords that were never filled are unknown.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct ConstantEngine {
    /// Empty until the first packet fills it.
    ram: Vec<Option<u32>>,
    pub ce_counter: u64,
    pub de_counter: u64,
    /// Whether a queue may have run unknown packets, which may have counted or filled the memory.
    pub unsure: bool,
}

impl ConstantEngine {
    /// Fills a dword at a byte offset; dwords beyond the memory are ignored.
    pub fn fill(&mut self, offset: u32, value: Option<u32>) {
        if self.ram.is_empty() {
            self.ram = vec![None; DWORDS];
        }
        if let Some(dword) = self.ram.get_mut(offset as usize / 4) {
            *dword = value;
        }
    }

    /// Records that anything may have run on one of its queues.
    pub fn lose(&mut self) {
        self.forget_ram();
        self.unsure = true;
    }

    /// Records that the memory may have been filled with other values.
    pub fn forget_ram(&mut self) {
        self.ram.fill(None);
    }

    pub fn get(&self, offset: u32) -> Option<u32> {
        self.ram.get(offset as usize / 4).copied().flatten()
    }
}

/// Number of dwords that the 16-bit byte offsets of packets reach.
const DWORDS: usize = 1 << 14;

/// Returns whether a packet increments the counter of the constant engine: cntrsel 1 or 3, or increment_ce of a dump.
pub(in crate::cp) fn increments_ce(packet: &Packet<'_>) -> bool {
    let word = packet.body.first().copied().unwrap_or(0);
    match packet.opcode() {
        Some(Opcode::INCREMENT_CE_COUNTER) => word & 1 == 1,
        Some(Opcode::DUMP_CONST_RAM | Opcode::DUMP_CONST_RAM_OFFSET) => word >> 30 & 1 == 1,
        _ => false,
    }
}
