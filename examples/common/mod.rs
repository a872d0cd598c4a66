//! What the example programs share: argument values, files, and how a program ends.
#![allow(dead_code)] // each program uses its part

pub mod arguments;
pub mod files;
pub mod pages;

use clap::{ArgMatches, Command, Parser};
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Colour is for terminals, unless NO_COLOR asks for none.
pub fn colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// The arguments of the program; where they are wrong, or ask for help only, the status that it ends with.
pub fn parse<A: Parser>() -> Result<A, ExitCode> {
    let matches = matches(A::command())?;
    A::from_arg_matches(&matches).map_err(|error| usage(&error))
}

/// The arguments of the program with their places.
pub fn matches(command: Command) -> Result<ArgMatches, ExitCode> {
    command.try_get_matches().map_err(|error| usage(&error))
}

/// Prints what is wrong with the arguments, or the help that they ask for: the status to end with.
pub fn usage(error: &clap::Error) -> ExitCode {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match u8::try_from(error.exit_code()) {
        Ok(0) => finish("help", printed.map(|()| false)),
        Ok(status) => ExitCode::from(status),
        Err(_) => ExitCode::from(2),
    }
}

/// Says why the program cannot go on. Standard error may be closed or full: the status says it as well.
pub fn fail(program: &str, message: impl Display) -> ExitCode {
    let _ = writeln!(io::stderr(), "{program}: {message}");
    ExitCode::from(2)
}

/// The exit status after printing: 1 when something was found, 0 when all is well or the reader of our output went away, 2 when output fails.
pub fn finish(program: &str, printed: io::Result<bool>) -> ExitCode {
    match printed {
        Ok(found) => ExitCode::from(u8::from(found)),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(program, format_args!("cannot write: {error}")),
    }
}
