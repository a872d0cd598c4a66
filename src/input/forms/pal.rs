//! Command buffer dumps of PAL debug builds (cmdBufDumpFormat): text, `.pm4` with headers of lists and chunks, `.bin` of older builds with one list header.

use crate::input::ground::text::{self, brief, hex32};
use crate::input::ground::{BufferUse, Head, Input, InputBuffer, InputPlace, words_of};
use crate::packet::Queue;
use crate::plurals::{counted, counted_are};
use alloc::format;
use alloc::string::{String, ToString};

/// The heading of a text part, and that of a nested buffer (PAL cmdBuffer.cpp DumpIb2ToFile): dwords and address follow.
const TITLE: &str = " Command length = ";
const NESTED_TITLE: &str = "IB2 - Command Length: ";
const NESTED_ADDR: &str = " - IB2 GPU VA: ";

/// Sizes at the start of the headers: of a file, a list of chunks, a chunk, and a chunk of a nested buffer.
const FILE: u32 = 20;
const LIST: u32 = 12;
const CHUNK: u32 = 12;
const NESTED: u32 = 24;

/// Engines by their number in a chunk header: queue and description.
const ENGINES: [(Option<Queue>, &str); 5] =
    [(Some(Queue::Graphics), "DE"), (Some(Queue::Constant), "CE"), (Some(Queue::Constant), "CE preamble"), (Some(Queue::Compute), "compute"), (None, "SDMA")];

