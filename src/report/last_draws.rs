//! The registers at the last draw of each queue, and the differences of the next one. Streams have millions of draws with hundreds of registers each, so lists
//! are
//! kept and compared, without maps.

use crate::cp::{Bank, DrawView, PerQueue};
use alloc::vec::Vec;
use core::ops::Range;

/// Banks in the order of their addresses.
const BY_ADDRESS: [Bank; 5] = [Bank::Config, Bank::Sh, Bank::ShCompute, Bank::Context, Bank::Uconfig];

/// The registers written for a draw, in the order of their addresses.
#[derive(Debug, Default)]
pub(super) struct LastDraw {
    addrs: Vec<u32>,
    values: Vec<u32>,
    /// The position of each bank in these lists, in the order of [`BY_ADDRESS`].
    banks: [Range<usize>; 5],
    /// Addresses of registers that may have another value.
    uncertain: Vec<u32>,
    /// Positions of values that the previous draw did not have.
    changed: Vec<usize>,
    /// Addresses of registers that the previous draw had, and that are no longer known.
    gone: Vec<u32>,
    /// Whether the set of registers differs from that of the previous draw.
    moved: bool,
    draws: u64,
    /// The end of the previous draw's lists, where they differ.
    old: Vec<(u32, u32)>,
}

impl LastDraw {
    /// Reads the next draw of the queue. Nearly always the same registers are written as for the previous draw, and few values differ.
    pub fn advance(&mut self, view: &DrawView<'_>) {
        let Self { addrs, values, banks, uncertain, changed, gone, moved, draws, old } = self;
        uncertain.clear();
        changed.clear();
        gone.clear();
        old.clear();
        // From here on, the registers differ from those of the previous draw.
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

    /// Returns the number of registers written for it.
    pub fn len(&self) -> usize {
        self.addrs.len()
    }

    /// Returns a register by its position in the list.
    pub fn register(&self, at: usize) -> (u32, u32) {
        self.addrs.get(at).copied().zip(self.values.get(at).copied()).unwrap_or_default()
    }

    /// Returns the positions of the registers of a bank.
    pub fn bank(&self, bank: Bank) -> Range<usize> {
        BY_ADDRESS.iter().position(|other| *other == bank).and_then(|at| self.banks.get(at)).cloned().unwrap_or_default()
    }

    /// Returns the positions of registers that the previous draw lacked, or had with another value, in order.
    pub fn changed(&self) -> &[usize] {
        &self.changed
    }

    /// Returns the addresses of registers that the previous draw had, and that are no longer known, in order.
    pub fn gone(&self) -> &[u32] {
        &self.gone
    }

    /// Returns the addresses of registers that may have another value, in order.
    pub fn uncertain(&self) -> &[u32] {
        &self.uncertain
    }

    /// Returns whether the set of registers differs from that of the previous draw, whatever the values.
    pub fn has_moved(&self) -> bool {
        self.moved || self.draws == 1
    }
}

/// The last draw of each queue.
#[derive(Debug, Default)]
pub(super) struct LastDraws(PerQueue<LastDraw>);

impl LastDraws {
    /// Reads a draw, and compares it with the previous one of its queue.
    pub fn advance(&mut self, view: &DrawView<'_>) -> &LastDraw {
        let last = self.0.entry(view.queue_id());
        last.advance(view);
        last
    }
}
