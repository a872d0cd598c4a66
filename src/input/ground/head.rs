//! The beginning of an input, from which its form is detected.

/// The most unpacked bytes to read of an input that is read whole; the rest is dropped and recorded as damage. Reading in pieces has no limit.
pub(in crate::input) const LONGEST: u64 = 1 << 30;

/// The beginning of an input.
pub(in crate::input) struct Head<'h> {
    pub bytes: &'h [u8],
    pub is_text: bool,
    /// Whether this is the whole input.
    pub whole: bool,
}

impl Head<'_> {
    pub fn has(&self, part: &str) -> bool {
        let Some((first, rest)) = part.as_bytes().split_first() else { return true };
        // Most bytes differ from the first one.
        self.bytes.iter().enumerate().filter(|(_, byte)| *byte == first).any(|(at, _)| self.bytes[at + 1..].starts_with(rest))
    }
}
