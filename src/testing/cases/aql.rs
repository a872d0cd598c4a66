//! AQL: packets of HSA queues.

use crate::queues::{BarrierPacket, KernelDispatch, Pm4Buffer};
use crate::testing::ground::case::{Pair, Row};
use crate::testing::ground::pen::{DATA, Pen};
use crate::testing::ground::stream::Stated;
use alloc::vec::Vec;

/// Memory that is not zero: an incorrect descriptor or signal.
const OTHER: u64 = DATA + 0x1_0000;

/// Returns two streams, zeroed memory, and other memory.
fn pair(pen: Pen, hit: Vec<u32>, miss: Vec<u32>) -> Option<Pair> {
    Some(Pair::new(pen, hit, miss).zeros(1024).stated(Stated { aql: true, ..Stated::default() }))
}

/// Returns a dispatch whose descriptor is all zeros.
fn dispatch(change: impl Fn(&mut KernelDispatch)) -> Vec<u32> {
    let mut packet = KernelDispatch { kernel_object: DATA, group: [64, 1, 1], grid: [64, 1, 1], ..KernelDispatch::default() };
    change(&mut packet);
    packet.words().to_vec()
}

/// Returns a packet with bits of a dword inverted.
fn exchanged(mut words: Vec<u32>, dword: usize, bits: u32) -> Vec<u32> {
    words[dword] ^= bits;
    words
}

/// Returns a slot with only a header.
fn slot(header: u32) -> Vec<u32> {
    exchanged([0; 16].to_vec(), 0, header)
}

/// Returns the same dispatch with the given descriptor (hit) and with the zero descriptor (miss).
fn described(pen: Pen, descriptor: &[u32; 16]) -> Option<Pair> {
    let of = |kernel_object| dispatch(|packet| packet.kernel_object = kernel_object);
    Some(pair(pen, of(OTHER), of(DATA))?.memory(OTHER, descriptor))
}

fn words(change: impl Fn(&mut [u32; 16])) -> [u32; 16] {
    let mut words = [0; 16];
    change(&mut words);
    words
}

pub(in crate::testing::cases) static ROWS: &[Row] = &[
    Row {
        rule: "AQL-01",
        fact: "the body is not there",
        make: |pen| {
            let whole = dispatch(|_| ());
            pair(pen, slot(whole[0]), whole)
        },
    },
    Row {
        rule: "AQL-02",
        fact: "the slot between is not published",
        make: |pen| {
            let between = |header| [dispatch(|_| ()), slot(header), dispatch(|_| ())].concat();
            pair(pen, between(0x1501), between(0x1503))
        },
    },
    Row { rule: "AQL-03", fact: "bit 15 of the header is set", make: |pen| pair(pen, exchanged(dispatch(|_| ()), 0, 1 << 15), dispatch(|_| ())) },
    Row { rule: "AQL-03", fact: "reserved0 is 1", make: |pen| pair(pen, exchanged(dispatch(|_| ()), 2, 1 << 16), dispatch(|_| ())) },
    Row { rule: "AQL-04", fact: "the acquire scope is 3", make: |pen| pair(pen, exchanged(dispatch(|_| ()), 0, 1 << 9), dispatch(|_| ())) },
    Row { rule: "AQL-05", fact: "no dimensions", make: |pen| pair(pen, dispatch(|packet| packet.dimensions = 0), dispatch(|_| ())) },
    Row {
        rule: "AQL-05",
        fact: "a group of 1088 work-items",
        make: |pen| pair(pen, dispatch(|packet| packet.group[1] = 17), dispatch(|packet| packet.group[1] = 16)),
    },
    Row {
        rule: "AQL-05",
        fact: "two rows of groups in one dimension",
        make: |pen| {
            let rows = |rows| dispatch(|packet| (packet.dimensions, packet.grid[1]) = (1, rows));
            pair(pen, rows(2), rows(1))
        },
    },
    Row { rule: "AQL-06", fact: "no kernel object", make: |pen| pair(pen, dispatch(|packet| packet.kernel_object = 0), dispatch(|_| ())) },
    Row {
        rule: "AQL-07",
        fact: "more than 64 KiB",
        make: |pen| pair(pen, dispatch(|packet| packet.group_size = 0x1_0004), dispatch(|packet| packet.group_size = 0x1_0000)),
    },
    Row { rule: "AQL-07", fact: "less group memory than in the descriptor", make: |pen| described(pen, &words(|words| words[0] = 256)) },
    Row { rule: "AQL-08", fact: "the descriptor has a priority", make: |pen| described(pen, &words(|words| words[12] = 1 << 10)) },
    Row { rule: "AQL-08", fact: "the code begins at 64", make: |pen| described(pen, &words(|words| words[4] = 64)) },
    Row {
        rule: "AQL-09",
        fact: "the bit VALID is clear",
        make: |pen| {
            let call = Pm4Buffer { addr: OTHER, dwords: 2, completion_signal: 0 }.words().ok()?;
            Some(pair(pen, exchanged(call.clone(), 4, 1 << 23), call)?.memory(OTHER, &pen.raw("NOP", &[0])))
        },
    },
    Row { rule: "AQL-10", fact: "a packet for an agent of the host", make: |pen| pair(pen, slot(0x1504), slot(0x1503)) },
    Row {
        rule: "AQL-11",
        fact: "the signal is a doorbell",
        make: |pen| {
            let signals = |signal| dispatch(|packet| packet.completion_signal = signal);
            Some(pair(pen, signals(OTHER), signals(DATA + 0x100))?.memory(OTHER, &words(|words| words[..2].fill(u32::MAX))))
        },
    },
    Row {
        rule: "AQL-12",
        fact: "the descriptor asks for a pointer, and has no register for it",
        make: |pen| described(pen, &words(|words| words[14] = 1 << 3)),
    },
    Row {
        rule: "SYN-18",
        fact: "nothing counts the signal down",
        make: |pen| {
            let waits = BarrierPacket { signals: &[OTHER], ..BarrierPacket::default() }.words().ok()?;
            let counts = |completion_signal| [dispatch(|packet| packet.completion_signal = completion_signal), waits.clone()].concat();
            Some(pair(pen, counts(DATA + 0x100), counts(OTHER))?.memory(OTHER, &words(|words| (words[0], words[2]) = (1, 1))))
        },
    },
];
