//! Command buffers of several chunks, calls between them, and what is submitted.

use crate::chip::Gfx;
use crate::packet::rules::is_canonical;
use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::write::buffer::Buffer;
use crate::packet::write::shortcuts::IbKind;
use crate::packet::write::writer::Writer;
use alloc::vec::Vec;

/// The source of memory for chunks. A closure that returns the GPU address of a new chunk implements it.
///
/// ```
/// use pm4::{chip::Gfx, packet::{BufferLevel, ChunkSource, CommandBuffer, Queue, WriteError, layouts::DrawInitiator}};
///
/// /// A range of GPU memory, given out from its start.
/// struct Heap {
///     next: u64,
///     end: u64,
/// }
/// impl ChunkSource for Heap {
///     fn chunk(&mut self, dwords: usize) -> Option<u64> {
///         let (addr, bytes) = (self.next, 4 * dwords as u64);
///         self.next = (addr + bytes).next_multiple_of(32);
///         (addr + bytes <= self.end).then_some(addr)
///     }
/// }
/// # #[cfg(feature = "gfx11")] {
/// // Memory for two chunks of 64 dwords: 20 draws fit into each beside the packet that chains.
/// let heap = Heap { next: 0x10_0000, end: 0x10_0200 };
/// let mut commands = CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, 64, heap)?;
/// let mut draw = || commands.write(|w| w.draw_index_auto(3, DrawInitiator::AUTO_INDEX));
/// for _ in 0..40 {
///     draw()?;
/// }
/// assert_eq!(draw(), Err(WriteError::NoMemory { dwords: 64 }));
/// # }
/// # Ok::<(), pm4::packet::WriteError>(())
/// ```
pub trait ChunkSource {
    /// The GPU address of memory for `dwords` dwords, a multiple of 32 bytes of at most 48 bits; None when there is no more.
    fn chunk(&mut self, dwords: usize) -> Option<u64>;
}

impl<F: FnMut(usize) -> Option<u64>> ChunkSource for F {
    fn chunk(&mut self, dwords: usize) -> Option<u64> {
        self(dwords)
    }
}

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
    /// The writer's error, if it is one.
    fn write_error(&self) -> Option<&WriteError>;
}

impl StreamError for WriteError {
    fn write_error(&self) -> Option<&WriteError> {
        Some(self)
    }
}

/// The level of a command buffer: who starts it.
///
/// For an example see [`CommandBuffer`](crate::packet::CommandBuffer).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferLevel {
    /// The kernel: it is submitted.
    Primary,
    /// Another command buffer of the graphics queue, which calls it. It calls none itself, there is one level: INDIRECT_BUFFER that calls is refused in it
    /// ([`WriteError::Nesting`]).
    Secondary,
}

/// One piece of a command buffer.
///
/// For an example see [`CommandBuffer`](crate::packet::CommandBuffer).
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The GPU address at which it must be.
    pub addr: u64,
    /// Its dwords.
    pub words: Vec<u32>,
}

/// A command buffer that continues in another chunk when one is full.
///
/// Every chunk is padded to 8 dwords with one-dword NOPs, the padding of all generations from GFX9 on (Mesa ac_gpu_info.c ib_size_alignment; Linux
/// amdgpu). A chunk that continues ends with a chained INDIRECT_BUFFER, which gets the next chunk's size once that is known.
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

/// Memory in chunks: the dwords of one, and those that are full. A writer over it continues in another chunk only where it is asked to
/// ([`CommandBuffer::write`], [`Recorder`](crate::draw::Recorder)), for packets that belong together stay in one.
///
/// ```
/// use pm4::{chip::Gfx, packet::{Buffer, Chunks, Queue, Writer}};
/// # #[cfg(feature = "gfx11")] {
/// let chunks = Chunks::new(64, |_| Some(0x10_0000))?;
/// assert_eq!(chunks.room(), 60); // four dwords are for the packet that chains to the next chunk
/// let mut writer = Writer::new(Gfx::Gfx11, Queue::Graphics, chunks);
/// writer.set_reg(0x2880C, 0)?;
/// assert_eq!(writer.words(), [0xC001_6900, 0x203, 0]);
/// # }
/// # Ok::<(), pm4::packet::WriteError>(())
/// ```
#[derive(Debug)]
pub struct Chunks<S> {
    words: Vec<u32>,
    /// Dwords of a chunk.
    size: usize,
    /// Dwords that may be written: all but those of the chain.
    limit: usize,
    source: S,
    done: Vec<Chunk>,
    addr: u64,
}

