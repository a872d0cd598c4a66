//! Assembles command streams: the inverse of `dump`.

use clap::Parser;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[path = "common/assembly/mod.rs"]
mod assembly;
#[path = "common/packets.rs"]
#[allow(dead_code)] // only the records are compared
mod packets;

/// Assemble what `dump` printed, JSON records or text, into a binary stream.
///
/// What counts are headers and bodies (in text, the words behind `;`), and the words and bytes of damage. Fields, flags and register writes are told for people,
/// but what contradicts the words is a mistake (in text, where the first line names generation and queue); they may be left out. Records of `draw` that are no
/// packets are passed over. Exit status: 0 assembled; 2 bad arguments, unreadable input, or a line that cannot be assembled, and then nothing is written.
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

/// The longest line: the largest packet with every register write told takes less than a fifth of this.
const LINE_LIMIT: u64 = 64 << 20;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("asm: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let file = arguments.file.as_ref().filter(|f| f.as_os_str() != "-");
    let name = file.map_or_else(|| "standard input".into(), |f| f.display().to_string());
    let bytes = match file {
        Some(path) => File::open(path).map_err(|e| e.to_string()).and_then(|f| assemble(BufReader::new(f))),
        None => assemble(io::stdin().lock()),
    };
    let bytes = bytes.map_err(|problem| format!("{name}: {problem}"))?;
    match &arguments.out {
        Some(path) => std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display())),
        None => match io::stdout().lock().write_all(&bytes).and_then(|()| io::stdout().flush()) {
            // Whoever read our output has seen enough.
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(format!("cannot write: {e}")),
            _ => Ok(()),
        },
    }
}

fn assemble(mut input: impl BufRead) -> Result<Vec<u8>, String> {
    let mut assembler = assembly::Assembler::default();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut input).take(LINE_LIMIT).read_until(b'\n', &mut line).map_err(|e| e.to_string())?;
        match read {
            0 => break,
            n if n as u64 == LINE_LIMIT => return Err(format!("line {number}: longer than {LINE_LIMIT} bytes")),
            _ => assembler.line(&line).map_err(|m| m.to_string())?,
        }
    }
    assembler.finish().map_err(|m| m.to_string())
}
