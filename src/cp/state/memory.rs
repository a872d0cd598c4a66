//! Memory as the streams see it: the caller's mappings, and what packets have written since.

use crate::cp::state::memory_copies::MemoryCopies;
use crate::cp::state::memory_pages::MemoryPages;
use crate::cp::state::past_values::PastValues;
use crate::cp::state::place::{BufferId, Place};
use crate::cp::state::source::Source;
use crate::cp::state::transfers::Transfers;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The significant bits of a GPU virtual address; the higher bits repeat bit 47 in captured streams.
const ADDRESS_BITS: u64 = (1 << 48) - 1;

/// Mappings of a source begin and end at multiples of this.
const SOURCE_PAGE: u64 = 4096;

/// Returns the low 48 bits of an address, aligned to a dword.
pub(in crate::cp) const fn canonical(addr: u64) -> u64 {
    addr & ADDRESS_BITS & !3
}

/// Returns the low 48 bits of an address.
pub(in crate::cp) const fn byte_address(addr: u64) -> u64 {
    addr & ADDRESS_BITS
}

/// Memory: mapped ranges, overlaid with the dwords that packets have written.
#[derive(Debug, Clone)]
pub(in crate::cp) struct Memory<'a> {
    /// Ordered by `start` after [sorting](Self::sort_ranges), before that by the order of the calls.
    ranges: Vec<Range<'a>>,
    sorted: bool,
    /// Whether some range is read-only.
    guarded: bool,
    copies: MemoryCopies,
    /// The memory source, below the mapped ranges.
    pub source: Source<'a>,
    pages: MemoryPages,
    /// Number of pages that may still be created.
    pub room: usize,
    /// Whether a write found no room; from then on, everything outside the pages is unknown.
    pub full: bool,
    /// Number of writes; a wait checks again when it has changed.
    pub writes: u64,
    /// Number of dwords and pages visited since the count was last taken.
    pub work: u64,
    /// How often all memory was lost; older contents are unknown.
    losses: u64,
    /// Dwords written since the log was last taken, if logging is on.
    log: Option<Vec<MemoryWrite>>,
    /// Earlier values of fences.
    pub past: PastValues,
    /// Whether draws or dispatches have run: their shaders, which the model does not run, may have written anything.
    pub shaders: bool,
    /// Dwords that the end of the pipe writes or has written. Dwords written by other packets may be prepared for shaders.
    pub released: BTreeSet<u64>,
    /// What queues have copied and written without waiting for it.
    pub transfers: Transfers,
    /// Ranges that a writer outside the stream will write: start, end and writer.
    expected: Vec<(u64, u64, &'a str)>,
    /// Dwords of buffers with unknown values, in order.
    pub unknown: BTreeMap<BufferId, Vec<core::ops::Range<usize>>>,
    /// Dwords written by packets that may not have run.
    pub perhaps_written: BTreeSet<u64>,
}

#[derive(Debug, Clone)]
struct Range<'a> {
    start: u64,
    /// Length in bytes.
    bytes: u64,
    /// The words when the range was mapped.
    words: Words<'a>,
    buffer: BufferId,
    read_only: bool,
    /// The number of losses of all memory when the range was mapped.
    losses: u64,
    /// The highest end of all ranges up to this one.
    reach: u64,
}

impl Range<'_> {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.bytes)
    }

    fn word(&self, addr: u64) -> Option<u32> {
        self.words.as_slice().get(((addr - self.start) / 4) as usize).copied()
    }
}

/// Words of a range, or words that a queue executes.
#[derive(Debug, Clone)]
pub(in crate::cp) enum Words<'a> {
    /// Words of a caller's buffer.
    Borrowed(&'a [u32]),
    /// Words that the model keeps: a copy of memory that packets have written, a piece of a stream, or what a caller gave it.
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

/// Mapped words from an address to the end of their buffer or to the requested length.
#[derive(Debug, Clone)]
pub(in crate::cp) struct Found<'a> {
    pub buffer: BufferId,
    /// Dwords from the start of the buffer.
    pub dword: usize,
    pub words: Words<'a>,
}

/// What is known about a dword of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) enum Content {
    /// Mapped by the caller, or written by a packet.
    Known(u32),
    /// Mapped or written, but not with a value that the model can know.
    Unknown,
    /// Not mapped, so it may be memory of the application.
    Unmapped,
}

/// Why a write cannot happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) enum Fault {
    ReadOnly,
    NoRoom,
}

impl<'a> Memory<'a> {
    pub fn new(room: usize) -> Self {
        Self {
            ranges: Vec::new(),
            sorted: true,
            guarded: false,
            copies: MemoryCopies::default(),
            source: Source::default(),
            pages: MemoryPages::default(),
            room,
            full: false,
            writes: 0,
            work: 0,
            losses: 0,
            log: None,
            past: PastValues::default(),
            shaders: false,
            released: BTreeSet::new(),
            transfers: Transfers::default(),
            expected: Vec::new(),
            unknown: BTreeMap::new(),
            perhaps_written: BTreeSet::new(),
        }
    }

