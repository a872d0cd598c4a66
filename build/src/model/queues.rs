//! Packets of queues that are not PM4: families of packets, each with versions of its own.

use crate::diag::Span;

/// A family: the packets of one kind of queue.
pub struct Family {
    pub name: String,
    pub versions: Vec<String>,
    /// Bits of the header, (lo, hi), that hold the opcode and, where there is one, the number below it.
    pub op: (u8, u8),
    pub sub_op: Option<(u8, u8)>,
    pub packets: Vec<Packet>,
}

/// Versions of a family, bit 0 the first.
pub type Versions = u16;

pub struct Packet {
    pub name: String,
    pub at: Span,
    pub doc: String,
    pub versions: Versions,
    /// Opcodes, each with the versions that have it.
    pub ops: Vec<(Versions, u32)>,
    /// Numbers below the opcode that select the packet; empty where any does.
    pub sub_ops: Vec<u32>,
    /// A bit of the header that selects the packet, and its value.
    pub when: Option<(u8, bool)>,
    pub dwords: Vec<(Versions, u32)>,
    /// A bit of the header with which the packet is longer.
    pub more: Vec<(Versions, u8, u32)>,
    /// A field whose value is added to the length.
    pub count: Option<Place>,
    pub effects: Vec<Effect>,
    pub fields: Vec<Field>,
}

/// What a packet does: a kind, and for memory the name of the address and the bytes.
pub struct Effect {
    pub kind: &'static str,
    pub addr: String,
    pub size: Size,
}

pub enum Size {
    None,
    Bytes(u32),
    /// (value + plus) * times of a field.
    Field {
        name: String,
        plus: u32,
        times: u32,
    },
    /// A box between two buffers with pitches.
    Box,
}

/// Kinds of effects as the files name them, with their variants; the first four are of memory.
pub const EFFECTS: [(&str, &str); 17] = [
    ("read", "Read"),
    ("write", "Write"),
    ("change", "Change"),
    ("call", "Call"),
    ("pm4", "Pm4"),
    ("poll", "Poll"),
    ("skip", "Skip"),
    ("engines", "Engines"),
    ("caches", "Caches"),
    ("interrupt", "Interrupt"),
    ("kernel", "Kernel"),
    ("dispatch", "Dispatch"),
    ("agent", "Agent"),
    ("wait", "Wait"),
    ("tiled", "Tiled"),
    ("queue", "Queue"),
    ("unknown", "Unknown"),
];

/// Where a field is: `hi` goes beyond 31 where it continues in the next dword.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub dword: u32,
    pub lo: u8,
    pub hi: u8,
    pub list: List,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum List {
    One,
    Of(u32),
    Rest,
}

pub struct Field {
    pub name: String,
    pub place: Place,
    pub versions: Versions,
    pub note: String,
}
