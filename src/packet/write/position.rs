//! The position of a writer: register writes that can still grow, ranges that may be skipped, and the versions that prepared states compare.

use crate::packet::tables::effect_kinds::EffectKinds;

/// The register writes that are last in the buffer and can still grow.
#[derive(Debug, Clone, Copy)]
pub(in crate::packet) struct OpenRun {
    /// Offset of their header.
    pub header: usize,
    /// Byte address of the next register.
    pub next: u32,
    /// Byte address at which they must end.
    pub end: u32,
}

/// A range that may be skipped.
#[derive(Debug, Clone, Copy)]
pub(in crate::packet) struct Span {
    /// Offset of its first packet.
    pub start: usize,
    /// The dword after the range, or after its maximum length.
    pub end: usize,
    /// Whether the range ends with the closure that fills it.
    pub grows: bool,
}

/// The identity of a writer, and how often its registers changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::packet) struct StateVersion {
    pub writer: usize,
    pub registers: u64,
    /// How often registers changed that draws and other packets use for their state: VGT_INDEX_TYPE, VGT_DMA_*, SGPRs of arguments.
    pub state: u64,
}

impl StateVersion {
    #[inline]
    pub fn touched(&mut self, kinds: EffectKinds) {
        self.registers += u64::from(kinds.intersects(EffectKinds::REGISTERS));
        self.state += u64::from(kinds.intersects(EffectKinds::STATE));
    }

    /// Records that any register may hold anything.
    #[inline]
    pub fn unknown(&mut self) {
        self.registers += 1;
        self.state += 1;
    }

    #[inline]
    pub fn changed(&mut self) {
        self.registers += 1;
    }

    /// Returns whether nothing has changed since, for a state that has registers of draws among its own or has none.
    #[inline]
    pub fn still(self, then: Self, of_draws: bool) -> bool {
        self.writer == then.writer && self.registers == then.registers && (!of_draws || self.state == then.state)
    }
}
