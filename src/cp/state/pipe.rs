//! The end of the pipe: writes of RELEASE_MEM and of events, which happen later than the packets that request them.

use crate::cp::state::memory::{Content, Memory, canonical};
use crate::cp::state::place::Place;
use crate::packet::Event;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;

/// Number of packets that run before the end of the pipe catches up, if nothing waits for it: an order, not a time.
const DELAY: u64 = 64;

/// A dword that is written at the end of the pipe.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct EndWrite {
    pub addr: u64,
    /// None if the packet does not contain the value.
    pub value: Option<u32>,
    /// Whether the write may not happen: boards differ, or the packet may not have run.
    pub may: bool,
}

/// The writes that one packet has requested.
#[derive(Debug, Clone)]
pub(in crate::cp) struct PipeEnd {
    pub place: Place,
    /// Its name.
    pub packet_name: Option<&'static str>,
    /// The event that the packet sends; 0 if it sends none.
    pub event: Event,
    /// The dwords.
    pub writes: Vec<EndWrite>,
    /// Number of the packet in its queue.
    pub packet: u64,
    /// How often all memory had been lost at the time of the request. If more losses followed, an unknown writer may have written there later.
    pub losses: u64,
}

/// The outstanding writes of a queue, oldest first.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct Pipe {
    ends: VecDeque<PipeEnd>,
    /// The dwords to be written, by address.
    pending: BTreeMap<u64, Pending>,
    /// Dwords whose write counts as done because many packets have run since, though nothing has waited for it.
    assumed: BTreeSet<u64>,
}

/// A dword that is to be written.
#[derive(Debug, Clone, Copy)]
struct Pending {
    /// Number of outstanding writes.
    writes: u32,
    /// The value that all of the writes leave; None if they differ or it is unknown.
    value: Option<u32>,
}

impl Pipe {
    pub fn push(&mut self, end: PipeEnd) {
        for write in &end.writes {
            let value = write.value.filter(|_| !write.may);
            let pending = self.pending.entry(canonical(write.addr)).or_insert(Pending { writes: 0, value });
            *pending = Pending { writes: pending.writes + 1, value: value.filter(|_| pending.value == value) };
        }
        self.ends.push_back(end);
    }

    /// Returns what a packet of the queue reads from a dword of memory; all reads that do not wait for a value use this function. Unless something has waited
    /// for it, it is unknown whether a write of the end of the pipe has arrived: RELEASE_MEM and events do not delay later packets.
    pub fn reads(&self, memory: &Memory<'_>, addr: u64) -> Content {
        match memory.read(addr) {
            Content::Known(value) if self.may_change(canonical(addr), value) => Content::Unknown,
            content => content,
        }
    }

    /// Returns the dword that [`reads`](Self::reads) finds, if it is known.
    pub fn known(&self, memory: &Memory<'_>, addr: u64) -> Option<u32> {
        if let Content::Known(value) = self.reads(memory, addr) { Some(value) } else { None }
    }

    /// Returns whether a dword that holds a value may hold another one.
    fn may_change(&self, addr: u64, value: u32) -> bool {
        self.pending.get(&addr).is_some_and(|pending| pending.value != Some(value)) || self.assumed.contains(&addr)
    }

    /// Records that a write counts as done although nothing has waited for it. Packets may still find the previous value.
    pub fn assume(&mut self, addr: u64) {
        self.assumed.insert(canonical(addr));
    }

    /// Records that something has waited for the end of the pipe.
    pub fn waited(&mut self) {
        self.assumed.clear();
    }

    /// Removes and returns the oldest entry, if the queue is so far ahead that it counts as done.
    pub fn due(&mut self, packet: u64) -> Option<PipeEnd> {
        self.ends.front().is_some_and(|end| end.packet + DELAY <= packet).then(|| self.pop()).flatten()
    }

    /// Records that the requested writes of a packet may not happen because the packet may not have run.
    pub fn doubt(&mut self, packet: u64) {
        for write in self.ends.iter_mut().rev().take_while(|end| end.packet == packet).flat_map(|end| &mut end.writes) {
            write.may = true;
            if let Some(pending) = self.pending.get_mut(&canonical(write.addr)) {
                pending.value = None;
            }
        }
    }

    /// Returns the number of packets after which the oldest entry is due.
    pub fn next_due(&self) -> u64 {
        self.ends.front().map_or(u64::MAX, |end| end.packet + DELAY)
    }

    /// Removes and returns the oldest entry, regardless of when it is due.
    pub fn pop(&mut self) -> Option<PipeEnd> {
        let end = self.ends.pop_front()?;
        for addr in end.writes.iter().map(|write| canonical(write.addr)) {
            match self.pending.get_mut(&addr) {
                Some(pending) if pending.writes > 1 => pending.writes -= 1,
                _ => {
                    self.pending.remove(&addr);
                }
            }
        }
        Some(end)
    }
}
