//! Syncobjs. All work is done when its ioctl returns, so a fence is either signalled or absent.

use std::collections::BTreeMap;

/// A syncobj: whether it has a fence, and the highest signalled point of its timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Syncobj {
    /// Whether it has a fence, which is then signalled.
    pub fence: bool,
    /// The highest signalled point.
    pub point: u64,
    /// Number of handles and descriptors that refer to it.
    pub users: u32,
}

impl Syncobj {
    /// Returns whether a wait for a point has ended; point 0 means any fence.
    pub fn has(&self, point: u64) -> bool {
        self.fence && point <= self.point
    }

    /// Signals a point, or replaces the fence if the point is 0.
    pub fn signal(&mut self, point: u64) {
        self.fence = true;
        self.point = self.point.max(point);
    }
}

/// A wait: the syncobjs, each with a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// Keys and points.
    pub objects: Vec<(u64, u64)>,
    /// Whether all of them must be signalled instead of any.
    pub all: bool,
    /// When to give up, as CLOCK_MONOTONIC in nanoseconds.
    pub until: u64,
    /// Offset in the structure of the call at which to store the index of the first signalled syncobj.
    pub first_at: usize,
}

impl Wait {
    /// If the wait has ended, returns the index of the first signalled syncobj. A deleted syncobj counts as signalled, because nothing can signal it any more.
    pub fn ended(&self, objects: &BTreeMap<u64, Syncobj>) -> Option<u32> {
        let done = |(key, point): &(u64, u64)| objects.get(key).is_none_or(|object| object.has(*point));
        let first = self.objects.iter().position(done);
        match self.all {
            true => self.objects.iter().all(done).then_some(0),
            false => first.map(|first| first as u32),
        }
    }
}
