//! States a draw, resolves it for a chip, records the command buffer, and runs that buffer through the command-processor model.

mod common;
#[path = "programs/draw.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
