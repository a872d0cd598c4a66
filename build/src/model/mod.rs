//! The contents of the description files as data.

pub mod chips;
pub mod descriptors;
pub mod isa;
pub mod packets;
pub mod queues;
pub mod registers;
