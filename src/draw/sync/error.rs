//! Why a barrier, fence or wait is refused.

use crate::chip::Chip;
use crate::draw::desc::TargetPass;
use crate::draw::sync::access::Access;
use crate::packet::Queue;

/// Why a barrier, a fence or a wait is refused.
///
/// For an example see [`Barrier`](crate::draw::sync::Barrier).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// Memory required by the generation was not given.
    #[error("{chip} needs {what}: {why}")]
    NoMemory {
        /// The chip.
        chip: Chip,
        /// The memory.
        what: &'static str,
        /// What needs it.
        why: &'static str,
    },
    /// An address that the packet cannot hold.
    #[error("{what}: address {addr:#x} must be a multiple of {align}, not 0, and of 48 bits (canonical form)")]
    Address {
        /// What the address is for.
        what: &'static str,
        /// The address.
        addr: u64,
        /// The required alignment in bytes.
        align: u64,
    },
    /// Work that the queue does not run.
    #[error("{access} belongs to work that the {queue:?} queue does not run")]
    NotOnQueue {
        /// The access.
        access: Access,
        /// The queue.
        queue: Queue,
    },
    /// A fence that the hardware does not support.
    #[error("{chip}: {what}; {limit}")]
    Fence {
        /// The chip.
        chip: Chip,
        /// The requested value.
        what: &'static str,
        /// What the hardware has instead.
        limit: &'static str,
    },
    /// Metadata that the chip cannot write back.
    #[error("{chip} cannot draw the pass {pass}: take the metadata out of use before, or let the state keep it")]
    NoPass {
        /// The chip.
        chip: Chip,
        /// The pass.
        pass: TargetPass,
    },
    /// A stream of another generation or queue than the plan's.
    #[error("a plan for {chip} and the {queue:?} queue in a stream of another generation or queue: make one for each")]
    OtherStream {
        /// The chip of the plan.
        chip: Chip,
        /// The queue of the plan.
        queue: Queue,
    },
}
