//! What hostile inputs cost grows as they do: twice the input, twice the time and memory.
#![cfg(all(feature = "gfx9", feature = "gfx10", feature = "gfx103", feature = "gfx11", feature = "gfx115", feature = "gfx12"))]

use pm4::chip::Chip;
use pm4::cp::CommandProcessor;
use pm4::packet::Queue;
use pm4::report::html::RunPage;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

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

/// Times and peaks are those of the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// The best of some runs.
fn time(work: impl Fn()) -> Duration {
    let run = || {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..3).map(|_| run()).min().unwrap_or_default()
}

/// Eight times the input takes no more than this many times as long: 64 times where each part looks at all others.
const FACTOR: u32 = 24;

#[test]
fn buffers_of_known_size_take_time_as_there_are() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let of = |buffers: usize| {
        time(|| {
            let words = [0xC001_2800, 0x8000_0000, 0x8000_0000];
            let mut cp = CommandProcessor::new(Chip::Navi31);
            for at in 0..buffers {
                let id = cp.submit(if at % 2 == 0 { Queue::Graphics } else { Queue::Compute }, "buffer", &words);
                cp.all_executed(id);
            }
            cp.run(&mut ());
        })
    };
    let (few, many) = (of(4_000), of(32_000));
    assert!(many < few * FACTOR, "{few:?}, {many:?}");
}

/// A packet that the model does not know may have changed anything, and costs little more than one that it knows.
#[test]
fn packets_that_are_not_executed_are_cheap() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let of = |stream: &[u32]| {
        time(|| {
            let mut cp = CommandProcessor::new(Chip::Navi31);
            cp.submit(Queue::Graphics, "stream", stream);
            cp.run(&mut ());
        })
    };
    let (known, unknown) = (of(&[0xC000_1000, 0].repeat(5_000)), of(&[0xC000_FE00, 0].repeat(5_000)));
    assert!(unknown < known * 40 + Duration::from_millis(5), "{known:?}, {unknown:?}");
}

/// A stream with an error at each draw: the page keeps of each less than 1 KB beside what it keeps of the packets and of the draw.
#[test]
fn a_finding_takes_less_than_a_kilobyte_of_a_page() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let of = |control: u32, draws: usize| {
        let stream = [0xC001_6900, 0x203, control, 0xC001_2D00, 3, 2].repeat(draws);
        let before = USED.load(Relaxed);
        PEAK.store(before, Relaxed);
        let mut cp = CommandProcessor::new(Chip::Navi31);
        cp.submit(Queue::Graphics, "main.bin", &stream);
        let mut page = RunPage::of(&cp);
        let summary = cp.run(&mut page);
        page.write(&mut std::io::sink(), &cp, &summary).expect("nothing fails");
        (PEAK.load(Relaxed) - before, summary.findings())
    };
    const DRAWS: usize = 4_000;
    let ((clean, few), (wrong, many)) = (of(0x10, DRAWS), of(0x1_8600, DRAWS));
    let findings = (many - few) as usize;
    assert!(findings >= DRAWS / 2, "{few} and {many} findings");
    assert!(wrong.saturating_sub(clean) < 1024 * findings, "{clean} and {wrong} bytes for {findings} findings");
}
