//! The packets of a page, one per place, as columns.

use super::columns;
use super::register_table;
use super::shell::Block;
use crate::chip::Gfx;
use crate::cp::Place;
use crate::packet::{Action, DecodeError, EffectKinds, MemoryAddress, Packet, Queue, Timing, Work, WrittenData};
use crate::report::dump::{PacketJson, PacketText};
use crate::report::ground::queue_name;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Properties of a packet for the timeline, as a set of bits. The script has the same list.
pub(super) mod kind {
    pub const DRAW: u32 = 1;
    pub const DISPATCH: u32 = 1 << 1;
    pub const WAIT: u32 = 1 << 2;
    pub const EVENT: u32 = 1 << 3;
    pub const CALL: u32 = 1 << 4;
    pub const MEMORY: u32 = 1 << 5;
    pub const REGISTERS: u32 = 1 << 6;
    pub const DAMAGE: u32 = 1 << 7;
    pub const COMPUTE: u32 = 1 << 8;
}

/// Packets per block of details.
const DETAILS: usize = 256;

/// Strings without duplicates.
#[derive(Default)]
struct Texts {
    places: HashMap<String, u32>,
    list: Vec<String>,
}

impl Texts {
    fn place(&mut self, text: &str) -> u32 {
        if let Some(place) = self.places.get(text) {
            return *place;
        }
        let place = self.list.len() as u32;
        self.places.insert(text.to_owned(), place);
        self.list.push(text.to_owned());
        place
    }
}

/// The packet readers of one queue.
struct Readers {
    queue: Queue,
    json: PacketJson,
    text: PacketText,
}

pub(super) struct PacketTable {
    gfx: Gfx,
    readers: Vec<Readers>,
    names: Texts,
    texts: Texts,
    name: Vec<u32>,
    text: Vec<u32>,
    buffer: Vec<u32>,
    dword: Vec<u32>,
    kind: Vec<u32>,
    /// The size of each packet in dwords, and the dwords of all packets.
    size: Vec<u32>,
    words: Vec<u32>,
    /// The number of registers that each packet sets, and the registers of all packets.
    writes: Vec<u32>,
    write_addr: Vec<u32>,
    write_value: Vec<u32>,
    /// Packet, address, bytes, action, time, and whether it is conditional.
    memory: Vec<Value>,
    /// The meaning of the fields: JSON, one line per packet.
    details: String,
    blocks: Vec<Block>,
    addrs: BTreeSet<u32>,
}

impl PacketTable {
    pub fn new(gfx: Gfx) -> Self {
        Self {
            gfx,
            readers: Vec::new(),
            names: Texts::default(),
            texts: Texts::default(),
            name: Vec::new(),
            text: Vec::new(),
            buffer: Vec::new(),
            dword: Vec::new(),
            kind: Vec::new(),
            size: Vec::new(),
            words: Vec::new(),
            writes: Vec::new(),
            write_addr: Vec::new(),
            write_value: Vec::new(),
            memory: Vec::new(),
            details: String::new(),
            blocks: Vec::new(),
            addrs: BTreeSet::new(),
        }
    }

    pub fn len(&self) -> u32 {
        self.name.len() as u32
    }

    /// Marks a register as shown on the page.
    pub fn mention(&mut self, addr: u32) {
        self.addrs.insert(addr);
    }

