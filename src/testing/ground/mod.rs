//! The parts of cases: words from names, streams, and both streams of a case.

pub(in crate::testing) mod case;
pub(in crate::testing) mod pen;
pub(in crate::testing) mod stream;
