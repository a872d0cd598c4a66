//! Measures how much words look like a stream of packets.

use crate::packet::Reader;

/// The number of words to examine.
pub(in crate::input) const LOOKED_AT: usize = 1 << 14;

/// Returns how many dwords per thousand are in type-3 packets with known opcodes and no reserved bits, or are fillers.
pub(in crate::input) fn plausible(words: &[u32]) -> usize {
    let words = &words[..words.len().min(LOOKED_AT)];
    let good = |header: crate::packet::Header| match header.packet_type() {
        3 => header.reserved() == 0 && header.opcode().is_known(),
        2 => header == crate::packet::Header::FILLER,
        _ => false,
    };
    let dwords: usize = Reader::new(words).flatten().filter(|packet| good(packet.header)).map(|packet| packet.dwords()).sum();
    if words.is_empty() { 0 } else { 1000 * dwords / words.len() }
}
