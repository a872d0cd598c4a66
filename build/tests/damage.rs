//! No text causes a panic: descriptions with random damage, and texts that are no descriptions.

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use pm4_regdb::diag::Source;
use pm4_regdb::gfx::GfxSet;
use quickcheck::{Arbitrary, Gen, QuickCheck, Testable};
use std::sync::LazyLock;
use support::descriptions;

/// Runs a property over `tests` random inputs, half as many without `--release`. The seed is printed when it fails; `PM4_SEED=…` runs it again.
fn property<T: Testable>(name: &str, tests: u64, property: T) {
    let seed = match std::env::var("PM4_SEED").ok().and_then(|s| s.parse().ok()) {
        Some(seed) => seed,
        None => std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |t| t.as_nanos() as u64),
    };
    let tests = if cfg!(debug_assertions) { tests.div_ceil(2) } else { tests };
    let outcome = QuickCheck::new().rng(Gen::from_size_and_seed(100, seed)).tests(tests).max_tests(tests * 20).min_tests_passed(tests / 2).quicktest(property);
    if let Err(failure) = outcome {
        panic!("{name} does not hold; run again with PM4_SEED={seed}\n{failure:?}");
    }
}

/// A place in a text and what to do there.
#[derive(Debug, Clone)]
struct Damage {
    file: usize,
    edits: Vec<(usize, Edit)>,
}

#[derive(Debug, Clone)]
enum Edit {
    Delete(usize),
    Duplicate(usize),
    Insert(&'static str),
    Replace(&'static str),
}

/// What descriptions are made of, and what they should not be made of.
const SCRAPS: [&str; 34] = [
    "\"",
    "=",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\n",
    "#",
    "0",
    "1",
    "31",
    "32",
    "4294967295",
    "4294967296",
    "-1",
    "0x",
    "..",
    "..=",
    "9..=12",
    ":",
    "[]",
    "{}",
    "true",
    "é",
    "\u{0}",
    "enum",
    "gfx = \"\"",
    "addr = 0xFFFFFFFC",
    "count = 256",
    "stride = 0xFFFFFFFC",
    "self",
    "bits = \"0:31\"",
    "\r\n",
];

impl Arbitrary for Damage {
    fn arbitrary(g: &mut Gen) -> Self {
        let edit = |g: &mut Gen| {
            let scrap = g.choose(&SCRAPS).copied().unwrap_or("");
            match u8::arbitrary(g) % 4 {
                0 => Edit::Delete(1 + usize::from(u8::arbitrary(g) % 60)),
                1 => Edit::Duplicate(1 + usize::from(u8::arbitrary(g) % 200)),
                2 => Edit::Insert(scrap),
                _ => Edit::Replace(scrap),
            }
        };
        let edits = (0..1 + u8::arbitrary(g) % 3).map(|_| (usize::arbitrary(g), edit(g))).collect();
        Self { file: usize::arbitrary(g), edits }
    }
}

impl Damage {
    fn apply(&self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, edit) in &self.edits {
            let at = at % (chars.len() + 1);
            let end = |length: usize| (at + length).min(chars.len());
            match edit {
                Edit::Delete(length) => drop(chars.drain(at..end(*length))),
                Edit::Duplicate(length) => {
                    let copy = chars[at..end(*length)].to_vec();
                    chars.splice(at..at, copy);
                }
                Edit::Insert(scrap) => drop(chars.splice(at..at, scrap.chars())),
                Edit::Replace(scrap) => drop(chars.splice(at..end(scrap.len()), scrap.chars())),
            }
        }
        chars.into_iter().collect()
    }
}

/// Whether the build takes the files or finds mistakes that it can show; a panic ends the test.
fn taken_or_refused(files: &[Source]) -> bool {
    match pm4_regdb::generate(files, GfxSet::ALL) {
        Ok(output) => !output.is_empty(),
        Err(mistakes) => mistakes.iter().take(5).all(|mistake| mistake.render(files).starts_with("error: ")),
    }
}

/// A description file with random damage, beside the files that it needs.
#[test]
fn damaged_descriptions_never_panic() {
    static FILES: LazyLock<Vec<Source>> = LazyLock::new(descriptions);
    const NEEDED: [&str; 4] = ["regdb/enums.toml", "regdb/sources.toml", "regdb/packets/enums.toml", "regdb/packets/bitfields.toml"];
    fn survives(damage: Damage) -> bool {
        let chosen = damage.file % FILES.len();
        let damaged = |source: &Source| Source { name: source.name.clone(), text: damage.apply(&source.text) };
        let files = FILES.iter().enumerate().filter(|(i, source)| *i == chosen || NEEDED.contains(&source.name.as_str()));
        let files: Vec<Source> = files.map(|(i, source)| if i == chosen { damaged(source) } else { source.clone() }).collect();
        taken_or_refused(&files)
    }
    property("descriptions may be damaged in any way", 400, survives as fn(Damage) -> bool);
}

/// What is not a description at all.
#[test]
fn any_text_is_accepted_or_refused() {
    fn survives(text: String) -> bool {
        let names = ["regdb/db.toml", "regdb/chips.toml", "regdb/sources.toml", "regdb/packets/draw.toml"];
        names.iter().all(|name| taken_or_refused(&[Source { name: (*name).to_owned(), text: text.clone() }]))
    }
    property("a description may be any text", 300, survives as fn(String) -> bool);
}
