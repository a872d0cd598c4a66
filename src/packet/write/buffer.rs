//! Buffers: the memory of a writer.

use crate::chip::Gfx;
use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::opcode::Queue;
use alloc::vec::Vec;

/// A place for dwords: a slice of fixed length or a vector that grows.
///
/// For an example see [`FixedBuffer`](crate::packet::FixedBuffer).
pub trait Buffer {
    /// Returns the dwords written so far.
    fn words(&self) -> &[u32];
    /// Returns the number of dwords written so far.
    #[inline]
    fn len(&self) -> usize {
        self.words().len()
    }
    /// Returns whether nothing has been written.
    #[inline]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the number of dwords that still fit.
    fn room(&self) -> usize;
    /// Appends `dwords` dwords for the caller to fill; returns None if they do not fit. Their initial contents are undefined.
    fn grow(&mut self, dwords: usize) -> Option<&mut [u32]>;
    /// Appends all of `words`; if they do not fit, appends nothing and returns false.
    fn push(&mut self, words: &[u32]) -> bool {
        self.grow(words.len()).is_some_and(|place| {
            place.copy_from_slice(words);
            true
        })
    }
    /// Returns a dword that has been written.
    fn word_mut(&mut self, at: usize) -> Option<&mut u32>;
    /// Drops all but the first `dwords` dwords; nothing changes if there are no more. This makes room again, so that a call which is refused halfway leaves no
    /// dwords in the buffer.
    fn truncate(&mut self, dwords: usize);
    /// Continues in new memory and returns true, if the buffer can obtain some. The call ends the old memory with a packet that chains to the new one;
    /// [`room`](Self::room) never counts the space of that packet. Afterwards [`words`](Self::words) are those of the new memory. A contiguous buffer returns
    /// false.
    ///
    /// # Errors
    /// Those of the source of memory.
    fn continue_elsewhere(&mut self, gfx: Gfx, queue: Queue) -> Result<bool, WriteError> {
        let _ = (gfx, queue);
        Ok(false)
    }
}

impl Buffer for Vec<u32> {
    #[inline]
    fn words(&self) -> &[u32] {
        self
    }

    #[inline]
    fn room(&self) -> usize {
        usize::MAX / 8
    }

    #[inline]
    fn grow(&mut self, dwords: usize) -> Option<&mut [u32]> {
        let at = self.len();
        self.resize(at + dwords, 0);
        self.get_mut(at..)
    }

    #[inline]
    fn push(&mut self, words: &[u32]) -> bool {
        self.extend_from_slice(words);
        true
    }

    #[inline]
    fn word_mut(&mut self, at: usize) -> Option<&mut u32> {
        self.get_mut(at)
    }

    #[inline]
    fn truncate(&mut self, dwords: usize) {
        Self::truncate(self, dwords);
    }
}

/// A slice that is filled from its start.
///
/// ```
/// use pm4::packet::{Buffer, FixedBuffer};
/// let mut memory = [0; 2];
/// let mut buffer = FixedBuffer::new(&mut memory);
/// assert!(buffer.push(&[7]));
/// assert!(!buffer.push(&[8, 9]));
/// assert_eq!(buffer.words(), [7]);
/// buffer.truncate(0);
/// assert!(buffer.push(&[8, 9]));
/// ```
#[derive(Debug)]
pub struct FixedBuffer<'a> {
    memory: &'a mut [u32],
    used: usize,
}

impl<'a> FixedBuffer<'a> {
    /// Creates an empty buffer over `memory`.
    pub fn new(memory: &'a mut [u32]) -> Self {
        Self { memory, used: 0 }
    }
}

impl Buffer for FixedBuffer<'_> {
    #[inline(always)]
    fn words(&self) -> &[u32] {
        self.memory.get(..self.used).unwrap_or_default()
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.used
    }

    #[inline(always)]
    fn room(&self) -> usize {
        self.memory.len() - self.used
    }

    #[inline(always)]
    fn grow(&mut self, dwords: usize) -> Option<&mut [u32]> {
        let end = self.used.checked_add(dwords)?;
        let free = self.memory.get_mut(self.used..end)?;
        self.used = end;
        Some(free)
    }

    #[inline(always)]
    fn word_mut(&mut self, at: usize) -> Option<&mut u32> {
        self.memory.get_mut(..self.used)?.get_mut(at)
    }

    #[inline(always)]
    fn truncate(&mut self, dwords: usize) {
        self.used = self.used.min(dwords);
    }
}
