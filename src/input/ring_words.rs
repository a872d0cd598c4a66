//! Rings of kernels: which part of the words was in work.
//!
//! A kernel pads each submission to a multiple of 256 dwords (Linux 7.1 amdgpu_ring_commit, align_mask 0xff), so packets begin there. What lies after the write
//! pointer is left from the lap before.

use super::contents::{BufferUse, InputBuffer};
use crate::packet::{Opcode, Reader};
use alloc::format;
use alloc::vec::Vec;

/// Dwords of which each submission to a ring takes a multiple.
pub(super) const FRAME: usize = 0x100;

/// The words from a place on to the write pointer, around the end of the ring: all of them where both are one.
fn unrolled(words: &[u32], from: usize, to: usize) -> Vec<u32> {
    if from < to {
        words.get(from..to).unwrap_or_default().to_vec()
    } else {
        [words.get(from..).unwrap_or_default(), words.get(..to).unwrap_or_default()].concat()
    }
}

/// The newest submission in a ring: from the border before the last packet that starts a command buffer to the write pointer. None where the pointers do not
/// fit the words or no such packet is there.
pub(super) fn part_in_work(ring: &InputBuffer) -> Option<InputBuffer> {
    let pointers = ring.pointers.filter(|pointers| pointers.mask + 1 == ring.words.len() as u64)?;
    let to = pointers.write_at();
    let frames = (ring.words.len() / FRAME).max(1);
    // Backwards from the write pointer; as far as it goes round.
    let starts = (1..=frames).map(|back| (to + ring.words.len() - (back * FRAME).min(ring.words.len())) / FRAME * FRAME % ring.words.len());
    let calls = |words: &[u32]| Reader::new(words).flatten().any(|packet| packet.opcode() == Some(Opcode::INDIRECT_BUFFER));
    let from = starts.into_iter().find(|from| calls(ring.words.get(*from..(*from + FRAME).min(ring.words.len())).unwrap_or_default()))?;
    let words = unrolled(&ring.words, from, to);
    Some(InputBuffer { words, queue: ring.queue, ..InputBuffer::new(format!("{} from dword 0x{from:x}", ring.name), BufferUse::Ring) })
}
