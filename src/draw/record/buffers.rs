//! Complete memory operations of the command processor: each is split into packets, with a barrier before and after.
//!
//! Copies and fills use the DMA engine (DMA_DATA). It runs concurrently with the queue, so each operation ends with a wait for it; on GFX9 to GFX11.5 it works
//! through L2, on GFX12 it bypasses L2 (Mesa 25.0.7 cp_sdma_ge_use_system_memory_scope). Small data goes in the stream (WRITE_DATA), and single values by
//! COPY_DATA.

use crate::draw::desc::CallError;
use crate::draw::desc::address::is_address;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::sync::{Access, AccessSet, Barrier, Order, emit_on, write_words};
use crate::packet::values::{CopyDataCountSel, CopyDataDstSel, CopyDataSrcSel, CopyDataWrConfirm, DmaDataDstSel, DmaDataSrcSel};
use crate::packet::{Buffer, Header, Opcode, Queue, WriteError, Writer};

/// Maximum bytes per DMA_DATA: PAL splits at 32 MiB, which is below the limit of the field (PAL gfx9CmdUtil.cpp BuildDmaData).
const DMA_BYTES: u64 = 32 << 20;

/// Maximum data dwords per WRITE_DATA: the maximum body without control and address.
const WRITE_DWORDS: usize = Header::MAX_BODY - 3;

/// The upper half of the word of a mark.
const MARK: u32 = 0xCAFE_0000;

/// The source of a DMA operation.
#[derive(Clone, Copy)]
enum Source {
    Data(u32),
    Memory(u64),
}

impl Source {
    /// Returns the range that starts this number of bytes later.
    fn after(self, bytes: u64) -> Self {
        match self {
            Self::Data(value) => Self::Data(value),
            Self::Memory(addr) => Self::Memory(addr + bytes),
        }
    }
}

/// Checks a range of memory: whole dwords, not empty, within 48-bit addresses.
pub(super) fn range(what: &'static str, addr: u64, bytes: u64) -> Result<(), RecordError> {
    let align = 4;
    if bytes == 0 || !bytes.is_multiple_of(align) {
        return Err(RecordError::Range { what, bytes, why: "it has a multiple of 4 bytes, and at least 4: no source states how a copy affects other dwords" });
    }
    let last = addr.checked_add(bytes - 1).filter(|last| last >> 47 == addr >> 47 || addr >> 48 == 0 && last >> 48 == 0);
    if is_address(addr, align) && last.is_some() { Ok(()) } else { Err(CallError::Address { what, addr, align }.into()) }
}

