//! The building blocks of packet structs.

#[cfg(feature = "overlay")]
pub mod overlay;
pub mod packet_fields;
