//! Barriers, fences and waits of a recorder.

use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::sync::{Barrier, Fence, Plan, SyncMemory, SyncState, Wait, write_wait};
use crate::packet::{Buffer, StreamError, WriteError, Writer};

impl Plan {
    /// Writes the packets into a stream of the plan's chip and queue. A [`Recorder`](crate::draw::Recorder) keeps the state itself
    /// ([`sync`](crate::draw::Recorder::sync)). On an error, neither stream nor state changes; in a [`CommandBuffer`](crate::packet::CommandBuffer) the
    /// state goes through [`write_with`](crate::packet::CommandBuffer::write_with), which rolls it back with the packets.
    ///
    /// # Errors
    /// [`SyncError`](crate::draw::sync::SyncError) when the chip needs memory that was not given, or for a stream of another generation or queue;
    /// [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::{Access, Barrier, Plan, SyncMemory, SyncState};
    /// use pm4::packet::{Queue, Stream};
    ///
    /// let chip = Chip::Navi10;
    /// let plan = Plan::new(chip, Queue::Compute, &Barrier::new(Access::ComputeWrite, Access::ComputeRead))?;
    /// let mut stream = Stream::growable(chip.gfx(), Queue::Compute);
    /// plan.write(&mut stream, &mut SyncState::new(SyncMemory { fence: Some(0x1000), zpass: None }))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write<B: Buffer>(&self, writer: &mut Writer<B>, state: &mut SyncState) -> Result<(), RecordError> {
        self.write_packets(writer, state)
    }
}

impl<B: Buffer> Recorder<B> {
    /// Sets the memory for barriers and fences. [`fence`](SyncMemory::fence): needed on GFX9 to GFX10.3, and on later generations only on compute queues, for
    /// the writes of events. [`zpass`](SyncMemory::zpass): needed on the graphics queue of GFX9, for every fence and timestamp and for barriers with a release.
    pub fn set_sync_memory(&mut self, memory: SyncMemory) {
        self.sync.set_memory(memory);
    }

    /// Writes a barrier and returns its plan, with reasons. The plan of a barrier is computed once: the recorder keeps it and passes it on with its
    /// [pairs](Self::take_pairs).
    ///
    /// # Errors
    /// [`RecordError::NotBegun`] or [`RecordError::ComputeNotBegun`] before the preamble, [`SyncError`](crate::draw::sync::SyncError) when the chip needs
    /// memory that was not given, [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::Recorder;
    /// use pm4::draw::sync::{Access, Barrier};
    ///
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// let plan = recorder.barrier(&Barrier::new(Access::ComputeWrite, Access::IndirectRead))?;
    /// assert_eq!(plan.steps.len(), 2); // CS_PARTIAL_FLUSH, PFP_SYNC_ME
    /// # Ok::<(), pm4::draw::RecordError>(())
    /// ```
    pub fn barrier(&mut self, barrier: &Barrier) -> Result<Plan, RecordError> {
        self.may_sync()?;
        let plan = self.bound.pairs_mut().plan(self.chip, self.writer.queue(), barrier)?;
        self.write_plan(&plan)?;
        Ok(plan)
    }

    /// Writes a fence and returns its plan, with reasons.
    ///
    /// # Errors
    /// [`RecordError::NotBegun`] or [`RecordError::ComputeNotBegun`] before the preamble, [`SyncError`](crate::draw::sync::SyncError) for a fence that the chip
    /// cannot write, and on the graphics queue of GFX9 without [`SyncMemory::zpass`]; [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is
    /// full.
    pub fn fence(&mut self, fence: &Fence) -> Result<Plan, RecordError> {
        self.may_sync()?;
        let plan = Plan::fence(self.chip, self.writer.queue(), fence)?;
        self.write_plan(&plan)?;
        Ok(plan)
    }

    /// Waits until a comparison with memory is true.
    ///
    /// # Errors
    /// [`SyncError::Address`](crate::draw::sync::SyncError::Address), [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn wait(&mut self, wait: &Wait) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| write_wait(&mut recorder.writer, wait))
    }

    /// Writes a barrier or fence that was planned earlier ([`Plan::new`], [`Plan::fence`]). This costs little more than a copy of its dwords.
    ///
    /// # Errors
    /// [`RecordError::NotBegun`] or [`RecordError::ComputeNotBegun`] before the preamble, [`SyncError`](crate::draw::sync::SyncError) when the chip needs
    /// memory that was not given, and for a plan of another chip or queue; [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    #[inline]
    pub fn sync(&mut self, plan: &Plan) -> Result<(), RecordError> {
        self.may_sync()?;
        self.write_plan(plan)
    }

    /// Writes a plan, as a whole or not at all. A transaction is therefore needed only if the stream continues in other memory.
    #[inline]
    pub(super) fn write_plan(&mut self, plan: &Plan) -> Result<(), RecordError> {
        self.fits()?;
        match plan.write_for(self.chip, &mut self.writer, &mut self.sync) {
            Err(error) if is_full(&error) && !self.in_transaction => {
                self.all_or_nothing(|recorder| plan.write_for(recorder.chip, &mut recorder.writer, &mut recorder.sync))
            }
            done => done,
        }
    }
}

fn is_full(error: &RecordError) -> bool {
    matches!(error.write_error(), Some(WriteError::Full { .. }))
}
