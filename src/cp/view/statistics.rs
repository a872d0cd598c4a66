//! Statistics of streams.

use crate::cp::state::place::Place;
use crate::cp::state::rolls::RollSource;
use crate::cp::view::draw_view::DrawView;
use crate::cp::view::observer::Observer;
use crate::packet::{Opcode, Packet, Queue};
use alloc::boxed::Box;
use strum::{EnumCount, IntoEnumIterator};

/// An observer that counts packets and context rolls over all queues. A packet counts each time it runs.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, OpcodeCount, RollSource, Statistics}, packet::{Opcode, Queue}};
/// # #[cfg(feature = "gfx11")] {
/// let stream = [0xC001_6900, 0x105, 7, 0xC001_2D00, 3, 2, 0xC001_6900, 0x105, 7, 0xC001_2D00, 3, 2];
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.submit(Queue::Graphics, "main", &stream);
/// let mut statistics = Statistics::default();
/// cp.run(&mut statistics);
/// let set: OpcodeCount = statistics.packets().find(|packets| packets.opcode == Opcode::SET_CONTEXT_REG).unwrap();
/// assert_eq!((set.count, set.dwords), (2, 6));
/// // The second write changes nothing, and makes the second draw take a new context nevertheless.
/// assert_eq!((statistics.context_changed, statistics.context_redundant), (1, 1));
/// assert_eq!(statistics.rolls().collect::<Vec<_>>(), [(RollSource::Write, 1)]);
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Statistics {
    packets: Box<[(u64, u64); 256]>,
    rolls: [u64; RollSource::COUNT],
    /// Number of packets of types other than 3.
    pub other_types: u64,
    /// Number of context registers written between two draws with a different value, summed over all draws.
    pub context_changed: u64,
    /// Number of context registers written between two draws without a change of value, summed over all draws.
    pub context_redundant: u64,
    /// Number of draws whose roll found all contexts in use.
    pub stalls: u64,
}

/// The packets of one opcode.
///
/// For an example see [`Statistics`](crate::cp::Statistics).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpcodeCount {
    /// The opcode.
    pub opcode: Opcode,
    /// How many of these packets ran.
    pub count: u64,
    /// Their dwords, including headers.
    pub dwords: u64,
}

impl Default for Statistics {
    fn default() -> Self {
        Self { packets: Box::new([(0, 0); 256]), rolls: [0; RollSource::COUNT], other_types: 0, context_changed: 0, context_redundant: 0, stalls: 0 }
    }
}

impl Statistics {
    /// Returns the counts per opcode, by opcode number.
    pub fn packets(&self) -> impl Iterator<Item = OpcodeCount> + '_ {
        let all = self.packets.iter().zip(0..=u8::MAX);
        all.filter(|((count, _), _)| *count > 0).map(|(&(count, dwords), opcode)| OpcodeCount { opcode: Opcode(opcode), count, dwords })
    }

    /// Returns the number of draws that took a new context, by the source of the roll.
    pub fn rolls(&self) -> impl Iterator<Item = (RollSource, u64)> + '_ {
        RollSource::iter().zip(self.rolls).filter(|(_, count)| *count > 0)
    }
}

impl Observer for Statistics {
    fn packet(&mut self, _: Queue, _: Place, packet: &Packet<'_>) {
        match packet.opcode() {
            Some(opcode) => {
                let (count, dwords) = &mut self.packets[usize::from(opcode.0)];
                *count += 1;
                *dwords += packet.dwords() as u64;
            }
            None => self.other_types += 1,
        }
    }

    fn draw(&mut self, view: &DrawView<'_>) {
        let roll = view.roll();
        if let Some(count) = roll.source.and_then(|source| self.rolls.get_mut(source as usize)) {
            *count += 1;
        }
        self.context_changed += u64::from(roll.changed);
        self.context_redundant += u64::from(roll.redundant);
        self.stalls += u64::from(roll.stalls);
    }
}
