//! The rows of the tables on effects of packets. `read::effects` evaluates them for one packet.

use crate::packet::formats::field::Condition;
use crate::packet::wire::scope::Scope;
use crate::regs::Space;

/// The time at which an effect takes place.
///
/// For an example see [`Effect`](crate::packet::Effect).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Timing {
    /// While the engine executes the packet.
    Issue,
    /// At an unknown time, by the work that the packet starts.
    Pipe,
    /// After the work before the packet has left the pipe.
    EndOfPipe,
    /// At an unknown time, by the DMA engine, unless the packet waits for it.
    Dma,
}

/// The kind of work that a packet starts.
///
/// For an example see [`Packet::work`](crate::packet::Packet::work).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// Graphics work: vertices or meshes.
    Draw,
    /// Compute work, including the task shaders of a mesh pipeline.
    Dispatch,
}

/// Work that a packet starts if conditions hold.
#[derive(Debug)]
pub(in crate::packet) struct Starts {
    pub work: Work,
    pub scope: Scope,
    pub when: &'static [Condition],
}

/// The state that a packet without a layout may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::packet) enum Touches {
    Nothing,
    Registers,
    Memory,
    Everything,
}

/// One effect in the tables.
#[derive(Debug)]
pub(in crate::packet) struct EffectRow {
    pub when: &'static [Condition],
    pub may: bool,
    /// The engine that acts on the graphics queue.
    pub by: By,
    pub timing: Timing,
    /// If this holds, the packet waits for the effect, which then takes place at issue.
    pub at_once: Option<&'static [Condition]>,
    pub does: Does,
}

/// The engine that acts on the graphics queue.
#[derive(Debug)]
pub(in crate::packet) enum By {
    Pfp,
    Me,
    /// PFP if this holds, otherwise ME.
    Selected(&'static [Condition]),
}

/// Bits of a dword.
#[derive(Debug, Clone, Copy)]
pub(in crate::packet) struct At {
    pub dword: u8,
    pub lo: u8,
    pub hi: u8,
}

/// A product of numbers.
#[derive(Debug)]
pub(in crate::packet) struct Product {
    pub factor: u32,
    pub operands: &'static [Operand],
}

#[derive(Debug)]
pub(in crate::packet) enum Operand {
    Bits(At),
    /// Bytes of an index: the maximum, because the packet does not state the size.
    IndexBytes,
    /// Render backends: the largest number of a known board (24, a gfx1100 in the kernel's data).
    RenderBackends,
    /// The number of dwords after the fixed ones.
    Tail,
}

#[derive(Debug)]
pub(in crate::packet) enum Place {
    Address(At, At),
    Base(u8, At),
    #[allow(dead_code)] // some generations have no packet with such a place
    Unknown,
}

#[derive(Debug)]
pub(in crate::packet) enum Does {
    Set {
        start: Option<u32>,
        at: &'static [At],
        values: &'static [At],
        count: Option<At>,
        dwords: Option<Product>,
        still: Option<&'static [Condition]>,
    },
    Named {
        addr: u32,
        value: Option<At>,
    },
    Modify {
        start: Option<u32>,
        at: At,
        mask: At,
        keeps: bool,
        value: At,
    },
    Load {
        start: Option<u32>,
        at: At,
        dwords: Product,
        from: Place,
        image: bool,
    },
    Sgprs {
        at: At,
        dwords: u8,
    },
    Windows(&'static [Space]),
    Memory {
        write: bool,
        at: Place,
        plus: Option<Product>,
        bytes: Product,
        each: Option<(Product, Product)>,
        data: Option<(At, Option<(At, u8)>)>,
        still: Option<&'static [Condition]>,
    },
    Run {
        at: (At, At),
        dwords: Product,
        last: bool,
    },
    Skip {
        dwords: Product,
    },
    Base {
        index: At,
        at: (At, At),
    },
    /// Registers and memory change.
    #[allow(dead_code)] // some generations have no packet that does
    Everything,
    Rolls,
    Waits,
}

impl Does {
    /// Once for each render backend of the board; the packet does not state their number.
    pub fn per_render_backend(&self) -> bool {
        matches!(self, Self::Memory { each: Some((count, _)), .. } if matches!(count.operands, [Operand::RenderBackends]))
    }
}
