//! From steps to packets.

use crate::chip::{Chip, Erratum};
use crate::draw::desc::address::is_address;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::sync::{Barrier, Caches, Fence, FenceData, Interrupt, Plan, SyncAction, SyncError, SyncMemory, SyncState, Wait, WaitStage};
use crate::packet::layouts::{AcquireGcrCntl, CoherCntl, ReleaseGcrCntl};
use crate::packet::structs::PfpSyncMe;
use crate::packet::values::{
    AcquireMemPwsCounterSel, DmaDataDstSel, EngineSel, MemSpace, Operation, PwsEna, ReleaseMemDataSel, ReleaseMemEventIndex, ReleaseMemIntSel, WrConfirm,
    WriteDataDstSel,
};
use crate::packet::{Buffer, Event, PacketFields, Queue, Writer};

/// Writes a packet that graphics and compute queues have in two layouts: the fields that both have, and those of only the graphics queue.
macro_rules! emit_on {
    ($writer:expr, $p:ident, $graphics:ident / $compute:ident { $($field:ident: $value:expr),* $(,)? } $(graphics { $($own:ident: $given:expr),* $(,)? })? $(compute { $($other:ident: $set:expr),* $(,)? })?) => {
        match $writer.queue() {
            Queue::Graphics => $writer.emit(&$p::$graphics { $($field: $value,)* $($($own: $given,)*)? ..Default::default() }),
            Queue::Compute | Queue::Constant => $writer.emit(&$p::$compute { $($field: $value,)* $($($other: $set,)*)? ..Default::default() }),
        }
    };
}

/// Polls are this many clocks apart times 16: drivers write 4 in waits and 10 in ACQUIRE_MEM (captures).
const WAIT_INTERVAL: u32 = 4;
const ACQUIRE_INTERVAL: u32 = 10;

/// What actions are written with.
struct Emit<'w, B> {
    chip: Chip,
    writer: &'w mut Writer<B>,
    state: &'w mut SyncState,
}

/// Writes a plan. What an error leaves behind is for the caller to undo.
fn write_plan<B: Buffer>(chip: Chip, writer: &mut Writer<B>, state: &mut SyncState, plan: &Plan) -> Result<(), RecordError> {
    let mut emit = Emit { chip, writer, state };
    plan.steps.iter().try_for_each(|step| emit.action(&step.action))
}

/// Writes a wait.
fn write_wait<B: Buffer>(writer: &mut Writer<B>, wait: &Wait) -> Result<(), RecordError> {
    if !is_address(wait.addr, 4) {
        return Err(SyncError::Address { what: "a wait", addr: wait.addr, align: 4 }.into());
    }
    let Wait { addr, compare, reference, mask, pfp } = *wait;
    let engine_sel = if pfp { EngineSel::PREFETCH_PARSER } else { EngineSel::MICRO_ENGINE };
    on_gfx!(packet writer.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => emit_on!(
        writer, p, WaitRegMem / WaitRegMemCompute {
            function: compare.function(),
            mem_space: MemSpace::MEMORY_SPACE,
            operation: Operation::WAIT_REG_MEM,
            mem_poll_addr: Some(addr),
            reference: reference,
            mask: mask,
            poll_interval: WAIT_INTERVAL,
        } graphics { engine_sel: engine_sel }
    )})?;
    Ok(())
}

/// What a release writes and reports.
#[derive(Clone, Copy)]
struct ReleaseData {
    data_sel: ReleaseMemDataSel,
    int_sel: ReleaseMemIntSel,
    addr: u64,
    data: Option<u64>,
}

impl ReleaseData {
    const NOTHING: Self = Self { data_sel: ReleaseMemDataSel::NONE, int_sel: ReleaseMemIntSel::NONE, addr: 0, data: None };
}

