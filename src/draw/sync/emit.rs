//! From steps to packets.

use crate::chip::{Chip, Erratum};
use crate::draw::record::RecordError;
use crate::draw::sync::fence::is_address;
use crate::draw::sync::pack::Pack;
use crate::draw::sync::{Action, Caches, Fence, FenceData, Interrupt, Plan, SyncError, Wait, WaitStage};
use crate::packet::{Buffer, Event, Queue, Writer};

/// Memory that barriers use on some chips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SyncMemory {
    /// A dword, 4-aligned, that counts fences: GFX9 and GFX10 wait there for colour and depth caches. It must be the command buffer's own; the first use in
    /// a command buffer sets it to 0.
    pub fence: Option<u64>,
    /// 8-aligned memory that GFX9 writes before each release on the graphics queue, 16 bytes for each render back end (at most 256 bytes).
    pub zpass: Option<u64>,
}

/// How barriers become packets in one command buffer: their memory, and how many fences it has counted.
#[derive(Debug, Clone, Default)]
pub struct SyncState {
    pub(crate) memory: SyncMemory,
    /// Number of the last fence counted; 0 before the first.
    counted: u32,
}

impl SyncState {
    /// The state at the start of a command buffer.
    pub fn new(memory: SyncMemory) -> Self {
        Self { memory, counted: 0 }
    }
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

/// Writes a plan: all of its packets and counts, or none.
pub(super) fn plan<B: Buffer>(chip: Chip, writer: &mut Writer<B>, state: &mut SyncState, plan: &Plan) -> Result<(), RecordError> {
    let before = state.clone();
    let written = writer.all_or_nothing(|writer| {
        let mut emit = Emit { chip, writer, state };
        plan.steps.iter().try_for_each(|step| emit.action(&step.action))
    });
    written.inspect_err(|_| *state = before)
}

/// Writes a wait.
pub(super) fn wait<B: Buffer>(writer: &mut Writer<B>, wait: &Wait) -> Result<(), RecordError> {
    if !is_address(wait.addr, 4) {
        return Err(SyncError::Address { what: "a wait", addr: wait.addr, align: 4 }.into());
    }
    let (gfx, queue) = (writer.gfx(), writer.queue());
    let packet = Pack::new("WAIT_REG_MEM", gfx, queue)
        .named("function", wait.compare.name())
        .named("mem_space", "memory_space")
        .named("operation", "wait_reg_mem")
        .address("mem_poll_addr_lo", "mem_poll_addr_hi", wait.addr)
        .set("reference", wait.reference)
        .set("mask", wait.mask)
        .set("poll_interval", WAIT_INTERVAL);
    let packet = if wait.pfp && queue == Queue::Graphics { packet.named("engine_sel", "prefetch_parser") } else { packet };
    packet.write(writer)
}

impl<B: Buffer> Emit<'_, B> {
    fn pack(&self, packet: &'static str) -> Pack {
        Pack::new(packet, self.writer.gfx(), self.writer.queue())
    }

    fn action(&mut self, action: &Action) -> Result<(), RecordError> {
        match action {
            Action::Event(event) => Ok(self.writer.event(*event)?),
            Action::WaitDma => self.wait_dma(),
            Action::Release { event, caches, fence: false } => self.release_sync(*event, *caches),
            Action::Release { event, caches, fence: true } => self.release_counted(*event, *caches),
            Action::WaitFence => {
                let addr = self.fence_memory()?;
                wait(self.writer, &Wait::equal(addr, self.state.counted))
            }
            Action::AcquireSync { stage, caches } => self.acquire_sync(*stage, *caches),
            Action::Acquire(caches) => self.acquire(*caches),
            Action::PfpSyncMe => self.pack("PFP_SYNC_ME").write(self.writer),
            Action::WriteFence { event, caches, fence } => self.write_fence(*event, *caches, fence),
        }
    }

    /// PAL BuildWaitDmaData; captures. MEC has no cp_sync in the descriptions, yet RADV sets the bit there.
    fn wait_dma(&mut self) -> Result<(), RecordError> {
        let packet = self.pack("DMA_DATA").named("dst_sel", "dst_nowhere");
        let packet = if self.writer.queue() == Queue::Graphics { packet.set("cp_sync", 1) } else { packet.set("raw_wait", 1) };
        packet.write(self.writer)
    }

    fn fence_memory(&self) -> Result<u64, SyncError> {
        let why = "colour and depth caches are flushed by an end-of-pipe event, and the wait for it is a fence in memory";
        let addr = self.state.memory.fence.ok_or(SyncError::NoMemory { chip: self.chip, what: "fence memory", why })?;
        if is_address(addr, 4) { Ok(addr) } else { Err(SyncError::Address { what: "fence memory", addr, align: 4 }) }
    }

