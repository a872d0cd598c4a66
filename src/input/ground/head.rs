//! The beginning of an input, by which its form is found.

/// Bytes of an input that is read whole, unpacked: beyond this the rest is left out, and noted as damage. What is read in pieces has no limit.
pub(in crate::input) const LONGEST: u64 = 1 << 30;

/// The beginning of an input.
pub(in crate::input) struct Head<'h> {
    pub bytes: &'h [u8],
    pub is_text: bool,
    /// It is all of the input.
    pub whole: bool,
}

impl Head<'_> {
    pub fn has(&self, part: &str) -> bool {
        let Some((first, rest)) = part.as_bytes().split_first() else { return true };
        // Nearly all bytes are not the first one.
        self.bytes.iter().enumerate().filter(|(_, byte)| *byte == first).any(|(at, _)| self.bytes[at + 1..].starts_with(rest))
    }
}
