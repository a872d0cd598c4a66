//! Registers, packets, the writers and the shader encoder.
//!
//! `cargo test --test packets FILE::` runs the tests of one file. Code shared by several suites is in `tests/support/`.

#[path = "../../support/computed.rs"]
mod computed;
#[path = "../../support/golden.rs"]
mod golden;
#[path = "../../support/random_packets.rs"]
mod random_packets;
#[path = "../../support/ranges.rs"]
mod ranges;
#[path = "../../support/mod.rs"]
mod support;

mod assembly;
mod authoring;
mod chunks;
mod effects;
mod effects_golden;
mod encoder;
mod filter;
mod isa;
mod isa_texts;
mod packet_texts;
mod packets;
mod packets_random;
mod packets_table;
mod queues;
mod refused;
mod registers;
mod tape;
