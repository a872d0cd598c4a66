//! Queries: counts that the hardware writes to memory, each by one call.

use crate::draw::desc::CallError;
use crate::draw::desc::address::is_address;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::draw::sync::{Fence, FenceData, Plan, SyncError};
use crate::packet::{Buffer, Event, Queue};

/// COMPUTE_PIPELINESTAT_ENABLE (bytes).
const COMPUTE_PIPELINESTAT_ENABLE: u32 = 0xB828;

fn address(what: &'static str, addr: u64) -> Result<(), RecordError> {
    if is_address(addr, 8) { Ok(()) } else { Err(CallError::Address { what, addr, align: 8 }.into()) }
}

impl<B: Buffer> Recorder<B> {
    /// Starts or stops the counting of pipeline statistics: the events PIPELINESTAT_START and PIPELINESTAT_STOP on a graphics queue, the register
    /// COMPUTE_PIPELINESTAT_ENABLE on a compute queue (Mesa 25.0.7 radv_cs_emit_cache_flush; captures).
    ///
    /// # Errors
    /// [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    pub fn count_statistics(&mut self, on: bool) -> Result<(), RecordError> {
        let event = if on { Event::PIPELINESTAT_START } else { Event::PIPELINESTAT_STOP };
        self.all_or_nothing(|recorder| match recorder.writer.queue() {
            Queue::Compute => Ok(recorder.writer.set_reg(COMPUTE_PIPELINESTAT_ENABLE, on.into())?),
            Queue::Graphics | Queue::Constant => Ok(recorder.writer.event(event)?),
        })?;
        self.calls.count_statistics(on);
        Ok(())
    }

    /// Writes the number of samples that have passed so far: 8 bytes per render backend, 16 bytes apart, from `addr` on. A query samples twice, 8 bytes apart,
    /// and
    /// subtracts; bit 63 of a count is set when it is written, and only enabled backends write one (Mesa 25.0.7 build_occlusion_query_shader). Samples are
    /// counted
    /// by draws with [`Occlusion`](crate::draw::Occlusion) between the two calls. GFX9 to GFX10.3: event ZPASS_DONE. GFX11 and GFX12: packet EVENT_WRITE_ZPASS,
    /// since that number is another event there. GFX11.5: event PIXEL_PIPE_STAT_DUMP, because its firmware in recordings of Mesa (PFP 39) is older than the
    /// packet requires (1458).
    ///
    /// From GFX11 on, the event PIXEL_PIPE_STAT_CONTROL selects the counters once. [`begin`](Self::begin) sends it if the number of render backends is known;
    /// for other chips, create the recorder for a machine that states it ([`Gpu::render_backends`](crate::gpu::Gpu::render_backends)).
    ///
    /// A reader of the counts must wait with a barrier from [`Access::QueryWrite`](crate::draw::sync::Access::QueryWrite): they are written when earlier work
    /// has left the pipe.
    ///
    /// # Errors
    /// [`CallError::Address`] unless the address is a multiple of 8 and not 0, [`RecordError::NoCounters`] if the number of render backends is unknown and
    /// nothing would be counted, and [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::sync::{Access, Barrier};
    /// use pm4::draw::{DrawDesc, DynamicState, Occlusion, Recorder};
    /// let counting = DrawDesc { state: DynamicState { occlusion: Occlusion::Precise, ..DynamicState::default() }, ..DrawDesc::default() }
    ///     .resolve(Chip::Navi31)?;
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// recorder.sample_occlusion(0x10_0000)?;
    /// recorder.draw(&counting)?;
    /// recorder.sample_occlusion(0x10_0008)?;
    /// recorder.barrier(&Barrier::new(Access::QueryWrite, Access::ComputeRead))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sample_occlusion(&mut self, addr: u64) -> Result<(), RecordError> {
        address("the counts of occlusion", addr)?;
        if self.chip.gfx().major() >= 11 && self.gpu.render_backends().is_none() {
            return Err(RecordError::NoCounters { chip: self.chip });
        }
        self.all_or_nothing(|recorder| {
            on_gfx!(packet recorder.chip.gfx(), p => {
                Gfx9 | Gfx10 | Gfx103 => recorder.writer.event_at(Event::ZPASS_DONE, addr),
                Gfx11 | Gfx12 => recorder.writer.emit(&p::EventWriteZpass { address: addr }),
                // Captures of GFX11.5 state PFP firmware 39, and the packet needs 1458: drivers send this event there.
                Gfx115 => recorder.writer.event_at(Event::PIXEL_PIPE_STAT_DUMP, addr),
            })?;
            Ok(())
        })
    }

    /// Writes the pipeline statistics so far: up to 14 counts of 8 bytes from `addr` on, in this order (Mesa 25.0.7 radv_query.c pipeline_statistics_indices):
    /// invocations of pixel shaders; primitives out of clipping and into it; invocations of vertex shaders; invocations of geometry shaders, and primitives out
    /// of them; primitives and vertices of the input; patches of tessellation control shaders; invocations of tessellation evaluation shaders; invocations of
    /// compute shaders; from GFX11
    /// on invocations of mesh shaders, primitives out of them, and invocations of task shaders.
    ///
    /// They count between [`count_statistics`](Self::count_statistics) with true and with false; a query samples twice and subtracts (captures of Navi31). They
    /// are read after a barrier from [`Access::QueryWrite`](crate::draw::sync::Access::QueryWrite).
    ///
    /// # Errors
    /// [`CallError::Address`] unless the address is a multiple of 8 and not 0, and [`WriteError::Full`](crate::packet::WriteError::Full) when the buffer is
    /// full.
    pub fn sample_pipeline_statistics(&mut self, addr: u64) -> Result<(), RecordError> {
        address("pipeline statistics", addr)?;
        self.all_or_nothing(|recorder| Ok(recorder.writer.event_at(Event::SAMPLE_PIPELINESTAT, addr)?))
    }

    /// Writes the numbers of primitives of a vertex stream (0 to 3) that streamout has counted so far, to `addr`, a multiple of 8: first the generated
    /// primitives,
    /// then those that fitted into the buffers, 64 bits each. Bit 63 is set when a count is written. A query samples twice and subtracts (Mesa 25.0.7
    /// emit_sample_streamout, build_tfb_query_shader). Read the counts after a barrier from
    /// [`Access::QueryWrite`](crate::draw::sync::Access::QueryWrite).
    /// Draws with streamout count, and those with [`Streamout::COUNTING`](crate::draw::Streamout::COUNTING), which write no buffer.
    ///
    /// From GFX11 on the programs that stream out count their primitives themselves, in GDS (GFX11, GFX11.5) or in memory (GFX12; Mesa 25.0.7).
    ///
    /// # Errors
    /// [`RecordError::Streamout`] for a stream that is none, and from GFX11 on; [`CallError::Address`]; [`WriteError::Full`](crate::packet::WriteError::Full)
    /// when the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, PipelineDesc, Recorder, Streamout, VertexStage};
    /// let vertex = VertexStage { streamout: Some(Streamout::COUNTING), ..VertexStage::default() };
    /// let counting = DrawDesc::from(PipelineDesc { vertex, ..PipelineDesc::default() }).resolve(Chip::Navi21)?;
    /// let mut recorder = Recorder::new(Chip::Navi21);
    /// recorder.begin()?;
    /// recorder.sample_streamout(0, 0x10_0000)?;
    /// recorder.draw(&counting)?;
    /// recorder.sample_streamout(0, 0x10_0010)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sample_streamout(&mut self, stream: u32, addr: u64) -> Result<(), RecordError> {
        if self.chip.gfx().major() >= 11 {
            return Err(RecordError::Streamout { why: "from GFX11 on programs count their primitives themselves: read what they count" });
        }
        let event = match stream {
            0 => Event::SAMPLE_STREAMOUTSTATS,
            1 => Event::SAMPLE_STREAMOUTSTATS1,
            2 => Event::SAMPLE_STREAMOUTSTATS2,
            3 => Event::SAMPLE_STREAMOUTSTATS3,
            _ => return Err(RecordError::Streamout { why: "there are vertex streams 0 to 3" }),
        };
        address("the counts of streamout", addr)?;
        self.all_or_nothing(|recorder| Ok(recorder.writer.event_at(event, addr)?))
    }

    /// Writes the GPU's clock, 64 bits, to `addr`, a multiple of 8, when all earlier work is complete. Returns the recorded packets, with reasons. The ticks
    /// per
    /// second are in the device information of the kernel (libdrm: `gpu_counter_freq`, in kHz). Read the clock after a barrier from
    /// [`Access::QueryWrite`](crate::draw::sync::Access::QueryWrite).
    ///
    /// # Errors
    /// [`SyncError::Address`]; those of [`fence`](Self::fence).
    pub fn write_timestamp(&mut self, addr: u64) -> Result<Plan, RecordError> {
        if !is_address(addr, 8) {
            return Err(SyncError::Address { what: "a timestamp", addr, align: 8 }.into());
        }
        self.fence(&Fence::new(addr, FenceData::GpuClock))
    }
}
