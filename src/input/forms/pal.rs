//! Command buffer dumps of PAL debug builds (cmdBufDumpFormat): text, `.pm4` with headers of lists and chunks, `.bin` of older builds with one list header.

use super::{BufferUse, Head, Input, InputBuffer, InputPlace, words_of};
use crate::input::text::{self, brief, hex32};
use crate::packet::Queue;
use crate::plurals::{counted, counted_are};
use alloc::format;
use alloc::string::{String, ToString};

/// What a text part is headed by.
const TITLE: &str = " Command length = ";

/// Sizes that are first in the headers: of a file, a list of chunks, a chunk of a nested buffer.
const FILE: u32 = 20;
const LIST: u32 = 12;
const NESTED: u32 = 24;

/// Engines by the number in the header of a chunk: queue, and what it is.
const ENGINES: [(Option<Queue>, &str); 5] =
    [(Some(Queue::Graphics), "DE"), (Some(Queue::Constant), "CE"), (Some(Queue::Constant), "CE preamble"), (Some(Queue::Compute), "compute"), (None, "SDMA")];

pub fn is(head: &Head<'_>) -> bool {
    if head.is_text {
        return head.bytes.windows(2).any(|pair| pair == b"# ") && head.has(TITLE);
    }
    let word = |n: usize| word(head.bytes, 4 * n);
    // No stream begins with these: they would be packets of type 0.
    matches!((word(0), word(1)), (Some(FILE), Some(1))) || matches!((word(0), word(1), word(2)), (Some(LIST), Some(0..=15), Some(1..=0xFFFF)))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

pub fn parse(bytes: &[u8], input: &mut Input) {
    match word(bytes, 0) {
        Some(FILE) if word(bytes, 4) == Some(1) => chunks(bytes, input),
        Some(LIST) => {
            let mut buffer = InputBuffer::new("", BufferUse::Submitted);
            words_of(&bytes[(LIST as usize).min(bytes.len())..], &mut buffer);
            input.buffers.push(buffer);
        }
        _ => lines(bytes, input),
    }
}

/// What a part is for by its title: `Universal Queue - DE`, `Compute Queue -`.
fn queue_of(title: &str) -> Option<Queue> {
    match title {
        _ if title.contains("DMA") => None,
        _ if title.contains("CE") && !title.contains("ACE") => Some(Queue::Constant),
        _ if title.contains("Compute") || title.contains("ACE") => Some(Queue::Compute),
        _ => Some(Queue::Graphics),
    }
}

fn lines(bytes: &[u8], input: &mut Input) {
    let mut claimed: Option<(usize, usize)> = None;
    for line in text::lines(bytes) {
        let text = line.text.trim();
        if let Some((title, count)) = text.strip_prefix("# ").and_then(|title| title.split_once(TITLE)) {
            close(input, claimed.take());
            let title = title.trim_end_matches([' ', '-']).to_string();
            claimed = count.trim().parse().ok().map(|count| (line.number, count));
            let queue = queue_of(&title);
            let used = if queue.is_some() { BufferUse::Submitted } else { BufferUse::NotExecuted };
            input.buffers.push(InputBuffer { queue, expected_dwords: claimed.map(|claimed| claimed.1), ..InputBuffer::new(title, used) });
        } else if !text.is_empty() && !text.starts_with('#') {
            match (hex32(text), input.buffers.last_mut()) {
                (Some(word), Some(buffer)) => buffer.words.push(word),
                (Some(_), None) => input.damage(InputPlace::Line(line.number), "a word is before the first title: it is left out".into()),
                (None, _) => input.damage(InputPlace::Line(line.number), format!("{:?} is not a word: it is left out", brief(text))),
            }
        }
    }
    close(input, claimed);
    input.buffers.retain(|buffer| {
        // SDMA packets are not PM4 packets.
        buffer.usage != BufferUse::NotExecuted
    });
}

fn close(input: &mut Input, claimed: Option<(usize, usize)>) {
    let Some((line, claimed)) = claimed else { return };
    let have = input.buffers.last().map_or(0, |buffer| buffer.words.len());
    if have < claimed {
        input.damage(InputPlace::Line(line), format!("{} announced, but only {have} present", counted(claimed, "dword")));
    }
}

fn chunks(bytes: &[u8], input: &mut Input) {
    let field = |at| word(bytes, at);
    input.facts.push(("asic family", field(8).map_or_else(String::new, |family| family.to_string())));
    let nested_from = field(16).unwrap_or(u32::MAX);
    let mut at = FILE as usize;
    while let (Some(size), Some(_engine), Some(count)) = (field(at), field(at + 4), field(at + 8)) {
        if size != LIST {
            input.damage(InputPlace::Byte(at as u64), format!("the header of a list has {LIST} bytes, but this one announces {size}"));
            return;
        }
        at += LIST as usize;
        for n in 0..count {
            let nested = n >= nested_from;
            let (head, Some(size), Some(data)) = (if nested { NESTED } else { LIST }, field(at), field(at + 4)) else {
                return input.damage(InputPlace::Byte(at as u64), format!("chunk {n} is missing, the list has {count} from 0 on: the file was cut off"));
            };
            if size != head {
                return input.damage(InputPlace::Byte(at as u64), format!("the header of chunk {n} has {head} bytes, but this one announces {size}"));
            }
            let (queue, engine) = field(at + 8).and_then(|engine| ENGINES.get(engine as usize)).copied().unwrap_or((None, "of an unknown engine"));
            let addr = nested.then(|| field(at + 16).zip(field(at + 20)).map(|(low, high)| u64::from(high) << 32 | u64::from(low))).flatten();
            at += head as usize;
            let end = at.saturating_add(data as usize);
            let words = bytes.get(at..end.min(bytes.len())).unwrap_or_default();
            if end > bytes.len() {
                input.damage(
                    InputPlace::Byte(bytes.len() as u64),
                    format!("chunk {n} has {}, but only {} present", counted(data, "byte"), counted_are(words.len(), "byte")),
                );
            }
            if queue.is_some() {
                let used = if nested { BufferUse::Memory } else { BufferUse::Submitted };
                let mut buffer = InputBuffer { queue, addr, ..InputBuffer::new(format!("{engine} {n}"), used) };
                words_of(words, &mut buffer);
                input.buffers.push(buffer);
            }
            at = end;
            if at >= bytes.len() && n + 1 < count {
                return input
                    .damage(InputPlace::Byte(bytes.len() as u64), format!("chunk {} is missing, the list has {count} from 0 on: the file was cut off", n + 1));
            }
        }
    }
}