impl<B: Buffer> Emit<'_, B> {
    fn action(&mut self, action: &SyncAction) -> Result<(), RecordError> {
        match action {
            SyncAction::Event(event) => Ok(self.writer.event(*event)?),
            SyncAction::WaitDma => self.wait_dma(),
            SyncAction::Release { event, caches, fence: false } => self.release_sync(*event, *caches),
            SyncAction::Release { event, caches, fence: true } => self.release_counted(*event, *caches),
            SyncAction::WaitFence => {
                let addr = self.fence_memory()?;
                write_wait(self.writer, &Wait::equal(addr, self.state.counted()))
            }
            SyncAction::AcquireSync { stage, caches } => self.acquire_sync(*stage, *caches),
            SyncAction::Acquire(caches) => self.acquire(*caches),
            SyncAction::PfpSyncMe => Ok(self.writer.emit(&PfpSyncMe::default())?),
            SyncAction::WriteFence { event, caches, fence } => self.write_fence(*event, *caches, fence),
        }
    }

    /// PAL BuildWaitDmaData; captures. MEC has no cp_sync in the descriptions, yet RADV sets the bit there.
    fn wait_dma(&mut self) -> Result<(), RecordError> {
        on_gfx!(packet self.writer.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => emit_on!(
            self.writer, p, DmaData / DmaDataCompute { dst_sel: DmaDataDstSel::DST_NOWHERE } graphics { cp_sync: true } compute { raw_wait: true }
        )})?;
        Ok(())
    }

    fn fence_memory(&self) -> Result<u64, SyncError> {
        let why = "the barrier waits for an end-of-pipe event, and the wait for it is a fence in memory";
        let addr = self.state.memory().fence.ok_or(SyncError::NoMemory { chip: self.chip, what: "fence memory", why })?;
        if is_address(addr, 4) { Ok(addr) } else { Err(SyncError::Address { what: "fence memory", addr, align: 4 }) }
    }

    /// RELEASE_MEM: the event, what the caches do, and what is written; `sync` counts for a pixel wait sync.
    fn release(&mut self, event: Event, caches: Caches, sync: bool, release: ReleaseData) -> Result<(), RecordError> {
        let shaders = event.is_shader_done(self.writer.gfx());
        let event_index = if shaders { ReleaseMemEventIndex::SHADER_DONE } else { ReleaseMemEventIndex::END_OF_PIPE };
        let ReleaseData { data_sel, int_sel, addr, data } = release;
        let (writer, all) = (&mut *self.writer, caches.l2_write_back || caches.l2_invalidate);
        let metadata = caches.metadata && !all;
        let lines = Lines::of(writer.gfx().major(), caches);
        on_gfx!(packet writer.gfx(), p => {
            Gfx9 => emit_on!(writer, p, ReleaseMem / ReleaseMemCompute {
                event_type: event, event_index: event_index, data_sel: data_sel, int_sel: int_sel, address: addr, data: data,
                tc_action_ena: all || metadata, tc_wb_action_ena: all, tc_md_action_ena: metadata,
            }),
            Gfx10 | Gfx103 => emit_on!(writer, p, ReleaseMem / ReleaseMemCompute {
                event_type: event, event_index: event_index, data_sel: data_sel, int_sel: int_sel, address: addr, data: data, gcr_cntl: lines.of_release(),
            }),
            Gfx11 | Gfx115 | Gfx12 => emit_on!(writer, p, ReleaseMem / ReleaseMemCompute {
                event_type: event, event_index: event_index, data_sel: data_sel, int_sel: int_sel, address: addr, data: data, gcr_cntl: lines.of_release(),
                glk_inv: lines.scalar,
            } graphics { pws_enable: sync }),
        })?;
        Ok(())
    }

    /// On GFX9's graphics queue a release must directly follow ZPASS_DONE, else it may hang.
    fn before_release(&mut self) -> Result<(), RecordError> {
        if !self.chip.has(Erratum::ZpassDoneBeforeTimestamp) || self.writer.queue() != Queue::Graphics {
            return Ok(());
        }
        let why = "each end-of-pipe release must directly follow a ZPASS_DONE event, which writes there";
        let addr = self.state.memory().zpass.ok_or(SyncError::NoMemory { chip: self.chip, what: "memory for ZPASS_DONE", why })?;
        if !is_address(addr, 8) {
            return Err(SyncError::Address { what: "memory for ZPASS_DONE", addr, align: 8 }.into());
        }
        Ok(self.writer.event_at(Event::ZPASS_DONE, addr)?)
    }

    fn release_sync(&mut self, event: Event, caches: Caches) -> Result<(), RecordError> {
        self.release(event, caches, true, ReleaseData::NOTHING)
    }

    fn release_counted(&mut self, event: Event, caches: Caches) -> Result<(), RecordError> {
        let addr = self.fence_memory()?;
        if !self.state.has_cleared(addr) {
            let certain = self.writer.is_certain();
            self.clear_fence(addr)?;
            self.state.set_cleared(certain.then_some(addr));
        }
        self.before_release()?;
        let number = self.state.counted().wrapping_add(1);
        let (data_sel, int_sel) = (ReleaseMemDataSel::SEND_32_BIT_LOW, ReleaseMemIntSel::SEND_DATA_AND_WRITE_CONFIRM);
        self.release(event, caches, false, ReleaseData { data_sel, int_sel, addr, data: Some(number.into()) })?;
        self.state.set_counted(number);
        Ok(())
    }

    /// A command buffer that runs again finds its last number in memory: ME sets it to 0 first.
    fn clear_fence(&mut self, addr: u64) -> Result<(), RecordError> {
        let (dst_sel, wr_confirm) = (WriteDataDstSel::MEMORY, WrConfirm::WAIT_FOR_WRITE_CONFIRMATION);
        on_gfx!(packet self.writer.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => match self.writer.queue() {
            Queue::Graphics => self.writer.emit(&p::WriteData { dst_sel, wr_confirm, dst_mem_addr: Some(addr), ..Default::default() }.followed_by(&[0])),
            _ => self.writer.emit(&p::WriteDataCompute { dst_sel, wr_confirm, dst_mem_addr: Some(addr), ..Default::default() }.followed_by(&[0])),
        }})?;
        Ok(())
    }

    fn write_fence(&mut self, event: Event, caches: Caches, fence: &Fence) -> Result<(), RecordError> {
        self.before_release()?;
        let int_sel = match (fence.data, fence.interrupt) {
            (FenceData::Nothing, _) => ReleaseMemIntSel::SEND_INTERRUPT_ONLY,
            (_, Interrupt::AfterWrite) => ReleaseMemIntSel::SEND_INTERRUPT_AFTER_WRITE_CONFIRM,
            _ => ReleaseMemIntSel::SEND_DATA_AND_WRITE_CONFIRM,
        };
        let (data_sel, addr, data) = match fence.data {
            FenceData::Nothing => (ReleaseMemDataSel::NONE, 0, None),
            FenceData::Dword(value) => (ReleaseMemDataSel::SEND_32_BIT_LOW, fence.addr, Some(value.into())),
            FenceData::Qword(value) => (ReleaseMemDataSel::SEND_64_BIT_DATA, fence.addr, Some(value)),
            FenceData::GpuClock => (ReleaseMemDataSel::SEND_GPU_CLOCK_COUNTER, fence.addr, None),
            FenceData::SystemClock => (ReleaseMemDataSel::SEND_SYSTEM_CLOCK_COUNTER, fence.addr, None),
        };
        self.release(event, caches, false, ReleaseData { data_sel, int_sel, addr, data })
    }

    /// A pixel wait sync: GFX11 and later, on the graphics queue.
    fn acquire_sync(&mut self, stage: WaitStage, caches: Caches) -> Result<(), RecordError> {
        let lines = Lines::of(self.writer.gfx().major(), caches);
        on_gfx!(packet self.writer.gfx(), p => {
            Gfx9 | Gfx10 | Gfx103 => Err(SyncError::NoPixelWait { gfx: self.writer.gfx() }.into()),
            Gfx11 | Gfx115 | Gfx12 => Ok(self.writer.emit(&p::AcquireMem {
                pws_stage_sel: Some(stage.value()),
                pws_counter_sel: Some(AcquireMemPwsCounterSel::TS_SELECT),
                pws_ena: PwsEna::PIXEL_WAIT_SYNC_ENABLE,
                pws_ena2: Some(PwsEna::PIXEL_WAIT_SYNC_ENABLE),
                gcr_base: Some(0),
                gcr_size: Some(WHOLE_SYNC),
                gcr_cntl: lines.of_acquire(caches.code),
                ..Default::default()
            })?),
        })
    }

    /// The whole address space: base 0, size all ones. RADV and Linux write 24 bits of size where the field has 8; PAL all ones of the field, as here.
    fn acquire(&mut self, caches: Caches) -> Result<(), RecordError> {
        if self.writer.gfx().major() > 9 {
            return self.acquire_whole(caches, CoherCntl::new());
        }
        coher(caches).try_for_each(|coher_cntl| self.acquire_whole(caches, coher_cntl))
    }

    fn acquire_whole(&mut self, caches: Caches, coher_cntl: CoherCntl) -> Result<(), RecordError> {
        let (writer, poll_interval) = (&mut *self.writer, ACQUIRE_INTERVAL);
        let gcr_cntl = Lines::of(writer.gfx().major(), caches).of_acquire(caches.code);
        on_gfx!(packet writer.gfx(), p => {
            Gfx9 => emit_on!(writer, p, AcquireMem / AcquireMemCompute { coher_size: WHOLE_8, poll_interval: poll_interval, coher_cntl: coher_cntl }),
            Gfx10 | Gfx103 => emit_on!(writer, p, AcquireMem / AcquireMemCompute { coher_size: WHOLE_8, poll_interval: poll_interval, gcr_cntl: gcr_cntl }),
            Gfx11 | Gfx115 | Gfx12 => match writer.queue() {
                Queue::Graphics => writer.emit(&p::AcquireMem { coher_base: Some(0), coher_size: Some(WHOLE_24), poll_interval: Some(poll_interval), gcr_cntl, ..Default::default() }),
                _ => writer.emit(&p::AcquireMemCompute { coher_size: WHOLE_8, poll_interval, gcr_cntl, ..Default::default() }),
            },
        })?;
        Ok(())
    }
}

