//! A table of bounded size, indexed by two numbers.

use alloc::vec::Vec;

/// Slots where an entry may be, starting with that of its hash.
const WINDOW: usize = 8;
/// Initial number of slots.
const FIRST: usize = 64;
/// If the table is full, only one in this number of new entries replaces another one. When more entries are used in turn than there is room for, some of them
/// then stay until their next use; otherwise each would be evicted before its next use.
const TURNS: usize = 8;

/// A slot: the hash of its entry, so that most comparisons end without reading the entry.
#[derive(Debug, Clone)]
struct Place<T> {
    hash: usize,
    entry: Option<T>,
}

/// A table of at most `MOST` entries. It doubles if there is no slot for a new entry.
#[derive(Debug, Clone)]
pub(super) struct Table<T, const MOST: usize> {
    /// A power of two, and a window beyond; none before the first entry.
    places: Vec<Place<T>>,
    /// Number of used slots.
    len: usize,
    /// Number of new entries that would replace another one.
    crowded: usize,
}

impl<T, const MOST: usize> Default for Table<T, MOST> {
    fn default() -> Self {
        Self { places: Vec::new(), len: 0, crowded: 0 }
    }
}

/// Two numbers, mixed. Objects are numbered one after the other, so both count in all bits that choose a place.
#[inline]
pub(super) const fn hash(a: usize, b: usize) -> usize {
    let mixed = (a.wrapping_mul(31) ^ b).wrapping_mul(0x9E37_79B9);
    mixed ^ mixed >> 15
}

impl<T, const MOST: usize> Table<T, MOST> {
    /// Returns the first place of a hash.
    #[inline]
    fn home(&self, hash: usize) -> usize {
        hash & self.places.len().wrapping_sub(WINDOW).wrapping_sub(1)
    }

    /// Returns the entry with this hash for which `is` holds.
    #[inline]
    pub fn find(&self, hash: usize, is: impl Fn(&T) -> bool) -> Option<&T> {
        let window = self.places.get(self.home(hash)..)?.first_chunk::<WINDOW>()?;
        window.iter().filter(|place| place.hash == hash).find_map(|place| place.entry.as_ref().filter(|entry| is(entry)))
    }

    /// Returns whether a new entry of this hash may be kept; there is a place for it then.
    pub fn admits(&mut self, hash: usize) -> bool {
        while self.free(hash).is_none() && self.grow() {}
        let free = self.len < MOST && self.free(hash).is_some();
        self.crowded = self.crowded.wrapping_add(usize::from(!free));
        free || self.crowded.is_multiple_of(TURNS)
    }

    /// Stores an entry that is [admitted](Self::admits); replaces another one if there are too many.
    pub fn keep(&mut self, hash: usize, entry: T) {
        let (home, turn) = (self.home(hash), self.crowded / TURNS);
        let taken = |at: &usize| self.places.get(*at).is_some_and(|place| place.entry.is_some());
        let other = || (0..WINDOW).map(|at| home + (turn + at) % WINDOW).find(taken);
        let at = self.free(hash).filter(|_| self.len < MOST).or_else(other).unwrap_or(home);
        if let Some(place) = self.places.get_mut(at) {
            self.len += usize::from(place.entry.is_none());
            *place = Place { hash, entry: Some(entry) };
        }
    }

    /// Returns a place of the window that is free.
    fn free(&self, hash: usize) -> Option<usize> {
        let home = self.home(hash);
        let window = self.places.get(home..home.checked_add(WINDOW)?)?;
        window.iter().position(|place| place.entry.is_none()).map(|at| home + at)
    }

    /// Twice as many places: whether there may be more.
    #[cold]
    fn grow(&mut self) -> bool {
        // With twice the places of entries, windows are hardly ever full.
        let most = 2 * MOST.next_power_of_two().max(FIRST);
        let size = match self.places.len() {
            0 => FIRST,
            places => 2 * (places - WINDOW),
        };
        if size > most {
            return false;
        }
        let places = core::mem::take(&mut self.places);
        self.len = 0;
        self.places.resize_with(size + WINDOW, || Place { hash: 0, entry: None });
        for Place { hash, entry } in places {
            // Each finds a slot, because two windows were in one before. The last entry of a full window may not; it is dropped and created again.
            if let (Some(entry), Some(at)) = (entry, self.free(hash))
                && let Some(place) = self.places.get_mut(at)
            {
                *place = Place { hash, entry: Some(entry) };
                self.len += 1;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks a number up as the caches do: whether it was there.
    fn ask<const MOST: usize>(table: &mut Table<usize, MOST>, number: usize) -> bool {
        let hash = hash(number, number + 1);
        let found = table.find(hash, |entry| *entry == number).is_some();
        if !found && table.admits(hash) {
            table.keep(hash, number);
        }
        found
    }

    /// Entries used in turn are found again, as far as there is room for them, and current entries replace those used long ago.
    #[test]
    fn what_is_used_in_turn_is_kept_as_far_as_there_is_room() {
        let found = |table: &mut Table<usize, 1024>, from: usize, count: usize| (from..from + count).filter(|number| ask(table, *number)).count();
        for count in [1, 10, 60, 200, 500] {
            let mut table = Table::<usize, 1024>::default();
            assert_eq!(found(&mut table, 0, count), 0);
            assert!(found(&mut table, 0, count) * 50 >= count * 49, "{count}");
            let kept = found(&mut table, 0, count);
            assert!(kept * 50 >= count * 49, "{kept} of {count}");
        }
        let mut table = Table::<usize, 1024>::default();
        let kept = (0..5).map(|_| found(&mut table, 0, 4000)).last().unwrap_or_default();
        assert!(kept > 500, "{kept} of 4000 where there is room for 1024");
        let entries = table.places.iter().filter(|place| place.entry.is_some()).count();
        assert!(entries == table.len && entries <= 1024 + WINDOW, "{entries}");
        let kept = (0..65).map(|_| found(&mut table, 10_000, 300)).last().unwrap_or_default();
        assert!(kept >= 270, "{kept} of 300 that are used now");
    }
}
