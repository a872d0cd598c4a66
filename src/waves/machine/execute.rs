//! A wave executes its program, instruction by instruction.

use super::state::Machine;
use crate::isa::WaveSize;
use crate::waves::alu;
use crate::waves::code::{Arg, EXEC, Kind, Registers, VCC, When};
use crate::waves::report::Mistake;
use crate::waves::setup::InterlockScope;
use crate::waves::watch::WaveObserver;

/// How a wave stopped running.
pub(super) enum Stop {
    Preempted,
    Sleeping,
    Ended,
}

impl<W: WaveObserver> Machine<'_, W> {
    /// Runs a wave until it sleeps, ends, or has run `budget` instructions.
    pub(super) fn burst(&mut self, slot: usize, budget: usize) -> Stop {
        for _ in 0..budget {
            self.executed += 1;
            let at = self.waves[slot].at;
            let Some(step) = self.code.steps.get(at).copied() else {
                self.mistake(slot, Mistake::LeftProgram, at);
                self.end(slot, at);
                return Stop::Ended;
            };
            if step.unknown {
                self.mistake(slot, Mistake::UnknownArgument, at);
            }
            self.waves[slot].at = at + 1;
            match step.kind {
                Kind::Nothing | Kind::Opaque => {}
                Kind::Unknown(registers) => self.write_unknown(slot, registers),
                Kind::Scalar { op, dst, wide, a, b } => {
                    let (a, b) = (self.read(slot, a), self.read(slot, b));
                    let wave = &mut self.waves[slot];
                    let out = alu::compute(op, a, b, wave.reg(dst).into(), wave.scc);
                    wave.scc = out.scc;
                    if let Some(value) = out.value {
                        wave.write(dst, value, wide);
                    }
                }
                Kind::SaveExec { wide, dst, a } => {
                    let a = self.read(slot, a);
                    let wave = &mut self.waves[slot];
                    let exec = wave.exec();
                    wave.write(dst, exec, wide);
                    let new = a & exec & if wide { u64::MAX } else { 0xFFFF_FFFF };
                    wave.write(EXEC, if wide { new } else { new | exec & !0xFFFF_FFFF }, true);
                    wave.scc = new != 0;
                }
                Kind::Packer { mask, shift, from } => {
                    let value = (self.read(slot, from) as u32) << shift & mask;
                    let wave = &mut self.waves[slot];
                    wave.packer_register = wave.packer_register & !mask | value;
                    let named = self.named_packer(slot).is_some();
                    self.waves[slot].packer_set |= named;
                }
                Kind::Getreg { dst, packer, shift, mask } => {
                    let wave = &mut self.waves[slot];
                    let value = if packer { wave.packer_register >> shift & mask } else { 0 };
                    wave.write(dst, value.into(), false);
                }
                Kind::Branch { when, target } => {
                    if self.branch_taken(slot, when) {
                        match target {
                            Some(target) => {
                                self.waves[slot].at = target as usize;
                                if target as usize <= at {
                                    self.waves[slot].record_round(self.moved);
                                }
                            }
                            None => {
                                self.mistake(slot, Mistake::LeftProgram, at);
                                self.end(slot, at);
                                return Stop::Ended;
                            }
                        }
                    }
                }
                Kind::Jump => {
                    self.mistake(slot, Mistake::LeftProgram, at);
                    self.end(slot, at);
                    return Stop::Ended;
                }
                Kind::Sleep => return Stop::Sleeping,
                Kind::Wait(counts) => self.wait(slot, counts),
                Kind::WaitSum { counter, register, constant } => {
                    let count = self.waves[slot].reg(register).wrapping_add(constant.into()) & 0x3F;
                    self.complete_down_to(slot, counter, count as usize);
                }
                Kind::WaitReady => {
                    if self.waves[slot].done && !self.waves[slot].late_wait {
                        self.waves[slot].late_wait = true;
                        self.mistake(slot, Mistake::WaitAfterDone, at);
                    }
                    let waits = self.waits_for(slot).is_some();
                    self.waves[slot].polls = waits;
                    if waits {
                        self.waves[slot].at = at;
                        self.waves[slot].record_round(self.moved);
                        return Stop::Sleeping;
                    }
                }
                Kind::Done => self.done(slot, at),
                Kind::Export { done } => {
                    // The last export of a wave has DONE (POPS article, Export requirements); from GFX11 a wave without it does not leave its section.
                    self.waves[slot].exported |= done || self.setup.gfx.major() >= 11;
                    // The done export is skipped with SKIP_EXPORT, which is set where there is no export space (RDNA3 ISA, 3.4.1).
                    if done && self.setup.gfx.major() >= 11 && self.setup.export_space {
                        self.done(slot, at);
                    }
                }
                Kind::Access { read, write, counter, judged, loaded } => {
                    if judged && self.setup.interlock != InterlockScope::NoInterlock {
                        self.issue(slot, at, counter, (read, write));
                    }
                    if let Some(registers) = loaded {
                        self.write_unknown(slot, registers);
                    }
                }
                Kind::End { ordered_done } => {
                    if ordered_done {
                        self.wait(slot, [0; 3]);
                        self.done(slot, at);
                    }
                    self.end(slot, at);
                    return Stop::Ended;
                }
            }
        }
        Stop::Preempted
    }

    /// Writes values that nothing states. They are small: a loop that counts with one ends soon.
    fn write_unknown(&mut self, slot: usize, registers: Registers) {
        self.record_chance(slot);
        for register in registers.first..registers.first + registers.count {
            let value = self.rng.below(4) as u64;
            self.waves[slot].write(register, value, false);
        }
    }

    fn read(&mut self, slot: usize, arg: Arg) -> u64 {
        let wave = &self.waves[slot];
        match arg {
            Arg::Reg(n) => wave.reg(n).into(),
            Arg::Wide(n) => wave.pair(n),
            Arg::Const(value) => value,
            Arg::Scc => wave.scc.into(),
            Arg::Vccz => u64::from(self.vcc(slot) == 0),
            Arg::Execz => u64::from(self.live_exec(slot) == 0),
            Arg::Exiting => self.exiting(slot).into(),
        }
    }

    fn lane_mask(&self) -> u64 {
        if self.setup.wave == WaveSize::W32 { 0xFFFF_FFFF } else { u64::MAX }
    }

    fn vcc(&self, slot: usize) -> u64 {
        self.waves[slot].pair(VCC) & self.lane_mask()
    }

    fn live_exec(&self, slot: usize) -> u64 {
        self.waves[slot].exec() & self.lane_mask()
    }

    fn branch_taken(&self, slot: usize, when: When) -> bool {
        match when {
            When::Always => true,
            When::Scc(set) => self.waves[slot].scc == set,
            When::Vcc(any) => (self.vcc(slot) != 0) == any,
            When::Exec(any) => (self.live_exec(slot) != 0) == any,
        }
    }
}
