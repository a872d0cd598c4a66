//! What an observer can request in addition to draws, dispatches, packets and findings. Callbacks that are not requested cost nothing.

use crate::cp::state::place::{Place, QueueId};
use crate::cp::state::registers::RegisterState;
use crate::packet::Event;

/// What an [`Observer`](crate::cp::Observer) receives in addition to draws, dispatches, packets and findings.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, Interest, Observer, RegisterChange, RegisterState}, packet::Queue};
///
/// /// Keeps each register write: byte address, and what the register holds after it.
/// #[derive(Default)]
/// struct Writes(Vec<(u32, RegisterState)>);
/// impl Observer for Writes {
///     fn interest(&self) -> Interest {
///         Interest::REGISTERS
///     }
///     fn register_written(&mut self, change: &RegisterChange) {
///         self.0.push((change.addr, change.state));
///     }
/// }
/// # #[cfg(feature = "gfx11")] {
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.submit(Queue::Graphics, "one register", &[0xC001_6900, 0x203, 0x1_8600]);
/// let mut writes = Writes::default();
/// cp.run(&mut writes);
/// assert_eq!(writes.0, [(0x2880C, RegisterState::Written(0x1_8600))]);
/// # }
///
/// // Several interests together:
/// let both = Interest::REGISTERS.or(Interest::MEMORY);
/// assert!(both.has(Interest::MEMORY) && !both.has(Interest::EVENTS));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Interest(u8);

impl Interest {
    /// Nothing additional.
    pub const NONE: Self = Self(0);
    /// [`register_written`](crate::cp::Observer::register_written).
    pub const REGISTERS: Self = Self(1);
    /// [`memory_read`](crate::cp::Observer::memory_read) and [`memory_written`](crate::cp::Observer::memory_written).
    pub const MEMORY: Self = Self(1 << 1);
    /// [`event`](crate::cp::Observer::event), [`end_of_pipe`](crate::cp::Observer::end_of_pipe) and [`interrupt`](crate::cp::Observer::interrupt).
    pub const EVENTS: Self = Self(1 << 2);
    /// [`dropped`](crate::cp::Observer::dropped).
    pub const DROPPED: Self = Self(1 << 3);
    /// [`act`](crate::cp::Observer::act).
    pub const ACT: Self = Self(1 << 4);

    /// Returns the union of two sets.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether this set contains all of the other set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A register write by any kind of packet. If an unknown condition might have skipped the packet, the change is reported when the packet runs, and again, with
/// an unknown state, after the last packet under the condition.
///
/// For an example see [`Interest`](crate::cp::Interest).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterChange {
    /// The queue of the register.
    pub queue: QueueId,
    /// The packet.
    pub place: Place,
    /// Byte address.
    pub addr: u32,
    /// The new state of the register, which may be unknown.
    pub state: RegisterState,
}

/// A memory read by a packet.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, Interest, MemoryRead, MemoryWrite, Observer}, packet::Queue};
/// /// What packets do to memory, as text.
/// #[derive(Default)]
/// struct Traffic(Vec<String>);
/// impl Observer for Traffic {
///     fn interest(&self) -> Interest {
///         Interest::MEMORY
///     }
///     fn memory_read(&mut self, read: &MemoryRead) {
///         self.0.push(format!("dword {} reads {} bytes at {:x?}", read.place.dword, read.bytes, read.addr));
///     }
///     fn memory_written(&mut self, write: &MemoryWrite) {
///         self.0.push(format!("writes {:?} at {:x}", write.value, write.addr));
///     }
/// }
/// # #[cfg(feature = "gfx11")] {
/// // WRITE_DATA of 7, and COPY_DATA of 4 bytes from memory to memory.
/// let stream = [0xC003_3700, 5 << 8, 0x1000, 0, 7, 0xC004_4000, 1 | 5 << 8, 0x1000, 0, 0x2000, 0];
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.map_owned("data", 0x1000, &[0]);
/// cp.submit(Queue::Graphics, "copy", &stream);
/// let mut traffic = Traffic::default();
/// cp.run(&mut traffic);
/// assert_eq!(traffic.0, ["writes Some(7) at 1000", "dword 5 reads 4 bytes at Some(1000)", "writes Some(7) at 2000"]);
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryRead {
    /// The queue.
    pub queue: QueueId,
    /// The packet.
    pub place: Place,
    /// GPU address, low 48 bits; None if it depends on something that the model does not know.
    pub addr: Option<u64>,
    /// Size in bytes.
    pub bytes: u64,
}

/// An event that a packet sends, or the arrival at the end of the pipe of something that a packet requested.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, EventSeen, Interest, InterruptSent, Observer}, packet::{Event, Queue}};
/// /// Events and interrupts, in their order.
/// #[derive(Default)]
/// struct Seen(Vec<Event>, Vec<u32>);
/// impl Observer for Seen {
///     fn interest(&self) -> Interest {
///         Interest::EVENTS
///     }
///     fn event(&mut self, seen: &EventSeen) {
///         self.0.push(seen.event);
///     }
///     fn interrupt(&mut self, sent: &InterruptSent) {
///         self.1.push(sent.context);
///     }
/// }
/// # #[cfg(feature = "gfx11")] {
/// // EVENT_WRITE PS_PARTIAL_FLUSH, and RELEASE_MEM of BOTTOM_OF_PIPE_TS with an interrupt of number 9.
/// let stream = [0xC000_4600, 0x410, 0xC006_4900, 0x528, 1 << 29 | 2 << 24, 0x1000, 0, 1, 0, 9];
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.submit(Queue::Graphics, "fence", &stream);
/// let mut seen = Seen::default();
/// cp.run(&mut seen);
/// assert_eq!(seen.0, [Event::PS_PARTIAL_FLUSH, Event::BOTTOM_OF_PIPE_TS]);
/// assert_eq!(seen.1, [9]);
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventSeen {
    /// The queue.
    pub queue: QueueId,
    /// The packet.
    pub place: Place,
    /// The event; number 0 in `end_of_pipe` if a packet requests a write without an event.
    pub event: Event,
}

/// An interrupt that is sent to the CPU.
///
/// For an example see [`EventSeen`](crate::cp::EventSeen).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterruptSent {
    /// The queue.
    pub queue: QueueId,
    /// The RELEASE_MEM packet.
    pub place: Place,
    /// int_sel, the kind of interrupt.
    pub select: u8,
    /// int_ctxid, the number that it carries.
    pub context: u32,
}
