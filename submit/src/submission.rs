//! Submissions.

use crate::buffer::Buffer;
use pm4::cp::QueueId;
use pm4_uapi as u;

/// A queue of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// The graphics queue: PM4.
    Graphics,
    /// The first compute queue: PM4.
    Compute,
    /// The first SDMA queue, with packets of its own ([`pm4::queues`]).
    Sdma,
}

impl Queue {
    /// Returns the name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Graphics => "gfx",
            Self::Compute => "compute",
            Self::Sdma => "sdma",
        }
    }

    /// Returns the kernel's number of the engine.
    pub(crate) const fn engine(self) -> u32 {
        match self {
            Self::Graphics => u::engine::GFX,
            Self::Compute => u::engine::COMPUTE,
            Self::Sdma => u::engine::DMA,
        }
    }
}

/// Converts to the same queue of the model.
impl From<Queue> for QueueId {
    fn from(queue: Queue) -> Self {
        match queue {
            Queue::Graphics => Self::GRAPHICS,
            Queue::Compute => Self::COMPUTE,
            Queue::Sdma => Self::SDMA,
        }
    }
}

/// A command buffer for a queue, and all buffers that it may access: the kernel may have moved other buffers away when it runs.
#[derive(Debug, Clone)]
pub struct Submission<'w> {
    pub(crate) queue: Queue,
    pub(crate) words: &'w [u32],
    pub(crate) buffers: Vec<Buffer>,
}

impl<'w> Submission<'w> {
    /// Creates a submission without buffers.
    pub fn new(queue: Queue, words: &'w [u32]) -> Self {
        Self { queue, words, buffers: Vec::new() }
    }

    /// Adds a buffer that the words may access.
    #[must_use]
    pub fn with(mut self, buffer: &Buffer) -> Self {
        self.buffers.push(buffer.clone());
        self
    }
}
