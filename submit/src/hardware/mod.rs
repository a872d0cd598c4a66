//! The program `pm4-hardware`: runs small workloads on a GPU and on the model, and compares the resulting memory word by word.
//!
//! Floors, lowest first: [`case`] is a comparison before it runs; [`packets`] writes its words; [`cases`] contains all cases; [`judge`] runs a case and
//! compares; [`report`] is what the owner of a card sends; [`program`] is the command line.

pub mod case;
pub mod cases;
pub mod judge;
pub mod packets;
pub mod program;
pub mod report;
