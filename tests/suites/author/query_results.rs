//! Results of queries: the runner executes the program, and memory holds the sums of differences.

use crate::image_copies::{BUFFER, IMAGES, PROGRAMS, begun, executed, generations};
use crate::support::draws::pick;
use crate::support::property;
use pm4::chip::Chip;
use pm4::draw::sync::{Access, Order};
use pm4::draw::*;
use pm4::packet::Queue;
use quickcheck::{Arbitrary, Gen};

#[derive(Debug, Clone)]
struct Case {
    chip: Chip,
    queue: Queue,
    counts: QueryCounts,
    seed: u64,
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let below = |g: &mut Gen, limit: u32| 1 + u32::arbitrary(g) % limit;
        let queries = below(g, 4);
        let counts = match u8::arbitrary(g) % 4 {
            0 => QueryCounts::occlusion(IMAGES[0], queries, below(g, 8)),
            1 => QueryCounts::statistics(IMAGES[0], queries, below(g, 14)),
            2 => QueryCounts::streamout(IMAGES[0], queries),
            _ => {
                let [stride, second] = [0; 2].map(|_| 8 * (u32::arbitrary(g) % 20));
                QueryCounts { address: IMAGES[0], queries, stride, counts: below(g, 3), second, parts: below(g, 3), flagged: bool::arbitrary(g) }
            }
        };
        Self { chip: pick(g, &generations()), queue: pick(g, &[Queue::Graphics, Queue::Compute]), counts, seed: u64::arbitrary(g) }
    }
}

/// Returns memory with samples: 62-bit numbers, of which three in four are marked as available.
fn samples(seed: u64) -> Vec<u64> {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let written = if (state >> 20) & 3 == 0 { 0 } else { 1 << 63 };
        ((state >> 2) & ((1 << 62) - 1)) | written
    };
    (0..128).map(|_| next()).collect()
}

/// Every result is the sum of differences over its parts; parts without both samples do not count. Nothing else is written.
#[test]
fn results_are_sums_of_differences() {
    fn holds(case: Case) -> Result<(), String> {
        let Case { chip, queue, counts, seed } = case;
        let fail = |error: RecordError| format!("{chip} {queue:?}: {error}");
        let memory = samples(seed);
        let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
        let mut recorder = begun(chip, queue);
        let order = Order::between(Access::ComputeWrite, Access::ComputeRead);
        recorder.copy_query_results(&programs, &counts, BUFFER + 8, order).map_err(fail)?;
        let bytes: Vec<u8> = memory.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        let before = [(IMAGES[0], bytes), (BUFFER, vec![0x5A; 8 * 60])];
        let after = executed(chip, queue, &recorder.finish().map_err(fail)?, &programs, &before)?;
        let sample = |at: u32| memory[at as usize / 8];
        let mut results = vec![0x5A5A_5A5A_5A5A_5A5A_u64; 60];
        for query in 0..counts.queries {
            for count in 0..counts.counts {
                let sums = (0..counts.parts).map(|part| {
                    let first = query * counts.stride + 8 * count + 16 * part;
                    let (first, second) = (sample(first), sample(first + counts.second));
                    let written = !counts.flagged || first & second & 1 << 63 != 0;
                    if written { second.wrapping_sub(first) } else { 0 }
                });
                results[1 + (query * counts.counts + count) as usize] = sums.fold(0, u64::wrapping_add);
            }
        }
        let expected: Vec<u8> = results.iter().flat_map(|result| result.to_le_bytes()).collect();
        if after[1] != expected || after[0] != before[0].1 { Err(format!("{chip} {queue:?}: {counts:?}")) } else { Ok(()) }
    }
    property("results of queries", 100, holds as fn(Case) -> Result<(), String>);
}

/// Results that are too large or misaligned are refused and leave nothing behind.
#[test]
fn results_that_cannot_be_are_refused() {
    let Some(chip) = generations().pop() else { return };
    let programs = ImagePrograms::new(chip, PROGRAMS).expect("programs");
    let fine = QueryCounts::occlusion(IMAGES[0], 1, 8);
    let cases = [
        (QueryCounts { queries: 0, ..fine }, BUFFER),
        (QueryCounts { counts: 0, ..fine }, BUFFER),
        (QueryCounts { parts: 0, ..fine }, BUFFER),
        (QueryCounts { queries: 0x1_0000, ..fine }, BUFFER),
        (QueryCounts { queries: 0xFFFF, stride: 0x1_0008, ..fine }, BUFFER),
        (QueryCounts { stride: 4, ..fine }, BUFFER),
        (QueryCounts { second: 12, ..fine }, BUFFER),
        (QueryCounts { address: IMAGES[0] + 4, ..fine }, BUFFER),
        (fine, BUFFER + 4),
    ];
    for (counts, to) in cases {
        let mut recorder = begun(chip, Queue::Graphics);
        let before = recorder.words().len();
        recorder.copy_query_results(&programs, &counts, to, Order::default()).expect_err("a limit");
        assert_eq!(recorder.words().len(), before, "{counts:?}");
    }
    begun(chip, Queue::Graphics).copy_query_results(&programs, &fine, BUFFER, Order::default()).expect("results");
}
