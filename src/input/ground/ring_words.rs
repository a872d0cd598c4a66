//! Kernel rings: which engine runs them, and which part of the words was being executed.
//!
//! A kernel pads each submission to a multiple of 256 dwords (Linux 7.1 amdgpu_ring_commit, align_mask 0xff), so a packet begins at each such border, unless a
//! longer submission crosses it. Words after the write pointer are left from the previous lap.

use super::contents::{BufferUse, InputBuffer};
use super::hang_facts::HangFacts;
use crate::packet::{Opcode, Packet, Queue, Reader};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

/// Each submission to a ring takes a multiple of this many dwords.
pub(in crate::input) const FRAME: usize = 0x100;

/// The NOP of one dword, which kernels use for padding: alone, or as the body of a longer NOP (Linux 7.1 gfx_v11_ring_insert_nop).
pub(in crate::input) const NOP: u32 = 0xFFFF_1000;

/// The engine that runs a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunBy {
    /// PFP and ME.
    Graphics,
    /// A MEC, counted from 1; None if its number is unknown.
    Compute(Option<u32>),
    /// The scheduler, which has a PM4 queue.
    Scheduler,
    /// An engine that does not run PM4: SDMA, video and the like.
    Other,
}

impl RunBy {
    /// Returns the engine that runs the ring that timed out; the graphics engine if not stated.
    pub(crate) fn of(facts: &HangFacts) -> Self {
        let name = facts.ring.as_deref().filter(|name| !name.is_empty());
        let named = name.map(Self::of_name);
        // Linux 7.1 amdgpu_ring.h amdgpu_ring_type.
        match (facts.ip_type, named) {
            (Some(0), Some(compute @ Self::Compute(_))) => compute,
            (Some(0), _) | (None, None) => Self::Graphics,
            (Some(1 | 10), Some(named @ (Self::Compute(_) | Self::Scheduler))) => named,
            (Some(1 | 10), _) => Self::Compute(None),
            (Some(_), _) => Self::Other,
            (None, Some(named)) => named,
        }
    }

    /// Returns the engine that runs a ring of this name (Linux 7.1 gfx_v11_0.c, amdgpu_gfx.c).
    pub(crate) fn of_name(name: &str) -> Self {
        let starts = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
        if starts(&["gfx"]) {
            Self::Graphics
        } else if starts(&["comp", "kiq"]) {
            Self::Compute(numbers(name).map(|[mec, ..]| mec).filter(|mec| matches!(mec, 1 | 2)))
        } else if starts(&["mes_kiq"]) {
            Self::Scheduler
        } else {
            Self::Other
        }
    }

    /// Returns whether its packets are PM4.
    pub(crate) fn is_pm4(self) -> bool {
        self != Self::Other
    }

    /// Returns the queue on which its packets run; None if they are not PM4.
    pub(crate) fn queue(self) -> Option<Queue> {
        match self {
            Self::Graphics => Some(Queue::Graphics),
            Self::Compute(_) | Self::Scheduler => Some(Queue::Compute),
            Self::Other => None,
        }
    }
}

/// Returns the numbers at the end of a ring name: engine, pipe, queue.
pub(crate) fn numbers(name: &str) -> Option<[u32; 3]> {
    let numbers: Vec<u32> = name.split(['_', '.']).filter_map(|part| part.parse().ok()).collect();
    numbers.last_chunk().copied()
}

/// Returns the words from `from` up to the write pointer `to`, around the end of the ring; all words if the two are equal.
pub(crate) fn unrolled(words: &[u32], from: usize, to: usize) -> Vec<u32> {
    if from < to {
        words.get(from..to).unwrap_or_default().to_vec()
    } else {
        [words.get(from..).unwrap_or_default(), words.get(..to).unwrap_or_default()].concat()
    }
}

/// A packet that starts, calls or chains to a command buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    /// The 48-bit address.
    pub addr: u64,
    pub dwords: usize,
    /// Whether the engine does not return.
    pub is_chain: bool,
    /// Whether the constant engine runs the buffer: INDIRECT_BUFFER_CONST (Linux 7.1 gfx_v9_0_ring_emit_ib_gfx, gfx_v10_0_ring_emit_ib_gfx).
    pub is_constant: bool,
}

