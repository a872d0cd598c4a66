//! Code shared by the tests: a seeded property runner, random draws, and the files of the repository.

#![allow(dead_code)] // each test binary uses its part

pub mod captured;
pub mod draws;
mod property;
pub mod recorded;

pub use property::*;

use std::path::{Path, PathBuf};

/// Returns the path of a file of the repository, whichever package the test is in.
pub fn repository(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("regdb").is_dir());
    root.expect("tests are in the repository").join(path)
}
