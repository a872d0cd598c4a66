//! The register values that a stream states, and writers that use them.

pub mod filter;
// Without draws the filter alone uses it.
#[cfg_attr(not(feature = "draw"), allow(dead_code))]
pub mod known;
pub mod prepared;
pub mod shadow;
mod typed_registers;
