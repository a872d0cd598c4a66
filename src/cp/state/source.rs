//! Memory that the model asks for when packets need it.

use crate::cp::state::place::BufferId;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// Memory on demand: the model asks for the contents of an address when a packet reads it, so that a run pays only for what it reads. The model keeps what
/// packets write, as an overlay; an observer with [`Interest::MEMORY`](crate::cp::Interest::MEMORY) receives it. Buffers that the caller
/// [maps](crate::cp::CommandProcessor::map) hide it. Addresses are those of packets, low 48 bits.
///
/// The memory must not change while the model runs.
///
/// ```
/// use pm4::{chip::Chip, cp::{CommandProcessor, MemorySource}, packet::Queue};
/// # #[cfg(feature = "gfx11")] {
/// /// One page of an emulator's memory.
/// struct Guest([u32; 1024]);
/// impl MemorySource for Guest {
///     fn read(&self, addr: u64, words: &mut [u32]) -> usize {
///         let Some(there) = addr.checked_sub(0x10_0000).and_then(|at| self.0.get(at as usize / 4..)) else { return 0 };
///         let count = there.len().min(words.len());
///         words[..count].copy_from_slice(&there[..count]);
///         count
///     }
///     fn mapped(&self, addr: u64, bytes: u64) -> u64 {
///         if (0x10_0000..0x10_1000).contains(&addr) { bytes.min(0x10_1000 - addr) } else { 0 }
///     }
/// }
/// let mut guest = Guest([0; 1024]);
/// guest.0[16..19].copy_from_slice(&[0xC001_2D00, 3, 2]); // DRAW_INDEX_AUTO at 0x100040
/// // INDIRECT_BUFFER of 3 dwords
/// let stream = [0xC002_3F00, 0x10_0040, 0, 1 << 23 | 3];
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.memory_source(&guest);
/// cp.submit(Queue::Graphics, "main", &stream);
/// assert_eq!(cp.run(&mut ()).draws, 1);
/// // What ran out of the source is a buffer, which findings name by its number.
/// let (_, called) = cp.source_buffers().next().unwrap();
/// assert_eq!((called.name, called.addr, called.words.len()), ("0x000000100040", Some(0x10_0040), 3));
/// # }
/// ```
pub trait MemorySource: Sync {
    /// Reads words from an address on, which is a multiple of 4. Returns how many of them, from the first on, are known; 0 if nothing is mapped or known.
    fn read(&self, addr: u64, words: &mut [u32]) -> usize;

    /// Returns how many bytes from an address on are mapped without a gap, at most `bytes`. Mapped memory that cannot be read has unknown contents.
    fn mapped(&self, addr: u64, bytes: u64) -> u64;

    /// Returns the writer outside the streams that may write the dword, if any. A wait for it that nothing in the streams ends then counts as satisfied, as
    /// with [`expect_write`](crate::cp::CommandProcessor::expect_write).
    fn writer(&self, addr: u64) -> Option<&str> {
        let _ = addr;
        None
    }
}

/// The memory source of a model, and the buffers executed from it.
#[derive(Clone, Default)]
pub(in crate::cp) struct Source<'a> {
    memory: Option<&'a dyn MemorySource>,
    buffers: Vec<SourceBuffer>,
}

/// Words that a queue has executed from a source, as they were at the first execution.
#[derive(Debug, Clone)]
pub(in crate::cp) struct SourceBuffer {
    pub name: String,
    pub addr: u64,
    pub words: Arc<[u32]>,
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("is_some", &self.memory.is_some()).field("buffers", &self.buffers).finish()
    }
}

impl<'a> Source<'a> {
    /// First number of buffers from a source; numbers of the caller's buffers never reach it.
    const FIRST: u32 = 1 << 31;

    pub fn set(&mut self, memory: &'a dyn MemorySource) {
        self.memory = Some(memory);
    }

    pub fn is_some(&self) -> bool {
        self.memory.is_some()
    }

    pub fn dword(&self, addr: u64) -> Option<u32> {
        let mut word = [0];
        (self.memory?.read(addr, &mut word) == 1).then_some(word[0])
    }

    pub fn mapped(&self, addr: u64, bytes: u64) -> u64 {
        self.memory.map_or(0, |memory| memory.mapped(addr, bytes).min(bytes))
    }

    pub fn writer(&self, addr: u64) -> Option<&'a str> {
        self.memory?.writer(addr)
    }

    /// Returns words to execute; None if none is known.
    pub fn words(&mut self, addr: u64, dwords: usize) -> Option<(BufferId, Arc<[u32]>)> {
        let memory = self.memory?;
        // A buffer never makes the model allocate more memory than is mapped.
        let length = (memory.mapped(addr, 4 * dwords as u64) / 4) as usize;
        let mut words = vec![0; length.min(dwords)];
        let known = memory.read(addr, &mut words);
        words.truncate(known);
        if words.is_empty() {
            return None;
        }
        let same = |buffer: &SourceBuffer| buffer.addr == addr && *buffer.words == *words;
        let at = match self.buffers.iter().position(same) {
            Some(at) => at,
            None => {
                self.buffers.push(SourceBuffer { name: alloc::format!("0x{addr:012x}"), addr, words: words.into() });
                self.buffers.len() - 1
            }
        };
        Some((BufferId(Self::FIRST + at as u32), Arc::clone(&self.buffers[at].words)))
    }

    /// Returns the executed buffers, by number.
    pub fn buffers(&self) -> impl Iterator<Item = (BufferId, &SourceBuffer)> {
        (Self::FIRST..).map(BufferId).zip(&self.buffers)
    }
}
