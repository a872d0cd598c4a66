//! The words and numbers of a stream: headers, opcodes, events, and the windows and groups of registers.

pub mod event;
pub mod groups;
pub mod header;
pub mod opcode;
pub mod scope;
pub mod windows;
