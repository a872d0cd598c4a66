//! Defects of packets that could be split from their stream.

use crate::chip::Gfx;
use crate::packet::formats::format::{Format, ToleratedBits};
use crate::packet::read::fields::{self, Fields};
use crate::packet::read::packet::Packet;
use crate::packet::tables::lookup::forms;
use crate::packet::wire::header::Header;
use crate::packet::wire::opcode::{Opcode, Queue};
use crate::packet::wire::scope::Scope;
use crate::plurals::counted;
use alloc::vec::Vec;

/// What keeps the engines of a generation from reading a packet. Its header still gives the length, so reading continues after it.
///
/// For an example see [`Packet::defect`](crate::packet::Packet::defect).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Defect {
    /// Type 0 wrote registers of GPUs before GFX9, type 1 never meant anything (Linux 6.12 nvd.h). Zero words are headers of type 0.
    #[error("header {0} is of type {ty}, which no engine of GFX9 and later can read", ty = .0.packet_type())]
    OldType(Header),
    /// The one-dword filler, which compute engines no longer take (Linux 6.12 gfx_v9_0.c).
    #[error("header {0} is a filler of type 2 on a compute queue")]
    Filler(Header),
    /// No engine of the generation has a packet with this number.
    #[error("opcode {opcode:#04x} of header {header} is not a packet of {gfx}", opcode = .header.opcode().0)]
    UnknownOpcode {
        /// The header.
        header: Header,
        /// The generation.
        gfx: Gfx,
    },
    /// The packet is shorter or longer than any of its forms.
    #[error("{opcode} of {dwords} dwords: on {gfx} it has {}", Sizes(.sizes, *.open))]
    Size {
        /// The packet.
        opcode: Opcode,
        /// The generation.
        gfx: Gfx,
        /// Dwords with the header.
        dwords: usize,
        /// Permitted dwords; for forms that grow, the size with one group or none.
        sizes: Vec<u8>,
        /// Whether one of the forms grows.
        open: bool,
    },
    /// A packed list announces more or fewer registers than it has.
    #[error("{opcode} announces {}, but has room for {room}", counted(*announced, "register"))]
    Count {
        /// The packet.
        opcode: Opcode,
        /// The number that its first dword states.
        announced: u32,
        /// Values after it.
        room: usize,
    },
}

struct Sizes<'a>(&'a [u8], bool);

impl core::fmt::Display for Sizes<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (i, size) in self.0.iter().enumerate() {
            write!(f, "{}{size}", if i > 0 { " or " } else { "" })?;
        }
        f.write_str(if self.1 { ", or more in steps" } else { "" })
    }
}

impl Packet<'_> {
    /// Returns why no engine of the generation reads the packet; None if one does. Bits outside all fields are not a defect:
    /// [`reserved_bits`](Self::reserved_bits).
    ///
    /// ```
    /// # #[cfg(feature = "gfx11")] {
    /// use pm4::chip::Gfx;
    /// use pm4::packet::{Defect, Header, Queue, Reader};
    /// let stream = [0xC000_4900, 0x528, 0, 0];
    /// let found: Vec<_> = Reader::new(&stream).flatten().filter_map(|p| p.defect(Gfx::Gfx11, Queue::Graphics)).collect();
    /// assert!(matches!(found[0], Defect::Size { dwords: 2, .. }));
    /// assert_eq!(found[0].to_string(), "RELEASE_MEM of 2 dwords: on gfx11 it has 8");
    /// assert_eq!(found[1], Defect::OldType(Header(0)));
    /// # }
    /// ```
    #[must_use]
    pub fn defect(&self, gfx: Gfx, queue: Queue) -> Option<Defect> {
        let header = self.header;
        let Some(opcode) = self.opcode() else {
            return match header.packet_type() {
                2 => (queue == Queue::Compute).then_some(Defect::Filler(header)),
                _ => Some(Defect::OldType(header)),
            };
        };
        // Most packets set registers: those have any length.
        if self.body.len() > 1 && self.writes(gfx).is_run() {
            return None;
        }
        let Some((format, form, _)) = fields::layout(self, gfx, queue) else {
            let known = [Queue::Graphics, Queue::Compute, Queue::Constant].into_iter().any(|queue| opcode.available(gfx, queue));
            return if known { wrong_size(opcode, gfx, queue, self.dwords()) } else { Some(Defect::UnknownOpcode { header, gfx }) };
        };
        let packed = form.fields.first().is_some_and(|f| f.name == "reg_writes_count");
        let (announced, room) = (*self.body.first()?, self.body.len() / 3 * 2);
        (packed && announced as usize != room).then(|| Defect::Count { opcode: format.opcode(gfx).unwrap_or(opcode), announced, room })
    }

    /// Returns the set bits of the packet that belong to no field of its layout: dword (0 is the header) and bits. Packets without a layout, dwords whose
    /// fields are all ruled out by other fields, and bits that drivers are known to set without harm are not reported ([`Format::tolerated`]). Rule ENC-12 of
    /// the model uses these bits too.
    pub fn reserved_bits(&self, gfx: Gfx, queue: Queue) -> impl Iterator<Item = (usize, u32)> + use<'_> {
        let layout = fields::layout(self, gfx, queue);
        let header = self.opcode().map_or(0, |_| self.header.reserved() << 3);
        let fields = layout.map(|(format, form, view)| (form, Fields::of(form, view, gfx, self.body), format, view));
        // Values of 32 bits have no bits left; there may be very many.
        let end = fields.as_ref().map_or(0, |(form, ..)| form.repeat.filter(|r| r.len == 1).map_or(self.body.len(), |r| usize::from(r.from) - 1));
        let body = self.body.iter().take(end).enumerate().filter(|(_, word)| **word != 0).filter_map(move |(at, &word)| {
            let (form, fields, format, view) = fields.as_ref()?;
            let bits = word & !fields.covered(form, at + 1)? & !tolerated(format, *view, self.dwords(), at + 1);
            (bits != 0).then_some((at + 1, bits))
        });
        (header != 0).then_some((0, header)).into_iter().chain(body)
    }
}

/// Returns the bits of a dword that drivers set although no field has them (key `tolerated` in `regdb/packets`).
fn tolerated(format: &Format, view: Scope, dwords: usize, dword: usize) -> u32 {
    let here =
        |bits: &&ToleratedBits| usize::from(bits.dword) == dword && bits.scope.intersects(view) && bits.dwords.is_none_or(|only| usize::from(only) == dwords);
    format.tolerated.iter().filter(here).fold(0, |mask, bits| mask | bits.mask)
}

/// Returns a defect if the packet exists but no engine has it in this size. The sizes are those on the queue, if the queue has the packet. Opcodes without a
/// known layout may have any size.
fn wrong_size(opcode: Opcode, gfx: Gfx, queue: Queue, dwords: usize) -> Option<Defect> {
    let own = Scope::queue(gfx, queue);
    let view = if forms(opcode, gfx, own).next().is_some() { own } else { Scope::gfx(gfx) };
    let all = || forms(opcode, gfx, view).map(|(_, form)| form);
    all().next()?;
    let mut sizes: Vec<u8> = all().flat_map(|form| form.sizes).filter(|s| s.gfx & gfx.bit() != 0).map(|s| s.dwords).collect();
    sizes.sort_unstable();
    sizes.dedup();
    Some(Defect::Size { opcode, gfx, dwords, sizes, open: all().any(|form| form.repeat.is_some()) })
}
