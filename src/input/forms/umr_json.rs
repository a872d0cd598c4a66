//! The umr server's answer to `ring`: pointers in dwords, the words of the ring, and those of the buffers it starts (umr sources 2025).

use crate::input::ground::RingPointers;
use crate::input::ground::ring_words::{self, RunBy};
use crate::input::ground::{BufferUse, Head, Input, InputBuffer, InputPlace};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde_json::Value;

pub fn is(head: &Head<'_>) -> bool {
    head.is_text && head.bytes.trim_ascii_start().starts_with(b"{") && head.has("\"read_ptr\"") && (head.has("\"raw\"") || head.has("\"ibs\""))
}

/// Converts a number, which arrives as a double.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut to what 64 bits hold; words are checked")]
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|number| (0.0..1.8e19).contains(number)).map(|number| number as u64))
}

/// Returns the words of a list, up to the first element that is not a word.
fn words(list: Option<&Value>, what: &str, input: &mut Input) -> Vec<u32> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let words: Vec<u32> = list.iter().map_while(|word| number(word).and_then(|word| u32::try_from(word).ok())).collect();
    if let Some(bad) = list.get(words.len()) {
        input.damage(InputPlace::Whole, format!("{what}: entry {} of its words is {}, not a number of 32 bits: the rest is left out", words.len(), brief(bad)));
    }
    words
}

fn brief(value: &Value) -> alloc::string::String {
    crate::input::ground::text::brief(&format!("{value}")).into_owned()
}

/// Returns the object with the ring: the record itself or the contents of an envelope.
fn ring(value: &Value) -> Option<&Value> {
    if value.get("read_ptr").is_some() {
        return Some(value);
    }
    value.as_object()?.values().find_map(ring)
}

pub fn parse(bytes: &[u8], input: &mut Input) {
    let value: Value = match serde_json::from_str(&String::from_utf8_lossy(without_zeros(bytes))) {
        Ok(value) => value,
        Err(error) => return input.damage(InputPlace::Line(error.line()), format!("the JSON ends or breaks here: {error}")),
    };
    let Some(ring) = ring(&value) else { return input.damage(InputPlace::Whole, "the JSON has no \"read_ptr\"".into()) };
    if ring.get("raw").is_none() && has_counts(ring) {
        return input.damage(InputPlace::Whole, WORDS_ELSEWHERE.into());
    }
    let run_by = value.get("request").and_then(|request| request.get("ring")?.as_str()).map(RunBy::of_name);
    let queue = run_by.and_then(RunBy::queue);
    let runs_pm4 = has_pm4_type(ring) && run_by.is_none_or(RunBy::is_pm4);
    if !runs_pm4 {
        input.remark(InputPlace::Whole, "the ring does not run PM4: its words and its buffers are neither decoded nor run".into());
    }
    let usage = |of_pm4: BufferUse| if runs_pm4 { of_pm4 } else { BufferUse::OtherEngine };
    for (n, ib) in ring.get("ibs").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let name = format!("IB #{n}");
        let words = words(ib.get("opcodes"), &name, input);
        input.buffers.push(InputBuffer { words, addr: ib.get("address").and_then(number), ..InputBuffer::new(name, usage(BufferUse::Memory)) });
    }
    let mut words = words(ring.get("raw"), "the ring", input);
    let pointer = |key| ring.get(key).and_then(number).unwrap_or(0);
    let (read, write) = (pointer("read_ptr"), pointer("write_ptr"));
    input.facts.push(("pointers", format!("read {read:#x}, write {write:#x}")));
    // The whole ring, or only the words between the pointers.
    if words.len().is_power_of_two() && words.len() >= ring_words::FRAME && read.max(write) < words.len() as u64 {
        let pointers = RingPointers { read, write, mask: words.len() as u64 - 1 };
        let whole = InputBuffer { words, queue, pointers: Some(pointers), ..InputBuffer::new("ring", usage(BufferUse::NotExecuted)) };
        input.buffers.extend(runs_pm4.then(|| ring_words::part_in_work(&whole)).flatten());
        input.buffers.push(whole);
    } else {
        if has_word_at_write_pointer(words.len() as u64, read, write) {
            words.pop();
        }
        if words.is_empty() && read == write {
            input.remark(InputPlace::Whole, "all words of the ring up to its write pointer were read: none are left to run".into());
        } else if words.is_empty() {
            input.damage(InputPlace::Whole, "the ring has no words, but its pointers say that words are left to run".into());
        }
        input.buffers.push(InputBuffer { words, queue, ..InputBuffer::new("ring", usage(BufferUse::Ring)) });
    }
}

/// The advice for answers without words.
const WORDS_ELSEWHERE: &str = "the words are not in this JSON: opcode_start and opcode_count count words of a second, binary message, which this version of umr sends after it. \
     Read the ring of debugfs, amdgpu_ring_NAME, or what umr -RS NAME prints";

/// Returns whether an answer only states that another message contains the words (umr sources 2025 commands.c `ring`).
fn has_counts(ring: &Value) -> bool {
    let counts = |value: &Value| value.get("opcode_count").is_some();
    ring.get("ring").is_some_and(counts) || ring.get("ibs").and_then(Value::as_array).is_some_and(|ibs| ibs.iter().any(counts))
}

/// Returns whether the ring type runs PM4 or is not stated (umr sources 2025 umr_packet.h umr_ring_type: 0 and 1).
fn has_pm4_type(ring: &Value) -> bool {
    ring.get("ring_type").and_then(number).is_none_or(|kind| kind <= 1)
}

/// Returns whether the last word is the one at the write pointer, which has not been written yet: older versions print both ends, inclusive (umr sources 2021
/// commands.c). The size of the ring, a power of two, is not stated.
fn has_word_at_write_pointer(dwords: u64, read: u64, write: u64) -> bool {
    let Some(before) = dwords.checked_sub(1) else { return false };
    if read <= write {
        return before == write - read;
    }
    let size = before.saturating_add(read - write);
    size.is_power_of_two() && size > read
}

/// Strips trailing zeros.
fn without_zeros(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}
