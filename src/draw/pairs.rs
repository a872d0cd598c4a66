//! Pairs of a pipeline and targets, joined once for many command buffers.

use crate::draw::error::DrawError;
use crate::draw::objects::{Joined, Joining, Pipeline, Targets};
use crate::draw::parts::DynamicState;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Pipelines and targets that have met: the registers that follow from both, and the packets from one such pair to the next.
///
/// A recorder fills one while it draws. Given on to the recorders that follow ([`Recorder::take_pairs`](crate::draw::Recorder::take_pairs),
/// [`Recorder::with_pairs`](crate::draw::Recorder::with_pairs)), it saves them from joining the same objects anew; a clone of it shares what is in it, for
/// another thread say. It keeps 256 pairs and 128 ways between them: of two that want one place the later one stays.
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
pub(super) struct Switch {
    /// Numbers of both.
    pub from: usize,
    pub to: usize,
    pub words: Vec<u32>,
    /// Some of them write context registers.
    pub context: bool,
    /// Both states have the same registers: these packets are all that is written.
    pub all: bool,
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
    pub(super) fn joined(&mut self, pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<Arc<Joined>, DrawError> {
        let key = (pipeline.0.number, targets.0.number, Joining::of(state));
        let place = (key.0.wrapping_mul(31) ^ key.1) % Self::JOINED;
        match self.joined.get(place) {
            Some(Some(joined)) if joined.key == key => Ok(Arc::clone(joined)),
            _ => self.make(place, pipeline, targets, state),
        }
    }

    #[cold]
    fn make(&mut self, place: usize, pipeline: &Pipeline, targets: &Targets, state: &DynamicState) -> Result<Arc<Joined>, DrawError> {
        let joined = Arc::new(Joined::new(pipeline, targets, state)?);
        keep(&mut self.joined, Self::JOINED, place, &joined);
        Ok(joined)
    }

    /// The switch from one joined state to another; `make` makes it where it is not kept.
    #[inline]
    pub(super) fn switch<E>(&mut self, from: &Joined, to: &Joined, make: impl FnOnce() -> Result<Switch, E>) -> Result<Option<&Switch>, E> {
        let place = (from.number.wrapping_mul(37) ^ to.number) % Self::SWITCHES;
        let kept = matches!(self.switches.get(place), Some(Some(switch)) if (switch.from, switch.to) == (from.number, to.number));
        if !kept {
            keep(&mut self.switches, Self::SWITCHES, place, &Arc::new(make()?));
        }
        Ok(self.switches.get(place).and_then(Option::as_deref))
    }
}

/// Keeps something in a place of so many.
fn keep<T>(places: &mut Vec<Option<Arc<T>>>, most: usize, place: usize, kept: &Arc<T>) {
    if places.is_empty() {
        places.resize(most, None);
    }
    if let Some(place) = places.get_mut(place) {
        *place = Some(Arc::clone(kept));
    }
}
