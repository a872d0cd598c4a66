//! What the server of umr answers to `ring`: pointers in dwords, the words of the ring, and of the buffers it starts (umr sources 2025).

use super::{BufferUse, Head, Input, InputBuffer, InputPlace};
use crate::input::{RingPointers, ring_words};
use alloc::format;
use alloc::vec::Vec;
use serde_json::Value;

pub fn is(head: &Head<'_>) -> bool {
    head.is_text && head.bytes.trim_ascii_start().starts_with(b"{") && head.has("\"read_ptr\"") && (head.has("\"raw\"") || head.has("\"ibs\""))
}

/// Numbers come as doubles.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut to what 64 bits hold; words are checked")]
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|number| (0.0..1.8e19).contains(number)).map(|number| number as u64))
}

/// The words of a list; what is not a word ends it.
fn words(list: Option<&Value>, what: &str, input: &mut Input) -> Vec<u32> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let words: Vec<u32> = list.iter().map_while(|word| number(word).and_then(|word| u32::try_from(word).ok())).collect();
    if let Some(bad) = list.get(words.len()) {
        input.damage(InputPlace::Whole, format!("{what}: entry {} of its words is {}, not a number of 32 bits: the rest is left out", words.len(), brief(bad)));
    }
    words
}

fn brief(value: &Value) -> alloc::string::String {
    crate::input::text::brief(&format!("{value}")).into_owned()
}

/// The object with the ring: the record itself, or what an envelope holds.
fn ring(value: &Value) -> Option<&Value> {
    if value.get("read_ptr").is_some() {
        return Some(value);
    }
    value.as_object()?.values().find_map(ring)
}

pub fn parse(bytes: &[u8], input: &mut Input) {
    let value: Value = match serde_json::from_slice(without_zeros(bytes)) {
        Ok(value) => value,
        Err(error) => return input.damage(InputPlace::Line(error.line()), format!("the JSON ends or breaks here: {error}")),
    };
    let Some(ring) = ring(&value) else { return input.damage(InputPlace::Whole, "the JSON has no \"read_ptr\"".into()) };
    for (n, ib) in ring.get("ibs").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let name = format!("IB #{n}");
        let words = words(ib.get("opcodes"), &name, input);
        input.buffers.push(InputBuffer { words, addr: ib.get("address").and_then(number), ..InputBuffer::new(name, BufferUse::Memory) });
    }
    let words = words(ring.get("raw"), "the ring", input);
    let pointer = |key| ring.get(key).and_then(number).unwrap_or(0);
    let (read, write) = (pointer("read_ptr"), pointer("write_ptr"));
    input.facts.push(("pointers", format!("read {read:#x}, write {write:#x}")));
    // The whole ring, or what is between the pointers.
    if words.len().is_power_of_two() && words.len() >= ring_words::FRAME && read.max(write) < words.len() as u64 {
        let pointers = RingPointers { read, write, mask: words.len() as u64 - 1 };
        let whole = InputBuffer { words, pointers: Some(pointers), ..InputBuffer::new("ring", BufferUse::NotExecuted) };
        input.buffers.extend(ring_words::part_in_work(&whole));
        input.buffers.push(whole);
    } else {
        input.buffers.push(InputBuffer { words, ..InputBuffer::new("ring", BufferUse::Ring) });
    }
}

/// Without zeros at the end.
fn without_zeros(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}
