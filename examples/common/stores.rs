//! The unit of time measurements: dwords stored one by one.
#![allow(dead_code)] // each program uses its part

use std::time::Instant;

/// Dwords of the ring: 64 KiB.
const RING: usize = 16 << 10;
/// Stores per unit.
pub const STORES: usize = 50;

/// Returns the best of several runs, in nanoseconds per repetition.
pub fn best_ns(runs: usize, repetitions: usize, mut work: impl FnMut()) -> f64 {
    let times = (0..runs.max(1)).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e9
    });
    times.fold(f64::INFINITY, f64::min) / repetitions.max(1) as f64
}

/// Returns the nanoseconds for storing 50 dwords one by one into a ring of 64 KiB, the best of several runs.
pub fn unit_ns(runs: usize) -> f64 {
    const UNITS: usize = 20_000;
    let mut ring = ring();
    best_ns(runs, UNITS, || store(&mut ring, UNITS * STORES))
}

/// Stores dwords one by one around the ring.
pub fn store(ring: &mut [u32], dwords: usize) {
    for dword in 0..dwords {
        if let Some(place) = ring.get_mut(dword % RING) {
            // SAFETY: the place is a reference; volatile, so that the compiler does not merge stores.
            unsafe { std::ptr::write_volatile(place, dword as u32) };
        }
    }
}

/// Returns a ring for [`store`].
pub fn ring() -> Vec<u32> {
    vec![0; RING]
}
