//! A wave: registers, counters, what it covers.

use super::code::{Counter, EXEC, NULL};
use alloc::vec::Vec;

/// A quad of pixels that the wave covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Place on the packer's screen, and position of the wave's entry there.
    pub place: u16,
    pub entry: u8,
    pub quad: u8,
    pub lanes: [u8; 4],
    pub promised: u32,
}

/// An access that was issued and is not complete.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub step: u32,
    pub counter: Counter,
    pub read: bool,
    pub write: bool,
    pub exec: u64,
}

/// What a wave is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Doing {
    /// The slot is free, or the wave is being packed.
    #[default]
    Nothing,
    Running,
    Sleeping,
    /// Ended, with accesses outstanding.
    Draining,
}

#[derive(Debug)]
pub(super) struct Wave {
    pub packer: u8,
    pub number: u32,
    pub doing: Doing,
    pub at: usize,
    pub scc: bool,
    pub regs: [u32; 128],
    /// The register that names the packer.
    pub packer_register: u32,
    /// Bits of `registers` that the wave wrote.
    pub packer_set: bool,
    pub parts: Vec<Part>,
    pub quads: u8,
    /// Lanes with coverage.
    pub lanes: u64,
    /// Quads that start a layer.
    pub layers: u32,
    /// First quad of the last layer.
    pub layer_start: u8,
    pub overlaps: Vec<u32>,
    pub newest: Option<u32>,
    pub pending: Vec<Pending>,
    /// Accessed ordered data.
    pub accessed: bool,
    /// Left its ordered section.
    pub done: bool,
    pub exported: bool,
    pub late_wait: bool,
}

impl Wave {
    pub fn new() -> Self {
        Self {
            packer: 0,
            number: 0,
            doing: Doing::Nothing,
            at: 0,
            scc: false,
            regs: [0; 128],
            packer_register: 0,
            packer_set: false,
            parts: Vec::new(),
            quads: 0,
            lanes: 0,
            layers: 0,
            layer_start: 0,
            overlaps: Vec::new(),
            newest: None,
            pending: Vec::new(),
            accessed: false,
            done: false,
            exported: false,
            late_wait: false,
        }
    }

    /// Makes the slot ready for packing wave `number`.
    pub fn open(&mut self, packer: u8, number: u32) {
        self.packer = packer;
        self.number = number;
        self.doing = Doing::Nothing;
        self.at = 0;
        self.scc = false;
        self.packer_register = 0;
        self.packer_set = false;
        self.parts.clear();
        self.quads = 0;
        self.lanes = 0;
        self.layers = 0;
        self.layer_start = 0;
        self.overlaps.clear();
        self.newest = None;
        self.pending.clear();
        self.accessed = false;
        self.done = false;
        self.exported = false;
        self.late_wait = false;
    }

    pub fn exec(&self) -> u64 {
        self.pair(EXEC)
    }

    pub fn reg(&self, n: u8) -> u32 {
        self.regs[usize::from(n & 127)]
    }

    /// A pair of registers. NULL is a pair of its own: it does not reach into EXEC.
    pub fn pair(&self, n: u8) -> u64 {
        if n == NULL {
            return 0;
        }
        u64::from(self.reg(n)) | u64::from(self.reg(n + 1)) << 32
    }

    /// Writes a register or a pair. NULL keeps nothing.
    pub fn write(&mut self, n: u8, value: u64, wide: bool) {
        if n == NULL {
            return;
        }
        self.regs[usize::from(n & 127)] = value as u32;
        if wide {
            self.regs[usize::from((n + 1) & 127)] = (value >> 32) as u32;
        }
    }
}
