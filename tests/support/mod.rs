//! Code shared by the tests: a seeded property runner, random draws, and the files of the repository.

#![allow(dead_code)] // each test binary uses its part

pub mod captured;
pub mod draws;
pub mod recorded;

use quickcheck::{Gen, QuickCheck, Testable};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Returns the path of a file of the repository, whichever package the test is in.
pub fn repository(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("regdb").is_dir());
    root.expect("tests are in the repository").join(path)
}

/// Returns the seed of random tests: `PM4_SEED`, or the time of the first call in this process.
pub fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| match std::env::var("PM4_SEED").ok().and_then(|s| s.parse().ok()) {
        Some(seed) => seed,
        None => std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |t| t.as_nanos() as u64),
    })
}

/// Runs a property over `tests` random inputs, half as many without `--release`. Prints the seed on failure; `PM4_SEED=…` repeats the run.
pub fn property<T: Testable>(name: &str, tests: u64, property: T) {
    let seed = seed();
    let tests = if cfg!(debug_assertions) { tests.div_ceil(2) } else { tests };
    let outcome = QuickCheck::new().rng(Gen::from_size_and_seed(100, seed)).tests(tests).max_tests(tests * 20).min_tests_passed(tests / 2).quicktest(property);
    if let Err(failure) = outcome {
        panic!("{name} does not hold; run again with PM4_SEED={seed}\n{failure:?}");
    }
}
