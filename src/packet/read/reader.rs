//! Splitting a stream into packets.

use crate::packet::read::packet::Packet;
use crate::packet::wire::header::Header;

/// A header that claims more dwords than the stream has.
///
/// ```
/// use pm4::packet::Reader;
/// let error = Reader::new(&[0xC003_6900, 0x203]).next().unwrap().unwrap_err(); // claims 5 dwords
/// assert_eq!((error.offset, error.skipped), (0, 2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("packet {header} at dword {offset} needs {wanted} dwords, but the stream has only {available}")]
pub struct DecodeError {
    /// Offset of the header in dwords.
    pub offset: usize,
    /// The header.
    pub header: Header,
    /// Dwords of the packet according to its header, including the header.
    pub wanted: usize,
    /// Dwords from the header to the end of the stream.
    pub available: usize,
    /// Dwords that this error covers: reading continues at `offset + skipped`.
    pub skipped: usize,
}

/// Iterates over the packets of a stream without copying.
///
/// Packets and errors together cover every dword exactly once, in order, and the iteration always ends.
///
/// * Type 2 and type 1 are packets of one dword. A type 0 packet includes its body, the registers, so a zero word is a packet of two dwords. Types 0
///   and 1 are not legal from GFX9 on. [`Packet::defect`] reports them, and reports unknown opcodes and sizes that no form has. The header gives the length of these too.
/// * A packet that runs past the end is a [`DecodeError`]. Reading resynchronizes at the next dword from which type 3 packets with known opcodes and
///   zero reserved bits fill the rest of the stream exactly; if there is none, the error covers the rest of the stream.
///
/// ```
/// use pm4::packet::Reader;
/// let stream = [0xFFFF_1000, 0xC000_4600, 0x407, 0xC003_6900];
/// let read: Vec<_> = Reader::new(&stream).collect();
/// assert_eq!(read[1].unwrap().body, [0x407]);
/// assert_eq!(read[2].unwrap_err().to_string(), "packet 0xc0036900 at dword 3 needs 5 dwords, but the stream has only 1");
/// ```
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    stream: &'a [u32],
    offset: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader at the start of `stream`.
    #[must_use]
    pub const fn new(stream: &'a [u32]) -> Self {
        Self { stream, offset: 0 }
    }

    /// Returns the offset of the next packet in dwords.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Packet<'a>, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let offset = self.offset;
        let (&first, rest) = self.stream.get(offset..)?.split_first()?;
        let header = Header(first);
        let Some(body) = rest.get(..header.body_dwords()) else {
            let skipped = 1 + resynchronize(rest);
            self.offset += skipped;
            return Some(Err(DecodeError { offset, header, wanted: header.dwords(), available: 1 + rest.len(), skipped }));
        };
        self.offset += 1 + body.len();
        Some(Ok(Packet { offset, header, body }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.stream.len().saturating_sub(self.offset);
        (left.min(1), Some(left))
    }
}

impl core::iter::FusedIterator for Reader<'_> {}

/// Returns the first dword from which plausible packets end exactly at the end of `rest`; its length if there is none.
#[cold]
fn resynchronize(rest: &[u32]) -> usize {
    let mut reaches_end = alloc::vec![false; rest.len() + 1];
    let mut first = rest.len();
    reaches_end[first] = true;
    for at in (0..rest.len()).rev() {
        let header = Header(rest[at]);
        let plausible = header.packet_type() == 3 && header.reserved() == 0 && header.opcode().is_known();
        if plausible && reaches_end.get(at + header.dwords()) == Some(&true) {
            reaches_end[at] = true;
            first = at;
        }
    }
    first
}
