//! Runs of user SGPRs.

/// Iterates over runs of wanted user SGPRs (one bit each), as first SGPR and count.
pub(super) struct Runs {
    pub there: u32,
    pub wanted: u32,
}

impl Iterator for Runs {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let Self { there, wanted } = *self;
        if wanted == 0 {
            return None;
        }
        let first = wanted.trailing_zeros();
        // A run ends before two unwanted SGPRs, or before one that does not exist.
        let run = (wanted | wanted << 1 & there & wanted >> 1) >> first;
        let count = run.trailing_ones();
        self.wanted = wanted & (u64::MAX << (first + count)) as u32;
        Some((first as usize, count as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Runs cover the wanted SGPRs. A run continues over a single unwanted SGPR that the program has, and ends before two. No run contains an SGPR that the
    /// program lacks.
    #[test]
    fn runs_of_user_sgprs_hold_what_is_wanted() {
        for (there, wanted) in (0u32..1 << 8).flat_map(|there| (0u32..1 << 8).map(move |wanted| (there, wanted & there))) {
            for shift in [0, 24] {
                let runs: Vec<(usize, usize)> = Runs { there: there << shift, wanted: wanted << shift }.collect();
                let covered = runs.iter().flat_map(|(first, count)| *first..first + count).fold(0u32, |all, sgpr| all | 1 << sgpr);
                let between = wanted << 1 & there & !wanted & wanted >> 1;
                assert_eq!(covered, (wanted | between) << shift, "{wanted:b} of {there:b}: {runs:?}");
                // No run begins where another run ends.
                assert!(runs.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0), "{wanted:b} of {there:b}: {runs:?}");
            }
        }
    }
}
