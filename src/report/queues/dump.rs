//! Prints streams of non-PM4 queues.

use super::{to_json, to_text};
use crate::queues::{QueueReader, Version};
use crate::report::dump::odd_bytes;
use crate::report::ground::OutputFormat;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::io::{self, Write};

/// Options of [`QueueDump`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueDumpOptions {
    /// The version of the stream.
    pub version: Version,
    /// Text, or JSON Lines.
    pub format: OutputFormat,
    /// Whether text shows fields that are 0.
    pub zeros: bool,
}

/// Prints packets of non-PM4 queues: [`assemble`](crate::report::assemble) converts the output back to a stream.
///
/// ```
/// use pm4::queues::{QueueFamily, Version};
/// use pm4::report::{OutputFormat, QueueDump, QueueDumpOptions};
/// let version = Version::new(QueueFamily::Sdma, "6.0").expect("a version");
/// let mut out = Vec::new();
/// let mut dump = QueueDump::new(&mut out, QueueDumpOptions { version, format: OutputFormat::Text, zeros: false })?;
/// let damaged = dump.stream("fence.bin", &[0x0003_0005, 0x2345_6000, 1, 0x1234], &[])?;
/// assert!(!damaged);
/// let text = String::from_utf8_lossy(&out);
/// assert_eq!(text, "# queue sdma, version 6.0\n000000  00030005  FENCE                  mtype=3 addr=0x123456000 data=0x1234 ; 23456000 00000001 00001234\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[allow(missing_debug_implementations, reason = "it holds a writer")]
pub struct QueueDump<'o> {
    out: &'o mut dyn Write,
    options: QueueDumpOptions,
    from: usize,
    to: usize,
    packets: Vec<String>,
    printed: u64,
}

/// Bytes of text collected before a write.
const WRITTEN_AT: usize = 1 << 16;

impl<'o> QueueDump<'o> {
    /// Creates a dump to `out`. Text begins with the line that names queue and version.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn new(out: &'o mut dyn Write, options: QueueDumpOptions) -> io::Result<Self> {
        if options.format == OutputFormat::Text {
            writeln!(out, "{}{}, version {}", super::TITLE, options.version.family(), options.version.name())?;
        }
        Ok(Self { out, options, from: 0, to: usize::MAX, packets: Vec::new(), printed: 0 })
    }

    /// Prints only packets that begin in a range of dwords and, if any are named, have one of the names. Damage is printed within the range.
    #[must_use]
    pub fn only(mut self, from: Option<usize>, to: Option<usize>, packets: &[String]) -> Self {
        (self.from, self.to) = (from.unwrap_or(0), to.unwrap_or(usize::MAX));
        self.packets = packets.to_vec();
        self
    }

    /// Returns the number of packets printed so far.
    pub fn printed(&self) -> u64 {
        self.printed
    }

    /// Writes a comment line in text; nothing in JSON.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn comment(&mut self, text: &str) -> io::Result<()> {
        match self.options.format {
            OutputFormat::Text => writeln!(self.out, "## {}", text.escape_debug()),
            OutputFormat::Json => Ok(()),
        }
    }

    /// Prints a stream, and the bytes after its last word. Returns whether it is damaged.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn stream(&mut self, name: &str, words: &[u32], bytes: &[u8]) -> io::Result<bool> {
        let file = serde_json::Value::from(name).to_string();
        let (mut out, mut damaged) = (String::new(), false);
        for item in QueueReader::new(self.options.version, words) {
            match item {
                Ok(packet) => {
                    let defect = packet.defect();
                    damaged |= defect.is_some();
                    let named = self.packets.is_empty() || self.packets.iter().any(|name| name.eq_ignore_ascii_case(packet.name()));
                    if !(self.from..=self.to).contains(&packet.offset) || !named {
                        continue;
                    }
                    self.printed += 1;
                    match self.options.format {
                        OutputFormat::Json => to_json::record(&mut out, &file, &packet),
                        OutputFormat::Text => to_text::line(&mut out, &packet, self.options.zeros),
                    }
                    if let Some(defect) = defect {
                        self.error(&mut out, &file, packet.offset, &defect.to_string(), &[], &[]);
                    }
                }
                Err(damage) => {
                    damaged = true;
                    if (self.from..=self.to).contains(&damage.offset) {
                        let lost = words.get(damage.offset..damage.offset + damage.dwords).unwrap_or_default();
                        self.error(&mut out, &file, damage.offset, &damage.to_string(), lost, &[]);
                    }
                }
            }
            if out.len() >= WRITTEN_AT {
                self.out.write_all(out.as_bytes())?;
                out.clear();
            }
        }
        if !bytes.is_empty() {
            damaged = true;
            self.error(&mut out, &file, words.len(), &odd_bytes(bytes), &[], bytes);
        }
        self.out.write_all(out.as_bytes())?;
        Ok(damaged)
    }

    fn error(&self, out: &mut String, file: &str, dword: usize, message: &str, words: &[u32], bytes: &[u8]) {
        match self.options.format {
            OutputFormat::Json => {
                let words = (bytes.is_empty() || !words.is_empty()).then_some(words);
                to_json::error(out, file, dword, message, words, bytes);
            }
            OutputFormat::Text => to_text::error(out, dword, message, words, bytes),
        }
    }
}
