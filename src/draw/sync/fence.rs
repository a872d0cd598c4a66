//! Fences in memory, and waits for them.

use crate::chip::Chip;
use crate::draw::desc::address::is_address;
use crate::draw::sync::access::AccessSet;
use crate::draw::sync::error::SyncError;
use crate::packet::values::Function;
use crate::packet::{Event, Queue};

/// The work that must end before a fence is written.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::sync::{Fence, FenceAfter, FenceData, Plan};
/// use pm4::packet::Queue;
/// let fence = Fence { after: FenceAfter::PixelShaders, ..Fence::new(0x10_0000, FenceData::Dword(1)) };
/// let plan = Plan::fence(Chip::Navi31, Queue::Graphics, &fence)?;
/// assert_eq!(plan.steps[0].action.describe(Chip::Navi31.gfx()), "RELEASE_MEM PS_DONE (no caches), writes the fence");
/// // A compute queue has no pixel shaders.
/// assert!(Plan::fence(Chip::Navi31, Queue::Compute, &fence).is_err());
/// # Ok::<(), pm4::draw::sync::SyncError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FenceAfter {
    /// All earlier work, at the end of the pipe.
    #[default]
    EndOfPipe,
    /// Earlier pixel shaders. Nothing is flushed.
    PixelShaders,
    /// Earlier compute shaders. Nothing is flushed.
    ComputeShaders,
}

/// The data that a fence writes.
///
/// For an example see [`Fence`](crate::draw::sync::Fence).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FenceData {
    /// Nothing: only an interrupt, at the end of the pipe.
    Nothing,
    /// 32 bits.
    Dword(u32),
    /// 64 bits.
    Qword(u64),
    /// The 64-bit counter of the GPU clock.
    GpuClock,
    /// The 64-bit counter of the system clock.
    SystemClock,
}

/// An interrupt to the CPU.
///
/// For an example see [`Fence`](crate::draw::sync::Fence).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Interrupt {
    /// None.
    #[default]
    None,
    /// When the data is known to be written; at once if there is none.
    AfterWrite,
}

/// A write to memory, and optionally an interrupt, when work has ended.
///
/// ```
/// use pm4::draw::sync::{Access, Fence, FenceData, Interrupt};
/// let fence = Fence { from: Access::ColorWrite.into(), host: true, interrupt: Interrupt::AfterWrite, ..Fence::new(0x10_0000, FenceData::Dword(1)) };
/// assert_eq!(fence.align(), 4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fence {
    /// Address to write: nonzero, 48 bits, a multiple of 4, or of 8 for 64 bits. For [`FenceData::Nothing`] it must be 0.
    pub address: u64,
    /// The data to write.
    pub data: FenceData,
    /// The work that must end first.
    pub after: FenceAfter,
    /// Accesses that must be flushed first.
    pub from: AccessSet,
    /// Whether the CPU reads the results of these accesses.
    pub host: bool,
    /// Whether targets among them have DCC, CMASK, FMASK or HTILE.
    pub compressed: bool,
    /// As [`Barrier::coherent_l2`](crate::draw::sync::Barrier::coherent_l2). Unless the CPU runs after the fence, it is unknown what does: false flushes L2
    /// after any writes.
    pub coherent_l2: bool,
    /// The interrupt.
    pub interrupt: Interrupt,
}

impl Fence {
    /// Creates a fence at the end of the pipe that flushes nothing.
    pub fn new(addr: u64, data: FenceData) -> Self {
        Self {
            address: addr,
            data,
            after: FenceAfter::EndOfPipe,
            from: AccessSet::NONE,
            host: false,
            compressed: false,
            coherent_l2: false,
            interrupt: Interrupt::None,
        }
    }

    /// Returns the required alignment of the address (PAL gfx9CmdUtil.cpp BuildReleaseMem).
    pub fn align(&self) -> u64 {
        if matches!(self.data, FenceData::Nothing | FenceData::Dword(_)) { 4 } else { 8 }
    }

