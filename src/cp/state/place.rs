//! Places in the buffers of a submission.

use crate::queues::QueueFamily;

/// A buffer that the model knows: submitted or mapped. Numbers count up from 0 in the order of the calls.
///
/// For an example see [`Place`](crate::cp::Place).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BufferId(pub u32);

/// A dword of a buffer, usually the header of a packet.
///
/// ```
/// use pm4::{chip::Chip, cp::{BufferId, BufferInfo, CommandProcessor, Origin}, packet::Queue};
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// let buffer: BufferId = cp.submit(Queue::Graphics, "a register", &[0xC000_1000, 0, 0xC001_6900, 0x203, 0x1_8600]);
/// cp.run(&mut ());
/// // The packet that wrote DB_SHADER_CONTROL.
/// let origin: Origin = cp.registers(Queue::Graphics).origin(0x2880C).expect("it was written");
/// assert_eq!((origin.place.buffer, origin.place.dword, origin.packet), (buffer, 2, 1));
/// let info: &BufferInfo<'_> = cp.buffer(buffer).expect("it was submitted");
/// assert_eq!((info.name, info.words[3], info.addr), ("a register", 0x203, None));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// The buffer.
    pub buffer: BufferId,
    /// Offset in dwords from the start of the buffer.
    pub dword: u32,
}

impl core::fmt::Display for Place {
    /// Prints `buffer 0 dword 354`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "buffer {} dword {}", self.buffer.0, self.dword)
    }
}

/// The packet that caused something.
///
/// For an example see [`Place`](crate::cp::Place).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Origin {
    /// The place of the packet's header.
    pub place: Place,
    /// The number of the packet on its queue, in the order of execution, from 0.
    pub packet: u64,
}

/// Words that a queue executes or that memory holds.
///
/// For an example see [`Place`](crate::cp::Place).
#[derive(Debug, Clone, Copy)]
pub struct BufferInfo<'a> {
    /// Its name in reports.
    pub name: &'a str,
    /// The dwords.
    pub words: &'a [u32],
    /// Its GPU address (low 48 bits), if known.
    pub addr: Option<u64>,
}

/// A queue of the model: 0 is the graphics queue, 1 the first compute queue; further queues are numbered in order of creation. The constant engine has a
/// separate number.
///
/// For an example see [`CommandProcessor::begin`](crate::cp::CommandProcessor::begin).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct QueueId(pub u32);

impl QueueId {
    /// The graphics queue.
    pub const GRAPHICS: Self = Self(0);
    /// The first compute queue.
    pub const COMPUTE: Self = Self(1);
    /// The stream of the constant engine, on chips up to GFX10.3.
    pub const CONSTANT: Self = Self(u32::MAX);
    /// The first SDMA queue, with packets as in [`queues`](crate::queues).
    pub const SDMA: Self = Self(1 << 16);

    /// The first AQL queue, with packets as in [`queues`](crate::queues) and the PM4 that they call.
    pub const AQL: Self = Self(1 << 17);

    /// The ring of MES, on chips from GFX11 on, with frames as in [`queues`](crate::queues).
    pub const MES: Self = Self(1 << 18);

    /// Returns the family of the queue's packets, if they are not PM4.
    ///
    /// ```
    /// use pm4::{cp::QueueId, queues::QueueFamily};
    /// assert_eq!((QueueId::SDMA.family(), QueueId::COMPUTE.family()), (Some(QueueFamily::Sdma), None));
    /// ```
    pub const fn family(self) -> Option<QueueFamily> {
        match self {
            Self::MES => Some(QueueFamily::Mes),
            _ if self.is_sdma() => Some(QueueFamily::Sdma),
            _ if self.is_aql() => Some(QueueFamily::Aql),
            _ => None,
        }
    }

    /// Returns whether it is an SDMA queue.
    pub const fn is_sdma(self) -> bool {
        self.0 >= Self::SDMA.0 && self.0 < Self::SDMA.0 + 16
    }

    /// Returns whether it is an AQL queue.
    pub const fn is_aql(self) -> bool {
        self.0 >= Self::AQL.0 && self.0 < Self::AQL.0 + 16
    }
}

impl core::fmt::Display for QueueId {
    /// `gfx`, `compute`, `compute2`, …, `constant`, `sdma`, `sdma2`, …, `aql`, `aql2`, …, `mes`
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            0 => f.pad("gfx"),
            1 => f.pad("compute"),
            u32::MAX => f.pad("constant"),
            sdma if self.is_sdma() => match sdma - Self::SDMA.0 {
                0 => f.pad("sdma"),
                n => write!(f, "sdma{}", n + 1),
            },
            _ if *self == Self::MES => f.pad("mes"),
            aql if self.is_aql() => match aql - Self::AQL.0 {
                0 => f.pad("aql"),
                n => write!(f, "aql{}", n + 1),
            },
            n => write!(f, "compute{n}"),
        }
    }
}
