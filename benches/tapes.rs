//! Compute command buffers: 600 dispatches in 17,000 dwords, compared with as many single stores.
//!
//! `cargo bench --bench tapes`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pm4::chip::Gfx;
use pm4::packet::gfx11::{DispatchDirect, ReleaseMem};
use pm4::packet::layouts::DispatchInitiator;
use pm4::packet::values::{ReleaseMemDataSel, ReleaseMemEventIndex};
use pm4::packet::{Event, FixedBuffer, Queue, Writer};
use pm4::tape::{Tape, TapeProgram, size};
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

const DISPATCHES: usize = 600;
/// The dwords of a dispatch with an unchanged program: user data in two runs, the dispatch, a barrier.
const DWORDS: usize = size::registers(8) + size::DISPATCH + size::EVENT + size::ACQUIRE + size::SET;
const MOST: usize = size::PROGRAM + DISPATCHES * DWORDS;

/// Packets emitted per writer.
const PACKETS: usize = 1000;

const PROGRAM: [u32; size::PROGRAM] = {
    let mut words = [0; size::PROGRAM];
    let mut tape = Tape::new(Gfx::Gfx11, &mut words);
    tape.program(&TapeProgram { addr: 0x1_2345_6000, rsrc1: 0xC_0041, rsrc2: 8 << 1, rsrc3: 0, threads: [64, 1, 1] });
    tape.expect_whole();
    words
};

fn tapes(c: &mut Criterion) {
    let mut memory = vec![0; MOST];
    let mut group = c.benchmark_group("tape");
    group.throughput(Throughput::Elements(DISPATCHES as u64));
    // Stores that the compiler does not merge.
    let cells: Vec<AtomicU32> = memory.iter().map(|_| AtomicU32::new(0)).collect();
    group.bench_function("stores", |b| {
        b.iter(|| {
            let value = black_box(7);
            cells.iter().for_each(|cell| cell.store(value, Ordering::Relaxed));
        });
    });
    group.bench_function("dispatches", |b| {
        b.iter(|| {
            let mut tape = Tape::new(Gfx::Gfx11, &mut memory);
            tape.words(&PROGRAM);
            for number in 0..DISPATCHES as u32 {
                tape.user_data(0, &[black_box(number), 1, 2, 3, 4, 5, 6, 7]);
                tape.registers(0xB854, &[0]);
                tape.dispatch([black_box(16), 1, 1], true);
                tape.wait_for_dispatches();
                tape.acquire(0x1234);
            }
            assert_eq!(tape.finish(), Ok(MOST));
        });
    });
    let packet = [1, 2, 3, 4, 5, 6, 7, 8];
    group.throughput(Throughput::Elements(1));
    group.bench_function("release", |b| {
        b.iter(|| {
            let mut tape = Tape::new(Gfx::Gfx11, &mut memory[..8]);
            tape.release(black_box(0x1000), 5, 0);
            tape.finish()
        });
    });
    group.bench_function("copy", |b| {
        b.iter(|| {
            let mut tape = Tape::new(Gfx::Gfx11, &mut memory[..8]);
            tape.words(black_box(&packet));
            tape.finish()
        });
    });
    group.finish();
}

/// Packets as structs whose fields are compile-time constants, all checked.
fn emit(c: &mut Criterion) {
    let mut memory = vec![0; 8 * PACKETS];
    let mut group = c.benchmark_group("emit");
    group.throughput(Throughput::Elements(PACKETS as u64));
    let release = ReleaseMem {
        event_type: Event::BOTTOM_OF_PIPE_TS,
        event_index: ReleaseMemEventIndex::END_OF_PIPE,
        data_sel: ReleaseMemDataSel::SEND_32_BIT_LOW,
        address: 0x1000,
        data: Some(1),
        ..Default::default()
    };
    let dispatch = DispatchDirect { dim_x: 8, dim_y: 1, dim_z: 1, dispatch_initiator: DispatchInitiator::new().with_compute_shader_en(true) };
    let mut of = |name: &str, packets: &dyn Fn(&mut Writer<FixedBuffer<'_>>)| {
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut writer = Writer::fixed(Gfx::Gfx11, Queue::Graphics, &mut memory);
                packets(&mut writer);
                writer.len()
            });
        });
    };
    of("dispatch", &|writer| (0..PACKETS).for_each(|_| writer.emit(&dispatch).expect("a packet")));
    of("release", &|writer| (0..PACKETS).for_each(|_| writer.emit(&release).expect("a packet")));
    of("both in turn", &|writer| {
        (0..PACKETS / 2).for_each(|_| {
            writer.emit(&dispatch).expect("a packet");
            writer.emit(&release).expect("a packet");
        });
    });
    group.finish();
}

criterion_group!(benches, tapes, emit);
criterion_main!(benches);
