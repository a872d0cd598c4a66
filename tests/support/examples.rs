//! The example programs, as built by `cargo test` next to the tests.
#![allow(dead_code)] // each suite uses its part

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// All example programs.
pub const PROGRAMS: [&str; 9] = ["draw", "draws", "dump", "asm", "check", "frame", "layout", "regs", "waves"];

/// Returns the command of an example program, with empty standard input.
pub fn program(name: &str) -> Command {
    let test = std::env::current_exe().expect("the test is a file");
    let folder = test.parent().and_then(Path::parent).expect("tests lie in target/PROFILE/deps").join("examples");
    let path = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.exists(), "{} is missing: build it with `cargo build --examples`, of the same profile as the tests", path.display());
    let mut command = Command::new(path);
    command.stdin(Stdio::null());
    command
}

/// Runs a program with arguments.
pub fn run<S: AsRef<OsStr>>(name: &str, arguments: &[S]) -> Output {
    program(name).args(arguments).output().expect("the program starts")
}
