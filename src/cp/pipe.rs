//! What happens at the end of the pipe: writes of RELEASE_MEM and of events, later than the packets that ask for them.

use super::place::Place;
use crate::packet::Event;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Packets that run on before the pipe end catches up, when nothing waits for it: an order, not a time.
const DELAY: u64 = 64;

/// A dword that is written at the end of the pipe.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndWrite {
    pub addr: u64,
    /// None where the packet does not carry it.
    pub value: Option<u32>,
    /// Boards differ in whether they write it.
    pub may: bool,
}

/// Writes that one packet has asked for.
#[derive(Debug, Clone)]
pub(super) struct PipeEnd {
    pub place: Place,
    /// Its name.
    pub packet_name: Option<&'static str>,
    /// The event that it sends; 0 where it sends none.
    pub event: Event,
    /// The dwords.
    pub writes: Vec<EndWrite>,
    /// Number of the packet in its queue.
    pub packet: u64,
    /// How often all memory had been lost when it was asked for. With others since, something that is not seen may have written there later.
    pub losses: u64,
}

/// What a queue has under way, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Pipe(VecDeque<PipeEnd>);

impl Pipe {
    pub fn push(&mut self, end: PipeEnd) {
        self.0.push_back(end);
    }

    /// The oldest one, if the queue is so far ahead that it has certainly happened.
    pub fn due(&mut self, packet: u64) -> Option<PipeEnd> {
        self.0.front().is_some_and(|end| end.packet + DELAY <= packet).then(|| self.0.pop_front()).flatten()
    }

    /// What a packet has asked for may not happen: the packet may not have run.
    pub fn doubt(&mut self, packet: u64) {
        for end in self.0.iter_mut().rev().take_while(|end| end.packet == packet) {
            end.writes.iter_mut().for_each(|write| write.may = true);
        }
    }

    /// The number of packets after which the oldest one is due.
    pub fn next_due(&self) -> u64 {
        self.0.front().map_or(u64::MAX, |end| end.packet + DELAY)
    }

    /// The oldest one, whenever that is.
    pub fn take(&mut self) -> Option<PipeEnd> {
        self.0.pop_front()
    }
}
