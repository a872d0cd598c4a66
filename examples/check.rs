//! Executes command streams on the command-processor model: draws with their registers, and everything that is wrong with them.

mod common;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, ValueEnum};
use common::files::{self, FileAt, Words};
use common::report::{self, Format};
use pm4::chip::Chip;
use pm4::cp::{BufferId, CommandProcessor, Finding, Place, Severity};
use pm4::packet::Queue;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

/// Execute PM4 command streams on a model of the command processor.
///
/// The files run in order as one submission. A stream is a file of little-endian 32-bit words. Exit status: 0 nothing wrong, 1 at least one finding is an
/// error, 2 bad arguments or an unreadable file.
#[derive(Parser)]
#[command(name = "check")]
struct Arguments {
    /// Chip that executes the streams: navi31, vega10, gfx1100, …
    #[arg(long, value_parser = chip)]
    chip: Chip,
    /// Memory: a file at a GPU address, which calls and chains find there
    #[arg(long, value_name = "FILE@ADDR")]
    map: Vec<FileAt>,
    /// All memory is mapped: other addresses are errors
    #[arg(long)]
    closed: bool,
    /// The application declared relaxed rasterization order
    #[arg(long)]
    relaxed_order: bool,
    /// Lines for people, or JSON Lines
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Queue of the files after it; gfx before the first
    #[arg(long, value_enum)]
    queue: Vec<QueueName>,
    /// Streams in the order of submission, with the GPU address where they lie if it matters
    #[arg(required = true, value_name = "FILE[@ADDR]")]
    files: Vec<FileAt>,
}

#[derive(Clone, Copy, ValueEnum)]
enum QueueName {
    Gfx,
    Compute,
}

fn chip(name: &str) -> Result<Chip, String> {
    name.parse().map_err(|_| {
        let known: Vec<&str> = Chip::all().map(|c| c.info().name).collect();
        format!("no such chip; known are {} and the LLVM names", known.join(", "))
    })
}

/// The queue of each file: that of the last `--queue` before it.
fn queues(matches: &ArgMatches, arguments: &Arguments) -> Vec<Queue> {
    let places = |id| matches.indices_of(id).into_iter().flatten();
    let names: Vec<(usize, QueueName)> = places("queue").zip(arguments.queue.iter().copied()).collect();
    let before = |at: usize| names.iter().rev().find(|(index, _)| *index < at).map(|(_, name)| *name);
    let queue = |name| if matches!(name, Some(QueueName::Compute)) { Queue::Compute } else { Queue::Graphics };
    places("files").map(|at| queue(before(at))).collect()
}

fn main() -> ExitCode {
    let matches = Arguments::command().get_matches();
    let arguments = match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => arguments,
        Err(error) => error.exit(),
    };
    if let Some(map) = arguments.map.iter().find(|map| map.addr.is_none()) {
        Arguments::command().error(ErrorKind::ValueValidation, format!("--map {} needs an address: FILE@ADDR", map.path)).exit();
    }
    let queues = queues(&matches, &arguments);
    match read(&arguments.map).and_then(|maps| Ok((maps, read(&arguments.files)?))) {
        Ok((maps, files)) => match check(&arguments, &maps, &files, &queues) {
            Ok(errors) => ExitCode::from(u8::from(errors)),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => fail(&error.to_string()),
        },
        Err(message) => fail(&message),
    }
}

fn fail(message: &str) -> ExitCode {
    // Standard error may be closed as well.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(2)
}

fn read(files: &[FileAt]) -> Result<Vec<Words>, String> {
    files.iter().map(|file| files::read(&file.path).map_err(|e| format!("{} cannot be read: {e}", file.path))).collect()
}

/// Runs and prints; whether there were errors.
fn check(arguments: &Arguments, maps: &[Words], files: &[Words], queues: &[Queue]) -> io::Result<bool> {
    let mut cp = CommandProcessor::new(arguments.chip);
    cp.closed_memory(arguments.closed).relaxed_order(arguments.relaxed_order);
    let mut cut = Vec::new();
    for (file, read) in arguments.map.iter().zip(maps) {
        let id = cp.map(&file.path, file.addr.unwrap_or_default(), &read.words);
        cut.extend(cut_word(id, read, Queue::Graphics));
    }
    for ((file, read), queue) in arguments.files.iter().zip(files).zip(queues) {
        let id = match file.addr {
            Some(addr) => cp.submit_at(*queue, &file.path, addr, &read.words),
            None => cp.submit(*queue, &file.path, &read.words),
        };
        cut.extend(cut_word(id, read, *queue));
    }
    let stdout = io::stdout().lock();
    let color = stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut out = BufWriter::with_capacity(1 << 16, stdout);
    let summary = report::run(&mut cp, arguments.format, color, &cut, &mut out)?;
    out.flush()?;
    Ok(summary.errors > 0)
}

/// A file that ends within a word.
fn cut_word(buffer: BufferId, read: &Words, queue: Queue) -> Option<Finding> {
    (read.rest > 0).then(|| Finding {
        code: "ENC-01",
        severity: Severity::Error,
        queue,
        place: Place { buffer, dword: u32::try_from(read.words.len()).unwrap_or(u32::MAX) },
        packet: None,
        draw: None,
        register: None,
        field: None,
        message: format!("the file ends {} bytes into a dword: it was cut off, or is no stream of 32-bit words", read.rest),
        notes: Vec::new(),
        help: Some("write the stream again, in whole little-endian dwords".to_owned()),
        source: "the contract of command-stream files",
    })
}
