//! The one encoder of packets as structs, and the one decoder.

pub mod decode;
pub mod encoder;
