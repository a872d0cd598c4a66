//! Versions of queue families, with their packets.

use super::format::{EffectKind, QueueFamily, QueueField, QueueFormat};
use super::tables;
use alloc::vec::Vec;
use core::fmt;

/// A version of a family: SDMA 6.0, MES 11.
///
/// ```
/// use pm4::queues::{QueueFamily, Version};
/// let old = Version::new(QueueFamily::Sdma, "4.0").expect("a version");
/// assert_eq!((old.family(), old.name()), (QueueFamily::Sdma, "4.0"));
/// assert!(old.format("GCR_REQ").is_none(), "caches are flushed by packets from 5.0 on");
/// assert!(Version::new(QueueFamily::Mes, "9").is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    family: QueueFamily,
    index: u8,
}

impl Version {
    /// Creates the version with a name.
    pub fn new(family: QueueFamily, name: &str) -> Option<Self> {
        let index = tables::of(family).versions.iter().position(|version| *version == name)?;
        Some(Self { family, index: index as u8 })
    }

    /// Returns all versions of a family, oldest first.
    pub fn all(family: QueueFamily) -> impl Iterator<Item = Self> {
        (0..tables::of(family).versions.len()).map(move |index| Self { family, index: index as u8 })
    }

    /// Returns the family.
    pub const fn family(self) -> QueueFamily {
        self.family
    }

    /// Returns the name without the family.
    pub fn name(self) -> &'static str {
        tables::of(self.family).versions[usize::from(self.index)]
    }

    pub(super) const fn bit(self) -> u16 {
        1 << self.index
    }

    /// Returns the packets of the version.
    pub fn formats(self) -> impl Iterator<Item = &'static QueueFormat> {
        tables::of(self.family).packets.iter().filter(move |format| format.versions & self.bit() != 0)
    }

    /// Returns the packet with this name.
    pub fn format(self, name: &str) -> Option<&'static QueueFormat> {
        self.formats().find(|format| format.name == name)
    }

    /// Returns the packet that begins with this header.
    pub fn format_of(self, header: u32) -> Option<&'static QueueFormat> {
        let (op, sub_op) = self.numbers(header);
        self.formats().find(|format| {
            let sub = format.sub_ops.is_empty() || sub_op.is_some_and(|sub_op| format.sub_ops.contains(&sub_op));
            format.opcode(self) == op && sub && format.when.is_none_or(|(bit, value)| (header >> bit & 1 != 0) == value)
        })
    }

    /// Returns the opcode of a header, and its sub-opcode if the family has one.
    pub fn numbers(self, header: u32) -> (u32, Option<u32>) {
        let table = tables::of(self.family);
        (bits(header, table.op), table.sub_op.map(|place| bits(header, place)))
    }

    pub(super) fn header(self, op: u32, sub_op: u32) -> u32 {
        let table = tables::of(self.family);
        op << table.op.0 | table.sub_op.map_or(0, |place| sub_op << place.0)
    }
}

fn bits(word: u32, (lo, hi): (u8, u8)) -> u32 {
    word >> lo & (u32::MAX >> (31 - (hi - lo)))
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.family {
            QueueFamily::Sdma => "SDMA",
            QueueFamily::Aql => "AQL of GFX",
            QueueFamily::Mes => "MES",
            QueueFamily::Mqd => "MQD of GFX",
            QueueFamily::SdmaMqd => "MQD of SDMA of GFX",
        };
        match self.family {
            QueueFamily::Aql | QueueFamily::Mqd | QueueFamily::SdmaMqd => write!(f, "{name}{}", self.name()),
            QueueFamily::Sdma | QueueFamily::Mes => write!(f, "{name} {}", self.name()),
        }
    }
}

impl QueueFormat {
    /// Returns the packet's fields on this version, in order of position.
    pub fn fields(&self, version: Version) -> impl Iterator<Item = &'static QueueField> {
        self.fields.iter().filter(move |field| field.versions & version.bit() != 0)
    }

    /// Returns the packet's opcode on this version.
    pub fn opcode(&self, version: Version) -> u32 {
        of(self.ops, version)
    }

    /// Returns the sub-opcode with which the packet is written, if it has one. GCR_REQ has two; this is the first.
    pub fn sub_opcode(&self) -> Option<u32> {
        self.sub_ops.first().copied()
    }

    /// Returns whether a sub-opcode identifies the packet. For a packet that any sub-opcode selects, only 0 does.
    pub fn knows_sub_opcode(&self, sub_op: u32) -> bool {
        if self.sub_ops.is_empty() { sub_op == 0 } else { self.sub_ops.contains(&sub_op) }
    }

    /// Returns the names of the versions that have the packet.
    pub fn versions(&self, family: QueueFamily) -> Vec<&'static str> {
        Version::all(family).filter(|version| self.versions & version.bit() != 0).map(Version::name).collect()
    }

    /// Returns whether the packet has an effect of this kind.
    pub fn has(&self, kind: EffectKind) -> bool {
        self.effects.iter().any(|effect| effect.kind == kind)
    }

    /// Returns the header without fields: opcode, sub-opcode and the bit that selects it.
    pub fn header(&self, version: Version) -> u32 {
        let when = self.when.map_or(0, |(bit, value)| u32::from(value) << bit);
        version.header(self.opcode(version), self.sub_opcode().unwrap_or(0)) | when
    }

    /// Returns the length of the packet in dwords, computed from the available words; None if the word with the count is missing.
    pub fn dwords(&self, version: Version, words: &[u32]) -> Option<usize> {
        let header = *words.first()?;
        let longer = self.more.iter().filter(|(versions, bit, _)| versions & version.bit() != 0 && header >> bit & 1 != 0).map(|(.., more)| *more);
        let counted = match self.count {
            Some(place) => bits(*words.get(usize::from(place.dword))?, (place.lo, place.hi)),
            None => 0,
        };
        Some((self.shortest(version) + longer.sum::<u32>() + counted) as usize)
    }

    /// Returns the number of dwords without those that its fields announce.
    pub fn shortest(&self, version: Version) -> u32 {
        of(self.dwords, version)
    }

    /// Returns the field that counts dwords, and the number of dwords if it is 0.
    pub(super) fn counter(&self) -> Option<super::format::QueuePlace> {
        self.count
    }
}

/// Returns the number for a version that has the packet.
fn of(list: &[(u16, u32)], version: Version) -> u32 {
    list.iter().find(|(versions, _)| versions & version.bit() != 0).map_or(0, |(_, number)| *number)
}
