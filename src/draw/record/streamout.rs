//! Packets of streamout: its beginning and end, and draws with counted vertices.
//!
//! Sequences: Mesa 25.0.7 radv_CmdBeginTransformFeedbackEXT, radv_CmdEndTransformFeedbackEXT, radv_CmdDrawIndirectByteCountEXT; captures of four boards agree.

use crate::draw::desc::address::is_address;
use crate::draw::desc::{CallError, CountedDraw};
use crate::draw::errata::DrawFacts;
use crate::draw::record::call_state::Streaming;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::sync::{Access, Barrier};
use crate::packet::structs::PfpSyncMe;
use crate::packet::values::{
    CopyDataDstSel, CopyDataSrcSel, CopyDataWrConfirm, Function, MemSpace, StrmoutBufferUpdateBufferSelect, StrmoutBufferUpdateDataType,
    StrmoutBufferUpdateSourceSelect, StrmoutBufferUpdateUpdateMemory, WrConfirm, WriteDataDstSel,
};
use crate::packet::{Buffer, Event, Header, Opcode, PacketFields};

/// A streamout buffer. Its address is in the buffer descriptor that the program reads, not here.
///
/// For an example see [`Recorder::begin_streamout`](crate::draw::Recorder::begin_streamout).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamoutBuffer {
    /// Maximum number of bytes to write: a multiple of 4, at least 4. Up to GFX10.3, hardware enforces it; later, the program does.
    pub bytes: u32,
    /// Position at which writing continues: the address of a counter in memory (nonzero, 48 bits, a multiple of 4) that holds an offset in bytes. None: the
    /// start of the buffer.
    pub append: Option<u64>,
}

/// The parameters of the beginning of streamout.
///
/// For an example see [`Recorder::begin_streamout`](crate::draw::Recorder::begin_streamout).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StreamoutBegin {
    /// The buffers, by their numbers.
    pub buffers: [Option<StreamoutBuffer>; 4],
    /// GFX12: address of 32 bytes (nonzero, 48 bits, a multiple of 64); the program receives the lower 32 bits of the address. The memory holds four pairs of
    /// the number of the next wave and the bytes written.
    pub state: Option<u64>,
}

/// Registers that only streamout uses, by byte address.
mod registers {
    /// CP_STRMOUT_CNTL (GFX9 to GFX10.3): bit 0 is set when the offsets of the hardware have been updated.
    pub const CP_STRMOUT_CNTL: u32 = 0x3_00FC;
    /// VGT_STRMOUT_BUFFER_SIZE_0 (GFX9 to GFX10.3); the others are 16 bytes apart.
    pub const BUFFER_SIZE: u32 = 0x2_8AD0;
    /// VGT_STRMOUT_BUFFER_CONFIG (GFX9 to GFX10.3).
    pub const BUFFER_CONFIG: u32 = 0x2_8B98;
    /// GDS_STRMOUT_DWORDS_WRITTEN_0 (GFX11, GFX11.5), which counts bytes despite its name (Mesa 25.0.7); the others follow.
    pub const WRITTEN: u32 = 0x3_1088;
    /// GE_GS_ORDERED_ID_BASE (GFX12).
    pub const ORDERED_ID_BASE: u32 = 0x3_09B0;
    /// VGT_STRMOUT_DRAW_OPAQUE_OFFSET, _BUFFER_FILLED_SIZE and _VERTEX_STRIDE.
    pub const OPAQUE_OFFSET: u32 = 0x2_8B28;
    pub const OPAQUE_FILLED_SIZE: u32 = 0x2_8B2C;
    pub const OPAQUE_STRIDE: u32 = 0x2_8B30;
}
use registers::*;

/// The windows of context and uconfig registers (bytes).
const CONTEXT_START: u32 = 0x2_8000;
const UCONFIG_START: u32 = 0x3_0000;

