//! The register values that a stream states, and writers that use them.

pub mod filter;
pub mod known;
pub mod prepared;
pub mod shadow;
mod typed_registers;
