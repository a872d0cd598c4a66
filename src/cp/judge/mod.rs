//! The choice of the rules to ask about a packet, register write or draw, and the handling of their verdicts.

pub(super) mod doubt;
pub(super) mod levels;
pub(super) mod packets;
pub(super) mod repeats;
pub(super) mod tables;
pub(super) mod work;
pub(super) mod writes;
