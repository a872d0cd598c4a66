//! Decodes command streams: every packet with its fields, every register write with its name and fields.

use clap::{Parser, ValueEnum};
use pm4::chip::Chip;
use pm4::packet::{Queue, Reader};
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::process::ExitCode;
use strum::IntoEnumIterator;

#[path = "common/packets.rs"]
mod packets;

/// Decode PM4 command streams.
///
/// A stream is a file of little-endian 32-bit words. Exit status: 0 all decoded, 1 damage found (told where it is, the rest is decoded), 2 bad arguments or an
/// unreadable file. Damage is a packet that runs past the end, is of type 0 or 1, has an opcode that the generation lacks, or a size that none of its forms has.
#[derive(Parser)]
#[command(name = "dump")]
struct Arguments {
    /// Chip that the streams are for: navi31, vega10, gfx1100, …
    #[arg(long, value_parser = chip)]
    chip: Chip,
    /// Lines for people, or JSON Lines
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Queue that the streams are submitted to; decides between layouts where engines differ
    #[arg(long, value_enum, default_value_t)]
    queue: QueueName,
    /// Streams; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum QueueName {
    #[default]
    Gfx,
    Compute,
}

fn chip(name: &str) -> Result<Chip, String> {
    name.parse().map_err(|_| {
        let known: Vec<String> = Chip::iter().map(|c| c.to_string().to_lowercase()).collect();
        format!("no such chip; known are {}", known.join(", "))
    })
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // All input is read before anything is printed: a missing file leaves no half result.
    let mut inputs = Vec::new();
    for file in &arguments.files {
        match read(file) {
            Ok(bytes) => inputs.push((file.as_str(), bytes)),
            Err(error) => {
                eprintln!("dump: {file}: {error}");
                return ExitCode::from(2);
            }
        }
    }
    match print(&arguments, &inputs) {
        Ok(damaged) => ExitCode::from(u8::from(damaged)),
        // Whoever read our output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("dump: cannot write: {error}");
            ExitCode::from(2)
        }
    }
}

fn read(file: &str) -> io::Result<Vec<u8>> {
    if file != "-" {
        return std::fs::read(file);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Prints all streams; whether any of them is damaged.
fn print(arguments: &Arguments, inputs: &[(&str, Vec<u8>)]) -> io::Result<bool> {
    let stdout = io::stdout().lock();
    let colour = stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut out = BufWriter::with_capacity(1 << 16, stdout);
    let gfx = arguments.chip.gfx();
    let queue = match arguments.queue {
        QueueName::Gfx => Queue::Graphics,
        QueueName::Compute => Queue::Compute,
    };
    let text = packets::Text { gfx, queue, colour };
    let mut damaged = false;
    let mut line = String::new();
    if arguments.format == Format::Text {
        text.title(&mut line);
        out.write_all(line.as_bytes())?;
        line.clear();
    }
    for (file, bytes) in inputs {
        let (whole, odd) = bytes.as_chunks::<4>();
        let stream: Vec<u32> = whole.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let records = packets::Records::new(file, gfx, queue);
        if arguments.format == Format::Text && inputs.len() > 1 {
            writeln!(out, "# {}", file.escape_debug())?;
        }
        for item in Reader::new(&stream) {
            damaged |= match arguments.format {
                Format::Json => records.item(&mut line, &item, &stream),
                Format::Text => text.item(&mut line, &item, &stream),
            };
            out.write_all(line.as_bytes())?;
            line.clear();
        }
        if !odd.is_empty() {
            damaged = true;
            match arguments.format {
                Format::Json => records.odd_bytes(&mut line, stream.len(), odd),
                Format::Text => text.odd_bytes(&mut line, stream.len(), odd),
            }
            out.write_all(line.as_bytes())?;
            line.clear();
        }
    }
    out.flush()?;
    Ok(damaged)
}
