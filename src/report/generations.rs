//! Sets of generations as text, and values grouped by the generations that share them: for pages that show all generations side by side.

use crate::chip::Gfx;
use crate::regs::EnumInfo;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Returns the generation without the letters: `9`, `10.3`, …
pub fn name(gfx: Gfx) -> &'static str {
    ["9", "10", "10.3", "11", "11.5", "12"][gfx.index()]
}

/// Returns a set of generations in order, neighbours as ranges.
///
/// ```
/// use pm4::{chip::Gfx, report::generations};
/// # #[cfg(all(feature = "gfx9", feature = "gfx10", feature = "gfx12"))]
/// assert_eq!(generations::label(&[Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx12]), "GFX9–10, 12");
/// ```
pub fn label(set: &[Gfx]) -> String {
    format!("GFX{}", short_label(set))
}

/// Like [`label`], without the letters.
pub fn short_label(set: &[Gfx]) -> String {
    let neighbours = |a: &Gfx, b: &Gfx| a.index() + 1 == b.index();
    let runs: Vec<String> = set
        .chunk_by(neighbours)
        .map(|run| match run {
            [first, .., last] => format!("{}–{}", name(*first), name(*last)),
            _ => run.iter().map(|gfx| name(*gfx)).collect(),
        })
        .collect();
    runs.join(", ")
}

/// Returns the distinct values among the items, each with the generations that have it, in the order of first appearance.
///
/// ```
/// use pm4::{chip::Gfx, report::generations};
/// # #[cfg(all(feature = "gfx9", feature = "gfx10"))]
/// assert_eq!(generations::group([(Gfx::Gfx9, 'a'), (Gfx::Gfx10, 'a')]), [(vec![Gfx::Gfx9, Gfx::Gfx10], 'a')]);
/// ```
pub fn group<T: PartialEq>(items: impl IntoIterator<Item = (Gfx, T)>) -> Vec<(Vec<Gfx>, T)> {
    let mut groups: Vec<(Vec<Gfx>, T)> = Vec::new();
    for (gfx, value) in items {
        match groups.iter_mut().find(|(_, known)| *known == value) {
            Some((set, _)) => set.push(gfx),
            None => groups.push((vec![gfx], value)),
        }
    }
    groups
}

/// Returns the entries of the value lists of several generations: value, name, and the generations that have it, by value.
pub fn entries(lists: &[(Gfx, &'static EnumInfo)]) -> Vec<(u32, &'static str, Vec<Gfx>)> {
    let all = lists.iter().flat_map(|(gfx, values)| values.entries.iter().map(|(name, value)| (*gfx, (*value, *name))));
    let mut entries: Vec<_> = group(all).into_iter().map(|(set, (value, name))| (value, name, set)).collect();
    entries.sort_by_key(|(value, _, _)| *value);
    entries
}
