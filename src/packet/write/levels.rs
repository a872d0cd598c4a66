//! The starter of a command buffer, and transitions between command buffers.

/// The level of a command buffer: who starts it.
///
/// For an example see [`CommandBuffer`](crate::packet::CommandBuffer).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferLevel {
    /// The kernel: the buffer is submitted.
    Primary,
    /// Another command buffer of the graphics queue, which calls it. There is only one level of calls, so a calling INDIRECT_BUFFER is refused in it
    /// ([`WriteError::Nesting`](crate::packet::WriteError::Nesting)).
    Secondary,
}

/// How an INDIRECT_BUFFER transfers to the other buffer.
///
/// ```
/// use pm4::{chip::Gfx, packet::{IbKind, Queue, Stream, WriteError}};
/// # #[cfg(feature = "gfx11")] {
/// let mut stream = Stream::growable(Gfx::Gfx11, Queue::Graphics);
/// stream.indirect_buffer(IbKind::Call, 0x10_0000, 8)?;
/// assert_eq!(stream.last_packet(), [0xC002_3F00, 0x10_0000, 0, 8]);
/// stream.indirect_buffer(IbKind::Chain, 0x20_0000, 64)?;
/// assert_eq!(stream.last_packet()[3] >> 20 & 1, 1); // the bit CHAIN
/// // The engine never reads on after a chain, so no packet is accepted there.
/// assert!(matches!(stream.nop(&[]), Err(WriteError::AfterChain { .. })));
/// # }
/// # Ok::<(), pm4::packet::WriteError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IbKind {
    /// The engine returns after the other buffer.
    Call,
    /// The other buffer replaces this one; this packet is the last.
    Chain,
}
