//! Memory as the streams see it: what the caller has mapped, and what packets have written since.

use super::place::{BufferId, Place};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The bits of a GPU virtual address that count; those above repeat bit 47 in captured streams.
const ADDRESS_BITS: u64 = (1 << 48) - 1;

/// The low 48 bits of an address, aligned to a dword.
pub(super) const fn canonical(addr: u64) -> u64 {
    addr & ADDRESS_BITS & !3
}

/// Memory: mapped ranges, and over them the dwords that packets have written.
#[derive(Debug)]
pub(super) struct Memory<'a> {
    /// In the order of `start`.
    ranges: Vec<Range<'a>>,
    /// Written dwords in pages of 64, by address / 256.
    pages: BTreeMap<u64, Box<Page>>,
    /// Pages that may still be made.
    pub room: usize,
    /// A write found no room: what is not in a page is unknown from then on.
    pub full: bool,
    /// Counts writes: a wait looks again when it has moved.
    pub writes: u64,
    /// How often all memory was lost: what is older is unknown.
    losses: u64,
}

#[derive(Debug)]
struct Range<'a> {
    start: u64,
    /// Length in bytes.
    bytes: u64,
    /// The words of the caller; empty for owned ranges, which live in pages.
    words: &'a [u32],
    buffer: BufferId,
    read_only: bool,
    /// Losses of all memory before it was mapped.
    losses: u64,
    /// The end that no range up to this one goes beyond.
    reach: u64,
}

#[derive(Debug)]
struct Page {
    words: [u32; 64],
    written: u64,
    known: u64,
    /// Losses of all memory before its last write: with others since, nothing in it is known.
    losses: u64,
    origins: [Option<Place>; 64],
}

impl Range<'_> {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.bytes)
    }
}

/// Words that a queue executes.
#[derive(Debug, Clone)]
pub(super) enum Words<'a> {
    /// Of a buffer of the caller.
    Borrowed(&'a [u32]),
    /// A copy of memory that packets have written, or a piece of a stream.
    Shared(Arc<[u32]>),
}

impl Words<'_> {
    pub fn as_slice(&self) -> &[u32] {
        match self {
            Self::Borrowed(words) => words,
            Self::Shared(words) => words,
        }
    }
}

/// Mapped words from an address to the end of their buffer, or to the length that was asked for.
#[derive(Debug, Clone)]
pub(super) struct Found<'a> {
    pub buffer: BufferId,
    /// Dwords from the start of the buffer.
    pub dword: usize,
    pub words: Words<'a>,
}

/// What is known of a dword of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Mapped by the caller, or written by a packet.
    Known(u32),
    /// Mapped or written, but not with a value that the model can know.
    Unknown,
    /// Of the application: nobody has shown it.
    Unmapped,
}

/// Why a write cannot happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    ReadOnly,
    NoRoom,
}

impl<'a> Memory<'a> {
    pub fn new(room: usize) -> Self {
        Self { ranges: Vec::new(), pages: BTreeMap::new(), room, full: false, writes: 0, losses: 0 }
    }

    /// Maps a buffer. Where mappings overlap, the one that starts last before an address counts; of two with the same start, the younger one.
    pub fn map(&mut self, addr: u64, words: &'a [u32], buffer: BufferId, read_only: bool) {
        self.insert(Range { start: canonical(addr), bytes: 4 * words.len() as u64, words, buffer, read_only, losses: self.losses, reach: 0 });
    }

    /// Maps words that the model keeps itself.
    pub fn map_owned(&mut self, addr: u64, words: &[u32], buffer: BufferId) {
        let start = canonical(addr);
        self.insert(Range { start, bytes: 4 * words.len() as u64, words: &[], buffer, read_only: false, losses: self.losses, reach: 0 });
        self.room = self.room.saturating_add(words.len() / 64 + 2);
        for (word, i) in words.iter().zip(0u64..) {
            let _ = self.write(start + 4 * i, Some(*word), None);
        }
    }

    fn insert(&mut self, range: Range<'a>) {
        let at = self.ranges.partition_point(|r| r.start <= range.start);
        self.ranges.insert(at, range);
        let mut reach = at.checked_sub(1).and_then(|before| self.ranges.get(before)).map_or(0, |r| r.reach);
        for range in self.ranges.iter_mut().skip(at) {
            reach = reach.max(range.end());
            range.reach = reach;
        }
    }

