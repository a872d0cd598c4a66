//! From a description to registers: a full draw on a chip of five generations, without and with reasons.

#[path = "../tests/support/full_draw.rs"]
mod full_draw;

use criterion::{Criterion, criterion_group, criterion_main};
use pm4::chip::Chip;
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

criterion_group!(benches, resolve);
criterion_main!(benches);
