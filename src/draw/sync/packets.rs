//! The packets of steps: encoded once and written any number of times.

use crate::chip::{Chip, Erratum};
use crate::draw::desc::address::is_address;
use crate::draw::sync::error::SyncError;
use crate::draw::sync::fence::{Fence, FenceData, Interrupt, Wait};
use crate::draw::sync::plan::{Caches, Step, SyncAction, WaitStage};
use crate::draw::sync::state::SyncState;
use crate::packet::layouts::{AcquireGcrCntl, CoherCntl, ReleaseGcrCntl};
use crate::packet::structs::PfpSyncMe;
use crate::packet::values::{
    AcquireMemPwsCounterSel, DmaDataDstSel, EngineSel, MemSpace, Operation, PwsEna, ReleaseMemDataSel, ReleaseMemEventIndex, ReleaseMemIntSel, WrConfirm,
    WriteDataDstSel,
};
use crate::packet::{Buffer, Event, PacketFields, Queue, Stream, WriteError, Writer};
use alloc::vec::Vec;
use core::ops::Range;

/// Writes a packet that graphics and compute queues have in two layouts: the common fields, and those of only the graphics queue.
macro_rules! emit_on {
    ($writer:expr, $p:ident, $graphics:ident / $compute:ident { $($field:ident: $value:expr),* $(,)? } $(graphics { $($own:ident: $given:expr),* $(,)? })? $(compute { $($other:ident: $set:expr),* $(,)? })?) => {
        match $writer.queue() {
            Queue::Graphics => $writer.emit(&$p::$graphics { $($field: $value,)* $($($own: $given,)*)? ..Default::default() }),
            Queue::Compute | Queue::Constant => $writer.emit(&$p::$compute { $($field: $value,)* $($($other: $set,)*)? ..Default::default() }),
        }
    };
}

pub(crate) use emit_on;

/// Poll interval in units of 16 clocks: drivers write 4 in waits and 10 in ACQUIRE_MEM (captures).
const WAIT_INTERVAL: u32 = 4;
const ACQUIRE_INTERVAL: u32 = 10;

/// Stand for addresses that only a command buffer knows: all bits, in canonical form, but those that are 0 in every one.
const ANY_FENCE: u64 = !3;
const ANY_ZPASS: u64 = !7;
/// Stands for the number of a fence.
const ANY_NUMBER: u32 = u32::MAX;

/// What is filled into a dword when the packets are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    FenceLow,
    FenceHigh,
    ZpassLow,
    ZpassHigh,
    Number,
}

/// A dword in which the bits of an address or a number are zero, to be filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    at: usize,
    part: Part,
}

/// The packets of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packets {
    chip: Chip,
    queue: Queue,
    words: Vec<u32>,
    places: Vec<Place>,
    /// Offset of the last packet.
    last: usize,
    /// Dwords that set fence memory to 0 at its first use and are left out later.
    clear: Range<usize>,
}

impl Packets {
    /// Encodes the packets of steps.
    pub fn of(chip: Chip, queue: Queue, steps: &[Step]) -> Result<Self, WriteError> {
        let mut encoder = Encoder { chip, writer: Stream::growable(chip.gfx(), queue), places: Vec::new(), clear: 0..0 };
        steps.iter().try_for_each(|step| encoder.action(&step.action))?;
        let Encoder { writer, places, clear, .. } = encoder;
        let last = writer.len() - writer.last_packet().len();
        Ok(Self { chip, queue, words: writer.into_buffer(), places, last, clear })
    }

    #[inline]
    pub fn chip(&self) -> Chip {
        self.chip
    }

    #[inline]
    pub fn is_for(&self, chip: Chip, queue: Queue) -> bool {
        (self.chip, self.queue) == (chip, queue)
    }

    pub fn other_stream(&self) -> SyncError {
        SyncError::OtherStream { chip: self.chip, queue: self.queue }
    }

    /// Returns whether the packets use the counted fence of the command buffer.
    pub fn counts(&self) -> bool {
        self.uses(Part::Number)
    }

    #[inline]
    fn uses(&self, part: Part) -> bool {
        self.places.iter().any(|place| place.part == part)
    }

