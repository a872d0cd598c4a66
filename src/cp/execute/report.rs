//! Passes findings on to the observer.

use crate::cp::execute::engine::Engine;
use crate::cp::judge::levels::Levels;
use crate::cp::judge::repeats::Repeats;
use crate::cp::rule::entry::{Rule, Scene};
use crate::cp::rule::judge::Judge;
use crate::cp::rule::packet_view::PacketView;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::finding::{Finding, Severity};
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;
use crate::cp::state::summary::Summary;
use crate::cp::view::observer::Observer;
use crate::packet::{Opcode, Packet};
use crate::plurals::counted;
use alloc::format;

/// How findings are reported: rule levels and the maximum number of findings.
#[derive(Clone, Copy)]
pub(in crate::cp) struct Reporting<'e> {
    levels: &'e Levels,
    most: u64,
}

/// Reports a finding, or holds it back if its rule reports once.
pub(in crate::cp) fn report(
    summary: &mut Summary,
    observer: &mut dyn Observer,
    repeats: &mut Repeats,
    reporting: Reporting<'_>,
    rule: &Rule,
    scene: Scene,
    verdict: Verdict,
) {
    let Some(severity) = reporting.levels.severity(rule, rule.severity_of(&verdict)) else { return };
    // A wrong register stays wrong for the following draws.
    let held = rule.report_once
        || matches!(rule.judge, Judge::Draw(_) | Judge::Dispatch(_))
        || severity == Severity::Info && matches!(rule.judge, Judge::Write { .. });
    if held {
        if repeats.is_full() {
            repeats.drain().for_each(|finding| emit(summary, observer, reporting, finding.severity, || finding));
        }
        repeats.insert(rule, scene, verdict.severity(severity), summary.packets);
    } else {
        emit(summary, observer, reporting, severity, || rule.finding(scene, verdict.severity(severity)));
    }
}

/// Counts a finding with its final severity, and reports it while the limit allows. The first one beyond the limit becomes RUN-03.
fn emit(summary: &mut Summary, observer: &mut dyn Observer, reporting: Reporting<'_>, severity: Severity, finding: impl FnOnce() -> Finding) {
    let limit = reporting.most;
    summary.count(severity);
    if summary.findings() <= limit {
        return observer.finding(&finding());
    }
    if summary.findings() == limit + 1
        && let Some(severity) = reporting.levels.severity(&rules::FINDING_LIMIT, Severity::Info)
    {
        let Finding { queue, queue_id: id, place, packet, draw, .. } = finding();
        let verdict = Verdict::new(format!("the limit of {} is reached: this one and all later ones are only counted", counted(limit, "finding")))
            .severity(severity)
            .help("correct the first findings, or raise the limit of findings (CommandProcessor::max_findings)");
        summary.count(severity);
        observer.finding(&rules::FINDING_LIMIT.finding(Scene { queue, id, place, packet, draw }, verdict));
    }
}

impl<'e> Engine<'e, '_> {
    /// Returns how findings are reported in this run.
    pub fn reporting(&self) -> Reporting<'e> {
        Reporting { levels: &self.tables.levels, most: self.options.max_findings }
    }
}

impl<'a> Engine<'_, 'a> {
    /// Applies the packet rules; returns whether none of them found anything.
    #[inline(never)]
    pub fn judge_packet(&mut self, queue: &QueueState<'a>, place: Place, packet: Packet<'_>, opcode: Opcode, flags: u16) -> bool {
        let mut clean = true;
        let view = PacketView {
            chip: self.chip,
            queue: queue.queue,
            packet,
            registers: &queue.registers,
            history: &queue.history,
            options: self.options,
            ring: queue.in_ring(),
        };
        let reporting = self.reporting();
        // Of a packet that predication drops, only the words matter.
        let dropped = queue.drops(packet.header);
        let is_work = opcode.work(self.gfx).is_some();
        let kernels = view.ring && !self.options.user_queues;
        let asked = |rule: &&Rule| !(kernels && rule.not_in_rings) && (!dropped || rule.is_about_words());
        for rule in self.tables.packets.of(queue.queue, opcode, flags).filter(asked) {
            if let Judge::Packet { judge, .. } = rule.judge
                && let Some(verdict) = judge(&view)
                && self.may_launch(queue, place, packet, rule.needs)
            {
                clean = false;
                let verdict = queue.qualify(rule, self.chip, place, is_work, verdict);
                let Some(severity) = self.tables.levels.severity(rule, rule.severity_of(&verdict)) else { continue };
                // The name is looked up only if the finding is reported.
                let held = rule.report_once || severity == Severity::Info;
                let name = (held || self.summary.findings() < self.options.max_findings).then(|| packet.name(self.gfx)).flatten();
                let scene = Scene { queue: queue.queue, id: queue.id, place, packet: name, draw: None };
                if held {
                    self.repeats.insert(rule, scene, verdict.severity(severity), self.summary.packets);
                } else {
                    emit(self.summary, self.observer, reporting, severity, || rule.finding(scene, verdict.severity(severity)));
                }
            }
        }
        clean
    }

    /// Reports a finding about a packet.
    pub fn report(&mut self, queue: &QueueState<'a>, place: Place, packet: Option<&'static str>, rule: &Rule, verdict: Verdict) {
        let scene = Scene { queue: queue.queue, id: queue.id, place, packet, draw: None };
        let reporting = self.reporting();
        report(self.summary, self.observer, self.repeats, reporting, rule, scene, queue.qualify(rule, self.chip, place, false, verdict));
    }

    /// Reports a finding about a packet; findings of severity info are held back and counted.
    pub fn report_once(&mut self, queue: &QueueState<'a>, place: Place, packet: Option<&'static str>, rule: &Rule, verdict: Verdict) {
        let Some(severity) = self.tables.levels.severity(rule, rule.severity_of(&verdict)) else { return };
        if severity > Severity::Info {
            return self.report(queue, place, packet, rule, verdict);
        }
        let scene = Scene { queue: queue.queue, id: queue.id, place, packet, draw: None };
        self.repeats.insert(rule, scene, verdict.severity(severity), self.summary.packets);
    }

    /// Reports the findings that were held back.
    pub fn report_repeats(&mut self) {
        let reporting = self.reporting();
        for finding in self.repeats.drain() {
            emit(self.summary, self.observer, reporting, finding.severity, || finding);
        }
    }
}
