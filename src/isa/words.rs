//! The one to five dwords of an instruction.

use core::ops::Deref;

/// The dwords of one instruction, stored inline.
///
/// For an example see [`Instruction`](crate::isa::Instruction).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Words {
    words: [u32; Self::MAX],
    len: u8,
}

impl Words {
    /// The length of the longest supported instruction, with its addresses and its literal.
    pub const MAX: usize = 5;

    pub(super) const fn one(word: u32) -> Self {
        Self { words: [word, 0, 0, 0, 0], len: 1 }
    }

    pub(super) const fn two(first: u32, second: u32) -> Self {
        Self { words: [first, second, 0, 0, 0], len: 2 }
    }

    pub(super) const fn three(first: u32, second: u32, third: u32) -> Self {
        Self { words: [first, second, third, 0, 0], len: 3 }
    }

    /// Creates the words of an instruction of one dword and an optional literal.
    pub(super) fn with_literal(word: u32, literal: Option<u32>) -> Self {
        literal.map_or(Self::one(word), |literal| Self::two(word, literal))
    }

    /// Returns the first `len` dwords of a stream, of which at least one must exist.
    pub(super) fn from_stream(stream: &[u32], len: usize) -> Self {
        let len = len.clamp(1, Self::MAX).min(stream.len().max(1));
        let mut words = [0; Self::MAX];
        for (to, from) in words.iter_mut().zip(stream.iter().take(len)) {
            *to = *from;
        }
        Self { words, len: len as u8 }
    }

    /// Returns the dwords.
    pub fn as_slice(&self) -> &[u32] {
        self.words.get(..usize::from(self.len)).unwrap_or_default()
    }
}

impl Deref for Words {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        self.as_slice()
    }
}
