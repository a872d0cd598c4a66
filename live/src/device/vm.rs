//! The address space of a client: where each buffer is mapped.

use std::collections::BTreeMap;

/// The significant bits of an address; the bits above repeat bit 47.
pub const ADDRESS_BITS: u64 = (1 << 48) - 1;

/// Mappings begin and end at multiples of this size in bytes.
pub const PAGE: u64 = 4096;

/// The most mappings of one client, so that a hostile program cannot exhaust memory.
const MOST: usize = 1 << 20;

/// A mapping. Its start address is its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapping {
    /// The end address.
    pub end: u64,
    /// The buffer; None for addresses reserved without memory (PRT), which read as 0.
    pub buffer: Option<u64>,
    /// Offset in the buffer at which the mapping begins.
    pub offset: u64,
}

/// What is mapped at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapped {
    /// The buffer; None for PRT.
    pub buffer: Option<u64>,
    /// Offset in the buffer in bytes.
    pub offset: u64,
    /// Bytes up to the end of the mapping.
    pub bytes: u64,
}

/// All mappings of a client, by address.
#[derive(Debug, Default)]
pub struct Vm {
    mappings: BTreeMap<u64, Mapping>,
}

/// A mapping is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It overlaps another one, or is not a range of pages.
    Invalid,
    /// There are too many mappings.
    Full,
    /// No mapping begins there.
    NotThere,
}

impl Vm {
    /// Returns start and end of a 48-bit range of pages.
    fn range(va: u64, size: u64) -> Result<(u64, u64), Refused> {
        let start = va & ADDRESS_BITS;
        match start.checked_add(size) {
            Some(end) if size > 0 && end <= ADDRESS_BITS + 1 && (start | size).is_multiple_of(PAGE) => Ok((start, end)),
            _ => Err(Refused::Invalid),
        }
    }

    /// Maps a range, which must be free.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn map(&mut self, va: u64, size: u64, buffer: Option<u64>, offset: u64) -> Result<(), Refused> {
        let (start, end) = Self::range(va, size)?;
        if self.mappings.range(..end).next_back().is_some_and(|(_, last)| last.end > start) {
            return Err(Refused::Invalid);
        }
        if self.mappings.len() >= MOST {
            return Err(Refused::Full);
        }
        self.mappings.insert(start, Mapping { end, buffer, offset });
        Ok(())
    }

    /// Frees a range; mappings that extend beyond it keep the rest.
    ///
    /// # Errors
    /// [`Refused::Invalid`].
    pub fn clear(&mut self, va: u64, size: u64) -> Result<(), Refused> {
        let (start, end) = Self::range(va, size)?;
        let first = self.mappings.range(..start).next_back().filter(|(_, mapping)| mapping.end > start).map(|(at, _)| *at);
        let met: Vec<u64> = first.into_iter().chain(self.mappings.range(start..end).map(|(at, _)| *at)).collect();
        for at in met {
            let Some(old) = self.mappings.remove(&at) else { continue };
            if at < start {
                self.mappings.insert(at, Mapping { end: start, ..old });
            }
            if old.end > end {
                self.mappings.insert(end, Mapping { offset: old.offset + (end - at), ..old });
            }
        }
        Ok(())
    }

    /// Removes the mapping of a buffer that begins at an address.
    ///
    /// # Errors
    /// [`Refused::NotThere`].
    pub fn unmap(&mut self, va: u64, buffer: Option<u64>) -> Result<(), Refused> {
        let start = va & ADDRESS_BITS;
        match self.mappings.get(&start) {
            Some(mapping) if mapping.buffer == buffer => {
                self.mappings.remove(&start);
                Ok(())
            }
            _ => Err(Refused::NotThere),
        }
    }

    /// Removes all mappings of a buffer.
    pub fn forget(&mut self, buffer: u64) {
        self.mappings.retain(|_, mapping| mapping.buffer != Some(buffer));
    }

    /// All mappings, by address.
    pub fn mappings(&self) -> impl Iterator<Item = (u64, Mapping)> {
        self.mappings.iter().map(|(start, mapping)| (*start, *mapping))
    }

    /// Returns what is mapped at an address.
    pub fn find(&self, va: u64) -> Option<Mapped> {
        let va = va & ADDRESS_BITS;
        let (start, mapping) = self.mappings.range(..=va).next_back().filter(|(_, mapping)| mapping.end > va)?;
        Some(Mapped { buffer: mapping.buffer, offset: mapping.offset + (va - start), bytes: mapping.end - va })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_over_another_is_refused_and_clear_leaves_both_ends() {
        let mut vm = Vm::default();
        assert_eq!(vm.map(0xffff_8000_0010_0000, 0x4000, Some(1), 0), Ok(()));
        assert_eq!(vm.map(0x8000_0010_3000, 0x1000, Some(2), 0), Err(Refused::Invalid));
        assert_eq!(vm.clear(0x8000_0010_1000, 0x1000), Ok(()));
        assert_eq!(vm.find(0x8000_0010_0fff), Some(Mapped { buffer: Some(1), offset: 0xfff, bytes: 1 }));
        assert_eq!(vm.find(0x8000_0010_1000), None);
        assert_eq!(vm.find(0x8000_0010_2000), Some(Mapped { buffer: Some(1), offset: 0x2000, bytes: 0x2000 }));
        assert_eq!(vm.unmap(0x8000_0010_2000, Some(2)), Err(Refused::NotThere));
        assert_eq!(vm.unmap(0x8000_0010_2000, Some(1)), Ok(()));
    }

    #[test]
    fn ranges_that_are_no_pages_are_refused() {
        let mut vm = Vm::default();
        for (va, size) in [(0x1001, 0x1000), (0x1000, 1), (0x1000, 0), (0xffff_ffff_f000, 0x2000), (0, u64::MAX)] {
            assert_eq!(vm.map(va, size, None, 0), Err(Refused::Invalid), "{va:x} {size:x}");
        }
    }
}
