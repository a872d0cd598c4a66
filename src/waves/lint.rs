//! The obligations of the POPS article, checked on every path through a program.
//!
//! The check walks the control-flow graph with a small state per path. It takes branches both ways, regardless of whether their condition can hold.

use super::alu;
use super::code::{Arg, Code, Kind, When};
use super::counters::Counter;
use super::report::InstructionPlace;
use super::setup::{InterlockScope, Setup};
use crate::chip::Gfx;
use crate::isa::pops::collision;
use crate::isa::{Instruction, Op, Reg, hwreg::Hwreg, may_write_condition, message};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use strum::{Display, IntoStaticStr};

/// An obligation that a program breaks.
///
/// For an example see [`lint`](crate::waves::lint).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum LintRule {
    /// A path ends without leaving the section. Up to GFX10.3, only paths that have set the packer count; from GFX11 on, all paths count.
    EndWithoutDone,
    /// A path leaves the section twice.
    DoneTwice,
    /// A path waits after leaving the section.
    WaitAfterDone,
    /// A path leaves the section without waiting for its accesses.
    NotDrained,
    /// A path ends without an export with DONE.
    MissingExport,
    /// A path polls before naming a packer.
    PollWithoutPacker,
    /// A path polls without testing the overlap bit.
    PollWithoutTest,
    /// A path accesses memory and leaves the section without ever waiting for its entry. This is correct if the access was not to ordered data.
    NoWait,
    /// A path accesses memory after leaving the section.
    AccessAfterDone,
    /// A path runs past the end of the program.
    RunsPastEnd,
    /// GFX9: fewer than two wait states between `s_setreg` and the next access to the same wave register.
    SetregDistance,
    /// GFX9: s_setreg of MODE changes VSKIP, which has a separate hazard.
    SetregVskip,
    /// GFX10.1: a branch with an offset of exactly 0x3F dwords, which the hardware executes incorrectly.
    BranchDistance,
    /// GFX9: no instruction between a write of M0 and `s_sendmsg`.
    MessageAfterM0,
    /// From GFX11 on: `s_sendmsg(MSG_DEALLOC_VGPRS)` without an `s_nop` directly before it.
    DeallocDistance,
}

impl LintRule {
    /// Returns whether the finding is a warning: a possible mistake.
    pub const fn is_warning(self) -> bool {
        matches!(self, Self::PollWithoutTest | Self::AccessAfterDone | Self::NoWait)
    }

    /// Returns whether the rule is about the ordered section; the other rules apply to any program.
    const fn concerns_section(self) -> bool {
        match self {
            Self::EndWithoutDone
            | Self::DoneTwice
            | Self::WaitAfterDone
            | Self::NotDrained
            | Self::MissingExport
            | Self::PollWithoutPacker
            | Self::PollWithoutTest
            | Self::NoWait
            | Self::AccessAfterDone => true,
            Self::RunsPastEnd | Self::SetregDistance | Self::SetregVskip | Self::BranchDistance | Self::MessageAfterM0 | Self::DeallocDistance => false,
        }
    }

    /// Returns a text with the mistake and its source.
    pub const fn text(self) -> &'static str {
        match self {
            Self::EndWithoutDone => "ends without leaving the ordered section: every later overlapping wave hangs (POPS article, Exiting the ordered section)",
            Self::DoneTwice => "leaves the ordered section a second time on some path (POPS article, Exiting the ordered section)",
            Self::WaitAfterDone => "waits after the section was left on some path (POPS article, Entering the ordered section)",
            Self::NotDrained => {
                "leaves the section while accesses may be outstanding: wait for vm, and from GFX10 on for vs (POPS article, Exiting the ordered section)"
            }
            Self::MissingExport => "ends without an export with DONE on some path (POPS article, Export requirements)",
            Self::PollWithoutPacker => "polls the exiting wave id before a packer is named on some path (POPS article, Entering the ordered section)",
            Self::PollWithoutTest => "polls without a test of bit 31 of COLLISION_WAVEID: without an overlap it hangs (POPS article)",
            Self::NoWait => "leaves an ordered section without having waited for its entry (POPS article, Entering the ordered section)",
            Self::AccessAfterDone => "accesses memory after leaving the section: that access is not ordered",
            Self::RunsPastEnd => "runs past the end of the program on some path",
            Self::SetregDistance => "GFX9 needs two wait states between s_setreg and the next access to the same wave register (Vega ISA, 4.5)",
            Self::SetregVskip => "touches MODE.VSKIP, which has a separate hazard on GFX9: write 2 bits at 24 (Vega ISA, 4.5)",
            Self::BranchDistance => "GFX10.1 misbehaves at a branch offset of exactly 0x3F: insert s_nop (LLVM, Mesa 25.0.7 ACO)",
            Self::MessageAfterM0 => "GFX9 needs one wait state between a write of M0 and s_sendmsg (Vega ISA, 4.5)",
            Self::DeallocDistance => "needs an s_nop directly before s_sendmsg(MSG_DEALLOC_VGPRS), from GFX11 on (LLVM, Mesa 25.0.7 ACO)",
        }
    }
}

