//! The packets that were being executed, in the order in which engines reach them, and header queues matched against them.

use crate::input::ring_words::{Submission, submission, unrolled};
use crate::input::{BufferUse, Input, InputBuffer};
use crate::packet::{Header, Opcode, Reader};
use alloc::vec::Vec;

/// Addresses have 48 bits that count.
const ADDRESS: u64 = 0xFFFF_FFFF_FFFF;
/// Nested calls that are followed: a ring starts buffers, which call one more level; chains continue at the same level.
const DEPTH: usize = 64;

/// A packet in the order of execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// The buffer, as the input counts them.
    pub buffer: usize,
    pub dword: usize,
    pub header: Header,
}

/// Whether two addresses are one.
pub(super) fn same(a: u64, b: u64) -> bool {
    a & ADDRESS == b & ADDRESS
}

/// The packet of a ring that starts a buffer: the ring, the dword of the packet, and the dwords that it gives the buffer.
pub(super) fn starter(input: &Input, addr: u64) -> Option<(usize, usize, usize)> {
    let mut rings = input.buffers.iter().enumerate().filter(|(_, buffer)| matches!(buffer.used, BufferUse::NotExecuted | BufferUse::Ring));
    rings.find_map(|(index, ring)| {
        let calls = Reader::new(&ring.words).flatten().filter(|packet| packet.opcode() == Some(Opcode::INDIRECT_BUFFER));
        let started = calls.filter(|packet| target(packet.body).is_some_and(|(at, _)| same(at, addr)));
        started.last().map(|packet| (index, packet.offset, packet.body.get(2).map_or(0, |control| *control as usize & 0xF_FFFF)))
    })
}

/// Where INDIRECT_BUFFER leads: address, and whether it chains.
fn target(body: &[u32]) -> Option<(u64, bool)> {
    let [low, high, control] = body.try_into().ok()?;
    Some((u64::from(high & 0xFFFF) << 32 | u64::from(low & !3), control >> 20 & 1 == 1))
}

/// The packets that may have been executed, in the order of execution, and where they come from.
#[derive(Debug, Default)]
pub(super) struct Stream {
    pub steps: Vec<Step>,
    /// The ring, and its part that was walked; None where no ring fits the buffers.
    pub ring: Option<(usize, Submission)>,
    /// The first step that was not fetched, by the read pointer of the ring.
    pub not_fetched: Option<usize>,
}

impl Stream {
    /// The packet that starts the first command buffer.
    pub fn start(&self) -> Option<usize> {
        let (ring, _) = self.ring?;
        self.steps.iter().position(|step| step.buffer == ring && step.header.packet_type() == 3 && step.header.opcode() == Opcode::INDIRECT_BUFFER)
    }
}

/// The packets of the submission that was being executed: those of the ring from the border before the job's first buffer, with the buffers that it starts; without a ring, those
/// of the buffers in their order.
pub(super) fn stream(input: &Input) -> Stream {
    let mut steps = Vec::new();
    let first = input.buffers.iter().find(|buffer| buffer.used == BufferUse::Submitted && !buffer.words.is_empty());
    let ring_name = input.hang.as_ref().and_then(|hang| hang.ring.as_deref());
    let ring = input
        .buffers
        .iter()
        .enumerate()
        .find(|(_, buffer)| ring_name.is_some_and(|name| buffer.name.strip_prefix("ring ") == Some(name)) && buffer.pointers.is_some());
    if let Some((index, part)) = ring.and_then(|(index, ring)| submission_of(ring, first).map(|part| (index, part))) {
        let words = &input.buffers[index].words;
        let unrolled = unrolled(words, part.from, part.to);
        let mut not_fetched = None;
        for packet in Reader::new(&unrolled).flatten() {
            if part.fetched.is_some_and(|fetched| packet.offset >= fetched) {
                not_fetched = not_fetched.or(Some(steps.len()));
            }
            steps.push(Step { buffer: index, dword: (part.from + packet.offset) % words.len(), header: packet.header });
            if packet.opcode() == Some(Opcode::INDIRECT_BUFFER)
                && let Some((addr, _)) = target(packet.body)
            {
                enter(input, addr, DEPTH, &mut steps);
            }
        }
        if first.is_none() || steps.iter().any(|step| step.buffer != index) {
            return Stream { steps, ring: Some((index, part)), not_fetched };
        }
        // The ring is of another time than the buffers.
        steps.clear();
    }
    for (index, buffer) in input.buffers.iter().enumerate().filter(|(_, buffer)| matches!(buffer.used, BufferUse::Submitted)) {
        walk(input, index, buffer, DEPTH, &mut steps);
    }
    Stream { steps, ..Stream::default() }
}

/// The packet of a buffer that chains to an address: the buffer, and the dword of the packet.
pub(super) fn chain_to(input: &Input, addr: u64) -> Option<(usize, usize)> {
    let mut executed = input.buffers.iter().enumerate().filter(|(_, buffer)| buffer.used.is_executed());
    executed.find_map(|(index, buffer)| {
        let calls = Reader::new(&buffer.words).flatten().filter(|packet| packet.opcode() == Some(Opcode::INDIRECT_BUFFER));
        let chains = calls.filter(|packet| target(packet.body).is_some_and(|(at, chain)| chain && same(at, addr)));
        chains.last().map(|packet| (index, packet.offset))
    })
}

