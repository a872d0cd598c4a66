//! The packets that were being executed, in the order in which engines reach them, and header queues matched against them.

use crate::input::ring_words::{Call, Submission, starting_call, submission_of, unrolled};
use crate::input::{BufferUse, Input, InputBuffer};
use crate::packet::{Header, Opcode, Queue, Reader};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Maximum depth of calls: a ring starts buffers, which call one more level; chains continue at the same level.
const DEPTH: usize = 64;

/// A packet in the order of execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// The buffer, by its index in the input.
    pub buffer: usize,
    pub dword: usize,
    pub header: Header,
    /// The engines that reach it.
    pub reach: Reach,
    /// Whether it is in a buffer called by another one, or in one to which such a buffer chains.
    pub called: bool,
}

/// The engines of a queue that reach a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The packet is in the ring, or in a buffer whose engine is unknown.
    All,
    /// The packet is in a buffer that PFP and ME run, or a MEC.
    Main,
    /// The packet is in a buffer that the constant engine runs.
    Constant,
}

/// Returns the packet that starts a buffer from a ring, or calls it from another buffer: the buffer with the packet, the dword of the packet, and the call.
pub(super) fn starter(input: &Input, addr: u64) -> Option<(usize, usize, Call)> {
    let all = || input.buffers.iter().enumerate();
    let mut rings = all().filter(|(_, buffer)| matches!(buffer.usage, BufferUse::NotExecuted | BufferUse::Ring));
    rings.find_map(|(index, ring)| starting_call(ring, addr).map(|(dword, call)| (index, dword, call))).or_else(|| {
        all()
            .filter(|(_, buffer)| buffer.usage.is_executed())
            .find_map(|(index, buffer)| last_call(buffer, |call| !call.is_chain && call.leads_to(addr)).map(|(dword, call)| (index, dword, call)))
    })
}

/// Returns the last packet of a buffer that calls or chains to another one and for which `asked` holds.
fn last_call(buffer: &InputBuffer, asked: impl Fn(&Call) -> bool) -> Option<(usize, Call)> {
    let calls = Reader::new(&buffer.words).flatten().filter_map(|packet| Some((packet.offset, Call::of(&packet)?)));
    calls.filter(|(_, call)| asked(call)).last()
}

/// The packets that may have been executed, in the order of execution, and the ring or buffers that hold them.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Steps before `begin` belong to the previous submission: header queues reach back to them.
    pub steps: Vec<Step>,
    /// The first step of the submission that was being executed.
    pub begin: usize,
    /// The ring, and its part that was searched; None if no ring matches the buffers.
    pub ring: Option<(usize, Submission)>,
    /// The first step that was not fetched, according to the read pointer of the ring.
    pub not_fetched: Option<usize>,
    /// The packet that starts the first command buffer.
    pub start: Option<usize>,
}

impl Stream {
    /// Returns the first step of the submission for which a predicate holds.
    pub fn position(&self, holds: impl FnMut(&Step) -> bool) -> Option<usize> {
        self.steps.get(self.begin..)?.iter().position(holds).map(|at| self.begin + at)
    }

    /// Adds the words of the ring from a position; returns the first step that was not fetched, and the first one that starts a buffer.
    fn walk_ring(&mut self, input: &Input, ring: usize, from: usize, words: &[u32], fetched: Option<usize>) {
        let length = input.buffers[ring].words.len();
        for packet in Reader::new(words).flatten() {
            let at = self.steps.len();
            if fetched.is_some_and(|fetched| packet.offset >= fetched) {
                self.not_fetched = self.not_fetched.or(Some(at));
            }
            self.steps.push(Step { buffer: ring, dword: (from + packet.offset) % length, header: packet.header, reach: Reach::All, called: false });
            if let Some(call) = Call::of(&packet) {
                self.start = self.start.or(Some(at));
                enter(input, call, DEPTH, false, &mut self.steps);
            }
        }
    }
}

