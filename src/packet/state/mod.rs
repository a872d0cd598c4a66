//! What registers hold as far as a stream tells, and writers that use it.

pub mod filter;
pub mod prepared;
pub mod shadow;
