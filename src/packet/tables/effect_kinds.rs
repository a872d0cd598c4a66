//! Everything that packets of one opcode can do, whatever their fields contain.

use crate::chip::Gfx;
use crate::packet::formats::effect_row::Work;
use crate::packet::tables::generated;
use crate::packet::wire::opcode::{Opcode, Queue};

/// Everything that packets of one opcode can do, whatever their fields contain, as a set of bits.
///
/// For an example, see [`Opcode::effect_kinds`](crate::packet::Opcode::effect_kinds).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EffectKinds(pub(in crate::packet) u32);

impl EffectKinds {
    /// Changes registers, other than as part of the state of a draw packet.
    pub const REGISTERS: Self = Self(1);
    /// Changes registers that are part of the state set by other packets: VGT_INDEX_TYPE, VGT_NUM_INSTANCES, VGT_DMA_*.
    pub const STATE: Self = Self(1 << 1);
    /// Does nothing but set registers.
    pub const SETS_ONLY: Self = Self(1 << 2);
    /// May roll the context.
    pub const ROLLS: Self = Self(1 << 3);
    /// May run another buffer.
    pub const RUNS: Self = Self(1 << 4);
    /// May skip the dwords after it.
    pub const SKIPS: Self = Self(1 << 5);
    /// May read memory.
    pub const READS: Self = Self(1 << 6);
    /// May write memory.
    pub const WRITES: Self = Self(1 << 7);
    /// May make the engine wait.
    pub const WAITS: Self = Self(1 << 8);
    /// A draw.
    pub const DRAW: Self = Self(1 << 9);
    /// A dispatch.
    pub const DISPATCH: Self = Self(1 << 10);
    /// Sets consecutive registers after one offset dword.
    pub const SETS_A_RUN: Self = Self(1 << 11);
    /// Sets registers in pairs of offset and value.
    pub const SETS_A_LIST: Self = Self(1 << 12);
    /// Sets registers in pairs, with two offsets packed into a dword.
    pub const SETS_PACKED: Self = Self(1 << 14);
    /// A draw that reads indices.
    pub const INDEXED: Self = Self(1 << 15);
    /// Contains addresses.
    pub const ADDRESSES: Self = Self(1 << 13);

    /// Loads registers from memory.
    pub const LOADS: Self = Self(1 << 16);
    /// Loads registers from memory if CONTEXT_CONTROL enables it for their window.
    pub const LOADS_IF_ENABLED: Self = Self(1 << 17);
    /// May change registers and memory that the packet does not name.
    pub const ANYTHING: Self = Self(1 << 18);

    /// Returns whether any of these bits is set.
    #[must_use]
    pub const fn intersects(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// Returns the union of both sets.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Opcode {
    /// Returns everything that packets with this opcode can do on a generation.
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

    /// Returns the work that packets with this opcode start on a generation. If a field decides it, returns what they may start
    /// ([`Packet::work`](crate::packet::Packet::work) decides).
    #[must_use]
    pub const fn work(self, gfx: Gfx) -> Option<Work> {
        self.work_on(gfx, Queue::Graphics)
    }

    /// Returns the work on a given queue: DISPATCH_DRAW of the graphics queue and DISPATCH_DRAW_ACE share an opcode.
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

/// Returns whether packets other than register writes set the register as part of their state: VGT_INDEX_TYPE, VGT_NUM_INSTANCES, VGT_DMA_* and others.
pub(in crate::packet) fn is_state(gfx: Gfx, addr: u32) -> bool {
    generated::STATE_REGISTERS.iter().any(|(known, set)| *known == addr && set & gfx.bit() != 0)
}