impl Call {
    pub fn of(packet: &Packet<'_>) -> Option<Self> {
        let is_constant = match packet.opcode()? {
            Opcode::INDIRECT_BUFFER => false,
            Opcode::INDIRECT_BUFFER_CNST => true,
            _ => return None,
        };
        let [low, high, control] = packet.body.try_into().ok()?;
        let addr = u64::from(high & 0xFFFF) << 32 | u64::from(low & !3);
        Some(Self { addr, dwords: control as usize & 0xF_FFFF, is_chain: control >> 20 & 1 == 1, is_constant })
    }

    /// Returns whether it starts the buffer at this address.
    pub fn leads_to(&self, addr: u64) -> bool {
        same(self.addr, addr)
    }
}

/// The significant bits of an address: 48.
pub(crate) const ADDRESS: u64 = 0xFFFF_FFFF_FFFF;
/// Bytes of a page.
pub(crate) const PAGE: u64 = 0x1000;

/// Returns whether two addresses are equal in the significant bits.
pub(crate) fn same(a: u64, b: u64) -> bool {
    a & ADDRESS == b & ADDRESS
}

/// Returns the ring packet that starts the buffer at an address, with its place: from the newest fetched submission, or the last one in the ring if the
/// pointers do not fit the words.
pub(crate) fn starting_call(ring: &InputBuffer, addr: u64) -> Option<(usize, Call)> {
    let length = ring.words.len();
    let (from, words) = match submission(ring, |call| call.leads_to(addr)) {
        Some(part) => (part.from, unrolled(&ring.words, part.from, part.to)),
        None => (0, ring.words.clone()),
    };
    let calls = Reader::new(&words).flatten().filter_map(|packet| Some((packet.offset, Call::of(&packet)?)));
    calls.filter(|(_, call)| call.leads_to(addr)).last().map(|(offset, call)| ((from + offset) % length, call))
}

/// A submission in a ring: the places of its first dword and of the dword after its last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Submission {
    pub from: usize,
    pub to: usize,
    /// The number of submissions that start the requested buffer, including this one.
    pub starts: usize,
    /// Dwords fetched since `from` according to the read pointer; None if the pointer is before `from`, which contradicts the choice.
    pub fetched: Option<usize>,
    /// The place of the first dword of the previous submission, if all its words are known.
    pub before: Option<usize>,
}

/// Returns the newest submission reached by the read pointer that starts a requested command buffer; the last candidate is the one that contains the read
/// pointer. If the read pointer has reached none of them, returns the newest one. None if the pointers do not fit the words or there is no such packet.
pub(crate) fn submission(ring: &InputBuffer, asked: impl Fn(&Call) -> bool) -> Option<Submission> {
    let words = &ring.words;
    let length = words.len();
    let pointers = ring.pointers.filter(|pointers| pointers.mask.checked_add(1) == Some(length as u64))?;
    let (read, to) = (pointers.read_at(), pointers.write_at());
    // Places in the order in which they were written; the oldest words are at the write pointer.
    let age = |place: usize| (place + length - to) % length;
    let fetched = if read == to { length } else { age(read) };
    let starts = |words: &[u32]| Reader::new(words).flatten().filter_map(|packet| Call::of(&packet)).any(|call| asked(&call));
    let (mut end, mut stop) = (to, None);
    let (mut newest, mut reached): (Option<Submission>, Option<Submission>) = (None, None);
    let borders = beginnings(words, to);
    for &from in &borders {
        let part = unrolled(words, from, end);
        let begun = age(from) < fetched;
        stop = stop.or(begun.then_some(end));
        // At the write pointer may be the rest of a submission whose beginning has been overwritten.
        if starts(&part) && (from != to || is_whole(&part)) {
            newest = newest.or(Some(Submission { from, to, starts: 1, fetched: None, before: None }));
            match &mut reached {
                Some(reached) => reached.starts += 1,
                None if begun => reached = Some(Submission { from, to: stop.unwrap_or(end), starts: 1, fetched: Some(fetched - age(from)), before: None }),
                None => {}
            }
        }
        end = from;
    }
    let chosen = reached.or(newest)?;
    // Borders go backwards in time.
    let before = borders.iter().skip_while(|border| **border != chosen.from).nth(1).copied();
    let before = before.filter(|before| age(*before) < age(chosen.from) && is_whole(&unrolled(words, *before, chosen.from)));
    Some(Submission { before, ..chosen })
}

