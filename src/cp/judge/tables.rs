//! The tables on a chip and its rules, made once.

use crate::chip::Chip;
use crate::cp::judge::levels::Levels;
use crate::cp::judge::packets::PacketRules;
use crate::cp::judge::work::WorkRules;
use crate::cp::judge::writes::WriteRules;
use crate::cp::rule::entry::Rule;
use crate::cp::rules;
use crate::cp::state::names::Names;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The tables on a chip for all engines, made once. Models share equal parts.
#[derive(Debug, Clone)]
pub(in crate::cp) struct Tables {
    pub names: Arc<Names>,
    pub writes: Arc<WriteRules>,
    pub packets: Arc<PacketRules>,
    pub work: Arc<WorkRules>,
    pub levels: Levels,
    /// The rules that the caller has added.
    pub added: Vec<&'static Rule>,
}

impl Tables {
    /// Returns the tables of a chip with the crate's own rules at their own levels: with the feature `std` they are made once per process, because they cost
    /// far more than the rest of a model.
    pub fn shared(chip: Chip) -> Arc<Self> {
        let new = || Arc::new(Self::new(chip));
        #[cfg(feature = "std")]
        {
            /// The tables by chip: more entries than there are chips.
            static MADE: [std::sync::OnceLock<Arc<Tables>>; 64] = [const { std::sync::OnceLock::new() }; 64];
            if let Some(place) = MADE.get(chip as usize) {
                return place.get_or_init(new).clone();
            }
        }
        new()
    }

    fn new(chip: Chip) -> Self {
        let levels = Levels::default();
        let own: Vec<&'static Rule> = rules::all().filter(|rule| levels.checks(rule, chip)).collect();
        Self {
            names: Arc::new(Names::new(chip.gfx())),
            writes: Arc::new(WriteRules::new(chip, &own)),
            packets: Arc::new(PacketRules::new(chip, &own)),
            work: Arc::new(WorkRules::new(&own, &[])),
            levels,
            added: Vec::new(),
        }
    }

    /// Returns the same tables with the rules of `levels` and `added`.
    pub fn with_rules_of_now(&self, chip: Chip) -> Self {
        let own: Vec<&'static Rule> = rules::all().filter(|rule| self.levels.checks(rule, chip)).collect();
        let more: Vec<&'static Rule> = self.added.iter().copied().filter(|rule| self.levels.checks(rule, chip)).collect();
        let both = [&own[..], &more[..]].concat();
        Self {
            writes: Arc::new(self.writes.with_rules(chip, &both)),
            packets: Arc::new(PacketRules::new(chip, &both)),
            work: Arc::new(WorkRules::new(&own, &more)),
            ..self.clone()
        }
    }
}
