//! Appending packets to a buffer. Every way in goes through the rules of [`rules`](super::rules).

pub mod buffer;
pub mod chunks;
pub mod direct;
pub mod lists;
pub mod runs;
pub mod shortcuts;
pub mod spans;
pub mod typed_registers;
pub mod writer;
pub mod writer_options;
