//! Allocates GPU addresses.

use std::collections::BTreeMap;

/// Ranges begin at multiples of this many bytes and are followed by at least as many free bytes: GPU pages are 4 KiB to 2 MiB, and a write beyond a buffer must
/// not hit another one.
const ALIGN: u64 = 64 << 10;

/// The GPU addresses that the kernel gives to a process.
#[derive(Debug)]
pub struct Addresses {
    start: u64,
    end: u64,
    /// End addresses by start address.
    taken: BTreeMap<u64, u64>,
}

impl Addresses {
    /// Creates an allocator for a range of addresses.
    pub fn new(start: u64, end: u64) -> Self {
        Self { start: start.next_multiple_of(ALIGN), end, taken: BTreeMap::new() }
    }

    /// Allocates an address range; None if there is no room.
    pub fn take(&mut self, bytes: u64) -> Option<u64> {
        let room = bytes.checked_next_multiple_of(ALIGN)?.checked_add(ALIGN)?;
        let mut at = self.start;
        for (start, end) in &self.taken {
            if start - at >= room {
                break;
            }
            at = *end;
        }
        let end = at.checked_add(room).filter(|end| *end <= self.end)?;
        self.taken.insert(at, end);
        Some(at)
    }

    /// Frees the range that begins at an address.
    pub fn give_back(&mut self, at: u64) {
        self.taken.remove(&at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_lie_apart_and_what_was_given_back_is_used_again() {
        let mut addresses = Addresses::new(0x20_0001, 0x30_0000);
        let [first, second] = [addresses.take(1), addresses.take(ALIGN + 1)].map(|range| range.expect("there is room"));
        assert_eq!((first, second), (0x21_0000, 0x23_0000));
        addresses.give_back(first);
        assert_eq!((addresses.take(2 * ALIGN), addresses.take(ALIGN)), (Some(0x26_0000), Some(first)));
        assert_eq!((addresses.take(0x10_0000), addresses.take(u64::MAX)), (None, None));
    }
}
