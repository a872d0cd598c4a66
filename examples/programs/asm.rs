//! Assembles command streams: the inverse of `dump`.

use crate::common::progress::{During, Watched};
use crate::common::{self, Program, arguments};
use clap::error::ErrorKind;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use pm4::report;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Assemble the output of `dump`, JSON records or text, into a binary stream.
///
/// Only headers and bodies (in text, the words after `;`) and the words and bytes of damage are used. Fields, flags and register writes are for people and may
/// be omitted; if they contradict the words, that is an error. Packets are written one after the other, whatever their offsets: for a part of a stream, or for
/// several files, the result contains only what the records contain. Text is compared only if its first line names the generation and the queue. Records that
/// `draw` prints as JSON and that are not packets are skipped; text of `draw` is not supported. Exit status: 0 if the stream was assembled; 2 for bad
/// arguments, unreadable input, or a line that cannot be assembled, in which case nothing is written.
#[derive(Parser)]
#[command(name = "asm")]
struct Arguments {
    /// Write the stream to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Output of dump [default: standard input, also `-`]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// The program.
pub const PROGRAM: Program = Program {
    command: Arguments::command,
    run,
    examples: &[
        ("{} dump.txt --out same.bin", "assemble a stream from the output of dump"),
        ("dump --chip navi31 --format json ib.bin | {} > same.bin", "the same bytes"),
    ],
};

fn run(command: &mut Command, matches: &ArgMatches) -> ExitCode {
    let arguments = match Arguments::from_arg_matches(matches) {
        Ok(arguments) => arguments,
        Err(error) => return common::usage(&error),
    };
    let over = arguments::output_over_input("--out", arguments.out.as_deref(), arguments.file.as_deref().into_iter());
    if let Some(message) = over {
        return common::usage(&command.error(ErrorKind::ValueValidation, message));
    }
    match assemble(&arguments) {
        Ok(bytes) => write(&arguments, &bytes),
        Err(message) => common::fail("asm", message),
    }
}

fn assemble(arguments: &Arguments) -> Result<Vec<u8>, String> {
    let input = Path::new("-");
    let path = arguments.file.as_deref().unwrap_or(input);
    let name = if path == input { "standard input".to_owned() } else { path.display().to_string() };
    let from: io::Result<Box<dyn Read>> = if path == input { Ok(Box::new(io::stdin().lock())) } else { File::open(path).map(|file| Box::new(file) as _) };
    let bytes = from.and_then(|from| report::assemble(&mut BufReader::with_capacity(1 << 16, Watched::new(from, path, During::Reading))));
    bytes.map_err(|error| format!("{name}: {error}"))
}

fn write(arguments: &Arguments, bytes: &[u8]) -> ExitCode {
    match &arguments.out {
        Some(path) => match report::NewFile::write_all(path, bytes) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => common::fail("asm", format_args!("{}: {error}", path.display())),
        },
        None => {
            let mut out = io::stdout().lock();
            common::finish("asm", out.write_all(bytes).and_then(|()| out.flush()).map(|()| false))
        }
    }
}