/// Sizes of all ones: 32 bits and the 8, 24 or 25 of the upper field.
const WHOLE_8: u64 = (1 << 40) - 1;
const WHOLE_24: u64 = (1 << 56) - 1;
const WHOLE_SYNC: u64 = (1 << 57) - 1;

/// GFX9's CP_COHER_CNTL, of one packet per combination of TC bits: few are allowed, and each is a packet of its own (PAL gfx9CmdUtil.cpp SelectGfx9CacheOp;
/// Mesa 25.0.7 radv_cs.c). What invalidates L2 takes its metadata and the vector caches along. Code and scalar caches act with the first packet.
fn coher(caches: Caches) -> impl Iterator<Item = CoherCntl> {
    let (all, new) = (caches.l2_invalidate, CoherCntl::new);
    let actions = [
        (all, new().with_tcl1_action_ena(true).with_tc_action_ena(true).with_tc_wb_action_ena(true)),
        (caches.l2_write_back && !all, new().with_tc_wb_action_ena(true).with_tc_nc_action_ena(true)),
        (caches.metadata && !all, new().with_tc_action_ena(true).with_tc_inv_metadata_action_ena(true)),
        (caches.vector && !all, new().with_tcl1_action_ena(true)),
    ];
    let none = !actions.iter().any(|&(on, _)| on);
    let packets = actions.into_iter().chain([(none, new())]).filter_map(|(on, bits)| on.then_some(bits));
    packets.enumerate().map(move |(at, bits)| bits.with_sh_icache_action_ena(caches.code && at == 0).with_sh_kcache_action_ena(caches.scalar && at == 0))
}

