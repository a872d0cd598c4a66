//! Coverage of the random streams.

use crate::chip::{Chip, Gfx};
use crate::packet::{Queue, Reader, formats};
use crate::regs;
use crate::testing::valid::ValidStream;
use crate::testing::vectors::queues;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;
use quickcheck::Gen;
use strum::IntoEnumIterator;

/// How much of a generation is covered by the random streams of [`ValidStream`]. `Display` prints a line of a table.
///
/// ```
/// let reached = pm4::testing::coverage(2, 10);
/// println!("{}", reached[0]);
/// assert!(reached[0].registers > 0 && reached[0].registers <= reached[0].all_registers);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// The generation.
    pub gfx: Gfx,
    /// Number of packets that occur in a stream, counted per queue.
    pub packets: usize,
    /// Number of packets that user mode may write, counted per queue.
    pub all_packets: usize,
    /// The packets that occur in no stream.
    pub missed: Vec<(Queue, &'static str)>,
    /// Number of typed registers that a stream writes.
    pub registers: usize,
    /// Number of typed registers.
    pub all_registers: usize,
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:8} packets {:3} of {:3}, typed registers {:3} of {:3}", self.gfx, self.packets, self.all_packets, self.registers, self.all_registers)
    }
}

/// Returns the coverage of `streams` streams of a size on each queue, for each generation.
pub fn coverage(streams: u64, size: usize) -> Vec<Coverage> {
    Gfx::iter().filter_map(|gfx| of_generation(gfx, streams, size)).collect()
}

fn of_generation(gfx: Gfx, streams: u64, size: usize) -> Option<Coverage> {
    let chip = Chip::all().find(|chip| chip.gfx() == gfx)?;
    let mine = || queues().filter(|(of, _)| *of == gfx).map(|(_, queue)| queue);
    let (mut sent, mut written) = (BTreeSet::new(), BTreeSet::new());
    for (queue, seed) in mine().flat_map(|queue| (0..streams).map(move |seed| (queue, seed))) {
        let stream = ValidStream::random(&mut Gen::from_size_and_seed(size, seed), chip, queue).stream();
        for (queue, words) in [(queue, &stream.words), (Queue::Compute, &stream.beside)] {
            for packet in Reader::new(words).flatten() {
                sent.extend(packet.opcode().map(|opcode| (place(queue), opcode.0)));
                written.extend(packet.writes(gfx).filter_map(|write| regs::lookup(gfx, write.addr)).map(|register| register.info().addr));
            }
        }
    }
    let of_user = |queue: Queue| {
        let opcodes = formats().iter().filter(|format| !format.kernel).filter_map(|format| format.opcode(gfx));
        opcodes.filter(move |opcode| opcode.available(gfx, queue)).map(move |opcode| (place(queue), opcode.0))
    };
    let all: BTreeSet<_> = mine().flat_map(of_user).collect();
    let missed = all.difference(&sent).filter_map(|(place, opcode)| Some((*QUEUES.get(*place)?, crate::packet::Opcode(*opcode).name(gfx)?)));
    let typed: BTreeSet<u32> = regs::registers(gfx).filter(|info| info.typed).map(|info| info.addr).collect();
    Some(Coverage {
        gfx,
        packets: all.intersection(&sent).count(),
        all_packets: all.len(),
        missed: missed.collect(),
        registers: typed.intersection(&written).count(),
        all_registers: typed.len(),
    })
}

const QUEUES: [Queue; 3] = [Queue::Graphics, Queue::Compute, Queue::Constant];

fn place(queue: Queue) -> usize {
    QUEUES.iter().position(|one| *one == queue).unwrap_or(0)
}
