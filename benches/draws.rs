//! From a description to registers: a full draw on a chip of five generations, with and without reasons; and the cost of a draw when little changes, compared
//! with storing 50 dwords one by one (`cargo run --release --example draws` prints the same as a table).

#[path = "../examples/common/draw_cases.rs"]
mod draw_cases;
#[path = "../tests/support/full_draw.rs"]
mod full_draw;
#[path = "../examples/common/stores.rs"]
mod stores;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pm4::chip::Chip;
use pm4::draw::sync::{Access, Barrier, SyncMemory};
use pm4::draw::{DispatchDesc, PairCache, Pipeline, Recorder, Targets, Vertices};
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

/// Draws per iteration.
const DRAWS: usize = 1000;

/// Spare dwords of memory: near the end of its memory, a recorder checks more often.
const SPARE: usize = 4096;

/// Objects: the cost of creating them, and of drawing with a pair of them for the first time.
fn objects(c: &mut Criterion) {
    let draw = full_draw::full_draw();
    let mut group = c.benchmark_group("pipeline");
    for chip in CHIPS.iter().filter_map(|name| name.parse::<Chip>().ok()) {
        group.bench_function(format!("{chip}/create"), |b| b.iter(|| Pipeline::new(chip, black_box(&draw).pipeline.clone()).expect("every chip can")));
        let (pipeline, targets) = (Pipeline::new(chip, draw.pipeline.clone()).expect("a pipeline"), Targets::new(chip, draw.targets.clone()).expect("targets"));
        group.bench_function(format!("{chip}/first draw of a command buffer"), |b| {
            b.iter(|| {
                let mut recorder = Recorder::new(chip);
                recorder.begin().expect("room");
                recorder.bind_targets(&targets).expect("the chip");
                recorder.bind_pipeline(&pipeline).expect("the chip");
                recorder.draw_vertices(Vertices { first: 0, count: 3 }).expect("room");
                recorder.finish().expect("room")
            });
        });
    }
    group.finish();
    let mut group = c.benchmark_group("commands");
    for chip in CHIPS.iter().filter_map(|name| name.parse::<Chip>().ok()) {
        let dispatch = DispatchDesc::default().resolve(chip).expect("a dispatch");
        let barrier = Barrier::new(Access::ColorWrite, Access::PixelRead);
        let mut memory = vec![1; 1 << 20];
        group.throughput(Throughput::Elements(DRAWS as u64));
        group.bench_function(format!("{chip}/dispatch"), |b| {
            b.iter(|| {
                let mut recorder = Recorder::fixed(chip, &mut memory).after_preamble();
                (0..DRAWS).for_each(|_| recorder.dispatch(&dispatch).expect("room"));
            });
        });
        group.bench_function(format!("{chip}/barrier"), |b| {
            b.iter(|| {
                let mut recorder = Recorder::fixed(chip, &mut memory).after_preamble();
                recorder.set_sync_memory(SyncMemory { fence: Some(0x1000), zpass: Some(0x2000) });
                (0..DRAWS).for_each(|_| drop(recorder.barrier(&barrier).expect("room")));
            });
        });
    }
    group.finish();
}

fn record(c: &mut Criterion) {
    let mut group = c.benchmark_group("record");
    group.throughput(Throughput::Elements(DRAWS as u64));
    let mut ring = stores::ring();
    group.bench_function("50 stores", |b| b.iter(|| stores::store(black_box(&mut ring), DRAWS * stores::STORES)));
    for chip in CHIPS.iter().filter_map(|name| name.parse::<Chip>().ok()) {
        for case in &draw_cases::CASES {
            let objects = case.objects(chip).expect("every chip can");
            let mut memory = vec![1; objects.dwords(DRAWS).expect("room") + SPARE];
            let mut upload = draw_cases::Objects::upload();
            group.bench_function(format!("{chip}/{}", case.name), |b| {
                b.iter(|| {
                    let mut recorder = Recorder::fixed(chip, &mut memory);
                    objects.begin(&mut recorder).expect("room");
                    objects.record(&mut recorder, &mut upload, DRAWS).expect("room");
                });
            });
        }
    }
    group.finish();
}

/// Alternating pipelines, a different one for each draw.
fn turns(c: &mut Criterion) {
    let mut group = c.benchmark_group("pipelines in turn");
    let chip = Chip::Navi31;
    let targets = Targets::new(chip, full_draw::full_draw().targets).expect("targets");
    for count in [30, 100, 1000, 3000] {
        let pipelines: Vec<Pipeline> = (1..=count)
            .map(|at| {
                let mut desc = full_draw::full_draw().pipeline;
                desc.vertex.program.address = Some(at << 12);
                Pipeline::new(chip, desc).expect("a pipeline")
            })
            .collect();
        let (mut memory, mut pairs) = (vec![1; 1 << 20], PairCache::default());
        group.throughput(Throughput::Elements(3000));
        group.bench_function(count.to_string(), |b| {
            b.iter(|| {
                let mut recorder = Recorder::fixed(chip, &mut memory).with_pairs(core::mem::take(&mut pairs));
                recorder.begin().expect("room");
                recorder.bind_targets(&targets).expect("the chip");
                for pipeline in pipelines.iter().cycle().take(3000) {
                    recorder.bind_pipeline(pipeline).expect("the chip");
                    recorder.draw_vertices(Vertices { first: 0, count: 3 }).expect("room");
                }
                pairs = recorder.take_pairs();
            });
        });
    }
    group.finish();
}

/// The same in chunks of 1024 dwords, and the cost of beginning a recorder.
fn chunks(c: &mut Criterion) {
    let mut group = c.benchmark_group("chunks of 1024 dwords");
    group.throughput(Throughput::Elements(DRAWS as u64));
    for chip in CHIPS.iter().filter_map(|name| name.parse::<Chip>().ok()) {
        for case in &draw_cases::CASES {
            let objects = case.objects(chip).expect("every chip can");
            let mut upload = draw_cases::Objects::upload();
            group.bench_function(format!("{chip}/{}", case.name), |b| {
                b.iter(|| {
                    let mut recorder = Recorder::chunked(chip, 1024, |_| Some(0x1000)).expect("a size of chunks");
                    objects.begin(&mut recorder).expect("room");
                    objects.record(&mut recorder, &mut upload, DRAWS).expect("room");
                });
            });
        }
    }
    group.finish();
    let mut group = c.benchmark_group("begin");
    for chip in CHIPS.iter().filter_map(|name| name.parse::<Chip>().ok()) {
        group.bench_function(format!("{chip}/a secondary recorder"), |b| b.iter(|| Recorder::secondary(black_box(chip))));
    }
    group.finish();
}

criterion_group!(benches, resolve, objects, record, turns, chunks);
criterion_main!(benches);
