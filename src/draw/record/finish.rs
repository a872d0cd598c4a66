//! The end of a command buffer.

use crate::draw::errata::WorkaroundPlace;
use crate::draw::record::error::RecordError;
use crate::draw::record::recorder::Recorder;
use crate::packet::{Buffer, ChunkSource, Chunks, CommandBuffer, FinishedBuffer, WriteError};

impl<S: ChunkSource> Recorder<Chunks<S>> {
    /// Ends the command buffer and returns its chunks.
    ///
    /// # Errors
    /// If there is no memory for the last packets; [`SpanOpen`](WriteError::SpanOpen) if a range that may be skipped is not full; [`RecordError::Streamout`] if
    /// streamout has not ended.
    pub fn finish_chunks(mut self) -> Result<FinishedBuffer, RecordError> {
        self.may_end()?;
        self.all_or_nothing(|recorder| recorder.end_of_buffer())?;
        Ok(CommandBuffer::of(self.writer).finish()?)
    }
}

impl<B: Buffer> Recorder<B> {
    /// Refuses an end within streamout, and an end within a range that may be skipped: packets after the buffer would become part of the range.
    fn may_end(&self) -> Result<(), RecordError> {
        if self.calls.streaming().is_some() {
            // The counters would be lost.
            return Err(RecordError::Streamout { why: "the command buffer ends, but streamout does not: call end_streamout before" });
        }
        match self.writer.missing_dwords() {
            0 => Ok(()),
            left => Err(WriteError::SpanOpen { left }.into()),
        }
    }

    /// Writes the packets that workarounds need at the end.
    fn end_of_buffer(&mut self) -> Result<(), RecordError> {
        let situation = self.calls.situation_at_end();
        self.work_around(WorkaroundPlace::EndOfBuffer, &situation).map(|_| ())
    }

    /// Writes what errata need at the end, pads the buffer to a multiple of 8 dwords, or of what the machine
    /// [requires](crate::gpu::MemoryLimits::buffer_align), and returns it. For a [chunked](Self::chunked) recorder, [`finish_chunks`](Self::finish_chunks)
    /// returns the buffers to submit or call; this method returns its [`Chunks`], whose [`into_chunks`](Chunks::into_chunks) returns the words.
    ///
    /// # Errors
    /// [`WriteError::Full`] when the buffer is full, [`WriteError::SpanOpen`] if the end of a range that may be skipped is missing, and
    /// [`RecordError::Streamout`] if streamout has not ended.
    pub fn finish(mut self) -> Result<B, RecordError> {
        self.may_end()?;
        self.all_or_nothing(|recorder| recorder.end_of_buffer())?;
        self.all_or_nothing(|recorder| Ok(recorder.writer.pad(recorder.gpu.memory.pad_dwords(), 0)?))?;
        Ok(self.writer.into_buffer())
    }
}
