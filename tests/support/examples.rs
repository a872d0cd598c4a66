//! The example programs, as built by `cargo test` next to the tests.
#![allow(dead_code)] // each suite uses its part

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// All of them but `pm4`, which is all of them in one.
pub const PROGRAMS: [&str; 9] = ["draw", "draws", "dump", "asm", "check", "frame", "layout", "regs", "waves"];

/// The file of an example program.
pub fn file(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test is a file");
    let folder = test.parent().and_then(Path::parent).expect("tests lie in target/PROFILE/deps").join("examples");
    let path = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.exists(), "{} is missing: build it with `cargo build --examples`, of the same profile as the tests", path.display());
    path
}

/// An example program; nothing is on its standard input.
pub fn program(name: &str) -> Command {
    let mut command = Command::new(file(name));
    command.stdin(Stdio::null());
    command
}

/// Runs a program with arguments.
pub fn run<S: AsRef<OsStr>>(name: &str, arguments: &[S]) -> Output {
    program(name).args(arguments).output().expect("the program starts")
}
