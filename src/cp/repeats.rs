//! Findings that are told once a run, with how often they came: remarks about packets, and habits that a stream repeats.

use super::finding::{Finding, Note, Severity};
use super::place::{Place, QueueId};
use super::rules::{Rule, Scene, Verdict};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What makes two findings the same: queue, rule, severity and packet.
type Key = (QueueId, &'static str, Severity, Option<&'static str>);

/// Registers that a finding names besides its first one.
const NAMED: usize = 8;

/// What is held back until the run ends.
#[derive(Debug, Default)]
pub(super) struct Repeats(BTreeMap<Key, Held>);

#[derive(Debug)]
struct Held {
    first: Finding,
    last: Place,
    registers: Vec<String>,
}

impl Repeats {
    /// Keeps a finding of final severity, or counts it to the one like it.
    pub fn keep(&mut self, rule: &Rule, scene: Scene, verdict: Verdict) {
        let key = (scene.id, rule.code, verdict.severity_of(rule), scene.packet);
        match self.0.get_mut(&key) {
            None => {
                self.0.insert(key, Held { last: scene.place, first: rule.finding(scene, verdict), registers: Vec::new() });
            }
            Some(held) => {
                held.first.count += 1;
                held.last = scene.place;
                if let Some(name) = verdict.about()
                    && held.registers.len() < NAMED
                    && held.first.register.as_deref() != Some(name)
                    && !held.registers.iter().any(|known| known == name)
                {
                    held.registers.push(name.into());
                }
            }
        }
    }

    /// What was kept, by queue and code.
    pub fn take(&mut self) -> impl Iterator<Item = Finding> + use<> {
        core::mem::take(&mut self.0).into_values().map(Held::finding)
    }
}

impl Held {
    fn finding(self) -> Finding {
        let mut finding = self.first;
        if finding.count > 1 {
            let others = if self.registers.is_empty() { String::new() } else { format!(", also of {}", self.registers.join(", ")) };
            let text = format!("{} more such packets{others}; the last one", finding.count - 1);
            finding.notes.push(Note::new(text, Some(self.last)));
        }
        finding
    }
}
