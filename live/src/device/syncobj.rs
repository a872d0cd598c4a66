//! Syncobjs. All work is done when its ioctl returns, so a fence is signalled or is not there.

use std::collections::BTreeMap;

/// A syncobj: whether it has a fence, and the highest point of its timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Syncobj {
    /// It has a fence, which is signalled.
    pub fence: bool,
    /// The highest point that was signalled.
    pub point: u64,
    /// Handles and descriptors that refer to it.
    pub users: u32,
}

impl Syncobj {
    /// Whether a wait for a point has ended: 0 asks for any fence.
    pub fn has(&self, point: u64) -> bool {
        self.fence && point <= self.point
    }

    /// Signals a point, or puts a fence without one in place of what is there.
    pub fn signal(&mut self, point: u64) {
        self.fence = true;
        self.point = self.point.max(point);
    }
}

/// A call that waits: which syncobjs, each with its point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// Keys and points.
    pub objects: Vec<(u64, u64)>,
    /// All of them must be signalled, not one.
    pub all: bool,
    /// CLOCK_MONOTONIC in nanoseconds at which it gives up.
    pub until: u64,
    /// Where the number of the first signalled one goes in the structure of the call.
    pub first_at: usize,
}

impl Wait {
    /// The first signalled one where the wait has ended. An object that is gone counts as signalled: nothing will signal it any more.
    pub fn ended(&self, objects: &BTreeMap<u64, Syncobj>) -> Option<u32> {
        let done = |(key, point): &(u64, u64)| objects.get(key).is_none_or(|object| object.has(*point));
        let first = self.objects.iter().position(done);
        match self.all {
            true => self.objects.iter().all(done).then_some(0),
            false => first.map(|first| first as u32),
        }
    }
}
