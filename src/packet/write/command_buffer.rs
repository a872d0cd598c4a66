//! Command buffers in chunks, and calls between them.

use crate::chip::Gfx;
use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::opcode::Queue;
use crate::packet::write::chunks::{ALIGN, Chunk, ChunkSource, Chunks};
use crate::packet::write::levels::{BufferLevel, IbKind};
use crate::packet::write::writer::Writer;
use alloc::vec::Vec;

/// An error of code that writes packets. It may contain the error of the writer, which says that a chunk is full.
///
/// ```
/// use pm4::{chip::Gfx, packet::{BufferLevel, CommandBuffer, Queue, StreamError, WriteError, layouts::DrawInitiator}};
///
/// #[derive(Debug)]
/// enum MyError {
///     Write(WriteError),
///     TooManyDraws,
/// }
/// impl From<WriteError> for MyError {
///     fn from(error: WriteError) -> Self {
///         Self::Write(error)
///     }
/// }
/// impl StreamError for MyError {
///     fn write_error(&self) -> Option<&WriteError> {
///         if let Self::Write(error) = self { Some(error) } else { None }
///     }
/// }
/// # #[cfg(feature = "gfx11")] {
/// let mut commands = CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, 64, |_| Some(0x10_0000))?;
/// let mut draws = 0;
/// let mut draw = || {
///     commands.write_with(&mut draws, |w, draws| {
///         *draws += 1;
///         w.draw_index_auto(3, DrawInitiator::AUTO_INDEX)?;
///         if *draws > 30 { Err(MyError::TooManyDraws) } else { Ok(()) }
///     })
/// };
/// // The first chunk is full after 20 draws. The writer's error says so, and the packets go into another chunk.
/// assert_eq!((0..100).take_while(|_| draw().is_ok()).count(), 30);
/// // The draw that failed is neither written nor counted.
/// assert_eq!(draws, 30);
/// # }
/// # Ok::<(), MyError>(())
/// ```
pub trait StreamError: From<WriteError> {
    /// Returns the writer's error, if it is one.
    fn write_error(&self) -> Option<&WriteError>;
}

impl StreamError for WriteError {
    fn write_error(&self) -> Option<&WriteError> {
        Some(self)
    }
}

/// A command buffer that continues in another chunk when one is full.
///
/// Every chunk is padded to 8 dwords with one-dword NOPs, the padding of all generations from GFX9 on (Mesa ac_gpu_info.c ib_size_alignment; Linux
/// amdgpu). A chunk that continues ends with a chained INDIRECT_BUFFER, which receives the next chunk's size once it is known.
///
/// ```
/// use pm4::chip::Gfx;
/// use pm4::packet::{BufferLevel, Chunk, CommandBuffer, Queue, layouts::DrawInitiator};
/// # #[cfg(feature = "gfx11")] {
/// let mut next = 0x10_0000;
/// let memory = |dwords: usize| {
///     next += 4 * dwords as u64;
///     Some(next - 4 * dwords as u64)
/// };
/// let mut commands = CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, 64, memory)?;
/// for _ in 0..50 {
///     commands.write(|w| w.draw_index_auto(3, DrawInitiator::AUTO_INDEX))?;
/// }
/// let finished = commands.finish()?;
/// assert_eq!(finished.chunks().len(), 3);
/// assert!(finished.chunks().iter().all(|chunk: &Chunk| chunk.words.len() % 8 == 0 && chunk.words.len() <= 64));
/// # }
/// # Ok::<(), pm4::packet::WriteError>(())
/// ```
#[derive(Debug)]
pub struct CommandBuffer<S> {
    writer: Writer<Chunks<S>>,
}

