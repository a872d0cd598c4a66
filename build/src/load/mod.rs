//! Reads texts into the model. Mistakes within an entry are found here.

pub mod chips;
pub mod descriptors;
pub mod isa;
mod packet_effects;
pub mod packets;
pub mod queues;
pub mod registers;
mod tolerated;
