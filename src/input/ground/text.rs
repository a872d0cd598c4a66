//! Lines of pasted text, with colours, quotes, carriage returns and zeros.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// A line without the additions of pasting.
pub(in crate::input) struct Line<'t> {
    /// Counted from 1.
    pub number: usize,
    pub text: Cow<'t, str>,
}

/// The UTF-8 byte-order mark, which some editors insert before text.
pub(in crate::input) const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns the lines of a text. Without line feeds, carriage returns end lines. Bytes that are not UTF-8 become `�`.
pub(in crate::input) fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    raw_lines(bytes).enumerate().map(|(index, line)| Line { number: index + 1, text: clean(line) })
}

/// Returns the same lines as bytes.
pub(in crate::input) fn raw_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
    bytes.split(move |byte| *byte == end)
}

/// Returns the number of the last line if no line break ends it. Zeros after the text are ignored.
pub(in crate::input) fn unfinished(bytes: &[u8]) -> Option<usize> {
    let length = bytes.iter().rposition(|byte| *byte != 0)? + 1;
    let is_open = !matches!(bytes[length - 1], b'\n' | b'\r');
    is_open.then(|| raw_lines(&bytes[..length]).count())
}

/// Removes quote marks at the start.
pub(in crate::input) fn unquoted(mut line: &[u8]) -> &[u8] {
    while let [b'>', rest @ ..] = line {
        line = rest.strip_prefix(b" ").unwrap_or(rest);
    }
    line
}

/// Removes escape sequences, quote marks at the start, zeros, and trailing blanks.
pub(in crate::input) fn clean(line: &[u8]) -> Cow<'_, str> {
    let line = unquoted(line);
    // Nearly all lines are UTF-8; checking for it is faster than searching for invalid bytes.
    let text = core::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
    if !line.iter().any(|byte| matches!(byte, b'\x1b' | 0)) {
        return match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim_end()),
            Cow::Owned(text) => Cow::Owned(text.trim_end().into()),
        };
    }
    let mut colour = false;
    let kept: String = text
        .chars()
        .filter(|c| {
            let hidden = colour || matches!(c, '\x1b' | '\0');
            colour = (colour || *c == '\x1b') && !c.is_ascii_alphabetic();
            !hidden
        })
        .collect();
    Cow::Owned(kept.trim_end().into())
}

/// The common prefix of lines: a time stamp, a file name, a number.
pub(in crate::input) struct Prefix(Vec<Piece>);

/// A piece of a prefix.
enum Piece {
    /// Decimal digits, any number of them.
    Digits,
    /// Blanks, possibly none.
    Blanks,
    /// A character.
    Char(char),
}

impl Prefix {
    /// The most characters of a prefix.
    const LONGEST: usize = 200;

    /// Returns the prefix of a line; None if it is empty or too long.
    pub fn of(text: &str) -> Option<Self> {
        let mut pieces: Vec<Piece> = Vec::new();
        for c in text.chars() {
            match (c, pieces.last()) {
                ('0'..='9', Some(Piece::Digits)) | (' ' | '\t', Some(Piece::Blanks)) => {}
                ('0'..='9', _) => pieces.push(Piece::Digits),
                (' ' | '\t', _) => pieces.push(Piece::Blanks),
                _ => pieces.push(Piece::Char(c)),
            }
        }
        (!pieces.is_empty() && text.len() <= Self::LONGEST).then_some(Self(pieces))
    }

    /// Returns a line without the prefix; None if the line does not have it.
    pub fn strip<'t>(&self, text: &'t str) -> Option<&'t str> {
        let mut rest = text;
        for (at, piece) in self.0.iter().enumerate() {
            let unblanked = rest.trim_start_matches([' ', '\t']);
            rest = match piece {
                // Numbers are right-aligned in their column.
                Piece::Digits => Some(unblanked.trim_start_matches(|c: char| c.is_ascii_digit())).filter(|left| left.len() < unblanked.len())?,
                // Blanks at the end of a line may have been stripped.
                Piece::Blanks if unblanked.len() < rest.len() || rest.is_empty() || matches!(self.0.get(at + 1), Some(Piece::Digits)) => unblanked,
                Piece::Blanks => return None,
                Piece::Char(c) => rest.strip_prefix(*c)?,
            };
        }
        Some(rest)
    }
}

/// Parses a hexadecimal number of up to 64 bits, with or without `0x`.
pub(in crate::input) fn hex(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let all = !digits.is_empty() && digits.len() <= 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}

/// Parses a hexadecimal number of up to 32 bits.
pub(in crate::input) fn hex32(text: &str) -> Option<u32> {
    hex(text).and_then(|value| u32::try_from(value).ok())
}

/// Returns the text after a key, without surrounding blanks.
pub(in crate::input) fn after<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.split_once(key).map(|(_, rest)| rest.trim())
}

/// Returns the first blank-separated part of a text.
pub(in crate::input) fn first(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or("")
}

/// Returns the beginning of a text, short enough for messages.
pub(in crate::input) fn brief(text: &str) -> Cow<'_, str> {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => Cow::Owned(alloc::format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns whether bytes are text: no control characters except those of line ends and layout.
pub(in crate::input) fn is_text(bytes: &[u8]) -> bool {
    let control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x1b | 0x0c);
    match core::str::from_utf8(bytes) {
        // The last character may be truncated.
        Err(error) if error.error_len().is_some() || bytes.len() - error.valid_up_to() > 3 => false,
        _ => !bytes.iter().any(|byte| control(byte) || *byte == 0x7F),
    }
}

/// Returns whether bytes are text, except for a few: device names in logs may contain any bytes.
pub(in crate::input) fn is_mostly_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x1b) || *byte == 0x7F;
    let no_text = bytes.utf8_chunks().map(|chunk| chunk.valid().bytes().filter(is_control).count() + chunk.invalid().len());
    is_text(bytes) || bytes.len() / 8 > no_text.sum()
}

/// Returns the longest start of a text, after blanks, that consists of such characters.
pub(in crate::input) fn cut(text: &str, is_part: impl Fn(char) -> bool) -> &str {
    let text = text.trim_start();
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}

pub(in crate::input) fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}