const BUFFERS: [StrmoutBufferUpdateBufferSelect; 4] = [
    StrmoutBufferUpdateBufferSelect::STREAM_OUT_BUFFER_0,
    StrmoutBufferUpdateBufferSelect::STREAM_OUT_BUFFER_1,
    StrmoutBufferUpdateBufferSelect::STREAM_OUT_BUFFER_2,
    StrmoutBufferUpdateBufferSelect::STREAM_OUT_BUFFER_3,
];

fn refuse<T>(why: &'static str) -> Result<T, RecordError> {
    Err(RecordError::Streamout { why })
}

fn address(what: &'static str, addr: u64, align: u64) -> Result<(), RecordError> {
    if is_address(addr, align) { Ok(()) } else { Err(CallError::Address { what, addr, align }.into()) }
}

impl StreamoutBegin {
    fn check(&self, major: u8) -> Result<Streaming, RecordError> {
        if self.buffers.iter().all(Option::is_none) {
            return refuse("no buffer: give at least one");
        }
        for buffer in self.buffers.iter().flatten() {
            if buffer.bytes == 0 || buffer.bytes % 4 != 0 {
                return refuse("the bytes of a buffer must be a multiple of 4, and not 0");
            }
            buffer.append.map_or(Ok(()), |counter| address("the counter of a streamout buffer", counter, 4))?;
        }
        let state = match self.state {
            Some(state) if major >= 12 => state,
            None if major >= 12 => return refuse("GFX12 counts in memory: give `StreamoutBegin::state`"),
            Some(_) | None => 0,
        };
        if major >= 12 {
            address("the state of streamout", state, 64)?;
        }
        Ok(Streaming { buffers: self.buffers.map(|buffer| buffer.is_some()), state })
    }
}

