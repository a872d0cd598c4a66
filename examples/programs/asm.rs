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

/// Assemble what `dump` printed, JSON records or text, into a binary stream.
///
/// Only headers and bodies (in text, the words after `;`), and the words and bytes of damage, are used. Fields, flags and register writes are for people and may
/// be left out; if they contradict the words, that is an error. Packets are written one after the other, wherever the records say that they are: of a part of a
/// stream, or of several files, the result holds what the records hold and nothing between. Text is compared only if its first line names the generation and the queue. Records that `draw`
/// prints as JSON and that are not packets are skipped; its text is not read. Exit status: 0 assembled; 2 bad arguments, unreadable input, or a line that cannot be assembled, and then nothing is written.
#[derive(Parser)]
#[command(name = "asm")]
struct Arguments {
    /// Where the stream goes; standard output if not given
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What dump printed; standard input if not given or `-`
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// The program.
pub const PROGRAM: Program = Program {
    command: Arguments::command,
    run,
    examples: &[
        ("{} dump.txt --out same.bin", "what dump printed becomes a stream again"),
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
