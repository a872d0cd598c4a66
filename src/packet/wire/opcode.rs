//! Opcodes, engines and queues.

use crate::chip::Gfx;
use crate::packet::formats::format::Scope;
use crate::packet::tables::generated;
use core::fmt;

/// The opcode of a type 3 packet: an open number with AMD's names as constants.
///
/// ```
/// use pm4::packet::Opcode;
/// assert_eq!(Opcode::SET_CONTEXT_REG, Opcode(0x69));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Opcode(pub u8);

/// The micro-engines of the command processor that execute packets.
///
/// For an example see [`Effect`](crate::packet::Effect).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Prefetch parser: fetches the graphics queue, runs ahead of [`Me`](Self::Me).
    Pfp,
    /// Micro-engine: executes graphics work.
    Me,
    /// Micro-engine compute: runs compute queues.
    Mec,
    /// Constant engine, up to GFX10.3, beside PFP.
    Ce,
}

/// Where a stream is submitted.
///
/// For an example see [`Scope`](crate::packet::Scope).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// The graphics queue: PFP and ME.
    Graphics,
    /// A compute queue: MEC.
    Compute,
    /// The stream of the constant engine beside the graphics queue, up to GFX10.3: CE.
    Constant,
}

/// One name of an opcode number.
pub(in crate::packet) struct OpcodeName {
    pub value: u8,
    /// Generations, one bit each, whose headers know the name.
    pub gfx: u8,
    pub name: &'static str,
}

impl Opcode {
    /// AMD's name of the opcode on this generation. Where packets share a number (INDIRECT_BUFFER and COND_INDIRECT_BUFFER), the plain one;
    /// [`Packet::name`](crate::packet::Packet::name) distinguishes them by size.
    #[must_use]
    pub fn name(self, gfx: Gfx) -> Option<&'static str> {
        let mut candidates = names_of(self).filter(|n| n.gfx & gfx.bit() != 0).map(|n| n.name);
        let first = candidates.next()?;
        // INDIRECT_BUFFER is part of COND_INDIRECT_BUFFER, DISPATCH_DRAW of DISPATCH_DRAW_ACE: the shortest name is the plain one.
        Some(candidates.fold(first, |a, b| if b.len() < a.len() { b } else { a }))
    }

    /// The opcode with this name on this generation.
    #[must_use]
    pub fn from_name(gfx: Gfx, name: &str) -> Option<Self> {
        generated::OPCODES.iter().find(|n| n.name == name && n.gfx & gfx.bit() != 0).map(|n| Self(n.value))
    }

    /// Whether any generation names this number.
    #[must_use]
    pub fn is_known(self) -> bool {
        names_of(self).next().is_some()
    }

    /// Whether an engine of the queue executes the packet on this generation. Opcodes without a known layout count as
    /// available where they have a name, unless a source names their engine.
    #[must_use]
    pub fn available(self, gfx: Gfx, queue: Queue) -> bool {
        let scope = Scope(generated::AVAILABLE[usize::from(self.0)]);
        scope.intersects(Scope::queue(gfx, queue)) || (scope == Scope::NONE && self.name(gfx).is_some())
    }
}

/// The names of a number; the table is sorted by number.
fn names_of(opcode: Opcode) -> impl Iterator<Item = &'static OpcodeName> {
    let start = generated::OPCODES.partition_point(|n| n.value < opcode.0);
    generated::OPCODES[start..].iter().take_while(move |n| n.value == opcode.0)
}

impl fmt::Debug for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Opcode({:#04x})", self.0)
    }
}

impl fmt::Display for Opcode {
    /// The name that most generations use, or the number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match names_of(*self).max_by_key(|n| (n.gfx.count_ones(), core::cmp::Reverse(n.name.len()))) {
            Some(n) => f.pad(n.name),
            None => write!(f, "{:#04x}", self.0),
        }
    }
}
