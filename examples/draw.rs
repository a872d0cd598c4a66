//! Describes a draw, resolves it for a chip, records the command buffer, and runs it on the command-processor model.

mod common;
#[path = "programs/draw.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
