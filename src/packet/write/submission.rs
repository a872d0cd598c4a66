//! Submissions to the kernel.

use crate::chip::Gfx;
use crate::packet::rules::write_error::WriteError;
use crate::packet::wire::opcode::Queue;
use crate::packet::write::chunks::{ChunkSource, MIN_CHUNK};
use crate::packet::write::command_buffer::{CommandBuffer, FinishedBuffer};
use crate::packet::write::levels::BufferLevel;
use alloc::vec::Vec;

/// A submission to the kernel: command buffers of one queue, in order, the preamble first.
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
    /// Creates a submission that begins with the queue's preamble: on the graphics queue CONTEXT_CONTROL that loads and shadows nothing, and CLEAR_STATE up to
    /// GFX11.5, after which no driver uses it; a compute queue needs none.
    ///
    /// # Errors
    /// [`NoMemory`](WriteError::NoMemory), [`Misaligned`](WriteError::Misaligned) and [`AddressTooWide`](WriteError::AddressTooWide) for memory from the source
    /// of chunks.
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
    /// [`Nesting`](WriteError::Nesting) for a secondary buffer, [`OtherStream`](WriteError::OtherStream) for a buffer of another generation or queue.
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

    /// Returns the command buffers in order; the kernel receives the [`entry`](FinishedBuffer::entry) of each.
    #[must_use]
    pub fn buffers(&self) -> &[FinishedBuffer] {
        &self.buffers
    }
}
