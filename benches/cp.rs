//! Execution on the model: registers only, with the rules, with every rule, and a long stream in pieces.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pm4::chip::Chip;
use pm4::cp::rules::{self, Level};
use pm4::cp::{CommandProcessor, QueueId};
use pm4::packet::{Header, Opcode, Queue};
use std::hint::black_box;

const PACKETS: u32 = 1 << 16;

/// Packets that set one register each, as redundancy-filtered streams have them.
fn registers() -> Vec<u32> {
    // PA_CL_VPORT_XSCALE and its neighbours would be a group; these are plain: blend constants, DB_STENCILREFMASK, user data.
    let context = [0x105, 0x106, 0x107, 0x108, 0x10C, 0x10D];
    let header = |opcode| Header::type3(opcode, 2).0;
    (0..PACKETS)
        .flat_map(|i| match i % 2 {
            0 => [header(Opcode::SET_CONTEXT_REG), context[(i / 2) as usize % context.len()], i],
            _ => [header(Opcode::SET_SH_REG), 0x8C + i / 2 % 16, i],
        })
        .collect()
}

fn processor<'a>(level: Option<Level>) -> CommandProcessor<'a> {
    let mut cp = CommandProcessor::new(Chip::Navi31);
    for rule in rules::all() {
        if let Some(level) = level {
            cp.level(rule.code, level);
        }
    }
    cp
}

fn execution(c: &mut Criterion) {
    let words = registers();
    let mut group = c.benchmark_group("cp");
    group.throughput(Throughput::Elements(PACKETS.into()));
    for (name, level) in [("registers only", Some(Level::Allow)), ("default rules", None), ("every rule", Some(Level::Warn))] {
        let mut cp = processor(level);
        cp.max_findings(0);
        group.bench_function(name, |b| {
            b.iter(|| {
                cp.submit(Queue::Graphics, "registers", &words);
                black_box(cp.run(&mut ()))
            })
        });
    }
    group.finish();

    let mut group = c.benchmark_group("pieces");
    group.throughput(Throughput::Bytes(4 * words.len() as u64));
    let mut cp = processor(None);
    let stream = cp.begin(QueueId::GRAPHICS, "long");
    group.bench_function("feed", |b| b.iter(|| black_box(cp.feed(stream, &words, &mut ()))));
    group.finish();
}

criterion_group!(benches, execution);
criterion_main!(benches);
