//! Any text into the assembler: bytes or a mistake with its line. Any words through dump and back: the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pm4::chip::Gfx;
use pm4::packet::{Queue, Reader};

#[path = "../../examples/common/assembly/mod.rs"]
mod assembly;
#[path = "../../examples/common/packets.rs"]
#[allow(dead_code)] // colours are the program's
mod packets;

fn assemble(text: &[u8]) -> Result<Vec<u8>, assembly::Mistake> {
    let mut assembler = assembly::Assembler::default();
    text.split(|b| *b == b'\n').try_for_each(|line| assembler.line(line))?;
    assembler.finish()
}

fuzz_target!(|data: &[u8]| {
    let _ = assemble(data);
    let (whole, odd) = data.as_chunks::<4>();
    let words: Vec<u32> = whole.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let text = packets::Text { gfx: Gfx::Gfx11, queue: Queue::Graphics, colour: false };
    let records = packets::Records::new("f", Gfx::Gfx11, Queue::Graphics);
    let (mut lines, mut json) = (String::new(), String::new());
    text.title(&mut lines);
    for item in Reader::new(&words) {
        text.item(&mut lines, &item, &words);
        records.item(&mut json, &item, &words);
    }
    if !odd.is_empty() {
        text.odd_bytes(&mut lines, words.len(), odd);
        records.odd_bytes(&mut json, words.len(), odd);
    }
    for printed in [lines, json] {
        assert_eq!(assemble(printed.as_bytes()).as_deref(), Ok(data));
    }
});
