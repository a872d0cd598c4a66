//! Opcodes, engines and queues.

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
    /// Prefetch parser: fetches the graphics queue and runs ahead of [`Me`](Self::Me).
    Pfp,
    /// Micro-engine: executes graphics work.
    Me,
    /// Micro-engine compute: runs compute queues.
    Mec,
    /// Constant engine, up to GFX10.3, concurrent with PFP.
    Ce,
}

/// The queue to which a stream is submitted.
///
/// For an example see [`Scope`](crate::packet::Scope).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// The graphics queue: PFP and ME.
    Graphics,
    /// A compute queue: MEC.
    Compute,
    /// The stream of the constant engine, concurrent with the graphics queue, up to GFX10.3: CE.
    Constant,
}

impl fmt::Debug for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Opcode({:#04x})", self.0)
    }
}
