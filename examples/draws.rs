//! What a draw costs when little changes: dwords, and time.

mod common;
#[path = "programs/draws.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
