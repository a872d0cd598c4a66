//! Builds a frame of several passes with barriers between them, and runs it on the command-processor model.

mod common;
#[path = "programs/frame.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
