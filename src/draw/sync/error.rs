//! Why a barrier, fence or wait cannot be had.

use crate::chip::{Chip, Gfx};
use crate::draw::sync::Access;
use crate::packet::Queue;

/// Why a barrier, a fence or a wait cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// Memory that the generation needs was not given.
    #[error("{chip} needs {what}: {why}")]
    NoMemory {
        /// On which chip.
        chip: Chip,
        /// Which memory.
        what: &'static str,
        /// What for.
        why: &'static str,
    },
    /// An address that the packet cannot hold.
    #[error("{what}: address {addr:#x} must be a multiple of {align} below 2^48, and not 0")]
    Address {
        /// What lies there.
        what: &'static str,
        /// The address.
        addr: u64,
        /// Its alignment.
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
    /// A fence that the hardware does not have.
    #[error("{chip}: {what}; {limit}")]
    Fence {
        /// On which chip.
        chip: Chip,
        /// What was asked for.
        what: &'static str,
        /// What there is.
        limit: &'static str,
    },
    /// A pixel wait sync on a generation before GFX11.
    #[error("{gfx} has no pixel wait sync: GFX11 and later have it")]
    NoPixelWait {
        /// The generation.
        gfx: Gfx,
    },
}
