//! The memory that the caller has mapped.

use super::place::BufferId;
use alloc::vec::Vec;

/// The bits of a GPU virtual address that count; those above repeat bit 47 in captured streams.
const ADDRESS_BITS: u64 = (1 << 48) - 1;

/// The low 48 bits of an address, aligned to a dword.
pub(super) const fn canonical(addr: u64) -> u64 {
    addr & ADDRESS_BITS & !3
}

/// Mapped buffers by address.
#[derive(Debug, Default)]
pub(super) struct Memory<'a> {
    /// In the order of `start`.
    ranges: Vec<Range<'a>>,
}

#[derive(Debug)]
struct Range<'a> {
    start: u64,
    words: &'a [u32],
    buffer: BufferId,
    /// The end that no range up to this one goes beyond.
    reach: u64,
}

impl Range<'_> {
    fn end(&self) -> u64 {
        self.start.saturating_add(4 * self.words.len() as u64)
    }
}

/// Mapped words from an address to the end of their buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'a> {
    pub buffer: BufferId,
    /// Dwords from the start of the buffer.
    pub dword: usize,
    pub words: &'a [u32],
}

impl<'a> Memory<'a> {
    /// Maps a buffer. Where mappings overlap, the one that starts last before an address counts; of two with the same start, the younger one.
    pub fn map(&mut self, addr: u64, words: &'a [u32], buffer: BufferId) {
        let start = canonical(addr);
        let at = self.ranges.partition_point(|r| r.start <= start);
        self.ranges.insert(at, Range { start, words, buffer, reach: 0 });
        let mut reach = at.checked_sub(1).and_then(|before| self.ranges.get(before)).map_or(0, |r| r.reach);
        for range in self.ranges.iter_mut().skip(at) {
            reach = reach.max(range.end());
            range.reach = reach;
        }
    }

    /// The words at an address, None where nothing is mapped.
    pub fn find(&self, addr: u64) -> Option<Found<'a>> {
        let addr = canonical(addr);
        let after = self.ranges.partition_point(|r| r.start <= addr);
        let candidates = self.ranges.get(..after)?.iter().rev().take_while(|r| r.reach > addr);
        let range = candidates.into_iter().find(|r| r.end() > addr)?;
        let dword = ((addr - range.start) / 4) as usize;
        Some(Found { buffer: range.buffer, dword, words: range.words.get(dword..)? })
    }
}
