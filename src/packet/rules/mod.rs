//! What the hardware does not accept: checked before a packet is written, whichever way it is authored.
//!
//! `tests/suites/packets/authoring.rs` has the table of rules, each with a packet that breaks it.

//!
//! [`check`](check::check) is the gate. `packets`, `sets` and `sync` have the rules of single packets, `dwords` those of all.

pub mod candidate;
pub mod check;
mod dwords;
pub mod firmware;
pub mod limits;
mod packets;
mod sets;
mod sync;
pub mod write_error;

pub(crate) use sets::{MOST_IN_PACKED_N, most_in_packed_n};
