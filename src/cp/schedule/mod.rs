//! Queues side by side: which one runs next, and what is wrong when none can.

pub(super) mod schedule;
