//! Decodes command streams: every packet with its fields, every register write with its name and fields.

mod common;

use clap::{Parser, ValueEnum};
use common::arguments::{self, Format};
use common::pages::PageFile;
use pm4::chip::Chip;
use pm4::packet::Queue;
use pm4::report::{self, DumpOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Decode PM4 command streams.
///
/// A stream is a file of little-endian 32-bit words. Exit status: 0 all decoded, 1 damage found (told where it is, the rest is decoded), 2 bad arguments or an
/// unreadable file. Damage is a packet that runs past the end, is of type 0 or 1, has an opcode that the generation lacks, or a size that none of its forms has.
#[derive(Parser)]
#[command(name = "dump")]
struct Arguments {
    /// Chip that the streams are for: navi31, vega10, gfx1100, …
    #[arg(long, value_parser = arguments::chip)]
    chip: Chip,
    /// Lines for people, or JSON Lines
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Queue that the streams are submitted to; decides between layouts where engines differ
    #[arg(long, value_enum, default_value_t)]
    queue: QueueName,
    /// Write a page for a browser to this file, beside the other output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Streams; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum QueueName {
    #[default]
    Gfx,
    Compute,
}

fn main() -> ExitCode {
    let arguments: Arguments = match common::parse() {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    // All input is read before anything is printed: a missing file leaves no half result.
    let mut inputs = Vec::new();
    for file in &arguments.files {
        let name = file.to_string_lossy();
        match read(file) {
            Ok(bytes) => inputs.push((name, bytes)),
            Err(error) => return common::fail("dump", format_args!("{name}: {error}")),
        }
    }
    let files: Vec<(&str, &[u8])> = inputs.iter().map(|(name, bytes)| (name.as_ref(), bytes.as_slice())).collect();
    common::finish("dump", print(&arguments, &files))
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    if file.as_os_str() != "-" {
        return std::fs::read(file);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Prints all streams; whether any of them is damaged.
fn print(arguments: &Arguments, files: &[(&str, &[u8])]) -> io::Result<bool> {
    let page = arguments.html.as_deref().map(PageFile::create).transpose()?;
    let stdout = io::stdout().lock();
    let queue = match arguments.queue {
        QueueName::Gfx => Queue::Graphics,
        QueueName::Compute => Queue::Compute,
    };
    let options = DumpOptions { gfx: arguments.chip.gfx(), queue, format: arguments.format.into(), color: common::colour(&stdout) };
    let mut out = BufWriter::with_capacity(1 << 16, stdout);
    let damaged = report::dump_files(&mut out, files, &options)?;
    out.flush()?;
    if let Some(page) = page {
        page.write(|out| report::html::stream_page(out, files, &options))?;
    }
    Ok(damaged)
}
