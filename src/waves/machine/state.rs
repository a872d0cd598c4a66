//! The state of a run: packers, waves and event counters.

use crate::isa::pops::collision;
use crate::waves::code::Code;
use crate::waves::coverage::{Shape, shapes};
use crate::waves::packer::Packer;
use crate::waves::report::{InstructionPlace, Mistake, Report, WaveName};
use crate::waves::rng::Rng;
use crate::waves::setup::Setup;
use crate::waves::watch::{WaveEvent, WaveObserver};
use crate::waves::wave::Wave;
use alloc::format;
use alloc::vec::Vec;

/// Options of a run.
///
/// For an example see [`run`](crate::waves::run).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunOptions {
    /// Number of waves to launch over all packers. Default: 1000.
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

/// Number of shapes that a run draws repeatedly.
const SHAPES: usize = 96;

pub(super) struct Machine<'a, W> {
    pub(super) setup: &'a Setup,
    pub(super) options: RunOptions,
    pub(super) code: Code,
    pub(super) rng: Rng,
    pub(super) shapes: Vec<Shape>,
    pub(super) packers: Vec<Packer>,
    pub(super) waves: Vec<Wave>,
    pub(super) free: Vec<usize>,
    pub(super) ready: Vec<usize>,
    pub(super) launched: u64,
    /// Maximum number of instructions of a wave per turn.
    pub(super) pace: usize,
    pub(super) time: u64,
    /// Number of events: waves that were launched, left their section, ended or completed.
    pub(super) moved: u64,
    /// Number of instructions executed.
    pub(super) executed: u64,
    /// Number of random values that waves have taken.
    pub(super) chances: u64,
    pub(super) idle: Idle,
    /// The value of `moved` when all sleepers were last woken.
    pub(super) looked: u64,
    /// The value of `moved` when no packer launched a wave.
    pub(super) refused: Option<u64>,
    /// Waves that ended without leaving their sections: packer, number, step.
    pub(super) lost: Vec<(u8, u32, usize)>,
    pub(super) hung: bool,
    pub(super) report: Report,
    pub(super) kinds: Vec<Mistake>,
    pub(super) watch: &'a mut W,
}

/// The counters at the last event.
#[derive(Default)]
pub(super) struct Idle {
    pub(super) moved: u64,
    pub(super) executed: u64,
    pub(super) chances: u64,
}

impl<'a, W: WaveObserver> Machine<'a, W> {
    pub(super) fn new(setup: &'a Setup, words: &[u32], options: RunOptions, watch: &'a mut W) -> Self {
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

    #[inline]
    pub(super) fn name(&self, packer: u8, number: u32) -> WaveName {
        WaveName { packer, number, id: self.id(number) }
    }

    #[inline]
    pub(super) fn id(&self, number: u32) -> u16 {
        (self.options.start_id.wrapping_add(number) & collision::ID_MASK) as u16
    }

    #[inline]
    pub(super) fn name_of(&self, slot: usize) -> WaveName {
        self.name(self.waves[slot].packer, self.waves[slot].number)
    }

    pub(super) fn at(&self, step: usize) -> InstructionPlace {
        let byte = self.code.program.starts().get(step).copied().unwrap_or(0) * 4;
        InstructionPlace { instruction: step, byte, text: format!("{}", self.code.program.line(step)) }
    }

    #[inline]
    pub(super) fn notify(&mut self, slot: usize, event: WaveEvent) {
        let name = self.name_of(slot);
        self.watch.event(self.time, name, event);
    }

    #[inline]
    pub(super) fn record_chance(&mut self, slot: usize) {
        self.chances += 1;
        self.waves[slot].record_chance();
    }

    /// Returns the packer that the wave names: by exactly one of two bits on GFX9, by number from GFX10 on.
    #[inline]
    pub(super) fn named_packer(&self, slot: usize) -> Option<usize> {
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

    /// Returns the newest wave for which this wave must still wait.
    #[inline]
    pub(super) fn waits_for(&self, slot: usize) -> Option<u32> {
        let wave = &self.waves[slot];
        let packer = &self.packers[usize::from(wave.packer)];
        if self.setup.gfx.major() <= 10 {
            // The exiting id covers all older waves.
            return wave.newest.filter(|newest| packer.done.first_out <= *newest);
        }
        wave.overlaps.iter().copied().filter(|number| !packer.done.contains(*number)).max()
    }
}
