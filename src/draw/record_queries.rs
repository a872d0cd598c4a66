//! Queries: counts that the hardware writes to memory, each by one call.

use crate::draw::record::{RecordError, Recorder};
use crate::draw::sync::{Fence, FenceData, Plan};
use crate::packet::{Buffer, Event};

impl<B: Buffer> Recorder<B> {
    /// Writes how many samples have passed so far: 8 bytes of each render backend, 16 bytes apart, from `addr` on. A query samples twice, 8 bytes apart, and
    /// subtracts; between both samples [`Occlusion`](crate::draw::Occlusion) counts. It is the event ZPASS_DONE up to GFX10.3; from GFX11 on that number is
    /// another event: EVENT_WRITE_ZPASS takes its place, and on GFX11.5, whose firmware is older than that packet needs, PIXEL_PIPE_STAT_DUMP (captures of all generations).
    ///
    /// From GFX11 on drivers also choose the counters once with the event PIXEL_PIPE_STAT_CONTROL, which this crate does not write (docs/differences.md).
    ///
    /// # Errors
    /// [`FieldMisaligned`](crate::packet::WriteError::FieldMisaligned) unless the address is a multiple of 8, and when the buffer is full.
    ///
    /// ```
    /// use pm4::chip::Chip;
    /// use pm4::draw::{DrawDesc, DynamicState, Occlusion, Recorder};
    /// let counting = DrawDesc { state: DynamicState { occlusion: Occlusion::Precise, ..DynamicState::default() }, ..DrawDesc::default() }
    ///     .resolve(Chip::Navi31)?;
    /// let mut recorder = Recorder::new(Chip::Navi31);
    /// recorder.begin()?;
    /// recorder.sample_occlusion(0x10_0000)?;
    /// recorder.draw(&counting)?;
    /// recorder.sample_occlusion(0x10_0008)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sample_occlusion(&mut self, addr: u64) -> Result<(), RecordError> {
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

    /// Writes the pipeline statistics so far: up to 14 counts of 8 bytes from `addr` on. They count between
    /// [`count_statistics`](Self::count_statistics) with true and with false; a query samples twice and subtracts (captures of Navi31).
    ///
    /// # Errors
    /// [`FieldMisaligned`](crate::packet::WriteError::FieldMisaligned) unless the address is a multiple of 8, and when the buffer is full.
    pub fn sample_pipeline_statistics(&mut self, addr: u64) -> Result<(), RecordError> {
        self.all_or_nothing(|recorder| Ok(recorder.writer.event_at(Event::SAMPLE_PIPELINESTAT, addr)?))
    }

    /// Writes the GPU's clock, 64 bits, at `addr` when all work before is over, and gives back what was done, with reasons.
    ///
    /// # Errors
    /// Those of [`fence`](Self::fence).
    pub fn write_timestamp(&mut self, addr: u64) -> Result<Plan, RecordError> {
        self.fence(&Fence::new(addr, FenceData::GpuClock))
    }
}
