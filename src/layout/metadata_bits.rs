//! Address bits of metadata, each the XOR of coordinate bits.

/// Maximum number of address bits of metadata, including the bit of the half byte.
pub(in crate::layout) const MOST_BITS: usize = 48;

/// A set of coordinate bits that are XORed; on GFX9, also bits of the number of a block of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::layout) struct Terms {
    pub x: u32,
    pub y: u32,
    pub z: u32,
    pub sample: u32,
    pub block: u64,
}

impl Terms {
    pub const NONE: Self = Self { x: 0, y: 0, z: 0, sample: 0, block: 0 };

    pub const fn x(bit: u32) -> Self {
        Self { x: 1 << bit, ..Self::NONE }
    }

    pub const fn y(bit: u32) -> Self {
        Self { y: 1 << bit, ..Self::NONE }
    }

    pub const fn sample(bit: u32) -> Self {
        Self { sample: 1 << bit, ..Self::NONE }
    }

    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    pub fn with(self, other: Self) -> Self {
        Self { x: self.x | other.x, y: self.y | other.y, z: self.z | other.z, sample: self.sample | other.sample, block: self.block | other.block }
    }

    pub fn without(self, other: Self) -> Self {
        Self { x: self.x & !other.x, y: self.y & !other.y, z: self.z & !other.z, sample: self.sample & !other.sample, block: self.block & !other.block }
    }

    pub fn meets(self, other: Self) -> bool {
        self.without(other) != self
    }

    fn parity(self, at: [u32; 3], sample: u32, block: u64) -> u64 {
        let odd = (self.x & at[0]).count_ones()
            ^ (self.y & at[1]).count_ones()
            ^ (self.z & at[2]).count_ones()
            ^ (self.sample & sample).count_ones()
            ^ (self.block & block).count_ones();
        u64::from(odd & 1)
    }
}

/// Terms of each address bit; bit 0 is half a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::layout) struct Bits {
    terms: [Terms; MOST_BITS],
    len: usize,
}

impl Bits {
    pub const EMPTY: Self = Self { terms: [Terms::NONE; MOST_BITS], len: 0 };

    pub fn push(&mut self, terms: Terms) {
        if let Some(bit) = self.terms.get_mut(self.len) {
            *bit = terms;
            self.len += 1;
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn iter(&self) -> impl Iterator<Item = Terms> + '_ {
        self.terms[..self.len].iter().copied()
    }

    pub fn get(&self, bit: usize) -> Terms {
        self.terms.get(bit).copied().unwrap_or(Terms::NONE)
    }

    pub fn set(&mut self, bit: usize, terms: Terms) {
        if let Some(slot) = self.terms[..self.len].get_mut(bit) {
            *slot = terms;
        }
    }

    /// Removes terms from all bits, and removes bits that have no terms left.
    pub fn remove(&mut self, terms: Terms) {
        let mut kept = Self::EMPTY;
        for bit in self.iter().map(|bit| bit.without(terms)).filter(|bit| !bit.is_none()) {
            kept.push(bit);
        }
        *self = kept;
    }

    pub fn value(&self, at: [u32; 3], sample: u32, block: u64) -> u64 {
        self.iter().enumerate().fold(0, |value, (bit, terms)| value | terms.parity(at, sample, block) << bit)
    }
}
