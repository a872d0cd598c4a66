//! Whole texts against files in `tests/golden/`. `PM4_WRITE_GOLDEN=1` writes them anew: read the difference afterwards.
#![allow(dead_code)] // each suite uses its part

use crate::support::seed;
use std::collections::BTreeSet;

/// Compares a text with the file of that name.
pub fn assert_golden(name: &str, text: &str) {
    let path = crate::support::repository("tests/golden").join(name);
    if std::env::var_os("PM4_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    compare(name, &file(name), text);
}

/// The same for a text of which some parts are worked out: the others are left out of the file. `begins` says of a line whether a part begins there, and
/// whether it is one of those.
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

/// Whether this run works out every part of what takes long: with `--release`, and where files are written.
pub fn whole() -> bool {
    !cfg!(debug_assertions) || std::env::var_os("PM4_WRITE_GOLDEN").is_some()
}

/// Whether a part of many is worked out in this run: all or one in four ([`whole`]), which ones [`seed`] tells.
pub fn sampled(title: &str) -> bool {
    whole() || (digest(title) ^ seed()).is_multiple_of(4)
}

/// The same for parts that are few: one in three, so that each run has some.
pub fn is_turn_of(nth: usize) -> bool {
    whole() || nth as u64 % 3 == seed() % 3
}

/// The file of that name.
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

/// One number for a text (FNV-1a), where the text itself would be too long for a file.
pub fn digest(text: &str) -> u64 {
    digest_after(0xCBF2_9CE4_8422_2325, text)
}

/// The digest of what came before, and of this text.
pub fn digest_after(before: u64, text: &str) -> u64 {
    text.bytes().fold(before, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

/// Numbers that look random (SplitMix64): the same in each run.
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

/// Parts of a golden file, each under a title.
#[derive(Default)]
pub struct Parts {
    text: String,
    titles: BTreeSet<String>,
}

impl Parts {
    pub fn add(&mut self, title: &str, text: &str) {
        // Escape sequences as text, so that the file is text.
        let text = text.replace('\x1b', "<ESC>");
        self.text += &format!("==== {title}\n{text}{}", if text.ends_with('\n') || text.is_empty() { "" } else { "\n" });
        self.titles.insert(title.to_owned());
    }

    pub fn assert(&self, name: &str) {
        assert_golden(name, &self.text);
    }

    /// The same where some of the parts were added, as [`sampled`] and [`is_turn_of`] choose them.
    pub fn assert_added(&self, name: &str) {
        assert_parts_of_golden(name, &self.text, |line| Some(self.titles.contains(line.strip_prefix("==== ")?)));
    }
}
