//! What the example programs share: argument values, files, and how a program ends.
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

/// Colour is for terminals, unless NO_COLOR asks for none.
pub fn colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// A program: an example of its own, and a command of `pm4`.
pub struct Program {
    /// Its arguments.
    pub command: fn() -> Command,
    /// What it does with them, and its exit status. The command is the one that they were read by: it makes messages about them.
    pub run: fn(&mut Command, &ArgMatches) -> ExitCode,
    /// Command lines for its help, `{}` in place of its name, and what each does.
    pub examples: &'static [(&'static str, &'static str)],
}

impl Program {
    /// The arguments, with a help that ends with examples. `prefix` is before the name of the program there.
    pub fn command(&self, prefix: &str) -> Command {
        let command = (self.command)();
        let name = format!("{prefix}{}", command.get_name());
        let examples: String = self.examples.iter().map(|(line, what)| format!("\n  {what}:\n    {}", line.replace("{}", &name))).collect();
        let before = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
        command.after_help(format!("{before}Examples:{examples}"))
    }

    /// Runs the program by itself.
    pub fn main(&self) -> ExitCode {
        let mut command = self.command("");
        match command.try_get_matches_from_mut(std::env::args_os()) {
            Ok(matches) => (self.run)(&mut command, &matches),
            Err(error) => usage(&error),
        }
    }
}

/// Prints what is wrong with the arguments, or the help that they ask for: the status to end with.
pub fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    // What is wrong repeats arguments: then a terminal gets no colours, and nothing that it would act on.
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

/// Says why the program cannot continue. Standard error may be closed or full: the status says it as well.
pub fn fail(program: &str, message: impl Display) -> ExitCode {
    tell(program, message);
    ExitCode::from(2)
}

/// Says something beside the output, with nothing in it that a terminal would act on.
pub fn tell(program: &str, message: impl Display) {
    let message = message.to_string();
    let lines: Vec<_> = message.split('\n').map(shown).collect();
    let _ = writeln!(io::stderr(), "{program}: {}", lines.join("\n"));
}

/// The exit status after printing: 1 when something was found, 0 when all is well or the reader of our output went away, 2 when output fails.
pub fn finish(program: &str, printed: io::Result<bool>) -> ExitCode {
    match printed {
        Ok(found) => ExitCode::from(u8::from(found)),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(program, format_args!("cannot write: {error}")),
    }
}
