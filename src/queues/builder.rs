//! Building packets.

use super::format::{List, QueueFamily, QueueField, QueueFormat};
use super::packet::{QueuePacket, each_part, elements};
use super::version::Version;
use alloc::string::String;
use alloc::vec::Vec;

/// A builder of a packet from its name and fields. Fields that are not set are 0; data words are counted automatically.
///
/// ```
/// use pm4::queues::{Builder, QueueFamily, Version};
/// let sdma = Version::new(QueueFamily::Sdma, "6.0").expect("a version");
/// let words = Builder::new(sdma, "WRITE_UNTILED")?.address("dst_addr", 0x1_2345_6000)?.list("data0", &[0xDEAD_BEEF])?.build()?;
/// assert_eq!(words, [0x0000_0002, 0x2345_6000, 0x0000_0001, 0, 0xDEAD_BEEF]);
/// # Ok::<(), pm4::queues::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Builder {
    version: Version,
    format: &'static QueueFormat,
    words: Vec<u32>,
    set: Vec<(&'static QueueField, usize, u64)>,
}

/// Why a packet cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The version has no such packet.
    #[error("{version} has no packet {name}")]
    NoPacket {
        /// The name.
        name: String,
        /// The version.
        version: Version,
    },
    /// The packet has no such field.
    #[error("{packet} has no field {field}")]
    NoField {
        /// The packet.
        packet: &'static str,
        /// The field.
        field: String,
    },
    /// A value has more bits than its field.
    #[error("{value:#x} does not fit {field}, which has {bits} bits")]
    TooLarge {
        /// The field.
        field: &'static str,
        /// The value.
        value: u64,
        /// Bits of the field.
        bits: usize,
    },
    /// A number of values that differs from the number of elements.
    #[error("{field} has {places} values in this packet, not {given}")]
    Count {
        /// The field.
        field: String,
        /// Number of elements.
        places: usize,
        /// Number of values given.
        given: usize,
    },
    /// Two fields, or a field and the header, require different values of the same bits.
    #[error("{field} = {value:#x} contradicts another field, or the name of the packet")]
    Contradiction {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
    },
    /// A field beyond the end of the packet.
    #[error("{packet} has {dwords} dwords here, and {field} is beyond them")]
    Beyond {
        /// The packet.
        packet: &'static str,
        /// Its dwords.
        dwords: usize,
        /// The field.
        field: &'static str,
    },
}

/// Maximum dwords of a packet: a count of 20 bits and the words before the data.
const LONGEST: usize = (1 << 20) + 1024;

impl Builder {
    /// Creates a packet with all fields 0.
    ///
    /// # Errors
    /// [`BuildError::NoPacket`].
    pub fn new(version: Version, name: &str) -> Result<Self, BuildError> {
        let format = version.format(name).ok_or_else(|| BuildError::NoPacket { name: name.into(), version })?;
        let words = alloc::vec![format.header(version)];
        Ok(Self { version, format, words, set: Vec::new() })
    }

