//! Ranges of numbers with one answer, whose ends are exact where two numbers that were tried have different answers.
#![allow(dead_code)] // each suite uses its part

use std::collections::BTreeMap;

/// Numbers with one answer, and what comes of the first and the last of them.
pub struct Range<A> {
    pub first: u64,
    pub last: u64,
    pub begin: A,
    pub end: A,
}

/// What is tried first: 0 to 7, powers of two, their neighbours, and a few between.
pub fn tried(most: u64) -> impl Iterator<Item = u64> {
    let powers = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    powers.chain([6, 12, 24, 48, 96, 192, 3 << 20, most]).filter(move |number| *number <= most)
}

/// The ranges of what is known. Between two numbers with different answers the number is looked for at which the answer changes. `answer` says what of an outcome
/// is the answer.
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
