//! What printers of dumps really print, by their sources: which buffers are read, how they are used, and what a hang report says of them.
#![cfg(all(feature = "gfx9", feature = "gfx11"))]

use crate::input_samples as samples;
use pm4::input::{BufferUse, Input, InputError, Source};
use pm4::packet::Queue;

const DRAW: [u32; 3] = [0xC001_2D00, 3, 2];
const ADDR: u64 = 0x8001_0020_0000;
const CALL: [u32; 4] = [0xC002_3F00, 0x0020_0000, 0x8001, 3];

fn open(bytes: &[u8]) -> Result<Input, InputError> {
    Source::open(bytes, None).and_then(Source::load)
}

fn read(bytes: &[u8]) -> Input {
    open(bytes).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes[..bytes.len().min(400)])))
}

/// What is read, in short: the use, the address and the words of each buffer.
fn buffers(input: &Input) -> Vec<(BufferUse, Option<u64>, &[u32])> {
    input.buffers.iter().map(|buffer| (buffer.used, buffer.addr, buffer.words.as_slice())).collect()
}

fn says(input: &Input, part: &str) -> bool {
    input.damage.iter().chain(&input.remarks).any(|remark| remark.to_string().contains(part))
}

/// PAL files: without nested buffers the header has 0 for the first of them, and nested buffers are a list of their own.
#[test]
fn files_of_pal_have_lists_of_called_buffers() {
    let input = read(&samples::pal_file(&DRAW));
    assert_eq!((buffers(&input), input.damage.len()), (vec![(BufferUse::Submitted, None, &DRAW[..])], 0));
    for bytes in [samples::pal_file_of_two(&CALL, &DRAW, ADDR), samples::pal_text_of_two(&CALL, &DRAW, ADDR)] {
        let input = read(&bytes);
        let expected = vec![(BufferUse::Submitted, None, &CALL[..]), (BufferUse::Memory, Some(ADDR), &DRAW[..])];
        assert_eq!((buffers(&input), input.damage.as_slice()), (expected, &[][..]));
    }
    // A title that lost its line: the words are more than announced.
    let text = samples::pal_text_of_two(&CALL, &DRAW, ADDR);
    let text = String::from_utf8(text).expect("UTF-8").replace("# IB2", "# I");
    let input = read(text.as_bytes());
    assert!(says(&input, "line 1: Universal Queue - DE: 4 dwords announced, but 7 present"), "{:?}", input.damage);
}

/// What is not PM4 in dumps of PAL is left out, and this is said.
#[test]
fn parts_of_pal_that_are_not_pm4_are_named() {
    let dma = "# DMA Queue - Command length = 1\n0x00000001\n";
    let text = format!("{dma}# Universal Queue - DE Command length = 3\n0xc0012d00\n0x00000003\n0x00000002\n");
    let input = read(text.as_bytes());
    assert_eq!(buffers(&input), [(BufferUse::Submitted, None, &DRAW[..])]);
    assert!(says(&input, "line 1: DMA Queue holds no PM4: it is left out"), "{:?}", input.remarks);
    let alone = open(dma.as_bytes()).expect_err("no words are PM4").to_string();
    assert!(alone.contains("DMA Queue holds no PM4"), "{alone}");
    let file = samples::bytes(&[20, 1, 145, 1, 0, 12, 0, 2, 12, 4, 4, 1, 12, 4, 9, 1]);
    let alone = open(&file).expect_err("no words are PM4").to_string();
    assert!(alone.contains("chunk 0 (SDMA) holds no PM4"), "{alone}");
    let file = samples::bytes(&[20, 1, 145, 1, 0, 12, 0, 2, 12, 4, 9, 1, 12, 4, 0, 0xFFFF_1000]);
    assert!(says(&read(&file), "byte 0x20: chunk 0 is of engine 9, which is not known: it is left out"));
}
