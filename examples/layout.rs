//! Computes image layouts from requests in JSON Lines: swizzle modes, pitches, levels, metadata and addresses.

mod common;
#[path = "programs/layout/mod.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