    /// Returns the memory that the packets need, after checking it.
    fn memory(&self, state: &SyncState) -> Result<(u64, u64), SyncError> {
        let need = |needed: bool, addr: Option<u64>, what, align, why| match addr {
            _ if !needed => Ok(0),
            None => Err(SyncError::NoMemory { chip: self.chip, what, why }),
            Some(addr) if is_address(addr, align) => Ok(addr),
            Some(addr) => Err(SyncError::Address { what, addr, align }),
        };
        let why = "the barrier waits for an end-of-pipe event, and the wait for it is a fence in memory";
        let fence = need(self.uses(Part::FenceLow), state.memory().fence, "fence memory", 4, why)?;
        let why = "each end-of-pipe release must directly follow a ZPASS_DONE event, which writes there";
        Ok((fence, need(self.uses(Part::ZpassLow), state.memory().zpass, "memory for ZPASS_DONE", 8, why)?))
    }

    /// Writes the packets, all or nothing.
    pub fn write<B: Buffer, E: From<SyncError> + From<WriteError>>(&self, writer: &mut Writer<B>, state: &mut SyncState) -> Result<(), E> {
        if (writer.gfx(), writer.queue()) != (self.chip.gfx(), self.queue) {
            return Err(self.other_stream().into());
        }
        if self.places.is_empty() {
            writer.append_packets([&self.words, &[]], self.last)?;
            return Ok(());
        }
        let (fence, zpass) = self.memory(state)?;
        let (certain, clears) = (writer.is_certain(), !self.clear.is_empty() && !state.has_cleared(fence));
        let number = state.counted().wrapping_add(u32::from(self.counts()));
        // Fence memory that is already 0 is not set again: these dwords are left out.
        let skipped = if clears { 0..0 } else { self.clear.clone() };
        let (before, after) = (self.words.get(..skipped.start).unwrap_or_default(), self.words.get(skipped.end..).unwrap_or_default());
        let words = writer.append_packets([before, after], self.last - skipped.len())?;
        for place in self.places.iter().filter(|place| !skipped.contains(&place.at)) {
            let value = match place.part {
                Part::FenceLow => fence as u32,
                Part::FenceHigh => (fence >> 32) as u32,
                Part::ZpassLow => zpass as u32,
                Part::ZpassHigh => (zpass >> 32) as u32,
                Part::Number => number,
            };
            let at = if place.at < skipped.start { place.at } else { place.at - skipped.len() };
            if let Some(word) = words.get_mut(at) {
                *word &= value;
            }
        }
        state.set_counted(number);
        if clears {
            // A command buffer that runs again finds its last number in memory. If these packets may be skipped, the next use sets it to 0 too.
            state.set_cleared(certain.then_some(fence));
        }
        Ok(())
    }
}

/// Dwords of packets, from the header on: of RELEASE_MEM, WAIT_REG_MEM, WRITE_DATA and EVENT_WRITE, whose addresses and numbers are in the same places in all
/// generations (regdb/packets).
mod dword {
    pub const RELEASE_ADDRESS: usize = 3;
    pub const RELEASE_DATA: usize = 5;
    pub const WAIT_ADDRESS: usize = 2;
    pub const WAIT_REFERENCE: usize = 4;
    pub const WRITE_ADDRESS: usize = 2;
    pub const EVENT_ADDRESS: usize = 2;
}

/// An encoder of packets.
struct Encoder {
    chip: Chip,
    writer: Stream,
    places: Vec<Place>,
    clear: Range<usize>,
}

/// Writes words to memory (WRITE_DATA): the queue continues when they are written.
pub(crate) fn write_words<B: Buffer>(writer: &mut Writer<B>, addr: u64, words: &[u32]) -> Result<(), WriteError> {
    let (dst_sel, wr_confirm) = (WriteDataDstSel::MEMORY, WrConfirm::WAIT_FOR_WRITE_CONFIRMATION);
    on_gfx!(packet writer.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => match writer.queue() {
        Queue::Graphics => writer.emit(&p::WriteData { dst_sel, wr_confirm, dst_mem_addr: Some(addr), ..Default::default() }.followed_by(words)),
        _ => writer.emit(&p::WriteDataCompute { dst_sel, wr_confirm, dst_mem_addr: Some(addr), ..Default::default() }.followed_by(words)),
    }})
}

/// Writes a wait.
pub(crate) fn write_wait<B: Buffer, E: From<SyncError> + From<WriteError>>(writer: &mut Writer<B>, wait: &Wait) -> Result<(), E> {
    if !is_address(wait.address, 4) {
        return Err(SyncError::Address { what: "a wait", addr: wait.address, align: 4 }.into());
    }
    Ok(emit_wait(writer, wait)?)
}

