//! Recording: packets from resolved draws, bound objects and barriers.

mod bound;
mod bound_compute;
mod bound_dispatches;
mod bound_draws;
mod buffers;
mod call_state;
mod caller_packets;
pub(crate) mod changes;
mod dispatches;
mod draws;
mod error;
mod finish;
pub(crate) mod held;
mod image_copies;
mod images;
mod indirect_draws;
mod order;
mod passes;
pub(crate) mod plain_draws;
mod preamble;
mod predication;
mod queries;
mod recorder;
mod registers;
mod streamout;
mod sync;
mod tasks;
mod transaction;
mod workarounds;

pub use error::RecordError;
pub use image_copies::ResolveMode;
pub use images::DepthClearWay;
pub use predication::{Predicate, PredicateKind};
pub use recorder::Recorder;
pub use streamout::{StreamoutBegin, StreamoutBuffer};
pub use tasks::GangMemory;
