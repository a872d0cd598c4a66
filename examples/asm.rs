//! Assembles command streams: the inverse of `dump`.

mod common;
#[path = "programs/asm.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
