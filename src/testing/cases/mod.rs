//! The cases, one file per rule family. [`Row`](crate::testing::ground::case::Row) explains how to write one.

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
