//! Levels of rules: whether their findings are reported, and with which severity.

use crate::chip::Chip;
use crate::cp::Severity;
use crate::cp::rules::Rule;
use alloc::vec::Vec;

/// The level of a rule.
///
/// For an example see [`CommandProcessor::set_rule_level`](crate::cp::CommandProcessor::set_rule_level).
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum RuleLevel {
    /// Reports nothing.
    Allow,
    /// Reports every finding as a warning, those of severity info and error too.
    Warn,
    /// Reports every finding as an error.
    Deny,
}

/// The levels that the caller has set.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct Levels {
    /// By the codes of the rules, as numbers; sorted.
    set: Vec<(u128, RuleLevel)>,
}

/// The longest code of a rule.
pub(in crate::cp) const CODE_LETTERS: usize = 16;

/// A code as a number: numbers compare faster.
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

    /// Where the level of a rule is, or where it would be.
    fn place(&self, rule: &Rule) -> Result<usize, usize> {
        let code = key(rule.code);
        self.set.binary_search_by(|(other, _)| other.cmp(&code))
    }

    /// Whether findings of a rule can be reported on a chip.
    pub fn checks(&self, rule: &Rule, chip: Chip) -> bool {
        rule.scope.contains(chip) && self.severity(rule, rule.severity).is_some()
    }

    /// The severity that a finding has then; None where it is not reported.
    pub fn severity(&self, rule: &Rule, severity: Severity) -> Option<Severity> {
        match self.place(rule).ok().map(|place| self.set[place].1) {
            Some(RuleLevel::Allow) => None,
            Some(RuleLevel::Warn) => Some(Severity::Warning),
            Some(RuleLevel::Deny) => Some(Severity::Error),
            None => (!rule.off_by_default).then_some(severity),
        }
    }
}
