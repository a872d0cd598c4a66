//! What the tables of packets consist of.

pub mod format;
