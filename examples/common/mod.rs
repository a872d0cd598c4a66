//! Code shared by the example programs: argument values, files, and exit status.
#![allow(dead_code)] // each program uses its part

pub mod arguments;
pub mod files;
pub mod manifests;
pub mod output;
pub mod pages;
pub mod progress;
pub mod recordings;

use clap::{ArgMatches, Command};
use pm4::report::shown;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Returns whether to use colour: on terminals, unless NO_COLOR is set.
pub fn colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// A program, both as an example and as a command of `pm4`.
pub struct Program {
    /// Returns its arguments.
    pub command: fn() -> Command,
    /// Runs it and returns the exit status. The command is the one that parsed the arguments; it formats messages about them.
    pub run: fn(&mut Command, &ArgMatches) -> ExitCode,
    /// Example command lines for its help, with `{}` for its name, and descriptions.
    pub examples: &'static [(&'static str, &'static str)],
}

impl Program {
    /// Returns the arguments, with help that ends with examples. `prefix` precedes the name of the program there.
    pub fn command(&self, prefix: &str) -> Command {
        let command = (self.command)();
        let name = format!("{prefix}{}", command.get_name());
        let examples: String = self.examples.iter().map(|(line, what)| format!("\n  {what}:\n    {}", line.replace("{}", &name))).collect();
        let before = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
        command.after_help(format!("{before}Examples:{examples}"))
    }

    /// Runs the program on its own.
    pub fn main(&self) -> ExitCode {
        let mut command = self.command("");
        match command.try_get_matches_from_mut(std::env::args_os()) {
            Ok(matches) => (self.run)(&mut command, &matches),
            Err(error) => usage(&error),
        }
    }
}

/// Prints an error in the arguments, or the requested help, and returns the exit status.
pub fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    // An error repeats arguments: if these contain control characters, print without colours and with the characters escaped.
    let printed = match text.split('\n').any(|line| shown(line) != line) {
        true => io::stderr().write_all(text.split('\n').map(shown).collect::<Vec<_>>().join("\n").as_bytes()),
        false => error.print().and_then(|()| io::stdout().flush()),
    };
    match u8::try_from(error.exit_code()) {
        Ok(0) => finish("help", printed.map(|()| false)),
        Ok(status) => ExitCode::from(status),
        Err(_) => ExitCode::from(2),
    }
}

/// Prints why the program cannot continue. The exit status says so too, because standard error may be closed or full.
pub fn fail(program: &str, message: impl Display) -> ExitCode {
    tell(program, message);
    ExitCode::from(2)
}

/// Prints a message next to the output, with control characters escaped.
pub fn tell(program: &str, message: impl Display) {
    let message = message.to_string();
    let lines: Vec<_> = message.split('\n').map(shown).collect();
    let _ = writeln!(io::stderr(), "{program}: {}", lines.join("\n"));
}

/// Returns the exit status after printing: 1 if something was found, 0 if not or if the reader of the output is gone, 2 if output fails.
pub fn finish(program: &str, printed: io::Result<bool>) -> ExitCode {
    match printed {
        Ok(found) => ExitCode::from(u8::from(found)),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(program, format_args!("cannot write: {error}")),
    }
}
