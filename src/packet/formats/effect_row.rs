//! What the tables say of the effects of packets. `read::effects` evaluates them for one packet.

use crate::packet::formats::field::Condition;
use crate::packet::wire::scope::Scope;
use crate::regs::Space;

/// When an effect takes place.
///
/// For an example see [`Effect`](crate::packet::Effect).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Timing {
    /// While the engine executes the packet.
    Issue,
    /// Some time, by the work that the packet starts.
    Pipe,
    /// When the work before the packet has left the pipe.
    EndOfPipe,
    /// Some time, by the DMA engine, unless the packet waits for it.
    Dma,
}

/// What the work of a packet is.
///
/// For an example see [`Packet::work`](crate::packet::Packet::work).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// Graphics: vertices, or meshes.
    Draw,
    /// Compute, among it the task shaders of a mesh pipeline.
    Dispatch,
}

/// Work that a packet starts, where conditions hold.
#[derive(Debug)]
pub(in crate::packet) struct Starts {
    pub work: Work,
    pub scope: Scope,
    pub when: &'static [Condition],
}

/// What a packet without a layout may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::packet) enum Touches {
    Nothing,
    Registers,
    Memory,
    Everything,
}

/// One effect as the tables have it.
#[derive(Debug)]
pub(in crate::packet) struct EffectRow {
    pub when: &'static [Condition],
    pub may: bool,
    /// Who acts on the graphics queue: PFP, ME; None for PFP where `pfp_when` holds, else ME.
    pub by: By,
    pub timing: Timing,
    /// Where this holds, the packet waits for it: it takes place at issue.
    pub at_once: Option<&'static [Condition]>,
    pub does: Does,
}

/// Who acts on the graphics queue.
#[derive(Debug)]
pub(in crate::packet) enum By {
    Pfp,
    Me,
    /// PFP where this holds.
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
    /// Bytes of an index; the packet does not say, so the most.
    IndexBytes,
    /// Render backends: the most that a known board has (24, a gfx1100 in the kernel's data).
    RenderBackends,
    /// Dwords after the fixed ones.
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
    /// Once for each render backend of the board, whose number the packet does not state.
    pub fn per_render_backend(&self) -> bool {
        matches!(self, Self::Memory { each: Some((count, _)), .. } if matches!(count.operands, [Operand::RenderBackends]))
    }
}
