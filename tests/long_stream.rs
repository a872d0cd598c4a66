//! A stream of a gigabyte runs in memory that does not grow with the stream.
#![cfg(all(feature = "gfx9", feature = "gfx10", feature = "gfx103", feature = "gfx11", feature = "gfx115", feature = "gfx12"))]

#[path = "support/streams.rs"]
mod streams;

use pm4::chip::Chip;
use pm4::chip::Gfx;
use pm4::cp::{CommandProcessor, QueueId};
use pm4::packet::Queue;
use pm4::report::{Dump, DumpOptions, OutputFormat};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use streams::{draw, release, set, wait};

struct Peak;

static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes everything on to the system allocator.
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

/// The peak is that of the whole process, so only one test may run at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Bytes of the stream; fewer in unoptimized builds.
const BYTES: usize = if cfg!(debug_assertions) { 1 << 26 } else { 1 << 30 };

/// A piece of the stream: draws with state, fences and waits, with a length that is not a multiple of any packet size.
fn piece() -> Vec<u32> {
    // Blend constants, user data of vertex shaders, stencil references.
    let state = [set(0x28414, &[1, 2]), set(0xB230, &[1, 2, 3, 4]), set(0x28430, &[5])].concat();
    let draw = [state.repeat(8), draw()].concat();
    [draw.repeat(64), release(0x1000, 1), wait(0x1000, 1)].concat().repeat(16)
}

#[test]
fn memory_does_not_grow_with_the_stream() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let piece = piece();
    let memory = [0; 16];
    let mut cp = CommandProcessor::new(Chip::Navi31);
    cp.map("memory", 0x1000, &memory);
    let stream = cp.begin(QueueId::GRAPHICS, "long");
    let pieces = BYTES / (4 * piece.len());
    let mut early = 0;
    for number in 0..pieces {
        // Cut inside packets, each time at a different place.
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

/// `dump` caches the text of packets and values: for a stream without repetitions, no more than for its beginning.
#[test]
fn what_dump_keeps_has_a_limit() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for format in [OutputFormat::Text, OutputFormat::Json] {
        let mut out = std::io::sink();
        let mut dump = Dump::new(&mut out, &DumpOptions { format, ..DumpOptions::new(Gfx::Gfx11, Queue::Graphics) }).expect("a sink takes everything");
        dump.begin("long");
        let mut value = 1u32;
        let mut used = [0; 2];
        let before = USED.load(Relaxed);
        for used in &mut used {
            for _ in 0..BYTES >> 14 {
                // Blend state and colour targets, with fields of all widths.
                let values: Vec<u32> = (0..15)
                    .map(|n| {
                        value = value.wrapping_mul(0x9E37_79B1) ^ n;
                        value
                    })
                    .collect();
                dump.words(&[set(0x28C60, &values), set(0x28780, &values[..8]), draw()].concat()).expect("a sink takes everything");
            }
            *used = USED.load(Relaxed) - before;
        }
        assert!(used[1] < 48 << 20, "{format:?}: {} bytes are kept", used[1]);
        // Cached texts grow to the longest one that was in their slot.
        assert!(used[1] < used[0] / 4 * 5 + (1 << 20), "{format:?}: {used:?} bytes after a half and after all");
    }
}
