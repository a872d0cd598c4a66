//! SYN: events, fences, caches and waits.

mod acquires;
mod compute;
mod events;
mod fields;
mod occlusion;
mod order;
mod releases;
mod table;
pub(super) mod task;
pub(super) mod waits;

pub(super) use compute::reported_on_compute;
pub(super) use table::RULES;
pub(in crate::cp) use task::{UNPAIRED, ZERO_COUNT, hangs_from_zero};
pub(in crate::cp) use waits::{EARLY_ARGUMENTS, IDLE_WAIT, NOT_SYNCED, REGISTER_WAIT, UNSATISFIED, UNWAITED};
