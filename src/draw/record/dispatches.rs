//! Dispatches recorded into packets.

use crate::draw::decide::{ResolvedDispatch, ResolvedGrid, compute_queue};
use crate::draw::desc::QueueMemory;
use crate::draw::desc::board::check_gpu;
use crate::draw::image::RegisterImage;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::record::registers::Slots;
use crate::packet::structs::{DispatchDirect, DispatchIndirect, DispatchIndirectCompute, SetBase};
use crate::packet::values::SetBaseBaseIndex;
use crate::packet::{Buffer, PacketFields, Queue, ShaderType};

impl<B: Buffer> Recorder<B> {
    /// Writes the state that a queue needs before its first dispatch ([`compute_queue`]).
    ///
    /// # Errors
    /// [`RecordError::Begun`] after another preamble; [`RecordError::Draw`] for an impossible board; [`WriteError::Full`](crate::packet::WriteError::Full) when
    /// the buffer is full.
    pub fn begin_compute(&mut self) -> Result<(), RecordError> {
        self.begin_compute_in(&RegisterImage::new(self.chip.gfx()))
    }

    /// Writes the preamble as [`begin_compute`](Self::begin_compute) does, and the part of the memory that dispatches need: border colours of samplers. The
    /// rings are only for draws and are not written, so both queues may be given the same memory.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DispatchDesc, QueueMemory, Recorder};
    /// use pm4::packet::{Queue, Writer};
    /// let memory = QueueMemory { border_colors: 0x10_0000, ..QueueMemory::default() };
    /// let mut recorder = Recorder::from_writer(Chip::Navi31, Writer::growable(Chip::Navi31.gfx(), Queue::Compute));
    /// recorder.begin_compute_with(&memory)?;
    /// recorder.dispatch(&DispatchDesc::default().resolve(Chip::Navi31)?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RecordError::Draw`] for memory that hardware cannot accept; [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn begin_compute_with(&mut self, memory: &QueueMemory) -> Result<(), RecordError> {
        memory.check(self.chip.gfx())?;
        self.begin_compute_in(&memory.of_compute(self.chip.gfx()))
    }

    fn begin_compute_in(&mut self, memory: &RegisterImage) -> Result<(), RecordError> {
        self.may_begin(self.preambles[1], "begin_compute")?;
        check_gpu(&self.gpu)?;
        let mut image = compute_queue(self.chip, self.gpu.board());
        image.add_all(memory);
        self.with_registers(&image, |recorder, differing| recorder.registers(&image, differing))?;
        (self.begun_compute, self.preambles[1]) = (true, true);
        Ok(())
    }

    /// Writes the registers of a dispatch that do not hold their values, then the dispatch. It relies on the registers of the queue, including CU masks, which
    /// hang the queue if they are zero. [`begin_compute`](Self::begin_compute) sets these registers, or an earlier command buffer of the queue does
    /// ([`after_preamble`](Self::after_preamble)).
    ///
    /// # Errors
    /// [`RecordError::ComputeNotBegun`] if neither has happened, [`RecordError::Mixed`] while a pipeline or user data of compute is bound
    /// ([`dispatch_bound`](Self::dispatch_bound) uses it, [`apart`](Self::apart) leaves it bound), [`RecordError::OtherChip`] for a dispatch of another chip,
    /// [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DispatchDesc, Recorder};
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// recorder.begin_compute()?;
    /// recorder.dispatch(&DispatchDesc::default().resolve(Chip::Navi31)?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dispatch(&mut self, dispatch: &ResolvedDispatch) -> Result<(), RecordError> {
        self.may_ignore(self.compute.is_set(), "dispatch", "dispatch_bound")?;
        self.dispatch_resolved(dispatch)
    }

    pub(super) fn dispatch_resolved(&mut self, dispatch: &ResolvedDispatch) -> Result<(), RecordError> {
        self.other_machine(dispatch.chip, dispatch.board)?;
        self.may_dispatch()?;
        self.with_registers(&dispatch.image, |recorder, differing| recorder.dispatch_parts(dispatch, differing))
    }

    fn dispatch_parts(&mut self, dispatch: &ResolvedDispatch, differing: &Slots) -> Result<(), RecordError> {
        self.registers(&dispatch.image, differing)?;
        let writer = &mut self.writer;
        let dispatch_initiator = dispatch.initiator;
        match dispatch.grid {
            ResolvedGrid::Direct([dim_x, dim_y, dim_z]) => writer.emit(&DispatchDirect { dim_x, dim_y, dim_z, dispatch_initiator })?,
            // The graphics queue counts from an 8-aligned base, on a compute queue, the packet contains the address.
            ResolvedGrid::Indirect(address) if writer.queue() == Queue::Graphics => {
                let base = SetBase { base_index: SetBaseBaseIndex::PATCH_TABLE_BASE, address: Some(address & !7) };
                writer.emit(&base.for_shaders(ShaderType::Compute))?;
                writer.emit(&DispatchIndirect { data_offset: (address & 7) as u32, dispatch_initiator })?;
            }
            ResolvedGrid::Indirect(addr) => writer.emit(&DispatchIndirectCompute { addr, dispatch_initiator })?,
        }
        Ok(())
    }
}
