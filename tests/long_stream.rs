//! A stream of a gigabyte runs in memory that does not grow with it.
#![cfg(feature = "gfx11")]

use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, QueueId};
use pm4::packet::{Header, Opcode};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Peak;

static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Peak {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let used = USED.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(used, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Peak = Peak;

/// Bytes of the stream; fewer where the code is not optimized.
const BYTES: usize = if cfg!(debug_assertions) { 1 << 26 } else { 1 << 30 };

/// A piece of the stream: draws with state, fences and waits, whose length no packet divides.
fn piece() -> Vec<u32> {
    let header = |opcode, body| Header::type3(opcode, body).0;
    let state = [
        &[header(Opcode::SET_CONTEXT_REG, 3), 0x105, 1, 2][..],
        &[header(Opcode::SET_SH_REG, 5), 0x8C, 1, 2, 3, 4],
        &[header(Opcode::SET_CONTEXT_REG, 2), 0x10C, 5],
    ]
    .concat();
    let draw = [state.repeat(8), vec![header(Opcode::DRAW_INDEX_AUTO, 2), 3, 2]].concat();
    let fence: &[u32] =
        &[&[header(Opcode::RELEASE_MEM, 7), 40 | 5 << 8, 1 << 29, 0x1000, 0, 1, 0, 0][..], &[header(Opcode::WAIT_REG_MEM, 6), 0x13, 0x1000, 0, 1, u32::MAX, 4]]
            .concat();
    [draw.repeat(64), fence.to_vec()].concat().repeat(16)
}

#[test]
fn memory_does_not_grow_with_the_stream() {
    let piece = piece();
    let memory = [0; 16];
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("memory", 0x1000, &memory);
    let stream = cp.begin(QueueId::GRAPHICS, "long");
    let pieces = BYTES / (4 * piece.len());
    let mut early = 0;
    for number in 0..pieces {
        // Cut inside of packets, each time elsewhere.
        let (head, tail) = piece.split_at(number % piece.len());
        cp.feed(stream, head, &mut ());
        cp.feed(stream, tail, &mut ());
        if number == pieces / 16 {
            early = PEAK.load(Relaxed);
        }
    }
    let summary = cp.finish(stream, &mut ());
    assert_eq!((summary.draws, summary.errors), (pieces as u64 * 1024, 0));
    let late = PEAK.load(Relaxed);
    assert_eq!(late, early, "the peak after a sixteenth of the stream and after all of it");
}
