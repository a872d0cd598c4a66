//! The machine: packers pack quads into waves, a seeded scheduler runs the waves in any order that hardware may choose.
//!
//! What no source states is drawn by the generator, not assumed: how many waves are live, which runs next and how far, when an access is complete, how full a
//! wave is launched, what the collision word holds without an overlap (the field has no meaning then) and with the drain, what scalar loads bring.

use super::alu;
use super::code::{Arg, Code, Counter, EXEC, Kind, M0, Registers, VCC, When};
use super::coverage::{LaneQuad, SCREEN, Shape, shapes};
use super::packer::{DEPTH, Entry, MOST_LIVE, Packer};
use super::report::{Hang, InstructionPlace, Mistake, ProtocolError, Report, Violation, Waiting, WaveFinding, WaveName};
use super::rng::Rng;
use super::setup::{Axiom, InterlockScope, Setup};
use super::watch::{PixelAccess, WaveEvent, WaveObserver};
use super::wave::{Doing, Part, Pending, Wave};
use crate::isa::WaveSize;
use crate::isa::pops::collision;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Options of a run.
///
/// For an example see [`run`](crate::waves::run).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOptions {
    /// Waves to launch, over all packers. Default: 1000.
    pub waves: u64,
    /// Seed of the random choices: the same seed gives the same run. Default: 1.
    pub seed: u64,
    /// Id of the first wave of each packer; hardware shows the low 10 bits. Default: 0.
    pub start_id: u32,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { waves: 1000, seed: 1, start_id: 0 }
    }
}

/// Accesses of one counter that a wave has outstanding: no counter of a wait instruction has more than 6 bits, and a wave is taken to stop at a full one
/// (unverified). A loop without a wait would otherwise pile them up.
const MOST_OUTSTANDING: usize = 63;

/// Shapes that a run draws over and over.
const SHAPES: usize = 96;

/// Instructions per live wave without anything happening, after which the waves count as hung, though it is not sure that they loop for ever.
const MOST_IDLE: u64 = 1 << 20;

/// Random values per live wave without anything happening, after which the same is true.
const MOST_CHANCES: u64 = 1 << 14;

/// Waves that a hang names.
const NAMED: usize = 4;

pub(super) struct Machine<'a, W> {
    setup: &'a Setup,
    options: RunOptions,
    code: Code,
    rng: Rng,
    shapes: Vec<Shape>,
    packers: Vec<Packer>,
    waves: Vec<Wave>,
    free: Vec<usize>,
    ready: Vec<usize>,
    launched: u64,
    /// How far a wave runs in a turn, at most.
    pace: usize,
    time: u64,
    /// How many things have happened: waves that were launched, left their section, ended or are over.
    moved: u64,
    /// Instructions that have run.
    executed: u64,
    /// Random values that waves have taken.
    chances: u64,
    idle: Idle,
    /// The value of `moved` when all sleepers were woken last.
    looked: u64,
    /// The value of `moved` when no packer launched a wave.
    refused: Option<u64>,
    /// Waves that ended without leaving their sections: packer, number, step.
    lost: Vec<(u8, u32, usize)>,
    hung: bool,
    report: Report,
    kinds: Vec<Mistake>,
    watch: &'a mut W,
}

/// The counters when something happened last.
#[derive(Default)]
struct Idle {
    moved: u64,
    executed: u64,
    chances: u64,
}

/// How a wave stopped running.
enum Stop {
    Preempted,
    Sleeping,
    Ended,
}

impl<'a, W: WaveObserver> Machine<'a, W> {
    pub fn new(setup: &'a Setup, words: &[u32], options: RunOptions, watch: &'a mut W) -> Self {
        let mut rng = Rng::new(options.seed);
        let shapes = shapes(setup, &mut rng, SHAPES);
        let packers = (0..setup.packers.max(1)).map(|_| Packer::new(8)).collect();
        Self {
            setup,
            options,
            code: Code::new(setup, words),
            rng,
            shapes,
            packers,
            waves: Vec::new(),
            free: Vec::new(),
            ready: Vec::new(),
            launched: 0,
            pace: 5,
            time: 0,
            moved: 0,
            executed: 0,
            chances: 0,
            idle: Idle::default(),
            looked: 0,
            refused: None,
            lost: Vec::new(),
            hung: false,
            report: Report::default(),
            kinds: Vec::new(),
            watch,
        }
    }

