//! Appending packets to a buffer. Every way in goes through the rules of [`rules`](super::rules).
//!
//! `writer` is the gate and the state. All else extends `Writer`, each file by one way to write: `runs` and `lists` of registers, `shortcuts` by name, `spans` that
//! may be skipped, `direct` for packets that are complete, `accepted` for those that were accepted before. `chunks` is memory, `command_buffer` what continues from one chunk to the next.

pub mod accepted;
pub mod buffer;
pub mod chunks;
pub mod command_buffer;
pub mod direct;
pub mod levels;
pub mod lists;
pub mod position;
pub mod runs;
pub mod shortcuts;
pub mod spans;
pub mod submission;
pub mod typed_registers;
pub mod writer;
pub mod writer_options;
