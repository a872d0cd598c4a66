//! Workarounds for hardware errata.

mod patches;
pub(crate) mod situation;
pub(crate) mod table;

pub use table::{WORKAROUNDS, Workaround, WorkaroundPlace};

pub(crate) use situation::{DrawFacts, Situation, UNKNOWN_CUT_MODE};
pub(crate) use table::{Does, acts, at, patch};
