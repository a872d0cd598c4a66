//! Streams decoded: every packet with its fields, every register write with its name and fields.

mod field_values;
mod hex_digits;
mod packet_filter;
mod text_cache;
mod to_json;
mod to_text;

#[cfg(feature = "input")]
pub(crate) use field_values::addresses;
pub(super) use field_values::odd_bytes;
#[cfg(feature = "html")]
pub(super) use field_values::{after_gap, beyond};
pub use packet_filter::{FilterError, PacketFilter};
pub use to_json::PacketJson;
pub use to_text::PacketText;
pub(in crate::report) use to_text::number;
pub(super) use to_text::{TITLE, without_colour};

use crate::chip::Gfx;
use crate::packet::{DecodeError, Defect, Header, Packet, Queue, Reader};
use crate::report::ground::OutputFormat;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use std::io::{self, Write};

/// How [`dump`] reads words and prints packets.
///
/// For an example see [`dump`](crate::report::dump).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DumpOptions {
    /// The generation of the stream.
    pub gfx: Gfx,
    /// The queue of the stream; the layout of some packets depends on it.
    pub queue: Queue,
    /// Text, or JSON Lines.
    pub format: OutputFormat,
    /// Whether text contains escape sequences for colours on a terminal.
    pub color: bool,
    /// Whether text also shows fields that are 0.
    pub zeros: bool,
}

impl DumpOptions {
    /// Creates options for text without colours.
    pub fn new(gfx: Gfx, queue: Queue) -> Self {
        Self { gfx, queue, format: OutputFormat::Text, color: false, zeros: false }
    }
}

/// Prints the packets of a stream. In JSON records `name` is the file; text starts with a line that names generation and queue, which
/// [`assemble`](super::assemble) needs. Returns whether the stream is damaged: [`Packet::defect`](crate::packet::Packet::defect) finds something in a packet,
/// or the stream is cut short. Damage is reported in place, and the rest is decoded.
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
/// Errors of writing to `out`.
pub fn dump(out: &mut dyn Write, name: &str, words: &[u32], options: &DumpOptions) -> io::Result<bool> {
    let mut dump = Dump::new(out, options)?;
    dump.begin(name);
    dump.words(words)?;
    dump.end()
}

/// Prints the packets of files of little-endian 32-bit words, given as names and contents, like [`dump`]. Text names the files if there are
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
/// Errors of writing to `out`.
pub fn dump_files(out: &mut dyn Write, files: &[(&str, &[u8])], options: &DumpOptions) -> io::Result<bool> {
    let mut dump = Dump::new(out, options)?;
    let mut damaged = false;
    for (name, bytes) in files {
        if files.len() > 1 {
            dump.comment(name)?;
        }
        dump.begin(name);
        dump.bytes(bytes)?;
        damaged |= dump.end()?;
    }
    Ok(damaged)
}

/// A printer of streams that arrive in pieces of any length: a packet is printed when its last word has arrived, and at most one packet is buffered. The output
/// does not depend on how the streams were split.
///
/// ```
/// use pm4::{chip::Gfx, packet::Queue, report::{Dump, DumpOptions}};
/// # #[cfg(feature = "gfx11")] {
/// let mut out = Vec::new();
/// let mut dump = Dump::new(&mut out, &DumpOptions::new(Gfx::Gfx11, Queue::Graphics))?;
/// dump.begin("long.bin");
/// for piece in [&[0x00, 0x2D, 0x01][..], &[0xC0, 3, 0, 0, 0, 2, 0, 0, 0]] {
///     dump.bytes(piece)?;
/// }
/// assert!(!dump.end()?, "nothing is damaged");
/// assert!(String::from_utf8_lossy(&out).contains("DRAW_INDEX_AUTO          index_count=3"));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[allow(missing_debug_implementations, reason = "it holds a writer")]
pub struct Dump<'o> {
    out: &'o mut dyn Write,
    options: DumpOptions,
    filter: PacketFilter,
    text: PacketText,
    records: PacketJson,
    line: String,
    /// Words not printed yet, and the bytes of an incomplete one.
    words: Vec<u32>,
    bytes: Vec<u8>,
    /// Dwords of the stream before `words`.
    before: usize,
    damaged: bool,
    ring: bool,
    printed: u64,
    /// Dwords of the stream with unknown values.
    unknown: Vec<Range<usize>>,
}

