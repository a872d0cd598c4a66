//! Values that fences held before the last write: a wait that runs earlier on the hardware than in the model may have seen them.

use crate::cp::state::place::{Place, QueueId};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Maximum number of dwords that are tracked, and of values per dword.
const DWORDS: usize = 1 << 12;
const VALUES: usize = 16;

/// A writer of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cp) struct Writer {
    pub queue: QueueId,
    /// Whether PFP of a graphics queue writes.
    pub pfp: bool,
    /// Whether the write happens at the end of the pipe.
    pub later: bool,
}

/// An earlier value of a dword.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct PastValue {
    pub value: u32,
    /// The writer of the value; None if the caller mapped it.
    from: Option<Writer>,
    /// The writer that overwrote it, and the packet.
    by: Writer,
    pub overwritten: Place,
}

impl PastValue {
    /// Returns whether an engine of a queue, other than at the end of the pipe, may still find the value although the model has run the packet that overwrites
    /// it.
    fn may_be_seen(&self, queue: QueueId, pfp: bool) -> bool {
        // Writes of other engines may happen later than here; PFP of the same queue is never later than its ME.
        let from_others = self.from.is_some_and(|from| from.later || from.queue != queue || pfp && !from.pfp);
        from_others || self.by.later || self.by.queue != queue || self.by.pfp != pfp
    }
}

/// The tracked state of a dword.
#[derive(Debug, Clone, Default)]
struct Dword {
    values: Vec<PastValue>,
    last: Option<Writer>,
    /// Whether an atomic operation has changed it.
    atomic: bool,
    /// Whether more than one queue has written it.
    several: bool,
}

/// The tracked dwords, which packets have written one by one.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct PastValues(BTreeMap<u64, Dword>);

impl PastValues {
    /// Records that a packet writes a dword that held `old`.
    pub fn note(&mut self, addr: u64, old: Option<u32>, by: Writer, atomic: bool, place: Place) {
        if self.0.len() >= DWORDS && !self.0.contains_key(&addr) {
            return;
        }
        let dword = self.0.entry(addr).or_default();
        if let Some(value) = old {
            if dword.values.len() >= VALUES {
                dword.values.remove(0);
            }
            dword.values.push(PastValue { value, from: dword.last, by, overwritten: place });
        }
        dword.several |= dword.last.is_some_and(|last| last != by);
        dword.atomic |= atomic;
        dword.last = Some(by);
    }

    /// Returns the values that a wait may have found.
    pub fn seen(&self, addr: u64, queue: QueueId, pfp: bool) -> impl Iterator<Item = PastValue> + Clone + '_ {
        self.0.get(&addr).into_iter().flat_map(|dword| &dword.values).copied().filter(move |past| past.may_be_seen(queue, pfp))
    }

    /// Returns whether an atomic operation has changed the dword.
    pub fn is_added_to(&self, addr: u64) -> bool {
        self.0.get(&addr).is_some_and(|dword| dword.atomic)
    }

    /// Returns whether the final value of the dword depends on the order of the queues.
    pub fn is_raced(&self, addr: u64) -> bool {
        self.0.get(&addr).is_some_and(|dword| dword.atomic && dword.several)
    }
}
