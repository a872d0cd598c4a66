//! Barriers, fences and waits by intent.
//!
//! A [`Barrier`] names accesses before and after; [`Plan`] turns it into the packets of a generation, each with its reasons; the
//! `Recorder` writes them. The way differs:
//!
//! | | GFX9 | GFX10.1, GFX10.3 | GFX11, GFX11.5, GFX12 |
//! |---|---|---|---|
//! | shaders | EVENT_WRITE partial flushes | the same | the same |
//! | what events write | RELEASE_MEM with a fence, WAIT_REG_MEM | the same | RELEASE_MEM and ACQUIRE_MEM of a pixel wait sync; on compute queues a fence |
//! | colour and depth | RELEASE_MEM with a fence, WAIT_REG_MEM | the same, cache actions in the release | RELEASE_MEM and ACQUIRE_MEM of a pixel wait sync, no memory |
//! | caches | PFP_SYNC_ME, ACQUIRE_MEM with CP_COHER_CNTL | ACQUIRE_MEM with GCR_CNTL | the same |
//!
//! Sources: Mesa 25.0.7 radv_cs.c, PAL gfx9CmdUtil.cpp, gfx9Barrier.cpp and gfx12Barrier.cpp, captures of RADV on GFX9 to GFX11. Barriers of GFX12 were compared with no capture.

mod access;
mod emit;
mod error;
mod fence;
mod needs;
mod plan;

pub use access::{Access, AccessSet};
pub use emit::{SyncMemory, SyncState};
pub use error::SyncError;
pub use fence::{Fence, FenceAfter, FenceData, Interrupt, Wait, WaitCompare};
pub use plan::{Barrier, Caches, Plan, Step, SyncAction, WaitStage};

pub(crate) use fence::is_address;

use crate::chip::Chip;
use crate::draw::record::{RecordError, Recorder};
use crate::packet::{Buffer, Writer};

impl Plan {
    /// Writes the packets into a stream of any queue; it must be the queue that the plan is for. A [`Recorder`] keeps the state itself. On an error neither
    /// stream nor state have changed; in a [`CommandBuffer`](crate::packet::CommandBuffer) the state goes through
    /// [`write_with`](crate::packet::CommandBuffer::write_with), which sets it back with the packets.
    ///
    /// # Errors
    /// [`SyncError`] when the chip needs memory that was not given, [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::{Access, Barrier, Plan, SyncMemory, SyncState};
    /// use pm4::packet::{Queue, Stream};
    ///
    /// let chip = Chip::Navi10;
    /// let plan = Plan::new(chip, Queue::Compute, &Barrier::new(Access::ComputeWrite, Access::ComputeRead))?;
    /// let mut stream = Stream::growable(chip.gfx(), Queue::Compute);
    /// plan.write(chip, &mut stream, &mut SyncState::new(SyncMemory { fence: Some(0x1000), zpass: None }))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write<B: Buffer>(&self, chip: Chip, writer: &mut Writer<B>, state: &mut SyncState) -> Result<(), RecordError> {
        emit::plan(chip, writer, state, self)
    }
}

impl<B: Buffer> Recorder<B> {
    /// Memory for barriers and fences. [`fence`](SyncMemory::fence): GFX9 to GFX10.3 need it, later generations only on compute queues, for what events write.
    /// [`zpass`](SyncMemory::zpass): GFX9 needs it on the graphics queue, for every fence and timestamp and for barriers that release.
    pub fn set_sync_memory(&mut self, memory: SyncMemory) {
        self.sync.memory = memory;
    }

    /// Writes a barrier and gives back what was done, with reasons.
    ///
    /// # Errors
    /// [`SyncError`] when the chip needs memory that was not given, [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::Recorder;
    /// use pm4::draw::sync::{Access, Barrier};
    ///
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// let plan = recorder.barrier(&Barrier::new(Access::ComputeWrite, Access::IndirectRead))?;
    /// assert_eq!(plan.steps.len(), 2); // CS_PARTIAL_FLUSH, PFP_SYNC_ME
    /// # Ok::<(), pm4::draw::RecordError>(())
    /// ```
    pub fn barrier(&mut self, barrier: &Barrier) -> Result<Plan, RecordError> {
        let plan = Plan::new(self.chip, self.writer.queue(), barrier)?;
        self.all_or_nothing(|recorder| plan.write(recorder.chip, &mut recorder.writer, &mut recorder.sync))?;
        Ok(plan)
    }

    /// Writes a fence and gives back what was done, with reasons.
    ///
    /// # Errors
    /// [`SyncError`] for a fence that the chip cannot write, and on the graphics queue of GFX9 without [`SyncMemory::zpass`];
    /// [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn fence(&mut self, fence: &Fence) -> Result<Plan, RecordError> {
        let plan = Plan::fence(self.chip, self.writer.queue(), fence)?;
        self.all_or_nothing(|recorder| plan.write(recorder.chip, &mut recorder.writer, &mut recorder.sync))?;
        Ok(plan)
    }

    /// Waits until memory compares.
    ///
    /// # Errors
    /// [`SyncError::Address`], [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn wait(&mut self, wait: &Wait) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| emit::wait(&mut recorder.writer, wait))
    }
}
