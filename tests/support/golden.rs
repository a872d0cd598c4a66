//! Compares whole texts with files in `tests/golden/`. `PM4_WRITE_GOLDEN=1` rewrites the files: review the difference afterwards.
#![allow(dead_code)] // each suite uses its part

use crate::support::seed;
use std::collections::BTreeSet;

/// Compares a text with the file of this name.
pub fn assert_golden(name: &str, text: &str) {
    let path = crate::support::repository("tests/golden").join(name);
    if std::env::var_os("PM4_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    compare(name, &file(name), text);
}

/// Compares a text of which only some parts are computed; the others are removed from the file's text. `begins` returns whether a part begins at a line, and
/// whether that part is computed.
pub fn assert_parts_of_golden(name: &str, text: &str, begins: impl Fn(&str) -> Option<bool>) {
    if whole() {
        return assert_golden(name, text);
    }
    let (lines, mut wanted) = (file(name), true);
    let kept = lines.split_inclusive('\n').filter(|line| {
        wanted = begins(line.trim_end_matches('\n')).unwrap_or(wanted);
        wanted
    });
    compare(&format!("{name}, with PM4_SEED={}", seed()), &kept.collect::<String>(), text);
}

/// Returns whether this run computes every part of slow tests: with `--release`, and when writing files.
pub fn whole() -> bool {
    !cfg!(debug_assertions) || std::env::var_os("PM4_WRITE_GOLDEN").is_some()
}

/// Returns whether one of many parts is computed in this run: all or one in four ([`whole`]), chosen by [`seed`].
pub fn sampled(title: &str) -> bool {
    whole() || (digest(title) ^ seed()).is_multiple_of(4)
}

/// Does the same for few parts: one in three, so that each run has some.
pub fn is_turn_of(nth: usize) -> bool {
    whole() || nth as u64 % 3 == seed() % 3
}

/// Returns the contents of the file of this name.
pub fn file(name: &str) -> String {
    let path = crate::support::repository("tests/golden").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn compare(name: &str, golden: &str, text: &str) {
    let differs = golden.lines().zip(text.lines()).position(|(golden, line)| golden != line);
    let at = differs.unwrap_or_else(|| golden.lines().count().min(text.lines().count()));
    let line = |text: &str| text.lines().nth(at).unwrap_or("(the end)").to_owned();
    assert!(golden == text, "{name} line {}:\n{}\ninstead of\n{}", at + 1, line(text), line(golden));
}

/// Returns a hash of a text (FNV-1a), for texts too long for a file.
pub fn digest(text: &str) -> u64 {
    digest_after(0xCBF2_9CE4_8422_2325, text)
}

/// Returns the hash of what came before and this text.
pub fn digest_after(before: u64, text: &str) -> u64 {
    text.bytes().fold(before, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

/// Pseudo-random numbers (SplitMix64), the same in each run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Parts of a golden file, each with a title.
#[derive(Default)]
pub struct Parts {
    text: String,
    titles: BTreeSet<String>,
}

impl Parts {
    pub fn add(&mut self, title: &str, text: &str) {
        // Escape sequences as visible text.
        let text = text.replace('\x1b', "<ESC>");
        self.text += &format!("==== {title}\n{text}{}", if text.ends_with('\n') || text.is_empty() { "" } else { "\n" });
        self.titles.insert(title.to_owned());
    }

    pub fn assert(&self, name: &str) {
        assert_golden(name, &self.text);
    }

    /// Compares only the parts that were added, as chosen by [`sampled`] and [`is_turn_of`].
    pub fn assert_added(&self, name: &str) {
        assert_parts_of_golden(name, &self.text, |line| Some(self.titles.contains(line.strip_prefix("==== ")?)));
    }
}
