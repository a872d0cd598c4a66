//! The types of the packet tables: packets, their layouts, fields and effects.

pub mod effect_row;
pub mod field;
pub mod format;
pub mod number_names;
