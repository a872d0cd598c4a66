//! The counts of the model.

use crate::cp::state::finding::Severity;

/// The counts since the model was created.
///
/// ```
/// use pm4::{chip::Chip, cp::CommandProcessor, packet::Queue};
/// # #[cfg(feature = "gfx11")] {
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.submit(Queue::Graphics, "draw", &[0xC001_2D00, 3, 2]);
/// let summary = cp.run(&mut ());
/// assert_eq!((summary.packets, summary.draws, summary.dispatches), (1, 1, 0));
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Number of packets executed or skipped, over all queues.
    pub packets: u64,
    /// Number of draw packets.
    pub draws: u64,
    /// Number of dispatch packets.
    pub dispatches: u64,
    /// Context rolls of the graphics queue: packets that took a new context after a draw, even if no draw follows ([`RollSource`](crate::cp::RollSource)).
    pub context_rolls: u64,
    /// Context rolls that found all contexts in use: an estimate of stalls of the front end.
    pub context_stalls: u64,
    /// Number of errors.
    pub errors: u64,
    /// Number of warnings.
    pub warnings: u64,
    /// Number of findings of severity info.
    pub infos: u64,
}

impl Summary {
    /// Returns the number of findings of any severity.
    pub const fn findings(&self) -> u64 {
        self.errors + self.warnings + self.infos
    }

    pub(in crate::cp) fn count(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
        }
    }
}
