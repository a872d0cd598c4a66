//! Rings of kernels: which part of the words was in work.
//!
//! A kernel pads each submission to a multiple of 256 dwords (Linux 7.1 amdgpu_ring_commit, align_mask 0xff), so packets begin there. What lies after the write
//! pointer is left from the lap before.

use super::contents::{BufferUse, InputBuffer};
use crate::packet::{Opcode, Packet, Reader};
use alloc::format;
use alloc::vec::Vec;

/// Dwords of which each submission to a ring takes a multiple.
pub(super) const FRAME: usize = 0x100;

/// The words from a place on to the write pointer, around the end of the ring: all of them where both are one.
pub(crate) fn unrolled(words: &[u32], from: usize, to: usize) -> Vec<u32> {
    if from < to {
        words.get(from..to).unwrap_or_default().to_vec()
    } else {
        [words.get(from..).unwrap_or_default(), words.get(..to).unwrap_or_default()].concat()
    }
}

/// The newest submission in a ring that starts a command buffer which is asked for: the places of its first dword, at the border before the packet, and of the write
/// pointer. None where the pointers do not fit the words or no such packet is there.
pub(crate) fn submission(ring: &InputBuffer, asked: impl Fn(&Packet<'_>) -> bool) -> Option<(usize, usize)> {
    let length = ring.words.len();
    let pointers = ring.pointers.filter(|pointers| pointers.mask.checked_add(1) == Some(length as u64))?;
    let to = pointers.write_at();
    let starts = |words: &[u32]| Reader::new(words).flatten().any(|packet| packet.opcode() == Some(Opcode::INDIRECT_BUFFER) && asked(&packet));
    // Backwards from the write pointer; as far as it goes round.
    let mut borders = (1..=length.div_ceil(FRAME)).map(|back| (to + length - (back * FRAME).min(length)) / FRAME * FRAME % length);
    borders.find(|from| starts(ring.words.get(*from..(*from + FRAME).min(length)).unwrap_or_default())).map(|from| (from, to))
}

/// The words of the newest submission in a ring that starts a command buffer.
pub(super) fn part_in_work(ring: &InputBuffer) -> Option<InputBuffer> {
    let (from, to) = submission(ring, |_| true)?;
    let words = unrolled(&ring.words, from, to);
    Some(InputBuffer { words, queue: ring.queue, ..InputBuffer::new(format!("{} from dword 0x{from:x}", ring.name), BufferUse::Ring) })
}
