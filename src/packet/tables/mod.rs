//! The tables of all packets, generated from `regdb/packets`, and queries that need no packet.

pub mod effect_kinds;
pub mod generated;
pub mod lookup;
mod names;
