//! Verdicts on packets that may not run.

use crate::cp::rule::entry::Rule;
use crate::cp::rule::verdict::Verdict;
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;

impl<'a> QueueState<'a> {
    /// A verdict on the packet at a place, as far as it is sure that the packet runs. Of packets before the current one nothing is remembered that may not have
    /// run: what is said of them stays as it is.
    pub fn qualify(&self, rule: &Rule, place: Place, is_work: bool, verdict: Verdict) -> Verdict {
        if self.may_not_run() && self.place() == Some(place) { rule.if_it_runs(verdict, is_work) } else { verdict }
    }
}
