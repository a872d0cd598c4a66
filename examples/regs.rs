//! Looks up registers: the 32 bits, and the fields and values of all generations compared.

mod common;
#[path = "programs/regs/mod.rs"]
mod program;

fn main() -> std::process::ExitCode {
    program::PROGRAM.main()
}
