//! Properties of random inputs, from a seed that can be given.
#![allow(dead_code)] // each test binary uses its part

use quickcheck::{Gen, QuickCheck, Testable};
use std::sync::OnceLock;

/// What random tests begin with: `PM4_SEED`, or the time at which this process first asked.
pub fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| match std::env::var("PM4_SEED").ok().and_then(|s| s.parse().ok()) {
        Some(seed) => seed,
        None => std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |t| t.as_nanos() as u64),
    })
}

/// Runs a property over `tests` random inputs, half as many without `--release`. The seed is printed when it fails; `PM4_SEED=…` runs it again.
pub fn property<T: Testable>(name: &str, tests: u64, property: T) {
    let seed = seed();
    let tests = if cfg!(debug_assertions) { tests.div_ceil(2) } else { tests };
    let outcome = QuickCheck::new().rng(Gen::from_size_and_seed(100, seed)).tests(tests).max_tests(tests * 20).min_tests_passed(tests / 2).quicktest(property);
    if let Err(failure) = outcome {
        panic!("{name} does not hold; run again with PM4_SEED={seed}\n{failure:?}");
    }
}
