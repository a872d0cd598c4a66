//! Lays images out: swizzle modes, pitches, levels, metadata and addresses, from requests as JSON Lines.

mod common;
#[path = "programs/layout/mod.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
