//! The scheduling of parallel queues: which queue runs next, and the diagnosis when none can run.

pub(super) mod ahead;
pub(super) mod stuck;
pub(super) mod turns;
