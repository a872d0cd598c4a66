//! One packet of a stream: a header and its body.

use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::Opcode;

/// One packet of a stream.
///
/// ```
/// use pm4::{chip::Gfx, packet::{Queue, Reader}};
/// # #[cfg(feature = "gfx11")] {
/// let stream = [0xC001_2D00, 3, 2];
/// let packet = Reader::new(&stream).next().unwrap()?;
/// assert_eq!((packet.offset, packet.dwords(), packet.name(Gfx::Gfx11)), (0, 3, Some("DRAW_INDEX_AUTO")));
/// assert_eq!(packet.field(Gfx::Gfx11, Queue::Graphics, "index_count"), Some(3));
/// # }
/// # Ok::<(), pm4::packet::DecodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Offset of the header, in dwords from the start of the reader's slice.
    pub offset: usize,
    /// The first dword.
    pub header: Header,
    /// The dwords after the header: `header.body_dwords()` of them.
    pub body: &'a [u32],
}

impl Packet<'_> {
    /// Returns the dwords of the packet, including its header.
    #[must_use]
    pub fn dwords(&self) -> usize {
        1 + self.body.len()
    }

    /// Returns the opcode; None for packets that are not of type 3.
    #[must_use]
    pub fn opcode(&self) -> Option<Opcode> {
        (self.header.packet_type() == 3).then(|| self.header.opcode())
    }
}

/// Returns the packet that starts at `offset` of `words`.
pub(in crate::packet) fn packet_at(words: &[u32], offset: usize) -> Option<Packet<'_>> {
    let (&header, body) = words.get(offset..)?.split_first()?;
    let header = Header(header);
    Some(Packet { offset, header, body: body.get(..header.body_dwords())? })
}
