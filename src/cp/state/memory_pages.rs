//! Written dwords, in pages of 64.

use crate::cp::state::place::Place;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

/// Pages by number, which is address / 256. The last page written is found without a search, because packets write consecutive dwords.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct MemoryPages {
    /// The index in `pages` of each page number.
    places: BTreeMap<u64, usize>,
    #[allow(clippy::vec_box)] // a list that grows would copy all pages, and hold twice their memory
    pages: Vec<Box<Page>>,
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
    pub origins: [Place; 64],
}

/// The size of a page, including its entry in the map.
pub(in crate::cp) const PAGE_BYTES: usize = size_of::<Page>() + 48;

impl Page {
    fn new(losses: u64) -> Box<Self> {
        Box::new(Self { words: [0; 64], written: 0, known: 0, losses, by_packets: 0, origins: [Place::default(); 64] })
    }

    pub fn write(&mut self, index: usize, (word, known): (u32, bool), losses: u64, origin: Option<Place>) {
        if self.losses < losses {
            (self.losses, self.known) = (losses, 0);
        }
        let bit = 1 << index;
        self.written |= bit;
        self.known = self.known & !bit | if known { bit } else { 0 };
        self.by_packets = self.by_packets & !bit | if origin.is_some() { bit } else { 0 };
        self.words[index] = word;
        self.origins[index] = origin.unwrap_or_default();
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
        self.pages.get(self.place(number)?).map(|page| &**page)
    }

    /// Returns the page with this number, which is created if there is room for one more.
    pub fn get_or_make(&mut self, number: u64, losses: u64, room: &mut usize) -> Option<&mut Page> {
        let place = match self.place(number) {
            Some(place) => place,
            None => {
                *room = room.checked_sub(1)?;
                self.pages.push(Page::new(losses));
                self.places.insert(number, self.pages.len() - 1);
                self.pages.len() - 1
            }
        };
        self.last = Some((number, place));
        self.pages.get_mut(place).map(|page| &mut **page)
    }

    pub fn any(&self, numbers: RangeInclusive<u64>) -> bool {
        self.places.range(numbers).next().is_some()
    }

    /// Changes the pages of these numbers.
    pub fn change(&mut self, numbers: RangeInclusive<u64>, mut change: impl FnMut(u64, &mut Page)) {
        for (number, place) in self.places.range(numbers) {
            if let Some(page) = self.pages.get_mut(*place) {
                change(*number, page);
            }
        }
    }
}