fn emit_wait<B: Buffer>(writer: &mut Writer<B>, wait: &Wait) -> Result<(), WriteError> {
    let Wait { address: addr, compare, reference, mask, pfp } = *wait;
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
    )})
}

/// The data and the interrupt of a release.
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

impl Encoder {
    fn action(&mut self, action: &SyncAction) -> Result<(), WriteError> {
        match action {
            SyncAction::Event(event) => Ok(self.writer.event(*event)?),
            SyncAction::WaitDma => self.wait_dma(),
            SyncAction::Release { event, caches, fence: false } => self.release_sync(*event, *caches),
            SyncAction::Release { event, caches, fence: true } => self.release_counted(*event, *caches),
            SyncAction::WaitFence => self.wait_fence(),
            SyncAction::AcquireSync { stage, caches } => self.acquire_sync(*stage, *caches),
            SyncAction::Acquire(caches) => self.acquire(*caches),
            SyncAction::PfpSyncMe => Ok(self.writer.emit(&PfpSyncMe::default())?),
            SyncAction::WriteFence { event, caches, fence } => self.write_fence(*event, *caches, fence),
        }
    }

    /// PAL BuildWaitDmaData; captures. MEC has no cp_sync in the descriptions, yet RADV sets the bit there.
    fn wait_dma(&mut self) -> Result<(), WriteError> {
        on_gfx!(packet self.writer.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => emit_on!(
            self.writer, p, DmaData / DmaDataCompute { dst_sel: DmaDataDstSel::DST_NOWHERE } graphics { cp_sync: true } compute { raw_wait: true }
        )})?;
        Ok(())
    }

    /// Marks dwords of the last packet to be filled in when the command buffer is known.
    fn places(&mut self, parts: &[(usize, Part)]) {
        let start = self.writer.len() - self.writer.last_packet().len();
        self.places.extend(parts.iter().map(|&(dword, part)| Place { at: start + dword, part }));
    }

    fn wait_fence(&mut self) -> Result<(), WriteError> {
        emit_wait(&mut self.writer, &Wait::equal(ANY_FENCE, ANY_NUMBER))?;
        self.places(&[(dword::WAIT_ADDRESS, Part::FenceLow), (dword::WAIT_ADDRESS + 1, Part::FenceHigh), (dword::WAIT_REFERENCE, Part::Number)]);
        Ok(())
    }

    /// Writes RELEASE_MEM: the event, the cache actions and the data; with `sync`, it counts for a pixel wait sync.
    fn release(&mut self, event: Event, caches: Caches, sync: bool, release: ReleaseData) -> Result<(), WriteError> {
        let shaders = event.is_shader_done(self.writer.gfx());
        let event_index = if shaders { ReleaseMemEventIndex::SHADER_DONE } else { ReleaseMemEventIndex::END_OF_PIPE };
        let ReleaseData { data_sel, int_sel, addr, data } = release;
        let (writer, all) = (&mut self.writer, caches.l2_write_back || caches.l2_invalidate);
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

    /// On GFX9's graphics queue a release must directly follow ZPASS_DONE, or the queue may hang.
    fn before_release(&mut self) -> Result<(), WriteError> {
        if self.chip.has(Erratum::ZpassDoneBeforeTimestamp) && self.writer.queue() == Queue::Graphics {
            self.writer.event_at(Event::ZPASS_DONE, ANY_ZPASS)?;
            self.places(&[(dword::EVENT_ADDRESS, Part::ZpassLow), (dword::EVENT_ADDRESS + 1, Part::ZpassHigh)]);
        }
        Ok(())
    }

    fn release_sync(&mut self, event: Event, caches: Caches) -> Result<(), WriteError> {
        self.release(event, caches, true, ReleaseData::NOTHING)
    }

    fn release_counted(&mut self, event: Event, caches: Caches) -> Result<(), WriteError> {
        let start = self.writer.len();
        self.clear_fence()?;
        self.clear = start..self.writer.len();
        self.before_release()?;
        let (data_sel, int_sel) = (ReleaseMemDataSel::SEND_32_BIT_LOW, ReleaseMemIntSel::SEND_DATA_AND_WRITE_CONFIRM);
        self.release(event, caches, false, ReleaseData { data_sel, int_sel, addr: ANY_FENCE, data: Some(ANY_NUMBER.into()) })?;
        self.places(&[(dword::RELEASE_ADDRESS, Part::FenceLow), (dword::RELEASE_ADDRESS + 1, Part::FenceHigh), (dword::RELEASE_DATA, Part::Number)]);
        Ok(())
    }

    /// Makes ME set the fence to 0 first, because a command buffer that runs again finds its last number in memory.
    fn clear_fence(&mut self) -> Result<(), WriteError> {
        write_words(&mut self.writer, ANY_FENCE, &[0])?;
        self.places(&[(dword::WRITE_ADDRESS, Part::FenceLow), (dword::WRITE_ADDRESS + 1, Part::FenceHigh)]);
        Ok(())
    }

    fn write_fence(&mut self, event: Event, caches: Caches, fence: &Fence) -> Result<(), WriteError> {
        self.before_release()?;
        let int_sel = match (fence.data, fence.interrupt) {
            (FenceData::Nothing, _) => ReleaseMemIntSel::SEND_INTERRUPT_ONLY,
            (_, Interrupt::AfterWrite) => ReleaseMemIntSel::SEND_INTERRUPT_AFTER_WRITE_CONFIRM,
            _ => ReleaseMemIntSel::SEND_DATA_AND_WRITE_CONFIRM,
        };
        let (data_sel, addr, data) = match fence.data {
            FenceData::Nothing => (ReleaseMemDataSel::NONE, 0, None),
            FenceData::Dword(value) => (ReleaseMemDataSel::SEND_32_BIT_LOW, fence.address, Some(value.into())),
            FenceData::Qword(value) => (ReleaseMemDataSel::SEND_64_BIT_DATA, fence.address, Some(value)),
            FenceData::GpuClock => (ReleaseMemDataSel::SEND_GPU_CLOCK_COUNTER, fence.address, None),
            FenceData::SystemClock => (ReleaseMemDataSel::SEND_SYSTEM_CLOCK_COUNTER, fence.address, None),
        };
        self.release(event, caches, false, ReleaseData { data_sel, int_sel, addr, data })
    }

    /// Writes a pixel wait sync: GFX11 and later, on the graphics queue.
    fn acquire_sync(&mut self, stage: WaitStage, caches: Caches) -> Result<(), WriteError> {
        let lines = Lines::of(self.writer.gfx().major(), caches);
        on_gfx!(packet self.writer.gfx(), p => {
            // No plan of these generations has such a step.
            Gfx9 | Gfx10 | Gfx103 => Ok(()),
            Gfx11 | Gfx115 | Gfx12 => self.writer.emit(&p::AcquireMem {
                pws_stage_sel: Some(stage.value()),
                pws_counter_sel: Some(AcquireMemPwsCounterSel::TS_SELECT),
                pws_ena: PwsEna::PIXEL_WAIT_SYNC_ENABLE,
                pws_ena2: Some(PwsEna::PIXEL_WAIT_SYNC_ENABLE),
                gcr_base: Some(0),
                gcr_size: Some(WHOLE_SYNC),
                gcr_cntl: lines.of_acquire(caches.code),
                ..Default::default()
            }),
        })
    }

    /// Writes ACQUIRE_MEM of the whole address space: base 0, size all ones. RADV and Linux write 24 bits of size although the field has 8; PAL writes all ones
    /// of the field, as here.
    fn acquire(&mut self, caches: Caches) -> Result<(), WriteError> {
        if self.writer.gfx().major() > 9 {
            return self.acquire_whole(caches, CoherCntl::new());
        }
        coher(caches).try_for_each(|coher_cntl| self.acquire_whole(caches, coher_cntl))
    }

    fn acquire_whole(&mut self, caches: Caches, coher_cntl: CoherCntl) -> Result<(), WriteError> {
        let (writer, poll_interval) = (&mut self.writer, ACQUIRE_INTERVAL);
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

/// GFX9's CP_COHER_CNTL, of one packet per combination of TC bits: only few are allowed, each in a separate packet (PAL gfx9CmdUtil.cpp SelectGfx9CacheOp;
/// Mesa 25.0.7 radv_cs.c). An invalidation of L2 includes its metadata and the vector caches. Code and scalar caches act with the first packet.
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

/// Bits of GCR_CNTL, which both packets have in different positions.
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
/// GLI_INV: the whole instruction cache.
const ALL_CODE: u32 = 1;

impl Lines {
    fn of(major: u8, caches: Caches) -> Self {
        // Every action on L2 includes its metadata cache, which cannot write back alone (Mesa 25.0.7 radv_cs.c); GFX12 has no metadata.
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
