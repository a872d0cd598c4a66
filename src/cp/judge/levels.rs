//! Levels of rules: whether their findings are reported, and with which severity.

use crate::chip::Chip;
use crate::cp::rule::entry::Rule;
use crate::cp::rule::level::RuleLevel;
use crate::cp::state::finding::Severity;
use alloc::vec::Vec;

/// The levels that the caller set.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct Levels {
    /// The levels, sorted by the codes of the rules as numbers.
    set: Vec<(u128, RuleLevel)>,
}

/// Returns a code as a number, because numbers compare faster.
fn key(code: &str) -> u128 {
    code.bytes().fold(0, |key, byte| key << 8 | u128::from(byte))
}

impl Levels {
    pub fn set(&mut self, rule: &'static Rule, level: RuleLevel) {
        match self.place(rule) {
            Ok(place) => self.set[place].1 = level,
            Err(place) => self.set.insert(place, (key(rule.code), level)),
        }
    }

    /// Returns the position of the level of a rule, or the position at which it would be inserted.
    fn place(&self, rule: &Rule) -> Result<usize, usize> {
        let code = key(rule.code);
        self.set.binary_search_by(|(other, _)| other.cmp(&code))
    }

    /// Returns whether findings of a rule can be reported on a chip.
    pub fn checks(&self, rule: &Rule, chip: Chip) -> bool {
        rule.scope.contains(chip) && self.severity(rule, rule.severity).is_some()
    }

    /// Returns the severity of a finding under these levels; None if it is not reported.
    pub fn severity(&self, rule: &Rule, severity: Severity) -> Option<Severity> {
        match self.place(rule).ok().map(|place| self.set[place].1) {
            Some(RuleLevel::Allow) => None,
            Some(RuleLevel::Warn) => Some(Severity::Warning),
            Some(RuleLevel::Deny) => Some(Severity::Error),
            None => (!rule.off_by_default).then_some(severity),
        }
    }
}
