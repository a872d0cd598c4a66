//! What the tables of packets consist of: packets, their layouts and fields, and what they do.

pub mod effect_row;
pub mod field;
pub mod format;
pub mod number_names;
