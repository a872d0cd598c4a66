//! What becomes of the findings of each rule.

use super::Rule;
use crate::cp::Severity;
use alloc::collections::BTreeMap;

/// The level of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum RuleLevel {
    /// Says nothing.
    Allow,
    /// Speaks, with what it finds as warnings; remarks become warnings and errors too.
    Warn,
    /// Speaks, with what it finds as errors.
    Deny,
}

/// The levels that the caller has set.
#[derive(Debug, Clone)]
pub(in crate::cp) struct Levels {
    set: BTreeMap<u64, RuleLevel>,
    pub max_findings: u64,
}

impl Default for Levels {
    fn default() -> Self {
        Self { set: BTreeMap::new(), max_findings: u64::MAX }
    }
}

/// A code as a number: codes have up to eight letters (a test of the table holds them to it), and numbers compare faster.
pub(super) fn key(code: &str) -> u64 {
    code.bytes().fold(0, |key, byte| key << 8 | u64::from(byte))
}

impl Levels {
    pub fn set(&mut self, rule: &'static Rule, level: RuleLevel) {
        self.set.insert(key(rule.code), level);
    }

    /// The severity that a finding has then; None where it is not told.
    pub fn severity(&self, rule: &Rule, severity: Severity) -> Option<Severity> {
        match self.set.get(&key(rule.code)) {
            Some(RuleLevel::Allow) => None,
            Some(RuleLevel::Warn) => Some(Severity::Warning),
            Some(RuleLevel::Deny) => Some(Severity::Error),
            None => (!rule.quiet).then_some(severity),
        }
    }
}
