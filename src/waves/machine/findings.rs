//! What a run reports: violations, mistakes of the program, hangs.

use super::state::Machine;
use crate::waves::coverage::SCREEN;
use crate::waves::packer::Entry;
use crate::waves::report::{Hang, Mistake, ProtocolError, Violation, Waiting, WaveFinding};
use crate::waves::setup::Axiom;
use crate::waves::watch::WaveObserver;
use crate::waves::wave::{Doing, Pending};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Maximum number of waves that a hang names.
const NAMED: usize = 4;

impl<W: WaveObserver> Machine<'_, W> {
    pub(super) fn violation(&mut self, slot: usize, place: usize, younger: Entry, common: u32, access: &Pending) {
        let pixel = common.trailing_zeros() / 8;
        let violation = Violation {
            older: self.name_of(slot),
            younger: self.name(self.waves[slot].packer, younger.wave - 1),
            access: self.at(access.step as usize),
            write: access.write,
            pixel: pixel_of(place, pixel),
            samples: (common >> (8 * pixel)) as u8 & ((1u16 << (1 << self.setup.samples_log2.min(3))) - 1) as u8,
            axiom: self.setup.axiom.map(Axiom::text),
        };
        self.report.findings.push(WaveFinding::Violation(violation));
    }

    pub(super) fn mistake(&mut self, slot: usize, mistake: Mistake, at: usize) {
        self.report.protocol_errors += 1;
        if !self.kinds.contains(&mistake) {
            self.kinds.push(mistake);
            let error = ProtocolError { wave: self.name_of(slot), mistake, at: self.at(at) };
            self.report.findings.push(WaveFinding::Protocol(error));
        }
    }

    /// No progress is possible: records which wave waits for which. `drained` is the packer whose drain never ends.
    pub(super) fn hang(&mut self, drained: Option<usize>) {
        self.hung = true;
        let mut sleepers: Vec<usize> = self.packers.iter().flat_map(|p| p.sleepers.iter().copied()).chain(self.ready.iter().copied()).collect();
        sleepers.sort_by_key(|slot| (self.waves[*slot].number, self.waves[*slot].packer));
        let stuck: Vec<usize> = match drained {
            Some(packer) => self.packers[packer].open.into_iter().collect(),
            None if sleepers.is_empty() => self.packers.iter().filter_map(|p| p.open).collect(),
            None => Vec::new(),
        };
        let waves = (sleepers.len() + stuck.len()).max(1) as u64;
        self.report.hung_waves += waves;
        let mut waiting: Vec<Waiting> = sleepers.iter().take(NAMED).map(|slot| self.waiting(*slot)).collect();
        for slot in stuck.into_iter().take(NAMED) {
            let name = self.name_of(slot);
            let on = self.waves[slot].newest.map(|newest| self.name(name.packer, newest));
            let because = if on.is_some() { "and is not launched before that wave ends" } else { "is not launched: an earlier wave must end first" };
            waiting.push(Waiting { wave: name, at: None, on, because: because.into() });
        }
        let axiom = self.setup.axiom.filter(|a| *a == Axiom::StalledPops && drained.is_some()).map(Axiom::text);
        self.report.findings.push(WaveFinding::Hang(Hang { waves, waiting, axiom }));
    }

    fn waiting(&self, slot: usize) -> Waiting {
        let wave = &self.waves[slot];
        let by_export = self.setup.gfx.major() >= 11;
        let polled = if by_export { Some(usize::from(wave.packer)) } else { self.named_packer(slot) };
        let number = if by_export { self.waits_for(slot) } else { polled.and_then(|p| self.packers.get(p)).map(|p| p.done.first_out) };
        let packer = polled.and_then(|p| u8::try_from(p).ok()).unwrap_or(wave.packer);
        let owner = number.filter(|_| wave.polls).map(|number| (packer, number));
        let because = match owner {
            None if wave.polls => String::from("which names no packer: its poll never succeeds"),
            None => String::from("which waits for no wave"),
            Some((p, n)) if (p, n) == (wave.packer, wave.number) => String::from("which is itself: it must leave its section before it may enter"),
            Some((p, n)) => match self.lost.iter().find(|(lp, ln, _)| (*lp, *ln) == (p, n)) {
                Some((.., at)) => format!("which ended at {} without leaving its section", self.at(*at)),
                None => match self.waves.iter().find(|w| (w.packer, w.number) == (p, n) && w.doing != Doing::Nothing) {
                    Some(other) => format!("which also waits, at {}", self.at(other.at)),
                    None => String::from("which is not launched yet"),
                },
            },
        };
        Waiting { wave: self.name_of(slot), at: Some(self.at(wave.at)), on: owner.map(|(p, n)| self.name(p, n)), because }
    }
}

/// Returns the position (x, y) of a pixel of the quad at a place of the packer's screen.
#[inline]
pub(super) fn pixel_of(place: usize, pixel: u32) -> (u32, u32) {
    ((place % SCREEN) as u32 * 2 + pixel % 2, (place / SCREEN) as u32 * 2 + pixel / 2)
}
