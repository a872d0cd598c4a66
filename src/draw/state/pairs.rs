//! Pairs of a pipeline and targets, joined once for many command buffers.

use crate::chip::Chip;
use crate::draw::desc::{DrawError, DynamicState};
use crate::draw::state::joined::{Joined, Joining};
use crate::draw::state::objects::{Pipeline, Targets};
use crate::draw::state::table::{Table, hash};
use crate::draw::sync::{Barrier, Plan, SyncError};
use crate::packet::Queue;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A cache of the pairs of pipeline and targets that draws have used: the registers that follow from both, and the packets from one pair to the next.
///
/// A recorder fills the cache while it draws. Passed to later recorders ([`Recorder::take_pairs`](crate::draw::Recorder::take_pairs),
/// [`Recorder::with_pairs`](crate::draw::Recorder::with_pairs)), the cache saves joining the same objects and planning the same barriers again. A clone shares
/// the contents, so that each thread can have one.
///
/// The cache grows up to 4096 pairs of about 3 KiB and the packets of 8192 changes between them of about 0.5 KiB: some 16 MiB. Beyond that it mostly keeps its
/// entries and admits new ones slowly: of more pairs used in turn than there is room for, those with room stay, and the others are joined again at each use.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{DynamicState, PairCache, Pipeline, PipelineDesc, Recorder, Targets, TargetsDesc, Vertices};
///
/// let chip = Chip::Navi31;
/// let pipeline = Pipeline::new(chip, PipelineDesc::default())?;
/// let targets = Targets::new(chip, TargetsDesc::default())?;
/// let mut pairs = PairCache::default();
/// pairs.join(&pipeline, &targets, &DynamicState::default())?; // ahead of the first draw, or left to it
/// for _frame in 0..2 {
///     let mut recorder = Recorder::new(chip).with_pairs(pairs);
///     recorder.begin()?;
///     recorder.bind_targets(&targets)?;
///     recorder.bind_pipeline(&pipeline)?;
///     recorder.draw_vertices(Vertices { first: 0, count: 3 })?;
///     pairs = recorder.take_pairs();
///     recorder.finish()?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct PairCache {
    joined: Table<Arc<Joined>, JOINED>,
    switches: Table<Arc<Switch>, SWITCHES>,
    plans: Table<(Barrier, Plan), PLANS>,
}

/// Joined states that are kept at most.
const JOINED: usize = 4096;
/// Switches that are kept at most.
const SWITCHES: usize = 8192;
/// Plans of barriers that are kept at most.
const PLANS: usize = 256;

/// Packets that set registers, with the position of each register's value: in one piece of memory, because frames switch between many.
#[derive(Debug)]
pub(crate) struct RegisterPackets {
    /// The packets, then a slot and its value for each register.
    data: Box<[u32]>,
    words: u32,
}

impl RegisterPackets {
    /// Packets, with slots and the values that they hold afterwards. All of the registers are known before.
    pub fn new(mut words: Vec<u32>, values: impl Iterator<Item = (usize, u32)>) -> Self {
        let len = words.len() as u32;
        words.extend(values.flat_map(|(slot, value)| [slot as u32, value]));
        Self { data: words.into(), words: len }
    }

    #[inline]
    pub fn words(&self) -> &[u32] {
        self.data.get(..self.words as usize).unwrap_or_default()
    }

    /// Slots, with the values that they hold afterwards.
    #[inline]
    pub fn values(&self) -> &[[u32; 2]] {
        self.data.get(self.words as usize..).unwrap_or_default().as_chunks().0
    }
}

/// The packets from one joined state to another.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Switch {
    /// Numbers of both.
    pub from: usize,
    pub to: usize,
    pub packets: RegisterPackets,
    /// Some of them write context registers.
    pub context: bool,
    /// How many registers the new state has that the other one lacks: none, and these packets are all that is written.
    pub missing: u32,
    /// Parts of dynamic state whose registers may be others under the new state, as bits of [`parts`](crate::draw::state::joined::parts).
    pub differs: u8,
    /// A draw with the new state is plain, if the one before it, with the old state, was plain.
    pub plain: bool,
}

