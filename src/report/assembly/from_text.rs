//! The text form to bytes.
//!
//! ```text
//! 000012  c0016900  SET_CONTEXT_REG        …  ; 00000203 00018600      a packet: offset, header, and after `;` the body
//!                    ; 00000000 00000001 …                             more body, or the words of damage
//!                   2880c DB_SHADER_CONTROL …                          a register write, for people
//! 000016  error: …                                                     damage; its words are below
//! # generation gfx11, queue gfx                                         how the words are read from here on
//! # …                                                                  a remark
//! ```

use super::error::{AssemblyError, brief};
use super::packet;
use crate::chip::Gfx;
use crate::packet::{Header, Packet, Queue};
use crate::queues::Version;
use crate::report::dump::PacketText;
use crate::report::dump::{TITLE, without_colour};
use crate::report::queues;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The state of the lines so far.
#[derive(Debug, Default)]
pub struct Lines {
    open: Option<Open>,
    /// How `dump` read the words, if the text says so.
    view: Option<View>,
    /// The version of a queue that is not PM4.
    version: Option<Version>,
}

/// Generation and queue of a title, and the printer for them.
#[derive(Debug)]
struct View {
    queue: Queue,
    printer: PacketText,
    /// The printer with fields that are 0, as of `dump --zero`.
    zeros: PacketText,
    /// Whether the current text has fields that are 0.
    has_zeros: bool,
}

impl View {
    fn new(gfx: Gfx, queue: Queue) -> Self {
        let printer = PacketText::new(gfx, queue);
        Self { queue, zeros: printer.clone().zeros(true), printer, has_zeros: false }
    }

    /// Compares the text of a packet with its words. The print with all fields is compared only if the other differs, and from then on.
    fn contradiction(&mut self, header: u32, open: &Open) -> Result<(), (usize, String)> {
        if !self.has_zeros && contradiction(&mut self.printer, header, open).is_ok() {
            return Ok(());
        }
        self.has_zeros = true;
        contradiction(&mut self.zeros, header, open)
    }
}

#[derive(Debug)]
struct Open {
    line: usize,
    /// The header; None after an error line.
    header: Option<u32>,
    body: Vec<u32>,
    /// The text of the packet after its header.
    text: String,
    /// Register writes in the text: line, text, value.
    writes: Vec<(usize, String, u32)>,
}

impl Lines {
    pub fn take(&mut self, number: usize, line: &str, out: &mut Vec<u8>) -> Result<(), AssemblyError> {
        let line = &without_colour(line);
        self.read(number, line, out).map_err(|(line, problem)| AssemblyError { line, problem })
    }

    /// Returns the queue that the last title names.
    pub fn queue(&self) -> Option<Queue> {
        self.view.as_ref().map(|view| view.queue)
    }

    pub fn end(&mut self, out: &mut Vec<u8>) -> Result<(), AssemblyError> {
        self.close(out).map_err(|(line, problem)| AssemblyError { line, problem })
    }

    fn read(&mut self, number: usize, line: &str, out: &mut Vec<u8>) -> Result<(), (usize, String)> {
        let here = |problem: String| (number, problem);
        if let Some(title) = line.strip_prefix(TITLE) {
            self.close(out)?;
            let (gfx, queue) = title.split_once(", queue ").ok_or_else(|| here(format!("{:?} names no queue", brief(title))))?;
            let (gfx, queue) = packet::view(gfx, queue).map_err(here)?;
            self.view = Some(View::new(gfx, queue));
            self.version = None;
        }
        if let Some(version) = line.strip_prefix(queues::TITLE).and_then(queues::version) {
            self.close(out)?;
            self.version = Some(version);
        }
        if line.starts_with('#') {
            return Ok(());
        }
        let (text, behind) = line.split_once(';').map_or((line, None), |(text, words)| (text, Some(words)));
        let mut columns = text.split_whitespace();
        if !line.starts_with(char::is_whitespace) {
            self.close(out)?;
            let offset = columns.next().unwrap_or_default();
            // Decimal; older dumps have hexadecimal ones.
            if offset.is_empty() || !offset.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(here(format!("starts with {:?}, not with the offset of a packet", brief(offset))));
            }
            let header = match columns.next() {
                Some("error:") => None,
                Some(word) if word.len() == 8 => Some(hex(word).ok_or_else(|| here(format!("{:?} is not a header", brief(word))))?),
                other => return Err(here(format!("{:?} is not a header of eight hexadecimal digits", brief(other.unwrap_or_default())))),
            };
            let text = columns.by_ref().collect::<Vec<_>>().join(" ");
            self.open = Some(Open { line: number, header, body: Vec::new(), text, writes: Vec::new() });
        }
        let Some(open) = &mut self.open else { return Err(here("is before the first packet".into())) };
        if let Some(behind) = behind {
            for word in behind.split_whitespace() {
                match (word.len(), hex(word), open.header) {
                    (8, Some(value), _) => open.body.push(value),
                    // Bytes after the last dword of the file.
                    (2, Some(value), None) => {
                        packet::words(&core::mem::take(&mut open.body), out);
                        out.push(value as u8);
                    }
                    _ => return Err(here(format!("{:?} is not a word of eight hexadecimal digits", brief(word)))),
                }
            }
        } else if line.starts_with(char::is_whitespace) && open.header.is_some() {
            // A register write: address, name, value.
            let value = columns.nth(2).filter(|v| v.len() == 8).and_then(hex);
            let value = value.ok_or_else(|| here("is neither a packet, nor words after `;`, nor a register write".into()))?;
            open.writes.push((number, line.trim().to_owned(), value));
        }
        Ok(())
    }

    /// Ends the packet: everything before the next one belongs to it.
    fn close(&mut self, out: &mut Vec<u8>) -> Result<(), (usize, String)> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let Some(header) = open.header else {
            packet::words(&open.body, out);
            return Ok(());
        };
        if let Some(version) = self.version {
            return other_queue(version, header, &open, out).map_err(|problem| (open.line, problem));
        }
        packet::packet(header, &open.body, out).map_err(|problem| (open.line, problem))?;
        match &mut self.view {
            Some(view) => view.contradiction(header, &open),
            // Only the values of registers can be compared with the words.
            None => packet::values_agree(open.writes.iter().map(|write| write.2), &open.body).map_err(|problem| (open.line, problem)),
        }
    }
}

