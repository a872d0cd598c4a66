//! Fences that packets have written.

use crate::cp::state::place::{Place, QueueId};

/// A fence for which no packet has waited.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct Fence {
    pub queue: QueueId,
    pub place: Place,
    /// The written value, low and high dword, if known.
    pub values: [Option<u32>; 2],
}
