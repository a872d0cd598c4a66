//! Packers pack quads into waves and launch them.

use super::state::Machine;
use crate::isa::pops::collision;
use crate::waves::code::{EXEC, M0};
use crate::waves::coverage::{LaneQuad, SCREEN};
use crate::waves::packer::{Entry, MOST_LIVE, Packer};
use crate::waves::setup::{Axiom, Setup};
use crate::waves::watch::{WaveEvent, WaveObserver};
use crate::waves::wave::{Doing, Part, Wave};

impl<W: WaveObserver> Machine<'_, W> {
    /// Packs on packers in random order until one launches a wave.
    pub(super) fn launch_somewhere(&mut self) -> bool {
        let first = self.rng.below(self.packers.len());
        let launches = (0..self.packers.len()).any(|n| {
            let packer = (first + n) % self.packers.len();
            !self.hung && self.pack(packer) && self.launch(packer)
        });
        if !launches {
            self.refused = Some(self.moved);
        }
        launches
    }

    /// Packs quads until the wave is full; returns false if the packer stalls.
    fn pack(&mut self, index: usize) -> bool {
        let packer = &self.packers[index];
        if packer.live >= packer.cap || packer.next - packer.finished.first_out >= MOST_LIVE {
            return false;
        }
        let slot = match packer.open {
            Some(slot) => slot,
            None => {
                let slot = self.free.pop().unwrap_or_else(|| {
                    self.waves.push(Wave::new());
                    self.waves.len() - 1
                });
                let packer = &mut self.packers[index];
                self.waves[slot].open(index as u8, packer.next);
                packer.open = Some(slot);
                packer.closed = false;
                slot
            }
        };
        while !self.packers[index].closed {
            if !self.packers[index].in_shape(&self.shapes) {
                // A wave may be launched before it is full (unverified when); here, at the end of a primitive.
                if self.waves[slot].quads > 0 && self.rng.one_in(3) {
                    self.packers[index].closed = true;
                    break;
                }
                let shape = self.rng.below(self.shapes.len());
                let place = self.rng.next();
                let feed = &mut self.packers[index].feed;
                (feed.shape, feed.quad) = (shape, 0);
                (feed.x, feed.y) = (place as u8 % SCREEN as u8, (place >> 8) as u8 % SCREEN as u8);
            }
            let packer = &mut self.packers[index];
            let quad = &self.shapes[packer.feed.shape][packer.feed.quad];
            match add_quad(self.setup, packer, &mut self.waves[slot], quad) {
                QuadResult::Added => self.packers[index].feed.quad += 1,
                QuadResult::Close => self.packers[index].closed = true,
                QuadResult::Stall => return false,
            }
        }
        true
    }

    /// Launches the packed wave; returns false if something delays it.
    fn launch(&mut self, index: usize) -> bool {
        let Some(slot) = self.packers[index].open else { return false };
        let overlapped = self.waves[slot].newest;
        if let Some(newest) = overlapped.filter(|_| self.setup.drain && self.setup.pops) {
            if self.setup.axiom == Some(Axiom::StalledPops) {
                self.hang(Some(index));
                return false;
            }
            if self.packers[index].finished.first_out <= newest {
                return false; // drained first
            }
        }
        // Without export space, or without any export, nothing is ordered up to GFX10.3 (POPS article, section Export requirements).
        let old = self.setup.gfx.major() <= 10;
        let unordered = old && (!self.setup.export_space || !self.code.exports && self.setup.gfx.major() == 10);
        let missed = self.setup.axiom == Some(Axiom::MissedOverlap) && self.rng.one_in(4);
        // No source says whether a drained wave still has DID_OVERLAP.
        let forgotten = self.setup.drain && self.rng.one_in(2);
        if unordered || missed || forgotten {
            let wave = &mut self.waves[slot];
            wave.newest = None;
            wave.overlaps.clear();
        }
        self.start(slot);
        let packer = &mut self.packers[index];
        packer.open = None;
        packer.next += 1;
        packer.live += 1;
        if packer.next.is_multiple_of(32) {
            // The number of waves and their pace depend on other work (unverified how).
            packer.cap = 2 + self.rng.below(20);
            self.pace = [3, 12, 32, 64][self.rng.below(4)];
        }
        self.launched += 1;
        self.moved += 1;
        self.ready.push(slot);
        let (quads, newest) = (self.waves[slot].quads, self.waves[slot].newest);
        // This includes overlaps that the collision word does not report.
        self.report.overlapped += u64::from(overlapped.is_some());
        self.notify(slot, WaveEvent::Launch { quads, newest });
        true
    }

    /// Gives the wave its registers.
    fn start(&mut self, slot: usize) {
        let arguments = self.setup.arguments;
        let word = self.collision_word(slot);
        let prim_mask = self.rng.next() as u32 & 0x7FFF_0000;
        let wave = &mut self.waves[slot];
        wave.doing = Doing::Running;
        wave.regs.fill(0);
        wave.write(arguments.prim_mask_sgpr(), prim_mask.into(), false);
        let send = |wave: &mut Wave, sgpr: Option<u8>, known: bool, value: u32| {
            if let Some(sgpr) = sgpr.filter(|_| known) {
                wave.write(sgpr, value.into(), false);
            }
        };
        send(wave, arguments.collision_sgpr(), arguments.collision.agrees(), word);
        // Bits above the quads of the wave have no meaning (POPS article); here they are set.
        let above = u32::MAX.checked_shl(self.setup.wave.quads()).unwrap_or(0);
        let layers = wave.layers | above;
        send(wave, arguments.intrawave_sgpr(), arguments.intrawave.agrees(), layers);
        wave.write(EXEC, wave.lanes, true);
        wave.write(M0, 0, false);
    }

    /// Returns COLLISION_WAVEID for the wave.
    fn collision_word(&mut self, slot: usize) -> u32 {
        let wave = &self.waves[slot];
        let (number, packer, layers) = (wave.number, wave.packer, wave.layers);
        let current = u32::from(self.id(number));
        // If only quads of the wave itself overlap, some older wave must be named. Which one is not known (unverified: the previous one).
        let newest = wave.newest.or_else(|| (layers != 0).then(|| number.wrapping_sub(1)));
        let field = match newest {
            Some(newest) => {
                let id = u32::from(self.id(newest));
                // GFX9 reports an id from before the wrap one too low (POPS article).
                if self.setup.gfx.major() == 9 && id > current { id - 1 } else { id }
            }
            // Without an overlap, the field has no meaning (its value is unverified).
            None => match self.rng.below(4) {
                0 => 0,
                1 => current,
                2 => self.rng.next() as u32 & collision::ID_MASK,
                _ => current.wrapping_sub(1) & collision::ID_MASK,
            },
        };
        let overlap = if newest.is_some() { collision::DID_OVERLAP } else { 0 };
        overlap | u32::from(packer) << collision::PACKER | field << collision::NEWEST | current
    }
}