impl<B: Buffer> Recorder<B> {
    /// Fills `bytes` bytes of memory from `addr` on with a dword. Both are multiples of 4.
    ///
    /// # Errors
    /// [`RecordError::NotBegun`] or [`RecordError::ComputeNotBegun`] before the preamble, [`RecordError::Range`] and [`CallError::Address`] for memory that
    /// does not consist of whole dwords, those of [`barrier`](Self::barrier); [`WriteError::Full`](crate::packet::WriteError::Full) if the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::cp::CommandProcessor;
    /// use pm4::draw::Recorder;
    /// use pm4::draw::sync::{Access, Order};
    /// use pm4::packet::Queue;
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// // A compute shader has read the memory, and pixel shaders will.
    /// recorder.fill_buffer(0x10_0000, 16, 7, Order::between(Access::ComputeRead, Access::PixelRead))?;
    /// let words = recorder.finish()?;
    /// let (mut cp, memory) = (CommandProcessor::new(Chip::Navi31), [0; 4]);
    /// cp.map("buffer", 0x10_0000, &memory);
    /// cp.submit(Queue::Graphics, "fill", &words);
    /// cp.run(&mut ());
    /// assert_eq!(cp.memory(0x10_000C), Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill_buffer(&mut self, addr: u64, bytes: u64, value: u32, order: Order) -> Result<(), RecordError> {
        range("filled memory", addr, bytes)?;
        self.ordered(order, Access::CopyWrite.into(), |recorder| recorder.dma(Source::Data(value), addr, bytes))
    }

    /// Copies `bytes` bytes of memory. Size and both addresses are multiples of 4; the ranges must not overlap.
    ///
    /// # Errors
    /// The errors of [`fill_buffer`](Self::fill_buffer), and [`RecordError::Range`] for ranges that overlap.
    pub fn copy_buffer(&mut self, from: u64, to: u64, bytes: u64, order: Order) -> Result<(), RecordError> {
        range("copied memory", from, bytes)?;
        range("the target of a copy", to, bytes)?;
        if from.abs_diff(to) < bytes {
            return Err(RecordError::Range { what: "copied memory", bytes, why: "source and target overlap: no source states the result of such a copy" });
        }
        self.ordered(order, Access::CopyRead | Access::CopyWrite, |recorder| recorder.dma(Source::Memory(from), to, bytes))
    }

    /// Writes words that the command buffer contains to `addr`, a multiple of 4; intended for small data. The packets wait for the write.
    ///
    /// # Errors
    /// The errors of [`fill_buffer`](Self::fill_buffer).
    pub fn update_buffer(&mut self, addr: u64, words: &[u32], order: Order) -> Result<(), RecordError> {
        range("updated memory", addr, 4 * words.len() as u64)?;
        self.ordered(order, Access::CommandWrite.into(), |recorder| {
            let mut at = addr;
            for part in words.chunks(WRITE_DWORDS) {
                write_words(&mut recorder.writer, at, part)?;
                at += 4 * part.len() as u64;
            }
            Ok(())
        })
    }

    /// Copies `count` 64-bit values, such as queries and time stamps, from addresses `stride` bytes apart (multiples of 8) to addresses that follow each
    /// other. Time stamps need only this copy; [`copy_query_results`](Self::copy_query_results) turns counts that are sampled twice into results.
    ///
    /// # Errors
    /// The errors of [`fill_buffer`](Self::fill_buffer).
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::Recorder;
    /// use pm4::draw::sync::{Access, Order};
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// recorder.write_top_timestamp(0x10_0000)?;
    /// recorder.write_timestamp(0x10_0010)?;
    /// recorder.copy_values(0x10_0000, 16, 0x20_0000, 2, Order::between(Access::QueryWrite | Access::CommandWrite, Access::HostRead))?;
    /// # Ok::<(), pm4::draw::RecordError>(())
    /// ```
    pub fn copy_values(&mut self, from: u64, stride: u64, to: u64, values: u64, order: Order) -> Result<(), RecordError> {
        let whole = values.checked_mul(8).zip(values.saturating_sub(1).checked_mul(stride).and_then(|bytes| bytes.checked_add(8)));
        let Some((written, read)) = whole else { return Err(RecordError::Range { what: "copied values", bytes: u64::MAX, why: "there are too many" }) };
        range("copied values", from, read)?;
        range("the target of values", to, written)?;
        for (what, addr) in [("copied values", from), ("their stride", stride), ("the target of values", to)] {
            if !addr.is_multiple_of(8) {
                return Err(CallError::Address { what, addr, align: 8 }.into());
            }
        }
        self.ordered(order, Access::CopyRead | Access::CommandWrite, |recorder| {
            (0..values).try_for_each(|value| copy_value(&mut recorder.writer, CopyDataSrcSel::MEMORY, Some(from + value * stride), to + 8 * value))
        })
    }

    /// Writes the 64-bit GPU clock to `addr`, a multiple of 8, when the command processor reaches this point, regardless of running work
    /// ([`write_timestamp`](Self::write_timestamp) waits for the end of the pipe). Readers need a barrier from
    /// [`Access::CommandWrite`](crate::draw::sync::Access::CommandWrite).
    ///
    /// # Errors
    /// [`CallError::Address`] unless the address is a multiple of 8 and not 0; [`WriteError::Full`](crate::packet::WriteError::Full) if the buffer is full.
    pub fn write_top_timestamp(&mut self, addr: u64) -> Result<(), RecordError> {
        if !is_address(addr, 8) {
            return Err(CallError::Address { what: "a timestamp", addr, align: 8 }.into());
        }
        self.all_or_nothing(|recorder| copy_value(&mut recorder.writer, CopyDataSrcSel::GPU_CLOCK_COUNT, None, addr))
    }

    /// Marks a place in the stream, as RADV does with RADV_DEBUG=hang: writes a NOP with the number, which dumps show, and, if memory is given (a multiple of
    /// 4), a write of the number there by the micro-engine. After a hang, that memory shows how far the stream got ([`Marks`](crate::input::Marks)).
    ///
    /// # Errors
    /// [`CallError::Address`] unless the address is a multiple of 4 and not 0; [`WriteError::Full`](crate::packet::WriteError::Full) if the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::Recorder;
    /// let mut recorder = Recorder::secondary(Chip::Navi31);
    /// recorder.mark(4, None)?;
    /// assert_eq!(recorder.words(), [0xC000_1000, 0xCAFE_0004]);
    /// # Ok::<(), pm4::draw::RecordError>(())
    /// ```
    pub fn mark(&mut self, number: u16, memory: Option<u64>) -> Result<(), RecordError> {
        if let Some(addr) = memory.filter(|addr| !is_address(*addr, 4)) {
            return Err(CallError::Address { what: "the memory of a mark", addr, align: 4 }.into());
        }
        self.all_or_nothing(|recorder| {
            if let Some(addr) = memory {
                write_words(&mut recorder.writer, addr, &[number.into()])?;
            }
            Ok(recorder.writer.packet(Opcode::NOP, &[MARK | u32::from(number)])?)
        })
    }

    /// Records an operation with its own accesses between the accesses of `order`, as one transaction.
    pub(super) fn ordered(&mut self, order: Order, own: AccessSet, operation: impl FnMut(&mut Self) -> Result<(), RecordError>) -> Result<(), RecordError> {
        self.ordered_with(order, own, false, operation)
    }

    /// Like [`ordered`](Self::ordered), for an image that may have metadata.
    pub(super) fn ordered_compressed(
        &mut self,
        order: Order,
        own: AccessSet,
        operation: impl FnMut(&mut Self) -> Result<(), RecordError>,
    ) -> Result<(), RecordError> {
        self.ordered_with(order, own, true, operation)
    }

    fn ordered_with(
        &mut self,
        order: Order,
        own: AccessSet,
        compressed: bool,
        mut operation: impl FnMut(&mut Self) -> Result<(), RecordError>,
    ) -> Result<(), RecordError> {
        self.may_sync()?;
        self.all_or_nothing(|recorder| {
            if !order.after.is_empty() {
                recorder.barrier(&Barrier { compressed, ..Barrier::new(order.after, own) })?;
            }
            operation(recorder)?;
            // Waits for the engine even if no later access is known.
            recorder.barrier(&Barrier { compressed, ..Barrier::new(own, order.before) }).map(|_| ())
        })
    }

    /// Writes a fill by the DMA engine, without a wait.
    pub(super) fn dma_fill(&mut self, value: u32, to: u64, bytes: u64) -> Result<(), RecordError> {
        self.dma(Source::Data(value), to, bytes)
    }

    /// Writes DMA_DATA, in as many packets as the size needs.
    fn dma(&mut self, source: Source, to: u64, bytes: u64) -> Result<(), RecordError> {
        let mut done = 0;
        while done < bytes {
            let part = (bytes - done).min(DMA_BYTES);
            dma_data(&mut self.writer, source.after(done), to + done, part as u32)?;
            done += part;
        }
        Ok(())
    }
}

