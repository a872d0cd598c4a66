//! JSON records to bytes.

use super::error::brief;
use super::packet;
use crate::chip::Gfx;
use crate::packet::{Header, Packet, Queue};
use crate::report::dump::PacketJson;
use crate::report::queues;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Map, Value};
use strum::IntoEnumIterator;

/// Records that may occur between packets.
const OTHER_RECORDS: [&str; 9] = ["draw", "dispatch", "finding", "summary", "explain", "input", "state", "hang", "incident"];

type Record = Map<String, Value>;

/// Appends the bytes of one record. Returns the queue that a packet names.
pub fn record(line: &str, out: &mut Vec<u8>) -> Result<Option<Queue>, String> {
    let value: Value = serde_json::from_str(line).map_err(|e| format!("is not a JSON record: {}", crate::report::ground::json_mistake(&e)))?;
    // If a key occurs twice, the reader silently keeps the last value.
    if members(&value) != keys(line) {
        return Err("a key is given twice in one object".into());
    }
    let Value::Object(record) = value else { return Err("is JSON, but not an object".into()) };
    match record.get("type").and_then(Value::as_str) {
        Some("packet") => packet(&record, out),
        Some("error") => damage(&record, out).map(|()| None),
        Some(other) if OTHER_RECORDS.contains(&other) => Ok(None),
        Some(other) => Err(format!("is a record of the unknown type {:?}", brief(other))),
        None => Err("the record has no \"type\"".into()),
    }
}

/// Returns a value as quoted in messages.
fn shown(value: &Value) -> String {
    brief(&value.to_string()).into_owned()
}

/// Returns the number of members of all objects in a value.
fn members(value: &Value) -> usize {
    match value {
        Value::Object(object) => object.len() + object.values().map(members).sum::<usize>(),
        Value::Array(list) => list.iter().map(members).sum(),
        _ => 0,
    }
}

/// Returns the number of keys in the text of a value: a colon follows each, and other colons occur only in strings.
fn keys(json: &str) -> usize {
    let (mut count, mut string, mut escaped) = (0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => string = !string,
            b':' if !string => count += 1,
            _ => {}
        }
    }
    count
}

fn packet(record: &Record, out: &mut Vec<u8>) -> Result<Option<Queue>, String> {
    if let Some(family) = queues::family(record) {
        packet::words(&queues::packet(record, family)?, out);
        return Ok(None);
    }
    let header = record.get("header").ok_or("the packet has no \"header\"")?;
    let header = number(header, "header")?;
    let body = numbers(record, "body")?.ok_or("the packet has no \"body\"")?;
    packet::packet(header, &body, out)?;
    let view = view(record)?;
    agrees(record, view, header, &body)?;
    Ok(view.map(|(_, queue)| queue))
}

/// Keys of a record that repeat the words in other terms, whatever the generation.
const ALWAYS: [&str; 5] = ["packet_type", "opcode_value", "dwords", "predicate", "shader_type"];
/// Keys that depend on generation and queue.
const READ: [&str; 7] = ["opcode", "fields", "flags", "layouts", "registers", "reserved", "writes"];

/// Checks that the rest of a record agrees with its words. A change of only the printed text would otherwise have no effect.
fn agrees(record: &Record, view: Option<(Gfx, Queue)>, header: u32, body: &[u32]) -> Result<(), String> {
    // Content that does not depend on the generation is the same for all of them.
    let Some((gfx, queue)) = view.or_else(|| Some((Gfx::iter().next()?, Queue::Graphics))) else { return Ok(()) };
    let mut line = String::new();
    PacketJson::new("", gfx, queue).packet(&mut line, &Packet { offset: 0, header: Header(header), body });
    let words: Value = serde_json::from_str(&line).map_err(|e| format!("the words cannot be printed: {e}"))?;
    let read = if view.is_some() { &READ[..] } else { &[] };
    for key in ALWAYS.iter().chain(read) {
        if let (Some(said), Some(meant)) = (record.get(*key), words.get(key))
            && let Some(problem) = contradiction(key, said, meant)
        {
            return Err(format!("{problem}: change the words, because only they are assembled"));
        }
    }
    if view.is_some() {
        return Ok(());
    }
    // Without the generation, only the values of registers can be compared with the words.
    let writes = record.get("writes").and_then(Value::as_array).into_iter().flatten();
    let values = writes.filter_map(|w| w.get("value")).map(|v| number(v, "value")).collect::<Result<Vec<_>, _>>()?;
    packet::values_agree(values.into_iter(), body)
}

/// Returns the generation and queue for which a record was printed.
fn view(record: &Record) -> Result<Option<(Gfx, Queue)>, String> {
    let word = |key: &str| record.get(key).map(|v| v.as_str().ok_or_else(|| format!("{key:?} is {}, which is not a name", shown(v)))).transpose();
    let (Some(gfx), Some(queue)) = (word("gfx")?, word("queue")?) else { return Ok(None) };
    packet::view(gfx, queue).map(Some)
}

/// Returns the first place where a record differs from its words. Missing members of an object are not a contradiction.
fn contradiction(key: &str, said: &Value, meant: &Value) -> Option<String> {
    match (said, meant) {
        (Value::Object(said), Value::Object(meant)) => said.iter().find_map(|(name, value)| match meant.get(name) {
            Some(other) => contradiction(name, value, other).map(|problem| format!("in {key:?} {problem}")),
            None => Some(format!("{key:?} says {} = {}, but the words of the packet have no such field", brief(name), shown(value))),
        }),
        (Value::Array(said), Value::Array(meant)) if said.len() == meant.len() => {
            said.iter().zip(meant).find_map(|(said, meant)| contradiction(key, said, meant))
        }
        _ => (said != meant).then(|| format!("{key} = {}, but the words of the packet say {}", shown(said), shown(meant))),
    }
}

/// Appends dwords outside all packets, or the bytes after the last dword.
fn damage(record: &Record, out: &mut Vec<u8>) -> Result<(), String> {
    let words = numbers(record, "words")?;
    let bytes = numbers(record, "bytes")?;
    if words.is_none() && bytes.is_none() {
        return Err("the error record has neither \"words\" nor \"bytes\": what was damaged is lost".into());
    }
    packet::words(&words.unwrap_or_default(), out);
    for byte in bytes.unwrap_or_default() {
        out.push(u8::try_from(byte).map_err(|_| format!("{byte:#x} in \"bytes\" is not a byte"))?);
    }
    Ok(())
}

fn numbers(record: &Record, key: &str) -> Result<Option<Vec<u32>>, String> {
    let Some(list) = record.get(key) else { return Ok(None) };
    let list = list.as_array().ok_or_else(|| format!("{key:?} is not a list"))?;
    list.iter().map(|v| number(v, key)).collect::<Result<_, _>>().map(Some)
}

/// Returns a string `"0x…"`, or a number.
fn number(value: &Value, key: &str) -> Result<u32, String> {
    let read = match value {
        Value::String(text) => text.strip_prefix("0x").filter(|digits| !digits.starts_with('+')).and_then(|digits| u32::from_str_radix(digits, 16).ok()),
        other => other.as_u64().and_then(|n| u32::try_from(n).ok()),
    };
    read.ok_or_else(|| format!("{} in {key:?} is not a 32-bit number", shown(value)))
}