/// Appends a packet of a non-PM4 queue.
fn other_queue(version: Version, header: u32, open: &Open, out: &mut Vec<u8>) -> Result<(), String> {
    let mut words = alloc::vec![header];
    words.extend_from_slice(&open.body);
    match queues::contradiction(version, &words, &open.text)? {
        Some(part) => Err(format!("says {}, but the words of the packet do not: change the words, because only they are assembled", brief(&part))),
        None => {
            packet::words(&words, out);
            Ok(())
        }
    }
}

/// Compares the text of a packet with its words: text edited without its words is an error. Omissions are not a contradiction.
fn contradiction(view: &mut PacketText, header: u32, open: &Open) -> Result<(), (usize, String)> {
    let mut meant = String::new();
    view.packet(&mut meant, &Packet { offset: 0, header: Header(header), body: &open.body });
    let mut lines = meant.lines();
    let first = lines.next().and_then(|line| line.split(';').next()).unwrap_or_default();
    let text: Vec<&str> = first.split_whitespace().skip(2).collect();
    differs(&open.text, &text).map_or(Ok(()), |problem| Err((open.line, problem)))?;
    let mut writes = lines.filter(|line| !line.contains(';')).map(|line| line.split_whitespace().collect::<Vec<_>>());
    for (line, said, _) in &open.writes {
        // Writes omitted from the text are skipped.
        let mut last = None;
        let found = writes.by_ref().find(|meant| {
            let problem = differs(said, meant);
            let same = problem.is_none();
            if said.split_whitespace().next() == meant.first().copied() {
                last = problem;
            }
            same
        });
        if found.is_none() {
            return Err((
                *line,
                last.unwrap_or_else(|| format!("{:?} is not a register write of the packet: change the words, because only they are assembled", brief(said))),
            ));
        }
    }
    Ok(())
}

/// Returns the first part of the text that is not in the expected text.
fn differs(said: &str, meant: &[&str]) -> Option<String> {
    // In the output of `dump` they are at the same place; otherwise a part is searched among those with its name.
    let mut named: Option<BTreeMap<&str, Vec<&str>>> = None;
    let mut is_meant = |(at, said): (usize, &str)| {
        meant.get(at).is_some_and(|meant| same(said, meant)) || {
            let named = named.get_or_insert_with(|| {
                meant.iter().fold(BTreeMap::new(), |mut named, part| {
                    named.entry(value_of(part).0).or_insert_with(Vec::new).push(part);
                    named
                })
            });
            named.get(value_of(said).0).is_some_and(|parts| parts.iter().any(|meant| same(said, meant)))
        }
    };
    let (_, wrong) = said.split_whitespace().enumerate().find(|said| !is_meant(*said))?;
    let (name, _) = value_of(wrong);
    let other = meant.iter().find(|meant| wrong.contains('=') && value_of(meant).0 == name);
    Some(match other {
        Some(other) => {
            format!("says {}, but the words of the packet say {}: change the words, because only they are assembled", brief(bare(wrong)), brief(bare(other)))
        }
        None => format!(
            "says {}, but the words of the packet say nothing of this name ({}): correct the name, or change the words, because only they are assembled",
            brief(bare(wrong)),
            meant.first().map_or_else(|| "nothing at all".into(), |first| format!("they say {} …", brief(bare(first))))
        ),
    })
}

/// Returns whether two parts of a line are equal; a number may be decimal or hexadecimal.
fn same(a: &str, b: &str) -> bool {
    let ((name_a, value_a), (name_b, value_b)) = (value_of(a), value_of(b));
    name_a == name_b && (value_a == value_b || value_a.and_then(number).is_some_and(|value| value_b.and_then(number) == Some(value)))
}

/// Splits `name=value`, without the brackets around the inner bits of a field.
fn value_of(part: &str) -> (&str, Option<&str>) {
    bare(part).split_once('=').map_or((bare(part), None), |(name, value)| (name, Some(value)))
}

fn bare(part: &str) -> &str {
    part.trim_start_matches('(').trim_end_matches(')')
}

fn number(digits: &str) -> Option<u64> {
    digits.strip_prefix("0x").map_or_else(|| digits.parse().ok(), |hex| u64::from_str_radix(hex, 16).ok())
}

fn hex(digits: &str) -> Option<u32> {
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}
