//! What `dump` prints, back to words: an assembler reads it.

use super::{BufferUse, Head, Input, InputBuffer, InputPlace, words_of};
use crate::report;
use alloc::string::{String, ToString};
use serde_json::Value;

pub fn is(head: &Head<'_>) -> bool {
    if !head.is_text {
        return false;
    }
    let text = String::from_utf8_lossy(head.bytes);
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty());
    lines.any(|line| line.starts_with("# generation ")) || text.trim_start().starts_with(r#"{"type":""#)
}

/// The generation that the text names.
fn generation(line: &str) -> Option<String> {
    if let Some(title) = line.strip_prefix("# generation ") {
        return title.split(',').next().map(str::to_string);
    }
    let record: Value = serde_json::from_str(line).ok()?;
    record.get("gfx")?.as_str().map(str::to_string)
}

pub fn parse(bytes: &[u8], input: &mut Input) {
    let mut assembler = report::Assembler::default();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if input.gfx.is_none() && line.len() < 1 << 20 {
            input.gfx = core::str::from_utf8(line).ok().and_then(generation).and_then(|name| name.parse().ok());
        }
        // What one line breaks off does not accept with it what came before.
        if let Err(error) = assembler.line(line) {
            input.damage(InputPlace::Line(index + 1), error.problem);
            break;
        }
    }
    let (words, error) = assembler.salvage();
    if let Some(error) = error {
        input.damage(InputPlace::Line(error.line), error.problem);
    }
    let mut buffer = InputBuffer::new("", BufferUse::Submitted);
    words_of(&words, &mut buffer);
    input.buffers.push(buffer);
}
