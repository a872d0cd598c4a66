//! From what `dump` prints back to the stream: JSON records or text, line by line.

mod json;
mod text;

use crate::packets::queue_name;
use pm4::chip::Gfx;
use pm4::packet::{Header, Queue};
use std::fmt;

/// What cannot be assembled, and where it stands.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line of the input, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

/// Takes lines, keeps bytes. The first line that is not empty decides between JSON and text.
#[derive(Default)]
pub struct Assembler {
    bytes: Vec<u8>,
    line: usize,
    form: Form,
}

#[derive(Default)]
enum Form {
    #[default]
    Open,
    Json,
    Text(text::Lines),
}

impl Assembler {
    /// Takes one line, with or without its line feed.
    ///
    /// # Errors
    /// The first mistake; the assembler is of no use after it.
    pub fn line(&mut self, line: &[u8]) -> Result<(), Mistake> {
        self.line += 1;
        let mistake = |line, problem| Mistake { line, problem };
        let Ok(line) = std::str::from_utf8(line) else { return Err(mistake(self.line, "is not UTF-8: asm reads what dump prints, not streams".into())) };
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(());
        }
        if let Form::Open = self.form {
            self.form = if line.starts_with('{') { Form::Json } else { Form::Text(text::Lines::default()) };
        }
        match &mut self.form {
            Form::Text(lines) => lines.take(self.line, line, &mut self.bytes),
            _ => json::record(line, &mut self.bytes).map_err(|problem| mistake(self.line, problem)),
        }
    }

    /// The stream.
    ///
    /// # Errors
    /// The last packet has too few words.
    pub fn finish(mut self) -> Result<Vec<u8>, Mistake> {
        if let Form::Text(lines) = &mut self.form {
            lines.end(&mut self.bytes)?;
        }
        Ok(self.bytes)
    }
}

/// Appends a packet, if its header describes the body.
fn packet(header: u32, body: &[u32], out: &mut Vec<u8>) -> Result<(), String> {
    let wanted = Header(header).body_dwords();
    if body.len() != wanted {
        return Err(format!("header {header:#010x} announces {wanted} body dwords, but {} stand here", body.len()));
    }
    words(&[header], out);
    words(body, out);
    Ok(())
}

/// Generation and queue by their names.
fn view(gfx: &str, queue: &str) -> Result<(Gfx, Queue), String> {
    let known = [Queue::Graphics, Queue::Compute, Queue::Constant];
    let queue = known.into_iter().find(|q| queue_name(*q) == queue).ok_or_else(|| format!("{queue:?} is no queue"))?;
    Ok((gfx.parse().map_err(|_| format!("{gfx:?} is no generation"))?, queue))
}

fn words(words: &[u32], out: &mut Vec<u8>) {
    out.extend(words.iter().flat_map(|w| w.to_le_bytes()));
}

/// Whether the values of the register writes that were printed beside a body stand in it, in this order: who changes only the print changes nothing.
fn told_values(values: impl Iterator<Item = u32>, body: &[u32]) -> Result<(), String> {
    let mut rest = body.iter();
    for value in values {
        if !rest.any(|word| *word == value) {
            return Err(format!("a register write says {value:#010x}, but the words of the packet do not: change the words, they are what is assembled"));
        }
    }
    Ok(())
}
