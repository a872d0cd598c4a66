//! Waiting for ordered sections, leaving them, and ending.

use super::state::Machine;
use crate::isa::pops::collision;
use crate::waves::report::Mistake;
use crate::waves::watch::{WaveEvent, WaveObserver};
use crate::waves::wave::Doing;

impl<W: WaveObserver> Machine<'_, W> {
    pub(super) fn sleep(&mut self, slot: usize) {
        self.waves[slot].doing = Doing::Sleeping;
        let packer = usize::from(self.waves[slot].packer);
        self.packers[packer].sleepers.push(slot);
        self.notify(slot, WaveEvent::Sleep);
    }

    /// Wakes all sleepers of a packer.
    pub(super) fn wake(&mut self, packer: usize) {
        while let Some(slot) = self.packers[packer].sleepers.pop() {
            self.wake_one(slot);
        }
    }

    /// Wakes some sleepers of a packer. It is not known how soon an exit wakes a sleeper, and a sleep may last.
    fn wake_some(&mut self, packer: usize) {
        let mut coins = self.rng.next();
        for at in (0..self.packers[packer].sleepers.len()).rev() {
            if coins & 1 == 1 {
                let slot = self.packers[packer].sleepers.swap_remove(at);
                self.wake_one(slot);
            }
            coins = coins.rotate_right(1);
        }
    }

    fn wake_one(&mut self, slot: usize) {
        self.waves[slot].doing = Doing::Running;
        self.ready.push(slot);
        self.notify(slot, WaveEvent::Wake);
    }

    /// Returns the exiting wave id, which changes between reads.
    pub(super) fn exiting(&mut self, slot: usize) -> u32 {
        let at = self.waves[slot].at.saturating_sub(1);
        self.waves[slot].polls = true;
        if self.waves[slot].done && !self.waves[slot].late_wait {
            self.waves[slot].late_wait = true;
            self.mistake(slot, Mistake::WaitAfterDone, at);
        }
        match self.named_packer(slot) {
            Some(packer) => self.packers.get(packer).map_or(0, |p| u32::from(self.id(p.done.first_out))),
            None => {
                self.mistake(slot, Mistake::PollWithoutPacker, at);
                self.record_chance(slot);
                self.rng.next() as u32 & collision::ID_MASK // the value read is unverified
            }
        }
    }

    pub(super) fn done(&mut self, slot: usize, at: usize) {
        let wave = &self.waves[slot];
        let (drained, twice) = (wave.pending.is_empty(), wave.done);
        // A wave that has entered no section may leave it at any time (POPS article, GFX9 to GFX10.3: the message is fine before the packer is set).
        let entered = wave.accessed || wave.packer_set;
        let early = self.setup.pops && entered && self.waits_for(slot).is_some();
        if twice {
            self.mistake(slot, Mistake::DoneTwice, at);
            return;
        }
        if !drained {
            self.mistake(slot, Mistake::NotDrained, at);
        }
        if early {
            self.mistake(slot, Mistake::DoneBeforeWait, at);
        }
        self.waves[slot].done = true;
        self.notify(slot, WaveEvent::Done);
        self.leave(slot);
    }

    /// Marks the wave as having left its section and wakes waiting waves.
    fn leave(&mut self, slot: usize) {
        let (packer, number) = (usize::from(self.waves[slot].packer), self.waves[slot].number);
        let advanced = self.packers[packer].done.insert(number);
        self.moved += 1;
        if advanced || self.setup.gfx.major() >= 11 {
            self.wake_some(packer);
        }
    }

    pub(super) fn end(&mut self, slot: usize, at: usize) {
        let wave = &self.waves[slot];
        let (done, exported, packer_set) = (wave.done, wave.exported, wave.packer_set);
        let (packer, number) = (wave.packer, wave.number);
        let by_export = self.setup.gfx.major() >= 11;
        if self.setup.pops {
            if !exported || by_export && !self.setup.export_space {
                self.mistake(slot, Mistake::MissingExport, at);
            }
            if !done && (packer_set || by_export) {
                self.mistake(slot, Mistake::EndWithoutDone, at);
                self.lost.push((packer, number, at));
            } else if !done {
                self.leave(slot); // it never entered a section
            }
        } else if !done {
            self.leave(slot);
        }
        self.report.waves += 1;
        self.notify(slot, WaveEvent::End);
        if self.waves[slot].pending.is_empty() {
            self.retire(slot);
        } else {
            self.waves[slot].doing = Doing::Draining;
            self.ready.push(slot);
        }
    }

    pub(super) fn retire(&mut self, slot: usize) {
        let (packer, number) = (usize::from(self.waves[slot].packer), self.waves[slot].number);
        self.waves[slot].doing = Doing::Nothing;
        self.packers[packer].finished.insert(number);
        self.packers[packer].live -= 1;
        self.free.push(slot);
        self.moved += 1;
    }
}
