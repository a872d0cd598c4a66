//! Cases of rules.

use crate::chip::{Chip, Gfx};
use crate::cp::FirmwareVersions;
use crate::cp::rules::{self, Rule};
use crate::packet::Queue;
use crate::testing::ground::pen::Pen;
use crate::testing::ground::stream::{MemoryBlock, Stated, TestStream};
use alloc::vec;
use alloc::vec::Vec;
use strum::IntoEnumIterator;

/// A rule on a generation: a stream that the rule reports, and one that differs only in the fact that the rule names.
///
/// ```
/// # #[cfg(feature = "gfx10")] {
/// use pm4::testing;
/// let case = testing::rule_cases().find(|case| case.rule == "POPS-13").unwrap();
/// assert_eq!(case.hit.codes(), ["POPS-13"].into());
/// assert!(case.miss.codes().is_empty());
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleCase {
    /// The code of the rule.
    pub rule: &'static str,
    /// What distinguishes the hit from the miss.
    pub fact: &'static str,
    /// The stream that only this rule reports.
    pub hit: TestStream,
    /// The stream that no rule reports.
    pub miss: TestStream,
    /// Why other rules are off in both streams ([`TestStream::allowed`]): the hit is also a mistake for them. None if all rules are on.
    pub allowed_because: Option<&'static str>,
}

/// Both streams of a case, before the chip is known.
pub(in crate::testing) struct Pair {
    pen: Pen,
    hit: Vec<u32>,
    miss: Vec<u32>,
    beside: Vec<u32>,
    memory: Vec<MemoryBlock>,
    stated: Stated,
    of_miss: Option<Stated>,
    allowed: Option<(&'static str, &'static str)>,
}

impl Pair {
    pub fn new(pen: Pen, hit: Vec<u32>, miss: Vec<u32>) -> Self {
        Self { pen, hit, miss, beside: Vec::new(), memory: Vec::new(), stated: Stated::default(), of_miss: None, allowed: None }
    }

    /// Turns off a rule that reports the same mistake, with a reason.
    pub fn allow(self, code: &'static str, because: &'static str) -> Self {
        Self { allowed: Some((code, because)), ..self }
    }

    pub fn beside(self, beside: Vec<u32>) -> Self {
        Self { beside, ..self }
    }

    /// Maps memory that holds these words.
    pub fn memory(mut self, addr: u64, words: &[u32]) -> Self {
        self.memory.push(MemoryBlock { addr, words: words.to_vec() });
        self
    }

    /// Maps a number of zero dwords where packets of the cases read.
    pub fn zeros(self, dwords: usize) -> Self {
        self.memory(crate::testing::ground::pen::DATA, &vec![0; dwords])
    }

    pub fn stated(self, stated: Stated) -> Self {
        Self { stated, ..self }
    }

    /// Firmware with every feature.
    pub fn new_firmware(self) -> Self {
        let new = Some(99_999);
        let firmware = FirmwareVersions { pfp: new, me: new, mec: new, me_feature: new };
        self.stated(Stated { firmware, ..Stated::default() })
    }

    /// Sets what is stated for the miss, if that is the fact.
    pub fn miss_stated(self, stated: Stated) -> Self {
        Self { of_miss: Some(stated), ..self }
    }
}

/// A case as an author writes it, for every generation on which `make` returns streams.
pub(in crate::testing) struct Row {
    pub rule: &'static str,
    pub fact: &'static str,
    pub make: fn(Pen) -> Option<Pair>,
}

/// Returns the chips of a generation to which a rule applies, best-known first. If the rule applies to every chip of the generation, only the best-known chip.
fn chips_of(rule: &Rule, gfx: Gfx) -> Vec<Chip> {
    const KNOWN: [&str; 6] = ["vega10", "navi10", "navi21", "navi31", "gfx1150", "gfx1201"];
    let all = Chip::all().filter(|chip| chip.gfx() == gfx).count();
    let mut chips: Vec<Chip> = Chip::all().filter(|chip| chip.gfx() == gfx && rule.scope.contains(*chip)).collect();
    chips.sort_by_key(|chip| !KNOWN.contains(&chip.info().name));
    if chips.len() == all {
        chips.truncate(1);
    }
    chips
}

impl Row {
    /// Returns the cases: one per enabled generation; if the rule applies only to some chips of a generation, one per chip.
    pub fn cases(&'static self) -> impl Iterator<Item = RuleCase> {
        let rule = rules::find(self.rule);
        let chips = Gfx::iter().flat_map(move |gfx| rule.map(|rule| chips_of(rule, gfx).into_iter().map(move |chip| (rule, chip))).into_iter().flatten());
        chips.filter_map(|(rule, chip)| self.case(rule, chip))
    }

    /// Returns the case on the best-known chip of a generation.
    pub fn case_on(&self, gfx: Gfx) -> Option<RuleCase> {
        let rule = rules::find(self.rule)?;
        self.case(rule, *chips_of(rule, gfx).first()?)
    }

    fn case(&self, rule: &Rule, chip: Chip) -> Option<RuleCase> {
        let pair = (self.make)(Pen::new(chip, Queue::Graphics))?;
        let enabled = if rule.off_by_default { vec![rule.code] } else { Vec::new() };
        let stream = |words, stated| TestStream {
            beside: pair.beside.clone(),
            memory: pair.memory.clone(),
            stated,
            enabled: enabled.clone(),
            allowed: pair.allowed.map(|(code, _)| code).into_iter().collect(),
            ..TestStream::new(pair.pen.chip, pair.pen.queue, words)
        };
        let hit = stream(pair.hit.clone(), pair.stated);
        let miss = stream(pair.miss.clone(), pair.of_miss.unwrap_or(pair.stated));
        Some(RuleCase { rule: rule.code, fact: self.fact, hit, miss, allowed_because: pair.allowed.map(|(_, because)| because) })
    }
}
