//! Any words as packets into the writer: what it takes is read back the same, what it refuses leaves no trace.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pm4::chip::Chip;
use pm4::packet::{Filtered, Queue, Reader, Stream};

fuzz_target!(|data: &[u8]| {
    let Some((&[chip, queue], rest)) = data.split_first_chunk() else { return };
    let words: Vec<u32> = rest.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let chips: Vec<Chip> = Chip::all().collect();
    let gfx = chips[usize::from(chip) % chips.len()].gfx();
    let queue = [Queue::Graphics, Queue::Compute, Queue::Constant][usize::from(queue) % 3];
    let mut stream = Stream::growable(gfx, queue);
    let mut filtered = Filtered::new(Stream::growable(gfx, queue));
    for packet in Reader::new(&words).flatten() {
        let before = stream.len();
        let taken = stream.packet_with(packet.header, packet.body);
        let _ = filtered.packet_with(packet.header, packet.body);
        if taken.is_ok() {
            assert_eq!(stream.words()[before], packet.header.0);
            assert_eq!(stream.words()[before + 1..], *packet.body);
        } else {
            assert_eq!(stream.len(), before);
        }
        for write in packet.writes(gfx) {
            let _ = (stream.set_reg(write.addr, write.value), filtered.set_reg(write.addr, write.value));
        }
    }
    assert!(Reader::new(stream.words()).all(|p| p.is_ok()));
    assert!(Reader::new(filtered.words()).all(|p| p.is_ok()));
});
