//! What the example programs share: argument values, files, records and text of packets and of the model's results.
#![allow(dead_code)] // each program uses its part

pub mod arguments;
pub mod diff;
pub mod files;
pub mod finding;
pub mod json;
pub mod packets;
pub mod report;
pub mod rules;
pub mod text;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

/// Colour is for terminals, unless NO_COLOR asks for none.
pub fn colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// The exit status after printing: 1 when something was found, 0 when all is well or the reader of our output went away, 2 when output fails.
pub fn finish(program: &str, printed: io::Result<bool>) -> ExitCode {
    match printed {
        Ok(found) => ExitCode::from(u8::from(found)),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{program}: cannot write: {error}");
            ExitCode::from(2)
        }
    }
}
