//! Fences that packets have written.

use crate::cp::state::place::{Place, QueueId};

/// A fence that no packet has waited for.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct Fence {
    pub queue: QueueId,
    pub place: Place,
    /// What was written, low and high dword, where that is known.
    pub values: [Option<u32>; 2],
}
