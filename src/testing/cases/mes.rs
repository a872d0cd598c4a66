//! MES: scheduler frames.

use crate::queues::{MesAddQueue, MesFence, MesWriter, QueueFamily, Target};
use crate::testing::ground::case::{Pair, Row};
use crate::testing::ground::pen::{DATA, Pen};
use crate::testing::ground::stream::Stated;
use alloc::vec::Vec;

/// Returns two streams, and memory for the fences.
fn pair(pen: Pen, hit: Vec<u32>, miss: Vec<u32>) -> Option<Pair> {
    Some(Pair::new(pen, hit, miss).zeros(1024).stated(Stated { mes: true, ..Stated::default() }))
}

/// Returns a frame that adds a complete queue.
fn add_queue(pen: Pen, change: impl Fn(&mut MesAddQueue)) -> Option<Vec<u32>> {
    let mut queue = MesAddQueue { mqd: 0x7000, process_context: 0x8000, gang_context: 0x9000, doorbell: 0x1000, ..MesAddQueue::default() };
    change(&mut queue);
    let mut writer = MesWriter::new(Target::from(pen.chip).version(QueueFamily::Mes)?);
    writer.add_queue(&queue, MesFence { addr: DATA, value: 1 }).ok()?;
    Some(writer.into_words())
}

/// Returns the same frame with other bits in the header.
fn header(pen: Pen, bits: u32) -> Option<Vec<u32>> {
    let mut words = add_queue(pen, |_| ())?;
    words[0] ^= bits;
    Some(words)
}

pub(in crate::testing::cases) static ROWS: &[Row] = &[
    Row { rule: "MES-01", fact: "the header says 32 dwords", make: |pen| pair(pen, header(pen, 0x60 << 12)?, header(pen, 0)?) },
    Row { rule: "MES-01", fact: "the type is 2", make: |pen| pair(pen, header(pen, 3)?, header(pen, 0)?) },
    Row { rule: "MES-01", fact: "bit 31 of the header is set", make: |pen| pair(pen, header(pen, 1 << 31)?, header(pen, 0)?) },
    Row { rule: "MES-02", fact: "no descriptor", make: |pen| pair(pen, add_queue(pen, |queue| queue.mqd = 0)?, add_queue(pen, |_| ())?) },
];
