//! A packer: numbers waves and records which quads they cover and which waves have left their ordered sections.

use super::coverage::{SCREEN, Shape};
use alloc::vec;
use alloc::vec::Vec;

/// Maximum number of live waves per packer: ids are compared with 10 bits, and MAX_COLLISION_WAVE_ID defaults to 0x200 (PAL 04/2025).
pub(super) const MOST_LIVE: u32 = 512;

/// Number of waves that a place remembers. A place that would forget a live wave stalls the packer instead.
pub(super) const DEPTH: usize = 4;

/// A set of recent wave numbers.
#[derive(Debug, Clone)]
pub(super) struct Recent {
    bits: [u64; 16],
    /// The lowest number that is not in the set.
    pub first_out: u32,
}

impl Recent {
    fn new() -> Self {
        Self { bits: [0; 16], first_out: 0 }
    }

    fn bit(number: u32) -> (usize, u64) {
        ((number >> 6 & 15) as usize, 1 << (number & 63))
    }

    pub fn contains(&self, number: u32) -> bool {
        let (word, bit) = Self::bit(number);
        number < self.first_out || self.bits[word] & bit != 0
    }

    /// Adds a number; returns whether the lowest missing number changed.
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = Self::bit(number);
        self.bits[word] |= bit;
        let before = self.first_out;
        loop {
            let (word, bit) = Self::bit(self.first_out);
            if self.bits[word] & bit == 0 {
                return self.first_out != before;
            }
            self.bits[word] &= !bit;
            self.first_out += 1;
        }
    }
}

/// A quad of pixels as one wave covers it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    /// Number of the wave, plus 1; 0 for none.
    pub wave: u32,
    pub quad: u8,
    pub read: bool,
    pub write: bool,
    pub hardware: u32,
    pub promised: u32,
}

/// The waves that last covered a quad of pixels, in a ring. It fits one cache line, because a run spends most of its time here.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Place {
    pub entries: [Entry; DEPTH],
}

impl Place {
    /// Returns the entries from the newest to the oldest, given that the next one goes to position `next`.
    pub fn newest_first(&self, next: u8) -> impl Iterator<Item = &Entry> {
        (1..=DEPTH).map(move |back| &self.entries[(usize::from(next) + DEPTH - back) % DEPTH]).take_while(|e| e.wave != 0)
    }

    /// Returns the entry that the next one replaces.
    pub fn oldest(&self, next: u8) -> &Entry {
        &self.entries[usize::from(next) % DEPTH]
    }
}

/// The position of a packer in the primitive that it packs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Feed {
    pub shape: usize,
    pub quad: usize,
    pub x: u8,
    pub y: u8,
}

#[derive(Debug)]
pub(super) struct Packer {
    /// Number of the wave that is being packed.
    pub next: u32,
    /// Waves that left their ordered sections, or never entered one and ended.
    pub done: Recent,
    /// Waves that ended, with all their accesses complete.
    pub finished: Recent,
    pub places: Vec<Place>,
    /// Where the next entry of each place goes.
    pub next_entry: Vec<u8>,
    pub feed: Feed,
    /// Slot of the wave that is being packed.
    pub open: Option<usize>,
    /// Whether the wave being packed accepts no more quads.
    pub closed: bool,
    /// Slots of the waves that wait on this packer.
    pub sleepers: Vec<usize>,
    /// Number of live waves, and its current limit.
    pub live: usize,
    pub cap: usize,
}

impl Packer {
    pub fn new(cap: usize) -> Self {
        Self {
            next: 0,
            done: Recent::new(),
            finished: Recent::new(),
            places: vec![Place::default(); SCREEN * SCREEN],
            next_entry: vec![0; SCREEN * SCREEN],
            feed: Feed { shape: usize::MAX, ..Feed::default() },
            open: None,
            closed: false,
            sleepers: Vec::new(),
            live: 0,
            cap,
        }
    }

    /// Returns the place of a quad of pixels; the screen wraps around.
    pub fn place(feed: &Feed, x: u8, y: u8) -> usize {
        let (x, y) = (usize::from(feed.x + x) % SCREEN, usize::from(feed.y + y) % SCREEN);
        y * SCREEN + x
    }

    /// Adds an entry to a place; returns its position.
    pub fn push(&mut self, place: usize, entry: Entry) -> u8 {
        let at = self.next_entry[place] % DEPTH as u8;
        self.places[place].entries[usize::from(at)] = entry;
        self.next_entry[place] = (at + 1) % DEPTH as u8;
        at
    }

    /// Returns whether the shape that is being packed has quads left.
    pub fn in_shape(&self, shapes: &[Shape]) -> bool {
        shapes.get(self.feed.shape).is_some_and(|shape| self.feed.quad < shape.len())
    }
}
