//! Names of addresses near a page.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// The most names of an address that are reported.
pub(super) const NAMES: usize = 3;

/// An address that the stream names.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub address: u64,
    pub what: String,
}

/// Returns the addresses within `near` bytes of a page by their distances, each with its first names. Of the known addresses, only the bits of `mask` count.
/// The distance is 0 for an address within the page; from its end on, one more than the bytes between.
pub(super) fn names_by_distance<'k>(known: impl Iterator<Item = &'k Known>, mask: u64, page: Range<u64>, near: u64) -> BTreeMap<(u64, u64), Vec<&'k str>> {
    let mut by_distance: BTreeMap<(u64, u64), Vec<&str>> = BTreeMap::new();
    for Known { address, what } in known {
        let address = address & mask;
        let distance = if address >= page.start { (address + 1).saturating_sub(page.end) } else { page.start - address };
        if distance <= near {
            let names = by_distance.entry((distance, address)).or_default();
            // A trace may have very many names of one address, all of them different.
            if names.len() < NAMES && !names.contains(&what.as_str()) {
                names.push(what);
            }
        }
    }
    by_distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    /// The names that are compared with a new one are at most those that are printed, however many an address has.
    #[test]
    fn an_address_keeps_its_first_names() {
        let known: Vec<Known> = (0..4 * NAMES).map(|n| Known { address: 0x1000, what: format!("name {}", n / 2) }).collect();
        let names = names_by_distance(known.iter(), u64::MAX, 0x1000..0x2000, 0);
        assert_eq!(names.into_iter().collect::<Vec<_>>(), [((0, 0x1000), ["name 0", "name 1", "name 2"].to_vec())]);
    }
}
