//! The registers that the rules on draws have read: a rule is judged again only when one of its registers has changed.
//!
//! A rule that read only these registers gives the same result as long as their values do not change. Other reads (the packet, what preceded it) are not
//! tracked: a rule with such reads is judged at each draw, and so is a rule that has reported a finding.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};

/// A set of rules on draws and dispatches, by their index in the list of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::cp) struct RuleSet(u128);

impl RuleSet {
    /// Number of rules that a set can hold; further rules are judged at each draw.
    pub const ROOM: usize = 127;
    /// The bit after the rules, for what a queue keeps about a draw, which depends on registers as rules do.
    pub const DRAW_STATE: Self = Self(1 << Self::ROOM);
    const ALL: Self = Self(u128::MAX);

    pub fn of(place: usize) -> Self {
        Self(if place < Self::ROOM { 1 << place } else { 0 })
    }

    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the places, in order.
    pub fn places(self) -> impl Iterator<Item = usize> {
        let mut bits = self.0;
        core::iter::from_fn(move || {
            let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(lowest)
        })
    }
}

/// The reads of one rule while it judges.
#[derive(Debug, Default)]
pub(in crate::cp) struct Reads {
    addrs: RefCell<Vec<u32>>,
    /// Whether the rule has read more than registers.
    more: Cell<bool>,
}

impl Reads {
    pub fn register(&self, addr: u32) {
        if let Ok(mut addrs) = self.addrs.try_borrow_mut() {
            addrs.push(addr);
        }
    }

    pub fn more(&self) {
        self.more.set(true);
    }

    /// Passes the registers that were read since the last call, by byte address; returns whether more than registers was read.
    pub fn drain(&self, visit: impl FnMut(u32)) -> bool {
        if let Ok(mut addrs) = self.addrs.try_borrow_mut() {
            addrs.drain(..).for_each(visit);
        }
        self.more.replace(false)
    }
}

/// The rules that wait for a change, by register.
#[derive(Debug, Clone)]
pub(in crate::cp) struct Watched {
    /// For each window and register, the index of its rules in `sets`; 0 if there are none. Empty until a register of the window is read, because most models
    /// run few draws or none.
    places: [Box<[u16]>; 4],
    /// Number of registers per window.
    counts: [usize; 4],
    sets: Vec<RuleSet>,
    /// Rules with a register that has changed since they were judged, and those that read more than registers.
    changed: RuleSet,
}

impl Watched {
    /// Creates windows of these numbers of registers; every rule is to be judged.
    pub fn new(registers: [usize; 4]) -> Self {
        Self { places: Default::default(), counts: registers, sets: vec![RuleSet::default()], changed: RuleSet::ALL }
    }

    /// Records that rules have read a register.
    pub fn add(&mut self, window: usize, index: usize, rules: RuleSet) {
        let (Some(places), Some(count)) = (self.places.get_mut(window), self.counts.get(window)) else { return };
        if places.is_empty() {
            *places = vec![0; *count].into_boxed_slice();
        }
        let Some(place) = places.get_mut(index) else { return };
        if *place == 0 {
            // No more registers are read than there are places: the windows together have fewer.
            *place = u16::try_from(self.sets.len()).unwrap_or(u16::MAX);
            self.sets.push(rules);
        } else if let Some(set) = self.sets.get_mut(usize::from(*place)) {
            *set = set.or(rules);
        }
    }

    /// Records that a register has changed.
    #[inline]
    pub fn touch(&mut self, window: usize, index: usize) {
        let place = self.places.get(window).and_then(|window| window.get(index)).copied().unwrap_or(0);
        if place != 0 {
            self.changed = self.changed.or(self.sets[usize::from(place)]);
        }
    }

    /// Records that all registers may have changed.
    pub fn touch_all(&mut self) {
        self.changed = RuleSet::ALL;
    }

    /// Returns the rules to be judged.
    pub fn changed(&self) -> RuleSet {
        self.changed
    }

    /// Records that these rules have found nothing and read only registers: they are judged again when one of their registers changes.
    pub fn judged(&mut self, rules: RuleSet) {
        self.changed = self.changed.without(rules);
    }

    /// Records that the list of rules has changed.
    pub fn reset(&mut self) {
        self.places.iter_mut().for_each(|window| window.fill(0));
        self.sets.truncate(1);
        self.changed = RuleSet::ALL;
    }
}
