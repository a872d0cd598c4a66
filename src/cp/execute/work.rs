//! Draws and dispatches: who sees them, and the rules that judge them.

use crate::cp::execute::engine::{Engine, Flow};
use crate::cp::execute::report::report;
use crate::cp::judge::work::is_on;
use crate::cp::rule::entry::{Rule, Scene};
use crate::cp::rule::judge::Judge;
use crate::cp::rule::verdict::Verdict;
use crate::cp::rules;
use crate::cp::state::addresses::{COMPUTE_PGM_HI, COMPUTE_PGM_LO};
use crate::cp::state::finding::Severity;
use crate::cp::state::history::{DrawState, DrawSummary};
use crate::cp::state::memory::canonical;
use crate::cp::state::place::Place;
use crate::cp::state::queue::QueueState;
use crate::cp::state::reads::{Reads, RuleSet};
use crate::cp::view::draw_questions::Needs;
use crate::cp::view::draw_view::DrawView;
use crate::packet::{EffectKinds, Opcode, Packet, Work};
use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

/// Builds the view of a packet. A macro, because the observer is notified while the view borrows the rest of the engine.
macro_rules! view {
    ($engine:ident, $queue:ident, $place:expr, $packet:expr) => {
        DrawView {
            chip: $engine.chip,
            queue: $queue.queue,
            place: $place,
            packet: $packet,
            named: None,
            index: $engine.summary.draws + $engine.summary.dispatches,
            draws_before: $queue.draws,
            packet_index: $queue.packets,
            registers: &$queue.registers,
            names: &$engine.tables.names,
            options: $engine.options,
            history: &$queue.history,
            contexts: &$queue.contexts,
            id: $queue.id,
            memory: &*$engine.memory,
            pipe: &$queue.pipe,
            reads: None,
        }
    };
}

