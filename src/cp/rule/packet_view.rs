//! Views of packets for rules, and the packets on which rules are checked.

use crate::chip::{Chip, Gfx};
use crate::cp::state::history::History;
use crate::cp::state::options::ModelOptions;
use crate::cp::state::packet_flags;
use crate::cp::state::registers::RegisterFile;
use crate::packet::{EffectKinds, Opcode, Packet, Queue};

/// The packets on which a rule is checked. A narrow choice keeps the model fast: most packets of a stream are plain SET packets.
///
/// For an example see [`Judge`](crate::cp::rule::judge::Judge).
#[derive(Debug, Clone, Copy)]
pub enum WatchedPackets {
    /// Packets with these opcodes.
    Opcodes(&'static [Opcode]),
    /// Packets for whose opcode the function returns true, for the chip and the queue of the model.
    Matching(fn(Opcode, Chip, Queue) -> bool),
    /// Packets with one of these header bits set: predicate (0), reset_filter_cam (2), reserved (7:3).
    HeaderBits,
    /// All packets except those that do nothing but set registers.
    OtherThanSets,
    /// All packets of `OtherThanSets`, and SET packets of consecutive registers with a bit set in bits 31:16 of their offset dword.
    OtherThanPlainSets,
    /// SET packets of consecutive registers, with one of these opcodes, that have a bit set in bits 31:16 of their offset dword.
    WithIndexBits(&'static [Opcode]),
    /// SET_SH_REG packets whose header bit 1 (compute) does not match the address of their first register ([`Bank::ShCompute`](crate::cp::Bank::ShCompute)).
    WrongShaderType,
    /// SET packets with an index, or with a register that needs one.
    NeedsIndex,
    /// SET packets with a register of a group that must be written together.
    Grouped,
    /// SET packets while GRBM_GFX_INDEX selects a part of the chip.
    PartSelected,
    /// SET packets while register shadowing is on.
    Shadowed,
    /// SET packets that change none of their registers.
    Redundant,
    /// SET packets that write one of these registers (byte addresses), and all packets with these opcodes.
    Registers(&'static [u32], &'static [Opcode]),
}

impl WatchedPackets {
    /// What a packet must have for the rule.
    pub(in crate::cp) const fn asks_for(self, opcode: Opcode, gfx: Gfx) -> u16 {
        let kinds = opcode.effect_kinds(gfx);
        match self {
            Self::OtherThanPlainSets if kinds.intersects(EffectKinds::SETS_ONLY) => packet_flags::INDEXED,
            Self::Registers(..) if kinds.intersects(EffectKinds::SETS_ONLY) => packet_flags::WATCHED,
            Self::Registers(..) | Self::Opcodes(_) | Self::Matching(_) | Self::OtherThanSets | Self::OtherThanPlainSets => packet_flags::ALWAYS,
            Self::HeaderBits => packet_flags::HEADER,
            Self::WithIndexBits(_) => packet_flags::INDEXED,
            Self::WrongShaderType => packet_flags::WRONG_SHADER_TYPE,
            Self::NeedsIndex => packet_flags::NEEDS_INDEX | packet_flags::INDEXED,
            Self::Grouped => packet_flags::GROUPED,
            Self::PartSelected => packet_flags::PART_SELECTED,
            Self::Shadowed => packet_flags::SHADOWED,
            Self::Redundant => packet_flags::REDUNDANT,
        }
    }

    /// Returns whether packets of an opcode may concern the rule.
    pub(in crate::cp) fn may_match(self, opcode: Opcode, chip: Chip, queue: Queue) -> bool {
        let kinds = opcode.effect_kinds(chip.gfx());
        let (sets, run) = (kinds.intersects(EffectKinds::SETS_ONLY), kinds.intersects(EffectKinds::SETS_A_RUN));
        match self {
            Self::Opcodes(list) | Self::WithIndexBits(list) => list.contains(&opcode),
            Self::Matching(wanted) => wanted(opcode, chip, queue),
            Self::HeaderBits => true,
            Self::Registers(_, others) => sets || others.contains(&opcode),
            Self::OtherThanSets => !sets,
            Self::OtherThanPlainSets => !sets || run,
            Self::WrongShaderType => opcode == Opcode::SET_SH_REG,
            Self::NeedsIndex | Self::Grouped | Self::PartSelected | Self::Shadowed | Self::Redundant => sets,
        }
    }
}

/// The view of a packet for a rule, before the packet is executed.
///
/// For an example see [`Judge`](crate::cp::rule::judge::Judge).
#[derive(Debug, Clone, Copy)]
pub struct PacketView<'v> {
    pub(in crate::cp) chip: Chip,
    pub(in crate::cp) queue: Queue,
    pub(in crate::cp) packet: Packet<'v>,
    pub(in crate::cp) registers: &'v RegisterFile,
    pub(in crate::cp) history: &'v History,
    pub(in crate::cp) options: &'v ModelOptions,
    /// The packet is in a ring.
    pub(in crate::cp) ring: bool,
}

impl<'v> PacketView<'v> {
    /// Returns the chip.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// Returns the generation.
    pub fn gfx(&self) -> Gfx {
        self.chip.gfx()
    }

    /// Returns the queue.
    pub fn queue(&self) -> Queue {
        self.queue
    }

    /// Returns whether the packet is in a ring, the level from which command buffers are started.
    pub fn in_ring(&self) -> bool {
        self.ring
    }

    /// Returns the packet.
    pub fn packet(&self) -> &Packet<'v> {
        &self.packet
    }

    /// Dword `index` of the body, counted from 0 after the header; 0 where the packet is too short.
    pub fn word(&self, index: usize) -> u32 {
        self.packet.body.get(index).copied().unwrap_or(0)
    }

    /// Bits `lo` to `hi`, both included, of dword `index` of the body (the dword after the header is 0), shifted down to bit 0. 0 where the packet is too
    /// short. `lo` must not be above `hi`, and `hi` must be at most 31; otherwise it may panic.
    pub fn bits(&self, index: usize, lo: u32, hi: u32) -> u32 {
        self.word(index) >> lo & (u32::MAX >> (31 + lo - hi))
    }

    /// Returns a named field of the packet. None if the packet has no such field.
    pub fn field(&self, name: &str) -> Option<u64> {
        self.packet.field(self.gfx(), self.queue, name)
    }

    /// Returns the registers before the packet.
    pub fn registers(&self) -> &RegisterFile {
        self.registers
    }
}
