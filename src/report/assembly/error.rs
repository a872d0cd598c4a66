//! Lines that cannot be assembled.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::fmt;

/// A line that cannot be assembled, with the reason.
///
/// For an example see [`Assembler`](crate::report::Assembler).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssemblyError {
    /// Line of the input, counted from 1.
    pub line: usize,
    /// The reason. Long parts of the input are shortened.
    pub problem: String,
}

impl core::error::Error for AssemblyError {}

impl fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

/// Returns a part of the input as quoted in messages: the beginning if it is long.
pub(super) fn brief(text: &str) -> Cow<'_, str> {
    /// Maximum number of characters quoted.
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
