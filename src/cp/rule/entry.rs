//! A rule, as an entry of the table.

use crate::chip::Chip;
use crate::cp::rule::chip_scope::ChipScope;
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::WatchedPackets;
use crate::cp::rule::verdict::{Help, Remark, Subject, Verdict};
use crate::cp::state::finding::{Finding, Severity};
use crate::cp::state::place::{Place, QueueId};
use crate::cp::view::draw_questions::Needs;
use crate::packet::Queue;
use crate::regs::Space;
use alloc::format;

/// A rule of the crate, or of a caller, who adds it with [`CommandProcessor::add_rule`](crate::cp::CommandProcessor::add_rule).
///
/// For an example see [`CommandProcessor::add_rule`](crate::cp::CommandProcessor::add_rule).
#[derive(Debug, Clone)]
pub struct Rule {
    /// Stable code, `POPS-11`: 1 to 16 letters, digits and hyphens.
    pub code: &'static str,
    /// The severity. A judge may give a single finding another severity. An error about a packet that may not run (because COND_EXEC or a predicate depends on
    /// a value that the model does not know) becomes a warning, unless the rule is about the words of the packet alone (ENC, and
    /// [`words_alone`](Self::words_alone)).
    pub severity: Severity,
    /// The chips to which the rule applies.
    pub scope: ChipScope,
    /// What is wrong, in one line.
    pub title: &'static str,
    /// How the hardware reacts, why, and what to do about it.
    pub explanation: &'static str,
    /// The source of the claim.
    pub source: &'static str,
    /// How the rule is judged.
    pub judge: Judge,
    /// Whether the rule is off by default. [`CommandProcessor::set_rule_level`](crate::cp::CommandProcessor::set_rule_level) turns it on.
    pub off_by_default: bool,
    /// Whether findings are reported once per run and queue for each packet name (for rules on register writes, for each register), with a count
    /// ([`Finding::count`]). Rules on draws and dispatches are always reported once per cause.
    pub report_once: bool,
    /// Whether the rule applies only to command buffers of user-mode drivers, so that it is not checked on packets in a ring.
    pub not_in_rings: bool,
    /// Whether the rule judges only the words of a packet, or no packet, and not its effects or what preceded it: an error then remains an error if the packet
    /// may not run. Draws and dispatches are an exception: conditions guard work that would be wrong.
    pub words_alone: bool,
    /// What a draw or dispatch must launch to do the harm. The rule reports nothing if the draw or dispatch is known not to launch it.
    pub needs: Needs,
}

impl Rule {
    /// Creates a rule that is on by default, from code, severity, chips, title, explanation, source and judge.
    pub const fn new(
        code: &'static str,
        severity: Severity,
        scope: ChipScope,
        title: &'static str,
        explanation: &'static str,
        source: &'static str,
        judge: Judge,
    ) -> Self {
        Self {
            code,
            severity,
            scope,
            title,
            explanation,
            source,
            judge,
            off_by_default: false,
            report_once: false,
            not_in_rings: false,
            words_alone: false,
            needs: Needs::Nothing,
        }
    }

    /// Turns the rule off by default; its level can turn it on.
    #[must_use]
    pub const fn off_by_default(mut self) -> Self {
        self.off_by_default = true;
        self
    }

    /// Excludes packets in a ring from the rule.
    #[must_use]
    pub const fn not_in_rings(mut self) -> Self {
        self.not_in_rings = true;
        self
    }

    /// States that the rule judges only the words of packets.
    #[must_use]
    pub const fn words_alone(mut self) -> Self {
        self.words_alone = true;
        self
    }

    /// Makes the rule report nothing about draws and dispatches that are known to launch nothing.
    #[must_use]
    pub const fn on_work(mut self) -> Self {
        self.needs = Needs::Work;
        self
    }

    /// Makes the rule report nothing about draws that are known to have no pixels.
    #[must_use]
    pub const fn on_pixels(mut self) -> Self {
        self.needs = Needs::Pixels;
        self
    }

    /// Makes the rule report once per run for each packet name or register, with a count.
    #[must_use]
    pub const fn report_once(mut self) -> Self {
        self.report_once = true;
        self
    }

    /// Returns whether it is about the words of packets, whether they run or not.
    pub(in crate::cp) fn is_about_words(&self) -> bool {
        self.code.starts_with("ENC-")
    }

