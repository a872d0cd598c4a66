//! The condition of an engine's wait, and the agents that could satisfy it.

use super::locate::HangReport;
use super::position::PacketPlace;
use crate::cp::{WaitCondition, wait_condition};
use crate::input::ring_words::{ADDRESS, known_words};
use crate::input::{BufferUse, InputBuffer};
use crate::packet::{Action, EffectKinds, MemoryAddress, Queue, Reader};
use crate::regs;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Value, json};

/// Maximum number of packets named.
const NAMED: usize = 4;

/// A wait, and the packets of the dump that write the memory or register it reads.
pub(super) struct StalledWait {
    condition: WaitCondition,
    /// The name of the register, if the wait reads a known one.
    register: Option<String>,
    writers: Vec<PacketPlace>,
}

impl StalledWait {
    /// Returns the wait of a packet; None if it waits for no value.
    pub fn of(hang: &HangReport<'_>, packet: PacketPlace) -> Option<Self> {
        let words = hang.words(packet);
        let condition = wait_condition(&Reader::new(&words).next()?.ok()?)?;
        let writers = if condition.is_memory { writers(hang, &condition) } else { Vec::new() };
        let register = u32::try_from(condition.addr).ok().filter(|_| !condition.is_memory).and_then(|addr| regs::lookup(hang.gfx, addr));
        Some(Self { condition, register: register.map(|register| register.to_string()), writers })
    }

    pub fn lines(&self, hang: &HangReport<'_>) -> Vec<String> {
        let WaitCondition { addr, is_memory, function, mask, reference, bytes } = self.condition;
        let digits = 2 + 2 * usize::try_from(bytes).unwrap_or(4);
        let what = match &self.register {
            _ if is_memory => format!("memory 0x{addr:012x}"),
            Some(name) => format!("register 0x{addr:05x} ({name})"),
            None => format!("register 0x{addr:05x}"),
        };
        let mut lines = Vec::from([format!("the packet waits until {what} & {mask:#0digits$x} {function} {reference:#0digits$x}")]);
        if is_memory {
            lines.push(match self.writers.as_slice() {
                [] => "no packet of the dump writes this address: a shader, another queue, another job or the CPU must do it".to_string(),
                some => {
                    let named: Vec<String> = some.iter().take(NAMED).map(|packet| hang.describe(*packet)).collect();
                    let more = some.len().saturating_sub(NAMED);
                    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
                    format!("packets of the dump that write this address: {}{more}", named.join("; "))
                }
            });
        }
        lines
    }

    pub fn record(&self, hang: &HangReport<'_>, place: impl Fn(&PacketPlace) -> Value) -> Value {
        let WaitCondition { addr, is_memory, function, mask, reference, .. } = self.condition;
        let word = |value: u64| format!("0x{value:08x}");
        let mut record = json!({
            "space": if is_memory { "memory" } else { "register" }, "address": if is_memory { format!("0x{addr:012x}") } else { format!("0x{addr:05x}") },
            "function": function, "mask": word(mask), "reference": word(reference), "sentences": self.lines(hang),
        });
        if is_memory {
            record["written_by"] = self.writers.iter().take(NAMED).map(place).collect();
        }
        record
    }
}

/// Returns the packets of all buffers that write what a wait reads. A part of a ring belongs to the ring.
fn writers(hang: &HangReport<'_>, condition: &WaitCondition) -> Vec<PacketPlace> {
    let ring = hang.input.buffers.iter().any(|buffer| buffer.pointers.is_some());
    let mut writers = Vec::new();
    for (index, buffer) in hang.input.buffers.iter().enumerate() {
        if buffer.usage == BufferUse::OtherEngine || buffer.usage == BufferUse::Ring && ring {
            continue;
        }
        let (from, words) = packets_of(buffer);
        let queue = buffer.queue.unwrap_or(Queue::Graphics);
        for packet in Reader::new(&words).flatten() {
            if packet.opcode().is_none_or(|opcode| !opcode.effect_kinds(hang.gfx).intersects(EffectKinds::WRITES)) {
                continue;
            }
            let mut hits = false;
            packet.visit_effects(hang.gfx, queue, &mut |effect| hits |= writes(&effect.action, condition));
            if hits {
                let dword = (from + packet.offset) % buffer.words.len().max(1);
                writers.push(PacketPlace { buffer: index, dword, header: packet.header });
            }
        }
    }
    writers
}

/// Returns the words of a buffer from its first packet, and their offset.
fn packets_of(buffer: &InputBuffer) -> (usize, Cow<'_, [u32]>) {
    match known_words(buffer) {
        Some((from, words)) => (from, Cow::Owned(words)),
        None => (0, Cow::Borrowed(&buffer.words)),
    }
}

fn writes(action: &Action<'_>, condition: &WaitCondition) -> bool {
    match action {
        Action::Write { at: MemoryAddress::At(at), bytes, .. } => {
            let (at, addr) = (at & ADDRESS, condition.addr & ADDRESS);
            at < addr + condition.bytes && addr < at.saturating_add(*bytes)
        }
        _ => false,
    }
}