/// Bits of GCR_CNTL, the same in both packets but for their places.
#[derive(Clone, Copy)]
struct Lines {
    scalar: bool,
    vector: bool,
    metadata: bool,
    l2_write_back: bool,
    l2_invalidate: bool,
    seq: u32,
}

/// SEQ: colour and depth caches first, then GL1, then GL2.
const FORWARD: u32 = 1;
/// GLI_INV: all of the instruction cache.
const ALL_CODE: u32 = 1;

impl Lines {
    fn of(major: u8, caches: Caches) -> Self {
        // Whatever touches L2 takes its metadata cache along, which cannot write back alone (Mesa 25.0.7 radv_cs.c); GFX12 has no metadata.
        let metadata = (caches.metadata || caches.l2_write_back || caches.l2_invalidate) && major < 12;
        Self {
            scalar: caches.scalar,
            vector: caches.vector,
            metadata,
            l2_write_back: caches.l2_write_back || caches.l2_invalidate,
            l2_invalidate: caches.l2_invalidate,
            seq: if caches.targets_first { FORWARD } else { 0 },
        }
    }

    /// GCR_CNTL of RELEASE_MEM.
    fn of_release(self) -> ReleaseGcrCntl {
        ReleaseGcrCntl::new()
            .with_glm_wb(self.metadata)
            .with_glm_inv(self.metadata)
            .with_glv_inv(self.vector)
            .with_gl1_inv(self.vector)
            .with_gl2_inv(self.l2_invalidate)
            .with_gl2_wb(self.l2_write_back)
            .with_seq(self.seq)
    }