/// A finding of [`lint`].
///
/// ```
/// use pm4::{chip::Gfx, waves::{self, Mutation, Section, Setup}};
/// let setup = Setup::plain(Gfx::Gfx10);
/// let words = Mutation::find("no-done").unwrap().program(&Section::of(&setup))?;
/// assert!(!waves::lint(&setup, &words).is_empty());
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    /// The broken rule.
    pub rule: LintRule,
    /// The instruction.
    pub at: InstructionPlace,
}

impl core::fmt::Display for Lint {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let severity = if self.rule.is_warning() { "warning" } else { "error" };
        write!(f, "{severity}[{}]: {} {}", self.rule, self.at, self.rule.text())
    }
}

/// The events on a path so far, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct State(u16);

const PACKER: u16 = 1;
const DONE: u16 = 2;
const EXPORTED: u16 = 4;
const TESTED: u16 = 8;
/// The condition code holds the overlap bit.
const TESTING: u16 = 16;
const LOADS: u16 = 32;
const STORES: u16 = 64;
const SCALARS: u16 = 128;
/// The path polled or waited for its entry.
const WAITED: u16 = 256;
/// The path accessed possibly ordered data.
const ACCESSED: u16 = 512;
/// The path put the tested overlap bit into a register, VCC or EXEC, or may have done so.
const SELECTED: u16 = 1024;

impl State {
    fn has(self, bit: u16) -> bool {
        self.0 & bit != 0
    }

    fn with(self, bit: u16, on: bool) -> Self {
        Self(self.0 & !bit | if on { bit } else { 0 })
    }
}

/// Words of COLLISION_WAVEID without the overlap bit: tests of the bit have the same result for all of them.
const OTHER_BITS: [u32; 6] = [0, 1, 0x4000_0000, 0x5555_5555, 0x2AAA_AAAA, 0x7FFF_FFFF];

struct Walk<'a> {
    setup: &'a Setup,
    code: &'a Code,
    /// Sorted, without duplicates.
    found: Vec<(usize, LintRule)>,
    waits: bool,
    accesses: bool,
    done_at: Option<usize>,
}

/// Checks a program against the obligations of the ordered section and against instruction hazards. For a draw without POPS and without an interlock, which has
/// no section, only hazards are checked.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::waves::{self, LintRule, Section, Setup};
///
/// let setup = Setup::plain(Gfx::Gfx10);
/// let words = Section::of(&setup).words()?;
/// assert!(waves::lint(&setup, &words).is_empty());
/// let unfinished: Vec<u32> = words.iter().copied().filter(|word| *word != 0xBF90_0007).collect(); // without the message
/// assert_eq!(waves::lint(&setup, &unfinished)[0].rule, LintRule::EndWithoutDone);
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
pub fn lint(setup: &Setup, words: &[u32]) -> Vec<Lint> {
    let code = Code::new(setup, words);
    let mut walk = Walk { setup, code: &code, found: Vec::new(), waits: false, accesses: false, done_at: None };
    walk.paths();
    walk.hazards();
    if let Some(at) = walk.done_at.filter(|_| walk.accesses && !walk.waits) {
        walk.add(at, LintRule::NoWait);
    }
    let starts = code.program.starts();
    let at = |step: usize| InstructionPlace {
        instruction: step,
        byte: starts.get(step).copied().unwrap_or(0) * 4,
        text: format!("{}", code.program.line_of(step, &starts)),
    };
    let section = setup.pops || setup.interlock != InterlockScope::NoInterlock;
    walk.found.iter().filter(|(_, rule)| section || !rule.concerns_section()).map(|(step, rule)| Lint { rule: *rule, at: at(*step) }).collect()
}

