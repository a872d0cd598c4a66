//! Decodes command streams: every packet with its fields, every register write with its name and fields.

mod common;
#[path = "programs/dump.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
