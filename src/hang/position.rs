//! The packet that an engine was executing, and the certainty of this result.

use crate::packet::Header;
use alloc::string::String;
use alloc::vec::Vec;
use strum::{Display, IntoStaticStr};

/// An engine of the command processor.
///
/// For an example see [the module](crate::hang).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
pub enum CpEngine {
    /// The prefetch parser, which runs ahead of ME.
    Pfp,
    /// The micro-engine of the graphics queue.
    Me,
    /// The constant engine, up to GFX10.3.
    Ce,
    /// The micro-engine of compute queues.
    Mec,
}

/// The certainty of a position.
///
/// For an example see [the module](crate::hang).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Confidence {
    /// A hint: several packets match, or few entries match.
    Low,
    /// One packet matches part of the evidence.
    Medium,
    /// One packet matches all evidence.
    High,
}

/// A packet of an input.
///
/// For an example see [the module](crate::hang).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketPlace {
    /// The buffer, as [`Input::buffers`](crate::input::Input::buffers) counts.
    pub buffer: usize,
    /// Offset of the header in dwords.
    pub dword: usize,
    /// The header.
    pub header: Header,
}

/// The position of an engine: the packet that it was executing.
///
/// For an example see [the module](crate::hang).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnginePosition {
    /// The engine.
    pub engine: CpEngine,
    /// Packets that the engine may have been executing, most likely first; never more than a few.
    pub candidates: Vec<PacketPlace>,
    /// Number of packets that match equally well, including those that `candidates` omits.
    pub fitting: usize,
    /// The confidence of the first candidate.
    pub confidence: Confidence,
    /// The evidence for the position, as text.
    pub by: String,
    /// The last packet headers that the engine read, in reading order.
    pub headers: Vec<u32>,
}
