//! Packets as text: one line each, with the words after the header following `;`.

use crate::queues::{List, QueueField, QueuePacket};
use crate::report::dump::number;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// Words on the line of the packet, and on each continuation line.
const WORDS_PER_LINE: usize = 8;
/// Maximum number of list values that are printed next to their words.
const SHOWN: usize = 8;

/// Appends the lines of a packet.
pub(in crate::report) fn line(out: &mut String, packet: &QueuePacket<'_>, zeros: bool) {
    let _ = write!(out, "{:06}  {:08x}  {:<22}", packet.offset, packet.words[0], packet.name());
    let all: Vec<&QueueField> = packet.fields().collect();
    for field in &all {
        if matches!(field.name, "op" | "sub_op" | "opcode") && field.place.dword == 0 {
            continue;
        }
        if let Some(stem) = field.name.strip_suffix("_31_0").filter(|stem| all.iter().any(|other| other.name.strip_suffix("_63_32") == Some(stem))) {
            address(out, packet, stem, zeros);
            continue;
        }
        if field.name.strip_suffix("_63_32").is_some_and(|stem| all.iter().any(|other| other.name.strip_suffix("_31_0") == Some(stem))) {
            continue;
        }
        values(out, packet, field, zeros);
    }
    for (dword, bits) in packet.reserved() {
        let _ = write!(out, " reserved_dword{dword}={bits:#010x}");
    }
    words(out, &packet.words[1..]);
}

fn address(out: &mut String, packet: &QueuePacket<'_>, stem: &str, zeros: bool) {
    let addr = packet.address(stem).unwrap_or(0);
    if zeros || addr != 0 {
        let _ = write!(out, " {stem}={addr:#x}");
    }
}

fn values(out: &mut String, packet: &QueuePacket<'_>, field: &QueueField, zeros: bool) {
    if field.place.list == List::Rest {
        return;
    }
    let values: Vec<u64> = packet.values(field).collect();
    if !zeros && values.iter().all(|value| *value == 0) {
        return;
    }
    let _ = write!(out, " {}=", field.name);
    for (index, value) in values.iter().take(SHOWN).enumerate() {
        if index > 0 {
            out.push(',');
        }
        number(out, *value);
    }
    if values.len() > SHOWN {
        out.push_str(",…");
    }
}

/// Appends words after `;`, on separate lines if there are many.
pub(super) fn words(out: &mut String, words: &[u32]) {
    for (index, row) in words.chunks(WORDS_PER_LINE).enumerate() {
        out.push_str(if index == 0 { " ;" } else { "\n                  ;" });
        for word in row {
            let _ = write!(out, " {word:08x}");
        }
    }
    out.push('\n');
}

/// Appends the line of damage, with the lost words or bytes.
pub(super) fn error(out: &mut String, dword: usize, message: &str, lost: &[u32], bytes: &[u8]) {
    // Only words may follow `;`.
    let _ = write!(out, "{dword:06}  error: {}", message.replace(';', ","));
    for row in lost.chunks(WORDS_PER_LINE) {
        out.push_str("\n                  ;");
        for word in row {
            let _ = write!(out, " {word:08x}");
        }
    }
    if !bytes.is_empty() {
        out.push_str("\n                  ;");
        for byte in bytes {
            let _ = write!(out, " {byte:02x}");
        }
    }
    out.push('\n');
}
