//! Properties of a packet and of the state at the packet that rules ask for, as bits of a set.

/// Set for every packet.
pub const ALWAYS: u16 = 1;

pub const HEADER: u16 = 1 << 1;
pub const INDEXED: u16 = 1 << 2;
pub const WRONG_SHADER_TYPE: u16 = 1 << 3;
pub const NEEDS_INDEX: u16 = 1 << 4;
pub const GROUPED: u16 = 1 << 5;
pub const PART_SELECTED: u16 = 1 << 6;
pub const SHADOWED: u16 = 1 << 7;
pub const REDUNDANT: u16 = 1 << 8;

/// The model itself handles a register: VGT_INDEX_TYPE, GRBM_GFX_INDEX, the viewport scissors.
pub const NOTICED: u16 = 1 << 9;

/// A rule on register writes is checked on a write.
pub const JUDGED: u16 = 1 << 10;

/// A rule on packets asks for a register: [`WatchedPackets::Registers`](crate::cp::rules::WatchedPackets::Registers).
pub const WATCHED: u16 = 1 << 11;

/// The flags that a SET packet of any form may have.
pub const OF_SETS: u16 = INDEXED | WRONG_SHADER_TYPE | NEEDS_INDEX | GROUPED | REDUNDANT | WATCHED;
