//! The engine, which executes the packets of a queue one at a time.

pub(super) mod apply_effects;
pub(super) mod aql;
pub(super) mod constant;
pub(super) mod control;
pub(super) mod data;
pub(super) mod engine;
pub(super) mod events;
pub(super) mod hooks;
pub(super) mod indirect;
pub(super) mod left;
pub(super) mod memory_access;
pub(super) mod mes;
pub(super) mod plain;
pub(super) mod register_packets;
pub(super) mod report;
pub(super) mod sdma;
mod spans;
mod unknown;
pub(super) mod wait;
pub(super) mod work;
