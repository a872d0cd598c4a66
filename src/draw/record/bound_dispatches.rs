//! Dispatches with a bound compute pipeline: the registers that differ, the user SGPRs that changed, and the packet.

use crate::draw::desc::Grid;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::state::ComputePipeline;
use crate::packet::Buffer;

impl<B: Buffer> Recorder<B> {
    /// Dispatches that follow use this pipeline.
    ///
    /// # Errors
    /// [`RecordError::OtherChip`], [`RecordError::OtherBoard`].
    pub fn bind_compute(&mut self, pipeline: &ComputePipeline) -> Result<(), RecordError> {
        self.other_machine(pipeline.chip(), pipeline.0.board)?;
        self.compute.bind(pipeline);
        Ok(())
    }

    /// Gives values to user SGPRs of compute programs, from the one of number `first` on. Programs have them in the SGPRs that their user data leaves free
    /// ([`UserData::Keep`](crate::draw::UserData::Keep)). They stay when another pipeline is bound.
    ///
    /// # Errors
    /// [`RecordError::UserData`] for SGPRs that compute does not have: it has 16.
    pub fn set_compute_data(&mut self, first: u32, words: &[u32]) -> Result<(), RecordError> {
        self.compute.set_user_data(first, words)
    }

    /// Dispatches with the bound pipeline: writes the registers that differ from what hardware holds, and the packet, on graphics and compute queues.
    ///
    /// # Errors
    /// [`RecordError::NotBound`] without a pipeline, [`RecordError::ComputeNotBegun`] without the preamble, [`RecordError::Draw`] for a grid that a dispatch
    /// cannot have, [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full. Then nothing is written.
    pub fn dispatch_bound(&mut self, grid: Grid) -> Result<(), RecordError> {
        let next = self.compute.take(grid)?;
        let done = self.dispatch_resolved(next.resolved());
        self.compute.put_back(next);
        done
    }
}
