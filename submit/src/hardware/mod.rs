//! The program `pm4-hardware`: small work runs on a GPU and on the model, and what both leave in memory is compared word by word.
//!
//! Floors, the lowest first: [`case`] is one comparison, before it runs; [`packets`] writes its words; [`cases`] has all of them; [`judge`] runs one and compares;
//! [`report`] is what an owner of a card sends; [`program`] is the command line.

pub mod case;
pub mod cases;
pub mod judge;
pub mod packets;
pub mod program;
pub mod report;
