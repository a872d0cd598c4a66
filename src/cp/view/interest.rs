//! What an observer can ask for in addition to draws, dispatches, packets and findings. Callbacks that are not requested cost nothing.

use crate::cp::execute::engine::Engine;
use crate::cp::state::memory::{Memory, canonical};
use crate::cp::state::place::{Place, QueueId};
use crate::cp::state::queue::QueueState;
use crate::cp::state::registers::RegisterState;
use crate::packet::{Action, Effect, EffectKinds, Event, Packet, Timing};

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
    /// Nothing in addition.
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

    /// Both sets together.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it contains all of the other set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A register was written, by any kind of packet. Where a condition that is not known may have skipped the packet, the change is reported when the packet runs, and once more,
/// with a state that is not known, after the last packet under the condition.
///
/// For an example see [`Interest`](crate::cp::Interest).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterChange {
    /// The queue whose register it is.
    pub queue: QueueId,
    /// The packet.
    pub place: Place,
    /// Byte address.
    pub addr: u32,
    /// What it holds now, or that it is unknown.
    pub state: RegisterState,
}

/// A packet reads memory.
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
    /// GPU address, low 48 bits; None where it depends on something that the model does not know.
    pub addr: Option<u64>,
    /// Size in bytes.
    pub bytes: u64,
}

/// A dword of memory was written.
///
/// For an example see [`MemoryRead`](crate::cp::MemoryRead).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryWrite {
    /// The packet that asked for it; None for the caller.
    pub place: Option<Place>,
    /// GPU address, low 48 bits.
    pub addr: u64,
    /// What it holds now; None where the model does not know.
    pub value: Option<u32>,
}

/// A packet sends an event, or something that a packet asked for reaches the end of the pipe.
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
    /// The event; number 0 in `end_of_pipe` where a packet asks for a write without an event.
    pub event: Event,
}

/// An interrupt is sent to the CPU.
///
/// For an example see [`EventSeen`](crate::cp::EventSeen).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterruptSent {
    /// The queue.
    pub queue: QueueId,
    /// The RELEASE_MEM.
    pub place: Place,
    /// int_sel, how it is sent.
    pub select: u8,
    /// int_ctxid, the number that it carries.
    pub context: u32,
}

/// What an observer may do between two packets: read and write memory as the CPU or a shader would, and stop the run.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, Interest, ModelAccess, Observer}, packet::Queue};
/// /// Writes the flag that a stream waits for, as a shader would.
/// struct Flag;
/// impl Observer for Flag {
///     fn interest(&self) -> Interest {
///         Interest::ACT
///     }
///     fn act(&mut self, access: &mut ModelAccess<'_, '_>) {
///         access.write(0x1000, &[7]);
///     }
/// }
/// let wait = [0xC000_1000, 0, 0xC005_3C00, 0x13, 0x1000, 0, 7, u32::MAX, 4]; // NOP, then WAIT_REG_MEM
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.map_owned("flag", 0x1000, &[0]);
/// cp.submit(Queue::Graphics, "wait", &wait);
/// assert_eq!(cp.run(&mut Flag).errors, 0);
/// ```
#[derive(Debug)]
pub struct ModelAccess<'h, 'a> {
    pub(in crate::cp) memory: &'h mut Memory<'a>,
    pub(in crate::cp) stop: &'h mut bool,
}

impl ModelAccess<'_, '_> {
    /// The dword of memory at an address, where it is known.
    pub fn dword(&self, addr: u64) -> Option<u32> {
        self.memory.known(addr)
    }

    /// Writes dwords in a row, on behalf of a shader or of the CPU: waits see them, and read-only mappings accept them too. False where the model
    /// has no room for more ([`max_memory`](crate::cp::CommandProcessor::max_memory)): what did not fit is unknown.
    pub fn write(&mut self, addr: u64, words: &[u32]) -> bool {
        self.memory.write_for_caller(addr, words)
    }

    /// The run stops after this packet; it continues when it is run again.
    pub fn stop(&mut self) {
        *self.stop = true;
    }
}

impl<'a> Engine<'_, 'a> {
    /// What a packet is about to read.
    pub fn tell_reads(&mut self, queue: &QueueState<'a>, place: Place, packet: &Packet<'_>, kinds: EffectKinds) {
        if !self.interest.has(Interest::MEMORY) || !kinds.intersects(EffectKinds::READS) {
            return;
        }
        packet.visit_effects(self.gfx, queue.queue, &mut |effect| {
            if let Effect { timing: Timing::Issue | Timing::Dma, action: Action::Read { at, bytes }, .. } = effect {
                let addr = self.memory_address(queue, at).map(canonical);
                self.observer.memory_read(&MemoryRead { queue: queue.id, place, addr, bytes });
            }
        });
    }

    /// After the last packet: registers that hold one thing or the other, because a condition may have skipped the packet that wrote them.
    pub fn tell_settled(&mut self, queue: &mut QueueState<'a>) {
        if !self.interest.has(Interest::REGISTERS) {
            return;
        }
        for addr in queue.registers.take_log() {
            let Some(origin) = queue.registers.origin(addr) else { continue };
            self.observer.register_written(&RegisterChange { queue: queue.id, place: origin.place, addr, state: queue.registers.state(addr) });
        }
    }

    /// What has happened since the last call, and then the observer's turn. `place` is the packet that ran last.
    pub fn tell_hooks(&mut self, queue: &mut QueueState<'a>, place: Place) {
        if self.interest.has(Interest::REGISTERS) {
            for addr in queue.registers.take_log() {
                let change = RegisterChange { queue: queue.id, place, addr, state: queue.registers.state(addr) };
                self.observer.register_written(&change);
            }
        }
        if self.interest.has(Interest::MEMORY) {
            self.memory.take_log().iter().for_each(|write| self.observer.memory_written(write));
        }
        if self.interest.has(Interest::ACT) {
            self.observer.act(&mut ModelAccess { memory: &mut *self.memory, stop: &mut *self.stop });
        }
    }
}
