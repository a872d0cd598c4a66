//! Packets of queues other than PM4: families of packets, each with its own versions.

use crate::diag::Span;

/// A family: the packets of one kind of queue.
pub struct Family {
    pub name: String,
    pub versions: Vec<String>,
    /// Bits (lo, hi) of the header that hold the opcode, and the sub-opcode if there is one.
    pub op: (u8, u8),
    pub sub_op: Option<(u8, u8)>,
    pub packets: Vec<Packet>,
}

/// Versions of a family; bit 0 is the first.
pub type Versions = u16;

pub struct Packet {
    pub name: String,
    pub at: Span,
    pub doc: String,
    pub versions: Versions,
    /// Opcodes, each with the versions that use it.
    pub ops: Vec<(Versions, u32)>,
    /// Sub-opcodes that select the packet; empty if any does.
    pub sub_ops: Vec<u32>,
    /// A bit of the header that selects the packet, and its value.
    pub when: Option<(u8, bool)>,
    pub dwords: Vec<(Versions, u32)>,
    /// A header bit with which the packet is longer.
    pub more: Vec<(Versions, u8, u32)>,
    /// A field whose value is added to the length.
    pub count: Option<Place>,
    pub effects: Vec<Effect>,
    pub fields: Vec<Field>,
}

/// An effect of a packet: the kind, and for memory the name of the address and the bytes.
pub struct Effect {
    pub kind: &'static str,
    pub addr: String,
    pub size: Size,
}

pub enum Size {
    None,
    Bytes(u32),
    /// (value of a field + plus) * times.
    Field {
        name: String,
        plus: u32,
        times: u32,
    },
    /// A box between two buffers with pitches.
    Box,
}

/// Kinds of effects as named in the files, with their variants; the first four concern memory.
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

/// The place of a field; `hi` exceeds 31 if the field continues in the next dword.
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
