//! Dispatches with a bound compute pipeline: the registers that differ, the user SGPRs that changed, and the packet.

use crate::draw::decide::ResolvedDispatch;
use crate::draw::desc::dynamic::UserWords;
use crate::draw::desc::{DispatchDesc, DrawError, Grid, Stage};
use crate::draw::record::recorder::{RecordError, Recorder};
use crate::draw::state::ComputePipeline;
use crate::packet::Buffer;
use alloc::sync::Arc;

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
            let (desc, resolved) = (pipeline.desc(), &pipeline.0.resolved.dispatch);
            let next = NextDispatch { pipeline: pipeline.clone(), desc: desc.clone(), resolved: resolved.clone(), fresh: u32::MAX };
            self.compute.bound = Some(next);
        }
        Ok(())
    }

    /// Gives values to user SGPRs of compute programs, from the one of number `first` on. Programs have them in the SGPRs that their user data leaves free
    /// ([`UserData::Keep`](crate::draw::UserData::Keep)). They stay when another pipeline is bound.
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
        let mut fresh = self.fresh & words.given & self.pipeline.0.resolved.free;
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