    /// Returns the format of the packet.
    pub fn format(&self) -> &'static QueueFormat {
        self.format
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &'static QueueField> + use<> {
        let name: String = name.into();
        self.format.fields(self.version).filter(move |field| field.name == name)
    }

    /// Sets a field; for a list or a name that occurs more than once, the first element.
    ///
    /// # Errors
    /// If there is no such field, or the value does not fit it.
    pub fn set(mut self, name: &str, value: u64) -> Result<Self, BuildError> {
        let field = self.named(name).next().ok_or_else(|| BuildError::NoField { packet: self.format.name, field: name.into() })?;
        self.put(field, 0, value)?;
        Ok(self)
    }

    /// Sets all values with this name: the elements of a list, or the fields that share the name.
    ///
    /// # Errors
    /// If there is no such field, a value does not fit, or the number of values is wrong.
    pub fn list(mut self, name: &str, values: &[u64]) -> Result<Self, BuildError> {
        let mut rest = values;
        let mut places = 0;
        for field in self.named(name) {
            let count = match field.place.list {
                List::One => 1,
                List::Of(count) => count.into(),
                List::Rest => rest.len().min(LONGEST),
            };
            places += count;
            let (own, others) = rest.split_at(count.min(rest.len()));
            for (index, value) in own.iter().enumerate() {
                self.put(field, index, *value)?;
            }
            rest = others;
        }
        if self.named(name).next().is_none() {
            return Err(BuildError::NoField { packet: self.format.name, field: name.into() });
        }
        if places != values.len() {
            return Err(BuildError::Count { field: name.into(), places, given: values.len() });
        }
        Ok(self)
    }

    /// Sets an address: one field, or both of its halves.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn address(self, name: &str, addr: u64) -> Result<Self, BuildError> {
        let halves = [("_31_0", addr & 0xFFFF_FFFF), ("_63_32", addr >> 32)];
        let has = |end: &str| self.format.fields(self.version).find(|field| field.name.strip_suffix(end) == Some(name));
        let (Some(lo), Some(hi)) = (has(halves[0].0), has(halves[1].0)) else { return self.set(name, addr) };
        self.set(lo.name, halves[0].1)?.set(hi.name, halves[1].1)
    }

    /// Sets bits that no field names.
    ///
    /// # Errors
    /// If the packet is shorter.
    pub fn reserved(mut self, dword: usize, bits: u32) -> Result<Self, BuildError> {
        if dword >= LONGEST {
            return Err(BuildError::NoField { packet: self.format.name, field: alloc::format!("reserved_dword{dword}") });
        }
        self.reach(dword);
        self.words[dword] |= bits;
        Ok(self)
    }

    fn reach(&mut self, dword: usize) {
        if self.words.len() <= dword {
            self.words.resize(dword + 1, 0);
        }
    }

    fn put(&mut self, field: &'static QueueField, index: usize, value: u64) -> Result<(), BuildError> {
        let bits = field.place.bits();
        if bits < 64 && value >> bits != 0 {
            return Err(BuildError::TooLarge { field: field.name, value, bits });
        }
        each_part(field.place, index, |dword, mask, bit| {
            self.reach(dword);
            self.words[dword] |= ((value >> bit) as u32) << mask.trailing_zeros() & mask;
        });
        // Data words are not compared, because no other field uses them.
        if field.place.list != List::Rest {
            self.set.push((field, index, value));
        }
        Ok(())
    }

    /// Returns the words.
    ///
    /// # Errors
    /// If fields contradict each other or are beyond the end of the packet.
    pub fn build(mut self) -> Result<Vec<u32>, BuildError> {
        self.count_data();
        self.frame()?;
        if let Some(place) = self.format.counter() {
            self.reach(place.dword.into());
        }
        let dwords = self.format.dwords(self.version, &self.words).unwrap_or(self.words.len());
        if let Some(rest) = self.format.fields(self.version).find(|field| field.place.list == List::Rest)
            && self.words.len() > dwords
        {
            let given = elements(rest.place, self.words.len());
            return Err(BuildError::Count { field: rest.name.into(), places: elements(rest.place, dwords), given });
        }
        if self.words.len() > dwords {
            let beyond = self.set.iter().find(|(field, ..)| usize::from(field.place.dword) >= dwords);
            let field = beyond.map_or("a reserved word", |(field, ..)| field.name);
            return Err(BuildError::Beyond { packet: self.format.name, dwords, field });
        }
        self.words.resize(dwords, 0);
        let made = QueuePacket { offset: 0, words: &self.words, version: self.version, format: self.format };
        let differs = |(field, index, value): &&(&'static QueueField, usize, u64)| made.values(field).nth(*index) != Some(*value);
        if let Some((field, _, value)) = self.set.iter().find(differs) {
            return Err(BuildError::Contradiction { field: field.name, value: *value });
        }
        // The header must still begin this packet.
        match self.version.format_of(self.words[0]) {
            Some(format) if core::ptr::eq(format, self.format) => Ok(self.words),
            _ => Err(BuildError::Contradiction { field: "op", value: self.words[0].into() }),
        }
    }

    /// Sets the type (1, scheduler) and the size that every frame of MES states.
    fn frame(&mut self) -> Result<(), BuildError> {
        if self.version.family() != QueueFamily::Mes {
            return Ok(());
        }
        for (name, value) in [("type", 1), ("dwsize", 64)] {
            let own = |field: &QueueField| field.name == name && field.place.dword == 0;
            if !self.set.iter().any(|(field, ..)| own(field))
                && let Some(field) = self.format.fields(self.version).find(|field| own(field))
            {
                self.put(field, 0, value)?;
            }
        }
        Ok(())
    }

    /// Sets the count to that of the data, if data was given without a count.
    fn count_data(&mut self) {
        let Some(counter) = self.format.counter() else { return };
        let counted = self.set.iter().any(|(field, ..)| field.place == counter);
        let extra = self.words.len().saturating_sub(self.format.shortest(self.version) as usize);
        let field = self.format.fields(self.version).find(|field| field.place == counter);
        if let (false, Some(field)) = (counted, field) {
            // A count that does not fit stays 0, and the data is then too long.
            let _ = self.put(field, 0, extra as u64);
        }
    }
}
