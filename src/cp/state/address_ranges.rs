//! Ranges of memory with the packet to which each belongs. A write of any length is one entry.

use crate::cp::state::place::Place;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Maximum number of ranges.
const MOST: usize = 1 << 14;

/// Disjoint ranges of addresses, each with the newest packet that covers it.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct AddressRanges(BTreeMap<u64, (u64, Place)>);

impl AddressRanges {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Records that a packet covers a range, in bytes. Beyond the maximum number of ranges, further ones are not recorded.
    pub fn insert(&mut self, start: u64, bytes: u64, place: Place) {
        let end = start.saturating_add(bytes);
        self.remove(start, bytes);
        if start < end && self.0.len() < MOST {
            self.0.insert(start, (end, place));
        }
    }

    /// Adds other ranges, which are newer.
    pub fn merge(&mut self, others: Self) {
        for (start, (end, place)) in others.0 {
            self.insert(start, end - start, place);
        }
    }

    /// Removes a range.
    pub fn remove(&mut self, start: u64, bytes: u64) {
        let end = start.saturating_add(bytes);
        let before = self.0.range(..start).next_back().map(|(at, _)| *at);
        let within = self.0.range(start..end).map(|(at, _)| *at);
        let touched: Vec<u64> = before.into_iter().chain(within).collect();
        for at in touched {
            let Some((stop, place)) = self.0.get(&at).copied().filter(|(stop, _)| *stop > start) else { continue };
            self.0.remove(&at);
            if at < start {
                self.0.insert(at, (start, place));
            }
            if stop > end {
                self.0.insert(end, (stop, place));
            }
        }
    }

    /// Returns the first covered address of a range and its packet.
    pub fn first(&self, start: u64, bytes: u64) -> Option<(u64, Place)> {
        self.within(start, bytes).next()
    }

    /// Returns the covered parts of a range: the start and the packet of each.
    pub fn within(&self, start: u64, bytes: u64) -> impl Iterator<Item = (u64, Place)> + '_ {
        let end = start.saturating_add(bytes);
        let before = self.0.range(..start).next_back().filter(|(_, (stop, _))| *stop > start).map(|(_, (_, place))| (start, *place));
        before.into_iter().chain(self.0.range(start..end).map(|(at, (_, place))| (*at, *place)))
    }
}
