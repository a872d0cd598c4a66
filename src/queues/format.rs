//! Formats of packets of queues other than PM4: rows of `regdb/queues/`.

use core::fmt;

/// A kind of queue whose packets are not PM4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueueFamily {
    /// The engine that copies.
    Sdma,
    /// Queues of HSA: packets of 64 bytes.
    Aql,
    /// The scheduler of GFX11 and later: frames of 64 dwords.
    Mes,
    /// Memory queue descriptors of compute queues: no packets, but what a kernel keeps of a queue.
    Mqd,
    /// Memory queue descriptors of queues of SDMA.
    SdmaMqd,
}

impl QueueFamily {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Sdma, Self::Aql, Self::Mes, Self::Mqd, Self::SdmaMqd];

    /// Name, lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sdma => "sdma",
            Self::Aql => "aql",
            Self::Mes => "mes",
            Self::Mqd => "mqd",
            Self::SdmaMqd => "sdma-mqd",
        }
    }

    /// Returns the family with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }
}

impl fmt::Display for QueueFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A field: bits of a dword, or more where `hi` goes beyond 31.
///
/// For an example see [`QueueFormat`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueField {
    /// Name in the headers. A packet may have a name twice, at different places.
    pub name: &'static str,
    pub(super) versions: u16,
    /// Where it is.
    pub place: QueuePlace,
    /// Unit or meaning; empty where the name says it.
    pub note: &'static str,
}

/// The place of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuePlace {
    /// The dword, 0 the first one of the packet.
    pub dword: u16,
    /// Its lowest bit.
    pub lo: u8,
    /// Its highest bit; from 32 on it is in the next dword.
    pub hi: u8,
    /// Whether it is a list.
    pub list: List,
}

impl QueuePlace {
    /// How many bits it has.
    pub const fn bits(self) -> usize {
        (self.hi - self.lo) as usize + 1
    }
}

/// How often a field is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Once.
    One,
    /// So many times, one behind the other.
    Of(u16),
    /// Up to the end of the packet.
    Rest,
}

/// What a packet does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueEffect {
    /// Kind.
    pub kind: EffectKind,
    /// The address, of memory: the name of a field, or of two without `_31_0` and `_63_32`.
    pub addr: &'static str,
    /// How much, of memory.
    pub size: Size,
}

/// Kinds of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffectKind {
    /// Reads memory.
    Read,
    /// Writes memory.
    Write,
    /// Reads memory and writes it.
    Change,
    /// Runs packets at another address.
    Call,
    /// Runs PM4 at another address.
    Pm4,
    /// Waits for memory or a register.
    Poll,
    /// Skips packets by a condition.
    Skip,
    /// The packets that follow are for some engines only.
    Engines,
    /// Writes back or invalidates caches.
    Caches,
    /// Interrupts.
    Interrupt,
    /// What only a kernel may do: registers, translations.
    Kernel,
    /// Starts a kernel of work-items.
    Dispatch,
    /// Asks an agent.
    Agent,
    /// Waits for signals.
    Wait,
    /// Copies from or to tiled images.
    Tiled,
    /// Writes what the state of the queue says.
    Queue,
    /// Memory, by rules that no source states in full.
    Unknown,
}

/// Bytes of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Not of memory.
    None,
    /// So many.
    Bytes(u32),
    /// (value + plus) * times.
    Field {
        /// The field.
        name: &'static str,
        /// What is added.
        plus: u32,
        /// What the sum is multiplied with.
        times: u32,
    },
    /// A box between two buffers with pitches.
    Box,
}

/// A packet of a family, in all versions that have it.
///
/// ```
/// use pm4::queues::{QueueFamily, Version};
/// let sdma = Version::new(QueueFamily::Sdma, "6.0").expect("a version");
/// let copy = sdma.format("COPY_LINEAR").expect("all versions have it");
/// let count = copy.fields(sdma).find(|field| field.name == "count").expect("it counts bytes");
/// assert_eq!((count.place.dword, count.place.hi, count.note), (1, 29, "bytes - 1"));
/// ```
#[derive(Debug)]
pub struct QueueFormat {
    /// Name in the headers.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    pub(super) versions: u16,
    pub(super) ops: &'static [(u16, u32)],
    pub(super) sub_ops: &'static [u32],
    pub(super) when: Option<(u8, bool)>,
    pub(super) dwords: &'static [(u16, u32)],
    pub(super) more: &'static [(u16, u8, u32)],
    pub(super) count: Option<QueuePlace>,
    /// What it does, as far as data can say it.
    pub effects: &'static [QueueEffect],
    pub(super) fields: &'static [QueueField],
}

/// All packets of a family.
#[derive(Debug)]
pub(super) struct FamilyTable {
    pub versions: &'static [&'static str],
    pub op: (u8, u8),
    pub sub_op: Option<(u8, u8)>,
    pub packets: &'static [QueueFormat],
}
