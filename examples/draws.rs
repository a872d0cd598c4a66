//! Measures the cost of a draw when little changes between draws: dwords and time.

mod common;
#[path = "programs/draws.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