/// Returns the packets of the submission that was being executed. With a ring: its packets from the start of the submission, with the buffers that they
/// start, after those of the previous submission. Without a ring: those of the buffers, in order.
pub(super) fn stream(input: &Input) -> Stream {
    let job: Vec<&InputBuffer> = input.buffers.iter().filter(|buffer| buffer.usage == BufferUse::Submitted && !buffer.words.is_empty()).collect();
    let addresses: Vec<u64> = job.iter().filter_map(|buffer| buffer.addr).collect();
    let ring_name = input.hang.as_ref().and_then(|hang| hang.ring.as_deref());
    let ring = input.buffers.iter().enumerate().find(|(_, buffer)| {
        ring_name.is_some_and(|name| buffer.name.strip_prefix("ring ") == Some(name)) && buffer.pointers.is_some() && buffer.usage != BufferUse::OtherEngine
    });
    if let Some((index, part)) = ring.and_then(|(index, ring)| submission_of(ring, &addresses).map(|part| (index, part))) {
        let words = &input.buffers[index].words;
        let mut stream = Stream { ring: Some((index, part)), ..Stream::default() };
        if let Some(before) = part.before {
            stream.walk_ring(input, index, before, &unrolled(words, before, part.from), None);
        }
        (stream.begin, stream.start) = (stream.steps.len(), None);
        stream.walk_ring(input, index, part.from, &unrolled(words, part.from, part.to), part.fetched);
        if job.is_empty() || stream.steps[stream.begin..].iter().any(|step| step.buffer != index) {
            return stream;
        }
        // The ring and the buffers are from different times.
    }
    let mut steps = Vec::new();
    for (index, buffer) in input.buffers.iter().enumerate().filter(|(_, buffer)| matches!(buffer.usage, BufferUse::Submitted)) {
        let reach = if buffer.queue == Some(Queue::Constant) { Reach::Constant } else { Reach::All };
        walk(input, index, buffer, reach, DEPTH, false, &mut steps);
    }
    Stream { steps, ..Stream::default() }
}

/// Returns the packet of a buffer that chains to an address: the buffer, and the dword of the packet.
pub(super) fn chain_to(input: &Input, addr: u64) -> Option<(usize, usize)> {
    let mut executed = input.buffers.iter().enumerate().filter(|(_, buffer)| buffer.usage.is_executed());
    executed.find_map(|(index, buffer)| last_call(buffer, |call| call.is_chain && call.leads_to(addr)).map(|(dword, _)| (index, dword)))
}

fn enter(input: &Input, call: Call, depth: usize, called: bool, steps: &mut Vec<Step>) {
    let found = input.buffers.iter().enumerate().find(|(_, buffer)| buffer.usage.is_executed() && buffer.addr.is_some_and(|at| call.leads_to(at)));
    if let (Some((index, buffer)), true) = (found, depth > 0) {
        let reach = if call.is_constant { Reach::Constant } else { Reach::Main };
        walk(input, index, buffer, reach, depth - 1, called, steps);
    }
}

/// Maximum number of packets of a walk: buffers may call each other.
const LONGEST: usize = 1 << 22;

fn walk(input: &Input, index: usize, buffer: &InputBuffer, reach: Reach, depth: usize, called: bool, steps: &mut Vec<Step>) {
    for packet in Reader::new(&buffer.words).flatten() {
        if steps.len() >= LONGEST {
            return;
        }
        steps.push(Step { buffer: index, dword: packet.offset, header: packet.header, reach, called });
        if let Some(call) = Call::of(&packet) {
            enter(input, call, depth, called || !call.is_chain, steps);
            if call.is_chain {
                return;
            }
        }
    }
}

/// Returns whether only PFP executes a packet: the queue of ME may lack it.
pub(super) fn is_pfp_only(header: Header) -> bool {
    const OPCODES: [Opcode; 5] = [Opcode::INDIRECT_BUFFER, Opcode::COND_EXEC, Opcode::PFP_SYNC_ME, Opcode::SET_BASE, Opcode::INDEX_BASE];
    header.packet_type() == 3 && OPCODES.contains(&header.opcode())
}

/// The match of a header queue with the stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Match {
    /// Steps whose packet may be the newest in the queue, in ascending order.
    pub ends: Vec<usize>,
    /// Those of them that match the order in which the entries were read, or its reverse.
    pub natural: Vec<usize>,
    /// Those of them that match if the newest entry is read first.
    pub likely: Vec<usize>,
    /// Number of matching entries; `of` is the number of all entries.
    pub matched: usize,
    pub of: usize,
    /// The order in which the queue matches each end; the first of several.
    orders: BTreeMap<usize, &'static str>,
}

impl Match {
    /// Returns the order in which the queue matches an end: newest entry first, if that matches and `newest_first` prefers it.
    pub fn order(&self, end: usize, newest_first: bool) -> &'static str {
        match newest_first && self.likely.contains(&end) {
            true => NEWEST_FIRST,
            false => self.orders.get(&end).copied().unwrap_or_default(),
        }
    }
}

/// The order in which the newest entry is read first. Two device coredumps of a Navi32 (Linux 7.3-rc1) match no other: the queue of PFP begins with the
/// ACQUIRE_MEM that follows in the stream after the RELEASE_MEM with which that of ME begins. The other orders remain possible: no AMD document states it, and
/// queues of other generations were not available.
const NEWEST_FIRST: &str = "newest entry read first";
const OLDEST_FIRST: &str = "oldest entry read first";

