//! Verdicts on packets that may not run, and on chips that no source describes.

use crate::chip::Chip;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;

impl<'a> QueueState<'a> {
    /// Returns a verdict on the packet at a place, weakened if the packet may not run or if the chip may not have the rule's erratum. Packets before the
    /// current
    /// one that may not have run are not remembered: verdicts on them are unchanged.
    pub fn qualify(&self, rule: &Rule, chip: Chip, place: Place, is_work: bool, verdict: Verdict) -> Verdict {
        let verdict = if self.may_not_run() && self.place() == Some(place) { rule.if_it_runs(verdict, is_work) } else { verdict };
        match rule.scope {
            ChipScope::Erratum(erratum) if chip.has_unverified(erratum) => rule.if_it_hits(verdict, chip),
            _ => verdict,
        }
    }
}