impl<S: ChunkSource> CommandBuffer<S> {
    /// Creates a command buffer with chunks of `chunk_dwords` dwords, rounded down to a multiple of 8.
    ///
    /// # Errors
    /// [`ChunkSize`](WriteError::ChunkSize) unless `chunk_dwords` is 32 to 0xFFFF8, [`CallOnCompute`](WriteError::CallOnCompute) for a secondary buffer on a
    /// compute queue, and [`NoMemory`](WriteError::NoMemory), [`Misaligned`](WriteError::Misaligned) and [`AddressTooWide`](WriteError::AddressTooWide) for
    /// memory from the source of chunks.
    pub fn new(gfx: Gfx, queue: Queue, level: BufferLevel, chunk_dwords: usize, source: S) -> Result<Self, WriteError> {
        if level == BufferLevel::Secondary && queue == Queue::Compute {
            return Err(WriteError::CallOnCompute);
        }
        let mut writer = Writer::new(gfx, queue, Chunks::new(chunk_dwords, source)?);
        writer.set_level(level);
        Ok(Self { writer })
    }

    /// Returns a command buffer with the contents of a writer, to be finished.
    pub(crate) fn of(writer: Writer<Chunks<S>>) -> Self {
        Self { writer }
    }

    /// Writes packets. The packets of one call stay together in one chunk: if the chunk is full, a new one is begun and `packets` is called again, so the
    /// closure must do the same each time. Changes of the closure outside the buffer are not undone when it is called again: counters belong in the state of
    /// [`write_with`](Self::write_with).
    ///
    /// # Errors
    /// The error that `packets` returns, in which case nothing is written; [`Full`](WriteError::Full) if they do not fit into an empty chunk;
    /// [`SpanOpen`](WriteError::SpanOpen) if they begin a range that may be skipped and do not fill it; [`NoMemory`](WriteError::NoMemory),
    /// [`Misaligned`](WriteError::Misaligned) and [`AddressTooWide`](WriteError::AddressTooWide) for memory from the source of chunks.
    pub fn write<T>(&mut self, mut packets: impl FnMut(&mut Writer<Chunks<S>>) -> Result<T, WriteError>) -> Result<T, WriteError> {
        self.write_with(&mut (), |writer, ()| packets(writer))
    }

    /// Writes packets that read and change `state`: if `packets` is called again or fails, `state` is first reset to its earlier value. The fence count of
    /// barriers (`draw::sync::SyncState`) is such a state: a count that ran ahead of the packets would wait for a fence that nothing writes.
    ///
    /// # Errors
    /// The errors of [`write`](Self::write).
    ///
    /// ```
    /// # #[cfg(feature = "gfx10")] {
    /// use pm4::chip::Chip;
    /// use pm4::draw::RecordError;
    /// use pm4::draw::sync::{Access, Barrier, Plan, SyncMemory, SyncState};
    /// use pm4::packet::{BufferLevel, CommandBuffer, Queue, layouts::DrawInitiator};
    ///
    /// let chip = Chip::Navi10;
    /// let plan = Plan::new(chip, Queue::Graphics, &Barrier::new(Access::ColorWrite, Access::PixelRead))?;
    /// let mut fences = SyncState::new(SyncMemory { fence: Some(0x1000), zpass: None });
    /// let mut commands = CommandBuffer::new(chip.gfx(), Queue::Graphics, BufferLevel::Primary, 64, |_| Some(0x10_0000))?;
    /// for _ in 0..9 {
    ///     commands.write_with(&mut fences, |w, fences| {
    ///         plan.write(w, fences)?;
    ///         Ok::<_, RecordError>(w.draw_index_auto(3, DrawInitiator::AUTO_INDEX)?)
    ///     })?;
    /// }
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_with<C: Clone, T, E: StreamError>(
        &mut self,
        state: &mut C,
        mut packets: impl FnMut(&mut Writer<Chunks<S>>, &mut C) -> Result<T, E>,
    ) -> Result<T, E> {
        let begun = !self.writer.is_empty();
        match self.attempt(state, &mut packets) {
            Err(error) if begun && matches!(error.write_error(), Some(WriteError::Full { .. })) => {
                self.writer.continue_elsewhere()?;
                self.attempt(state, &mut packets)
            }
            result => result,
        }
    }

