//! The cases, a file per family of rules. [`Row`](crate::testing::ground::case::Row) says how one is written.

mod aql;
mod memory;
mod mes;
mod ordered;
mod packets;
mod registers;
mod sdma;
mod stages;
mod sync;
mod table;
mod targets;

pub(in crate::testing) use table::rows;
