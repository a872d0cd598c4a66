//! From a description to registers: a full draw on a chip of five generations, without and with reasons. And what a draw costs when little changes, beside 50
//! dwords stored one by one (`cargo run --release --example draws` prints the same as a table).

#[path = "../examples/common/draw_cases.rs"]
mod draw_cases;
#[path = "../tests/support/full_draw.rs"]
mod full_draw;
#[path = "../examples/common/stores.rs"]
mod stores;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pm4::chip::Chip;
use pm4::draw::Recorder;
use std::hint::black_box;

const CHIPS: [&str; 5] = ["vega10", "navi10", "navi21", "navi31", "gfx1201"];

fn resolve(c: &mut Criterion) {
    let draw = full_draw::full_draw();
    let chips = || CHIPS.iter().filter_map(|name| name.parse::<Chip>().ok());
    let mut group = c.benchmark_group("resolve");
    for chip in chips() {
        group.bench_function(chip.to_string(), |b| b.iter(|| black_box(&draw).resolve(chip).expect("every chip can")));
    }
    group.finish();
    let mut group = c.benchmark_group("explain");
    for chip in chips() {
        group.bench_function(chip.to_string(), |b| b.iter(|| black_box(&draw).explain(chip).expect("every chip can")));
    }
    group.finish();
    let mut group = c.benchmark_group("registers of an image");
    for chip in chips() {
        let image = draw.resolve(chip).expect("every chip can").image;
        group.bench_function(chip.to_string(), |b| b.iter(|| black_box(&image).registers().fold(0, |sum, r| sum ^ r.addr ^ r.value)));
    }
    group.finish();
}

/// Draws of one iteration.
const DRAWS: usize = 1000;

fn record(c: &mut Criterion) {
    let mut group = c.benchmark_group("record");
    group.throughput(Throughput::Elements(DRAWS as u64));
    let mut ring = stores::ring();
    group.bench_function("50 stores", |b| b.iter(|| stores::store(black_box(&mut ring), DRAWS * stores::STORES)));
    for chip in CHIPS.iter().filter_map(|name| name.parse::<Chip>().ok()) {
        for case in &draw_cases::CASES {
            let resolved = case.resolve(chip).expect("every chip can");
            let mut memory = vec![1; resolved.dwords(chip, DRAWS).expect("room")];
            group.bench_function(format!("{chip}/{}", case.name), |b| {
                b.iter(|| {
                    let mut recorder = Recorder::fixed(chip, &mut memory);
                    recorder.begin().expect("room");
                    resolved.record(&mut recorder, DRAWS).expect("room");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, resolve, record);
criterion_main!(benches);