    /// Checks that the model can ask the rule.
    pub(in crate::cp) fn check(&self) -> Result<(), RuleError> {
        let code = self.code;
        let well_formed = code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if code.is_empty() || code.len() > crate::cp::rule::entry::CODE_LETTERS || !well_formed {
            return Err(RuleError::BadCode { code });
        }
        let is_bad = |addr: &u32| Space::of(*addr).is_none() || !addr.is_multiple_of(4);
        let bad = match self.judge {
            Judge::Model => return Err(RuleError::NoJudge { code }),
            Judge::Packet { watch: WatchedPackets::Registers(addrs, _), .. } => addrs.iter().copied().find(is_bad),
            Judge::Write { watch, .. } => watch.addresses().map(|(_, addr, _)| addr).find(is_bad),
            Judge::Draw(_) | Judge::Dispatch(_) | Judge::Packet { .. } => None,
        };
        match bad {
            Some(addr) => Err(RuleError::BadAddress { code, addr }),
            None => Ok(()),
        }
    }
}

impl Rule {
    /// Returns the severity of a finding: the judge's, or the rule's.
    pub(in crate::cp) fn severity_of(&self, verdict: &Verdict) -> Severity {
        verdict.severity.unwrap_or(self.severity)
    }

    /// The packet may not run: an error is a warning then, unless the rule judges its words alone. A condition may guard work that would be wrong, a draw of
    /// nothing for example; it makes the words of no other packet right.
    pub(in crate::cp) fn if_it_runs(&self, verdict: Verdict, is_work: bool) -> Verdict {
        if self.is_about_words() || self.words_alone && !is_work || self.severity_of(&verdict) < Severity::Error {
            return verdict;
        }
        verdict.severity(Severity::Warning).note("a condition on a value that the model does not know may skip the packet", None)
    }

    /// The chip has the core that the erratum hits, and no source speaks of the chip: an error is a warning.
    pub(in crate::cp) fn if_it_hits(&self, verdict: Verdict, chip: Chip) -> Verdict {
        if self.severity_of(&verdict) < Severity::Error {
            return verdict;
        }
        verdict.severity(Severity::Warning).note(format!("no source says that {} has this erratum: other chips with its core do", chip.info().name), None)
    }

    pub(in crate::cp) fn finding(&self, scene: Scene, verdict: Verdict) -> Finding {
        Finding {
            code: self.code,
            severity: self.severity_of(&verdict),
            queue: scene.queue,
            queue_id: scene.id,
            place: scene.place,
            packet: scene.packet,
            draw: scene.draw,
            last_draw: scene.draw,
            register: verdict.register.map(Subject::into_name),
            field: verdict.field,
            message: verdict.message.into_owned(),
            notes: verdict.notes.into_iter().map(Remark::into_note).collect(),
            help: verdict.help.map(Help::into_text),
            source: self.source,
            count: 1,
        }
    }
}

/// Why a rule was not added.
///
/// For an example see [`Judge`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// Another rule has the code.
    #[error("a rule with the code {code} exists already: give this one another code")]
    CodeTaken {
        /// The code.
        code: &'static str,
    },
    /// The code is not well formed.
    #[error("{code:?} is not a code of a rule: a code has 1 to 16 letters, digits and hyphens")]
    BadCode {
        /// The code.
        code: &'static str,
    },
    /// The rule has [`Judge::Model`], which only rules of this crate can have.
    #[error("rule {code} has Judge::Model, which only rules of the crate can have: give it a judge of draws, dispatches, packets or register writes")]
    NoJudge {
        /// The code.
        code: &'static str,
    },
    /// The rule watches an address at which no register can be.
    #[error("rule {code} watches {addr:#x}: byte addresses of registers are multiples of 4 in one of the register spaces (regs::Space)")]
    BadAddress {
        /// The code.
        code: &'static str,
        /// The address.
        addr: u32,
    },
}

/// Where a finding is.
#[derive(Debug, Clone, Copy)]
pub(in crate::cp) struct Scene {
    pub queue: Queue,
    pub id: QueueId,
    pub place: Place,
    pub packet: Option<&'static str>,
    pub draw: Option<u64>,
}

/// The longest code of a rule.
pub(in crate::cp) const CODE_LETTERS: usize = 16;
