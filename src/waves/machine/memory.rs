//! Accesses of waves: when they are issued, and when they reach memory.

use super::findings::pixel_of;
use super::state::Machine;
use crate::waves::counters::{Counter, most_outstanding};
use crate::waves::packer::DEPTH;
use crate::waves::watch::{PixelAccess, WaveEvent, WaveObserver};
use crate::waves::wave::{Part, Pending};

impl<W: WaveObserver> Machine<'_, W> {
    pub(super) fn issue(&mut self, slot: usize, at: usize, counter: Counter, (read, write): (bool, bool)) {
        let exec = self.waves[slot].exec();
        self.notify(slot, WaveEvent::Access { write });
        self.complete_down_to(slot, counter, most_outstanding(self.setup.gfx, counter) - 1);
        self.waves[slot].accessed = true;
        self.waves[slot].pending.push(Pending { step: at as u32, counter, read, write, exec });
        // An access may be complete at once, or much later.
        if self.rng.one_in(4) {
            self.complete_oldest(slot, counter);
        }
    }

    /// Waits: completes accesses in order until each counter is at or below its limit.
    pub(super) fn wait(&mut self, slot: usize, counts: [u8; 3]) {
        for counter in [Counter::Loads, Counter::Stores, Counter::Scalar] {
            self.complete_down_to(slot, counter, usize::from(counts[counter as usize]));
        }
    }

    /// Completes accesses of a counter until at most `limit` are outstanding.
    pub(super) fn complete_down_to(&mut self, slot: usize, counter: Counter, limit: usize) {
        let outstanding = self.waves[slot].pending.iter().filter(|p| p.counter == counter).count();
        for _ in limit..outstanding {
            self.complete_oldest(slot, counter);
        }
    }

    /// Completes the oldest access of a counter in memory. Younger accesses to a shared pixel or sample must not have reached it earlier.
    pub(super) fn complete_oldest(&mut self, slot: usize, counter: Counter) {
        let (name, time) = (self.name_of(slot), self.time);
        let wave = &mut self.waves[slot];
        let Some(at) = wave.pending.iter().position(|p| p.counter == counter) else { return };
        let access = wave.pending.remove(at);
        let packer = &mut self.packers[usize::from(wave.packer)];
        let whole = access.exec == wave.lanes;
        let (mut broken, mut first) = (0, None);
        for part in &wave.parts {
            let promised = if whole { part.promised } else { active(part, access.exec) };
            if promised == 0 {
                continue;
            }
            let place = &mut packer.places[usize::from(part.place)];
            let before = broken;
            let next = usize::from(packer.next_entry[usize::from(part.place)]);
            let mut at = usize::from(part.entry);
            place.entries[at].read |= access.read;
            place.entries[at].write |= access.write;
            loop {
                at = (at + 1) % DEPTH;
                if at == next {
                    break;
                }
                let younger = &place.entries[at];
                let common = younger.promised & promised;
                if common != 0 && (younger.write || access.write && younger.read) {
                    broken += 1;
                    first.get_or_insert((usize::from(part.place), *younger, common));
                }
            }
            let pixel = pixel_of(usize::from(part.place), 0);
            let late = broken > before;
            self.watch.access(time, &PixelAccess { wave: name, pixel, samples: promised, read: access.read, write: access.write, late });
        }
        if let Some((place, younger, common)) = first {
            if self.report.violations == 0 {
                self.violation(slot, place, younger, common, &access);
            }
            self.report.violations += broken;
        }
    }
}

/// Returns the samples of a quad of pixels that an access of the lanes in `exec` has for itself.
fn active(part: &Part, exec: u64) -> u32 {
    let lanes = exec >> (4 * part.quad) & 0xF;
    part.lanes.iter().enumerate().fold(part.promised, |mask, (pixel, lane)| if lanes >> lane & 1 == 0 { mask & !(0xFF << (8 * pixel)) } else { mask })
}
