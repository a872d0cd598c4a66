//! Ranges of numbers with the same answer; their ends are exact wherever two tried numbers have different answers.
#![allow(dead_code)] // each suite uses its part

use std::collections::BTreeMap;

/// Numbers with one answer, and the outcomes of the first and the last.
pub struct Range<A> {
    pub first: u64,
    pub last: u64,
    pub begin: A,
    pub end: A,
}

/// Returns the numbers to try first: 0 to 7, powers of two and their neighbours, and a few between.
pub fn tried(most: u64) -> impl Iterator<Item = u64> {
    let powers = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    powers.chain([6, 12, 24, 48, 96, 192, 3 << 20, most]).filter(move |number| *number <= most)
}

/// Returns the ranges for the known outcomes. Searches for the number at which the answer changes between two numbers with different answers. `answer` extracts
/// the answer from an outcome.
pub fn ranges<A: Clone, K: PartialEq>(mut known: BTreeMap<u64, A>, outcome: impl Fn(u64) -> A, answer: impl Fn(&A) -> K) -> Vec<Range<A>> {
    let borders: Vec<(u64, u64)> = known.keys().copied().zip(known.keys().copied().skip(1)).collect();
    for (mut low, mut high) in borders {
        let (at_low, at_high) = (answer(&known[&low]), answer(&known[&high]));
        while high - low > 1 && at_low != at_high {
            let middle = low + (high - low) / 2;
            let found = outcome(middle);
            *(if answer(&found) == at_low { &mut low } else { &mut high }) = middle;
            known.insert(middle, found);
        }
    }
    let mut ranges: Vec<Range<A>> = Vec::new();
    for (number, found) in known {
        match ranges.last_mut().filter(|range| answer(&range.end) == answer(&found)) {
            Some(range) => (range.last, range.end) = (number, found),
            None => ranges.push(Range { first: number, last: number, begin: found.clone(), end: found }),
        }
    }
    ranges
}