    /// Maps a buffer. If mappings overlap, the one with the highest start at or below an address counts; of two with the same start, the newer one.
    pub fn map(&mut self, addr: u64, words: &'a [u32], buffer: BufferId, read_only: bool) {
        self.insert(Range {
            start: canonical(addr),
            bytes: 4 * words.len() as u64,
            words: Words::Borrowed(words),
            buffer,
            read_only,
            losses: self.losses,
            reach: 0,
        });
    }

    /// Maps words that the model keeps itself.
    pub fn map_owned(&mut self, addr: u64, words: &[u32], buffer: BufferId) {
        let (start, bytes) = (canonical(addr), 4 * words.len() as u64);
        self.insert(Range { start, bytes, words: Words::Shared(words.into()), buffer, read_only: false, losses: self.losses, reach: 0 });
        // What was written there before is gone.
        if bytes > 0 {
            let end = start.saturating_add(bytes);
            self.pages.change(start / 256..=(end - 1) / 256, |number, page| page.discard(covered(number, start, end)));
        }
        // Pages for what packets write to it.
        self.room = self.room.saturating_add(words.len() / 64 + 2);
    }

    fn insert(&mut self, range: Range<'a>) {
        self.sorted = false;
        // The memory from which words were copied has changed.
        self.copies = MemoryCopies::default();
        self.guarded |= range.read_only;
        self.ranges.push(range);
    }

    /// Sorts the mappings, to be called after the last one; makes [`range`](Self::range) fast.
    pub fn sort_ranges(&mut self) {
        if core::mem::replace(&mut self.sorted, true) {
            return;
        }
        // With equal starts, the newer mapping stays after the older one.
        self.ranges.sort_by_key(|range| range.start);
        let mut reach = 0;
        for range in &mut self.ranges {
            reach = reach.max(range.end());
            range.reach = reach;
        }
    }