/// Returns all orders in which eight reads can show a queue: from either end, and from an entry in the middle.
fn orders(headers: &[u32]) -> Vec<(&'static str, Vec<u32>)> {
    let rotated = |list: &[u32], by: usize| [&list[by..], &list[..by]].concat();
    let backwards: Vec<u32> = headers.iter().rev().copied().collect();
    let mut orders = alloc::vec![(OLDEST_FIRST, headers.to_vec()), (NEWEST_FIRST, backwards.clone())];
    orders.extend((1..headers.len()).map(|by| ("oldest entry read first, beginning in the middle", rotated(headers, by))));
    orders.extend((1..headers.len()).map(|by| ("newest entry read first, beginning in the middle", rotated(&backwards, by))));
    orders
}

/// Returns whether an entry of a header queue was never filled: 0, or the initial values `0xdef0def0` to `0xdef7def7`, seen at the old end of queues of a
/// Navi32 and in those of engines without firmware.
pub(super) fn is_empty(entry: u32) -> bool {
    entry == 0 || entry >> 16 == entry & 0xFFFF && (0xDEF0..=0xDEF7).contains(&(entry & 0xFFFF))
}

/// Returns whether an entry of a header queue is a packet of the stream. ME has another opcode, 0xB6, for SET_CONTEXT_REG_PAIRS_PACKED as read by PFP (a
/// device coredump of a Navi32: between the same packets the queue of PFP has 0xc003b904, and that of ME 0xc003b604).
pub(super) fn shows(entry: u32, step: Header) -> bool {
    const PAIRS_OF_ME: u32 = 0xB6;
    const OPCODE: u32 = 0xFF00;
    entry == step.0 || entry & OPCODE == PAIRS_OF_ME << 8 && step.opcode() == Opcode::SET_CONTEXT_REG_PAIRS_PACKED && entry & !OPCODE == step.0 & !OPCODE
}

/// Returns the positions of the newest entry of a header queue in the stream: those in the submission before which the most consecutive entries match. The
/// queue
/// may lack packets for which `skips` holds.
pub(super) fn match_queue(stream: &Stream, reaches: fn(Reach) -> bool, headers: &[u32], skips: fn(Header) -> bool) -> Match {
    let filled: Vec<u32> = headers.iter().copied().filter(|header| !is_empty(*header)).take(ENTRIES).collect();
    // The steps that the engine reaches, with their numbers.
    let steps: Vec<(usize, Header)> =
        stream.steps.iter().enumerate().filter(|(_, step)| reaches(step.reach)).map(|(index, step)| (index, step.header)).collect();
    let first = steps.partition_point(|(index, _)| *index < stream.begin);
    let mut best = Match { of: filled.len(), ..Match::default() };
    for (order, queue) in orders(&filled) {
        let Some((newest, older)) = queue.split_last() else { continue };
        for place in (first..steps.len()).filter(|place| shows(*newest, steps[*place].1)) {
            let end = steps[place].0;
            let mut at = place;
            let mut matched = 1;
            for header in older.iter().rev() {
                let Some(found) = before(&steps, at, *header, skips) else { break };
                at = found;
                matched += 1;
            }
            if matched > best.matched {
                best = Match { matched, of: filled.len(), ..Match::default() };
            }
            if matched == best.matched && best.ends.len() < KEPT {
                if !best.ends.contains(&end) {
                    best.ends.push(end);
                }
                best.orders.entry(end).or_insert(order);
                if order == NEWEST_FIRST {
                    best.likely.push(end);
                }
                if matches!(order, OLDEST_FIRST | NEWEST_FIRST) && !best.natural.contains(&end) {
                    best.natural.push(end);
                }
            }
        }
    }
    best.ends.sort_unstable();
    best
}

/// Compared entries of a header queue. The kernel reads eight.
const ENTRIES: usize = 32;

/// Maximum number of consecutive packets that a queue may lack.
const SKIPPED: usize = 256;

/// Positions that are kept: among a thousand similar draws, none is better than another.
const KEPT: usize = 1000;

/// Returns the step with this header before another step, over packets that may be omitted.
fn before(steps: &[(usize, Header)], at: usize, header: u32, skips: fn(Header) -> bool) -> Option<usize> {
    for (place, (_, step)) in steps[..at].iter().enumerate().rev().take(SKIPPED + 1) {
        if shows(header, *step) {
            return Some(place);
        }
        if !skips(*step) {
            return None;
        }
    }
    None
}
