//! Executes command streams on the command-processor model and reports draws, their registers, and everything that is wrong with them.

mod common;
#[path = "programs/check.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
