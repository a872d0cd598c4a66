//! Copies and writes of queues that nothing has waited for, so that nothing orders them among the queues.

use crate::cp::state::address_ranges::AddressRanges;
use crate::cp::state::memory::byte_address;
use crate::cp::state::place::{Place, QueueId};
use alloc::vec::Vec;

/// Memory that the queues of a run have used so far.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct Transfers(Vec<OfQueue>);

#[derive(Debug, Clone)]
struct OfQueue {
    queue: QueueId,
    written: AddressRanges,
    read: AddressRanges,
}

/// Two uses of the same memory by two queues, at least one of which writes it.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct Clash {
    pub addr: u64,
    /// The other packet, and its queue.
    pub other: Place,
    pub queue: QueueId,
    /// Whether the other packet writes the memory.
    pub wrote: bool,
}

impl Transfers {
    /// Clears the record when all queues have ended.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Records that a packet of a queue reads or writes a range. Returns an earlier use by another queue, if one of the two writes and one of the two is an
    /// SDMA queue.
    pub fn note(&mut self, queue: QueueId, writes: bool, addr: u64, bytes: u64, place: Place) -> Option<Clash> {
        let start = byte_address(addr);
        let others = self.0.iter().filter(|other| other.queue != queue && (queue.is_sdma() || other.queue.is_sdma()));
        let clash = others.into_iter().find_map(|other| {
            let wrote = other.written.first(start, bytes).map(|found| (found, true));
            let ((addr, place), wrote) = wrote.or_else(|| writes.then(|| other.read.first(start, bytes)).flatten().map(|found| (found, false)))?;
            Some(Clash { addr, other: place, queue: other.queue, wrote })
        });
        let at = self.0.iter().position(|own| own.queue == queue).unwrap_or_else(|| {
            self.0.push(OfQueue { queue, written: AddressRanges::default(), read: AddressRanges::default() });
            self.0.len() - 1
        });
        if let Some(own) = self.0.get_mut(at) {
            if writes { &mut own.written } else { &mut own.read }.insert(start, bytes, place);
        }
        clash
    }
}