fn dma_data<B: Buffer>(writer: &mut Writer<B>, source: Source, dst_addr: u64, byte_count: u32) -> Result<(), WriteError> {
    let through_l2 = writer.gfx().major() < 12;
    let dst_sel = if through_l2 { DmaDataDstSel::DST_ADDR_USING_L2 } else { DmaDataDstSel::DST_ADDR_USING_DAS };
    let (src_sel, src_addr) = match source {
        Source::Data(value) => (DmaDataSrcSel::DATA, value.into()),
        Source::Memory(addr) if through_l2 => (DmaDataSrcSel::SRC_ADDR_USING_L2, addr),
        Source::Memory(addr) => (DmaDataSrcSel::SRC_ADDR_USING_SAS, addr),
    };
    on_gfx!(packet writer.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => emit_on!(
        writer, p, DmaData / DmaDataCompute { src_sel: src_sel, src_addr: src_addr, dst_sel: dst_sel, dst_addr: dst_addr, byte_count: byte_count }
    )})
}

/// Writes a confirmed 64-bit COPY_DATA to memory.
fn copy_value<B: Buffer>(writer: &mut Writer<B>, src_sel: CopyDataSrcSel, src_addr: Option<u64>, to: u64) -> Result<(), RecordError> {
    let (count_sel, wr_confirm) = (CopyDataCountSel::_64_BITS_OF_DATA, CopyDataWrConfirm::WAIT_FOR_CONFIRMATION);
    on_gfx!(packet writer.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => emit_on!(
        writer, p, CopyData / CopyDataCompute {
            src_sel: src_sel, src_addr: src_addr, dst_sel: CopyDataDstSel::MEMORY, dst_addr: Some(to), count_sel: count_sel, wr_confirm: wr_confirm,
        }
    )})?;
    Ok(())
}
