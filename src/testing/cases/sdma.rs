//! SDMA: packets of the copy engine.

use crate::packet::Queue;
use crate::queues::{Builder, QueueFamily, Target};
use crate::testing::ground::case::{Pair, Row};
use crate::testing::ground::pen::{DATA, Pen};
use crate::testing::ground::stream::Stated;
use alloc::vec;
use alloc::vec::Vec;

/// Returns a packet by name, on the chip's version.
fn packet(pen: Pen, name: &str, fields: &[(&str, u64)], addresses: &[(&str, u64)]) -> Option<Vec<u32>> {
    let version = Target::from(pen.chip).version(QueueFamily::Sdma)?;
    let builder = Builder::new(version, name).ok()?;
    let builder = fields.iter().try_fold(builder, |builder, (field, value)| builder.set(field, *value)).ok()?;
    addresses.iter().try_fold(builder, |builder, (field, addr)| builder.address(field, *addr)).ok()?.build().ok()
}

/// Returns two streams, and zeroed memory.
fn pair(pen: Pen, hit: Vec<u32>, miss: Vec<u32>) -> Option<Pair> {
    Some(Pair::new(pen, hit, miss).zeros(1024).stated(Stated { sdma: true, ..Stated::default() }))
}

fn fence(pen: Pen) -> Option<Vec<u32>> {
    packet(pen, "FENCE", &[], &[("addr", DATA)])
}

fn fill(pen: Pen, count: u64) -> Option<Vec<u32>> {
    packet(pen, "CONSTANT_FILL", &[("fillsize", 2), ("count", count)], &[("dst_addr", DATA)])
}

fn copy(pen: Pen, dst: u64) -> Option<Vec<u32>> {
    packet(pen, "COPY_LINEAR", &[("count", 255)], &[("src_addr", DATA), ("dst_addr", dst)])
}

fn window(pen: Pen, width: u64) -> Option<Vec<u32>> {
    let pitches = [("src_pitch", 7), ("dst_pitch", 7), ("src_slice_pitch", 63), ("dst_slice_pitch", 63)];
    let fields = [&[("elementsize", 2), ("rect_x", width - 1), ("rect_y", 1)], &pitches[..]].concat();
    packet(pen, "COPY_LINEAR_SUBWIN", &fields, &[("src_addr", DATA), ("dst_addr", DATA + 0x800)])
}

/// Returns the same with bits set in a dword.
fn with(mut words: Vec<u32>, dword: usize, bits: u32) -> Vec<u32> {
    words[dword] |= bits;
    words
}

pub(in crate::testing::cases) static ROWS: &[Row] = &[
    Row { rule: "SDMA-01", fact: "the count has 32 bits", make: |pen| pair(pen, with(fill(pen, 255)?, 4, 3 << 30), fill(pen, 255)?) },
    Row { rule: "SDMA-02", fact: "bit 31 of the header is set", make: |pen| pair(pen, with(fence(pen)?, 0, 1 << 31), fence(pen)?) },
    Row {
        rule: "SDMA-03",
        fact: "no padding between the packets",
        make: |pen| {
            let (first, second) = (fill(pen, 255)?, copy(pen, DATA + 0x400)?);
            pair(pen, [first.clone(), second.clone()].concat(), [first, vec![0], second].concat())
        },
    },
    Row { rule: "SDMA-04", fact: "the destination begins within the source", make: |pen| pair(pen, copy(pen, DATA + 0x80)?, copy(pen, DATA + 0x100)?) },
    Row {
        rule: "SDMA-05",
        fact: "the buffer has 9 dwords",
        make: |pen| {
            let call = |dwords| Some([vec![0, 0], packet(pen, "INDIRECT", &[("ib_size", dwords)], &[("ib_base", DATA)])?].concat());
            pair(pen, call(9)?, call(8)?)
        },
    },
    Row {
        rule: "SDMA-06",
        fact: "the VMID is 3",
        make: |pen| {
            let call = |vmid| Some([vec![0, 0], packet(pen, "INDIRECT", &[("ib_size", 8), ("vmid", vmid)], &[("ib_base", DATA)])?].concat());
            pair(pen, call(3)?, call(0)?)
        },
    },
    Row { rule: "SDMA-07", fact: "258 bytes of dwords", make: |pen| pair(pen, fill(pen, 257)?, fill(pen, 255)?) },
    Row { rule: "SDMA-08", fact: "rows of 9 elements, and a pitch of 8", make: |pen| pair(pen, window(pen, 9)?, window(pen, 8)?) },
    Row {
        rule: "SDMA-09",
        fact: "a compute queue writes the filled memory",
        make: |pen| {
            let fill = |dst| packet(pen, "CONSTANT_FILL", &[("fillsize", 2), ("count", 63)], &[("dst_addr", dst)]);
            let write = Pen::new(pen.chip, Queue::Compute).raw("WRITE_DATA", &[1 << 20 | 5 << 8, DATA as u32 + 0x20, (DATA >> 32) as u32, 7]);
            Some(pair(pen, fill(DATA)?, fill(DATA + 0x800)?)?.beside(write))
        },
    },
];
