//! Dispatches with a bound compute pipeline: the registers that differ, the user SGPRs that changed, and the packet.

use crate::draw::desc::Grid;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::state::ComputePipeline;
use crate::packet::Buffer;

impl<B: Buffer> Recorder<B> {
    /// Binds a compute pipeline, which later dispatches use.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`], [`RecordError::OtherBoard`].
    pub fn bind_compute(&mut self, pipeline: &ComputePipeline) -> Result<(), RecordError> {
        self.other_machine(pipeline.chip(), pipeline.0.board)?;
        self.compute.bind(pipeline);
        Ok(())
    }

    /// Sets user SGPRs of compute programs, starting with number `first`. Programs find the values in the SGPRs that their user data leaves free
    /// ([`UserData::Keep`](crate::draw::UserData::Keep)). The values stay when another pipeline is bound.
    ///
    /// # Errors
    /// [`RecordError::UserData`] for SGPRs that compute does not have: it has 16.
    pub fn set_compute_data(&mut self, first: u32, words: &[u32]) -> Result<(), RecordError> {
        self.compute.set_user_data(first, words)
    }

    /// Dispatches with the bound pipeline, on graphics and compute queues: writes the registers that differ from the hardware's, and the packet.
    ///
    /// # Errors
    /// [`RecordError::NotBound`] without a pipeline, [`RecordError::ComputeNotBegun`] without the preamble, [`RecordError::Draw`] for an invalid grid,
    /// [`WriteError::Full`](crate::packet::WriteError::Full) if the buffer is full. In these cases nothing is written.
    pub fn dispatch_bound(&mut self, grid: Grid) -> Result<(), RecordError> {
        let next = self.compute.take(grid)?;
        let done = self.dispatch_resolved(next.resolved());
        self.compute.put_back(next);
        done
    }
}
