//! What a stream consists of: headers, packets and their fields, register windows and groups. Nothing here writes or remembers.

pub mod defect;
pub mod effects;
pub mod event;
pub mod fields;
pub mod formats;
pub mod groups;
pub mod header;
pub mod opcode;
#[cfg(feature = "overlay")]
pub mod overlay;
pub mod reader;
pub mod register_writes;
pub mod structs;
pub mod tables;
pub mod windows;
