//! Dispatches with a bound compute pipeline: the registers that differ, the user SGPRs that changed, and the packet.

use crate::chip::Chip;
use crate::draw::decide::stage::{DispatchDesc, Grid, ResolvedDispatch};
use crate::draw::desc::parts::UserWords;
use crate::draw::desc::{DrawError, Stage, UserData};
use crate::draw::record::recorder::{RecordError, Recorder};
use crate::packet::Buffer;
use alloc::sync::Arc;

/// A compute pipeline for a chip: a program and its workgroup, checked and resolved. To clone it costs nothing.
///
/// User SGPRs with [`UserData::Word`] are constants of the pipeline; those with [`UserData::Keep`] hold what [`Recorder::set_compute_data`] gives.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::draw::{ComputePipeline, DispatchDesc, Grid, Program, Recorder, UserData};
///
/// let chip = Chip::Navi31;
/// let program = Program { address: Some(0x10_0000), user_data: vec![UserData::Keep; 4], ..Program::default() };
/// let pipeline = ComputePipeline::new(chip, DispatchDesc { program, ..DispatchDesc::default() })?;
/// let mut recorder = Recorder::new(chip);
/// recorder.begin()?;
/// recorder.begin_compute()?;
/// recorder.bind_compute(&pipeline)?;
/// recorder.set_compute_data(0, &[1, 2, 3, 4])?;
/// recorder.dispatch_bound(Grid::Groups([8, 1, 1]))?;
/// let before = recorder.words().len();
/// recorder.set_compute_data(2, &[5])?;
/// recorder.dispatch_bound(Grid::Groups([4, 1, 1]))?;
/// assert_eq!(recorder.words().len() - before, 3 + 5); // one SGPR, and DISPATCH_DIRECT
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ComputePipeline(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    desc: DispatchDesc,
    resolved: ResolvedDispatch,
    /// User SGPRs that hold what is given to dispatches: one bit each.
    free: u32,
}

impl ComputePipeline {
    /// Checks and resolves a pipeline. The grid of the description does not count: each dispatch has its own.
    ///
    /// # Errors
    /// A [`DrawError`] names the input that the chip does not support, and the limit.
    pub fn new(chip: Chip, desc: DispatchDesc) -> Result<Self, DrawError> {
        let desc = DispatchDesc { grid: Grid::Groups([1; 3]), ..desc };
        let resolved = desc.resolve(chip)?;
        let keeps = desc.program.user_data.iter().zip(0..32u32).filter(|(data, _)| **data == UserData::Keep);
        let free = keeps.fold(0, |free, (_, bit)| free | 1 << bit);
        Ok(Self(Arc::new(Parts { desc, resolved, free })))
    }

    /// What it was made from, with a grid of one workgroup.
    pub fn desc(&self) -> &DispatchDesc {
        &self.0.desc
    }

    /// The chip that it was made for.
    pub fn chip(&self) -> Chip {
        self.0.resolved.chip
    }
}

impl PartialEq for ComputePipeline {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.chip() == other.chip() && self.0.desc == other.0.desc
    }
}

impl Eq for ComputePipeline {}

impl core::hash::Hash for ComputePipeline {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (self.chip(), &self.0.desc).hash(state);
    }
}

/// What dispatches are made with.
#[derive(Debug, Clone, Default)]
pub(super) struct BoundCompute {
    bound: Option<NextDispatch>,
    words: UserWords,
}

/// The next dispatch.
#[derive(Debug, Clone)]
struct NextDispatch {
    pipeline: ComputePipeline,
    desc: DispatchDesc,
    resolved: ResolvedDispatch,
    /// User SGPRs whose values are not in its image yet: one bit each.
    fresh: u32,
}

impl<B: Buffer> Recorder<B> {
    /// Dispatches that follow use this pipeline.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`].
    pub fn bind_compute(&mut self, pipeline: &ComputePipeline) -> Result<(), RecordError> {
        self.same_chip(pipeline.chip())?;
        if self.compute.bound.as_ref().is_none_or(|next| !Arc::ptr_eq(&next.pipeline.0, &pipeline.0)) {
            let Parts { desc, resolved, .. } = &*pipeline.0;
            let next = NextDispatch { pipeline: pipeline.clone(), desc: desc.clone(), resolved: resolved.clone(), fresh: u32::MAX };
            self.compute.bound = Some(next);
        }
        Ok(())
    }

    /// Gives values to user SGPRs of compute programs, from the one of number `first` on. Programs have them in the SGPRs that their user data leaves free
    /// ([`UserData::Keep`]). They stay when another pipeline is bound.
    ///
    /// # Errors
    /// [`RecordError::UserData`] for SGPRs that compute does not have: it has 16.
    pub fn set_compute_data(&mut self, first: u32, words: &[u32]) -> Result<(), RecordError> {
        let (stage, limit) = (Stage::Compute, Stage::Compute.user_sgpr_limit());
        let fits = (first as usize).saturating_add(words.len()) <= limit as usize;
        let changed = if fits { self.compute.words.set(first, words) } else { None };
        let changed = changed.ok_or(RecordError::UserData { stage, first, words: words.len(), limit })?;
        self.compute.bound.iter_mut().for_each(|next| next.fresh |= changed);
        Ok(())
    }

    /// Dispatches with the bound pipeline: writes the registers that differ from what hardware holds, and the packet, on graphics and compute queues.
    ///
    /// # Errors
    /// [`RecordError::NotBound`] without a pipeline, [`RecordError::Draw`] for a grid that a dispatch cannot have,
    /// [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full. Then nothing is written.
    pub fn dispatch_bound(&mut self, grid: Grid) -> Result<(), RecordError> {
        let words = self.compute.words;
        // It is taken out while it is written, and put back even after an error.
        let mut next = self.compute.bound.take().ok_or(RecordError::NotBound { what: "compute pipeline" })?;
        let done = next.prepare(grid, &words).map_err(RecordError::Draw).and_then(|()| self.dispatch(&next.resolved));
        self.compute.bound = Some(next);
        done
    }
}

impl NextDispatch {
    /// Brings the dispatch to a grid, and to the user SGPRs that were given.
    fn prepare(&mut self, grid: Grid, words: &UserWords) -> Result<(), DrawError> {
        if grid != self.desc.grid {
            let before = core::mem::replace(&mut self.desc.grid, grid);
            if let Err(error) = self.desc.put_grid(&mut self.resolved) {
                self.desc.grid = before;
                return Err(error);
            }
        }
        let mut fresh = self.fresh & words.given & self.pipeline.0.free;
        while fresh != 0 {
            let number = fresh.trailing_zeros();
            if let Some(value) = words.values.get(number as usize) {
                self.resolved.put_user_data(number, *value);
            }
            fresh &= fresh - 1;
        }
        self.fresh = 0;
        Ok(())
    }
}