enum QuadResult {
    Added,
    Close,
    Stall,
}

/// Adds a quad to the wave, if permitted.
fn add_quad(setup: &Setup, packer: &mut Packer, wave: &mut Wave, quad: &LaneQuad) -> QuadResult {
    let me = wave.number + 1;
    let by_id = setup.gfx.major() <= 10;
    let covers = &quad.covers[..usize::from(quad.count)];
    let mut new_layer = false;
    for cover in covers {
        let at = Packer::place(&packer.feed, cover.x, cover.y);
        let (place, next) = (&packer.places[at], packer.next_entry[at]);
        let oldest = place.oldest(next);
        if oldest.wave == me {
            return QuadResult::Close;
        }
        if oldest.wave != 0 && !packer.finished.contains(oldest.wave - 1) {
            // An empty wave has nothing to launch, so it waits.
            return if wave.quads == 0 { QuadResult::Stall } else { QuadResult::Close };
        }
        let own = place.newest_first(next).take_while(|e| e.wave == me).filter(|e| setup.pops && e.hardware & cover.hardware != 0);
        for entry in own {
            if !layered(setup) {
                return QuadResult::Close;
            }
            new_layer |= entry.quad >= wave.layer_start;
        }
    }
    if new_layer {
        wave.layers |= 1 << wave.quads;
        wave.layer_start = wave.quads;
    }
    for cover in covers {
        let at = Packer::place(&packer.feed, cover.x, cover.y);
        for entry in packer.places[at].newest_first(packer.next_entry[at]) {
            let number = entry.wave - 1;
            if number < packer.done.first_out {
                break; // this wave and all older ones have left their sections
            }
            if entry.wave == me || !setup.pops || entry.hardware & cover.hardware == 0 || packer.done.contains(number) {
                continue;
            }
            wave.newest = wave.newest.max(Some(number));
            if by_id {
                break; // the exiting id covers all older waves
            }
            if !wave.overlaps.contains(&number) {
                wave.overlaps.push(number);
            }
        }
        let entry = Entry { wave: me, quad: wave.quads, read: false, write: false, hardware: cover.hardware, promised: cover.promised };
        let entry = packer.push(at, entry);
        wave.parts.push(Part { place: at as u16, entry, quad: wave.quads, lanes: cover.lanes, promised: cover.promised });
    }
    wave.lanes |= u64::from(quad.exec) << (4 * wave.quads);
    wave.quads += 1;
    packer.closed = u32::from(wave.quads) == setup.wave.quads();
    QuadResult::Added
}

/// Returns whether overlapping quads may share a wave. The intrawave word then names them, and the shader runs them one after another.
fn layered(setup: &Setup) -> bool {
    setup.gfx.major() <= 10 && setup.arguments.intrawave.shader && setup.arguments.intrawave.scan_converter
}
