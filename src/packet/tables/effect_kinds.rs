//! Everything that packets of one opcode can do, whatever their fields say.

use crate::chip::Gfx;
use crate::packet::formats::effect_row::Work;
use crate::packet::tables::generated;
use crate::packet::wire::opcode::{Opcode, Queue};

/// Everything that packets of one opcode can do, whatever their fields say: a set of bits.
///
/// For an example see [`Opcode::effect_kinds`](crate::packet::Opcode::effect_kinds).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EffectKinds(pub(in crate::packet) u32);

impl EffectKinds {
    /// Registers change, other than as state of a draw packet.
    pub const REGISTERS: Self = Self(1);
    /// Registers change that are part of the state which other packets set: VGT_INDEX_TYPE, VGT_NUM_INSTANCES, VGT_DMA_*.
    pub const STATE: Self = Self(1 << 1);
    /// The packet does nothing but set registers.
    pub const SETS_ONLY: Self = Self(1 << 2);
    /// The context may roll.
    pub const ROLLS: Self = Self(1 << 3);
    /// Another buffer may run.
    pub const RUNS: Self = Self(1 << 4);
    /// What follows may be skipped.
    pub const SKIPS: Self = Self(1 << 5);
    /// Memory may be read.
    pub const READS: Self = Self(1 << 6);
    /// Memory may be written.
    pub const WRITES: Self = Self(1 << 7);
    /// The engine may wait.
    pub const WAITS: Self = Self(1 << 8);
    /// A draw.
    pub const DRAW: Self = Self(1 << 9);
    /// A dispatch.
    pub const DISPATCH: Self = Self(1 << 10);
    /// Registers in a row after one offset dword.
    pub const SETS_A_RUN: Self = Self(1 << 11);
    /// Offsets and values in pairs.
    pub const SETS_A_LIST: Self = Self(1 << 12);
    /// Two offsets in a dword, and their values: pairs as well.
    pub const SETS_PACKED: Self = Self(1 << 14);
    /// A draw that fetches indices.
    pub const INDEXED: Self = Self(1 << 15);
    /// The packet holds addresses.
    pub const ADDRESSES: Self = Self(1 << 13);

    /// Registers are loaded from memory.
    pub const LOADS: Self = Self(1 << 16);
    /// Registers are loaded from memory where CONTEXT_CONTROL enables it for their window.
    pub const LOADS_IF_ENABLED: Self = Self(1 << 17);
    /// Registers and memory may change that the packet does not name.
    pub const ANYTHING: Self = Self(1 << 18);

    /// Returns whether any of these bits is set.
    #[must_use]
    pub const fn intersects(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// Both sets.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Opcode {
    /// What packets of this number may do on a generation.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::{chip::Gfx, packet::{EffectKinds, Opcode}};
    /// assert!(Opcode::CONTEXT_REG_RMW.effect_kinds(Gfx::Gfx11).intersects(EffectKinds::ROLLS));
    /// assert!(!Opcode::NUM_INSTANCES.effect_kinds(Gfx::Gfx11).intersects(EffectKinds::REGISTERS));
    /// # }
    /// ```
    #[must_use]
    #[inline]
    pub const fn effect_kinds(self, gfx: Gfx) -> EffectKinds {
        EffectKinds(generated::EFFECT_KINDS[gfx.index()][self.0 as usize])
    }

    /// Returns the work that packets of this number start on a generation; of those of which a field decides it, what they may start
    /// ([`Packet::work`](crate::packet::Packet::work)).
    #[must_use]
    pub const fn work(self, gfx: Gfx) -> Option<Work> {
        self.work_on(gfx, Queue::Graphics)
    }

    /// Returns the same on a queue: DISPATCH_DRAW of the graphics queue and DISPATCH_DRAW_ACE share a number.
    #[must_use]
    pub const fn work_on(self, gfx: Gfx, queue: Queue) -> Option<Work> {
        let kinds = self.effect_kinds(gfx);
        let compute = matches!(queue, Queue::Compute) && kinds.intersects(EffectKinds::DISPATCH);
        if kinds.intersects(EffectKinds::DRAW) && !compute {
            Some(Work::Draw)
        } else if kinds.intersects(EffectKinds::DISPATCH) {
            Some(Work::Dispatch)
        } else {
            None
        }
    }
}

/// Returns whether packets other than register writes use the register for their state: VGT_INDEX_TYPE, VGT_NUM_INSTANCES, VGT_DMA_* and others.
pub(in crate::packet) fn is_state(gfx: Gfx, addr: u32) -> bool {
    generated::STATE_REGISTERS.iter().any(|(known, set)| *known == addr && set & gfx.bit() != 0)
}
