//! The debugfs file `amdgpu_ring_NAME`: read pointer, write pointer and the driver's write pointer, each masked and in dwords, then the ring (Linux 7.1
//! amdgpu_ring.c amdgpu_debugfs_ring_read).

use crate::input::ground::RingPointers;
use crate::input::ground::{BufferUse, Head, Input, InputBuffer, InputPlace, words_of};
use crate::plurals::counted_are;
use alloc::format;

const HEAD: usize = 12;
/// The smallest ring in bytes: 1024 dwords.
const SMALLEST: usize = 4096;

fn pointers(bytes: &[u8]) -> Option<[u32; 3]> {
    let (words, _) = bytes.get(..HEAD)?.as_chunks::<4>();
    Some([0, 1, 2].map(|n| words.get(n).copied().map_or(0, u32::from_le_bytes)))
}

/// Returns whether the input begins with three small numbers. No stream does: they would be type-0 packets.
pub fn may_be(bytes: &[u8]) -> bool {
    bytes.len() >= HEAD + 4 && pointers(bytes).is_some_and(|pointers| pointers.iter().all(|pointer| *pointer < 1 << 22))
}

pub fn is(head: &Head<'_>) -> bool {
    let ring = head.bytes.len().wrapping_sub(HEAD);
    let fits = head.whole && ring >= SMALLEST && ring.is_power_of_two();
    fits && pointers(head.bytes).is_some_and(|pointers| pointers.iter().all(|pointer| (*pointer as usize) < ring / 4))
}

pub fn parse(bytes: &[u8], input: &mut Input) {
    let Some([read, write, _]) = pointers(bytes) else {
        return input
            .damage(InputPlace::Byte(0), format!("a ring begins with {HEAD} bytes of pointers, but only {} present", counted_are(bytes.len(), "byte")));
    };
    let mut buffer = InputBuffer::new("ring", BufferUse::NotExecuted);
    words_of(&bytes[HEAD..], &mut buffer);
    let dwords = buffer.words.len();
    if !dwords.is_power_of_two() {
        input.damage(InputPlace::Byte(bytes.len() as u64), format!("the size of a ring is a power of two, but {dwords} dwords are present: it was cut off"));
    }
    let pointers = RingPointers { read: read.into(), write: write.into(), mask: (dwords.next_power_of_two() as u64).saturating_sub(1) };
    buffer.pointers = Some(pointers);
    input.facts.push(("pointers", format!("read {read:#x}, write {write:#x}")));
    input.buffers.extend(crate::input::ground::ring_words::part_in_work(&buffer));
    input.buffers.push(buffer);
}