/// Returns the submission that starts a job with buffers at these addresses: the one that starts its last buffer, or else any of them. Kernels skip the first
/// buffers if these only set state that is already set (preambles, Linux 7.1 amdgpu_ib_schedule), and several jobs may share them. If no address is known,
/// returns the newest submission with a command buffer.
pub(crate) fn submission_of(ring: &InputBuffer, job: &[u64]) -> Option<Submission> {
    let Some(last) = job.last() else { return submission(ring, |_| true) };
    let any: BTreeSet<u64> = job.iter().map(|addr| addr & ADDRESS).collect();
    submission(ring, |call| call.leads_to(*last)).or_else(|| submission(ring, |call| any.contains(&call.addr)))
}

/// Returns the packets that start buffers in the submission of a job, or in the whole ring if its pointers do not fit the words.
pub(in crate::input) fn calls_of_job(ring: &InputBuffer, job: &[u64]) -> Vec<Call> {
    let words = match submission_of(ring, job) {
        Some(part) => unrolled(&ring.words, part.from, part.to),
        None => ring.words.clone(),
    };
    Reader::new(&words).flatten().filter_map(|packet| Call::of(&packet)).collect()
}

/// The most borders to try as the first dword of packets up to the write pointer. Real rings have fewer; the limit bounds the time for very long rings.
const TRIED: usize = 64;

/// Returns the words after the oldest border from which all packets are complete, so that the places of all these packets are known.
fn known_part(words: &[u32], to: usize, padded: &[usize]) -> Option<(usize, Vec<u32>)> {
    let tried = padded.iter().copied().take(TRIED).filter(|border| *border != to);
    tried.rev().map(|from| (from, unrolled(words, from, to))).find(|(_, part)| is_whole(part))
}

/// Returns the words of a ring whose packets are known, up to the write pointer, and the place of the first word.
pub(crate) fn known_words(ring: &InputBuffer) -> Option<(usize, Vec<u32>)> {
    let pointers = ring.pointers.filter(|pointers| pointers.mask.checked_add(1) == Some(ring.words.len() as u64))?;
    known_part(&ring.words, pointers.write_at(), &beginnings(&ring.words, pointers.write_at()))
}

/// Returns the borders at which submissions begin, backwards from the write pointer: those after padding and not inside a packet. Any other border may be
/// within a submission.
fn beginnings(words: &[u32], to: usize) -> Vec<usize> {
    let (length, frames) = (words.len(), words.len().div_ceil(FRAME));
    let newest = (to + length - 1) % length / FRAME;
    let borders = (0..frames).map(|back| (newest + frames - back) % frames * FRAME);
    let mut padded: Vec<usize> = borders.filter(|border| words[(border + length - 1) % length] == NOP).collect();
    if let Some((from, part)) = known_part(words, to, &padded) {
        let packets: Vec<usize> = Reader::new(&part).flatten().map(|packet| packet.offset).collect();
        padded.retain(|border| {
            let offset = (border + length - from) % length;
            offset >= part.len() || packets.binary_search(&offset).is_ok()
        });
    }
    padded
}

/// Returns whether all words up to the end are packets that occur in rings.
fn is_whole(words: &[u32]) -> bool {
    Reader::new(words).all(|packet| packet.is_ok_and(|packet| matches!(packet.header.packet_type(), 2 | 3)))
}

/// Returns the words of the newest submission reached by the read pointer that starts a command buffer.
pub(in crate::input) fn part_in_work(ring: &InputBuffer) -> Option<InputBuffer> {
    let Submission { from, to, .. } = submission(ring, |_| true)?;
    let words = unrolled(&ring.words, from, to);
    Some(InputBuffer { words, queue: ring.queue, ..InputBuffer::new(format!("{} from dword 0x{from:x}", ring.name), BufferUse::Ring) })
}
