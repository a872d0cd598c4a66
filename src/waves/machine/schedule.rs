//! The scheduler, which decides at random which wave runs next and for how long, until all waves have ended or hang.

use super::execute::Stop;
use super::state::{Idle, Machine, RunOptions};
use crate::waves::packer::Packer;
use crate::waves::report::Report;
use crate::waves::setup::Setup;
use crate::waves::watch::WaveObserver;
use crate::waves::wave::Doing;
use alloc::vec::Vec;

/// Instructions per live wave without an event, after which the waves count as hung although they might not loop for ever.
const MOST_IDLE: u64 = 1 << 20;

/// Random values per live wave without an event, after which the waves count as hung too.
const MOST_CHANCES: u64 = 1 << 14;

impl<W: WaveObserver> Machine<'_, W> {
    pub(super) fn run(mut self) -> Report {
        while !self.hung {
            self.time += 1;
            if self.idle.moved != self.moved {
                self.idle = Idle { moved: self.moved, executed: self.executed, chances: self.chances };
            }
            let live = self.packers.iter().map(|packer| packer.live).sum::<usize>().max(1) as u64;
            if self.executed - self.idle.executed > MOST_IDLE * live || self.chances - self.idle.chances > MOST_CHANCES * live {
                self.hang(None);
                break;
            }
            let launching = self.launched < self.options.waves;
            if launching && (self.ready.is_empty() || self.rng.one_in(4)) && self.launch_somewhere() {
                continue;
            }
            if self.hung {
                break;
            }
            if self.spins(launching) {
                // Every sleep ends eventually: sleepers look again until it is known that they change nothing either.
                let looks = |packer: &Packer| packer.sleepers.iter().any(|slot| !self.waves[*slot].is_endless(self.moved));
                if !self.packers.iter().any(looks) {
                    self.hang(None);
                    break;
                }
                (0..self.packers.len()).for_each(|packer| self.wake(packer));
            }
            if !self.ready.is_empty() {
                let at = self.rng.below(self.ready.len());
                let slot = self.ready.swap_remove(at);
                self.turn(slot);
                continue;
            }
            if self.packers.iter().any(|p| !p.sleepers.is_empty()) {
                if self.moved > self.looked {
                    self.looked = self.moved;
                    (0..self.packers.len()).for_each(|packer| self.wake(packer));
                } else {
                    self.wake_all();
                }
                continue;
            }
            if !launching {
                break;
            }
            // Nothing runs, sleeps or can be launched: a packer waits for a wave that is never launched.
            self.hang(None);
        }
        self.report
    }

    /// Returns whether waves run, but all loop for ever unless a sleeper does something.
    fn spins(&self, launching: bool) -> bool {
        let tried = !launching || self.refused == Some(self.moved);
        tried && !self.ready.is_empty() && self.ready.iter().all(|slot| self.waves[*slot].is_endless(self.moved))
    }

    /// Runs one wave for a while.
    fn turn(&mut self, slot: usize) {
        if self.waves[slot].doing == Doing::Draining {
            self.drain_some(slot);
            return;
        }
        let budget = 1 + self.rng.below(self.pace);
        match self.burst(slot, budget) {
            Stop::Preempted => self.ready.push(slot),
            Stop::Sleeping => self.sleep(slot),
            Stop::Ended => {}
        }
    }

    /// Completes some accesses of an ended wave.
    fn drain_some(&mut self, slot: usize) {
        if self.rng.one_in(8) {
            let counter = self.waves[slot].pending.first().map(|p| p.counter);
            if let Some(counter) = counter {
                self.complete_oldest(slot, counter);
            }
        }
        self.moved += 1;
        if self.waves[slot].pending.is_empty() {
            self.retire(slot);
        } else {
            self.ready.push(slot);
        }
    }

    /// Wakes all sleepers when nothing else can happen. If this changes nothing, nothing ever will.
    fn wake_all(&mut self) {
        let sleepers: Vec<usize> = self.packers.iter().flat_map(|p| p.sleepers.iter().copied()).collect();
        let before: Vec<_> = sleepers.iter().map(|slot| self.waves[*slot].state()).collect();
        let moved = self.moved;
        for packer in 0..self.packers.len() {
            self.wake(packer);
        }
        self.ready.clear();
        let mut same = true;
        for (slot, before) in sleepers.iter().zip(&before) {
            match self.burst(*slot, 4096) {
                Stop::Preempted => self.ready.push(*slot),
                Stop::Sleeping => self.sleep(*slot),
                Stop::Ended => {}
            }
            let wave = &self.waves[*slot];
            same &= wave.doing == Doing::Sleeping && wave.is_in(before);
        }
        // Poll loops change their scratch registers once: a second round shows whether anything still changes.
        if same && moved == self.moved && self.ready.is_empty() {
            self.hang(None);
        }
    }
}

/// Runs the pixel shader `words` (machine code of `setup.gfx`) on many waves and reports what went wrong. It judges accesses through `setup.resource`, or all
/// accesses if that is None. The run always ends. Words that are not a known instruction count as instructions without effect, and an SGPR that they might have
/// written counts as known. A scalar load returns a small random number. A jump that the model cannot follow is reported as
/// [`Mistake::LeftProgram`](crate::waves::Mistake::LeftProgram). Waves without progress are reported as a [`Hang`](crate::waves::Hang): waves that only repeat
/// themselves, and waves that each execute 2^20 instructions or take 16,384 random values without an event.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::waves::{self, RunOptions, Setup};
///
/// let setup = Setup::plain(Gfx::Gfx103);
/// let shader = waves::Section::of(&setup).words()?;
/// let report = waves::run(&setup, &shader, RunOptions { waves: 500, ..RunOptions::default() });
/// assert!(report.is_clean() && report.waves == 500);
/// # Ok::<(), pm4::isa::EncodeError>(())
/// ```
pub fn run(setup: &Setup, words: &[u32], options: RunOptions) -> Report {
    run_observed(setup, words, options, &mut ())
}

/// Runs the shader like [`run`] and reports events to `watch`.
pub fn run_observed<W: WaveObserver>(setup: &Setup, words: &[u32], options: RunOptions, watch: &mut W) -> Report {
    Machine::new(setup, words, options, watch).run()
}