impl PairCache {
    /// Joins a pipeline and targets with the dynamic state that changes their registers (line width, shading rate, primitive restart, control points,
    /// sample positions, counting of samples), so that the first draw with them need not do it.
    ///
    /// # Errors
    /// The [`DrawError`] with which the draw would be refused, for a combination that the chip does not support.
    pub fn join(&mut self, pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<(), DrawError> {
        if pipeline.chip() != targets.chip() {
            return Err(DrawError::OtherChips { pipeline: pipeline.chip(), targets: targets.chip() });
        }
        self.joined(hash_of(pipeline, targets), pipeline, targets, state).map(|_| ())
    }

    /// Returns the joined state of these parts, which are for one chip; `hash` is [theirs](hash_of).
    #[inline]
    pub(crate) fn joined(&mut self, hash: usize, pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<Arc<Joined>, DrawError> {
        let key = (pipeline.0.number, targets.0.number, Joining::of(state));
        match self.joined.find(hash, |joined| joined.key == key) {
            Some(joined) => Ok(Arc::clone(joined)),
            None => self.make(hash, pipeline, targets, state),
        }
    }

    #[cold]
    fn make(&mut self, hash: usize, pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<Arc<Joined>, DrawError> {
        let mut joined = Joined::new(pipeline, targets, state)?;
        joined.kept = self.joined.admits(hash);
        let joined = Arc::new(joined);
        if joined.kept {
            self.joined.keep(hash, Arc::clone(&joined));
        }
        Ok(joined)
    }

    /// Returns the plan of a barrier.
    #[inline]
    pub(crate) fn plan(&mut self, chip: Chip, queue: Queue, barrier: &Barrier) -> Result<Plan, SyncError> {
        let hash = hash(barrier.from.bits() as usize, barrier.to.bits() as usize);
        match self.plans.find(hash, |(of, plan)| of == barrier && plan.is_for(chip, queue)) {
            Some((_, plan)) => Ok(plan.clone()),
            None => self.make_plan(hash, chip, queue, barrier),
        }
    }

    #[cold]
    fn make_plan(&mut self, hash: usize, chip: Chip, queue: Queue, barrier: &Barrier) -> Result<Plan, SyncError> {
        let plan = Plan::new(chip, queue, barrier)?;
        if self.plans.admits(hash) {
            self.plans.keep(hash, (*barrier, plan.clone()));
        }
        Ok(plan)
    }

    /// Returns the cached switch from one joined state to another. `objects` is the [hash](hash_of) of the other state's objects: the caller knows it
    /// without reading the joined state, so that both are fetched from memory at once.
    #[inline]
    pub(crate) fn kept(&self, from: &Joined, to: &Joined, objects: usize) -> Option<&Switch> {
        let numbers = (from.number, to.number);
        self.switches.find(hash(from.number, objects), |switch| (switch.from, switch.to) == numbers).map(Arc::as_ref)
    }

    /// Returns the switch from one joined state to another; `make` creates it if it is not cached and there is room. None if there is no room (another one
    /// would be evicted), or if one of the states is not cached and will not be used again.
    #[inline]
    pub(crate) fn switch<E>(&mut self, from: &Joined, to: &Joined, make: impl FnOnce() -> Result<Switch, E>) -> Result<Option<&Switch>, E> {
        let objects = hash(to.key.0, to.key.1);
        let hash = hash(from.number, objects);
        if self.kept(from, to, objects).is_none() && from.kept && to.kept && self.switches.admits(hash) {
            self.switches.keep(hash, Arc::new(make()?));
        }
        Ok(self.kept(from, to, objects))
    }
}

/// Returns the hash of the joined objects.
#[inline]
pub(crate) fn hash_of(pipeline: &Pipeline, targets: &Targets) -> usize {
    hash(pipeline.0.number, targets.0.number)
}