    pub(super) fn check(&self, chip: Chip, queue: Queue) -> Result<(), SyncError> {
        let refuse = |what, limit| Err(SyncError::Fence { chip, what, limit });
        let none = self.data == FenceData::Nothing;
        if none && self.address != 0 {
            return refuse("a fence that writes nothing, with an address", "set addr to 0");
        }
        if !none && !is_address(self.address, self.align()) {
            return Err(SyncError::Address { what: "a fence", addr: self.address, align: self.align() });
        }
        if self.after == FenceAfter::EndOfPipe {
            return match none && self.interrupt == Interrupt::None {
                true => refuse("a fence that neither writes nor interrupts", "it would have no effect: it writes nothing and sends no interrupt"),
                false => Ok(()),
            };
        }
        if self.after == FenceAfter::PixelShaders && queue == Queue::Compute {
            return refuse("a fence after pixel shaders on a compute queue", "compute queues have only CS_DONE");
        }
        if !matches!(self.data, FenceData::Dword(_) | FenceData::Qword(_)) {
            return refuse("a fence after shaders that writes no number", "PS_DONE and CS_DONE write 32 or 64 bits (PAL BuildReleaseMem)");
        }
        // Only GFX12 allows cache actions there; which of them flush colour and depth is not described.
        if !self.from.is_empty() || self.host {
            return refuse("a fence after shaders that flushes", "PS_DONE and CS_DONE flush no targets, and no caches before GFX12: use the end of the pipe");
        }
        Ok(())
    }

    pub(super) fn event(&self) -> Event {
        match self.after {
            FenceAfter::EndOfPipe => Event::BOTTOM_OF_PIPE_TS,
            FenceAfter::PixelShaders => Event::PS_DONE,
            FenceAfter::ComputeShaders => Event::CS_DONE,
        }
    }

    pub(super) fn rule(&self) -> &'static str {
        match self.after {
            FenceAfter::EndOfPipe => "the end-of-pipe event writes the fence when all work before it is over and flushed",
            FenceAfter::PixelShaders => "PS_DONE writes the fence when the pixel shaders before it are over",
            FenceAfter::ComputeShaders => "CS_DONE writes the fence when the compute shaders before it are over",
        }
    }
}

/// How a wait compares memory with its reference.
///
/// For an example see [`Wait`](crate::draw::sync::Wait).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitCompare {
    /// Memory is less.
    Less,
    /// Less or equal.
    LessOrEqual,
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Greater or equal.
    GreaterOrEqual,
    /// Greater.
    Greater,
}

impl WaitCompare {
    pub(crate) fn function(self) -> Function {
        match self {
            Self::Less => Function::LESS_THAN_REF_VALUE,
            Self::LessOrEqual => Function::LESS_THAN_EQUAL_TO_THE_REF_VALUE,
            Self::Equal => Function::EQUAL_TO_THE_REFERENCE_VALUE,
            Self::NotEqual => Function::NOT_EQUAL_REFERENCE_VALUE,
            Self::GreaterOrEqual => Function::GREATER_THAN_OR_EQUAL_REFERENCE_VALUE,
            Self::Greater => Function::GREATER_THAN_REFERENCE_VALUE,
        }
    }
}

/// A wait until a comparison with 32 bits of memory is true.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::Recorder;
/// use pm4::draw::sync::{Wait, WaitCompare};
/// let mut recorder = Recorder::new(Chip::Navi31);
/// // Until the dword at 0x1000 is 7 or more.
/// recorder.wait(&Wait { compare: WaitCompare::GreaterOrEqual, ..Wait::equal(0x1000, 7) })?;
/// assert_eq!(recorder.words().len(), 7);
/// # Ok::<(), pm4::draw::RecordError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Wait {
    /// Address of the memory: nonzero, 48 bits, a multiple of 4.
    pub address: u64,
    /// The comparison.
    pub compare: WaitCompare,
    /// The reference value.
    pub reference: u32,
    /// Mask of the bits of memory to compare.
    pub mask: u32,
    /// Whether PFP waits, so that no later packet is fetched; on compute queues there is no difference.
    pub pfp: bool,
}

impl Wait {
    /// Creates a wait in ME until memory equals the reference.
    pub fn equal(addr: u64, reference: u32) -> Self {
        Self { address: addr, compare: WaitCompare::Equal, reference, mask: !0, pfp: false }
    }
}
