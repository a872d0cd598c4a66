//! Assembles the output of `dump` back to words.

use crate::input::ground::{BufferUse, Head, Input, InputBuffer, InputPlace, words_of};
use crate::report;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::Value;

pub fn is(head: &Head<'_>) -> bool {
    if !head.is_text {
        return false;
    }
    let text = String::from_utf8_lossy(head.bytes);
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty());
    lines.any(|line| line.starts_with("# generation ")) || text.trim_start().starts_with(r#"{"type":""#)
}

/// Returns the generation that the text names.
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
        // If one line cannot be read, the lines before it are kept.
        if let Err(error) = assembler.line(line) {
            input.damage(InputPlace::Line(index + 1), error.problem);
            break;
        }
    }
    let report::Salvaged { bytes, parts, error } = assembler.salvage();
    if let Some(error) = error {
        input.damage(InputPlace::Line(error.line), error.problem);
    }
    input.buffers = buffers(&bytes, &parts);
}

/// Returns one buffer per queue named in the text, in order. If there are several, they are named after their queues, with a number if a queue repeats.
fn buffers(bytes: &[u8], parts: &[report::Part]) -> Vec<InputBuffer> {
    let queues = parts.iter().map(|part| Some(part.queue)).chain(parts.is_empty().then_some(None));
    let ends = parts.iter().skip(1).map(|part| part.start).chain([bytes.len()]);
    let mut start = 0;
    let mut buffers: Vec<InputBuffer> = Vec::new();
    for (queue, end) in queues.zip(ends) {
        let mut buffer = InputBuffer { queue, ..InputBuffer::new("", BufferUse::Submitted) };
        words_of(bytes.get(start..end).unwrap_or_default(), &mut buffer);
        start = end;
        if !buffer.words.is_empty() || !buffer.trailing_bytes.is_empty() || end == bytes.len() && buffers.is_empty() {
            buffers.push(buffer);
        }
    }
    if buffers.len() > 1 {
        name(&mut buffers);
    }
    buffers
}

fn name(buffers: &mut [InputBuffer]) {
    let mut seen = BTreeMap::new();
    for buffer in buffers {
        let queue = buffer.queue.map_or("", report::queue_name);
        let number = seen.entry(queue).and_modify(|number| *number += 1).or_insert(1);
        buffer.name = if *number > 1 { format!("{queue} {number}") } else { queue.to_string() };
    }
}
