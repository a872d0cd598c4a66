//! Words that queues execute from buffers that packets have written: copied once, then kept in sync with memory.

use alloc::sync::Arc;
use alloc::vec::Vec;

/// Maximum number of copies.
const MAX_COPIES: usize = 8;

/// Copies of written buffers. A buffer that runs again, or whose words are fetched again after a REWIND, is not copied again.
#[derive(Debug, Clone, Default)]
pub(in crate::cp) struct MemoryCopies(Vec<Copied>);

#[derive(Debug, Clone)]
struct Copied {
    start: u64,
    words: Arc<[u32]>,
    /// Dwords written while a queue held the words: position and value.
    changed: Vec<(usize, u32)>,
}

impl MemoryCopies {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the words of a range from `start` on, if there is a copy; `work` counts dwords that are copied once more because a queue still holds the older
    /// ones.
    pub fn get(&mut self, start: u64, dwords: usize, work: &mut u64) -> Option<Arc<[u32]>> {
        let at = self.0.iter().position(|copy| copy.start == start && copy.words.len() == dwords)?;
        // The most recently used copy is last.
        let mut copy = self.0.remove(at);
        if !copy.changed.is_empty() {
            if Arc::get_mut(&mut copy.words).is_none() {
                *work += copy.words.len() as u64;
                copy.words = Arc::from(&copy.words[..]);
            }
            if let Some(words) = Arc::get_mut(&mut copy.words) {
                for (at, value) in copy.changed.drain(..) {
                    if let Some(word) = words.get_mut(at) {
                        *word = value;
                    }
                }
            }
        }
        let words = Arc::clone(&copy.words);
        self.0.push(copy);
        Some(words)
    }

    /// Keeps a copy, which replaces the least recently used one.
    pub fn insert(&mut self, start: u64, words: &Arc<[u32]>) {
        if self.0.len() >= MAX_COPIES {
            self.0.remove(0);
        }
        self.0.push(Copied { start, words: Arc::clone(words), changed: Vec::new() });
    }

    /// Updates a dword of memory to its new value, or to the last known value if the new one is unknown.
    #[inline]
    pub fn update(&mut self, addr: u64, value: u32) {
        for copy in &mut self.0 {
            let Some(at) = addr.checked_sub(copy.start).map(|bytes| (bytes / 4) as usize).filter(|at| *at < copy.words.len()) else { continue };
            copy.changed.push((at, value));
            if copy.changed.len() > copy.words.len()
                && let Some(words) = Arc::get_mut(&mut copy.words)
            {
                for (at, value) in copy.changed.drain(..) {
                    words[at] = value;
                }
            }
        }
    }
}
