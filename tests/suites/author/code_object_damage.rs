//! Damaged code objects give an error that names the place, or an object; never a panic, and no more time or memory than the size of the file allows.

use crate::code_object_files::{files, launch};
use pm4::code_object::{CodeObject, CodeObjectError};
use pm4::queues::Target;
use std::time::{Duration, Instant};

/// Queries everything that was read.
fn ask(bytes: &[u8]) {
    let Ok(object) = CodeObject::parse(bytes) else { return };
    assert!(object.image_bytes() <= 256 << 20);
    // The image of a few damaged files is large and takes time by itself.
    if object.image_bytes() < 1 << 20 {
        let _ = object.image(0x1_0000_0000);
    }
    let targets = object.target.processor.targets();
    for kernel in &object.kernels {
        let launch = launch(kernel);
        let (_, _) = (kernel.aql(&launch), kernel.descriptor.defects().count());
        let _ = kernel.arguments_of(&launch).and_then(|arguments| arguments.finish());
        for target in targets.iter().take(1) {
            let _ = kernel.dispatch(*target, &launch).map(|dispatch| target.chip().map(|chip| dispatch.resolve(chip)));
        }
    }
    for pipeline in &object.pipelines {
        for target in targets.iter().copied().filter_map(Target::chip).take(1) {
            let made = pipeline.compute(target, 0x1_0000_0000).ok().and_then(|dispatch| dispatch.resolve(target).ok());
            let _ = made.map(|made| pipeline.differences(&made.image).len());
            let _ = pipeline.graphics(target, 0x1_0000_0000, &pm4::draw::PipelineDesc::default());
        }
    }
}

/// Returns the places of damage: all in small files, every n-th byte in large ones.
fn places(length: usize) -> impl Iterator<Item = usize> {
    let step = if cfg!(debug_assertions) { (length / 250).max(1) } else { 1 };
    (0..length).step_by(step)
}

#[test]
fn each_byte_may_be_damaged() {
    for (_, mut bytes) in files() {
        for at in places(bytes.len()).chain(0..64.min(bytes.len())) {
            for change in [0xFF, 0x01] {
                bytes[at] ^= change;
                ask(&bytes);
                bytes[at] ^= change;
            }
        }
    }
}

#[test]
fn files_may_end_anywhere() {
    for (name, bytes) in files() {
        for length in places(bytes.len()) {
            ask(&bytes[..length]);
        }
        // Section headers are at the end.
        assert!(CodeObject::parse(&bytes[..bytes.len() - 1]).is_err(), "{name}");
    }
}

fn sample() -> Vec<u8> {
    files().into_iter().find(|(name, _)| name == "kernels-gfx1100").expect("a file").1
}

fn put(bytes: &mut [u8], at: usize, value: u64, count: usize) {
    bytes[at..at + count].copy_from_slice(&value.to_le_bytes()[..count]);
}

fn get(bytes: &[u8], at: usize, count: usize) -> u64 {
    bytes[at..at + count].iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Input, place and limit of the first errors.
#[test]
fn what_is_no_code_object_is_told() {
    let error = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = sample();
        change(&mut bytes);
        CodeObject::parse(&bytes).expect_err("refused").to_string()
    };
    assert_eq!(error(&|bytes| bytes[0] = 0), "ELF header: Unsupported ELF header");
    assert_eq!(
        error(&|bytes| bytes[..24].copy_from_slice(b"__CLANG_OFFLOAD_BUNDLE__")),
        "ELF header: this is a bundle of files: extract the one for your processor with clang-offload-bundler"
    );
    assert_eq!(error(&|bytes| bytes[18] = 62), "ELF header: e_machine is 0x3e: 224 (AMDGPU) is expected");
    assert_eq!(error(&|bytes| bytes[7] = 66), "ELF header: EI_OSABI is 0x42: 64 (HSA) and 65 (PAL) are read");
    assert_eq!(error(&|bytes| bytes[8] = 0), "ELF header: EI_ABIVERSION is 0x0: 1 to 4 are read, code objects V3 to V6");
    assert_eq!(error(&|bytes| bytes[16] = 1), "ELF header: e_type is 0x1: 3 (shared object) of HSA and 1 or 3 of PAL are read: link it with `ld.lld -shared`");
    assert_eq!(error(&|bytes| bytes[48] = 0x2A), "ELF header: e_flags is 0x2a: bits 7:0 are a processor from GFX9 on, as LLVM 22 numbers them");
    // The first program header is PT_PHDR, the second PT_LOAD: p_memsz is 40 bytes into it.
    let memory = 64 + 56 + 40;
    assert_eq!(error(&|bytes| put(bytes, memory, 1 << 40, 8)), "bytes of the image: 1099511627776, at most 268435456");
    let note = sample().windows(7).position(|name| name == b"AMDGPU\0").expect("a note");
    assert_eq!(error(&|bytes| bytes[note] = b'B'), "no note of the name AMDGPU and type 32 (metadata)");
    assert_eq!(error(&|bytes| bytes[note + 8] = 0xC1), "metadata, byte 0: 0xc1, which begins no value");
    assert_eq!(error(&|bytes| bytes[note + 8] = 0x80), "metadata of the code object: amdhsa.kernels: there must be a list");
}

