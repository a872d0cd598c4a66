//! VGT events, the payload of EVENT_WRITE.

use core::fmt;

/// A VGT event type: an open number with AMD's names as constants.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::Event;
/// assert_eq!(Event::PS_PARTIAL_FLUSH.name(Gfx::Gfx11), Some("PS_PARTIAL_FLUSH"));
/// assert_eq!(Event::PS_PARTIAL_FLUSH.index(Gfx::Gfx11), Some(4));
/// assert!(Event::ZPASS_DONE.is_sample(Gfx::Gfx9));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Event(pub u8);

impl Event {
    /// Returns whether the event dumps the counters of the depth block. On GFX9, such an event must directly precede each timestamp of a graphics queue, which
    /// hangs without it (Mesa 25.0.7 radv_cs.c; the comment there and in radeonsi's si_fence.c names both events; PAL 2023-11 waDummyZpassDoneBeforeTs sends
    /// ZPASS_DONE).
    pub(crate) fn is_depth_counter_dump(self) -> bool {
        matches!(self, Self::ZPASS_DONE | Self::PIXEL_PIPE_STAT_DUMP)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({})", self.0)
    }
}
