//! The cost of hostile inputs grows linearly: twice the input takes at most about twice the memory and allocations. The sizes are chosen so that quadratic work
//! would not end.

use pm4::chip::Chip;
use pm4::cp::CommandProcessor;
use pm4::hang::Incidents;
use pm4::input::{Input, Source};
use pm4::packet::Queue;
use pm4::report::html::RunPage;
use pm4::report::{self, ReportOptions};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io;

/// Counts the allocations of this thread.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static USED: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: passes everything on to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        let used = USED.try_with(|used| {
            used.set(used.get() + layout.size() as i64);
            used.get()
        });
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(used.unwrap_or(0))));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        let _ = USED.try_with(|used| used.set(used.get() - layout.size() as i64));
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations, and the peak in bytes.
#[derive(Debug, Clone, Copy)]
struct Cost {
    allocations: u64,
    peak: u64,
}

fn cost<T>(work: impl FnOnce() -> T) -> Cost {
    let (count, used) = (COUNT.with(Cell::get), USED.with(Cell::get));
    PEAK.with(|peak| peak.set(used));
    std::hint::black_box(work());
    Cost { allocations: COUNT.with(Cell::get) - count, peak: (PEAK.with(Cell::get) - used) as u64 }
}

/// A growing list may have twice the needed capacity, so peaks of small inputs may differ this much from those of large ones.
const STEPS: u64 = 3;

/// Checks that twice the input costs little more than twice as much.
fn grows_as_its_input(what: &str, size: usize, work: impl Fn(usize)) {
    // One-time allocations, such as tables, do not belong to the input.
    work(1);
    let (one, two) = (cost(|| work(size)), cost(|| work(2 * size)));
    assert!(two.allocations <= 2 * one.allocations + one.allocations / 4 + 64, "{what}: {one:?} for {size}, {two:?} for twice that");
    assert!(two.peak <= STEPS * one.peak + (1 << 16), "{what}: {one:?} for {size}, {two:?} for twice that");
}

fn load(bytes: &[u8]) -> Option<Input> {
    Source::open(bytes, None).and_then(Source::load).ok()
}

/// Reads an input and produces everything that `check` reports about it.
fn checked(bytes: &[u8]) {
    let Some(input) = load(bytes) else { return };
    let verdict = Incidents::of(&[("input", &input)], Some(Chip::Navi31));
    std::hint::black_box((verdict.verdict(), verdict.records(), input.lines()));
    let mut cp = CommandProcessor::new(Chip::Navi31);
    input.submit(&mut cp);
    cp.max_dwords(1 << 22);
    report::run(&mut io::sink(), &mut cp, &[], ReportOptions::default()).expect("nothing fails");
}

/// Returns `count` lines, each made from its number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> Vec<u8> {
    (0..count).map(line).collect::<String>().into_bytes()
}

#[test]
fn inputs_of_many_parts_cost_as_they_are_long() {
    type Make = fn(usize) -> Vec<u8>;
    let makes: [(&str, usize, Make); 12] = [
        ("buffers of PAL", 1_000, |n| b"# Universal Queue - DE Command length = 3\n0xc0012800\n0x80000000\n0x80000000\n".repeat(n)),
        ("buffers of a coredump", 500, |n| {
            let head = b"**** AMDGPU Device Coredump ****\nversion: 1\n".to_vec();
            let one = |at: usize| format!("IB #{at} 0x{:x} 3 dw\n0xc0012800\n0x80000000\n0x80000000\n", 0x1_0000_0000u64 + 0x1000 * at as u64);
            [head, lines(n, one)].concat()
        }),
        ("words on one line", 5_000, |n| b"0xc0012d00 0x3 0x2 ".repeat(n)),
        ("words on lines", 5_000, |n| b"0xc0012d00\n0x3\n0x2\n".repeat(n)),
        ("page faults", 500, |n| {
            let one = |at: usize| {
                format!(
                    "amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:{at})\n\
                     amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x{:016x} from client 0x1b\n",
                    at * 0x1000
                )
            };
            lines(n, one)
        }),
        ("hangs of a log", 200, |n| {
            let one = |at: usize| {
                format!(
                    "[{at}.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq={at}, emitted seq={}\n\
                     [{at}.100000] amdgpu 0000:03:00.0: amdgpu:  Process p{at} pid {at} thread t pid {at}\n\
                     [{at}.200000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n\
                     [{at}.300000] amdgpu 0000:03:00.0: amdgpu: GPU reset({at}) succeeded!\n",
                    at + 2
                )
            };
            lines(n, one)
        }),
        ("lines of a log that say nothing", 5_000, |n| {
            let log = lines(n, |at| format!("[{at}.000000] usb 1-1: new device number {at}\n"));
            [&b"amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n"[..], &log].concat()
        }),
        ("colons", 20_000, |n| [b"amdgpu 0000:03:00.0: ring gfx timeout, signaled seq=1, emitted seq=2\n".to_vec(), b"a:".repeat(n)].concat()),
        ("quotes", 5_000, |n| [b"amdgpu 0000:03:00.0: ring gfx timeout, signaled seq=1, emitted seq=2\n".to_vec(), b"> ".repeat(n)].concat()),
        ("elements of HTML", 1_000, |n| {
            [b"<pre>amdgpu 0000:03:00.0: ring gfx timeout, signaled seq=1, emitted seq=2<br>".to_vec(), b"<span>&lt;x</span><br>".repeat(n)].concat()
        }),
        ("lines of a ring by umr", 1_000, |n| {
            let one = |at: usize| {
                format!(
                    "[0x0@0x{at:08x} + 0x0000]\t[        0xc0004600]\tOpcode 0x46 [PKT3_EVENT_WRITE] (1 words, type: 3, hdr: 0xc0004600)\n[0x0@0x{at:08x} + 0x0004]\t[        0x0000000e]\t|---> EVENT_TYPE=14\n"
                )
            };
            lines(n, one)
        }),
        ("records of a journal", 500, |n| {
            lines(n, |at| format!("{{\"MESSAGE\":\"amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq={at}, emitted seq=9\"}}\n"))
        }),
    ];
    for (what, size, make) in makes {
        assert!(load(&make(16)).is_some(), "{what}");
        grows_as_its_input(what, size, |n| checked(&make(n)));
    }
}