    fn range(&self, addr: u64) -> Option<&Range<'a>> {
        if !self.sorted {
            return self.ranges.iter().filter(|r| r.start <= addr && r.end() > addr).max_by_key(|r| r.start);
        }
        let after = self.ranges.partition_point(|r| r.start <= addr);
        self.ranges.get(..after)?.iter().rev().take_while(|r| r.reach > addr).find(|r| r.end() > addr)
    }

    /// Returns the words to execute at an address, at most `dwords`; None if nothing is mapped. The words include what packets have written; where that is
    /// unknown, they are the last known values.
    pub fn find(&mut self, addr: u64, dwords: usize) -> Option<Found<'a>> {
        let addr = canonical(addr);
        let Some(range) = self.range(addr) else { return self.find_in_source(addr, dwords) };
        let (buffer, dword) = (range.buffer, ((addr - range.start) / 4) as usize);
        let length = dwords.min(((range.end() - addr) / 4) as usize);
        let end = addr + 4 * length as u64;
        let written = self.pages.any(addr / 256..=end.saturating_sub(1) / 256);
        let words = match range.words {
            Words::Borrowed(words) if !written => words.get(dword..dword.saturating_add(length)).map(Words::Borrowed),
            _ => None,
        };
        let words = words.unwrap_or_else(|| Words::Shared(self.copied(addr, length)));
        Some(Found { buffer, dword, words })
    }

    fn find_in_source(&mut self, addr: u64, dwords: usize) -> Option<Found<'a>> {
        let (buffer, words) = self.source.words(addr, dwords)?;
        self.work += words.len() as u64;
        let end = addr + 4 * words.len() as u64;
        let written = self.pages.any(addr / 256..=(end - 1) / 256);
        let words = if written { self.copied(addr, words.len()) } else { words };
        Some(Found { buffer, dword: 0, words: Words::Shared(words) })
    }

    /// Returns the current words, or the last known ones.
    fn copied(&mut self, addr: u64, length: usize) -> Arc<[u32]> {
        if let Some(words) = self.copies.get(addr, length, &mut self.work) {
            return words;
        }
        self.work += length as u64;
        let words: Arc<[u32]> = (0..length as u64).map(|i| self.last(addr + 4 * i)).collect();
        self.copies.insert(addr, &words);
        words
    }

    /// Returns what is known about the dword at an address.
    pub fn read(&self, addr: u64) -> Content {
        let addr = canonical(addr);
        let (page, bit) = (addr / 256, addr / 4 % 64);
        if let Some(page) = self.pages.get(page).filter(|page| page.written >> bit & 1 == 1) {
            let known = page.known >> bit & 1 == 1 && page.losses == self.losses;
            return if known { Content::Known(page.words[bit as usize]) } else { Content::Unknown };
        }
        match self.range(addr) {
            _ if self.full => Content::Unknown,
            Some(range) if range.losses < self.losses && !range.read_only => Content::Unknown,
            Some(range) => range.word(addr).map_or(Content::Unknown, Content::Known),
            None if self.losses > 0 => self.source_content(addr, None),
            None => self.source_content(addr, self.source.dword(addr)),
        }
    }

    fn source_content(&self, addr: u64, word: Option<u32>) -> Content {
        match word {
            Some(word) => Content::Known(word),
            None if self.source.mapped(addr, 4) > 0 => Content::Unknown,
            None => Content::Unmapped,
        }
    }

    /// Returns the last known value of the dword; 0 if it was never known.
    fn last(&self, addr: u64) -> u32 {
        let (page, bit) = (addr / 256, addr / 4 % 64);
        match self.pages.get(page).filter(|page| page.written >> bit & 1 == 1) {
            Some(page) => page.words[bit as usize],
            None => match self.range(addr) {
                Some(range) => range.word(addr).unwrap_or(0),
                None => self.source.dword(addr).unwrap_or(0),
            },
        }
    }

    /// Returns the dword at an address if it is known.
    pub fn known(&self, addr: u64) -> Option<u32> {
        if let Content::Known(value) = self.read(addr) { Some(value) } else { None }
    }

    /// Returns the packet that wrote the dword last.
    pub fn origin(&self, addr: u64) -> Option<Place> {
        let addr = canonical(addr);
        self.pages.get(addr / 256)?.origin((addr / 4 % 64) as usize)
    }

    /// Writes a dword; None means a value that the model does not know.
    pub fn write(&mut self, addr: u64, value: Option<u32>, origin: Option<Place>) -> Result<(), Fault> {
        let addr = canonical(addr);
        if self.guarded && self.range(addr).is_some_and(|range| range.read_only) {
            return Err(Fault::ReadOnly);
        }
        self.write_unguarded(addr, value, origin)
    }

    fn write_unguarded(&mut self, addr: u64, value: Option<u32>, origin: Option<Place>) -> Result<(), Fault> {
        self.writes += 1;
        let (key, index) = (addr / 256, (addr / 4 % 64) as usize);
        let (losses, word) = (self.losses, value.unwrap_or_else(|| self.last(addr)));
        let Some(page) = self.pages.get_or_make(key, losses, &mut self.room) else {
            self.full = true;
            return Err(Fault::NoRoom);
        };
        page.write(index, (word, value.is_some()), losses, origin);
        self.copies.update(addr, word);
        if let Some(log) = &mut self.log {
            log.push(MemoryWrite { place: origin, addr, value });
        }
        Ok(())
    }

    /// Writes dwords for the caller, a page at a time; returns false if there is not enough room for all of them.
    pub fn write_for_caller(&mut self, addr: u64, mut words: &[u32]) -> bool {
        let (mut addr, mut all) = (canonical(addr), true);
        while !words.is_empty() {
            let index = (addr / 4 % 64) as usize;
            let (row, rest) = words.split_at(words.len().min(64 - index));
            self.writes += row.len() as u64;
            match self.pages.get_or_make(addr / 256, self.losses, &mut self.room) {
                Some(page) => page.write_row(index, row, self.losses),
                None => (self.full, all) = (true, false),
            }
            let written = row.iter().zip((addr..).step_by(4));
            if !self.copies.is_empty() {
                written.clone().for_each(|(word, at)| self.copies.update(at, *word));
            }
            if let Some(log) = &mut self.log {
                log.extend(written.map(|(word, addr)| MemoryWrite { place: None, addr, value: Some(*word) }));
            }
            (addr, words) = (canonical(addr + 4 * row.len() as u64), rest);
        }
        all
    }

    /// Unmaps a buffer, together with what was written there, unless it is in another mapping.
    pub fn unmap(&mut self, buffer: BufferId) {
        let (gone, left): (Vec<_>, Vec<_>) = core::mem::take(&mut self.ranges).into_iter().partition(|range| range.buffer == buffer);
        self.ranges = left;
        self.sorted = false;
        self.sort_ranges();
        self.copies = MemoryCopies::default();
        self.writes += 1;
        let mut pages = core::mem::take(&mut self.pages);
        for range in gone.iter().filter(|range| range.bytes > 0) {
            pages.change(range.start / 256..=(range.end() - 1) / 256, |number, page| {
                for index in 0..64 {
                    let (addr, bit) = (number * 256 + 4 * index, 1u64 << index);
                    if page.written & bit != 0 && (range.start..range.end()).contains(&addr) && self.range(addr).is_none() {
                        page.discard(bit);
                    }
                }
            });
        }
        self.pages = pages;
    }

    /// Turns the log of writes on or off.
    pub fn set_logging(&mut self, on: bool) {
        self.log = on.then(Vec::new);
    }

    /// Returns the writes since the last call.
    pub fn take_log(&mut self) -> Vec<MemoryWrite> {
        self.log.as_mut().map(core::mem::take).unwrap_or_default()
    }

    /// Records that a writer outside the stream will write these bytes.
    pub fn expect(&mut self, addr: u64, bytes: u64, by: &'a str) {
        let start = canonical(addr);
        self.expected.push((start, start.saturating_add(bytes), by));
    }

    /// Returns the writer outside the stream that will write the dword, if any.
    pub fn expected(&self, addr: u64) -> Option<&'a str> {
        let addr = canonical(addr);
        self.expected.iter().find(|(start, end, _)| (*start..*end).contains(&addr)).map(|(_, _, by)| *by).or_else(|| self.source.writer(addr))
    }

    /// Forgets what was written in a range of memory that is not mapped: its contents are unknown again.
    fn forget(&mut self, addr: u64, bytes: u64) {
        let (addr, end) = (canonical(addr), (addr & ADDRESS_BITS).saturating_add(bytes));
        self.writes += 1;
        self.pages.change(addr / 256..=end.saturating_sub(1) / 256, |number, page| {
            self.work += 1;
            page.known &= !covered(number, addr, end);
        });
    }

    /// Records that a packet may have written anything there: known contents, mapped or written, become unknown. Unmapped memory of the application stays
    /// unmapped.
    pub fn lose(&mut self, addr: u64, bytes: u64) {
        self.forget(addr, bytes);
        let (mut at, end) = (canonical(addr), (addr & ADDRESS_BITS).saturating_add(bytes));
        while at < end {
            let range = self.range(at).map_or(0, |range| range.end() - at);
            let there = if range > 0 { range } else { self.source.mapped(at, end - at) };
            if there == 0 {
                // The next mapping, if one begins below the end; mappings of a source begin at a page.
                let next = self.ranges.get(self.ranges.partition_point(|r| r.start <= at)).map_or(end, |r| r.start);
                at = if self.source.is_some() { next.min((at / SOURCE_PAGE + 1) * SOURCE_PAGE) } else { next };
                self.work += 1;
                continue;
            }
            let stop = (at + there).min(end);
            self.work += (stop - at) / 4;
            while at < stop && self.write(at, None, None) != Err(Fault::NoRoom) {
                at += 4;
            }
            if self.full {
                return;
            }
        }
    }

    /// Records a write of a packet that may not have run. For a long write, and for very many writes, only the first dwords are kept.
    pub fn note_perhaps_written(&mut self, addr: u64, bytes: u64) {
        const LONGEST: u64 = 64;
        const MOST: usize = 1 << 16;
        if self.perhaps_written.len() < MOST {
            self.perhaps_written.extend((0..bytes.min(LONGEST)).step_by(4).map(|at| canonical(addr.wrapping_add(at))));
        }
    }

    /// Returns how often all memory was lost.
    pub fn losses(&self) -> u64 {
        self.losses
    }

    /// Records that a packet may have written anywhere: everything that packets can write becomes unknown. Unmapped memory of the application stays unmapped.
    pub fn lose_all(&mut self) {
        self.losses += 1;
        self.writes += 1;
    }

    /// Returns how many bytes from an address on are mapped without a gap, at most `bytes`.
    pub fn mapped(&self, addr: u64, bytes: u64) -> u64 {
        let start = canonical(addr);
        let mut at = start;
        while at - start < bytes {
            let end = self.range(at).map_or_else(|| at + self.source.mapped(at, bytes - (at - start)), Range::end);
            if end == at {
                break;
            }
            at = end;
        }
        (at - start).min(bytes)
    }
}

/// Returns the dwords of a page that are in a range of bytes, as a bit mask; the last one may be in it in part.
fn covered(number: u64, addr: u64, end: u64) -> u64 {
    let start = number * 256;
    let (first, last) = (addr.max(start) - start, end.min(start + 256).saturating_sub(start));
    let (first, last) = ((first / 4) as u32, last.div_ceil(4) as u32);
    if last > first { u64::MAX >> (64 - (last - first)) << first } else { 0 }
}

/// Returns a 48-bit address, dword aligned.
pub(in crate::cp) fn address(lo: u32, hi: u32) -> u64 {
    canonical(u64::from(hi) << 32 | u64::from(lo))
}

/// A written dword of memory.
///
/// For an example see [`MemoryRead`](crate::cp::MemoryRead).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryWrite {
    /// The packet that requested the write; None for the caller.
    pub place: Option<Place>,
    /// GPU address, low 48 bits.
    pub addr: u64,
    /// The new value; None if the model does not know it.
    pub value: Option<u32>,
}