impl<B: Buffer> Recorder<B> {
    /// Begins streamout: draws whose programs stream out ([`VertexStage::streamout`](crate::draw::VertexStage::streamout)) write from here on. To pause
    /// streamout, end it with counters and begin again with them. Programs may write more buffers than those given here; hardware does not count the others, so
    /// their descriptors must be empty.
    ///
    /// GFX11 and GFX11.5 count in GDS: the queue must have at least 256 bytes of GDS and one unit of ordered append, else it hangs (Mesa 25.0.7).
    ///
    /// # Errors
    /// [`RecordError::Streamout`] if streamout has already begun or a parameter is missing; [`CallError::Address`] for addresses;
    /// [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{CountedDraw, DrawCall, DrawDesc, Instances, PipelineDesc, Recorder, Streamout, StreamoutBegin, StreamoutBuffer, VertexStage};
    /// let vertex = VertexStage { streamout: Some(Streamout::to_one_buffer(16)), ..VertexStage::default() };
    /// let (writes, reads) = (
    ///     DrawDesc::from(PipelineDesc { vertex, ..PipelineDesc::default() }).resolve(Chip::Navi21)?,
    ///     DrawDesc::default().resolve(Chip::Navi21)?,
    /// );
    /// let mut recorder = Recorder::new(Chip::Navi21);
    /// recorder.begin()?;
    /// let buffer = StreamoutBuffer { bytes: 0x1_0000, append: None };
    /// recorder.begin_streamout(&StreamoutBegin { buffers: [Some(buffer), None, None, None], state: None })?;
    /// recorder.draw(&writes)?;
    /// recorder.end_streamout([Some(0x10_0000), None, None, None])?;
    /// // As many vertices as that wrote.
    /// let counted = CountedDraw { counter: 0x10_0000, offset: 0, stride: 16, instances: Instances::default() };
    /// recorder.draw_call(&reads, &DrawCall::Counted(counted))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn begin_streamout(&mut self, begin: &StreamoutBegin) -> Result<(), RecordError> {
        if self.calls.streaming().is_some() {
            return refuse("already begun: end it first");
        }
        let streaming = begin.check(self.chip.gfx().major())?;
        self.all_or_nothing(|recorder| recorder.write_begin(begin, &streaming))?;
        self.calls.set_streaming(Some(streaming));
        Ok(())
    }

    /// Ends streamout and writes the number of bytes in each buffer to its counter, whose address is a multiple of 4.
    ///
    /// # Errors
    /// [`RecordError::Streamout`] if streamout has not begun, and for the counter of a buffer with which it has not begun; [`CallError::Address`] for
    /// addresses; [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn end_streamout(&mut self, counters: [Option<u64>; 4]) -> Result<(), RecordError> {
        let Some(streaming) = self.calls.streaming() else { return refuse("it ends, but has not begun") };
        for (counter, bound) in counters.iter().zip(streaming.buffers) {
            match counter {
                Some(_) if !bound => return refuse("it ends with the counter of a buffer with which it did not begin"),
                Some(counter) => address("the counter of a streamout buffer", *counter, 4)?,
                None => {}
            }
        }
        self.all_or_nothing(|recorder| recorder.write_end(&counters, &streaming))?;
        self.calls.set_streaming(None);
        Ok(())
    }

    /// Refuses a draw that streams out before streamout has begun: programs would write at the hardware's last offset.
    pub(super) fn may_stream(&self, draw: DrawFacts) -> Result<(), RecordError> {
        if draw.streams != 0 && !self.calls.may_stream() { refuse("the draw streams out, but begin_streamout was not called") } else { Ok(()) }
    }

    /// VGT_STRMOUT_BUFFER_CONFIG of a draw whose programs write buffers with which streamout has not begun, as address and value: hardware counts only the
    /// buffers with which it has begun (Mesa 25.0.7 radv_emit_streamout_enable_state: buffers that are bound and written). None if the draw's own value
    /// applies.
    pub(super) fn streamed(&self, draw: DrawFacts) -> Option<(u32, u32)> {
        let begun = self.calls.streaming().filter(|_| self.chip.gfx().major() <= 10)?.buffers;
        let each_stream = begun.iter().zip(0..).fold(0, |all, (begun, at)| all | u32::from(*begun) << at) * 0x1111;
        (draw.streams & !each_stream != 0).then_some((BUFFER_CONFIG, draw.streams & each_stream))
    }

    fn write_begin(&mut self, begin: &StreamoutBegin, streaming: &Streaming) -> Result<(), RecordError> {
        let buffers = || begin.buffers.iter().enumerate().filter_map(|(at, buffer)| Some((at, (*buffer)?)));
        match self.chip.gfx().major() {
            9 | 10 => {
                self.flush_streamout()?;
                for (at, buffer) in buffers() {
                    self.writer.set_reg(BUFFER_SIZE + 16 * at as u32, buffer.bytes / 4)?;
                    self.update_offset(at, buffer.append, None)?;
                }
            }
            11 => {
                for (at, buffer) in buffers() {
                    let register = WRITTEN + 4 * at as u32;
                    match buffer.append {
                        Some(counter) => self.copy_data(From::Memory(counter), To::Register(register))?,
                        None => self.set_written(register)?,
                    }
                }
            }
            _ => {
                // Waves of an earlier draw must not wait for numbers that restart. The pairs in memory and the register must change together, or the ordered
                // section waits forever.
                self.writer.event(Event::VS_PARTIAL_FLUSH)?;
                self.zero_state(streaming.state)?;
                for (at, buffer) in buffers() {
                    if let Some(counter) = buffer.append {
                        self.copy_data(From::Memory(counter), To::Memory(written_in(streaming.state, at)))?;
                    }
                }
                self.writer.set_reg(ORDERED_ID_BASE, 0)?;
                self.barrier(&Barrier::new(Access::CommandWrite, Access::VertexRead))?;
            }
        }
        Ok(())
    }

    fn write_end(&mut self, counters: &[Option<u64>; 4], streaming: &Streaming) -> Result<(), RecordError> {
        let counters = || counters.iter().enumerate().filter_map(|(at, counter)| Some((at, (*counter)?)));
        match self.chip.gfx().major() {
            9 | 10 => {
                self.flush_streamout()?;
                counters().try_for_each(|(at, counter)| self.update_offset(at, None, Some(counter)))?;
                // Counting stops at the end.
                for (at, _) in streaming.buffers.iter().enumerate().filter(|(_, bound)| **bound) {
                    self.writer.set_reg(BUFFER_SIZE + 16 * at as u32, 0)?;
                }
            }
            11 => {
                self.writer.event(Event::VS_PARTIAL_FLUSH)?;
                counters().try_for_each(|(at, counter)| self.copy_data(From::Register(WRITTEN + 4 * at as u32), To::Memory(counter)))?;
            }
            _ => {
                // The barrier waits for vertex work.
                self.barrier(&Barrier::new(Access::VertexWrite, Access::CopyRead))?;
                counters().try_for_each(|(at, counter)| self.copy_data(From::Memory(written_in(streaming.state, at)), To::Memory(counter)))?;
            }
        }
        Ok(())
    }

    /// Waits until the hardware's offsets are final (GFX9 to GFX10.3): clears a register, which the event then sets.
    fn flush_streamout(&mut self) -> Result<(), RecordError> {
        let dst_sel = WriteDataDstSel::MEM_MAPPED_REGISTER;
        on_gfx!(packet self.chip.gfx(), p => {
            Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 => {
                self.writer.emit(&p::WriteData { dst_sel, dst_mmreg_addr: Some(CP_STRMOUT_CNTL / 4), ..Default::default() }.followed_by(&[0]))?;
            },
            Gfx12 => {}
        });
        self.writer.event(Event::SO_VGTSTREAMOUT_FLUSH)?;
        let (function, mem_space) = (Function::EQUAL_TO_THE_REFERENCE_VALUE, MemSpace::REGISTER_SPACE);
        on_gfx!(packet self.chip.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            let reg_poll_addr = Some(CP_STRMOUT_CNTL / 4);
            self.writer.emit(&p::WaitRegMem { function, mem_space, reg_poll_addr, reference: 1, mask: 1, poll_interval: 4, ..Default::default() })?;
        }});
        Ok(())
    }

    /// Writes STRMOUT_BUFFER_UPDATE (GFX9 to GFX10.3), which loads the offset from memory or 0, or stores the filled size.
    fn update_offset(&mut self, buffer: usize, from: Option<u64>, store: Option<u64>) -> Result<(), RecordError> {
        let (data_type, buffer_select) = (StrmoutBufferUpdateDataType::BYTES, BUFFERS.get(buffer).copied().unwrap_or_default());
        on_gfx!(packet self.chip.gfx(), p => {
            Gfx9 | Gfx10 | Gfx103 => {
                let (update_memory, source_select) = match (from, store) {
                    (_, Some(_)) => (StrmoutBufferUpdateUpdateMemory::UPDATE_MEMORY_AT_DST_ADDRESS, StrmoutBufferUpdateSourceSelect::NONE),
                    (Some(_), _) => (StrmoutBufferUpdateUpdateMemory::DONT_UPDATE_MEMORY, StrmoutBufferUpdateSourceSelect::FROM_SRC_ADDRESS),
                    (None, None) => (StrmoutBufferUpdateUpdateMemory::DONT_UPDATE_MEMORY, StrmoutBufferUpdateSourceSelect::USE_BUFFER_OFFSET),
                };
                // Without a source the offset is the 0 in the packet.
                let offset = (source_select == StrmoutBufferUpdateSourceSelect::USE_BUFFER_OFFSET).then_some(0);
                let src_address = from.filter(|_| store.is_none());
                self.writer.emit(&p::StrmoutBufferUpdate { update_memory, source_select, data_type, buffer_select, offset, dst_address: store, src_address })?;
            },
            Gfx11 | Gfx115 | Gfx12 => {}
        });
        Ok(())
    }

    /// Resets a GDS counter. The write bypasses the filter for redundant writes, which would drop it (Mesa 25.0.7).
    fn set_written(&mut self, register: u32) -> Result<(), RecordError> {
        let header = Header::type3(Opcode::SET_UCONFIG_REG, 2).with_reset_filter_cam(true);
        Ok(self.writer.packet_with(header, &[(register - UCONFIG_START) / 4, 0])?)
    }

    /// Sets all four pairs in memory to 0 (GFX12).
    fn zero_state(&mut self, state: u64) -> Result<(), RecordError> {
        let (dst_sel, wr_confirm) = (WriteDataDstSel::MEMORY, WrConfirm::WAIT_FOR_WRITE_CONFIRMATION);
        on_gfx!(packet self.chip.gfx(), p => { Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
            self.writer.emit(&p::WriteData { dst_sel, wr_confirm, dst_mem_addr: Some(state), ..Default::default() }.followed_by(&[0; 8]))?;
        }});
        Ok(())
    }

    fn copy_data(&mut self, from: From, to: To) -> Result<(), RecordError> {
        let (src_sel, src_reg, src_addr) = match from {
            From::Memory(addr) => (CopyDataSrcSel::MEMORY, None, Some(addr)),
            From::Register(addr) => (CopyDataSrcSel::MEM_MAPPED_REGISTER, Some(addr / 4), None),
        };
        let (dst_sel, dst_reg, dst_addr) = match to {
            To::Memory(addr) => (CopyDataDstSel::MEMORY, None, Some(addr)),
            To::Register(addr) => (CopyDataDstSel::MEM_MAPPED_REGISTER, Some(addr / 4), None),
        };
        let wr_confirm = CopyDataWrConfirm::WAIT_FOR_CONFIRMATION;
        on_gfx!(packet self.chip.gfx(), p => {
            Gfx9 | Gfx10 | Gfx103 | Gfx11 | Gfx115 | Gfx12 => {
                #[allow(clippy::useless_conversion)] // GFX12 has wider fields
                let (src_reg_offset, dst_reg_offset) = (src_reg.map(Into::into), dst_reg.map(Into::into));
                self.writer.emit(&p::CopyData { src_sel, src_reg_offset, src_addr, dst_sel, dst_reg_offset, dst_addr, wr_confirm, ..Default::default() })?;
            }
        });
        Ok(())
    }

    /// Writes the registers of a draw with counted vertices, which rolls the context. From GFX10 on, COPY_DATA of the counter can hang, so PFP loads it, after
    /// the stores of ME.
    pub(super) fn write_counts(&mut self, draw: &CountedDraw) -> Result<(), RecordError> {
        self.writer.set_reg(OPAQUE_STRIDE, draw.stride)?;
        if self.chip.gfx().major() == 9 {
            self.copy_data(From::Memory(draw.counter), To::Register(OPAQUE_FILLED_SIZE))?;
        } else {
            self.writer.emit(&PfpSyncMe::default())?;
            let [lo, hi] = [draw.counter as u32, (draw.counter >> 32) as u32];
            self.writer.packet(Opcode::LOAD_CONTEXT_REG_INDEX, &[lo, hi, (OPAQUE_FILLED_SIZE - CONTEXT_START) / 4, 1])?;
        }
        Ok(self.writer.set_reg(OPAQUE_OFFSET, draw.offset)?)
    }
}

/// The source of a copy: addresses in bytes.
#[derive(Clone, Copy)]
enum From {
    Memory(u64),
    Register(u32),
}

/// The destination of a copy: addresses in bytes.
#[derive(Clone, Copy)]
enum To {
    Memory(u64),
    Register(u32),
}

/// Returns the address of a buffer's number of written bytes in the state of GFX12.
fn written_in(state: u64, buffer: usize) -> u64 {
    state + 8 * buffer as u64 + 4
}