impl Walk<'_> {
    fn gfx(&self) -> Gfx {
        self.setup.gfx
    }

    fn paths(&mut self) {
        let mut seen: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); self.code.steps.len()];
        let mut work = vec![(0, State(0))];
        while let Some((at, state)) = work.pop() {
            let (Some(step), Some(before)) = (self.code.steps.get(at), seen.get_mut(at)) else {
                self.add(self.code.steps.len().saturating_sub(1), LintRule::RunsPastEnd);
                continue;
            };
            if !before.insert(state.0.into()) {
                continue;
            }
            let after = self.step(at, &step.kind, state);
            work.extend(self.code.successors(at).map(|next| (next, after)));
        }
    }

    fn report(&mut self, at: usize, broken: bool, rule: LintRule) {
        if broken {
            self.add(at, rule);
        }
    }

    fn add(&mut self, at: usize, rule: LintRule) {
        if let Err(place) = self.found.binary_search(&(at, rule)) {
            self.found.insert(place, (at, rule));
        }
    }

    /// Returns the state after a step.
    fn step(&mut self, at: usize, kind: &Kind, state: State) -> State {
        let new = self.gfx().major() >= 11;
        match *kind {
            Kind::Scalar { op, a, b, .. } => {
                let polls = [a, b].contains(&Arg::Exiting);
                if polls {
                    self.waits = true;
                    self.report(at, state.has(DONE), LintRule::WaitAfterDone);
                    self.report(at, !state.has(PACKER), LintRule::PollWithoutPacker);
                    self.report(at, !state.has(TESTED), LintRule::PollWithoutTest);
                }
                let testing = self.tests_overlap(kind) || state.has(TESTING) && preserves_condition(op);
                let selects = matches!(op, Op::SCselectB32 | Op::SCselectB64) && state.has(TESTING);
                let state = state.with(SELECTED, state.has(SELECTED) || selects);
                state.with(TESTING, testing).with(WAITED, state.has(WAITED) || polls)
            }
            Kind::SaveExec { .. } => state.with(TESTING, false),
            Kind::Branch { when, .. } => {
                let tests = match when {
                    When::Scc(_) => state.has(TESTING),
                    When::Vcc(_) | When::Exec(_) => state.has(SELECTED),
                    When::Always => false,
                };
                state.with(TESTED, state.has(TESTED) || tests)
            }
            Kind::Packer { .. } => state.with(PACKER, true),
            Kind::WaitReady => {
                self.waits = true;
                self.report(at, state.has(DONE), LintRule::WaitAfterDone);
                state.with(WAITED, true)
            }
            Kind::Wait(counts) => {
                let outstanding = [LOADS, STORES, SCALARS].into_iter().zip(counts);
                outstanding.fold(state, |state, (bit, count)| state.with(bit, state.has(bit) && count != 0))
            }
            Kind::Access { counter, judged, write, .. } => {
                if !judged {
                    return state;
                }
                self.accesses = true;
                self.report(at, state.has(DONE), LintRule::AccessAfterDone);
                let outstanding = match counter {
                    Counter::Loads => LOADS,
                    Counter::Stores => STORES,
                    Counter::Scalar => SCALARS,
                };
                // If the descriptor of the ordered data is not known, loads may be of other data.
                let ordered = write || self.setup.resource.is_some();
                state.with(outstanding, true).with(ACCESSED, state.has(ACCESSED) || ordered)
            }
            Kind::Done => self.done(at, state),
            Kind::Export { done } => {
                let state = if done && new { self.done(at, state) } else { state };
                // From GFX11 on, a path without DONE does not leave the section, which is a separate finding.
                state.with(EXPORTED, state.has(EXPORTED) || done || new)
            }
            Kind::End { ordered_done } => {
                let state = if ordered_done { self.done(at, state.with(LOADS | STORES | SCALARS, false)) } else { state };
                self.report(at, self.setup.pops && !state.has(DONE) && (state.has(PACKER) || new), LintRule::EndWithoutDone);
                self.report(at, self.setup.pops && !state.has(EXPORTED), LintRule::MissingExport);
                state
            }
            // Words that are not a known instruction.
            Kind::Opaque | Kind::Nothing => state.with(TESTING, state.has(TESTING) && !self.may_write_condition(at)),
            _ => state,
        }
    }

    fn may_write_condition(&self, at: usize) -> bool {
        let item = self.code.program.items().get(at);
        item.is_some_and(|item| matches!(&item.instruction, Instruction::Raw(words) if words.first().is_some_and(|first| may_write_condition(*first))))
    }

    fn done(&mut self, at: usize, state: State) -> State {
        self.done_at = Some(at);
        self.report(at, state.has(DONE), LintRule::DoneTwice);
        self.report(at, state.has(LOADS | STORES | SCALARS), LintRule::NotDrained);
        // A path that has tested the overlap bit need not wait if nothing overlaps.
        self.report(at, state.has(ACCESSED) && !state.has(WAITED | TESTED), LintRule::NoWait);
        state.with(DONE, true)
    }

    /// Returns whether an instruction puts bit 31 of COLLISION_WAVEID into the condition code: all values with the bit give one result, and all values without
    /// it the other.
    fn tests_overlap(&self, kind: &Kind) -> bool {
        let (Kind::Scalar { op, a, b, .. }, Some(sgpr)) = (kind, self.setup.arguments.collision_sgpr()) else { return false };
        let argument = Arg::Reg(sgpr);
        let result = |word: u32, old: bool| {
            let value = |arg: &Arg| match arg {
                Arg::Const(value) => Some(*value),
                arg => (*arg == argument).then_some(u64::from(word)),
            };
            Some(alu::compute(*op, value(a)?, value(b)?, 0, old).scc)
        };
        let same = |bit: u32| {
            let mut results = OTHER_BITS.iter().flat_map(|bits| [result(bits | bit, false), result(bits | bit, true)]);
            let first = results.next().flatten()?;
            results.all(|other| other == Some(first)).then_some(first)
        };
        same(0).zip(same(collision::DID_OVERLAP)).is_some_and(|(without, with)| without != with)
    }

    /// Hazards between neighbouring instructions, in the order of the program.
    fn hazards(&mut self) {
        let gfx = self.gfx();
        let items: Vec<Instruction> = self.code.program.items().iter().map(|item| item.instruction).collect();
        let starts = self.code.program.starts();
        for (at, instruction) in items.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|n| items.get(n));
            // Earlier instructions with fewer wait states in between.
            let near = |states: usize| {
                let before = items.get(..at).unwrap_or_default().iter().rev();
                before.scan(0, move |between: &mut usize, instruction| {
                    let here = *between;
                    *between += wait_states(instruction);
                    (here < states).then_some(instruction)
                })
            };
            match instruction {
                Instruction::Setreg { to: register, .. } | Instruction::SetregImm { to: register, .. } | Instruction::Getreg { from: register, .. }
                    if gfx.major() == 9 =>
                {
                    self.report(at, near(2).any(|i| written(i) == Some(register.id)), LintRule::SetregDistance);
                    let vskip = Hwreg::find(gfx, "MODE").is_some_and(|mode| mode.id == register.id) && register.mask() >> 28 & 1 == 1;
                    self.report(at, vskip && written(instruction).is_some(), LintRule::SetregVskip);
                }
                Instruction::Sopp { op: Op::SSendmsg, imm } => {
                    self.report(at, gfx.major() == 9 && before.is_some_and(writes_m0), LintRule::MessageAfterM0);
                    let dealloc = gfx.major() >= 11 && message::id(gfx, *imm) == message::DEALLOC_VGPRS;
                    self.report(at, dealloc && !before.is_some_and(is_nop), LintRule::DeallocDistance);
                }
                _ => {}
            }
            let target = self.code.program.items().get(at).and_then(|item| item.target).and_then(|t| starts.get(t));
            let distance = target.zip(starts.get(at + 1)).map(|(to, from)| *to as i64 - *from as i64);
            self.report(at, gfx.version() == (10, 1) && distance == Some(0x3F), LintRule::BranchDistance);
        }
    }
}

