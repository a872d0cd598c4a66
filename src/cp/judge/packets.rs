//! The rules to ask about a packet.

use crate::chip::Chip;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::WatchedPackets;
use crate::packet::{Opcode, Queue};
use alloc::vec::Vec;

/// The rules on packets, by queue and opcode.
#[derive(Debug, Clone)]
pub(in crate::cp) struct PacketRules {
    by_opcode: [Vec<Vec<(u16, &'static Rule)>>; 3],
    /// The flags that the rules of an opcode ask for, together.
    asked: [[u16; 256]; 3],
    /// By queue: all rules that ask a NOP judge its words alone.
    nops_by_words: [bool; 3],
}

impl PacketRules {
    /// Creates the table from the rules that are checked on a chip.
    pub fn new(chip: Chip, enabled: &[&'static Rule]) -> Self {
        let rules: Vec<(&'static Rule, WatchedPackets)> =
            enabled.iter().filter_map(|rule| if let Judge::Packet { watch: on, .. } = rule.judge { Some((*rule, on)) } else { None }).collect();
        let of = |queue: Queue, opcode: Opcode| rules.iter().filter(move |(_, on)| on.may_match(opcode, chip, queue));
        let by_opcode: [Vec<Vec<(u16, &'static Rule)>>; 3] = [Queue::Graphics, Queue::Compute, Queue::Constant]
            .map(|queue| (0..=255).map(Opcode).map(|opcode| of(queue, opcode).map(|(rule, on)| (on.asks_for(opcode, chip.gfx()), *rule)).collect()).collect());
        let together = |rules: &Vec<(u16, &'static Rule)>| rules.iter().fold(0, |set, (asks_for, _)| set | asks_for);
        let asked = by_opcode.each_ref().map(|rules| core::array::from_fn(|opcode| rules.get(opcode).map_or(0, together)));
        let nop = usize::from(Opcode::NOP.0);
        let nops_by_words = by_opcode.each_ref().map(|rules| rules.get(nop).into_iter().flatten().all(|(_, rule)| rule.is_about_words()));
        Self { by_opcode, asked, nops_by_words }
    }

    /// Returns the [`packet_flags`](crate::cp::state::packet_flags) that the rules of an opcode ask for.
    #[inline]
    pub fn asked(&self, queue: Queue, opcode: Opcode) -> u16 {
        self.asked[queue as usize][usize::from(opcode.0)]
    }

    /// Returns whether a NOP is correct wherever the same words were correct.
    pub fn judges_nops_by_words(&self, queue: Queue) -> bool {
        self.nops_by_words[queue as usize]
    }

    /// Returns the rules on packets of an opcode with these flags.
    pub fn of(&self, queue: Queue, opcode: Opcode, flags: u16) -> impl Iterator<Item = &'static Rule> + '_ {
        let rules = self.by_opcode[queue as usize].get(usize::from(opcode.0)).map_or(&[][..], Vec::as_slice);
        rules.iter().filter(move |(asks_for, _)| asks_for & flags != 0).map(|(_, rule)| *rule)
    }
}
