//! Builds a draw, executes it on the command-processor model, and runs an ordered section on simulated packers with the registers that the model saw.

mod common;
#[path = "programs/waves.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
