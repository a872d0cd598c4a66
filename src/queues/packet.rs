//! Packets among words, with their fields by name.

use super::format::{EffectKind, List, QueueField, QueueFormat, QueuePlace, Size};
use super::version::Version;
use alloc::vec::Vec;
use core::fmt;

/// A packet of a queue other than PM4.
///
/// ```
/// use pm4::queues::{QueueFamily, QueuePacket, Version};
/// let sdma = Version::new(QueueFamily::Sdma, "6.0").expect("a version");
/// let fence = QueuePacket::at(sdma, &[0x0003_0005, 0x2345_6000, 1, 0x1234]).expect("a packet");
/// assert_eq!(fence.name(), "FENCE");
/// assert_eq!((fence.value("mtype"), fence.address("addr"), fence.value("data")), (Some(3), Some(0x1_2345_6000), Some(0x1234)));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct QueuePacket<'w> {
    /// Offset in dwords.
    pub offset: usize,
    /// The words of the packet, header first.
    pub words: &'w [u32],
    /// The version for which the packet is read.
    pub version: Version,
    /// The format of the packet.
    pub format: &'static QueueFormat,
}

/// Memory that a packet reads, writes or runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryEffect {
    /// The kind of access.
    pub kind: EffectKind,
    /// Address of the first byte.
    pub addr: u64,
    /// Size in bytes; for a box, from its first to its last byte.
    pub bytes: u64,
}

/// What is wrong with the form of a packet, regardless of its effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueDefect {
    /// A frame of MES with a wrong size: all frames have 64 dwords (Linux 7.1.8 mes_v11_api_def.h API_FRAME_SIZE_IN_DWORDS).
    FrameSize(u64),
}

impl fmt::Display for QueueDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FrameSize(dwords) => write!(f, "dwsize is {dwords} dwords, but every frame has 64"),
        }
    }
}

impl<'w> QueuePacket<'w> {
    /// Returns the packet at the beginning of `words`; None if there is no complete packet.
    pub fn at(version: Version, words: &'w [u32]) -> Option<Self> {
        let format = version.format_of(*words.first()?)?;
        let words = words.get(..format.dwords(version, words)?)?;
        Some(Self { offset: 0, words, version, format })
    }

