//! What is submitted.

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
    /// The first queue of SDMA, with packets of its own ([`pm4::queues`]).
    Sdma,
}

impl Queue {
    /// What it is called in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Graphics => "gfx",
            Self::Compute => "compute",
            Self::Sdma => "sdma",
        }
    }

    /// The number of its engine.
    pub(crate) const fn engine(self) -> u32 {
        match self {
            Self::Graphics => u::engine::GFX,
            Self::Compute => u::engine::COMPUTE,
            Self::Sdma => u::engine::DMA,
        }
    }
}

/// The same queue of the model.
impl From<Queue> for QueueId {
    fn from(queue: Queue) -> Self {
        match queue {
            Queue::Graphics => Self::GRAPHICS,
            Queue::Compute => Self::COMPUTE,
            Queue::Sdma => Self::SDMA,
        }
    }
}

/// A command buffer for a queue, with all buffers that it reaches: those that it does not name may be elsewhere when it runs.
#[derive(Debug, Clone)]
pub struct Submission<'w> {
    pub(crate) queue: Queue,
    pub(crate) words: &'w [u32],
    pub(crate) buffers: Vec<Buffer>,
}

impl<'w> Submission<'w> {
    /// Words without buffers.
    pub fn new(queue: Queue, words: &'w [u32]) -> Self {
        Self { queue, words, buffers: Vec::new() }
    }

    /// The words may reach this buffer.
    #[must_use]
    pub fn with(mut self, buffer: &Buffer) -> Self {
        self.buffers.push(buffer.clone());
        self
    }
}
