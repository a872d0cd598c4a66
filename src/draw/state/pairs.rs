//! Pairs of a pipeline and targets, joined once for many command buffers.

use crate::draw::desc::{DrawError, DynamicState};
use crate::draw::state::joined::{Joined, Joining};
use crate::draw::state::objects::{Pipeline, Targets};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Pairs of a pipeline and targets that draws have used: the registers that follow from both, and the packets from one pair to the next.
///
/// A recorder fills one while it draws. Passed to the recorders that follow ([`Recorder::take_pairs`](crate::draw::Recorder::take_pairs),
/// [`Recorder::with_pairs`](crate::draw::Recorder::with_pairs)), it saves them from joining the same objects again; a clone shares the contents, so
/// that each thread can have one. It keeps 256 pairs and the packets of 128 changes between them; a newer one replaces an older one in the same place.
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
    joined: Vec<Option<Arc<Joined>>>,
    switches: Vec<Option<Arc<Switch>>>,
}

/// The packets from one joined state to another.
#[derive(Debug)]
pub(crate) struct Switch {
    /// Numbers of both.
    pub from: usize,
    pub to: usize,
    pub words: Vec<u32>,
    /// What the registers of the packets hold afterwards, by their slots. All of them are known under the old state.
    pub values: Vec<(usize, u32)>,
    /// Some of them write context registers.
    pub context: bool,
    /// How many registers the new state has that the other one lacks: none, and these packets are all that is written.
    pub missing: usize,
    /// Parts of dynamic state whose registers may be others under the new state, as bits of [`parts`](crate::draw::state::joined::parts).
    pub differs: u8,
    /// A draw with the new state is plain, if the one before it, with the old state, was plain.
    pub plain: bool,
}

impl PairCache {
    /// Joined states that are kept.
    const JOINED: usize = 256;
    /// Switches that are kept.
    const SWITCHES: usize = 128;

    /// Joins a pipeline and targets under what of the dynamic state changes their registers (line width, shading rate, primitive restart, control points,
    /// sample positions, counting of samples), so that the first draw with them finds it done.
    ///
    /// # Errors
    /// What the chip cannot have together: the [`DrawError`] that the draw would be refused with.
    pub fn join(&mut self, pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<(), DrawError> {
        if pipeline.chip() != targets.chip() {
            return Err(DrawError::OtherChips { pipeline: pipeline.chip(), targets: targets.chip() });
        }
        self.joined(pipeline, targets, state).map(|_| ())
    }

    /// The joined state of these parts, which are for one chip.
    #[inline]
    pub(crate) fn joined(&mut self, pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<Arc<Joined>, DrawError> {
        let key = (pipeline.0.number, targets.0.number, Joining::of(state));
        let row = row_of(key.0, key.1, Self::JOINED);
        match row_at(&self.joined, row).flatten().find(|joined| joined.key == key) {
            Some(joined) => Ok(Arc::clone(joined)),
            None => self.make(row, pipeline, targets, state),
        }
    }

    #[cold]
    fn make(&mut self, row: usize, pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<Arc<Joined>, DrawError> {
        let joined = Arc::new(Joined::new(pipeline, targets, state)?);
        keep(&mut self.joined, Self::JOINED, row, &joined);
        Ok(joined)
    }

    /// The switch from one joined state to another, where it is kept.
    #[inline]
    pub(crate) fn kept(&self, from: &Joined, to: &Joined) -> Option<&Switch> {
        let row = row_of(from.number, to.number, Self::SWITCHES);
        row_at(&self.switches, row).flatten().find(|switch| (switch.from, switch.to) == (from.number, to.number)).map(Arc::as_ref)
    }

    /// The switch from one joined state to another; `make` makes it where it is not kept.
    #[inline]
    pub(crate) fn switch<E>(&mut self, from: &Joined, to: &Joined, make: impl FnOnce() -> Result<Switch, E>) -> Result<Option<&Switch>, E> {
        let row = row_of(from.number, to.number, Self::SWITCHES);
        let kept = row_at(&self.switches, row).position(|switch| switch.as_ref().is_some_and(|s| (s.from, s.to) == (from.number, to.number)));
        if kept.is_none() {
            keep(&mut self.switches, Self::SWITCHES, row, &Arc::new(make()?));
        }
        // What was made now is first in its row.
        Ok(self.switches.get(row + kept.unwrap_or(0)).and_then(Option::as_deref))
    }
}

/// Places of a row: what is asked for in turn, as two states that a frame switches between, finds room in one row, whatever its numbers are.
const ROW: usize = 4;

/// Where the row of two numbers begins, in so many places.
#[inline]
fn row_of(a: usize, b: usize, places: usize) -> usize {
    let mixed = (a.wrapping_mul(31) ^ b).wrapping_mul(0x9E37_79B9) >> 12;
    mixed % (places / ROW) * ROW
}

/// The places of a row; none before anything is kept.
#[inline]
fn row_at<T>(places: &[Option<Arc<T>>], row: usize) -> core::slice::Iter<'_, Option<Arc<T>>> {
    places.get(row..row + ROW).unwrap_or_default().iter()
}

/// Keeps something as the first of its row; the last of it goes.
fn keep<T>(places: &mut Vec<Option<Arc<T>>>, most: usize, row: usize, kept: &Arc<T>) {
    if places.is_empty() {
        places.resize(most, None);
    }
    if let Some(row) = places.get_mut(row..row + ROW) {
        row.rotate_right(1);
        row.iter_mut().take(1).for_each(|first| *first = Some(Arc::clone(kept)));
    }
}
