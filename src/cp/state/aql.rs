//! The state of an AQL queue between packets.

use crate::cp::state::memory::canonical;
use crate::cp::state::place::Place;
use crate::queues::Version;

/// The packet processor of an AQL queue.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct AqlState {
    /// The version of its packets.
    pub version: Version,
    /// The packet that has begun but not ended: it waits, or the PM4 that it has called is running.
    pub under_way: Option<UnderWay>,
    /// Whether a packet has run.
    pub has_run: bool,
}

/// A packet that has begun.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct UnderWay {
    pub place: Place,
    /// The signals that have ended its waits, as a bit mask.
    pub ended: u8,
    /// The signals for which it waits now, as a bit mask.
    pub waits_for: u8,
    /// Whether the PM4 that it calls is running or has run.
    pub called: bool,
}

impl AqlState {
    pub const fn new(version: Version) -> Self {
        Self { version, under_way: None, has_run: false }
    }
}

impl UnderWay {
    pub const fn new(place: Place) -> Self {
        Self { place, ended: 0, waits_for: 0, called: false }
    }
}

/// Returns the address of the value of a signal, from that of the signal.
pub(in crate::cp) const fn value_of(signal: u64) -> u64 {
    canonical(signal.wrapping_add(SIGNAL_VALUE))
}

/// Byte offsets in a signal of its value, its time stamps and its event mailbox (ROCr 1b1610fc amd_hsa_signal.h amd_signal_t).
const SIGNAL_VALUE: u64 = 8;
pub(in crate::cp) const SIGNAL_MAILBOX: u64 = 16;
pub(in crate::cp) const SIGNAL_TIMES: u64 = 32;