/// Bytes of text collected before a write: as much as writers usually buffer, so that none copies it again.
const WRITTEN_AT: usize = 1 << 16;

impl<'o> Dump<'o> {
    /// Creates a dump to `out`. Text begins with the line that names generation and queue.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn new(out: &'o mut dyn Write, options: &DumpOptions) -> io::Result<Self> {
        let text = PacketText::new(options.gfx, options.queue).color(options.color).zeros(options.zeros);
        let records = PacketJson::new("", options.gfx, options.queue);
        let (words, bytes) = (Vec::new(), Vec::new());
        let mut dump = Self {
            out,
            options: *options,
            filter: PacketFilter::default(),
            text,
            records,
            line: String::new(),
            words,
            bytes,
            before: 0,
            damaged: false,
            ring: false,
            printed: 0,
            unknown: Vec::new(),
        };
        dump.title();
        dump.write_line()?;
        Ok(dump)
    }

    /// Prints only the packets that pass the filter. Damage within the requested dwords is still reported.
    #[must_use]
    pub fn filter(mut self, filter: PacketFilter) -> Self {
        self.filter = filter;
        self
    }

    /// Reads later streams as streams of another queue.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn queue(&mut self, queue: Queue) -> io::Result<()> {
        if queue != self.options.queue {
            self.options.queue = queue;
            self.text = PacketText::new(self.options.gfx, queue).color(self.options.color).zeros(self.options.zeros);
            self.title();
        }
        self.write_line()
    }

    /// Returns the number of packets printed so far, after the [`filter`](Self::filter).
    pub fn printed(&self) -> u64 {
        self.printed
    }

    /// Sets whether later streams are rings. In a ring, a packet with a name is not damage even if no engine is known to read it, because a kernel writes
    /// packets that AMD's headers for drivers omit.
    pub fn ring(&mut self, yes: bool) {
        self.ring = yes;
    }

    /// Writes a comment line between streams in text; nothing in JSON.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn comment(&mut self, text: &str) -> io::Result<()> {
        if self.options.format == OutputFormat::Text {
            use core::fmt::Write as _;
            // No comment begins like the line that names generation and queue.
            let mark = if format!("# {text}").starts_with(TITLE) { "# " } else { "#" };
            let _ = writeln!(self.line, "{mark} {}", text.escape_debug());
        }
        self.write_line()
    }

    /// Writes a JSON record between those of packets, without its line feed; nothing among text.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn record(&mut self, record: &str) -> io::Result<()> {
        if self.options.format == OutputFormat::Json {
            self.line.push_str(record);
            self.line.push('\n');
        }
        self.write_line()
    }

    /// Flushes buffered output to the writer.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_line()?;
        self.out.flush()
    }

    fn title(&mut self) {
        if self.options.format == OutputFormat::Text {
            self.text.title(&mut self.line);
        }
    }

    fn write_line(&mut self) -> io::Result<()> {
        self.out.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }

    /// Begins a stream. In JSON records `name` is the file.
    pub fn begin(&mut self, name: &str) {
        self.records = PacketJson::new(name, self.options.gfx, self.options.queue);
        self.words.clear();
        self.bytes.clear();
        (self.before, self.damaged) = (0, false);
        self.unknown.clear();
    }

    /// States that the values of some dwords of the current stream are unknown, in order; packets are printed without them.
    pub fn unknown(&mut self, dwords: &[Range<usize>]) {
        self.unknown = dwords.to_vec();
    }

    /// Continues the stream with little-endian words.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let missing = if self.bytes.is_empty() { 0 } else { (4 - self.bytes.len()).min(bytes.len()) };
        let (head, rest) = bytes.split_at(missing);
        self.bytes.extend_from_slice(head);
        if let Ok(word) = <[u8; 4]>::try_from(self.bytes.as_slice()) {
            self.words.push(u32::from_le_bytes(word));
            self.bytes.clear();
        }
        let (whole, odd) = rest.as_chunks::<4>();
        self.words.extend(whole.iter().map(|word| u32::from_le_bytes(*word)));
        self.bytes.extend_from_slice(odd);
        self.packets(false)
    }

    /// Continues the stream with words.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn words(&mut self, words: &[u32]) -> io::Result<()> {
        self.words.extend_from_slice(words);
        self.packets(false)
    }

    /// Ends the stream. Returns whether it is damaged.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn end(&mut self) -> io::Result<bool> {
        self.packets(true)?;
        let rest = core::mem::take(&mut self.bytes);
        if !rest.is_empty() {
            self.damaged = true;
            match self.options.format {
                OutputFormat::Json => self.records.odd_bytes(&mut self.line, self.before, &rest),
                OutputFormat::Text => self.text.odd_bytes(&mut self.line, self.before, &rest),
            }
        }
        self.write_line()?;
        Ok(self.damaged)
    }

    /// Prints the complete packets; at the end, everything.
    fn packets(&mut self, end: bool) -> io::Result<()> {
        let words = core::mem::take(&mut self.words);
        let mut reader = Reader::new(&words);
        loop {
            let at = reader.offset();
            let complete = words.get(at).is_some_and(|header| at + Header(*header).dwords() <= words.len());
            if !complete && !end {
                break;
            }
            let Some(item) = reader.next() else { break };
            match item {
                Ok(packet) => {
                    let packet = Packet { offset: self.before + at, ..packet };
                    match self.known(&packet) {
                        Some(known) => self.incomplete(&packet, known),
                        None => self.packet(&packet),
                    }
                }
                Err(error) => self.gap(&error, &words),
            }
            if self.line.len() >= WRITTEN_AT {
                self.write_line()?;
            }
        }
        let read = reader.offset();
        self.before += read;
        self.words = words;
        self.words.drain(..read);
        self.write_line()
    }

    /// Returns the number of dwords of a packet before the first unknown one; None if all are known.
    fn known(&self, packet: &Packet<'_>) -> Option<usize> {
        let next = self.unknown.partition_point(|dwords| dwords.end <= packet.offset);
        let dwords = self.unknown.get(next).filter(|dwords| dwords.start < packet.offset + packet.dwords())?;
        Some(dwords.start.saturating_sub(packet.offset))
    }

    /// Prints a packet with its known words; nothing if its header is unknown.
    fn incomplete(&mut self, packet: &Packet<'_>, known: usize) {
        let shown = self.filter.is_empty() || self.filter.in_range(packet.offset) && self.filter.shows(packet, self.options.gfx);
        if known == 0 || !shown {
            return;
        }
        let packet = Packet { body: &packet.body[..known - 1], ..*packet };
        match self.options.format {
            OutputFormat::Json => self.records.packet(&mut self.line, &packet),
            OutputFormat::Text => self.text.packet(&mut self.line, &packet),
        }
        self.printed += 1;
    }

    fn packet(&mut self, packet: &Packet<'_>) {
        let gfx = self.options.gfx;
        let kernels = |defect: &Defect| self.ring && matches!(defect, Defect::UnknownOpcode { .. }) && packet.name(gfx).is_some();
        let found = packet.defect(gfx, self.options.queue);
        let defect = found.as_ref().is_some_and(|defect| !kernels(defect));
        let shown = self.filter.is_empty() || self.filter.in_range(packet.offset) && (defect || self.filter.shows(packet, self.options.gfx));
        if shown {
            let start = self.line.len();
            match self.options.format {
                OutputFormat::Json if !defect => self.records.packet(&mut self.line, packet),
                OutputFormat::Text if !defect => self.text.packet(&mut self.line, packet),
                OutputFormat::Json => {
                    self.records.checked(&mut self.line, packet);
                }
                OutputFormat::Text => {
                    self.text.checked(&mut self.line, packet);
                }
            }
            if !defect && !self.filter.has_text(&self.line[start..]) {
                self.line.truncate(start);
            } else {
                self.printed += 1;
            }
        }
        self.damaged |= defect;
    }

    /// Prints words at the end of the stream that are not a packet.
    fn gap(&mut self, error: &DecodeError, words: &[u32]) {
        self.damaged = true;
        let lost = words.get(error.offset..error.offset + error.skipped).unwrap_or_default();
        let more = error.offset + error.skipped < words.len();
        let error = DecodeError { offset: self.before + error.offset, ..*error };
        if self.filter.in_range(error.offset) {
            match self.options.format {
                OutputFormat::Json => self.records.gap(&mut self.line, &error, lost, more),
                OutputFormat::Text => self.text.gap(&mut self.line, &error, lost, more),
            }
        }
    }
}
