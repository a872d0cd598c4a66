//! A wave: registers, counters and coverage.

use super::code::{EXEC, NULL};
use super::counters::Counter;
use alloc::vec::Vec;

/// A quad of pixels that the wave covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Place on the packer's screen; `entry` is the position of the wave's entry there.
    pub place: u16,
    pub entry: u8,
    pub quad: u8,
    pub lanes: [u8; 4],
    pub promised: u32,
}

/// An access that was issued but is not complete.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub step: u32,
    pub counter: Counter,
    pub read: bool,
    pub write: bool,
    pub exec: u64,
}

/// What a wave is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Doing {
    /// The slot is free, or the wave is being packed.
    #[default]
    Nothing,
    Running,
    Sleeping,
    /// Ended, with accesses outstanding.
    Draining,
}

/// The state that decides what a wave executes next, as long as nothing happens outside the wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    at: usize,
    scc: bool,
    packer_register: u32,
    regs: [u32; 128],
}

/// Number of rounds before the first state of a loop is saved; most loops end earlier.
const FIRST_SAVED: u64 = 8;

/// The progress of a wave in a loop while nothing happens outside it. The state of round 8, 16, 32 and so on is saved and compared (Brent's algorithm).
#[derive(Debug)]
struct Rounds {
    /// The number of events when counting began.
    moved: u64,
    count: u64,
    /// The round after which the next state is saved.
    next: u64,
    saved: Option<State>,
    endless: bool,
}

impl Rounds {
    const fn since(moved: u64) -> Self {
        Self { moved, count: 0, next: FIRST_SAVED, saved: None, endless: false }
    }
}

#[derive(Debug)]
pub(super) struct Wave {
    pub packer: u8,
    pub number: u32,
    pub doing: Doing,
    pub at: usize,
    pub scc: bool,
    pub regs: [u32; 128],
    /// The register that names the packer.
    pub packer_register: u32,
    /// Bits of `registers` that the wave wrote.
    pub packer_set: bool,
    pub parts: Vec<Part>,
    pub quads: u8,
    /// Lanes with coverage.
    pub lanes: u64,
    /// Quads that start a layer.
    pub layers: u32,
    /// First quad of the last layer.
    pub layer_start: u8,
    pub overlaps: Vec<u32>,
    pub newest: Option<u32>,
    pub pending: Vec<Pending>,
    /// Accessed ordered data.
    pub accessed: bool,
    /// Left its ordered section.
    pub done: bool,
    pub exported: bool,
    pub late_wait: bool,
    /// Whether it has read the exiting wave id, or waits for other waves (GFX11 and later).
    pub polls: bool,
    rounds: Rounds,
}

impl Wave {
    pub fn new() -> Self {
        Self {
            packer: 0,
            number: 0,
            doing: Doing::Nothing,
            at: 0,
            scc: false,
            regs: [0; 128],
            packer_register: 0,
            packer_set: false,
            parts: Vec::new(),
            quads: 0,
            lanes: 0,
            layers: 0,
            layer_start: 0,
            overlaps: Vec::new(),
            newest: None,
            pending: Vec::new(),
            accessed: false,
            done: false,
            exported: false,
            late_wait: false,
            polls: false,
            rounds: Rounds::since(0),
        }
    }

    /// Makes the slot ready for packing wave `number`.
    pub fn open(&mut self, packer: u8, number: u32) {
        self.packer = packer;
        self.number = number;
        self.doing = Doing::Nothing;
        self.at = 0;
        self.scc = false;
        self.packer_register = 0;
        self.packer_set = false;
        self.parts.clear();
        self.quads = 0;
        self.lanes = 0;
        self.layers = 0;
        self.layer_start = 0;
        self.overlaps.clear();
        self.newest = None;
        self.pending.clear();
        self.accessed = false;
        self.done = false;
        self.exported = false;
        self.late_wait = false;
        self.polls = false;
        self.rounds = Rounds::since(0);
    }

    pub fn state(&self) -> State {
        State { at: self.at, scc: self.scc, packer_register: self.packer_register, regs: self.regs }
    }

    pub fn is_in(&self, state: &State) -> bool {
        (self.at, self.scc, self.packer_register) == (state.at, state.scc, state.packer_register) && self.regs == state.regs
    }

    /// Records a round in a loop. `moved` counts events.
    pub fn record_round(&mut self, moved: u64) {
        if self.rounds.moved != moved {
            self.rounds = Rounds::since(moved);
        }
        if self.rounds.endless {
            return;
        }
        self.rounds.count += 1;
        self.rounds.endless = self.rounds.saved.as_ref().is_some_and(|saved| self.is_in(saved));
        if self.rounds.count == self.rounds.next {
            (self.rounds.saved, self.rounds.next) = (Some(self.state()), 2 * self.rounds.next);
        }
    }

    /// Records that the wave took a random value, after which its past says nothing about its future.
    pub fn record_chance(&mut self) {
        self.rounds.saved = None;
    }

    /// Returns whether the wave loops for ever unless something happens outside it.
    pub fn is_endless(&self, moved: u64) -> bool {
        self.rounds.endless && self.rounds.moved == moved
    }

    pub fn exec(&self) -> u64 {
        self.pair(EXEC)
    }

    pub fn reg(&self, n: u8) -> u32 {
        self.regs[usize::from(n & 127)]
    }

    /// Returns the value of a register pair. NULL forms a pair by itself and does not extend into EXEC.
    pub fn pair(&self, n: u8) -> u64 {
        if n == NULL {
            return 0;
        }
        u64::from(self.reg(n)) | u64::from(self.reg(n + 1)) << 32
    }

    /// Writes a register or a pair. NULL discards the value.
    pub fn write(&mut self, n: u8, value: u64, wide: bool) {
        if n == NULL {
            return;
        }
        self.regs[usize::from(n & 127)] = value as u32;
        if wide {
            self.regs[usize::from((n + 1) & 127)] = (value >> 32) as u32;
        }
    }
}
