//! What the model keeps: queues, memory, registers, what packets have done before. Knows no rule and no observer.

pub(super) mod address_ranges;
pub(super) mod addresses;
pub(super) mod block;
pub(super) mod constant_engine;
pub(super) mod fence;
pub(super) mod finding;
pub(super) mod history;
pub(super) mod memory;
pub(super) mod memory_copies;
pub(super) mod names;
pub(super) mod options;
pub(super) mod packet_flags;
pub(super) mod past_values;
pub(super) mod pause;
pub(super) mod pipe;
pub(super) mod place;
pub(super) mod predicate;
pub(super) mod queue;
pub(super) mod reads;
pub(super) mod registers;
pub(super) mod remembered;
pub(super) mod rolls;
pub(super) mod source;
pub(super) mod summary;
pub(super) mod wait_condition;
pub(super) mod windows;