    /// Returns the name in AMD's headers.
    pub fn name(&self) -> &'static str {
        self.format.name
    }

    /// Returns the opcode, and the sub-opcode if it identifies the packet.
    pub fn numbers(&self) -> (u32, Option<u32>) {
        let (op, sub_op) = self.version.numbers(self.words[0]);
        (op, sub_op.filter(|_| !self.format.sub_ops.is_empty()))
    }

    /// Returns the fields in order of position, without those beyond the end of the packet.
    pub fn fields(&self) -> impl Iterator<Item = &'static QueueField> {
        let dwords = self.words.len();
        self.format.fields(self.version).filter(move |field| usize::from(field.place.dword) < dwords || field.place.list == List::Rest)
    }

    /// Returns the values of a field: one, or those of a list.
    pub fn values(&self, field: &QueueField) -> impl Iterator<Item = u64> {
        let place = field.place;
        (0..elements(place, self.words.len())).map(move |index| read(self.words, place, index))
    }

    /// Returns the value of the first field with this name.
    pub fn value(&self, name: &str) -> Option<u64> {
        let field = self.fields().find(|field| field.name == name)?;
        self.values(field).next()
    }

    /// Returns all values with this name, for packets with several such fields or a list.
    pub fn all(&self, name: &str) -> Vec<u64> {
        self.fields().filter(|field| field.name == name).flat_map(|field| self.values(field)).collect()
    }

    /// Returns an address from one field, or from its halves `_31_0` and `_63_32`.
    pub fn address(&self, name: &str) -> Option<u64> {
        let half = |end: &str| {
            let field = self.fields().find(|field| field.name.strip_suffix(end) == Some(name))?;
            self.values(field).next()
        };
        match (half("_31_0"), half("_63_32")) {
            (Some(lo), Some(hi)) => Some(hi << 32 | lo),
            // The lowest bits of the address are not stored.
            (None, Some(hi)) => self.low_half(name).map(|lo| hi << 32 | lo),
            _ => self.value(name),
        }
    }

    /// Returns the lower half of an address whose lowest bits are not stored, such as addr_31_3.
    fn low_half(&self, name: &str) -> Option<u64> {
        let field = self.fields().find(|field| field.name.strip_prefix(name).is_some_and(|rest| rest.starts_with("_31_")))?;
        self.values(field).next().map(|value| value << field.place.lo)
    }

    /// Returns the nonzero bits outside all fields, as dword of the packet and bits.
    pub fn reserved(&self) -> Vec<(usize, u32)> {
        let mut named = alloc::vec![0u32; self.words.len()];
        for field in self.fields() {
            for index in 0..elements(field.place, self.words.len()) {
                each_part(field.place, index, |dword, mask, _| {
                    if let Some(word) = named.get_mut(dword) {
                        *word |= mask;
                    }
                });
            }
        }
        let rest = self.words.iter().zip(named).map(|(word, named)| word & !named);
        rest.enumerate().filter(|(_, bits)| *bits != 0).collect()
    }

    /// Returns what is wrong with the form of the packet.
    pub fn defect(&self) -> Option<QueueDefect> {
        (self.version.family() == super::format::QueueFamily::Mes)
            .then(|| self.value("dwsize"))
            .flatten()
            .filter(|dwords| *dwords != 64)
            .map(QueueDefect::FrameSize)
    }

    /// Returns the memory that the packet reads, writes or runs, as far as its words alone state it.
    ///
    /// ```
    /// use pm4::queues::{EffectKind, QueueFamily, MemoryEffect, QueuePacket, Version};
    /// let sdma = Version::new(QueueFamily::Sdma, "4.0").expect("a version");
    /// let fill = QueuePacket::at(sdma, &[0x8000_000B, 0x2345_6000, 1, 0, 0xFFF]).expect("a packet");
    /// assert_eq!(fill.memory(), [MemoryEffect { kind: EffectKind::Write, addr: 0x1_2345_6000, bytes: 0x1000 }]);
    /// ```
    pub fn memory(&self) -> Vec<MemoryEffect> {
        self.format.effects.iter().filter_map(|effect| self.memory_of(effect)).collect()
    }

    fn memory_of(&self, effect: &super::format::QueueEffect) -> Option<MemoryEffect> {
        let (mut addr, bytes) = match effect.size {
            Size::None => return None,
            Size::Bytes(bytes) => (self.address(effect.addr)?, u64::from(bytes)),
            Size::Field { name, plus, times } => (self.address(effect.addr)?, (self.value(name)? + u64::from(plus)) * u64::from(times)),
            Size::Box => {
                let window = self.window(effect.addr)?;
                (window.addr.wrapping_add(window.first), window.last - window.first)
            }
        };
        if self.format.name == "ATOMIC" && !is_wide(self.value("atomic_op")?) {
            return Some(MemoryEffect { kind: effect.kind, addr, bytes: 4 });
        }
        // Dword accesses ignore the lowest bits of the address.
        if matches!(effect.size, Size::Bytes(4) | Size::Field { times: 4, .. }) && effect.kind != EffectKind::Call {
            addr &= !3;
        }
        (bytes != 0).then_some(MemoryEffect { kind: effect.kind, addr, bytes })
    }

    /// Returns one side of a copy between two buffers with pitches.
    pub fn window(&self, side: &str) -> Option<Window> {
        let of = |name: &str| {
            let field = self.fields().find(|field| field.name.strip_prefix(side).and_then(|rest| rest.strip_prefix('_')) == Some(name))?;
            self.values(field).next()
        };
        let addr = of("addr_63_32")? << 32 | of("addr_31_0")?;
        let element = 1u64 << self.value("elementsize")?;
        let (x, y, z) = (of("x")?, of("y")?, of("z")?);
        let (width, height, depth) = (self.value("rect_x")? + 1, self.value("rect_y")? + 1, self.value("rect_z")? + 1);
        let (pitch, slice) = ((of("pitch")? + 1) * element, (of("slice_pitch")? + 1) * element);
        let at = |x: u64, y: u64, z: u64| x.wrapping_mul(element).wrapping_add(y.wrapping_mul(pitch)).wrapping_add(z.wrapping_mul(slice));
        let first = at(x, y, z);
        let last = at(x + width - 1, y + height - 1, z + depth - 1).wrapping_add(element);
        (last > first).then_some(Window { addr, element, pitch, slice, first, last, extent: [width, height, depth] })
    }
}

/// One side of a copy of a box, in bytes from the address on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Address of the buffer.
    pub addr: u64,
    /// Bytes of an element.
    pub element: u64,
    /// Bytes from one row to the next.
    pub pitch: u64,
    /// Bytes from one slice to the next.
    pub slice: u64,
    /// Offset of the first byte of the box.
    pub first: u64,
    /// Offset after the last byte of the box.
    pub last: u64,
    /// Numbers of elements per row, rows and slices.
    pub extent: [u64; 3],
}

/// Returns whether an atomic operation has 64 bits. The numbers are those of TC_OP, which ATOMIC_MEM of PM4 also uses.
pub(crate) const fn is_wide(op: u64) -> bool {
    matches!(op & 0x7F, 39..=57 | 103..=121)
}

/// Returns the number of elements of a field in a packet of `dwords` dwords.
pub(super) fn elements(place: QueuePlace, dwords: usize) -> usize {
    match place.list {
        List::One => 1,
        List::Of(count) => count.into(),
        List::Rest => dwords.saturating_sub(place.dword.into()) * 32 / place.bits(),
    }
}

/// Visits the parts of an element of a field: dword, mask in it, and the bit of the value at the lowest bit of the mask.
pub(super) fn each_part(place: QueuePlace, index: usize, mut part: impl FnMut(usize, u32, u32)) {
    let mut bit = usize::from(place.dword) * 32 + usize::from(place.lo) + index * place.bits();
    let end = bit + place.bits();
    let mut done = 0;
    while bit < end {
        let length = (32 - bit % 32).min(end - bit);
        let mask = (u32::MAX >> (32 - length)) << (bit % 32);
        part(bit / 32, mask, done);
        bit += length;
        done += length as u32;
    }
}

fn read(words: &[u32], place: QueuePlace, index: usize) -> u64 {
    let mut value = 0;
    each_part(place, index, |dword, mask, bit| {
        let word = words.get(dword).copied().unwrap_or(0);
        value |= u64::from((word & mask) >> mask.trailing_zeros()) << bit;
    });
    value
}
