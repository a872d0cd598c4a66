//! Streams that a caller feeds in pieces.

use crate::cp::state::place::{BufferId, QueueId};
use alloc::vec::Vec;

/// A stream that is fed in pieces.
#[derive(Debug, Clone)]
pub(in crate::cp) struct Feed {
    pub stream: BufferId,
    pub queue: QueueId,
    /// The beginning of a packet whose end has not been fed yet.
    pub left: Vec<u32>,
    /// Dwords before `left`.
    pub before: usize,
    /// Whether the caller says that the whole stream was executed.
    pub executed: bool,
}
