//! VGT events, the payload of EVENT_WRITE.

use crate::chip::Gfx;
use crate::packet::tables::generated;
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

/// One event on some generations.
pub(in crate::packet) struct EventInfo {
    pub value: u8,
    /// Generations, one bit each.
    pub gfx: u8,
    pub name: &'static str,
    /// What is in the index field of EVENT_WRITE.
    pub index: u8,
    pub timestamp: bool,
    pub sample: bool,
    pub shader_done: bool,
}

impl Event {
    fn info(self, gfx: Gfx) -> Option<&'static EventInfo> {
        generated::EVENTS.iter().find(|e| e.value == self.0 && e.gfx & gfx.bit() != 0)
    }

    /// AMD's name of the event on this generation.
    #[must_use]
    pub fn name(self, gfx: Gfx) -> Option<&'static str> {
        self.info(gfx).map(|e| e.name)
    }

    /// The index that EVENT_WRITE carries beside the event (PAL gfx9CmdUtil.cpp VgtEventIndex); none for a number without an event.
    #[must_use]
    pub fn index(self, gfx: Gfx) -> Option<u8> {
        self.info(gfx).map(|e| e.index)
    }

    /// A timestamp event may hang in EVENT_WRITE; RELEASE_MEM takes it (PAL gfx9CmdUtil.cpp VgtEventHasTs).
    #[must_use]
    pub fn is_timestamp(self, gfx: Gfx) -> bool {
        self.info(gfx).is_some_and(|e| e.timestamp)
    }

    /// A sample event writes memory: EVENT_WRITE has 4 dwords then (PAL gfx9CmdUtil.cpp BuildSampleEventWrite).
    #[must_use]
    pub fn is_sample(self, gfx: Gfx) -> bool {
        self.info(gfx).is_some_and(|e| e.sample)
    }
}

impl Event {
    /// An event that shaders before it are done: PS_DONE and CS_DONE, which RELEASE_MEM takes with index 6 (PAL gfx9CmdUtil.cpp BuildReleaseMemInternal).
    #[must_use]
    pub fn is_shader_done(self, gfx: Gfx) -> bool {
        self.info(gfx).is_some_and(|e| e.shader_done)
    }

    /// An event that dumps the counters of the depth block. One of them is right before each timestamp of a graphics queue on GFX9, which hangs without it
    /// (Mesa 25.0.7 radv_cs.c; the comment there and in radeonsi's si_fence.c names both events; PAL 2023-11 waDummyZpassDoneBeforeTs sends ZPASS_DONE).
    pub(crate) fn is_depth_counter_dump(self) -> bool {
        matches!(self, Self::ZPASS_DONE | Self::PIXEL_PIPE_STAT_DUMP)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({})", self.0)
    }
}