pub fn is(head: &Head<'_>) -> bool {
    if head.is_text {
        return head.bytes.windows(2).any(|pair| pair == b"# ") && head.has(TITLE);
    }
    let word = |n: usize| word(head.bytes, 4 * n);
    // No stream begins with these values: they would be type-0 packets.
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

/// Returns the queue in the title of a part: `Universal Queue - DE`, `Compute Queue -`.
fn queue_of(title: &str) -> Option<Queue> {
    match title {
        _ if title.contains("DMA") => None,
        _ if title.contains("CE") && !title.contains("ACE") => Some(Queue::Constant),
        _ if title.contains("Compute") || title.contains("ACE") => Some(Queue::Compute),
        _ => Some(Queue::Graphics),
    }
}

/// Names a nested buffer by the number of earlier ones; PAL does not name them.
fn nested_name(before: usize) -> String {
    format!("IB2 {before}")
}

/// The contents of a text part's title.
struct Part {
    name: String,
    queue: Option<Queue>,
    usage: BufferUse,
    addr: Option<u64>,
    dwords: Option<usize>,
}

/// Returns the part that a line begins; `nested` is the number of earlier nested buffers.
fn part(line: &str, nested: usize) -> Option<Part> {
    let title = line.strip_prefix("# ")?;
    if let Some((count, addr)) = title.strip_prefix(NESTED_TITLE).and_then(|rest| rest.split_once(NESTED_ADDR)) {
        // The title does not state the queue.
        return Some(Part {
            name: nested_name(nested),
            queue: None,
            usage: BufferUse::Memory,
            addr: text::hex(addr.trim()),
            dwords: count.trim().parse().ok(),
        });
    }
    let (title, count) = title.split_once(TITLE)?;
    let name = title.trim_end_matches([' ', '-']).to_string();
    let queue = queue_of(&name);
    // SDMA packets are not PM4 packets.
    let usage = if queue.is_some() { BufferUse::Submitted } else { BufferUse::OtherEngine };
    Some(Part { name, queue, usage, addr: None, dwords: count.trim().parse().ok() })
}

fn lines(bytes: &[u8], input: &mut Input) {
    let mut begun = 0;
    let mut nested = 0;
    for line in text::lines(bytes) {
        let text = line.text.trim();
        if let Some(Part { name, queue, usage, addr, dwords }) = part(text, nested) {
            close(input, begun);
            begun = line.number;
            nested += usize::from(usage == BufferUse::Memory);
            input.buffers.push(InputBuffer { queue, addr, expected_dwords: dwords, ..InputBuffer::new(name, usage) });
        } else if !text.is_empty() && !text.starts_with('#') {
            match (hex32(text), input.buffers.last_mut()) {
                (Some(word), Some(buffer)) => buffer.words.push(word),
                (Some(_), None) => input.damage(InputPlace::Line(line.number), "a word is before the first title: it is left out".into()),
                (None, _) => input.damage(InputPlace::Line(line.number), format!("{:?} is not a word: it is left out", brief(text))),
            }
        }
    }
    close(input, begun);
    input.buffers.retain(|buffer| buffer.usage != BufferUse::OtherEngine);
}

/// Checks the part that just ended; `line` is the line of its title.
fn close(input: &mut Input, line: usize) {
    let Some(buffer) = input.buffers.last() else { return };
    if buffer.usage == BufferUse::OtherEngine {
        let message = format!("{} holds no PM4: it is left out", buffer.name);
        return input.remark(InputPlace::Line(line), message);
    }
    let (have, name) = (buffer.words.len(), &buffer.name);
    let message = match buffer.expected_dwords {
        Some(claimed) if have < claimed => format!("{} announced, but only {have} present", counted(claimed, "dword")),
        Some(claimed) if have > claimed => {
            format!("{name}: {} announced, but {have} present: it is not known where the others belong", counted(claimed, "dword"))
        }
        _ => return,
    };
    input.damage(InputPlace::Line(line), message);
}

/// Reads the lists of a file. Nested buffers form their own list at the end (PAL cmdBuffer.cpp DumpIb2s) with a different header. The file header states the
/// number of the first nested buffer, 0 if there is none (cmdBuffer.h CmdBufferDumpFileHeader); the size in each header confirms it.
fn chunks(bytes: &[u8], input: &mut Input) {
    let field = |at| word(bytes, at);
    input.facts.push(("asic family", field(8).map_or_else(String::new, |family| family.to_string())));
    let mut at = FILE as usize;
    // Chunks are numbered across all lists, nested buffers separately.
    let (mut number, mut called) = (0u32, 0);
    while let (Some(size), Some(_engine), Some(count)) = (field(at), field(at + 4), field(at + 8)) {
        if size != LIST {
            input.damage(InputPlace::Byte(at as u64), format!("the header of a list has {LIST} bytes, but this one announces {size}"));
            return;
        }
        at += LIST as usize;
        let first = number;
        for n in first..first.saturating_add(count) {
            let (Some(head), Some(data)) = (field(at), field(at + 4)) else {
                return input.damage(InputPlace::Byte(at as u64), missing(n, first, count));
            };
            if head != CHUNK && head != NESTED {
                let message = format!("the header of chunk {n} has {CHUNK} or {NESTED} bytes, but this one announces {head}");
                return input.damage(InputPlace::Byte(at as u64), message);
            }
            let nested = head == NESTED;
            let engine = field(at + 8);
            let known = engine.and_then(|engine| ENGINES.get(engine as usize)).copied();
            let addr = nested.then(|| field(at + 16).zip(field(at + 20)).map(|(low, high)| u64::from(high) << 32 | u64::from(low))).flatten();
            let begun = at;
            at += head as usize;
            let end = at.saturating_add(data as usize);
            let words = bytes.get(at..end.min(bytes.len())).unwrap_or_default();
            if end > bytes.len() {
                input.damage(
                    InputPlace::Byte(bytes.len() as u64),
                    format!("chunk {n} has {}, but only {} present", counted(data, "byte"), counted_are(words.len(), "byte")),
                );
            }
            match known {
                Some((Some(queue), engine)) => {
                    let (name, usage) = if nested { (nested_name(called), BufferUse::Memory) } else { (format!("{engine} {n}"), BufferUse::Submitted) };
                    let mut buffer = InputBuffer { queue: Some(queue), addr, ..InputBuffer::new(name, usage) };
                    words_of(words, &mut buffer);
                    input.buffers.push(buffer);
                }
                Some((None, engine)) => input.remark(InputPlace::Byte(begun as u64), format!("chunk {n} ({engine}) holds no PM4: it is left out")),
                None => {
                    let engine = engine.map_or_else(|| "?".to_string(), |engine| engine.to_string());
                    input.remark(InputPlace::Byte(begun as u64), format!("chunk {n} is of engine {engine}, which is not known: it is left out"));
                }
            }
            called += usize::from(nested);
            at = end;
            if at >= bytes.len() && n - first + 1 < count {
                return input.damage(InputPlace::Byte(bytes.len() as u64), missing(n + 1, first, count));
            }
        }
        number = first.saturating_add(count);
    }
}

/// Returns the message for a missing chunk of a list.
fn missing(number: u32, first: u32, count: u32) -> String {
    format!("chunk {number} is missing, the list has {count} from {first} on: the file was cut off")
}