    /// Adds a packet and returns its index. The packet's `offset` counts from the start of the buffer.
    pub fn add(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) -> u32 {
        let at = self.readers.iter().position(|readers| readers.queue == queue).unwrap_or_else(|| {
            self.readers.push(Readers { queue, json: PacketJson::new("", self.gfx, queue), text: PacketText::new(self.gfx, queue) });
            self.readers.len() - 1
        });
        let mut text = String::new();
        self.details.push('{');
        if let Some(readers) = self.readers.get_mut(at) {
            readers.text.summary(&mut text, packet);
            readers.json.meaning(&mut self.details, packet);
        }
        let queue_is = queue_name(queue);
        self.details.push_str(&format!(r#","queue":"{queue_is}"}}"#));
        let name = packet.name(self.gfx).map_or_else(|| format!("{:#04x}", packet.header.opcode().0), str::to_owned);
        let mut writes = 0;
        for write in packet.writes(self.gfx) {
            self.write_addr.push(write.addr);
            self.write_value.push(write.value);
            self.addrs.insert(write.addr);
            writes += 1;
        }
        self.writes.push(writes);
        let kind = self.kind_of(queue, packet, &name);
        self.row(place, &name, text.trim_start(), kind, &[packet.header.0]);
        self.words.extend_from_slice(packet.body);
        if let Some(size) = self.size.last_mut() {
            *size += packet.body.len() as u32;
        }
        self.len() - 1
    }

    /// Adds dwords that do not belong to a packet.
    pub fn add_damage(&mut self, place: Place, message: &str, error: &DecodeError, stream: &[u32]) -> u32 {
        self.writes.push(0);
        self.details.push_str("{}");
        let lost = stream.get(error.offset..error.offset + error.skipped).unwrap_or_default();
        self.row(place, "no packet", message, kind::DAMAGE, lost);
        self.len() - 1
    }

    fn row(&mut self, place: Place, name: &str, text: &str, kind: u32, words: &[u32]) {
        self.name.push(self.names.place(name));
        self.text.push(self.texts.place(text));
        self.buffer.push(place.buffer.0);
        self.dword.push(place.dword);
        self.kind.push(kind);
        self.size.push(words.len() as u32);
        self.words.extend_from_slice(words);
        self.details.push('\n');
        if self.name.len().is_multiple_of(DETAILS) {
            self.pack_details();
        }
    }

    fn pack_details(&mut self) {
        let name = format!("details{}", self.blocks.len());
        // Compressing into memory does not fail.
        self.blocks.extend(Block::of_many(name, self.details.as_bytes(), &self.blocks).ok());
        self.details.clear();
    }

    /// Returns the properties of a packet for the timeline, and records the memory that it writes.
    fn kind_of(&mut self, queue: Queue, packet: &Packet<'_>, name: &str) -> u32 {
        let Some(opcode) = packet.opcode() else { return 0 };
        let kinds = opcode.effect_kinds(self.gfx);
        let mut found = match opcode.work_on(self.gfx, queue) {
            Some(Work::Draw) => kind::DRAW,
            Some(Work::Dispatch) => kind::DISPATCH,
            None => 0,
        };
        if ["EVENT_WRITE", "RELEASE_MEM", "ACQUIRE_MEM"].iter().any(|start| name.starts_with(start)) {
            found |= kind::EVENT;
        }
        if packet.header.shader_type() == crate::packet::ShaderType::Compute {
            found |= kind::COMPUTE;
        }
        if kinds.intersects(EffectKinds::SETS_ONLY) {
            return found | kind::REGISTERS;
        }
        let number = self.len();
        let (gfx, memory) = (self.gfx, &mut self.memory);
        packet.visit_effects(gfx, queue, &mut |effect| match effect.action {
            Action::Waits => found |= kind::WAIT,
            Action::Run { .. } => found |= kind::CALL,
            Action::Set { .. } | Action::Modify { .. } => found |= kind::REGISTERS,
            Action::Write { at, bytes, data } => {
                found |= kind::MEMORY;
                memory.push(json!([number, address(at), bytes, value(data, bytes), timing(effect.timing), effect.uncertain]));
            }
            _ => {}
        });
        found
    }

    /// Returns the blocks of a page, and the packet part of its header.
    pub fn finish(mut self) -> (Value, Vec<Block>) {
        if !self.details.is_empty() {
            self.pack_details();
        }
        let registers = register_table::table(self.gfx, self.addrs.iter().copied());
        let head = json!({ "names": self.names.list, "details": DETAILS, "tables": registers, "memory": self.memory });
        let mut blocks = self.blocks;
        blocks.push(Block::new("texts", Value::from(self.texts.list).to_string().into_bytes()));
        for (name, column) in [
            ("name", &self.name),
            ("text", &self.text),
            ("buffer", &self.buffer),
            ("kind", &self.kind),
            ("size", &self.size),
            ("words", &self.words),
            ("writes", &self.writes),
            ("write_value", &self.write_value),
        ] {
            blocks.push(columns::numbers(name, column));
        }
        for (name, column) in [("dword", &self.dword), ("write_addr", &self.write_addr)] {
            blocks.push(columns::differences(name, column));
        }
        (head, blocks)
    }
}

fn address(at: MemoryAddress) -> String {
    match at {
        MemoryAddress::At(addr) => format!("0x{addr:x}"),
        MemoryAddress::Base { index, offset, .. } => format!("base {index} + 0x{offset:x}"),
        MemoryAddress::Unknown => "unknown".into(),
    }
}

/// Formats the first dwords of the written data.
fn value(data: WrittenData<'_>, bytes: u64) -> String {
    const SHOWN: u64 = 4;
    let words: Vec<String> = (0..bytes.div_ceil(4).min(SHOWN)).map_while(|i| data.dword(4 * i)).map(|word| format!("0x{word:08x}")).collect();
    let more = if bytes > 4 * SHOWN && !words.is_empty() { " …" } else { "" };
    words.join(" ") + more
}

fn timing(timing: Timing) -> &'static str {
    match timing {
        Timing::Issue => "at once",
        Timing::Pipe => "by the work",
        Timing::EndOfPipe => "at the end of the pipe",
        Timing::Dma => "by DMA",
    }
}
