//! The registers at the last draw of each queue, and what the next one has otherwise. Streams have millions of draws with hundreds of registers each, so lists are
//! kept and compared, and no map is built.

use crate::cp::{Bank, DrawView, PerQueue};
use alloc::vec::Vec;
use core::ops::Range;

/// Banks in the order of their addresses.
const BY_ADDRESS: [Bank; 5] = [Bank::Config, Bank::Sh, Bank::ShCompute, Bank::Context, Bank::Uconfig];

/// The registers that were written for a draw, in the order of their addresses.
#[derive(Debug, Default)]
pub(super) struct LastDraw {
    addrs: Vec<u32>,
    values: Vec<u32>,
    /// Where each bank is in these lists, as in [`BY_ADDRESS`].
    banks: [Range<usize>; 5],
    /// Addresses of registers that may hold something else.
    uncertain: Vec<u32>,
    /// Where values are that the draw before did not have.
    changed: Vec<usize>,
    /// Addresses of registers that the draw before had, and that are no longer known.
    gone: Vec<u32>,
    /// Other registers are written than for the draw before.
    moved: bool,
    draws: u64,
    /// The end of the lists of the draw before, where they differ.
    old: Vec<(u32, u32)>,
}

impl LastDraw {
    /// Takes the next draw of the queue. Nearly always the same registers are written as for the draw before, and few of them hold something else.
    pub fn advance(&mut self, view: &DrawView<'_>) {
        let Self { addrs, values, banks, uncertain, changed, gone, moved, draws, old } = self;
        uncertain.clear();
        changed.clear();
        gone.clear();
        old.clear();
        // From here on, other registers are written than before.
        let mut split = None;
        let mut at = 0;
        for (bank, place) in BY_ADDRESS.into_iter().zip(banks) {
            let start = at;
            view.registers().each_written(bank, |addr, value, certain| {
                if !certain {
                    uncertain.push(addr);
                }
                match values.get_mut(at) {
                    Some(before) if split.is_none() && addrs.get(at) == Some(&addr) => {
                        if *before != value {
                            *before = value;
                            changed.push(at);
                        }
                    }
                    _ => {
                        if split.is_none() {
                            split = Some(at);
                            old.extend(addrs.drain(at..).zip(values.drain(at..)));
                        }
                        addrs.push(addr);
                        values.push(value);
                    }
                }
                at += 1;
            });
            *place = start..at;
        }
        if at < addrs.len() {
            split = Some(at);
            old.extend(addrs.drain(at..).zip(values.drain(at..)));
        }
        let mut old = old.iter().copied().peekable();
        let tail = split.unwrap_or(at);
        for ((place, addr), value) in addrs.iter().enumerate().zip(values.iter()).skip(tail) {
            while let Some((before, _)) = old.next_if(|(before, _)| before < addr) {
                gone.push(before);
            }
            if old.next_if(|(before, _)| before == addr).is_none_or(|(_, before)| before != *value) {
                changed.push(place);
            }
        }
        gone.extend(old.map(|(addr, _)| addr));
        *moved = split.is_some();
        *draws += 1;
    }

    /// Returns whether it is the first draw of its queue.
    pub fn is_first(&self) -> bool {
        self.draws == 1
    }

    /// How many registers were written for it.
    pub fn len(&self) -> usize {
        self.addrs.len()
    }

    /// Returns a register by its place in the list.
    pub fn register(&self, at: usize) -> (u32, u32) {
        self.addrs.get(at).copied().zip(self.values.get(at).copied()).unwrap_or_default()
    }

    /// Returns the places of the registers of a bank.
    pub fn bank(&self, bank: Bank) -> Range<usize> {
        BY_ADDRESS.iter().position(|other| *other == bank).and_then(|at| self.banks.get(at)).cloned().unwrap_or_default()
    }

    /// Returns the places of registers that the draw before did not have, or with another value, in order.
    pub fn changed(&self) -> &[usize] {
        &self.changed
    }

    /// Addresses of registers that the draw before had, and that are no longer known, in order.
    pub fn gone(&self) -> &[u32] {
        &self.gone
    }

    /// Addresses of registers that may hold something else, in order.
    pub fn uncertain(&self) -> &[u32] {
        &self.uncertain
    }

    /// Returns whether other registers are written than for the draw before, whatever they hold.
    pub fn has_moved(&self) -> bool {
        self.moved || self.draws == 1
    }
}

/// The last draw of each queue.
#[derive(Debug, Default)]
pub(super) struct LastDraws(PerQueue<LastDraw>);

impl LastDraws {
    /// Takes a draw: what it has, and what its queue had before.
    pub fn advance(&mut self, view: &DrawView<'_>) -> &LastDraw {
        let last = self.0.entry(view.queue_id());
        last.advance(view);
        last
    }
}
