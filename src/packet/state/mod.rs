//! What registers hold as far as a stream states, and writers that use it.

pub mod filter;
pub mod known;
pub mod prepared;
pub mod shadow;
mod typed_registers;
