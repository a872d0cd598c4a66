//! Reading streams: packets, their fields, the registers that they write, what they do and what is wrong with them.
//!
//! `reader` cuts a stream into packets. All else extends `Packet`, each file by one question.

pub mod defect;
pub mod effect;
pub mod effects;
pub mod fields;
pub mod packet;
pub mod reader;
pub mod register_writes;
