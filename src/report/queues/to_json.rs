//! Packets as JSON records.

use crate::queues::{List, QueuePacket};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// Appends the record of a packet. `file` is already a JSON string.
pub(super) fn record(out: &mut String, file: &str, packet: &QueuePacket<'_>) {
    let version = packet.version;
    let _ = write!(out, r#"{{"type":"packet","file":{file},"dword":{},"queue":"{}","version":"{}""#, packet.offset, version.family(), version.name());
    let (op, sub_op) = packet.numbers();
    let _ = write!(out, r#","opcode":"{}","opcode_value":{op}"#, packet.name());
    if let Some(sub_op) = sub_op {
        let _ = write!(out, r#","sub_opcode":{sub_op}"#);
    }
    let _ = write!(out, r#","dwords":{},"fields":{{"#, packet.words.len());
    fields(out, packet);
    for (dword, bits) in packet.reserved() {
        let _ = write!(out, r#","reserved_dword{dword}":"{bits:#010x}""#);
    }
    out.push_str("}}\n");
}

/// Appends fields, name to value, in the order of their positions: a list if the name occurs more than once. Values of more than 32 bits and data words are
/// hexadecimal.
fn fields(out: &mut String, packet: &QueuePacket<'_>) {
    let all: Vec<_> = packet.fields().collect();
    let mut first = true;
    for (index, field) in all.iter().enumerate() {
        // Lists are at the first occurrence of their name.
        if all[..index].iter().any(|before| before.name == field.name) {
            continue;
        }
        let same: Vec<_> = all[index..].iter().filter(|other| other.name == field.name).collect();
        let separator = if core::mem::take(&mut first) { "" } else { "," };
        let _ = write!(out, r#"{separator}"{}":"#, field.name);
        let list = same.len() > 1 || field.place.list != List::One;
        if list {
            out.push('[');
        }
        let mut between = "";
        for field in same {
            let hex = field.place.bits() > 32 || field.place.list == List::Rest;
            for value in packet.values(field) {
                out.push_str(between);
                let _ = if hex { write!(out, r#""{value:#x}""#) } else { write!(out, "{value}") };
                between = ",";
            }
        }
        if list {
            out.push(']');
        }
    }
}

/// Appends the record of damage, with the lost words or bytes.
pub(super) fn error(out: &mut String, file: &str, dword: usize, message: &str, words: Option<&[u32]>, bytes: &[u8]) {
    let _ = write!(out, r#"{{"type":"error","file":{file},"dword":{dword},"message":"{message}""#);
    let list = |out: &mut String, key: &str, items: &mut dyn Iterator<Item = String>| {
        let _ = write!(out, r#","{key}":["#);
        for (index, item) in items.enumerate() {
            let _ = write!(out, r#"{}"{item}""#, if index > 0 { "," } else { "" });
        }
        out.push(']');
    };
    if let Some(words) = words {
        list(out, "words", &mut words.iter().map(|word| alloc::format!("{word:#010x}")));
    }
    if !bytes.is_empty() {
        list(out, "bytes", &mut bytes.iter().map(|byte| alloc::format!("{byte:#04x}")));
    }
    out.push_str("}\n");
}