/// Returns whether the instruction preserves the condition code: a set code stays set for all operands.
fn preserves_condition(op: Op) -> bool {
    // A single pair would not suffice because of carries: s_subb_u32 of 1 and 1 returns the carry that it receives.
    const OPERANDS: [(u64, u64); 5] = [(1, 1), (0, 0), (0, 1), (1, 0), (u64::MAX, u64::MAX)];
    OPERANDS.into_iter().all(|(a, b)| alu::compute(op, a, b, 0, true).scc)
}

fn is_nop(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Sopp { op: Op::SNop, .. })
}

/// Returns whether a scalar instruction writes M0.
fn writes_m0(instruction: &Instruction) -> bool {
    let destination = match *instruction {
        Instruction::Sop1 { dst, .. } => dst,
        Instruction::Sop2 { dst, .. } | Instruction::Getreg { dst, .. } | Instruction::SendmsgRtn { dst, .. } => Some(dst),
        // The other instructions compare the register or name a counter.
        Instruction::Sopk { op: Op::SMovkI32 | Op::SCmovkI32 | Op::SAddkI32 | Op::SMulkI32, reg, .. } => Some(reg),
        _ => None,
    };
    destination == Some(Reg::M0)
}

/// Returns the number of wait states: for s_nop, the immediate plus one.
fn wait_states(instruction: &Instruction) -> usize {
    match instruction {
        Instruction::Sopp { op: Op::SNop, imm } => usize::from(*imm & 0xF) + 1,
        _ => 1,
    }
}

/// Returns the wave register that an instruction writes.
fn written(instruction: &Instruction) -> Option<u8> {
    match instruction {
        Instruction::Setreg { to, .. } | Instruction::SetregImm { to, .. } => Some(to.id),
        _ => None,
    }
}