/// Replaces the metadata of a file, as far as it fits.
fn with_metadata(metadata: &[u8]) -> Vec<u8> {
    let mut bytes = sample();
    let note = bytes.windows(7).position(|name| name == b"AMDGPU\0").expect("a note") + 8;
    bytes[note..note + metadata.len()].copy_from_slice(metadata);
    bytes
}

#[test]
fn lengths_that_metadata_announces_cost_nothing() {
    let started = Instant::now();
    // Nested lists of 2^32 - 1 values, and text and maps of that length.
    let nested: Vec<u8> = [0xDD, 0xFF, 0xFF, 0xFF, 0xFF].repeat(500);
    let error = CodeObject::parse(&with_metadata(&nested)).expect_err("refused");
    assert_eq!(error, CodeObjectError::MessagePack { at: 165, why: "more than 32 lists and maps in each other" });
    for marker in [0xDB, 0xC6, 0xDF, 0xDD] {
        let bytes =
            with_metadata(&[0x81, 0xAE, b'a', b'm', b'd', b'h', b's', b'a', b'.', b'k', b'e', b'r', b'n', b'e', b'l', b's', marker, 0xFF, 0xFF, 0xFF, 0xFF]);
        assert!(matches!(CodeObject::parse(&bytes), Err(CodeObjectError::MessagePack { .. } | CodeObjectError::Metadata { .. })), "{marker:#x}");
    }
    assert!(started.elapsed() < Duration::from_secs(10));
}

/// Many headers for the same bytes would take time proportional to their product.
#[test]
fn parts_that_overlap_many_times_are_refused() {
    let mut bytes = sample();
    let load = bytes[64 + 56..64 + 112].to_vec();
    let headers = 20_000;
    let at = bytes.len().next_multiple_of(8);
    bytes.resize(at, 0);
    for _ in 0..headers {
        bytes.extend(&load);
    }
    put(&mut bytes, 32, at as u64, 8);
    put(&mut bytes, 56, headers, 2);
    let size = bytes.len() as u64;
    put(&mut bytes, at + 32, size, 8);
    for header in 0..headers as usize {
        put(&mut bytes, at + 56 * header + 8, 0, 8);
        put(&mut bytes, at + 56 * header + 32, size, 8);
        put(&mut bytes, at + 56 * header + 40, size, 8);
    }
    let error = CodeObject::parse(&bytes).expect_err("refused");
    assert_eq!(error.to_string(), format!("bytes of segments: {}, at most {}", 3 * size, 2 * size));
}

/// Segments without bytes cost no bytes, but time where they are looked through.
#[test]
fn segments_have_a_limit() {
    let mut bytes = sample();
    let at = bytes.len().next_multiple_of(8);
    bytes.resize(at, 0);
    for _ in 0..5000 {
        let mut header = [0; 56];
        header[0] = 1;
        bytes.extend(header);
    }
    put(&mut bytes, 32, at as u64, 8);
    put(&mut bytes, 56, 5000, 2);
    assert_eq!(CodeObject::parse(&bytes).expect_err("refused").to_string(), "parts of the image: 4097, at most 4096");
}

/// Names of symbols may all be one long name.
#[test]
fn names_of_symbols_have_a_limit() {
    let mut bytes = sample();
    let headers = get(&bytes, 40, 8) as usize;
    let count = get(&bytes, 60, 2) as usize;
    let section = |bytes: &[u8], kind: u64| (0..count).map(|at| headers + 64 * at).find(|at| get(bytes, at + 4, 4) == kind).expect("a section");
    let (symbols, number) = (section(&bytes, 11), 40_000);
    let strings = headers + 64 * get(&bytes, symbols + 40, 4) as usize;
    let names = bytes.len();
    bytes.resize(names + 4096, b'x');
    bytes.push(0);
    let table = bytes.len();
    bytes.resize(table + 24 * number, 0);
    for at in 1..number {
        put(&mut bytes, table + 24 * at, (at % 16) as u64, 4);
    }
    put(&mut bytes, strings + 24, names as u64, 8);
    put(&mut bytes, strings + 32, 4097, 8);
    put(&mut bytes, symbols + 24, table as u64, 8);
    put(&mut bytes, symbols + 32, 24 * number as u64, 8);
    let error = CodeObject::parse(&bytes).expect_err("refused");
    assert!(error.to_string().starts_with("bytes of names of symbols: ") && error.to_string().ends_with(", at most 33554432"), "{error}");
}