    pub fn run(mut self) -> Report {
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
                // A sleep ends some time: sleepers look again until they are known to change nothing either.
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
            // Nothing runs, nobody sleeps, nothing can be launched: a packer waits for a wave that is never launched.
            self.hang(None);
        }
        self.report
    }

    /// Whether waves run, but all loop for ever unless a sleeper does something.
    fn spins(&self, launching: bool) -> bool {
        let tried = !launching || self.refused == Some(self.moved);
        tried && !self.ready.is_empty() && self.ready.iter().all(|slot| self.waves[*slot].is_endless(self.moved))
    }

    fn name(&self, packer: u8, number: u32) -> WaveName {
        WaveName { packer, number, id: self.id(number) }
    }

    fn id(&self, number: u32) -> u16 {
        (self.options.start_id.wrapping_add(number) & collision::ID_MASK) as u16
    }

    fn name_of(&self, slot: usize) -> WaveName {
        self.name(self.waves[slot].packer, self.waves[slot].number)
    }

    fn at(&self, step: usize) -> InstructionPlace {
        let byte = self.code.program.starts().get(step).copied().unwrap_or(0) * 4;
        InstructionPlace { instruction: step, byte, text: format!("{}", self.code.program.line(step)) }
    }

    fn tell(&mut self, slot: usize, event: WaveEvent) {
        let name = self.name_of(slot);
        self.watch.event(self.time, name, event);
    }

    // Packing and launching.

    /// Packs on packers in random order until one launches a wave.
    fn launch_somewhere(&mut self) -> bool {
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

    /// Packs quads until the wave takes no more; false when the packer stalls.
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
                // A wave may be launched with room left (unverified when): here at the end of a primitive.
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
            match take(self.setup, packer, &mut self.waves[slot], quad) {
                Take::Taken => self.packers[index].feed.quad += 1,
                Take::Close => self.packers[index].closed = true,
                Take::Stall => return false,
            }
        }
        true
    }

    /// Launches the packed wave; false when something holds it back.
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
            // Room for waves and their pace change with what else runs (unverified how).
            packer.cap = 2 + self.rng.below(20);
            self.pace = [3, 12, 32, 64][self.rng.below(4)];
        }
        self.launched += 1;
        self.moved += 1;
        self.ready.push(slot);
        let (quads, newest) = (self.waves[slot].quads, self.waves[slot].newest);
        // Also those of which the wave itself does not learn.
        self.report.overlapped += u64::from(overlapped.is_some());
        self.tell(slot, WaveEvent::Launch { quads, newest });
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
        // Bits above the quads of the wave mean nothing (POPS article): here they are set.
        let above = u32::MAX.checked_shl(self.setup.wave.quads()).unwrap_or(0);
        let layers = wave.layers | above;
        send(wave, arguments.intrawave_sgpr(), arguments.intrawave.agrees(), layers);
        wave.write(EXEC, wave.lanes, true);
        wave.write(M0, 0, false);
    }

    /// COLLISION_WAVEID.
    fn collision_word(&mut self, slot: usize) -> u32 {
        let wave = &self.waves[slot];
        let (number, packer, layers) = (wave.number, wave.packer, wave.layers);
        let current = u32::from(self.id(number));
        // With layers in the wave alone, some older wave must be named; which is not known (unverified: the one before).
        let newest = wave.newest.or_else(|| (layers != 0).then(|| number.wrapping_sub(1)));
        let field = match newest {
            Some(newest) => {
                let id = u32::from(self.id(newest));
                // GFX9 reports an id from before the wrap one too low (POPS article).
                if self.setup.gfx.major() == 9 && id > current { id - 1 } else { id }
            }
            // Without an overlap the field means nothing (unverified what it holds).
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

    // Running.

    /// One wave runs for a while.
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

    fn sleep(&mut self, slot: usize) {
        self.waves[slot].doing = Doing::Sleeping;
        let packer = usize::from(self.waves[slot].packer);
        self.packers[packer].sleepers.push(slot);
        self.tell(slot, WaveEvent::Sleep);
    }

    /// All sleepers of a packer run again.
    fn wake(&mut self, packer: usize) {
        while let Some(slot) = self.packers[packer].sleepers.pop() {
            self.rouse(slot);
        }
    }

    /// Some sleepers of a packer run again: how soon an exit wakes one is not known, and a sleep may last.
    fn wake_some(&mut self, packer: usize) {
        let mut coins = self.rng.next();
        for at in (0..self.packers[packer].sleepers.len()).rev() {
            if coins & 1 == 1 {
                let slot = self.packers[packer].sleepers.swap_remove(at);
                self.rouse(slot);
            }
            coins = coins.rotate_right(1);
        }
    }

    fn rouse(&mut self, slot: usize) {
        self.waves[slot].doing = Doing::Running;
        self.ready.push(slot);
        self.tell(slot, WaveEvent::Wake);
    }

    /// Nothing else can happen: all sleepers look again. When that changes nothing, nothing ever will.
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

    /// Runs a wave until it sleeps, ends, or has run `budget` instructions.
    fn burst(&mut self, slot: usize, budget: usize) -> Stop {
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
                    if self.taken(slot, when) {
                        match target {
                            Some(target) => {
                                self.waves[slot].at = target as usize;
                                if target as usize <= at {
                                    self.waves[slot].goes_round(self.moved);
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
                        self.waves[slot].goes_round(self.moved);
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
        self.take_chance(slot);
        for register in registers.first..registers.first + registers.count {
            let value = self.rng.below(4) as u64;
            self.waves[slot].write(register, value, false);
        }
    }

    fn take_chance(&mut self, slot: usize) {
        self.chances += 1;
        self.waves[slot].takes_chance();
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

    fn taken(&self, slot: usize, when: When) -> bool {
        match when {
            When::Always => true,
            When::Scc(set) => self.waves[slot].scc == set,
            When::Vcc(any) => (self.vcc(slot) != 0) == any,
            When::Exec(any) => (self.live_exec(slot) != 0) == any,
        }
    }

    /// The packer that the wave names: by exactly one of two bits on GFX9, by number from GFX10.
    fn named_packer(&self, slot: usize) -> Option<usize> {
        let bits = self.waves[slot].packer_register;
        match self.setup.gfx.major() {
            9 => match bits >> 24 & 3 {
                1 => Some(0),
                2 => Some(1),
                _ => None,
            },
            _ => (bits & 1 == 1).then_some((bits >> 1 & 3) as usize),
        }
    }

    /// The exiting wave id, read again each time.
    fn exiting(&mut self, slot: usize) -> u32 {
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
                self.take_chance(slot);
                self.rng.next() as u32 & collision::ID_MASK // unverified what it reads
            }
        }
    }

    /// The newest wave that this one must still wait for.
    fn waits_for(&self, slot: usize) -> Option<u32> {
        let wave = &self.waves[slot];
        let packer = &self.packers[usize::from(wave.packer)];
        if self.setup.gfx.major() <= 10 {
            // The exiting id covers all older waves.
            return wave.newest.filter(|newest| packer.done.first_out <= *newest);
        }
        wave.overlaps.iter().copied().filter(|number| !packer.done.has(*number)).max()
    }

    fn done(&mut self, slot: usize, at: usize) {
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
        self.tell(slot, WaveEvent::Done);
        self.leave(slot);
    }

    /// The wave counts as having left its section: waves that wait look again.
    fn leave(&mut self, slot: usize) {
        let (packer, number) = (usize::from(self.waves[slot].packer), self.waves[slot].number);
        let advanced = self.packers[packer].done.add(number);
        self.moved += 1;
        if advanced || self.setup.gfx.major() >= 11 {
            self.wake_some(packer);
        }
    }

    fn end(&mut self, slot: usize, at: usize) {
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
        self.tell(slot, WaveEvent::End);
        if self.waves[slot].pending.is_empty() {
            self.retire(slot);
        } else {
            self.waves[slot].doing = Doing::Draining;
            self.ready.push(slot);
        }
    }

    fn retire(&mut self, slot: usize) {
        let (packer, number) = (usize::from(self.waves[slot].packer), self.waves[slot].number);
        self.waves[slot].doing = Doing::Nothing;
        self.packers[packer].finished.add(number);
        self.packers[packer].live -= 1;
        self.free.push(slot);
        self.moved += 1;
    }

    // Memory.

    fn issue(&mut self, slot: usize, at: usize, counter: Counter, (read, write): (bool, bool)) {
        let exec = self.waves[slot].exec();
        self.tell(slot, WaveEvent::Access { write });
        self.complete_down_to(slot, counter, MOST_OUTSTANDING - 1);
        self.waves[slot].accessed = true;
        self.waves[slot].pending.push(Pending { step: at as u32, counter, read, write, exec });
        // An access may be complete at once, or much later.
        if self.rng.one_in(4) {
            self.complete_oldest(slot, counter);
        }
    }

    /// Waits: accesses complete in order until few enough of each counter are outstanding.
    fn wait(&mut self, slot: usize, counts: [u8; 3]) {
        for counter in [Counter::Loads, Counter::Stores, Counter::Scalar] {
            self.complete_down_to(slot, counter, usize::from(counts[counter as usize]));
        }
    }

    /// Accesses of a counter complete until no more than the limit are outstanding.
    fn complete_down_to(&mut self, slot: usize, counter: Counter, limit: usize) {
        let outstanding = self.waves[slot].pending.iter().filter(|p| p.counter == counter).count();
        for _ in limit..outstanding {
            self.complete_oldest(slot, counter);
        }
    }

    /// An ended wave's accesses complete some time.
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

    /// The oldest access of a counter reaches memory. Younger accesses to a shared pixel or sample must not have reached it earlier.
    fn complete_oldest(&mut self, slot: usize, counter: Counter) {
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

    // Reporting.

    fn violation(&mut self, slot: usize, place: usize, younger: Entry, common: u32, access: &Pending) {
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

    fn mistake(&mut self, slot: usize, mistake: Mistake, at: usize) {
        self.report.protocol_errors += 1;
        if !self.kinds.contains(&mistake) {
            self.kinds.push(mistake);
            let error = ProtocolError { wave: self.name_of(slot), mistake, at: self.at(at) };
            self.report.findings.push(WaveFinding::Protocol(error));
        }
    }

    /// No progress is possible: records which wave waits for which. `drained` is the packer whose drain never ends.
    fn hang(&mut self, drained: Option<usize>) {
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

/// What an access of the lanes in `exec` has for itself of a quad of pixels.
fn active(part: &Part, exec: u64) -> u32 {
    let lanes = exec >> (4 * part.quad) & 0xF;
    part.lanes.iter().enumerate().fold(part.promised, |mask, (pixel, lane)| if lanes >> lane & 1 == 0 { mask & !(0xFF << (8 * pixel)) } else { mask })
}

enum Take {
    Taken,
    Close,
    Stall,
}

/// Takes a quad into the wave, if it may.
fn take(setup: &Setup, packer: &mut Packer, wave: &mut Wave, quad: &LaneQuad) -> Take {
    let me = wave.number + 1;
    let by_id = setup.gfx.major() <= 10;
    let covers = &quad.covers[..usize::from(quad.count)];
    let mut new_layer = false;
    for cover in covers {
        let at = Packer::place(&packer.feed, cover.x, cover.y);
        let (place, next) = (&packer.places[at], packer.next_entry[at]);
        let oldest = place.oldest(next);
        if oldest.wave == me {
            return Take::Close;
        }
        if oldest.wave != 0 && !packer.finished.has(oldest.wave - 1) {
            // An empty wave has nothing to launch: it waits.
            return if wave.quads == 0 { Take::Stall } else { Take::Close };
        }
        let own = place.newest_first(next).take_while(|e| e.wave == me).filter(|e| setup.pops && e.hardware & cover.hardware != 0);
        for entry in own {
            if !layered(setup) {
                return Take::Close;
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
                break; // it and all that are older have left their sections
            }
            if entry.wave == me || !setup.pops || entry.hardware & cover.hardware == 0 || packer.done.has(number) {
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
    Take::Taken
}

/// Overlapping quads may share a wave: the intrawave word names them, and the shader runs them one after another.
fn layered(setup: &Setup) -> bool {
    setup.gfx.major() <= 10 && setup.arguments.intrawave.shader && setup.arguments.intrawave.scan_converter
}

/// Runs the pixel shader `words` (machine code of `setup.gfx`) on many waves and reports what went wrong. Accesses that are judged are those through
/// `setup.resource`, or all where it is None. It always ends. Words that are not a known instruction count as instructions that change nothing,
/// and an SGPR that they may have written counts as known; what a scalar load brings is a small random number. A jump that the model cannot follow is reported
/// as [`Mistake::LeftProgram`], and waves that no longer move as a [`Hang`]: waves that only repeat what they did, and waves that execute 2^20 instructions
/// each, or take 16,384 random values each, while nothing happens.
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

/// A pixel of the quad at a place of the packer's screen: x and y.
fn pixel_of(place: usize, pixel: u32) -> (u32, u32) {
    ((place % SCREEN) as u32 * 2 + pixel % 2, (place / SCREEN) as u32 * 2 + pixel / 2)
}

/// [`run`], and `watch` receives what happens.
pub fn run_observed<W: WaveObserver>(setup: &Setup, words: &[u32], options: RunOptions, watch: &mut W) -> Report {
    Machine::new(setup, words, options, watch).run()
}
