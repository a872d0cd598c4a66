//! What must hold between entries, and so that they become Rust code.

pub mod descriptors;
pub mod isa;
mod packet_names;
pub mod packets;
pub mod queues;
mod record;
pub mod registers;
pub mod rust;
mod writes;
