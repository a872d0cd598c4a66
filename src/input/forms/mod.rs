//! The forms: a row in the table and a file for each.

mod devcoredump;
mod dumped;
mod hex;
mod kernel_log;
mod mesa;
mod pal;
mod raw;
mod recorded;
mod ring;
mod table;
mod umr;
mod umr_json;

pub(super) use devcoredump::TITLE as COREDUMP_TITLE;
pub(super) use hex::HexLines;
pub(super) use mesa::vendor_header;
pub(super) use table::{find, may_be_ring, parse};