impl<'a> Engine<'_, 'a> {
    /// Returns whether a packet may launch the work that the harm of a rule requires.
    pub fn may_launch(&self, queue: &QueueState<'a>, place: Place, packet: Packet<'_>, needs: Needs) -> bool {
        needs == Needs::Nothing || view!(self, queue, place, packet).may_launch(needs)
    }

    /// Executes a draw or dispatch; `known` says whether a source describes packets of its size.
    pub fn work(&mut self, queue: &mut QueueState<'a>, place: Place, packet: Packet<'_>, opcode: Opcode, (work, known): (Work, bool)) -> Flow {
        if opcode == Opcode::DISPATCH_TASKMESH_GFX {
            if self.gang_wait(queue, place) == Flow::Blocked {
                return Flow::Blocked;
            }
            queue.history.taskmesh += 1;
        }
        self.draw_arguments(queue, place, &packet, opcode);
        if work == Work::Dispatch && self.options.closed_memory {
            self.mapped_program(queue, place, packet.name(self.gfx));
        }
        // The state that firmware sets before it draws is not visible: no rule judges the earlier state.
        let everything = opcode.effect_kinds(self.gfx).intersects(EffectKinds::ANYTHING);
        if everything {
            self.unperformed(queue, place, &packet, opcode);
        }
        let summary = self.judge_work(queue, place, packet, work, None);
        self.memory.shaders = true;
        queue.history.last_work = Some(queue.packets);
        match work {
            Work::Dispatch => {
                self.summary.dispatches += 1;
                if matches!(opcode, Opcode::DISPATCH_TASKMESH_DIRECT_ACE | Opcode::DISPATCH_TASKMESH_INDIRECT_MULTI_ACE) {
                    self.gang.dispatches += 1;
                    self.memory.writes += 1;
                }
            }
            Work::Draw => {
                self.summary.draws += 1;
                queue.history.draw(summary);
                queue.draws += 1;
                queue.contexts.draw();
            }
        }
        // Arguments in SGPRs are excluded: they are state of the draw.
        if !everything && opcode.effect_kinds(self.gfx).intersects(EffectKinds::REGISTERS.or(EffectKinds::WRITES)) || !known {
            self.lose(queue, place, &packet);
        }
        Flow::Next
    }

    /// Executes a dispatch of an AQL queue. Registers are as the packet processor sets them; the other registers are unknown, and no rule judges them.
    pub fn kernel(&mut self, queue: &mut QueueState<'a>, place: Place, packet: Packet<'_>, name: &'static str) {
        if self.options.closed_memory {
            self.mapped_program(queue, place, Some(name));
        }
        self.judge_work(queue, place, packet, Work::Dispatch, Some(name));
        self.memory.shaders = true;
        queue.history.last_work = Some(queue.packets);
        self.summary.dispatches += 1;
    }

    /// Reports the program of a dispatch if it is in unmapped memory. Address 0 has a separate rule.
    fn mapped_program(&mut self, queue: &QueueState<'a>, place: Place, name: Option<&'static str>) {
        let value = |addr| queue.registers.value(addr);
        let (Some(lo), Some(hi)) = (value(COMPUTE_PGM_LO), value(COMPUTE_PGM_HI)) else { return };
        let addr = canonical(u64::from(hi) << 40 | u64::from(lo) << 8);
        if addr == 0 || self.memory.mapped(addr, 4) != 0 {
            return;
        }
        let verdict = Verdict::new(format!("the program of the dispatch is at 0x{addr:012x}, which nothing maps: a page fault"))
            .severity(Severity::Error)
            .register("COMPUTE_PGM_LO")
            .help("map the program at this address, or check the address");
        self.report(queue, place, name, &rules::UNMAPPED, verdict);
    }

    /// Calls the observer and applies the rules. `named`: the packet of another kind of queue that is the dispatch.
    fn judge_work(&mut self, queue: &mut QueueState<'a>, place: Place, packet: Packet<'_>, work: Work, named: Option<&'static str>) -> DrawSummary {
        let (rules, reporting) = (&self.tables.work, self.reporting());
        let changed = queue.registers.watched().changed();
        let asked = changed.and(rules.of(work));
        let state_changed = work == Work::Draw && !changed.and(RuleSet::DRAW_STATE).is_empty();
        let view = DrawView { named, ..view!(self, queue, place, packet) };
        match work {
            Work::Dispatch => self.observer.dispatch(&view),
            Work::Draw => self.observer.draw(&view),
        }
        // Needed only for findings: the name of a packet is looked up.
        let (kind, id) = (queue.queue, queue.id);
        let scene = || Scene { queue: kind, id, place, packet: Some(view.name()), draw: Some(view.index()) };
        let judged_as = |rule: &Rule, verdict: Verdict| queue.qualify(rule, self.chip, place, true, verdict);
        let reads = Reads::default();
        let followed = DrawView { reads: Some(&reads), ..view };
        // Asked for most findings, and the same for all of them.
        let mut launches = [None; Needs::Pixels as usize + 1];
        let mut may_launch = |needs: Needs| *launches[needs as usize].get_or_insert_with(|| view.may_launch(needs));
        let mut judged = RuleSet::default();
        // What rules have read, grouped by rule, and the rules that have found nothing in it.
        let mut seen: Vec<(u32, RuleSet)> = Vec::new();
        let mut clean: Vec<(usize, Range<usize>)> = Vec::new();
        for number in asked.places() {
            let Some(rule) = rules.followed.get(number) else { continue };
            let (Judge::Draw(judge) | Judge::Dispatch(judge)) = rule.judge else { continue };
            let this = RuleSet::of(number);
            if queue.clean.has(number, &queue.registers) {
                judged = judged.or(this);
                continue;
            }
            let verdict = judge(&followed);
            let first = seen.len();
            let more = reads.drain(|addr| seen.push((addr, this)));
            match verdict {
                // The next draw is judged again: its findings are counted, and it may launch the work that the harm requires.
                Some(_) if !may_launch(rule.needs) => {}
                Some(verdict) => report(self.summary, self.observer, self.repeats, reporting, rule, scene(), judged_as(rule, verdict)),
                // State other than registers may differ at the next draw.
                None if more => {}
                None => {
                    judged = judged.or(this);
                    clean.push((number, first..seen.len()));
                }
            }
        }
        for rule in rules.others.iter().filter(|rule| is_on(rule, work)) {
            let (Judge::Draw(judge) | Judge::Dispatch(judge)) = rule.judge else { continue };
            if let Some(verdict) = judge(&view).filter(|_| may_launch(rule.needs)) {
                report(self.summary, self.observer, self.repeats, reporting, rule, scene(), judged_as(rule, verdict));
            }
        }
        let first = seen.len();
        let remembered = if state_changed { queue.draw_states.find(&queue.registers) } else { Some(queue.draw_state) };
        let state = remembered.unwrap_or_else(|| DrawState::of(&followed));
        reads.drain(|addr| seen.push((addr, RuleSet::DRAW_STATE)));
        if state_changed {
            judged = judged.or(RuleSet::DRAW_STATE);
        }
        let summary = DrawSummary::of(&view, state);
        queue.draw_state = state;
        let addrs = |range: Range<usize>| seen.get(range).into_iter().flatten().map(|(addr, _)| *addr);
        if remembered.is_none() {
            queue.draw_states.keep(&queue.registers, addrs(first..seen.len()), state);
        }
        clean.into_iter().for_each(|(number, range)| queue.clean.keep(number, &queue.registers, addrs(range)));
        seen.into_iter().for_each(|(addr, rules)| queue.registers.watch(addr, rules));
        queue.registers.watched().judged(judged);
        summary
    }
}
