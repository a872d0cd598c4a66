//! Recording: packets from resolved draws, bound objects and barriers.

mod bound_dispatches;
mod bound_draws;
pub(crate) mod changes;
mod dispatches;
mod draws;
pub(crate) mod held;
mod passes;
pub(crate) mod plain_draws;
mod predication;
mod queries;
mod recorder;
mod streamout;
mod sync;
mod tasks;

pub use predication::{Predicate, PredicateKind};
pub use recorder::{RecordError, Recorder};
pub use streamout::{StreamoutBegin, StreamoutBuffer};
pub use tasks::GangMemory;
