//! Memory in chunks, and the packets that chain them.

use crate::chip::Gfx;
use crate::packet::rules::limits::is_canonical;
use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::write::buffer::Buffer;
use crate::packet::write::levels::IbKind;
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
/// // Memory for two chunks of 64 dwords: 20 draws and the chaining packet fit into each.
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
    /// Returns the GPU address of memory for `dwords` dwords: a multiple of 32 with at most 48 bits; None if there is no more memory.
    fn chunk(&mut self, dwords: usize) -> Option<u64>;
}

impl<F: FnMut(usize) -> Option<u64>> ChunkSource for F {
    fn chunk(&mut self, dwords: usize) -> Option<u64> {
        self(dwords)
    }
}

/// One piece of a command buffer.
///
/// For an example see [`CommandBuffer`](crate::packet::CommandBuffer).
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The GPU address at which the chunk must be placed.
    pub addr: u64,
    /// Its dwords.
    pub words: Vec<u32>,
}

/// Memory in chunks: the current chunk, and the full ones. A writer over it continues in another chunk only on request
/// ([`CommandBuffer::write`](crate::packet::CommandBuffer::write), [`Recorder`](crate::draw::Recorder)), because packets that belong together stay in one
/// chunk.
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
    /// Size of a chunk in dwords.
    size: usize,
    /// Number of dwords that may be written: all except those of the chain.
    limit: usize,
    source: S,
    done: Vec<Chunk>,
    addr: u64,
}

impl<S: ChunkSource> Chunks<S> {
    /// Creates chunks of `dwords` dwords, rounded down to a multiple of 8.
    ///
    /// # Errors
    /// [`ChunkSize`](WriteError::ChunkSize) unless `dwords` is 32 to 0xFFFF8; [`NoMemory`](WriteError::NoMemory),
    /// [`Misaligned`](WriteError::Misaligned) and [`AddressTooWide`](WriteError::AddressTooWide) for memory from the source of chunks.
    pub fn new(dwords: usize, mut source: S) -> Result<Self, WriteError> {
        if !(MIN_CHUNK..=MAX_CHUNK).contains(&dwords) {
            return Err(WriteError::ChunkSize { dwords });
        }
        let size = dwords - dwords % ALIGN;
        let addr = memory(&mut source, size)?;
        Ok(Self { words: Vec::with_capacity(size), size, limit: size - CHAIN, source, done: Vec::new(), addr })
    }

    /// Returns the chunks in the order in which they run, the last one without padding: [`CommandBuffer::finish`](crate::packet::CommandBuffer::finish) and
    /// `Recorder::finish_chunks` pad it first.
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

    /// Allows packets to fill the last chunk, which chains to none.
    pub(super) fn open_end(&mut self) {
        self.limit = self.size;
    }

    /// Returns the chunks that are closed.
    pub(super) fn into_closed(self) -> Vec<Chunk> {
        self.done
    }

    /// Closes a chunk and writes its size into the packet that chains to it.
    pub(super) fn close(&mut self) {
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

    /// Pads the chunk, chains it to the next one, and begins the next chunk. If this is refused, the end of the chunk stays free for a chain.
    fn continue_elsewhere(&mut self, gfx: Gfx, queue: Queue) -> Result<bool, WriteError> {
        let next = memory(&mut self.source, self.size)?;
        let mut writer = Writer::new(gfx, queue, core::mem::take(&mut self.words));
        let chained = writer.all_or_nothing(|writer| {
            writer.pad(ALIGN, CHAIN)?;
            // The size is filled in when it is known.
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
pub(super) const ALIGN: usize = 8;
/// The size field of INDIRECT_BUFFER has 20 bits.
const MAX_CHUNK: usize = 0xF_FFF8;
/// The shortest useful chunk.
pub(super) const MIN_CHUNK: usize = 32;

fn memory(source: &mut impl ChunkSource, dwords: usize) -> Result<u64, WriteError> {
    let addr = source.chunk(dwords).ok_or(WriteError::NoMemory { dwords })?;
    // Mesa ac_gpu_info.c ib_alignment asks for at least this.
    if !addr.is_multiple_of(32) {
        return Err(WriteError::Misaligned { packet: Opcode::INDIRECT_BUFFER, addr, align: 32 });
    }
    if is_canonical(addr) { Ok(addr) } else { Err(WriteError::AddressTooWide { packet: "INDIRECT_BUFFER", field: "ib_base", bits: 48, addr }) }
}
