//! Execution on the model: register writes only, with the default rules, with every rule, and a long stream in pieces.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pm4::chip::{Chip, Gfx};
use pm4::cp::rules::{self, RuleLevel};
use pm4::cp::{CommandProcessor, QueueId};
use pm4::packet::gfx11::{SetContextReg, SetShReg};
use pm4::packet::layouts::DrawInitiator;
use pm4::packet::{Opcode, PacketFields, Queue, Reader, Stream};
use std::hint::black_box;

const PACKETS: u32 = 1 << 16;

/// Returns packets that set one register each, as in redundancy-filtered streams.
fn registers() -> Vec<u32> {
    // PA_CL_VPORT_XSCALE and its neighbours form a group; these do not: blend constants, DB_STENCILREFMASK, user data.
    let context = [0x105, 0x106, 0x107, 0x108, 0x10C, 0x10D];
    let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    for i in 0..PACKETS {
        let written = match i % 2 {
            0 => stream.emit(&SetContextReg { reg_offset: context[(i / 2) as usize % context.len()], ..Default::default() }.followed_by(&[i])),
            _ => stream.emit(&SetShReg { reg_offset: 0x8C + i / 2 % 16 }.followed_by(&[i])),
        };
        written.expect("a register");
    }
    stream.into_buffer()
}

/// Returns the register-setting packets of the recorded streams of one family, repeated up to `PACKETS`.
fn captured(family: &str) -> Vec<u32> {
    let folder = format!("{}/../tests/captures/{family}", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let words: Vec<Vec<u32>> =
        files.iter().filter_map(|file| Some(std::fs::read(file).ok()?.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())).collect();
    let sets = |opcode: Opcode| opcode.to_string().starts_with("SET_") && opcode != Opcode::SET_BASE && opcode != Opcode::SET_PREDICATION;
    let packets: Vec<&[u32]> = words
        .iter()
        .flat_map(|words| Reader::new(words).flatten().filter(|packet| packet.opcode().is_some_and(sets)).map(|p| &words[p.offset..][..p.dwords()]))
        .collect();
    packets.iter().cycle().take(PACKETS as usize).copied().flatten().copied().collect()
}

fn processor<'a>(chip: Chip, level: Option<RuleLevel>) -> CommandProcessor<'a> {
    let mut cp = CommandProcessor::new(chip);
    for rule in rules::all() {
        if let Some(level) = level {
            cp.set_rule_level(rule.code, level);
        }
    }
    cp
}

fn execution(c: &mut Criterion) {
    let streams = [
        ("one register", Chip::Navi31, registers()),
        ("captured gfx9", Chip::Vega10, captured("vega10")),
        ("captured gfx103", Chip::Navi21, captured("navi21")),
        ("captured gfx11", Chip::Navi31, captured("navi31")),
    ];
    for (stream, chip, words) in &streams {
        let mut group = c.benchmark_group(format!("cp {stream}"));
        group.throughput(Throughput::Elements(PACKETS.into()));
        for (name, level) in [("registers only", Some(RuleLevel::Allow)), ("default rules", None), ("every rule", Some(RuleLevel::Warn))] {
            let mut cp = processor(*chip, level);
            cp.max_findings(0);
            group.bench_function(name, |b| {
                b.iter(|| {
                    cp.submit(Queue::Graphics, "registers", words);
                    black_box(cp.run(&mut ()))
                })
            });
        }
        group.finish();
    }

    // The cost of draw rules: a draw for every two register packets.
    let mut draw = Stream::growable(Gfx::Gfx11, Queue::Graphics);
    draw.draw_index_auto(3, DrawInitiator::AUTO_INDEX).expect("a draw");
    let draws: Vec<u32> = registers().chunks(6).flat_map(|sets| [sets, draw.words()].concat()).collect();
    let mut group = c.benchmark_group("cp draws");
    group.throughput(Throughput::Elements((PACKETS / 2).into()));
    for (name, level) in [("registers only", Some(RuleLevel::Allow)), ("default rules", None)] {
        let mut cp = processor(Chip::Navi31, level);
        cp.max_findings(0);
        group.bench_function(name, |b| {
            b.iter(|| {
                cp.submit(Queue::Graphics, "draws", &draws);
                black_box(cp.run(&mut ()))
            })
        });
    }
    group.finish();

    // Very long streams: the rate must stay the same.
    let words = registers();
    let mut group = c.benchmark_group("pieces");
    group.sample_size(10);
    for bytes in [1 << 24, 1 << 27, 1u64 << 30] {
        group.throughput(Throughput::Bytes(bytes));
        let pieces = bytes / (4 * words.len() as u64);
        group.bench_function(format!("{} MiB", bytes >> 20), |b| {
            b.iter(|| {
                let mut cp = processor(Chip::Navi31, None);
                let stream = cp.begin(QueueId::GRAPHICS, "long");
                for _ in 0..pieces {
                    cp.feed(stream, &words, &mut ());
                }
                black_box(cp.finish(stream, &mut ()))
            })
        });
    }
    group.finish();
}

/// Memory that the caller writes: a buffer that the model keeps, and the same words once more.
fn memory(c: &mut Criterion) {
    let words: Vec<u32> = (0..1 << 20).collect();
    let bytes = 4 * words.len() as u64;
    let mut group = c.benchmark_group("cp memory");
    group.throughput(Throughput::Bytes(bytes));
    group.bench_function("map_owned", |b| {
        b.iter(|| {
            let mut cp = CommandProcessor::new(Chip::Navi31);
            cp.max_memory(4 * bytes).map_owned("buffer", 0x1000_0000, black_box(&words));
            cp
        })
    });
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map_owned("buffer", 0x1000_0000, &words);
    group.bench_function("write_memory", |b| b.iter(|| cp.write_memory(0x1000_0000, black_box(&words))));
    group.bench_function("snapshot", |b| b.iter(|| cp.snapshot()));
    group.finish();
}

/// Creates a model and runs nothing, which every test and fuzz execution does first.
fn setup(c: &mut Criterion) {
    c.bench_function("cp setup", |b| {
        b.iter(|| {
            let mut cp = CommandProcessor::new(Chip::Navi31);
            cp.max_findings(100);
            cp.run(&mut ())
        })
    });
}

criterion_group!(benches, execution, memory, setup);
criterion_main!(benches);
