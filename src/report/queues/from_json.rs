//! JSON records to words: from the fields alone.

use crate::queues::{Builder, QueueFamily, Version};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Map, Value};

/// Returns the family that a record names as its queue.
pub(in crate::report) fn family(record: &Map<String, Value>) -> Option<QueueFamily> {
    QueueFamily::from_name(record.get("queue")?.as_str()?)
}

/// Returns the words of a record.
pub(in crate::report) fn packet(record: &Map<String, Value>, family: QueueFamily) -> Result<Vec<u32>, String> {
    let text = |key: &str| record.get(key).and_then(Value::as_str).ok_or_else(|| format!("the packet has no {key:?}"));
    let version = text("version")?;
    let version = Version::new(family, version).ok_or_else(|| format!("{version:?} is not a version of {family}"))?;
    let fields = record.get("fields").and_then(Value::as_object).ok_or("the packet has no \"fields\"")?;
    let mistake = |error: crate::queues::BuildError| error.to_string();
    let mut builder = Builder::new(version, text("opcode")?).map_err(mistake)?;
    for (name, value) in fields {
        if let Some(dword) = name.strip_prefix("reserved_dword").and_then(|dword| dword.parse().ok()) {
            let bits = number(value).and_then(|bits| u32::try_from(bits).ok()).ok_or_else(|| format!("{name:?} is not a word"))?;
            builder = builder.reserved(dword, bits).map_err(mistake)?;
            continue;
        }
        let values = match value {
            Value::Array(list) => list.iter().map(number).collect::<Option<Vec<u64>>>(),
            one => number(one).map(|value| alloc::vec![value]),
        };
        let values = values.ok_or_else(|| format!("{name:?} is neither a number nor a list of numbers"))?;
        builder = builder.list(name, &values).map_err(mistake)?;
    }
    let words = builder.build().map_err(mistake)?;
    let agrees = |key: &str, meant: u64| match record.get(key) {
        Some(said) if said.as_u64() != Some(meant) => Err(format!("{key} = {said}, but the fields say {meant}")),
        _ => Ok(()),
    };
    agrees("dwords", words.len() as u64)?;
    let (op, sub_op) = version.numbers(words[0]);
    agrees("opcode_value", op.into())?;
    if let Some(sub_op) = sub_op {
        agrees("sub_opcode", sub_op.into())?;
    }
    Ok(words)
}

/// Returns a string `"0x…"`, or a number.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.strip_prefix("0x").filter(|digits| !digits.starts_with('+')).and_then(|digits| u64::from_str_radix(digits, 16).ok()),
        other => other.as_u64(),
    }
}
