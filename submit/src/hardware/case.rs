//! One comparison: words for a queue, the memory that they reach, and what the model cannot know of it.

use crate::submission::Queue;
use pm4::gpu::Gpu;
use std::error::Error;

/// Bytes of the memory that a case has. All of it is compared, up to [`part::SCRATCH`].
pub const BYTES: u64 = 0x1_0000;

/// Parts of that memory, as bytes from its beginning: where results go, what is read, programs, and buffers that are called.
pub mod part {
    /// Results.
    pub const OUT: u64 = 0;
    /// What is read.
    pub const IN: u64 = 0x4000;
    /// Programs: a multiple of 256.
    pub const CODE: u64 = 0x8000;
    /// Command buffers that are called.
    pub const CALLED: u64 = 0xC000;
    /// What packets need for themselves, up to the end: it is not compared.
    pub const SCRATCH: u64 = 0xF000;
}

/// The device that a case is for, and where its memory is.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'g> {
    /// The machine.
    pub gpu: &'g Gpu,
    /// GPU address of the memory.
    pub memory: u64,
}

impl Machine<'_> {
    /// The address of a part of the memory.
    pub fn at(&self, byte: u64) -> u64 {
        self.memory + byte
    }
}

/// What a word must hold that the model does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// This: what shaders write, for one, which the model does not run.
    Word(u32),
    /// A clock of 64 bits, of which this is the lower half: not what was there before, and past the clock at that byte.
    Clock {
        /// An earlier clock.
        after: Option<u64>,
    },
    /// A counter of 64 bits, of which this is the lower half: at least so much more than the one at that byte. Work of others may count as well.
    Counts {
        /// The counter before.
        since: u64,
        /// How much is counted between them.
        by: u64,
    },
    /// Nothing states it: it is shown.
    Shown,
}

/// What a case runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// Its queue.
    pub queue: Queue,
    /// Its words.
    pub words: Vec<u32>,
    /// What is in memory before, by byte; other words hold [`fill`].
    pub memory: Vec<(u64, Vec<u32>)>,
    /// What the model does not know of memory after it, by byte.
    pub expected: Vec<(u64, Expected)>,
    /// Results are those of shaders.
    pub needs_shaders: bool,
}

impl Work {
    /// Words of which the model knows all results.
    pub fn new(queue: Queue, words: Vec<u32>) -> Self {
        Self { queue, words, memory: Vec::new(), expected: Vec::new(), needs_shaders: false }
    }

    /// With words in memory.
    #[must_use]
    pub fn with(mut self, byte: u64, words: impl Into<Vec<u32>>) -> Self {
        self.memory.push((byte, words.into()));
        self
    }

    /// With a result that the model does not know.
    #[must_use]
    pub fn expect(mut self, byte: u64, expected: Expected) -> Self {
        self.expected.push((byte, expected));
        self
    }

    /// With words that a shader writes.
    #[must_use]
    pub fn shaders_write(mut self, byte: u64, words: &[u32]) -> Self {
        self.needs_shaders = true;
        self.expected.extend(words.iter().zip((byte..).step_by(4)).map(|(word, at)| (at, Expected::Word(*word))));
        self
    }

    /// What is in memory before it runs.
    pub fn contents(&self) -> Vec<u32> {
        let mut contents: Vec<u32> = (0..BYTES as usize / 4).map(fill).collect();
        for (byte, words) in &self.memory {
            contents.iter_mut().skip(*byte as usize / 4).zip(words).for_each(|(place, word)| *place = *word);
        }
        contents
    }
}

/// What a word of memory holds if nothing else is said: its number, so that a copy from elsewhere shows, with a mark that no result has by chance.
pub const fn fill(word: usize) -> u32 {
    0x5AC0_0000 | word as u32
}

/// Why there is no work for a machine.
pub type Refusal = Box<dyn Error>;

/// One comparison.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its name, for `--only` and reports.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// Its queue.
    pub queue: Queue,
    /// Makes it.
    pub make: fn(&Machine<'_>) -> Result<Work, Refusal>,
}
