//! Queues side by side: which one runs next, and what is wrong when none can.

pub(super) mod ahead;
pub(super) mod stuck;
pub(super) mod turns;
