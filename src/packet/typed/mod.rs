//! What the structs of packets consist of.

#[cfg(feature = "overlay")]
pub mod overlay;
pub mod packet_fields;
