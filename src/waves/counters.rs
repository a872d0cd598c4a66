//! Counters of outstanding accesses, and their limits.

use crate::chip::Gfx;

/// Counters of outstanding accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counter {
    Loads = 0,
    Stores = 1,
    Scalar = 2,
}

/// Returns the maximum number of outstanding accesses per counter of a wave (Mesa 25.0.7 aco_ir.cpp): loads and stores 63; scalar loads 15 on GFX9 (lgkm), 63
/// from GFX10 on and 31 on GFX12 (km). The model stops a wave at a full counter (unverified); otherwise a loop without a wait would accumulate accesses without
/// limit.
pub(super) const fn most_outstanding(gfx: Gfx, counter: Counter) -> usize {
    match (counter, gfx.major()) {
        (Counter::Scalar, 9) => 15,
        (Counter::Scalar, 12..) => 31,
        _ => 63,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Chip;

    /// Mesa 25.0.7 aco_ir.cpp.
    #[test]
    fn counters_have_the_limits_of_their_generation() {
        for gfx in Chip::all().map(Chip::gfx) {
            let (scalar, stores) = match gfx.major() {
                9 => (15, 63),
                12 => (31, 63),
                _ => (63, 63),
            };
            let limits = [Counter::Loads, Counter::Stores, Counter::Scalar].map(|counter| most_outstanding(gfx, counter));
            assert_eq!(limits, [63, stores, scalar], "{gfx}");
        }
    }
}