    /// RELEASE_MEM without its data: the event, and what the caches do.
    fn release(&self, event: Event, caches: Caches) -> Pack {
        let gfx = self.writer.gfx();
        let kind = if matches!(event, Event::PS_DONE | Event::CS_DONE) { "shader_done" } else { "end_of_pipe" };
        let packet = self.pack("RELEASE_MEM").set("event_type", u32::from(event.0)).named("event_index", kind);
        if gfx.major() == 9 {
            let all = u32::from(caches.l2_write_back || caches.l2_drop);
            let metadata = u32::from(caches.metadata && all == 0);
            return packet.set("tc_action_ena", all | metadata).set("tc_wb_action_ena", all).set("tc_md_action_ena", metadata);
        }
        let lines = Lines::of(gfx.major(), caches);
        packet
            .bits("gcr_cntl", "glm_wb", lines.metadata)
            .bits("gcr_cntl", "glm_inv", lines.metadata)
            .bits("gcr_cntl", "glv_inv", lines.vector)
            .bits("gcr_cntl", "gl1_inv", lines.vector)
            .bits("gcr_cntl", "gl2_inv", lines.l2_drop)
            .bits("gcr_cntl", "gl2_wb", lines.l2_write_back)
            .bits("gcr_cntl", "seq", lines.seq)
            .set("glk_inv", lines.scalar)
    }

    /// On GFX9's graphics queue a release must directly follow ZPASS_DONE, else it may hang.
    fn before_release(&mut self) -> Result<(), RecordError> {
        if !self.chip.has(Erratum::ZpassDoneBeforeTimestamp) || self.writer.queue() != Queue::Graphics {
            return Ok(());
        }
        let why = "each end-of-pipe release must directly follow a ZPASS_DONE event, which writes there";
        let addr = self.state.memory.zpass.ok_or(SyncError::NoMemory { chip: self.chip, what: "memory for ZPASS_DONE", why })?;
        if !is_address(addr, 8) {
            return Err(SyncError::Address { what: "memory for ZPASS_DONE", addr, align: 8 }.into());
        }
        Ok(self.writer.event_at(Event::ZPASS_DONE, addr)?)
    }

    fn release_sync(&mut self, event: Event, caches: Caches) -> Result<(), RecordError> {
        self.release(event, caches).set("pws_enable", 1).write(self.writer)
    }

    fn release_counted(&mut self, event: Event, caches: Caches) -> Result<(), RecordError> {
        let addr = self.fence_memory()?;
        if self.state.counted == 0 {
            self.clear_fence(addr)?;
        }
        self.before_release()?;
        let number = self.state.counted.wrapping_add(1);
        self.release(event, caches)
            .named("int_sel", "send_data_and_write_confirm")
            .named("data_sel", "send_32_bit_low")
            .address("address_lo_32b", "address_hi", addr)
            .set("data_lo", number)
            .write(self.writer)?;
        self.state.counted = number;
        Ok(())
    }

    /// A command buffer that runs again finds its last number in memory: the ME sets it to 0 first.
    fn clear_fence(&mut self, addr: u64) -> Result<(), RecordError> {
        let packet = self.pack("WRITE_DATA").named("dst_sel", "memory").set("wr_confirm", 1);
        packet.address("dst_mem_addr_lo", "dst_mem_addr_hi", addr).list(&[0]).write(self.writer)
    }

    fn write_fence(&mut self, event: Event, caches: Caches, fence: &Fence) -> Result<(), RecordError> {
        self.before_release()?;
        let interrupts = fence.interrupt == Interrupt::AfterWrite;
        let packet = self.release(event, caches);
        let packet = match fence.data {
            FenceData::Nothing => packet.named("int_sel", "send_interrupt_only"),
            _ if interrupts => packet.named("int_sel", "send_interrupt_after_write_confirm"),
            _ => packet.named("int_sel", "send_data_and_write_confirm"),
        };
        match fence.data {
            FenceData::Nothing => packet,
            FenceData::Word(value) => packet.named("data_sel", "send_32_bit_low").address("address_lo_32b", "address_hi", fence.addr).set("data_lo", value),
            FenceData::Quad(value) => packet
                .named("data_sel", "send_64_bit_data")
                .address("address_lo_64b", "address_hi", fence.addr)
                .set("data_lo", value as u32)
                .set("data_hi", (value >> 32) as u32),
            FenceData::GpuClock => packet.named("data_sel", "send_gpu_clock_counter").address("address_lo_64b", "address_hi", fence.addr),
            FenceData::SystemClock => packet.named("data_sel", "send_system_clock_counter").address("address_lo_64b", "address_hi", fence.addr),
        }
        .write(self.writer)
    }