#[test]
fn streams_of_many_packets_cost_as_they_are_long() {
    let streams: [(&str, &[u32]); 8] = [
        ("draws", &[0xC001_2D00, 3, 2]),
        ("context rolls", &[0xC001_6900, 0x203, 0x10, 0xC001_2D00, 3, 2]),
        ("a mistake at each draw", &[0xC001_6900, 0x203, 0x1_8600, 0xC001_2D00, 3, 2]),
        ("packets that are not executed", &[0xC000_FE00, 0]),
        ("opcodes that do not exist", &[0xC000_B400, 0]),
        ("calls of memory that is not mapped", &[0xC002_3F00, 0x1000, 0x12, 4]),
        ("zeros", &[0]),
        ("fences", &[0xC006_4900, 0x528, 1 << 29, 0x1000, 0x80, 1, 0, 0]),
    ];
    for (what, words) in streams {
        for page in [false, true] {
            grows_as_its_input(&format!("{what}, page {page}"), 1_000, |n| {
                let stream = words.repeat(n);
                let mut cp = CommandProcessor::new(Chip::Navi31);
                cp.submit(Queue::Graphics, "main.bin", &stream);
                if page {
                    let mut page = RunPage::of(&cp);
                    let summary = cp.run(&mut page);
                    page.write(&mut io::sink(), &cp, &summary).expect("nothing fails");
                } else {
                    report::run(&mut io::sink(), &mut cp, &[], ReportOptions::default()).expect("nothing fails");
                }
            });
        }
    }
}

/// Each asks whether its stream has run; scanning all others for that would take minutes.
#[test]
fn many_buffers_of_known_size_end() {
    const BUFFERS: usize = 200_000;
    let words = [0xC001_2800, 0x8000_0000, 0x8000_0000];
    let mut cp = CommandProcessor::new(Chip::Navi31);
    for at in 0..BUFFERS {
        let id = cp.submit(if at % 2 == 0 { Queue::Graphics } else { Queue::Compute }, "buffer", &words);
        cp.all_executed(id);
    }
    assert_eq!(cp.run(&mut ()).packets, BUFFERS as u64);
}

/// In addition to the page's data for the draw and its packets, and to the few megabytes that it keeps uncompressed.
#[test]
fn a_finding_takes_less_than_a_kilobyte_of_a_page() {
    const DRAWS: usize = 20_000;
    let of = |control: u32| {
        let stream = [0xC001_6900, 0x203, control, 0xC001_2D00, 3, 2].repeat(DRAWS);
        let mut findings = 0;
        let cost = cost(|| {
            let mut cp = CommandProcessor::new(Chip::Navi31);
            cp.submit(Queue::Graphics, "main.bin", &stream);
            let mut page = RunPage::of(&cp);
            let summary = cp.run(&mut page);
            findings = summary.findings();
            page.write(&mut io::sink(), &cp, &summary).expect("nothing fails");
        });
        (cost.peak, findings)
    };
    let ((clean, few), (wrong, many)) = (of(0x10), of(0x1_8600));
    assert!(many - few >= DRAWS as u64 / 2, "{few} and {many} findings");
    assert!(wrong.saturating_sub(clean) < 1024 * (many - few), "{clean} and {wrong} bytes for {} findings", many - few);
}

/// What is kept of a line is a piece of it, however long it is.
#[test]
fn a_line_without_an_end_takes_no_more_than_its_words() {
    let draw = "0xc0012d00 0x3 0x2\n";
    for filler in [" ", "x", "# "] {
        let text = format!("{}{}", draw.repeat(2), filler.repeat(1 << 23));
        let cost = cost(|| load(text.as_bytes()).expect("words"));
        assert!(cost.peak < 1 << 22, "{filler:?}: {cost:?}");
    }
}
