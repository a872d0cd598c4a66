//! Converts the model to Rust code, one file per part.

pub mod chips;
pub mod descriptors;
pub mod generations;
pub mod isa;
pub mod packets;
pub mod queues;
pub mod registers;
pub mod source;
pub mod typed;
