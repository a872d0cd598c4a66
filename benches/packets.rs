//! Writing and reading packets, compared with a memcpy of the same bytes and a plain loop, with the alignment of all buffers pinned.
//!
//! `cargo bench --bench packets`; docs/PERFORMANCE.md lists the ratios.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pm4::chip::Gfx;
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::{Header, PreparedState, Queue, Reader, RegisterList, Writer};
use pm4::report::{PacketJson, PacketText};
use std::fmt::Write as _;
use std::hint::black_box;

const GFX: Gfx = Gfx::Gfx11;
/// Dwords of a state and its draw: 20 context registers in 7 runs, 6 SH registers in 2, DRAW_INDEX_2.
const DRAW: usize = 50;
/// Memory that stays in cache, and memory that does not.
const CACHED: usize = 64 << 10;
const LARGE: usize = 200 << 20;

/// Dwords at a page boundary plus an offset: on some machines, memcpy is many times slower for one relation of source and destination.
struct Pinned {
    memory: Vec<u32>,
    start: usize,
}

impl Pinned {
    fn new(bytes: usize, offset: usize) -> Self {
        let memory = vec![0; bytes / 4 + 2048];
        let misplaced = memory.as_ptr().align_offset(4096);
        Self { start: misplaced + offset / 4, memory }
    }

    fn words(&mut self, bytes: usize) -> &mut [u32] {
        &mut self.memory[self.start..self.start + bytes / 4]
    }
}

fn state() -> PreparedState {
    let runs: [(u32, u32); 9] = [(0x28000, 3), (0x28040, 3), (0x28080, 3), (0x280C0, 3), (0x28100, 3), (0x28140, 3), (0x28180, 2), (0xB030, 3), (0xB130, 3)];
    let mut list: RegisterList = runs.into_iter().flat_map(|(addr, n)| (0..n).map(move |i| (addr + 4 * i, i))).collect();
    PreparedState::new(GFX, Queue::Graphics, &mut list).unwrap()
}

fn emit(c: &mut Criterion) {
    let mut prepared = state();
    let mut template = Writer::new(GFX, Queue::Graphics, prepared.words().to_vec());
    template.draw_index_2(3, 0x1000, 3, DrawInitiator::INDICES).unwrap();
    let template = template.into_buffer();
    assert_eq!(template.len(), DRAW);
    let mut source = Pinned::new(4 * DRAW, 256);
    source.words(4 * DRAW).copy_from_slice(&template);
    for (name, bytes) in [("cached", CACHED), ("memory", LARGE)] {
        let mut group = c.benchmark_group(format!("emit/{name}"));
        let draws = bytes / 4 / DRAW;
        group.throughput(Throughput::Elements(draws as u64));
        if bytes == LARGE {
            group.sample_size(10);
        }
        let mut target = Pinned::new(bytes, 0);
        target.words(bytes).fill(1);
        group.bench_function("memcpy", |b| {
            let from = &source.memory[source.start..source.start + DRAW];
            b.iter(|| {
                for to in target.words(bytes).chunks_exact_mut(DRAW) {
                    to.copy_from_slice(black_box(from));
                }
            });
        });
        group.bench_function("plain loop", |b| {
            let from = &source.memory[source.start..source.start + DRAW];
            b.iter(|| {
                for to in target.words(bytes).chunks_exact_mut(DRAW) {
                    for (to, from) in to.iter_mut().zip(black_box(from)) {
                        *to = *from;
                    }
                }
            });
        });
        group.bench_function("bind all, draw", |b| {
            b.iter(|| {
                let mut writer = Writer::fixed(GFX, Queue::Graphics, target.words(bytes));
                for _ in 0..draws {
                    // As if something else had changed the registers.
                    writer.invalidate_state();
                    prepared.bind(&mut writer).unwrap();
                    writer.draw_index_2(black_box(3), 0x1000, 3, DrawInitiator::INDICES).unwrap();
                }
                writer.len()
            });
        });
        group.bench_function("write runs, draw", |b| {
            b.iter(|| {
                let mut writer = Writer::fixed(GFX, Queue::Graphics, target.words(bytes));
                for n in 0..draws as u32 {
                    for (addr, n) in [
                        (0x28000, &[n, 1, 2][..]),
                        (0x28040, &[n, 1, 2]),
                        (0x28080, &[n, 1, 2]),
                        (0x280C0, &[n, 1, 2]),
                        (0x28100, &[n, 1, 2]),
                        (0x28140, &[n, 1, 2]),
                        (0x28180, &[n, 1]),
                        (0xB030, &[n, 1, 2]),
                        (0xB130, &[n, 1, 2]),
                    ] {
                        writer.set_regs(addr, n).unwrap();
                    }
                    writer.draw_index_2(black_box(3), 0x1000, 3, DrawInitiator::INDICES).unwrap();
                }
                writer.len()
            });
        });
        group.finish();
    }
    let mut group = c.benchmark_group("emit/unchanged");
    let mut target = Pinned::new(CACHED, 0);
    group.throughput(Throughput::Elements(1000));
    group.bench_function("bind", |b| {
        let mut writer = Writer::fixed(GFX, Queue::Graphics, target.words(CACHED));
        prepared.bind(&mut writer).unwrap();
        b.iter(|| {
            for _ in 0..1000 {
                black_box(&mut prepared).bind(black_box(&mut writer)).unwrap();
            }
        });
    });
    group.finish();
}

