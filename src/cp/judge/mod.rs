//! Which rules are asked about a packet, a register write, a draw; and what becomes of their verdicts.

pub(super) mod doubt;
pub(super) mod levels;
pub(super) mod packets;
pub(super) mod repeats;
pub(super) mod tables;
pub(super) mod work;
pub(super) mod writes;