    /// GCR_CNTL of ACQUIRE_MEM.
    fn of_acquire(self, code: bool) -> AcquireGcrCntl {
        AcquireGcrCntl::new()
            .with_gli_inv(if code { ALL_CODE } else { 0 })
            .with_glm_wb(self.metadata)
            .with_glm_inv(self.metadata)
            .with_glk_inv(self.scalar)
            .with_glv_inv(self.vector)
            .with_gl1_inv(self.vector)
            .with_gl2_inv(self.l2_invalidate)
            .with_gl2_wb(self.l2_write_back)
            .with_seq(self.seq)
    }
}

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
        let before = state.clone();
        let written = writer.all_or_nothing(|writer| write_plan(chip, writer, state, self));
        written.inspect_err(|_| *state = before)
    }
}

impl<B: Buffer> Recorder<B> {
    /// Memory for barriers and fences. [`fence`](SyncMemory::fence): GFX9 to GFX10.3 need it, later generations only on compute queues, for what events write.
    /// [`zpass`](SyncMemory::zpass): GFX9 needs it on the graphics queue, for every fence and timestamp and for barriers that release.
    pub fn set_sync_memory(&mut self, memory: SyncMemory) {
        self.sync.set_memory(memory);
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
        self.write_plan(&plan)?;
        Ok(plan)
    }

    /// Writes a fence and gives back what was done, with reasons.
    ///
    /// # Errors
    /// [`SyncError`] for a fence that the chip cannot write, and on the graphics queue of GFX9 without [`SyncMemory::zpass`];
    /// [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn fence(&mut self, fence: &Fence) -> Result<Plan, RecordError> {
        let plan = Plan::fence(self.chip, self.writer.queue(), fence)?;
        self.write_plan(&plan)?;
        Ok(plan)
    }

    /// Waits until memory compares.
    ///
    /// # Errors
    /// [`SyncError::Address`], [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn wait(&mut self, wait: &Wait) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| write_wait(&mut recorder.writer, wait))
    }

    /// Writes a plan for this chip and queue.
    pub(super) fn write_plan(&mut self, plan: &Plan) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| write_plan(recorder.chip, &mut recorder.writer, &mut recorder.sync, plan))
    }
}
