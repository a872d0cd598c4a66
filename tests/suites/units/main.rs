//! The unit tests of `src/`: its modules that need no private item of another one, compiled here by themselves. `[lib]` has `test = false`, because
//! `cargo test` would compile the whole crate once more for them.
//!
//! `cargo test --test units MODULE::` runs the tests of one module. A module that needs more is tested through the public API, in another suite.

#![allow(dead_code)] // tests use a part of a module

extern crate alloc;

// What the modules know as `crate::chip` and so on.
use pm4::{chip, isa, layout};

#[path = "../../../src/waves/alu.rs"]
mod alu;
#[path = "../../../src/waves/counters.rs"]
mod counters;
#[path = "../../../src/draw/programs/image_programs.rs"]
mod image_programs;
#[path = "../../../src/packet/state/known.rs"]
mod known;
#[path = "../../../src/hang/names.rs"]
mod names;
#[path = "../../../src/draw/desc/placed_image.rs"]
mod placed_image;
#[path = "../../../src/draw/record/runs.rs"]
mod runs;
#[path = "../../../src/draw/state/table.rs"]
mod table;

use std::path::Path;

/// All Rust files of a folder and those in it.
fn rust_files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            rust_files(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
}

/// Tests in another file would never run.
#[test]
fn no_other_module_has_unit_tests() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let has_tests = |file: &&std::path::PathBuf| std::fs::read_to_string(file).expect("text").contains("cfg(test)");
    let mut with_tests: Vec<String> =
        files.iter().filter(has_tests).map(|file| file.strip_prefix(&src).expect("in src").to_string_lossy().replace('\\', "/")).collect();
    with_tests.sort();
    let mut here: Vec<&str> = include_str!("main.rs").split("#[path = \"../../../src/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    here.sort_unstable();
    assert_eq!(with_tests, here);
}
