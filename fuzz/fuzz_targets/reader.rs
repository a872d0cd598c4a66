//! Any words on any generation: packets and errors cover each dword once, and everything that can be asked of a packet is answered.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pm4::chip::Chip;
use pm4::packet::{Queue, Reader};

fuzz_target!(|data: &[u8]| {
    let Some((&[chip, queue], rest)) = data.split_first_chunk() else { return };
    let words: Vec<u32> = rest.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let chips: Vec<Chip> = Chip::all().collect();
    let gfx = chips[usize::from(chip) % chips.len()].gfx();
    let queue = if queue & 1 == 0 { Queue::Graphics } else { Queue::Compute };
    let mut covered = 0;
    for item in Reader::new(&words) {
        covered += match item {
            Ok(packet) => {
                assert_eq!(packet.offset, covered);
                let _ = (packet.name(gfx), packet.format(gfx, queue), packet.fields(gfx, queue).count(), packet.writes(gfx).count());
                packet.dwords()
            }
            Err(error) => error.skipped,
        };
    }
    assert_eq!(covered, words.len());
});
