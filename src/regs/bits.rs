//! Bit fields as constants: shifts and masks on plain words.

/// The position of a field in a 32-bit word, for `const` code and for fields that are known only at run time.
///
/// ```
/// use pm4::regs::gfx9::DbDfsmControl;
/// const DRAIN: u32 = DbDfsmControl::POPS_DRAIN_PS_ON_OVERLAP.put(0x2, 1);
/// assert_eq!(DRAIN, 0x6);
/// assert_eq!(DbDfsmControl::POPS_DRAIN_PS_ON_OVERLAP.get(DRAIN), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BitField {
    pub(super) name: &'static str,
    pub(super) lo: u8,
    pub(super) width: u8,
}

impl BitField {
    /// Creates a field of `width` bits (1 to 32) whose lowest bit is `lo` (0 to 31). Bits above bit 31 are cut off.
    pub const fn new(name: &'static str, lo: u8, width: u8) -> Self {
        let lo = if lo > 31 { 31 } else { lo };
        let room = 32 - lo;
        Self { name, lo, width: if width > room { room } else { width } }
    }

    /// Returns AMD's name of the field.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the number of the lowest bit.
    pub const fn lo(self) -> u8 {
        self.lo
    }

    /// Returns the number of bits.
    pub const fn width(self) -> u8 {
        self.width
    }

    /// Returns the largest value that the field holds.
    #[inline]
    pub const fn max(self) -> u32 {
        ((1u64 << self.width) - 1) as u32
    }

    /// Returns the mask of the field's bits in the word.
    #[inline]
    pub const fn mask(self) -> u32 {
        self.max() << self.lo
    }

    /// Returns the field's value in `word`.
    #[inline]
    pub const fn get(self, word: u32) -> u32 {
        word >> self.lo & self.max()
    }

    /// Returns `word` with the field set to `value`; bits of `value` that do not fit are dropped.
    #[inline]
    pub const fn put(self, word: u32, value: u32) -> u32 {
        word & !self.mask() | (value & self.max()) << self.lo
    }
}