    fn range(&self, addr: u64) -> Option<&Range<'a>> {
        let after = self.ranges.partition_point(|r| r.start <= addr);
        self.ranges.get(..after)?.iter().rev().take_while(|r| r.reach > addr).find(|r| r.end() > addr)
    }

    /// The words to execute at an address, at most `dwords`; None where nothing is mapped. What packets have written is in them; where that is not known, they
    /// are what was there before.
    pub fn find(&self, addr: u64, dwords: usize) -> Option<Found<'a>> {
        let addr = canonical(addr);
        let range = self.range(addr)?;
        let dword = ((addr - range.start) / 4) as usize;
        let length = dwords.min(((range.end() - addr) / 4) as usize);
        let end = addr + 4 * length as u64;
        let written = self.pages.range(addr / 256..=end.saturating_sub(1) / 256).next().is_some();
        let words = match range.words.get(dword..dword.saturating_add(length)) {
            Some(words) if !written => Words::Borrowed(words),
            _ => (0..length as u64).map(|i| self.last(addr + 4 * i)).collect::<Vec<_>>().into_shared(),
        };
        Some(Found { buffer: range.buffer, dword, words })
    }

    /// What is known of the dword at an address.
    pub fn read(&self, addr: u64) -> Content {
        let addr = canonical(addr);
        let (page, bit) = (addr / 256, addr / 4 % 64);
        if let Some(page) = self.pages.get(&page).filter(|page| page.written >> bit & 1 == 1) {
            let known = page.known >> bit & 1 == 1 && page.losses == self.losses;
            return if known { Content::Known(page.words[bit as usize]) } else { Content::Unknown };
        }
        match self.range(addr) {
            _ if self.full => Content::Unknown,
            Some(range) if range.losses < self.losses && !range.read_only => Content::Unknown,
            Some(range) => range.words.get(((addr - range.start) / 4) as usize).map_or(Content::Unknown, |word| Content::Known(*word)),
            None => Content::Unmapped,
        }
    }

    /// What the dword held when it was last known; 0 if it never was.
    fn last(&self, addr: u64) -> u32 {
        let (page, bit) = (addr / 256, addr / 4 % 64);
        match self.pages.get(&page).filter(|page| page.written >> bit & 1 == 1) {
            Some(page) => page.words[bit as usize],
            None => self.range(addr).and_then(|range| range.words.get(((addr - range.start) / 4) as usize)).copied().unwrap_or(0),
        }
    }

    /// The packet that wrote the dword last.
    pub fn origin(&self, addr: u64) -> Option<Place> {
        let addr = canonical(addr);
        self.pages.get(&(addr / 256))?.origins[(addr / 4 % 64) as usize]
    }

    /// Writes a dword; None stands for a value that the model does not know.
    pub fn write(&mut self, addr: u64, value: Option<u32>, origin: Option<Place>) -> Result<(), Fault> {
        let addr = canonical(addr);
        if self.range(addr).is_some_and(|range| range.read_only) {
            return Err(Fault::ReadOnly);
        }
        self.writes += 1;
        let (key, index) = (addr / 256, (addr / 4 % 64) as usize);
        if !self.pages.contains_key(&key) {
            if self.room == 0 {
                self.full = true;
                return Err(Fault::NoRoom);
            }
            self.room -= 1;
        }
        let (losses, word) = (self.losses, value.unwrap_or_else(|| self.last(addr)));
        let page = self.pages.entry(key).or_insert_with(|| Box::new(Page { words: [0; 64], written: 0, known: 0, losses, origins: [None; 64] }));
        if page.losses < losses {
            (page.losses, page.known) = (losses, 0);
        }
        page.written |= 1 << index;
        page.known = page.known & !(1 << index) | u64::from(value.is_some()) << index;
        page.words[index] = word;
        page.origins[index] = origin;
        Ok(())
    }

    /// Forgets what was written in a range of memory that nobody has mapped: its contents are unknown again.
    pub fn forget(&mut self, addr: u64, bytes: u64) {
        let (addr, end) = (canonical(addr), canonical(addr).saturating_add(bytes));
        self.writes += 1;
        for (key, page) in self.pages.range_mut(addr / 256..=end.saturating_sub(1) / 256) {
            for index in (0..64).filter(|i| (addr..end).contains(&(key * 256 + 4 * i))) {
                page.known &= !(1 << index);
            }
        }
    }

    /// A packet may have written anything there: what was known, mapped or written, is unknown. Memory of the application stays that.
    pub fn lose(&mut self, addr: u64, bytes: u64) {
        self.forget(addr, bytes);
        let (mut at, end) = (canonical(addr) & !3, canonical(addr).saturating_add(bytes));
        while at < end {
            let Some(range) = self.range(at) else {
                // The next mapping, if one begins below the end.
                let Some(next) = self.ranges.get(self.ranges.partition_point(|r| r.start <= at)).map(|r| r.start).filter(|start| *start < end) else { return };
                at = next;
                continue;
            };
            let stop = range.end().min(end);
            while at < stop && self.write(at, None, None) != Err(Fault::NoRoom) {
                at += 4;
            }
            if self.full {
                return;
            }
        }
    }

    /// A packet may have written anywhere: nothing is known that packets can write. Memory of the application stays that.
    pub fn lose_all(&mut self) {
        self.losses += 1;
        self.writes += 1;
    }

    /// Bytes from an address on that are mapped without a gap, at most `bytes`.
    pub fn mapped(&self, addr: u64, bytes: u64) -> u64 {
        let start = canonical(addr);
        let mut at = start;
        while at - start < bytes
            && let Some(range) = self.range(at)
        {
            at = range.end();
        }
        (at - start).min(bytes)
    }
}

trait IntoShared<'a> {
    fn into_shared(self) -> Words<'a>;
}

impl<'a> IntoShared<'a> for Vec<u32> {
    fn into_shared(self) -> Words<'a> {
        Words::Shared(self.into())
    }
}
