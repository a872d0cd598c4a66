//! The program `pm4-hardware`.

use std::process::ExitCode;

fn main() -> ExitCode {
    pm4_submit::hardware::program::main(std::env::args_os())
}
