//! Cutting a stream into packets.

use crate::chip::Gfx;
#[cfg(feature = "overlay")]
use crate::packet::Body;
use crate::packet::formats::format::Format;
use crate::packet::read::fields::{self, Fields};
use crate::packet::read::register_writes::RegisterWrites;
use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::{Opcode, Queue};

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
    /// Where the header is, in dwords from the start of the slice that the reader got.
    pub offset: usize,
    /// The first dword.
    pub header: Header,
    /// The dwords after the header: `header.body_dwords()` of them.
    pub body: &'a [u32],
}

impl<'a> Packet<'a> {
    /// Dwords of the packet with its header.
    #[must_use]
    pub fn dwords(&self) -> usize {
        1 + self.body.len()
    }

    /// The opcode; none for packets that are not of type 3.
    #[must_use]
    pub fn opcode(&self) -> Option<Opcode> {
        (self.header.packet_type() == 3).then(|| self.header.opcode())
    }

    /// AMD's name of the packet on this generation; packets that share an opcode are distinguished by size.
    #[must_use]
    pub fn name(&self, gfx: Gfx) -> Option<&'static str> {
        match self.header.packet_type() {
            0 => Some("TYPE0"),
            1 => Some("TYPE1"),
            2 => Some("TYPE2_FILLER"),
            _ => match self.format(gfx, Queue::Graphics) {
                Some(format) => Some(format.opcode_name),
                None => self.header.opcode().name(gfx),
            },
        }
    }

    /// The layout of the packet: by opcode and size, as the queue's engines read it; where they do not know the packet, as another engine does.
    #[must_use]
    pub fn format(&self, gfx: Gfx, queue: Queue) -> Option<&'static Format> {
        fields::layout(self, gfx, queue).map(|(format, _, _)| format)
    }

    /// The named fields in the order of the dwords. Fields whose condition (`when`) does not hold are left out.
    #[must_use]
    pub fn fields(&self, gfx: Gfx, queue: Queue) -> Fields<'a> {
        Fields::new(self, gfx, queue)
    }

    /// The value of the first field with this name.
    #[must_use]
    pub fn field(&self, gfx: Gfx, queue: Queue, name: &str) -> Option<u64> {
        self.fields(gfx, queue).find(|f| f.name == name).map(|f| f.value)
    }

    /// The registers that the packet writes, in its order. See [`RegisterWrites`] for the packets it knows.
    #[must_use]
    pub fn writes(&self, gfx: Gfx) -> RegisterWrites<'a> {
        RegisterWrites::new(self, gfx)
    }

    /// The packet as a struct with all its fields. None when it is another packet, when size or queue do not fit, or when the words say more than the fields
    /// can (reserved bits, fields of the kernel): what is returned encodes to the same words.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Gfx;
    /// use pm4::packet::{Queue, Reader, gfx11::IndexBase};
    /// let stream = [0xC001_2600, 0x1000, 0x7F];
    /// let packet = Reader::new(&stream).flatten().next().unwrap();
    /// let base: IndexBase = packet.decode(Gfx::Gfx11, Queue::Graphics).unwrap();
    /// assert_eq!(base.index_base, 0x7F_0000_1000);
    /// # }
    /// ```
    #[must_use]
    pub fn decode<T: crate::packet::typed::packet_fields::PacketFields>(&self, gfx: Gfx, queue: Queue) -> Option<T> {
        crate::packet::typed::packet_fields::decode(self, gfx, queue)
    }

    /// The body as its typed struct, and the dwords after it (the values of SET_* packets). None when opcode or size do not fit.
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::packet::{Reader, overlay::gfx11::SetContextReg};
    /// let stream = [0xC001_6900, 0x203, 0x1_8600];
    /// let packet = Reader::new(&stream).flatten().next().unwrap();
    /// let (head, values) = packet.body_as::<SetContextReg>().unwrap();
    /// assert_eq!(head.reg_offset.get().reg_offset(), 0x203);
    /// assert_eq!(values, [0x1_8600]);
    /// # }
    /// ```
    #[cfg(feature = "overlay")]
    #[must_use]
    pub fn body_as<T: Body>(&self) -> Option<(T, &'a [u32])> {
        let (body, rest) = T::read(self.body).filter(|_| self.opcode() == Some(T::OPCODE))?;
        (T::OPEN || rest.is_empty()).then_some((body, rest))
    }
}

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
    /// Where the header is, in dwords.
    pub offset: usize,
    /// The header.
    pub header: Header,
    /// Dwords of the packet according to its header, with the header.
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
/// * Type 2 and type 1 are packets of one dword. Type 0 is taken whole, its body being the registers; so a zero word is a packet of two dwords. Types 0
///   and 1 are not legal from GFX9 on. [`Packet::defect`] reports them, and reports unknown opcodes and sizes that no form has. The header gives the length of these too.
/// * A packet that runs past the end is a [`DecodeError`]. Reading resynchronizes at the next dword from which type 3 packets with known opcodes and
///   zero reserved bits fill the rest of the stream exactly; if there is none, the error covers all that is left.
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
    /// A reader at the start of `stream`.
    #[must_use]
    pub const fn new(stream: &'a [u32]) -> Self {
        Self { stream, offset: 0 }
    }

    /// Where the next packet starts, in dwords.
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

/// The first dword from which plausible packets end exactly at the end of `rest`; its length if there is none.
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

/// The packet that starts at `offset` of `words`.
pub(in crate::packet) fn packet_at(words: &[u32], offset: usize) -> Option<Packet<'_>> {
    let (&header, body) = words.get(offset..)?.split_first()?;
    let header = Header(header);
    Some(Packet { offset, header, body: body.get(..header.body_dwords())? })
}
