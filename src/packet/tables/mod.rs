//! The tables of all packets, made from `regdb/packets`.

pub mod generated;
mod packet_rows;
