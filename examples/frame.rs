//! Builds a frame of several passes with the barriers between them, and runs it through the command-processor model.

mod common;
#[path = "programs/frame.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
