//! Checks between entries, and conditions for generating Rust code from them.

pub mod descriptors;
pub mod isa;
mod packet_names;
pub mod packets;
pub mod queues;
mod record;
pub mod registers;
pub mod rust;
mod writes;
