//! A comparison: words for a queue, the memory that they access, and the results that the model cannot know.

use crate::submission::Queue;
use pm4::gpu::Gpu;
use std::error::Error;

/// Size of the memory of a case in bytes. All of it is compared, up to [`part::SCRATCH`].
pub const BYTES: u64 = 0x1_0000;

/// Parts of that memory, as offsets in bytes: results, inputs, programs, and called buffers.
pub mod part {
    /// Results.
    pub const OUT: u64 = 0;
    /// Inputs.
    pub const IN: u64 = 0x4000;
    /// Programs, at a multiple of 256.
    pub const CODE: u64 = 0x8000;
    /// Called command buffers.
    pub const CALLED: u64 = 0xC000;
    /// Memory that packets need for themselves, up to the end; not compared.
    pub const SCRATCH: u64 = 0xF000;
}

/// The device of a case, and the address of its memory.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'g> {
    /// The machine.
    pub gpu: &'g Gpu,
    /// GPU address of the memory.
    pub memory: u64,
}

impl Machine<'_> {
    /// Returns the address of an offset in the memory.
    pub fn at(&self, byte: u64) -> u64 {
        self.memory + byte
    }
}

/// The expected value of a word that the model does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// This value, for example written by a shader, which the model does not run.
    Word(u32),
    /// The lower half of a 64-bit clock, which must have changed and be later than the clock at offset `after`.
    Clock {
        /// An earlier clock.
        after: Option<u64>,
    },
    /// The lower half of a 64-bit counter, which must exceed the counter at offset `since` by at least `by`. Other programs may increase it too.
    Counts {
        /// The counter before.
        since: u64,
        /// The minimum difference.
        by: u64,
    },
    /// Not stated by any source; shown in the report.
    Shown,
}

/// What a case runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The queue.
    pub queue: Queue,
    /// The words to submit.
    pub words: Vec<u32>,
    /// Memory contents before the run, by offset in bytes; all other words hold [`fill`].
    pub memory: Vec<(u64, Vec<u32>)>,
    /// Results that the model does not know, by offset in bytes.
    pub expected: Vec<(u64, Expected)>,
    /// Whether the results are written by shaders.
    pub needs_shaders: bool,
}

impl Work {
    /// Creates work whose results the model knows completely.
    pub fn new(queue: Queue, words: Vec<u32>) -> Self {
        Self { queue, words, memory: Vec::new(), expected: Vec::new(), needs_shaders: false }
    }

    /// Sets memory contents before the run.
    #[must_use]
    pub fn with(mut self, byte: u64, words: impl Into<Vec<u32>>) -> Self {
        self.memory.push((byte, words.into()));
        self
    }

    /// Sets a result that the model does not know.
    #[must_use]
    pub fn expect(mut self, byte: u64, expected: Expected) -> Self {
        self.expected.push((byte, expected));
        self
    }

    /// Sets words that a shader writes.
    #[must_use]
    pub fn shaders_write(mut self, byte: u64, words: &[u32]) -> Self {
        self.needs_shaders = true;
        self.expected.extend(words.iter().zip((byte..).step_by(4)).map(|(word, at)| (at, Expected::Word(*word))));
        self
    }

    /// Returns the memory contents before the run.
    pub fn contents(&self) -> Vec<u32> {
        let mut contents: Vec<u32> = (0..BYTES as usize / 4).map(fill).collect();
        for (byte, words) in &self.memory {
            contents.iter_mut().skip(*byte as usize / 4).zip(words).for_each(|(place, word)| *place = *word);
        }
        contents
    }
}

/// Returns the initial value of a memory word: its index, so that a copy from elsewhere is noticed, with a mark that is unlikely to occur in results.
pub const fn fill(word: usize) -> u32 {
    0x5AC0_0000 | word as u32
}

/// The reason why a machine cannot run the work.
pub type Refusal = Box<dyn Error>;

/// A comparison.
#[derive(Clone, Copy)]
pub struct Case {
    /// The name, for `--only` and reports.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The queue.
    pub queue: Queue,
    /// Creates the work for a machine.
    pub make: fn(&Machine<'_>) -> Result<Work, Refusal>,
}
