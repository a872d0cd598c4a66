//! Sets of generations as people read them, and values grouped by the generations that share them.

use pm4::chip::Gfx;

/// `9`, `10.3`, …
pub fn name(gfx: Gfx) -> &'static str {
    ["9", "10", "10.3", "11", "11.5", "12"][gfx.index()]
}

/// `GFX9–10.3, 12`: neighbours become ranges.
pub fn label(set: &[Gfx]) -> String {
    format!("GFX{}", short_label(set))
}

/// [`label`] without the letters.
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

/// The distinct values among the items, each with the generations that have it, in the order of first appearance.
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
