//! SET_PREDICATION: what decides whether packets with the predicate bit run.

/// The predicate of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::cp) enum Predicate {
    /// No predicate is set: all packets run.
    #[default]
    Clear,
    /// It is known whether packets with the bit run.
    Known(bool),
    /// The predicate depends on memory or counters that the model does not know: packets with the bit run.
    Unknown,
}

impl Predicate {
    /// Returns whether packets with the predicate bit are skipped.
    pub fn skips(self) -> bool {
        self == Self::Known(false)
    }
}
