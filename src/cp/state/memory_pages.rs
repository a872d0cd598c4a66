//! Written dwords, in pages of 64.

use crate::cp::state::place::Place;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

/// Pages by number, which is address / 256. The last page written is found without a search, because packets write consecutive dwords. Snapshots share
/// pages until one of them writes.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct MemoryPages {
    /// The index in `pages` of each page number.
    places: BTreeMap<u64, usize>,
    pages: Vec<Arc<Page>>,
    /// Number and index of the last page written.
    last: Option<(u64, usize)>,
}

#[derive(Debug, Clone)]
pub(in crate::cp) struct Page {
    pub words: [u32; 64],
    pub written: u64,
    pub known: u64,
    /// The number of losses of all memory at the last write to the page. If more have happened since, nothing in the page is known.
    pub losses: u64,
    /// The dwords that a packet wrote, as a bit mask.
    pub by_packets: u64,
    /// The packets that wrote them; None if no packet has written to the page.
    origins: Option<Box<[Place; DWORDS]>>,
}

/// Dwords of a page.
const DWORDS: usize = 64;

/// The size of a page that packets have written, including its entry in the map.
pub(in crate::cp) const PAGE_BYTES: usize = size_of::<Page>() + size_of::<[Place; DWORDS]>() + 48;

impl Page {
    fn new(losses: u64) -> Self {
        Self { words: [0; DWORDS], written: 0, known: 0, losses, by_packets: 0, origins: None }
    }

    pub fn write(&mut self, index: usize, (word, known): (u32, bool), losses: u64, origin: Option<Place>) {
        let bit = self.mark(index, 1, losses);
        self.words[index] = word;
        if !known {
            self.known &= !bit;
        }
        if let Some(origin) = origin {
            self.by_packets |= bit;
            self.origins.get_or_insert_with(|| Box::new([Place::default(); DWORDS]))[index] = origin;
        }
    }

    /// Writes known dwords in a row that no packet writes. They must fit into the page.
    pub fn write_row(&mut self, index: usize, words: &[u32], losses: u64) {
        self.mark(index, words.len(), losses);
        self.words[index..index + words.len()].copy_from_slice(words);
    }

    /// Marks dwords as written with known values, not by a packet; returns their bits.
    fn mark(&mut self, index: usize, dwords: usize, losses: u64) -> u64 {
        if self.losses < losses {
            (self.losses, self.known) = (losses, 0);
        }
        let bits = u64::MAX >> (DWORDS - dwords) << index;
        (self.written, self.known, self.by_packets) = (self.written | bits, self.known | bits, self.by_packets & !bits);
        bits
    }

    /// Forgets that the dwords with these bits were written.
    pub fn discard(&mut self, bits: u64) {
        (self.written, self.known, self.by_packets) = (self.written & !bits, self.known & !bits, self.by_packets & !bits);
    }

    /// Returns the packet that wrote a dword last; None if no packet did.
    pub fn origin(&self, index: usize) -> Option<Place> {
        if self.by_packets >> index & 1 == 0 { None } else { self.origins.as_ref().map(|origins| origins[index]) }
    }
}

impl MemoryPages {
    fn place(&self, number: u64) -> Option<usize> {
        match self.last {
            Some((last, place)) if last == number => Some(place),
            _ => self.places.get(&number).copied(),
        }
    }

    pub fn get(&self, number: u64) -> Option<&Page> {
        self.pages.get(self.place(number)?).map(Arc::as_ref)
    }

    /// Returns the page with this number, which is created if there is room for one more.
    pub fn get_or_make(&mut self, number: u64, losses: u64, room: &mut usize) -> Option<&mut Page> {
        let place = match self.place(number) {
            Some(place) => place,
            None => {
                *room = room.checked_sub(1)?;
                self.pages.push(Arc::new(Page::new(losses)));
                self.places.insert(number, self.pages.len() - 1);
                self.pages.len() - 1
            }
        };
        self.last = Some((number, place));
        self.pages.get_mut(place).map(Arc::make_mut)
    }

    pub fn any(&self, numbers: RangeInclusive<u64>) -> bool {
        self.places.range(numbers).next().is_some()
    }

    /// Changes the pages of these numbers.
    pub fn change(&mut self, numbers: RangeInclusive<u64>, mut change: impl FnMut(u64, &mut Page)) {
        for (number, place) in self.places.range(numbers) {
            if let Some(page) = self.pages.get_mut(*place) {
                change(*number, Arc::make_mut(page));
            }
        }
    }
}
