//! An assembler of lines.

use super::error::AssemblyError;
use super::{from_json, from_text};
use crate::packet::Queue;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use std::io::{self, BufRead, ErrorKind, Read};

/// The longest line, in bytes: the largest packet with every register write printed takes less than a fifth of this.
const LINE_LIMIT: u64 = 64 << 20;

/// Reads the output of [`dump`](crate::report::dump()), text or JSON records, and returns the stream, byte for byte.
///
/// The stream is built from headers and bodies (in text, the words after `;`), and the words and bytes of damage. Fields, flags and register writes are for
/// readers; they may be omitted, but a contradiction to the words is an error (in text, if the first line names generation and queue). Records of draws,
/// dispatches, findings, summaries and explanations are skipped.
///
/// ```
/// use pm4::{chip::Gfx, packet::Queue, report::{self, DumpOptions}};
/// # #[cfg(feature = "gfx11")] {
/// let mut text = Vec::new();
/// report::dump(&mut text, "draw.bin", &[0xC001_2D00, 3, 2], &DumpOptions::new(Gfx::Gfx11, Queue::Graphics))?;
/// assert_eq!(report::assemble(&mut text.as_slice())?, [0x00, 0x2D, 0x01, 0xC0, 3, 0, 0, 0, 2, 0, 0, 0]);
///
/// let error = report::assemble(&mut &b"000000  c0012d00  DRAW_INDEX_AUTO ; 3"[..]).unwrap_err();
/// assert_eq!(error.to_string(), "line 1: \"3\" is not a word of eight hexadecimal digits");
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Errors of reading, and [`ErrorKind::InvalidData`] around an [`AssemblyError`] for the first line that cannot be assembled.
pub fn assemble(input: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    let invalid = |error| io::Error::new(ErrorKind::InvalidData, error);
    let mut assembler = Assembler::default();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        match (&mut *input).take(LINE_LIMIT).read_until(b'\n', &mut line)? {
            0 => break,
            n if n as u64 == LINE_LIMIT => return Err(invalid(AssemblyError { line: number, problem: format!("is longer than {LINE_LIMIT} bytes") })),
            _ => assembler.line(&line).map_err(invalid)?,
        }
    }
    assembler.finish().map_err(invalid)
}

/// Assembles lines to bytes: [`assemble`] for a caller who has lines. The first non-empty line decides between JSON and text.
///
/// ```
/// use pm4::report::Assembler;
///
/// let mut assembler = Assembler::default();
/// assembler.line(br#"{"type":"packet","header":"0xc0012d00","body":["0x00000003","0x00000002"]}"#)?;
/// assert_eq!(assembler.finish()?, [0x00, 0x2D, 0x01, 0xC0, 3, 0, 0, 0, 2, 0, 0, 0]);
/// # Ok::<(), pm4::report::AssemblyError>(())
/// ```
#[derive(Debug, Default)]
pub struct Assembler {
    bytes: Vec<u8>,
    line: usize,
    form: Form,
    parts: Vec<Part>,
}

/// Bytes printed for one queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// The first of them; they extend to the next part.
    pub start: usize,
    pub queue: Queue,
}

/// The valid part of an assembler's input.
#[cfg(feature = "input")]
pub(crate) struct Salvaged {
    pub bytes: Vec<u8>,
    /// The parts by queue; empty if no queue is named.
    pub parts: Vec<Part>,
    /// The error of the last packet.
    pub error: Option<AssemblyError>,
}

#[derive(Debug, Default)]
enum Form {
    #[default]
    Open,
    Json,
    Text(Box<from_text::Lines>),
}

impl Assembler {
    /// Reads one line, with or without its line feed.
    ///
    /// # Errors
    /// The first mistake; the assembler cannot be used after it.
    pub fn line(&mut self, line: &[u8]) -> Result<(), AssemblyError> {
        self.line += 1;
        let mistake = |line, problem| AssemblyError { line, problem };
        let Ok(line) = core::str::from_utf8(line) else {
            return Err(mistake(self.line, "is not UTF-8: give the text or JSON that dump prints, not the binary stream".into()));
        };
        let line = if self.line == 1 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line }.trim_end();
        if line.is_empty() {
            return Ok(());
        }
        if let Form::Open = self.form {
            self.form = if line.starts_with('{') { Form::Json } else { Form::Text(Box::default()) };
        }
        let before = self.bytes.len();
        let (start, queue) = match &mut self.form {
            Form::Text(lines) => {
                lines.take(self.line, line, &mut self.bytes)?;
                // A title ends the previous packet.
                (self.bytes.len(), lines.queue())
            }
            _ => (before, from_json::record(line, &mut self.bytes).map_err(|problem| mistake(self.line, problem))?),
        };
        match (queue, self.parts.last()) {
            // Lines before the first named queue belong to that queue.
            (Some(queue), None) => self.parts.push(Part { start: 0, queue }),
            (Some(queue), Some(part)) if part.queue != queue => self.parts.push(Part { start, queue }),
            _ => {}
        }
        Ok(())
    }

    /// Returns the stream.
    ///
    /// # Errors
    /// The last packet has too few words.
    pub fn finish(mut self) -> Result<Vec<u8>, AssemblyError> {
        if let Form::Text(lines) = &mut self.form {
            lines.end(&mut self.bytes)?;
        }
        Ok(self.bytes)
    }

    /// Returns the valid part of the stream, and the error of the last packet.
    #[cfg(feature = "input")]
    pub(crate) fn salvage(mut self) -> Salvaged {
        let error = match &mut self.form {
            Form::Text(lines) => lines.end(&mut self.bytes).err(),
            _ => None,
        };
        Salvaged { bytes: self.bytes, parts: self.parts, error }
    }
}
