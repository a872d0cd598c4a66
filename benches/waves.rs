//! Waves per second of the wave model, on one core: correct programs, one run per generation and mode.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pm4::chip::Gfx;
use pm4::waves::{self, InterlockScope, RunOptions, Section, Setup};
use strum::IntoEnumIterator;

const WAVES: u64 = 100_000;

fn model(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("waves");
    group.throughput(Throughput::Elements(WAVES)).sample_size(10);
    for gfx in Gfx::iter() {
        for (name, interlock, samples_log2) in
            [("pixel 1x", InterlockScope::Pixel, 0), ("pixel 4x", InterlockScope::Pixel, 2), ("sample 4x", InterlockScope::Sample, 2)]
        {
            let overlap_log2 = if interlock == InterlockScope::Sample { samples_log2 } else { 0 };
            let setup = Setup { samples_log2, exposed_log2: samples_log2, compared_log2: samples_log2, overlap_log2, interlock, ..Setup::plain(gfx) };
            let words = Section::of(&setup).words().expect("a section for every setup");
            let mut seed = 0;
            group.bench_function(format!("{gfx} {name}"), |bencher| {
                bencher.iter(|| {
                    seed += 1;
                    let report = waves::run(&setup, &words, RunOptions { waves: WAVES, seed, start_id: 1000 });
                    assert!(report.is_clean());
                    report.waves
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, model);
criterion_main!(benches);