    /// Writes all of the packets, or none, with the state as before.
    fn attempt<C: Clone, T, E: StreamError>(
        &mut self,
        state: &mut C,
        packets: &mut impl FnMut(&mut Writer<Chunks<S>>, &mut C) -> Result<T, E>,
    ) -> Result<T, E> {
        let before = state.clone();
        let result = self.writer.all_or_nothing(|writer| {
            let done = packets(writer, state)?;
            // The next packets may go into another chunk.
            match writer.missing_dwords() {
                0 => Ok(done),
                left => Err(WriteError::SpanOpen { left }.into()),
            }
        });
        result.inspect_err(|_| *state = before)
    }

    /// Calls a secondary command buffer.
    ///
    /// # Errors
    /// [`CallOnCompute`](WriteError::CallOnCompute), [`Nesting`](WriteError::Nesting) if this buffer is itself secondary or the other one is not,
    /// [`OtherStream`](WriteError::OtherStream) if it was built for another generation or queue, and those of [`write`](Self::write).
    pub fn call(&mut self, callee: &FinishedBuffer) -> Result<(), WriteError> {
        if self.writer.queue() == Queue::Compute {
            return Err(WriteError::CallOnCompute);
        }
        if self.writer.level() != BufferLevel::Primary || callee.level != BufferLevel::Secondary {
            return Err(WriteError::Nesting);
        }
        if (callee.gfx, callee.queue) != (self.writer.gfx(), self.writer.queue()) {
            return Err(WriteError::OtherStream);
        }
        let (addr, dwords) = callee.entry();
        self.write(|w| w.indirect_buffer(IbKind::Call, addr, dwords))
    }

    /// Pads and closes the last chunk. An empty chunk becomes 8 dwords of NOPs, because a buffer of size 0 cannot be chained to, called or submitted (PAL
    /// gfxCmdStream.cpp ComputeCommandBlockSizes).
    ///
    /// # Errors
    /// [`AfterChain`](WriteError::AfterChain) if the caller has chained elsewhere, so that the buffer cannot be padded.
    pub fn finish(mut self) -> Result<FinishedBuffer, WriteError> {
        self.writer.buffer.open_end();
        if self.writer.is_empty() {
            self.writer.nop(&[])?;
        }
        self.writer.pad(ALIGN, 0)?;
        self.writer.buffer.close();
        let (gfx, queue, level) = (self.writer.gfx(), self.writer.queue(), self.writer.level());
        Ok(FinishedBuffer { gfx, queue, level, chunks: self.writer.into_buffer().into_closed() })
    }
}

/// A complete command buffer.
///
/// ```
/// use pm4::{chip::Gfx, packet::{BufferLevel, CommandBuffer, Queue}};
/// # #[cfg(feature = "gfx11")] {
/// let mut commands = CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, 64, |_| Some(0x10_0000))?;
/// commands.write(|writer| writer.set_reg(0x2880C, 0))?;
/// let finished = commands.finish()?;
/// let (addr, dwords) = finished.entry(); // what the kernel is given
/// assert_eq!((addr, dwords % 8), (0x10_0000, 0));
/// # }
/// # Ok::<(), pm4::packet::WriteError>(())
/// ```
#[derive(Debug, Clone)]
pub struct FinishedBuffer {
    pub(super) gfx: Gfx,
    pub(super) queue: Queue,
    pub(super) level: BufferLevel,
    chunks: Vec<Chunk>,
}

impl FinishedBuffer {
    /// Returns the chunks in the order in which they run.
    #[must_use]
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Returns the GPU address and the size in dwords of the first chunk, for the kernel or a caller.
    #[must_use]
    pub fn entry(&self) -> (u64, u32) {
        self.chunks.first().map_or((0, 0), |c| (c.addr, c.words.len() as u32))
    }
}
