//! What rules on packets see, and which packets they want to see.

use super::{Judge, Rule};
use crate::chip::{Chip, Gfx};
use crate::cp::history::History;
use crate::cp::{Options, RegisterFile};
use crate::packet::{Header, Opcode, Packet, Queue};
use alloc::vec::Vec;

/// The packets that a rule wants to see.
#[derive(Debug, Clone, Copy)]
pub enum On {
    /// Those with these opcodes.
    Opcodes(&'static [Opcode]),
    /// Those that set one of the low header bits but bit 1: predicate, filter CAM, reserved.
    Header,
    /// All but the packets that only set registers.
    Others,
    /// The packets that set registers: SET_* in all forms.
    Sets,
    /// Everything.
    All,
}

/// A packet that a rule looks at, before it is executed.
#[derive(Debug, Clone, Copy)]
pub struct PacketView<'v> {
    pub(in crate::cp) chip: Chip,
    pub(in crate::cp) queue: Queue,
    pub(in crate::cp) packet: Packet<'v>,
    pub(in crate::cp) registers: &'v RegisterFile,
    pub(in crate::cp) history: &'v History,
    pub(in crate::cp) options: &'v Options,
    /// Another buffer has called the one that the packet stands in.
    pub(in crate::cp) called: bool,
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

    /// The packet.
    pub fn packet(&self) -> &Packet<'v> {
        &self.packet
    }

    /// A dword of the body, 0 where the packet is too short.
    pub fn word(&self, index: usize) -> u32 {
        self.packet.body.get(index).copied().unwrap_or(0)
    }

    /// Bits of a dword of the body.
    pub fn bits(&self, index: usize, lo: u32, hi: u32) -> u32 {
        self.word(index) >> lo & (u32::MAX >> (31 + lo - hi))
    }

    /// A named field of the packet.
    pub fn field(&self, name: &str) -> Option<u64> {
        self.packet.field(self.gfx(), self.queue, name)
    }

    /// The registers before the packet.
    pub fn registers(&self) -> &RegisterFile {
        self.registers
    }
}

/// Whether a packet does nothing but set registers: the packets that streams consist of.
pub(in crate::cp) const fn sets_registers(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::SET_CONTEXT_REG
            | Opcode::SET_SH_REG
            | Opcode::SET_UCONFIG_REG
            | Opcode::SET_CONFIG_REG
            | Opcode::SET_SH_REG_INDEX
            | Opcode::SET_UCONFIG_REG_INDEX
            | Opcode::SET_CONTEXT_REG_PAIRS
            | Opcode::SET_CONTEXT_REG_PAIRS_PACKED
            | Opcode::SET_SH_REG_PAIRS
            | Opcode::SET_SH_REG_PAIRS_PACKED
            | Opcode::SET_SH_REG_PAIRS_PACKED_N
            | Opcode::SET_UCONFIG_REG_PAIRS
    )
}

/// The rules on packets by opcode.
#[derive(Debug)]
pub(in crate::cp) struct PacketRules {
    by_opcode: Vec<Vec<&'static Rule>>,
    /// Opcodes where only rules on headers look, so that plain headers need no look at all.
    header_only: [bool; 256],
}

impl PacketRules {
    pub fn new(chip: Chip, enabled: &dyn Fn(&Rule) -> bool) -> Self {
        let rules: Vec<_> = super::all().filter(|rule| rule.scope.contains(chip) && enabled(rule)).collect();
        let wants = |rule: &&'static Rule, opcode: Opcode| match rule.judge {
            Judge::Packet { on: On::Opcodes(list), .. } => list.contains(&opcode),
            Judge::Packet { on: On::Header | On::All, .. } => true,
            Judge::Packet { on: On::Others, .. } => !sets_registers(opcode),
            Judge::Packet { on: On::Sets, .. } => sets_registers(opcode),
            _ => false,
        };
        let by_opcode: Vec<Vec<_>> = (0..=255u8).map(|opcode| rules.iter().copied().filter(|rule| wants(rule, Opcode(opcode))).collect()).collect();
        let mut header_only = [false; 256];
        for (only, rules) in header_only.iter_mut().zip(&by_opcode) {
            *only = rules.iter().all(|rule: &&Rule| matches!(rule.judge, Judge::Packet { on: On::Header, .. }));
        }
        Self { by_opcode, header_only }
    }

    /// Whether a rule may have something to say about a packet.
    #[inline]
    pub fn wants(&self, opcode: Opcode, header: Header) -> bool {
        header.0 & 0xFD != 0 || !self.header_only[usize::from(opcode.0)]
    }

    pub fn of(&self, opcode: Opcode) -> &[&'static Rule] {
        self.by_opcode.get(usize::from(opcode.0)).map_or(&[], Vec::as_slice)
    }
}
