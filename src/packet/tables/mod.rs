//! The tables of all packets, made from `regdb/packets`, and what they answer without a packet at hand.

pub mod effect_kinds;
pub mod generated;
pub mod lookup;
mod names;