fn enter(input: &Input, addr: u64, depth: usize, steps: &mut Vec<Step>) {
    let found = input.buffers.iter().enumerate().find(|(_, buffer)| buffer.used.is_executed() && buffer.addr.is_some_and(|at| same(at, addr)));
    if let (Some((index, buffer)), true) = (found, depth > 0) {
        walk(input, index, buffer, depth - 1, steps);
    }
}

/// Packets that a walk takes at most: buffers may call each other.
const LONGEST: usize = 1 << 22;

fn walk(input: &Input, index: usize, buffer: &InputBuffer, depth: usize, steps: &mut Vec<Step>) {
    for packet in Reader::new(&buffer.words).flatten() {
        if steps.len() >= LONGEST {
            return;
        }
        steps.push(Step { buffer: index, dword: packet.offset, header: packet.header });
        if packet.opcode() == Some(Opcode::INDIRECT_BUFFER)
            && let Some((addr, chain)) = target(packet.body)
        {
            enter(input, addr, depth, steps);
            if chain {
                return;
            }
        }
    }
}

/// The submission that starts a buffer; the newest one with a command buffer where the buffer, or its address, is not known.
fn submission_of(ring: &InputBuffer, wanted: Option<&InputBuffer>) -> Option<Submission> {
    let wanted = wanted.and_then(|wanted| wanted.addr);
    submission(ring, |packet| target(packet.body).is_some_and(|(addr, _)| wanted.is_none_or(|at| same(at, addr))))
}

/// Packets that PFP alone works on: the queue of ME may lack them.
pub(super) fn is_pfp_only(header: Header) -> bool {
    const OPCODES: [Opcode; 5] = [Opcode::INDIRECT_BUFFER, Opcode::COND_EXEC, Opcode::PFP_SYNC_ME, Opcode::SET_BASE, Opcode::INDEX_BASE];
    header.packet_type() == 3 && OPCODES.contains(&header.opcode())
}

/// How well a header queue fits the stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Match {
    /// Steps whose packet would be the newest in the queue, first the first.
    pub ends: Vec<usize>,
    /// Those of them that fit the order in which the entries were read, or the same backwards.
    pub natural: Vec<usize>,
    /// Entries that fit, of so many.
    pub matched: usize,
    pub of: usize,
    /// How the queue was read.
    pub order: &'static str,
}

/// All orders in which eight reads can have shown a queue: as read, rotated, and each backwards.
fn orders(headers: &[u32]) -> Vec<(&'static str, Vec<u32>)> {
    let rotated = |list: &[u32], by: usize| [&list[by..], &list[..by]].concat();
    let backwards: Vec<u32> = headers.iter().rev().copied().collect();
    let mut orders = Vec::new();
    for by in 0..headers.len() {
        orders.push((if by == 0 { "as read" } else { "rotated" }, rotated(headers, by)));
    }
    for by in 0..headers.len() {
        orders.push((if by == 0 { "backwards" } else { "backwards and rotated" }, rotated(&backwards, by)));
    }
    orders
}

/// Where the newest entry of a header queue stands: the places before which the most entries fit in a row. `skips` are packets that the queue may lack.
pub(super) fn match_queue(steps: &[Step], headers: &[u32], skips: fn(Header) -> bool) -> Match {
    let filled: Vec<u32> = headers.iter().copied().filter(|header| *header != 0).take(ENTRIES).collect();
    let mut best = Match { of: filled.len(), ..Match::default() };
    for (order, queue) in orders(&filled) {
        let Some((newest, older)) = queue.split_last() else { continue };
        for end in steps.iter().enumerate().filter(|(_, step)| step.header.0 == *newest).map(|(end, _)| end) {
            let mut at = end;
            let mut matched = 1;
            for header in older.iter().rev() {
                let Some(found) = before(steps, at, *header, skips) else { break };
                at = found;
                matched += 1;
            }
            if matched > best.matched {
                best = Match { matched, of: filled.len(), order, ..Match::default() };
            }
            if matched == best.matched && best.ends.len() < KEPT {
                if !best.ends.contains(&end) {
                    best.ends.push(end);
                }
                if !order.contains("rotated") && !best.natural.contains(&end) {
                    best.natural.push(end);
                }
            }
        }
    }
    best.ends.sort_unstable();
    best
}

/// Entries of a header queue that are compared. The kernel reads eight.
const ENTRIES: usize = 32;

/// Packets in a row that a queue may lack.
const SKIPPED: usize = 256;

/// Places that are kept: of a thousand draws that look alike, none is better than another.
const KEPT: usize = 1000;

/// The step before one that has this header, over packets that may be left out.
fn before(steps: &[Step], at: usize, header: u32, skips: fn(Header) -> bool) -> Option<usize> {
    for (index, step) in steps[..at].iter().enumerate().rev().take(SKIPPED + 1) {
        if step.header.0 == header {
            return Some(index);
        }
        if !skips(step.header) {
            return None;
        }
    }
    None
}
