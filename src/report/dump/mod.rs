//! Streams decoded: every packet with its fields, every register write with its name and fields.

mod field_values;
mod to_json;
mod to_text;

#[cfg(feature = "html")]
pub(super) use field_values::{after_gap, beyond, odd_bytes};
pub use to_json::PacketJson;
pub use to_text::PacketText;
pub(super) use to_text::TITLE;

use super::OutputFormat;
use crate::chip::Gfx;
use crate::packet::{Queue, Reader};
use alloc::string::String;
use alloc::vec::Vec;
use std::io::{self, Write};

/// How [`dump`] reads words and prints packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DumpOptions {
    /// The generation that the stream is for.
    pub gfx: Gfx,
    /// The queue that it is submitted to: some packets are laid out differently for each.
    pub queue: Queue,
    /// Lines for people, or JSON Lines.
    pub format: OutputFormat,
    /// Text has escape sequences that colour it on a terminal.
    pub color: bool,
}

impl DumpOptions {
    /// Text without colours.
    pub fn new(gfx: Gfx, queue: Queue) -> Self {
        Self { gfx, queue, format: OutputFormat::Text, color: false }
    }
}

/// Prints the packets of a stream. JSON records call it `name`; text starts with a line that tells generation and queue, which [`assemble`](super::assemble)
/// wants to know. Returns whether the stream is damaged: a packet that runs past its end, is of type 0 or 1, has an opcode that the generation lacks, or a
/// size that none of its forms has. Damage is told where it stands, and the rest is decoded.
///
/// ```
/// use pm4::{chip::Gfx, packet::Queue, report::{self, DumpOptions}};
/// # #[cfg(feature = "gfx11")] {
/// let mut out = Vec::new();
/// let damaged = report::dump(&mut out, "draw.bin", &[0xC001_2D00, 3, 2], &DumpOptions::new(Gfx::Gfx11, Queue::Graphics))?;
/// assert!(!damaged);
/// let text = String::from_utf8_lossy(&out);
/// assert!(text.starts_with("# generation gfx11, queue gfx\n000000  c0012d00  DRAW_INDEX_AUTO          index_count=3 "));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// What writing to `out` fails with.
pub fn dump(out: &mut dyn Write, name: &str, words: &[u32], options: &DumpOptions) -> io::Result<bool> {
    let mut dump = Dump::begin(out, options)?;
    dump.stream(name, words, &[])
}

/// Prints the packets of files of little-endian 32-bit words, each a name and what the file holds, as [`dump`] does. Text names the files where there are
/// several. Bytes after the last whole word are damage.
///
/// ```
/// use pm4::{chip::Gfx, packet::Queue, report::{self, DumpOptions, OutputFormat}};
/// # #[cfg(feature = "gfx11")] {
/// let options = DumpOptions { format: OutputFormat::Json, ..DumpOptions::new(Gfx::Gfx11, Queue::Graphics) };
/// let mut out = Vec::new();
/// let damaged = report::dump_files(&mut out, &[("nop.bin", &[0x00, 0x10, 0xFF, 0xFF, 0x80])], &options)?;
/// assert!(damaged, "a byte is left");
/// assert_eq!(String::from_utf8_lossy(&out).lines().count(), 2);
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// What writing to `out` fails with.
pub fn dump_files(out: &mut dyn Write, files: &[(&str, &[u8])], options: &DumpOptions) -> io::Result<bool> {
    let mut dump = Dump::begin(out, options)?;
    let mut damaged = false;
    for (name, bytes) in files {
        let (whole, rest) = bytes.as_chunks::<4>();
        let words: Vec<u32> = whole.iter().map(|word| u32::from_le_bytes(*word)).collect();
        if options.format == OutputFormat::Text && files.len() > 1 {
            writeln!(dump.out, "# {}", name.escape_debug())?;
        }
        damaged |= dump.stream(name, &words, rest)?;
    }
    Ok(damaged)
}

/// Streams on their way to `out`, a packet at a time.
struct Dump<'o> {
    out: &'o mut dyn Write,
    options: DumpOptions,
    text: PacketText,
    line: String,
}

impl<'o> Dump<'o> {
    fn begin(out: &'o mut dyn Write, options: &DumpOptions) -> io::Result<Self> {
        let text = PacketText::new(options.gfx, options.queue).color(options.color);
        let mut dump = Self { out, options: *options, text, line: String::new() };
        if options.format == OutputFormat::Text {
            dump.text.title(&mut dump.line);
        }
        dump.flush()?;
        Ok(dump)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }

    /// Whether the stream is damaged.
    fn stream(&mut self, name: &str, words: &[u32], rest: &[u8]) -> io::Result<bool> {
        let records = PacketJson::new(name, self.options.gfx, self.options.queue);
        let mut damaged = !rest.is_empty();
        for item in Reader::new(words) {
            damaged |= match self.options.format {
                OutputFormat::Json => records.item(&mut self.line, &item, words),
                OutputFormat::Text => self.text.item(&mut self.line, &item, words),
            };
            self.flush()?;
        }
        match self.options.format {
            _ if rest.is_empty() => {}
            OutputFormat::Json => records.odd_bytes(&mut self.line, words.len(), rest),
            OutputFormat::Text => self.text.odd_bytes(&mut self.line, words.len(), rest),
        }
        self.flush()?;
        Ok(damaged)
    }
}