    fn acquire_sync(&mut self, stage: WaitStage, caches: Caches) -> Result<(), RecordError> {
        let packet = self.pack("ACQUIRE_MEM").named("pws_stage_sel", stage.name()).named("pws_counter_sel", "ts_select");
        let packet = packet.set("pws_ena2", 1).set("pws_ena", 1).ones("gcr_size").ones("gcr_size_hi");
        gcr(packet, self.writer.gfx().major(), caches).write(self.writer)
    }

    /// The whole address space: base 0, size all ones. RADV and Linux write 24 bits of size where the field has 8; PAL all ones of the field, as here.
    fn acquire(&mut self, caches: Caches) -> Result<(), RecordError> {
        if self.writer.gfx().major() > 9 {
            return self.acquire_whole(|packet, major| gcr(packet, major, caches));
        }
        // The combinations of TC bits that Mesa 25.0.7 radv_cs.c uses: writing back alone does not work without TC_NC, and takes a packet of its own.
        if caches.l2_write_back && !caches.l2_drop {
            let scalar = Caches { code: caches.code, scalar: caches.scalar, ..Caches::default() };
            self.acquire_whole(|packet, _| coher(packet, scalar).bits("coher_cntl", "TC_WB_ACTION_ENA", 1).bits("coher_cntl", "TC_NC_ACTION_ENA", 1))?;
            let rest = Caches { vector: caches.vector, ..Caches::default() };
            return if rest.any() { self.acquire_whole(|packet, _| coher(packet, rest)) } else { Ok(()) };
        }
        self.acquire_whole(|packet, _| coher(packet, caches))
    }

    fn acquire_whole(&mut self, act: impl Fn(Pack, u8) -> Pack) -> Result<(), RecordError> {
        let packet = self.pack("ACQUIRE_MEM").ones("coher_size").ones("coher_size_hi").set("poll_interval", ACQUIRE_INTERVAL);
        act(packet, self.writer.gfx().major()).write(self.writer)
    }
}

/// GFX9's CP_COHER_CNTL.
fn coher(packet: Pack, caches: Caches) -> Pack {
    let l2 = u32::from(caches.l2_drop);
    packet
        .bits("coher_cntl", "SH_ICACHE_ACTION_ENA", u32::from(caches.code))
        .bits("coher_cntl", "SH_KCACHE_ACTION_ENA", u32::from(caches.scalar))
        .bits("coher_cntl", "TCL1_ACTION_ENA", u32::from(caches.vector || caches.l2_drop))
        .bits("coher_cntl", "TC_ACTION_ENA", l2)
        .bits("coher_cntl", "TC_WB_ACTION_ENA", l2)
}

/// Bits of GCR_CNTL, the same in both packets but for their places.
struct Lines {
    scalar: u32,
    vector: u32,
    metadata: u32,
    l2_write_back: u32,
    l2_drop: u32,
    seq: u32,
}

/// SEQ: colour and depth caches first, then GL1, then GL2.
const FORWARD: u32 = 1;
/// GLI_INV: all of the instruction cache.
const ALL_CODE: u32 = 1;

impl Lines {
    fn of(major: u8, caches: Caches) -> Self {
        // Whatever touches L2 takes its metadata cache along, which cannot write back alone (Mesa 25.0.7 radv_cs.c); GFX12 has no metadata.
        let metadata = (caches.metadata || caches.l2_write_back || caches.l2_drop) && major < 12;
        Self {
            scalar: u32::from(caches.scalar),
            vector: u32::from(caches.vector),
            metadata: u32::from(metadata),
            l2_write_back: u32::from(caches.l2_write_back || caches.l2_drop),
            l2_drop: u32::from(caches.l2_drop),
            seq: if caches.targets_first { FORWARD } else { 0 },
        }
    }
}

/// GCR_CNTL of ACQUIRE_MEM.
fn gcr(packet: Pack, major: u8, caches: Caches) -> Pack {
    let lines = Lines::of(major, caches);
    packet
        .bits("gcr_cntl", "gli_inv", if caches.code { ALL_CODE } else { 0 })
        .bits("gcr_cntl", "glm_wb", lines.metadata)
        .bits("gcr_cntl", "glm_inv", lines.metadata)
        .bits("gcr_cntl", "glk_inv", lines.scalar)
        .bits("gcr_cntl", "glv_inv", lines.vector)
        .bits("gcr_cntl", "gl1_inv", lines.vector)
        .bits("gcr_cntl", "gl2_inv", lines.l2_drop)
        .bits("gcr_cntl", "gl2_wb", lines.l2_write_back)
        .bits("gcr_cntl", "seq", lines.seq)
}
