//! Sets of generations and engines.

use crate::chip::Gfx;
use crate::packet::wire::opcode::{Engine, Queue};

/// A set of pairs of generation and engine: bit `4 * generation + engine`, generations from GFX9 to GFX12, engines PFP, ME, MEC, CE.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::{Engine, Queue, Scope};
/// let graphics = Scope::queue(Gfx::Gfx10, Queue::Graphics);
/// assert!(graphics.has(Gfx::Gfx10, Engine::Pfp) && graphics.has(Gfx::Gfx10, Engine::Me) && !graphics.has(Gfx::Gfx10, Engine::Mec));
/// assert_eq!(graphics.and(Scope::one(Gfx::Gfx10, Engine::Mec)), Scope::NONE);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scope(pub u32);

impl Scope {
    /// No generation.
    pub const NONE: Self = Self(0);

    /// Returns one engine of one generation.
    #[must_use]
    pub const fn one(gfx: Gfx, engine: Engine) -> Self {
        Self(1 << (4 * gfx.bit().trailing_zeros() + engine as u32))
    }

    /// Returns the engines of a queue: PFP and ME, MEC, or CE.
    #[must_use]
    pub const fn queue(gfx: Gfx, queue: Queue) -> Self {
        let engines = match queue {
            Queue::Graphics => 0b0011,
            Queue::Compute => 0b0100,
            Queue::Constant => 0b1000,
        };
        Self(engines << (4 * gfx.bit().trailing_zeros()))
    }

    /// Returns all engines of a generation.
    #[must_use]
    pub const fn gfx(gfx: Gfx) -> Self {
        Self(0xF << (4 * gfx.bit().trailing_zeros()))
    }

    /// Returns whether the sets share a pair.
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// What both sets have.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns whether an engine of a generation belongs to the set.
    #[must_use]
    pub const fn has(self, gfx: Gfx, engine: Engine) -> bool {
        self.intersects(Self::one(gfx, engine))
    }
}
