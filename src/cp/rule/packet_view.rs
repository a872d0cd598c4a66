//! What rules on packets see, and on which packets they are checked.

use crate::chip::{Chip, Gfx};
use crate::cp::rules::{Judge, Rule};
use crate::cp::state::history::History;
use crate::cp::{ModelOptions, RegisterFile};
use crate::packet::{EffectKinds, Opcode, Packet, Queue};
use alloc::vec::Vec;

/// The packets on which a rule is checked. A narrow choice keeps the model fast: most packets of a stream are plain SET packets.
///
/// For an example see [`Judge`](crate::cp::rules::Judge).
#[derive(Debug, Clone, Copy)]
pub enum WatchedPackets {
    /// Those with these opcodes.
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
    /// SET packets with a register of a group that belongs together.
    Grouped,
    /// SET packets while GRBM_GFX_INDEX selects a part of the chip.
    PartSelected,
    /// SET packets while register shadowing is on.
    Shadowed,
    /// SET packets that leave all their registers as they were.
    Redundant,
    /// SET packets that write one of these registers (byte addresses), and all packets with these opcodes.
    Registers(&'static [u32], &'static [Opcode]),
}

/// What a packet and its moment have that rules ask for, as a set of bits.
pub(in crate::cp) mod traits {
    /// Every packet has it.
    pub const ALWAYS: u16 = 1;
    pub const HEADER: u16 = 1 << 1;
    pub const INDEXED: u16 = 1 << 2;
    pub const WRONG_SHADER_TYPE: u16 = 1 << 3;
    pub const NEEDS_INDEX: u16 = 1 << 4;
    pub const GROUPED: u16 = 1 << 5;
    pub const PART_SELECTED: u16 = 1 << 6;
    pub const SHADOWED: u16 = 1 << 7;
    pub const REDUNDANT: u16 = 1 << 8;
    /// The model itself handles a register: VGT_INDEX_TYPE, GRBM_GFX_INDEX, the viewport scissors.
    pub const NOTICED: u16 = 1 << 9;
    /// A rule on register writes is checked on a write.
    pub const JUDGED: u16 = 1 << 10;
    /// A rule on packets asks for a register: [`WatchedPackets::Registers`](crate::cp::rules::WatchedPackets::Registers).
    pub const WATCHED: u16 = 1 << 11;
    /// What a SET packet of any form may have.
    pub const OF_SETS: u16 = INDEXED | WRONG_SHADER_TYPE | NEEDS_INDEX | GROUPED | REDUNDANT | WATCHED;
}

impl WatchedPackets {
    /// What a packet must have for the rule.
    const fn asks_for(self, opcode: Opcode, gfx: Gfx) -> u16 {
        let kinds = opcode.effect_kinds(gfx);
        match self {
            Self::OtherThanPlainSets if kinds.intersects(EffectKinds::SETS_ONLY) => traits::INDEXED,
            Self::Registers(..) if kinds.intersects(EffectKinds::SETS_ONLY) => traits::WATCHED,
            Self::Registers(..) | Self::Opcodes(_) | Self::Matching(_) | Self::OtherThanSets | Self::OtherThanPlainSets => traits::ALWAYS,
            Self::HeaderBits => traits::HEADER,
            Self::WithIndexBits(_) => traits::INDEXED,
            Self::WrongShaderType => traits::WRONG_SHADER_TYPE,
            Self::NeedsIndex => traits::NEEDS_INDEX | traits::INDEXED,
            Self::Grouped => traits::GROUPED,
            Self::PartSelected => traits::PART_SELECTED,
            Self::Shadowed => traits::SHADOWED,
            Self::Redundant => traits::REDUNDANT,
        }
    }

    /// Whether packets of an opcode may concern the rule.
    fn takes(self, opcode: Opcode, chip: Chip, queue: Queue) -> bool {
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

/// A packet that a rule looks at, before it is executed.
///
/// For an example see [`Judge`](crate::cp::rules::Judge).
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
    /// The chip.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// The generation.
    pub fn gfx(&self) -> Gfx {
        self.chip.gfx()
    }

    /// The queue.
    pub fn queue(&self) -> Queue {
        self.queue
    }

    /// Whether the packet is in a ring, the level from which command buffers are started.
    pub fn in_ring(&self) -> bool {
        self.ring
    }

    /// The packet.
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

    /// A named field of the packet. None where the packet has no such field.
    pub fn field(&self, name: &str) -> Option<u64> {
        self.packet.field(self.gfx(), self.queue, name)
    }

    /// The registers before the packet.
    pub fn registers(&self) -> &RegisterFile {
        self.registers
    }
}

/// The rules on packets, by queue and opcode.
#[derive(Debug, Clone)]
pub(in crate::cp) struct PacketRules {
    by_opcode: [Vec<Vec<(u16, &'static Rule)>>; 3],
    /// What the rules of an opcode ask for, together.
    asked: [[u16; 256]; 3],
}

impl PacketRules {
    /// Of the rules that are checked on a chip.
    pub fn new(chip: Chip, enabled: &[&'static Rule]) -> Self {
        let rules: Vec<(&'static Rule, WatchedPackets)> =
            enabled.iter().filter_map(|rule| if let Judge::Packet { watch: on, .. } = rule.judge { Some((*rule, on)) } else { None }).collect();
        let of = |queue: Queue, opcode: Opcode| rules.iter().filter(move |(_, on)| on.takes(opcode, chip, queue));
        let by_opcode: [Vec<Vec<(u16, &'static Rule)>>; 3] = [Queue::Graphics, Queue::Compute, Queue::Constant]
            .map(|queue| (0..=255).map(Opcode).map(|opcode| of(queue, opcode).map(|(rule, on)| (on.asks_for(opcode, chip.gfx()), *rule)).collect()).collect());
        let together = |rules: &Vec<(u16, &'static Rule)>| rules.iter().fold(0, |set, (asks_for, _)| set | asks_for);
        let asked = by_opcode.each_ref().map(|rules| core::array::from_fn(|opcode| rules.get(opcode).map_or(0, together)));
        Self { by_opcode, asked }
    }

    /// What the rules of an opcode ask for: [`traits`].
    #[inline]
    pub fn asked(&self, queue: Queue, opcode: Opcode) -> u16 {
        self.asked[queue as usize][usize::from(opcode.0)]
    }

    /// The rules on packets of an opcode with these traits.
    pub fn of(&self, queue: Queue, opcode: Opcode, traits: u16) -> impl Iterator<Item = &'static Rule> + '_ {
        let rules = self.by_opcode[queue as usize].get(usize::from(opcode.0)).map_or(&[][..], Vec::as_slice);
        rules.iter().filter(move |(asks_for, _)| asks_for & traits != 0).map(|(_, rule)| *rule)
    }
}
