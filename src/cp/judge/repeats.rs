//! Findings that are reported once per run, each with a count: findings on draws with the same cause, findings of severity info about packets, and findings
//! of rules with `report_once`.

use crate::cp::rule::entry::{Rule, Scene};
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::{Subject, Verdict};
use crate::cp::state::finding::{Finding, Note, Severity};
use crate::cp::state::place::{Place, QueueId};
use crate::plurals::counted;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The key by which two findings are the same: queue, rule, severity and subject.
type Key = (QueueId, &'static str, Severity, About);

/// The subject of findings of one rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum About {
    /// For draws: the register, and the packets that wrote the relevant registers.
    Origin(Register, Vec<Option<Place>>),
    /// For register writes: the register.
    Register(String),
    /// For packets: their name.
    Packet(Option<&'static str>),
}

/// The register that a finding on a draw is about: by address, or by what the rule calls it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Register {
    None,
    At(u32),
    Named(String),
}

impl Register {
    fn of(verdict: &Verdict) -> Self {
        match verdict.about() {
            None => Self::None,
            Some(Subject::Register(register)) => Self::At(register.addr()),
            Some(Subject::Name(name)) => Self::Named(name.clone()),
        }
    }
}

/// Registers that a finding names besides its first one.
const NAMED: usize = 8;

/// The largest number of findings that are held back.
const HELD: usize = 1 << 12;

/// The findings that are held back until the run ends.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct Repeats(BTreeMap<Key, Held>);

#[derive(Debug, Clone)]
struct Held {
    first: Finding,
    last: Place,
    /// Packets that had run at the last one.
    packet: u64,
    registers: Vec<String>,
}

impl Repeats {
    /// Inserts a finding of final severity, or counts it to the one like it.
    /// The number of the packet shows whether it is the packet of the previous finding.
    pub fn insert(&mut self, rule: &Rule, scene: Scene, verdict: Verdict, packet: u64) {
        let about = match rule.judge {
            Judge::Draw(_) | Judge::Dispatch(_) => About::Origin(Register::of(&verdict), verdict.places().collect()),
            Judge::Write { .. } => About::Register(verdict.about().cloned().map(Subject::into_name).unwrap_or_default()),
            Judge::Packet { .. } | Judge::Model => About::Packet(scene.packet),
        };
        let key = (scene.id, rule.code, rule.severity_of(&verdict), about);
        match self.0.get_mut(&key) {
            None => {
                self.0.insert(key, Held { last: scene.place, packet, first: rule.finding(scene, verdict), registers: Vec::new() });
            }
            // Reads of one packet are one finding.
            Some(held) if held.packet == packet && scene.draw.is_none() && matches!(rule.judge, Judge::Packet { .. } | Judge::Model) => {}
            Some(held) => {
                held.first.count += 1;
                held.first.last_draw = scene.draw;
                (held.last, held.packet) = (scene.place, packet);
                // Findings on a draw are about one register.
                if !matches!(rule.judge, Judge::Draw(_) | Judge::Dispatch(_))
                    && held.registers.len() < NAMED
                    && let Some(name) = verdict.about().cloned().map(Subject::into_name)
                    && held.first.register.as_ref() != Some(&name)
                    && !held.registers.contains(&name)
                {
                    held.registers.push(name);
                }
            }
        }
    }

    /// Returns whether no more findings can be held back.
    pub fn is_full(&self) -> bool {
        self.0.len() >= HELD
    }

    /// Removes and returns the findings that were held back: findings of draws in the order of their first draws, then the others by queue and code.
    pub fn drain(&mut self) -> impl Iterator<Item = Finding> + use<> {
        let mut list: Vec<Finding> = core::mem::take(&mut self.0).into_values().map(Held::finding).collect();
        list.sort_by_key(|finding| finding.draw.unwrap_or(u64::MAX));
        list.into_iter()
    }
}

impl Held {
    fn finding(self) -> Finding {
        let mut finding = self.first;
        if finding.count > 1 {
            let others = if self.registers.is_empty() { String::new() } else { format!(", also of {}", self.registers.join(", ")) };
            let text = match (finding.count - 1, finding.draw.is_some()) {
                (1, true) => format!("1 more such draw or dispatch{others}; the last one"),
                (more, true) => format!("{more} more such draws or dispatches{others}; the last one"),
                (more, false) => format!("{}{others}; the last one", counted(more, "more such packet")),
            };
            finding.notes.push(Note::new(text, Some(self.last)));
        }
        finding
    }
}
