//! Reading streams: packets, their fields, register writes, effects and defects.

pub mod defect;
pub mod effects;
pub mod fields;
pub mod reader;
pub mod register_writes;
