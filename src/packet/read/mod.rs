//! Reading streams: packets, their fields, register writes, effects and defects.
//!
//! `reader` splits a stream into packets. The other files extend `Packet`, each with one question.

pub mod defect;
pub mod effect;
pub mod effects;
pub mod fields;
pub mod packet;
pub mod reader;
pub mod register_writes;
