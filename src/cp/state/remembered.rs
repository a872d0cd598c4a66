//! Results derived from registers, for reuse when the registers hold the same values again: streams switch between a few pipelines thousands of times.
//!
//! A result that depends only on registers stays the same as long as the registers that were read have the same values: the same registers would be read again,
//! in the same order.

use crate::cp::state::registers::{Held, RegisterFile};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Number of results that are kept per item; a new one replaces the oldest.
const KEPT: usize = 8;

/// The contents of registers when a result was derived.
#[derive(Debug, Clone)]
struct Trace(Box<[Held]>);

/// The last results of one item.
#[derive(Debug, Clone)]
pub(in crate::cp) struct Remembered<T> {
    results: Vec<(Trace, T)>,
    next: usize,
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self { results: Vec::new(), next: 0 }
    }
}

impl<T: Copy> Remembered<T> {
    /// Returns the result for the current contents of the registers, if known.
    #[inline]
    pub fn find(&self, registers: &RegisterFile) -> Option<T> {
        self.results.iter().find(|(Trace(held), _)| held.iter().all(|held| registers.still_holds(held))).map(|(_, result)| *result)
    }

    /// Keeps a result that depends on these registers, by byte address.
    pub fn keep(&mut self, registers: &RegisterFile, addrs: impl Iterator<Item = u32>, result: T) {
        let mut held: Vec<Held> = addrs.filter_map(|addr| registers.held(addr)).collect();
        // Registers that change often are likely to be read first, so the order is kept.
        let mut count = 0;
        for at in 0..held.len() {
            if !held[..count].contains(&held[at]) {
                held.swap(count, at);
                count += 1;
            }
        }
        held.truncate(count);
        let entry = (Trace(held.into_boxed_slice()), result);
        match self.results.get_mut(self.next) {
            Some(oldest) => *oldest = entry,
            None => self.results.push(entry),
        }
        self.next = (self.next + 1) % KEPT;
    }
}

/// The register contents for which each rule on draws has found nothing, by the rule's index in the list of the model.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct CleanRules(Vec<Remembered<()>>);

impl CleanRules {
    /// Returns whether a rule has already found nothing for the current contents of the registers.
    #[inline]
    pub fn has(&self, rule: usize, registers: &RegisterFile) -> bool {
        self.0.get(rule).is_some_and(|rule| rule.find(registers).is_some())
    }

    /// Records that a rule has read only these registers and has found nothing.
    pub fn keep(&mut self, rule: usize, registers: &RegisterFile, addrs: impl Iterator<Item = u32>) {
        if self.0.len() <= rule {
            self.0.resize_with(rule + 1, Remembered::default);
        }
        if let Some(rule) = self.0.get_mut(rule) {
            rule.keep(registers, addrs, ());
        }
    }
}
