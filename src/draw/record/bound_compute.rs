//! The state of bound dispatches: a compute pipeline and user SGPRs.

use crate::draw::decide::ResolvedDispatch;
use crate::draw::desc::dynamic::UserWords;
use crate::draw::desc::{DispatchDesc, Grid};
use crate::draw::desc::{DrawError, Stage};
use crate::draw::record::error::RecordError;
use crate::draw::state::ComputePipeline;

/// The bound state of dispatches.
#[derive(Debug, Clone, Default)]
pub(super) struct BoundCompute {
    next: Option<NextDispatch>,
    words: UserWords,
}

/// The next dispatch.
#[derive(Debug, Clone)]
pub(super) struct NextDispatch {
    pipeline: ComputePipeline,
    desc: DispatchDesc,
    resolved: ResolvedDispatch,
    /// User SGPRs whose values are not in the image yet, one bit each.
    fresh: u32,
}

impl BoundCompute {
    pub fn bind(&mut self, pipeline: &ComputePipeline) {
        if self.next.as_ref().is_none_or(|next| next.pipeline.0.number != pipeline.0.number) {
            let (desc, resolved) = (pipeline.0.desc.clone(), pipeline.0.resolved.dispatch.clone());
            self.next = Some(NextDispatch { pipeline: pipeline.clone(), desc, resolved, fresh: u32::MAX });
        }
    }

    /// Returns whether a pipeline is bound, or user SGPRs have values.
    pub fn is_set(&self) -> bool {
        self.next.is_some() || self.words.given != 0
    }

    /// Sets user SGPRs.
    pub fn set_user_data(&mut self, first: u32, words: &[u32]) -> Result<(), RecordError> {
        let (stage, limit) = (Stage::Compute, Stage::Compute.user_sgpr_limit());
        let fits = (first as usize).saturating_add(words.len()) <= limit as usize;
        let changed = if fits { self.words.set(first, words) } else { None };
        let changed = changed.ok_or(RecordError::UserData { stage, first, words: words.len(), limit })?;
        self.next.iter_mut().for_each(|next| next.fresh |= changed);
        Ok(())
    }

    /// Takes out the next dispatch, to be [put back](Self::put_back) after it is written or refused.
    pub fn take(&mut self, grid: Grid) -> Result<NextDispatch, RecordError> {
        let next = self.next.as_mut().ok_or(RecordError::NotBound { what: "compute pipeline" })?;
        next.prepare(grid, &self.words)?;
        self.next.take().ok_or(RecordError::NotBound { what: "compute pipeline" })
    }

    pub fn put_back(&mut self, next: NextDispatch) {
        self.next = Some(next);
    }
}

impl NextDispatch {
    pub fn resolved(&self) -> &ResolvedDispatch {
        &self.resolved
    }

    /// Updates the dispatch for a grid and the user SGPRs.
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