impl<S: ChunkSource> Chunks<S> {
    /// Chunks of `dwords`, which is rounded down to a multiple of 8.
    ///
    /// # Errors
    /// [`ChunkSize`](WriteError::ChunkSize) unless 32 to 0xFFFF8 dwords are asked for; [`NoMemory`](WriteError::NoMemory),
    /// [`Misaligned`](WriteError::Misaligned) and [`AddressTooWide`](WriteError::AddressTooWide) for what the source of chunks gives.
    pub fn new(dwords: usize, mut source: S) -> Result<Self, WriteError> {
        if !(MIN_CHUNK..=MAX_CHUNK).contains(&dwords) {
            return Err(WriteError::ChunkSize { dwords });
        }
        let size = dwords - dwords % ALIGN;
        let addr = memory(&mut source, size)?;
        Ok(Self { words: Vec::with_capacity(size), size, limit: size - CHAIN, source, done: Vec::new(), addr })
    }

    /// The chunks in the order in which they run, the last one as it is: [`CommandBuffer::finish`] and `Recorder::finish_chunks` pad it first.
    ///
    /// ```
    /// use pm4::{chip::Gfx, packet::{Chunks, Queue, Writer}};
    /// # #[cfg(feature = "gfx11")] {
    /// let mut writer = Writer::new(Gfx::Gfx11, Queue::Graphics, Chunks::new(64, |_| Some(0x10_0000))?);
    /// writer.set_reg(0x2880C, 0)?;
    /// writer.pad(8, 0)?;
    /// let chunks = writer.into_buffer().into_chunks();
    /// assert_eq!((chunks.len(), chunks[0].addr, chunks[0].words.len()), (1, 0x10_0000, 8));
    /// # }
    /// # Ok::<(), pm4::packet::WriteError>(())
    /// ```
    #[must_use]
    pub fn into_chunks(mut self) -> Vec<Chunk> {
        self.close();
        self.done
    }

    /// Keeps a chunk, and writes its size into the packet that chains to it.
    fn close(&mut self) {
        let words = core::mem::take(&mut self.words);
        if let Some(control) = self.done.last_mut().and_then(|c| c.words.last_mut()) {
            *control = *control & !0xF_FFFF | words.len() as u32;
        }
        self.done.push(Chunk { addr: self.addr, words });
    }
}

impl<S: ChunkSource> Buffer for Chunks<S> {
    #[inline]
    fn words(&self) -> &[u32] {
        &self.words
    }

    #[inline]
    fn room(&self) -> usize {
        self.limit - self.words.len()
    }

    /// Pads the chunk, chains it to the next one, and begins that. If that is refused, the end of the chunk stays free for a chain.
    fn continue_elsewhere(&mut self, gfx: Gfx, queue: Queue) -> Result<bool, WriteError> {
        let next = memory(&mut self.source, self.size)?;
        let mut writer = Writer::new(gfx, queue, core::mem::take(&mut self.words));
        let chained = writer.all_or_nothing(|writer| {
            writer.pad(ALIGN, CHAIN)?;
            // The size follows when it is known.
            writer.indirect_buffer(IbKind::Chain, next, 1)
        });
        self.words = writer.into_buffer();
        chained?;
        self.close();
        (self.words, self.addr) = (Vec::with_capacity(self.size), next);
        Ok(true)
    }

    #[inline]
    fn grow(&mut self, dwords: usize) -> Option<&mut [u32]> {
        if dwords <= self.room() { self.words.grow(dwords) } else { None }
    }

    #[inline]
    fn push(&mut self, words: &[u32]) -> bool {
        let fits = words.len() <= self.room();
        if fits {
            self.words.extend_from_slice(words);
        }
        fits
    }

    fn word_mut(&mut self, at: usize) -> Option<&mut u32> {
        self.words.get_mut(at)
    }

    #[inline]
    fn truncate(&mut self, dwords: usize) {
        self.words.truncate(dwords);
    }
}

