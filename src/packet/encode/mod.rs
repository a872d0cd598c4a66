//! The encoder and the decoder of packet structs.

pub mod decode;
pub mod encoder;
