//! Register values that are known, one for each slot. What a slot stands for is up to the owner: a dword of a register window, or a typed register of a
//! generation.

use alloc::boxed::Box;
use core::ops::Range;

/// Slots of a word of a set.
const WORD: usize = u64::BITS as usize;

/// A set of slots, 64 in each of its words. Slots beyond them are in no set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SlotSet<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> SlotSet<WORDS> {
    /// The empty set.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Returns the slots whose bits are set.
    pub const fn of_words(words: [u64; WORDS]) -> Self {
        Self(words)
    }

    /// `count` slots, starting at `first`.
    pub fn run(first: usize, count: usize) -> Self {
        let mut slots = Self::EMPTY;
        slots.insert_run(first, count);
        slots
    }

    /// Adds a slot.
    #[inline]
    pub const fn insert(&mut self, slot: usize) {
        if slot / WORD < WORDS {
            self.0[slot / WORD] |= 1 << (slot % WORD);
        }
    }

    /// Removes a slot.
    #[inline]
    pub fn remove(&mut self, slot: usize) {
        if let Some(word) = self.0.get_mut(slot / WORD) {
            *word &= !(1 << (slot % WORD));
        }
    }

    /// Returns whether a slot is in the set.
    #[inline]
    pub fn contains(&self, slot: usize) -> bool {
        self.0.get(slot / WORD).is_some_and(|word| word >> (slot % WORD) & 1 == 1)
    }

    /// Returns the first slot of the set at `from` or after it.
    #[inline]
    pub fn next(&self, from: usize) -> Option<usize> {
        let first = self.0.get(from / WORD)? >> (from % WORD);
        if first != 0 {
            return Some(from + first.trailing_zeros() as usize);
        }
        let (at, word) = self.0.iter().enumerate().skip(from / WORD + 1).find(|(_, word)| **word != 0)?;
        Some(WORD * at + word.trailing_zeros() as usize)
    }

    /// Adds `count` slots, starting at `first`.
    #[inline]
    pub fn insert_run(&mut self, first: usize, count: usize) {
        let mut slots = first..first + count;
        while let Some((word, bits, rest)) = part(slots) {
            if let Some(word) = self.0.get_mut(word) {
                *word |= bits;
            }
            slots = rest;
        }
    }

    /// Removes `count` slots, starting at `first`.
    #[inline]
    pub fn remove_run(&mut self, first: usize, count: usize) {
        let mut slots = first..first + count;
        while let Some((word, bits, rest)) = part(slots) {
            if let Some(word) = self.0.get_mut(word) {
                *word &= !bits;
            }
            slots = rest;
        }
    }

    /// Returns whether `count` slots are in the set, starting at `first`.
    #[inline]
    pub fn contains_run(&self, first: usize, count: usize) -> bool {
        let mut slots = first..first + count;
        while let Some((word, bits, rest)) = part(slots) {
            if self.0.get(word).is_none_or(|word| word & bits != bits) {
                return false;
            }
            slots = rest;
        }
        true
    }

    /// Removes the slots of these words.
    pub fn clear_words(&mut self, words: Range<usize>) {
        self.0.get_mut(words).unwrap_or_default().fill(0);
    }

    /// Returns the slots in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        core::iter::successors(self.next(0), |slot| self.next(slot + 1))
    }

    /// Returns the slots of both sets.
    pub fn and(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    /// Returns the slots of either set.
    pub fn or(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// Returns the slots that the other set lacks.
    pub fn without(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// Returns the number of slots.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether no slot is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

/// Returns the first of `slots` that are in one word: the word, their bits there, and the slots after them. None if there are no slots.
#[inline]
fn part(slots: Range<usize>) -> Option<(usize, u64, Range<usize>)> {
    let Range { start, end } = slots;
    let stop = end.min((start | (WORD - 1)) + 1);
    (start < end).then(|| (start / WORD, u64::MAX >> (WORD - (stop - start)) << (start % WORD), stop..end))
}

/// Known register values, one per slot: as many as a set of this number of words has.
#[derive(Debug, Clone)]
pub(crate) struct KnownValues<const SLOTS: usize, const WORDS: usize> {
    /// The values; those of unknown slots are stale.
    values: Box<[u32; SLOTS]>,
    known: SlotSet<WORDS>,
}

impl<const SLOTS: usize, const WORDS: usize> KnownValues<SLOTS, WORDS> {
    /// Creates a record in which no value is known.
    pub fn new() -> Self {
        const { assert!(SLOTS == WORD * WORDS, "every slot has a bit") };
        Self { values: Box::new([0; SLOTS]), known: SlotSet::EMPTY }
    }

    /// Returns the value in a slot, if it is known.
    #[inline]
    pub fn get(&self, slot: usize) -> Option<u32> {
        self.values.get(slot).copied().filter(|_| self.known.contains(slot))
    }

    /// Records the value that a register now holds.
    #[inline]
    pub fn set(&mut self, slot: usize, value: u32) {
        if let Some(place) = self.values.get_mut(slot) {
            *place = value;
            self.known.insert(slot);
        }
    }

    /// Records the values that consecutive registers now hold.
    #[inline]
    pub fn set_run(&mut self, first: usize, values: &[u32]) {
        if let Some(places) = self.values.get_mut(first..first + values.len()) {
            places.copy_from_slice(values);
            self.known.insert_run(first, values.len());
        }
    }

    /// Returns whether consecutive registers are known to hold these values.
    #[inline]
    pub fn hold(&self, first: usize, values: &[u32]) -> bool {
        self.values.get(first..first + values.len()) == Some(values) && self.known.contains_run(first, values.len())
    }

    /// Records a new value of a register whose value is known.
    #[inline]
    pub fn replace(&mut self, slot: usize, value: u32) {
        debug_assert!(self.known.contains(slot), "a value that is replaced was not known");
        if let Some(place) = self.values.get_mut(slot) {
            *place = value;
        }
    }

    /// Returns the places of all values, whether they are known or not.
    #[inline]
    pub fn places(&mut self) -> &mut [u32; SLOTS] {
        &mut self.values
    }

    /// Records that the registers of these slots now hold the values of a complete list.
    pub fn set_all(&mut self, slots: &SlotSet<WORDS>, values: &[u32]) {
        let words = slots.0.iter().zip(self.values.as_chunks_mut::<WORD>().0.iter_mut().zip(values.as_chunks::<WORD>().0));
        for (word, (places, values)) in words {
            let mut left = *word;
            while left != 0 {
                let at = left.trailing_zeros() as usize;
                places[at] = values[at];
                left &= left - 1;
            }
        }
        self.known = self.known.or(slots);
    }

    /// Forgets the value of a register.
    #[inline]
    pub fn forget(&mut self, slot: usize) {
        self.known.remove(slot);
    }

    /// Forgets the values of `count` registers, starting at `first`.
    #[inline]
    pub fn forget_run(&mut self, first: usize, count: usize) {
        self.known.remove_run(first, count);
    }

    /// Forgets the values of the registers of these slots.
    pub fn forget_slots(&mut self, slots: &SlotSet<WORDS>) {
        self.known = self.known.without(slots);
    }

    /// Forgets the values of the registers of these words of slots.
    pub fn forget_words(&mut self, words: Range<usize>) {
        self.known.clear_words(words);
    }

    /// Forgets all values.
    pub fn forget_all(&mut self) {
        self.known = SlotSet::EMPTY;
    }

    /// Returns the slots that do not hold their value in a complete list, or are not known to hold it.
    pub fn differing(&self, slots: &SlotSet<WORDS>, values: &[[u32; WORD]]) -> SlotSet<WORDS> {
        let mut differing = SlotSet::EMPTY;
        let words = differing.0.iter_mut().zip(&slots.0).zip(&self.known.0);
        for (((word, slots), known), (ours, theirs)) in words.zip(self.values.as_chunks().0.iter().zip(values)) {
            if *slots != 0 {
                *word = slots & (!known | unequal(ours, theirs));
            }
        }
        differing
    }

    /// Copies another record, without an allocation.
    pub fn copy_from(&mut self, other: &Self) {
        *self.values = *other.values;
        self.known = other.known;
    }
}

/// One bit per value: whether they differ. In parts that compilers turn into instructions over several values.
fn unequal(ours: &[u32; WORD], theirs: &[u32; WORD]) -> u64 {
    const TOGETHER: usize = 16;
    let (ours, theirs) = (ours.as_chunks::<TOGETHER>().0, theirs.as_chunks::<TOGETHER>().0);
    let parts = ours.iter().zip(theirs).map(|(ours, theirs)| {
        let mut bits = 0u32;
        for at in 0..TOGETHER {
            bits |= u32::from(ours[at] != theirs[at]) << at;
        }
        u64::from(bits)
    });
    parts.rev().fold(0, |bits, part| bits << TOGETHER | part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_values_are_found_one_by_one() {
        let ours = core::array::from_fn(|slot| slot as u32);
        for slot in 0..64 {
            let mut theirs = ours;
            theirs[slot] += 1;
            theirs[(slot + 21) % 64] += 1;
            assert_eq!(unequal(&ours, &theirs), 1 << slot | 1 << ((slot + 21) % 64));
        }
        assert_eq!(unequal(&ours, &ours), 0);
    }

    #[test]
    fn runs_of_slots_are_their_slots() {
        for (slot, count) in (0..200).flat_map(|slot| (0..=150).map(move |count| (slot, count))) {
            let run = slot..slot + count;
            let mut slots = SlotSet::<8>::run(slot, count);
            assert!(slots.iter().eq(run.clone()), "{count} from {slot}");
            assert!(slots.contains_run(slot, count) && !slots.contains_run(slot, count + 1), "{count} from {slot}");
            assert!(count == 0 || !slots.contains_run(slot + 1, count), "{count} from {slot}");
            slots.insert_run(0, 400);
            slots.remove_run(slot, count);
            assert!(slots.iter().eq((0..400).filter(|slot| !run.contains(slot))), "{count} from {slot}");
        }
    }
}