/// Dwords of a chunk's end: the INDIRECT_BUFFER that chains, and the NOPs before it.
const CHAIN: usize = 4;
/// Buffers are multiples of this many dwords.
const ALIGN: usize = 8;
/// The size field of INDIRECT_BUFFER has 20 bits.
const MAX_CHUNK: usize = 0xF_FFF8;
/// The shortest chunk that is of any use.
const MIN_CHUNK: usize = 32;

impl<S: ChunkSource> CommandBuffer<S> {
    /// A command buffer of chunks of `chunk_dwords`, which is rounded down to a multiple of 8.
    ///
    /// # Errors
    /// [`ChunkSize`](WriteError::ChunkSize) unless 32 to 0xFFFF8 dwords are asked for, [`CallOnCompute`](WriteError::CallOnCompute) for a secondary buffer of
    /// a compute queue, and [`NoMemory`](WriteError::NoMemory), [`Misaligned`](WriteError::Misaligned) and
    /// [`AddressTooWide`](WriteError::AddressTooWide) for what the source of chunks gives.
    pub fn new(gfx: Gfx, queue: Queue, level: BufferLevel, chunk_dwords: usize, source: S) -> Result<Self, WriteError> {
        if level == BufferLevel::Secondary && queue == Queue::Compute {
            return Err(WriteError::CallOnCompute);
        }
        let mut writer = Writer::new(gfx, queue, Chunks::new(chunk_dwords, source)?);
        writer.set_level(level);
        Ok(Self { writer })
    }

    /// A command buffer of what a writer holds, to be finished.
    pub(crate) fn of(writer: Writer<Chunks<S>>) -> Self {
        Self { writer }
    }

    /// Writes packets. Those of one call stay together in one chunk: when it is full, a new one is begun and `packets` is called again, so it must do the same
    /// each time. What the closure changes outside the buffer in a call that is repeated stays changed: numbers that it counts belong in the state of
    /// [`write_with`](Self::write_with).
    ///
    /// # Errors
    /// What `packets` returns, then nothing of it is written; [`Full`](WriteError::Full) if they do not fit a chunk of their own;
    /// [`SpanOpen`](WriteError::SpanOpen) if they begin a range that may be skipped and do not fill it; [`NoMemory`](WriteError::NoMemory),
    /// [`Misaligned`](WriteError::Misaligned) and [`AddressTooWide`](WriteError::AddressTooWide) for what the source of chunks gives.
    pub fn write<T>(&mut self, mut packets: impl FnMut(&mut Writer<Chunks<S>>) -> Result<T, WriteError>) -> Result<T, WriteError> {
        self.write_with(&mut (), |writer, ()| packets(writer))
    }

    /// Writes packets that read and change `state`: where `packets` is called again, or fails, `state` is first set back to what it was. The fence count of
    /// barriers (`draw::sync::SyncState`) is such a state: a count that ran ahead of the packets would wait for a fence that nothing writes.
    ///
    /// # Errors
    /// Those of [`write`](Self::write).
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
    ///         plan.write(chip, w, fences)?;
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

    /// All of the packets, or none and the state as it was.
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
    /// [`CallOnCompute`](WriteError::CallOnCompute), [`Nesting`](WriteError::Nesting) when this buffer is secondary itself or the other one is not,
    /// [`OtherStream`](WriteError::OtherStream) when it was built for another generation or queue, and those of [`write`](Self::write).
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

    /// Pads and closes the last chunk. An empty one becomes 8 dwords of NOPs: nothing of size 0 can be chained to, called or submitted (PAL gfxCmdStream.cpp
    /// ComputeCommandBlockSizes).
    ///
    /// # Errors
    /// [`AfterChain`](WriteError::AfterChain) when the caller chained elsewhere and the buffer cannot be padded.
    pub fn finish(mut self) -> Result<FinishedBuffer, WriteError> {
        self.writer.buffer.limit = self.writer.buffer.size;
        if self.writer.is_empty() {
            self.writer.nop(&[])?;
        }
        self.writer.pad(ALIGN, 0)?;
        self.writer.buffer.close();
        let (gfx, queue, level) = (self.writer.gfx(), self.writer.queue(), self.writer.level());
        Ok(FinishedBuffer { gfx, queue, level, chunks: self.writer.into_buffer().done })
    }
}

