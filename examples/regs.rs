//! Looks registers up: the 32 bits, the fields and values of every generation side by side, and what differs between them.

mod common;
#[path = "programs/regs/mod.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