/// Returns a stream of packets as drivers write them, 5 dwords on average.
fn stream(bytes: usize) -> Vec<u32> {
    let mut words = Vec::new();
    let mut writer = Writer::new(GFX, Queue::Graphics, Vec::new());
    while words.len() + writer.len() < bytes / 4 {
        let n = writer.len() as u32;
        writer.set_regs(0x28600 + n % 64 * 16, &[n, 1, 2]).unwrap();
        writer.set_regs(0xB030 + n % 16 * 16, &[n, 1, 2]).unwrap();
        writer.draw_index_2(3, 0x1000, 3, DrawInitiator::INDICES).unwrap();
    }
    words.extend(writer.into_buffer());
    words
}

fn read(c: &mut Criterion) {
    let words = stream(CACHED);
    let mut group = c.benchmark_group("read");
    group.throughput(Throughput::Bytes(4 * words.len() as u64));
    group.bench_function("header walk", |b| {
        b.iter(|| {
            let (mut at, mut packets) = (0, 0u32);
            while let Some(&header) = words.get(at) {
                at += Header(header).dwords();
                packets += 1;
            }
            (at, packets)
        });
    });
    group.bench_function("typed", |b| {
        b.iter(|| {
            Reader::new(black_box(&words)).flatten().fold(0u32, |sum, p| sum.wrapping_add(p.body.first().copied().unwrap_or(0)).wrapping_add(p.header.0))
        });
    });
    group.bench_function("register writes", |b| {
        b.iter(|| Reader::new(black_box(&words)).flatten().flat_map(|p| p.writes(GFX)).fold(0u32, |sum, w| sum.wrapping_add(w.addr ^ w.value)));
    });
    group.finish();
}

fn dump(c: &mut Criterion) {
    let words = stream(CACHED);
    let mut group = c.benchmark_group("dump");
    group.throughput(Throughput::Bytes(4 * words.len() as u64));
    let mut text = PacketText::new(GFX, Queue::Graphics);
    let records = PacketJson::new("f", GFX, Queue::Graphics);
    let mut out = String::new();
    group.bench_function(BenchmarkId::from_parameter("text"), |b| {
        b.iter(|| {
            out.clear();
            Reader::new(&words).flatten().for_each(|p| text.packet(&mut out, &p));
            out.len()
        });
    });
    group.bench_function(BenchmarkId::from_parameter("json"), |b| {
        b.iter(|| {
            out.clear();
            Reader::new(&words).flatten().for_each(|p| records.packet(&mut out, &p));
            out.len()
        });
    });
    // What a format string costs at least, for the same bytes of text.
    group.bench_function("format each dword", |b| {
        b.iter(|| {
            out.clear();
            words.iter().for_each(|w| write!(out, "{w:08x} ").unwrap_or_default());
            out.len()
        });
    });
    group.finish();
}

criterion_group!(benches, emit, read, dump);
criterion_main!(benches);