fn memory(source: &mut impl ChunkSource, dwords: usize) -> Result<u64, WriteError> {
    let addr = source.chunk(dwords).ok_or(WriteError::NoMemory { dwords })?;
    // Mesa ac_gpu_info.c ib_alignment asks for at least this.
    if !addr.is_multiple_of(32) {
        return Err(WriteError::Misaligned { packet: Opcode::INDIRECT_BUFFER, addr, align: 32 });
    }
    if is_canonical(addr) { Ok(addr) } else { Err(WriteError::AddressTooWide { packet: "INDIRECT_BUFFER", field: "ib_base", bits: 48, addr }) }
}

/// A command buffer that is complete.
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
    gfx: Gfx,
    queue: Queue,
    level: BufferLevel,
    chunks: Vec<Chunk>,
}

impl FinishedBuffer {
    /// Its chunks in the order in which they run.
    #[must_use]
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// GPU address of the first chunk, and its size in dwords: what the kernel or a caller is given.
    #[must_use]
    pub fn entry(&self) -> (u64, u32) {
        self.chunks.first().map_or((0, 0), |c| (c.addr, c.words.len() as u32))
    }
}

/// What is handed to the kernel: command buffers of one queue, in order, the preamble first.
///
/// ```
/// use pm4::{chip::Gfx, packet::{BufferLevel, CommandBuffer, Queue, Submission}};
/// # #[cfg(feature = "gfx11")] {
/// let mut submission = Submission::new(Gfx::Gfx11, Queue::Graphics, |_| Some(0x10_0000))?;
/// let mut commands = CommandBuffer::new(Gfx::Gfx11, Queue::Graphics, BufferLevel::Primary, 64, |_| Some(0x20_0000))?;
/// commands.write(|writer| writer.set_reg(0x2880C, 0))?;
/// submission.push(commands.finish()?)?;
/// // What the kernel is given: address and dwords of each buffer, the preamble first.
/// let entries: Vec<_> = submission.buffers().iter().map(|buffer| buffer.entry()).collect();
/// assert_eq!(entries, [(0x10_0000, 8), (0x20_0000, 8)]);
/// # }
/// # Ok::<(), pm4::packet::WriteError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Submission {
    gfx: Gfx,
    queue: Queue,
    buffers: Vec<FinishedBuffer>,
}

impl Submission {
    /// A submission that begins with the queue's preamble: on the graphics queue CONTEXT_CONTROL that loads and shadows nothing, and CLEAR_STATE up to
    /// GFX11.5, after which no driver uses it; a compute queue needs none.
    ///
    /// # Errors
    /// [`NoMemory`](WriteError::NoMemory), [`Misaligned`](WriteError::Misaligned) and [`AddressTooWide`](WriteError::AddressTooWide) for what the source of
    /// chunks gives.
    pub fn new(gfx: Gfx, queue: Queue, source: impl ChunkSource) -> Result<Self, WriteError> {
        let mut buffers = Vec::new();
        if queue == Queue::Graphics {
            let mut preamble = CommandBuffer::new(gfx, queue, BufferLevel::Primary, MIN_CHUNK, source)?;
            preamble.write(|w| {
                w.load_and_shadow_nothing()?;
                if gfx.major() < 12 { w.clear_state() } else { Ok(()) }
            })?;
            buffers.push(preamble.finish()?);
        }
        Ok(Self { gfx, queue, buffers })
    }

    /// Adds a primary command buffer.
    ///
    /// # Errors
    /// [`Nesting`](WriteError::Nesting) for a secondary one, [`OtherStream`](WriteError::OtherStream) for one of another generation or queue.
    pub fn push(&mut self, buffer: FinishedBuffer) -> Result<(), WriteError> {
        if buffer.level != BufferLevel::Primary {
            return Err(WriteError::Nesting);
        }
        if (buffer.gfx, buffer.queue) != (self.gfx, self.queue) {
            return Err(WriteError::OtherStream);
        }
        self.buffers.push(buffer);
        Ok(())
    }

    /// The command buffers in order; the kernel gets the [`entry`](FinishedBuffer::entry) of each.
    #[must_use]
    pub fn buffers(&self) -> &[FinishedBuffer] {
        &self.buffers
    }
}
