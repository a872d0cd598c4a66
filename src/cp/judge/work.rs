//! The rules to ask about a draw or a dispatch.

use crate::cp::rule::entry::Rule;
use crate::cp::rule::judge::Judge;
use crate::cp::state::reads::RuleSet;
use crate::packet::Work;
use alloc::vec::Vec;

/// The rules on draws and on dispatches.
#[derive(Debug, Clone)]
pub(in crate::cp) struct WorkRules {
    /// Rules of the crate: judged only when a register that they read has changed.
    pub(in crate::cp) followed: Vec<&'static Rule>,
    draws: RuleSet,
    dispatches: RuleSet,
    /// Rules of the caller, and those that no set has room for: judged each time.
    pub(in crate::cp) others: Vec<&'static Rule>,
}

impl WorkRules {
    pub fn new(own: &[&'static Rule], added: &[&'static Rule]) -> Self {
        let of_work = |rule: &&&'static Rule| matches!(rule.judge, Judge::Draw(_) | Judge::Dispatch(_));
        let mut followed: Vec<&'static Rule> = own.iter().filter(of_work).copied().collect();
        let mut others = followed.split_off(followed.len().min(RuleSet::ROOM));
        others.extend(added.iter().filter(of_work));
        let set = |work| {
            let rules = followed.iter().enumerate().filter(|(_, rule)| is_on(rule, work));
            rules.fold(RuleSet::default(), |set, (place, _)| set.or(RuleSet::of(place)))
        };
        let (draws, dispatches) = (set(Work::Draw), set(Work::Dispatch));
        Self { followed, draws, dispatches, others }
    }

    pub fn of(&self, work: Work) -> RuleSet {
        match work {
            Work::Draw => self.draws,
            Work::Dispatch => self.dispatches,
        }
    }
}

pub(in crate::cp) fn is_on(rule: &Rule, work: Work) -> bool {
    matches!(rule.judge, Judge::Dispatch(_)) == (work == Work::Dispatch)
}
