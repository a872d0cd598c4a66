//! Formats of packets of queues other than PM4: rows of `regdb/queues/`.

use core::fmt;

/// A kind of queue whose packets are not PM4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueueFamily {
    /// The copy engine.
    Sdma,
    /// HSA queues, with packets of 64 bytes.
    Aql,
    /// The scheduler of GFX11 and later, with frames of 64 dwords.
    Mes,
    /// Memory queue descriptors of compute queues: not packets, but the state that a kernel keeps for a queue.
    Mqd,
    /// Memory queue descriptors of SDMA queues.
    SdmaMqd,
}

impl QueueFamily {
    /// All families.
    pub const ALL: [Self; 5] = [Self::Sdma, Self::Aql, Self::Mes, Self::Mqd, Self::SdmaMqd];

    /// Returns the name in lower case.
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

/// A field: bits of a dword, or of two dwords if `hi` is above 31.
///
/// For an example see [`QueueFormat`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueField {
    /// Name in the headers. A packet may have two fields with the same name.
    pub name: &'static str,
    pub(super) versions: u16,
    /// The position of the field.
    pub place: QueuePlace,
    /// Unit or meaning; empty if the name says it.
    pub note: &'static str,
}

/// The position of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuePlace {
    /// The dword; 0 is the first dword of the packet.
    pub dword: u16,
    /// Its lowest bit.
    pub lo: u8,
    /// Its highest bit; bits from 32 on are in the next dword.
    pub hi: u8,
    /// Whether it is a list.
    pub list: List,
}

impl QueuePlace {
    /// Returns the number of bits.
    pub const fn bits(self) -> usize {
        (self.hi - self.lo) as usize + 1
    }
}

/// How often a field occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Once.
    One,
    /// This number of times, consecutively.
    Of(u16),
    /// Up to the end of the packet.
    Rest,
}

/// An effect of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueEffect {
    /// Kind.
    pub kind: EffectKind,
    /// For memory, the address: the name of one field, or of two fields without `_31_0` and `_63_32`.
    pub addr: &'static str,
    /// For memory, the size.
    pub size: Size,
}

/// Kinds of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffectKind {
    /// Reads memory.
    Read,
    /// Writes memory.
    Write,
    /// Reads and writes memory.
    Change,
    /// Runs packets at another address.
    Call,
    /// Runs PM4 at another address.
    Pm4,
    /// Waits for memory or a register.
    Poll,
    /// Skips packets by a condition.
    Skip,
    /// Restricts the following packets to some engines.
    Engines,
    /// Writes back or invalidates caches.
    Caches,
    /// Sends an interrupt.
    Interrupt,
    /// Operations reserved for a kernel: registers, translations.
    Kernel,
    /// Starts a kernel of work-items.
    Dispatch,
    /// Requests an operation of an agent.
    Agent,
    /// Waits for signals.
    Wait,
    /// Copies from or to tiled images.
    Tiled,
    /// Writes according to the state of the queue.
    Queue,
    /// Accesses memory by rules that no source states completely.
    Unknown,
}

/// The size of an effect in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The effect does not concern memory.
    None,
    /// This number of bytes.
    Bytes(u32),
    /// (value + plus) * times.
    Field {
        /// The field.
        name: &'static str,
        /// The addend.
        plus: u32,
        /// The factor of the sum.
        times: u32,
    },
    /// A box between two buffers with pitches.
    Box,
}

/// The format of a packet of a family, for all versions that have it.
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
    /// What the packet does.
    pub doc: &'static str,
    pub(super) versions: u16,
    pub(super) ops: &'static [(u16, u32)],
    pub(super) sub_ops: &'static [u32],
    pub(super) when: Option<(u8, bool)>,
    pub(super) dwords: &'static [(u16, u32)],
    pub(super) more: &'static [(u16, u8, u32)],
    pub(super) count: Option<QueuePlace>,
    /// The effects of the packet, as far as data can describe them.
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
