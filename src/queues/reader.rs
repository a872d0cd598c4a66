//! Reading words as packets.

use super::format::{QueueFamily, QueueFormat};
use super::packet::QueuePacket;
use super::version::Version;
use crate::plurals::counted;
use core::fmt;

/// A reader that splits the words of a queue into packets.
///
/// SDMA packets do not state their length, so nothing can be read after a packet that the version does not have. AQL and MES continue with the next slot.
///
/// ```
/// use pm4::queues::{QueueFamily, QueueReader, Version};
/// let sdma = Version::new(QueueFamily::Sdma, "6.0").expect("a version");
/// let words = [0x0003_0005, 0x2345_6000, 1, 0x1234, 6, 0, 0xF2, 7];
/// let mut reader = QueueReader::new(sdma, &words);
/// let names: Vec<_> = reader.by_ref().map_while(Result::ok).map(|packet| packet.name()).collect();
/// assert_eq!(names, ["FENCE", "TRAP"]);
/// let damage = QueueReader::new(sdma, &words).filter_map(Result::err).next().expect("op 0xf2 is no packet");
/// assert_eq!((damage.offset, damage.dwords), (6, 2));
/// ```
#[derive(Debug, Clone)]
pub struct QueueReader<'w> {
    version: Version,
    words: &'w [u32],
    at: usize,
    /// The first padding that looks like a PM4 header.
    pm4: Option<usize>,
}

/// Words that are not a packet.
#[derive(Debug, Clone, Copy)]
pub struct Damage {
    /// Offset in dwords.
    pub offset: usize,
    /// Number of lost dwords.
    pub dwords: usize,
    /// The reason.
    pub kind: DamageKind,
    version: Version,
    /// An earlier padding that looks like a PM4 header.
    pm4: Option<usize>,
}

/// Why words are not a packet.
#[derive(Debug, Clone, Copy)]
pub enum DamageKind {
    /// The version has no such packet.
    NoPacket {
        /// The header.
        header: u32,
        /// The packet of other versions with this header.
        elsewhere: Option<&'static QueueFormat>,
        /// The packet with opcode and sub-opcode swapped.
        swapped: Option<&'static QueueFormat>,
    },
    /// The packet extends beyond the last word.
    Truncated {
        /// Its name.
        name: &'static str,
        /// Dwords of the packet, if the dword with the count is available.
        wanted: Option<usize>,
        /// Available dwords.
        available: usize,
    },
}

impl<'w> QueueReader<'w> {
    /// Creates a reader of `words`.
    pub fn new(version: Version, words: &'w [u32]) -> Self {
        Self { version, words, at: 0, pm4: None }
    }

    /// Returns the number of dwords read.
    pub fn offset(&self) -> usize {
        self.at
    }

    fn damage(&mut self, kind: DamageKind, dwords: usize) -> Damage {
        let offset = self.at;
        self.at += dwords;
        Damage { offset, dwords, kind, version: self.version, pm4: self.pm4 }
    }

    fn no_packet(&mut self, header: u32, left: usize) -> Damage {
        let family = self.version.family();
        let elsewhere = Version::all(family).find_map(|version| version.format_of(header));
        let swapped = (family == QueueFamily::Sdma)
            .then(|| self.version.format_of(header & !0xFFFF | (header & 0xFF) << 8 | header >> 8 & 0xFF))
            .flatten()
            // A packet that any sub-opcode selects gives no hint.
            .filter(|format| !format.sub_ops.is_empty());
        let lost = match family {
            QueueFamily::Sdma => left,
            QueueFamily::Aql => left.min(16),
            QueueFamily::Mes => left.min(64),
            // All have the same length.
            QueueFamily::Mqd | QueueFamily::SdmaMqd => {
                let dwords = self.version.formats().next().map_or(left, |format| format.shortest(self.version) as usize);
                left.min(dwords)
            }
        };
        self.damage(DamageKind::NoPacket { header, elsewhere, swapped }, lost)
    }
}

impl<'w> Iterator for QueueReader<'w> {
    type Item = Result<QueuePacket<'w>, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.words.get(self.at..).filter(|rest| !rest.is_empty())?;
        let header = rest[0];
        let Some(format) = self.version.format_of(header) else { return Some(Err(self.no_packet(header, rest.len()))) };
        let wanted = format.dwords(self.version, rest);
        let Some(words) = wanted.and_then(|wanted| rest.get(..wanted)) else {
            let kind = DamageKind::Truncated { name: format.name, wanted, available: rest.len() };
            return Some(Err(self.damage(kind, rest.len())));
        };
        if looks_like_pm4(self.version, header) {
            self.pm4.get_or_insert(self.at);
        }
        let packet = QueuePacket { offset: self.at, words, version: self.version, format };
        self.at += words.len();
        Some(Ok(packet))
    }
}

/// Returns whether an SDMA padding is the header of a PM4 packet: type 3 in the bits that no field names, and its opcode in sub_op.
pub(crate) fn looks_like_pm4(version: Version, header: u32) -> bool {
    version.family() == QueueFamily::Sdma && header & 0xFF == 0 && header >> 30 == 3 && header >> 8 & 0xFF != 0
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            DamageKind::NoPacket { header, elsewhere, swapped } => {
                let (op, sub_op) = self.version.numbers(header);
                match sub_op {
                    Some(sub_op) => write!(f, "header {header:#010x}: {} has no packet with opcode {op:#x} and {sub_op:#x} below it", self.version)?,
                    None if matches!(self.version.family(), QueueFamily::Mqd | QueueFamily::SdmaMqd) => {
                        write!(f, "first dword {header:#010x}: {} does not begin so", self.version)?;
                    }
                    None => write!(f, "header {header:#010x}: {} has no frame with opcode {op:#x}", self.version)?,
                }
                if let Some(format) = elsewhere {
                    write!(f, "; {} is of {}", format.name, format.versions(self.version.family()).join(", "))?;
                }
                if let Some(format) = swapped {
                    let sub_op = format.sub_opcode().unwrap_or(0);
                    write!(
                        f,
                        "; with opcode and sub_op exchanged it would be {}, whose opcode is {} and sub_op {sub_op}",
                        format.name,
                        format.opcode(self.version)
                    )?;
                }
                if self.version.family() == QueueFamily::Sdma {
                    write!(f, "; what follows cannot be read ({})", counted(self.dwords, "dword"))?;
                }
            }
            DamageKind::Truncated { name, wanted: Some(wanted), available } => {
                write!(f, "{name} has {}, but only {} left", counted(wanted, "dword"), Are(available))?;
            }
            DamageKind::Truncated { name, wanted: None, available } => {
                write!(f, "{name} ends before the word with its length: only {} left", Are(available))?;
            }
        }
        if let Some(at) = self.pm4 {
            write!(f, "; the padding at dword {at} has the form of a PM4 header: PM4 may have been written to this queue")?;
        }
        Ok(())
    }
}

/// Formats `1 is`, `2 are`.
struct Are(usize);

impl fmt::Display for Are {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "is" } else { "are" })
    }
}
