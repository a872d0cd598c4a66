//! JSON records to bytes.

use crate::packets::{Records, queue_name};
use pm4::chip::Gfx;
use pm4::packet::{Header, Packet, Queue};
use serde_json::{Map, Value};

/// What `draw` and `check` print beside packets.
const OTHER_RECORDS: [&str; 5] = ["draw", "dispatch", "finding", "summary", "explain"];

type Record = Map<String, Value>;

/// Appends the bytes that one record stands for.
pub fn record(line: &str, out: &mut Vec<u8>) -> Result<(), String> {
    let value: Value = serde_json::from_str(line).map_err(|e| format!("is no JSON record: {e}"))?;
    let Value::Object(record) = value else { return Err("is JSON, but no record".into()) };
    match record.get("type").and_then(Value::as_str) {
        Some("packet") => packet(&record, out),
        Some("error") => damage(&record, out),
        Some(other) if OTHER_RECORDS.contains(&other) => Ok(()),
        Some(other) => Err(format!("record of unknown type {other:?}")),
        None => Err("the record has no \"type\"".into()),
    }
}

fn packet(record: &Record, out: &mut Vec<u8>) -> Result<(), String> {
    let header = record.get("header").ok_or("the packet has no \"header\"")?;
    let header = number(header, "header")?;
    let body = numbers(record, "body")?.ok_or("the packet has no \"body\"")?;
    // What is said twice must agree: the record was changed in one place only.
    let says = |key: &str| record.get(key).and_then(Value::as_u64);
    if let Some(dwords) = says("dwords").filter(|n| *n != 1 + body.len() as u64) {
        return Err(format!("\"dwords\" is {dwords}, but header and body have {}", 1 + body.len()));
    }
    let opcode = Header(header).opcode().0;
    if let Some(other) = says("opcode_value").filter(|n| Header(header).packet_type() == 3 && *n != u64::from(opcode)) {
        return Err(format!("\"opcode_value\" is {other}, but the header has {opcode}"));
    }
    let start = out.len();
    super::packet(header, &body, out)?;
    told(record, header, &body).inspect_err(|_| out.truncate(start))
}

/// What a record says of the words in other terms.
const TOLD: [&str; 3] = ["fields", "flags", "writes"];

/// Whether fields, flags and register writes are those of the words: who changes only the print changes nothing.
fn told(record: &Record, header: u32, body: &[u32]) -> Result<(), String> {
    let word = |key: &str| record.get(key).and_then(Value::as_str);
    let (Some(gfx), Some(queue)) = (word("gfx"), word("queue")) else {
        // Without them nothing but the values of registers can be told from the words.
        let writes = record.get("writes").and_then(Value::as_array).into_iter().flatten();
        let values = writes.filter_map(|w| w.get("value")).map(|v| number(v, "value")).collect::<Result<Vec<_>, _>>()?;
        return super::told_values(values.into_iter(), body);
    };
    let gfx: Gfx = gfx.parse().map_err(|_| format!("\"gfx\" is {gfx:?}, which is no generation"))?;
    let queue = queue_named(queue).ok_or_else(|| format!("\"queue\" is {queue:?}, which is no queue"))?;
    let mut line = String::new();
    Records::new("", gfx, queue).packet(&mut line, &Packet { offset: 0, header: Header(header), body });
    let words: Value = serde_json::from_str(&line).map_err(|e| format!("the words cannot be told: {e}"))?;
    for key in TOLD {
        if let (Some(said), Some(meant)) = (record.get(key), words.get(key))
            && let Some(problem) = contradiction(key, said, meant)
        {
            return Err(format!("{problem}: change the words, they are what is assembled"));
        }
    }
    Ok(())
}

/// The first place where a record differs from its words. What it leaves out of an object is no contradiction.
fn contradiction(key: &str, said: &Value, meant: &Value) -> Option<String> {
    let (Value::Object(said), Value::Object(meant)) = (said, meant) else {
        return (said != meant).then(|| format!("{key:?} say {said}, but the words of the packet say {meant}"));
    };
    let (name, value) = said.iter().find(|(name, value)| meant.get(*name) != Some(value))?;
    Some(match meant.get(name) {
        Some(other) => format!("{key:?} say {name} = {value}, but the words of the packet say {other}"),
        None => format!("{key:?} say {name} = {value}, but the words of the packet have no such field"),
    })
}

fn queue_named(name: &str) -> Option<Queue> {
    [Queue::Graphics, Queue::Compute, Queue::Constant].into_iter().find(|queue| queue_name(*queue) == name)
}

/// Dwords of no packet, or the bytes behind the last dword.
fn damage(record: &Record, out: &mut Vec<u8>) -> Result<(), String> {
    let words = numbers(record, "words")?;
    let bytes = numbers(record, "bytes")?;
    if words.is_none() && bytes.is_none() {
        return Err("the error record has neither \"words\" nor \"bytes\": what was damaged is lost".into());
    }
    super::words(&words.unwrap_or_default(), out);
    for byte in bytes.unwrap_or_default() {
        out.push(u8::try_from(byte).map_err(|_| format!("{byte:#x} in \"bytes\" is no byte"))?);
    }
    Ok(())
}

fn numbers(record: &Record, key: &str) -> Result<Option<Vec<u32>>, String> {
    let Some(list) = record.get(key) else { return Ok(None) };
    let list = list.as_array().ok_or_else(|| format!("{key:?} is no list"))?;
    list.iter().map(|v| number(v, key)).collect::<Result<_, _>>().map(Some)
}

/// A string `"0x…"`, or a number.
fn number(value: &Value, key: &str) -> Result<u32, String> {
    let read = match value {
        Value::String(text) => text.strip_prefix("0x").filter(|digits| !digits.starts_with('+')).and_then(|digits| u32::from_str_radix(digits, 16).ok()),
        other => other.as_u64().and_then(|n| u32::try_from(n).ok()),
    };
    read.ok_or_else(|| format!("{value} in {key:?} is no 32-bit number"))
}
