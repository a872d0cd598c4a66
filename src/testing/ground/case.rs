//! What a case of a rule is.

use crate::chip::{Chip, Gfx};
use crate::cp::FirmwareVersions;
use crate::cp::rules::{self, Rule};
use crate::packet::Queue;
use crate::testing::ground::pen::Pen;
use crate::testing::ground::stream::{MemoryBlock, Stated, TestStream};
use alloc::vec;
use alloc::vec::Vec;
use strum::IntoEnumIterator;

/// A rule on a generation: a stream that it is about, and one that differs in the one fact that the rule names.
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
    /// What the hit has and the miss has not.
    pub fact: &'static str,
    /// The rule reports this stream, and no other does.
    pub hit: TestStream,
    /// No rule reports this one.
    pub miss: TestStream,
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
    allowed: Vec<&'static str>,
}

impl Pair {
    pub fn new(pen: Pen, hit: Vec<u32>, miss: Vec<u32>) -> Self {
        Self { pen, hit, miss, beside: Vec::new(), memory: Vec::new(), stated: Stated::default(), of_miss: None, allowed: Vec::new() }
    }

    /// Turns a rule off that reports the same mistake.
    pub fn allow(mut self, code: &'static str) -> Self {
        self.allowed.push(code);
        self
    }

    pub fn beside(self, beside: Vec<u32>) -> Self {
        Self { beside, ..self }
    }

    /// Maps memory that holds these words.
    pub fn memory(mut self, addr: u64, words: &[u32]) -> Self {
        self.memory.push(MemoryBlock { addr, words: words.to_vec() });
        self
    }

    /// Maps zeros, as many dwords, where packets of the cases read.
    pub fn zeros(self, dwords: usize) -> Self {
        self.memory(crate::testing::ground::pen::DATA, &vec![0; dwords])
    }

    pub fn stated(self, stated: Stated) -> Self {
        Self { stated, ..self }
    }

    /// Firmware that has everything.
    pub fn new_firmware(self) -> Self {
        let new = Some(99_999);
        let firmware = FirmwareVersions { pfp: new, me: new, mec: new, me_feature: new };
        self.stated(Stated { firmware, ..Stated::default() })
    }

    /// What is stated where it is the fact.
    pub fn miss_stated(self, stated: Stated) -> Self {
        Self { of_miss: Some(stated), ..self }
    }
}

/// A case as an author writes it, for every generation on which `make` gives streams.
pub(in crate::testing) struct Row {
    pub rule: &'static str,
    pub fact: &'static str,
    pub make: fn(Pen) -> Option<Pair>,
}

/// The chip that stands for a generation: the best-known one that the rule is for.
fn chip_of(rule: &Rule, gfx: Gfx) -> Option<Chip> {
    const KNOWN: [&str; 6] = ["vega10", "navi10", "navi21", "navi31", "gfx1150", "gfx1201"];
    let chips = || Chip::all().filter(|chip| chip.gfx() == gfx && rule.scope.contains(*chip));
    chips().find(|chip| KNOWN.contains(&chip.info().name)).or_else(|| chips().next())
}

impl Row {
    /// Its cases, one for each generation that is compiled in.
    pub fn cases(&'static self) -> impl Iterator<Item = RuleCase> {
        Gfx::iter().filter_map(|gfx| self.case_on(gfx))
    }

    /// Its case on a generation.
    pub fn case_on(&self, gfx: Gfx) -> Option<RuleCase> {
        let rule = rules::find(self.rule)?;
        self.case(rule, chip_of(rule, gfx)?)
    }

    fn case(&self, rule: &Rule, chip: Chip) -> Option<RuleCase> {
        let pair = (self.make)(Pen::new(chip, Queue::Graphics))?;
        let enabled = if rule.off_by_default { vec![rule.code] } else { Vec::new() };
        let stream = |words, stated| TestStream {
            beside: pair.beside.clone(),
            memory: pair.memory.clone(),
            stated,
            enabled: enabled.clone(),
            allowed: pair.allowed.clone(),
            ..TestStream::new(pair.pen.chip, pair.pen.queue, words)
        };
        let hit = stream(pair.hit.clone(), pair.stated);
        let miss = stream(pair.miss.clone(), pair.of_miss.unwrap_or(pair.stated));
        Some(RuleCase { rule: rule.code, fact: self.fact, hit, miss })
    }
}
