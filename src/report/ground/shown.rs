//! Text of inputs, made safe for a terminal: names and messages may contain anything, including escape sequences.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::str;
use std::io::{self, Write};

/// Returns whether a terminal would interpret a character instead of showing it: control characters, line and paragraph separators, marks that change the
/// direction of text, and characters that annotate or tag text.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// Returns one line of text for a terminal: line breaks, other control characters and marks that change the direction of text are escaped as in Rust.
///
/// ```
/// use pm4::report::shown;
/// assert_eq!(shown("gfx_0.0.0"), "gfx_0.0.0");
/// assert_eq!(shown("a\u{1b}[31mb\u{202e}\n"), r"a\u{1b}[31mb\u{202e}\n");
/// ```
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| if is_hidden(c) { line.extend(c.escape_debug()) } else { line.push(c) });
    Cow::Owned(line)
}

/// A writer for a terminal: it escapes like [`shown`], except for line feeds and, if enabled, the colours of this crate. In JSON Lines the same characters are
/// escaped as in JSON. Bytes that are not UTF-8 become `�`.
///
/// ```
/// use pm4::report::{OutputFormat, ShownOutput};
/// use std::io::Write;
/// let mut text = ShownOutput::new(Vec::new(), OutputFormat::Text, false);
/// text.write_all("\u{1b}]0;title\u{7}\n".as_bytes())?;
/// assert_eq!(text.finish()?, b"\\u{1b}]0;title\\u{7}\n");
/// let mut json = ShownOutput::new(Vec::new(), OutputFormat::Json, false);
/// json.write_all("{\"name\":\"\u{202e}\"}\n".as_bytes())?;
/// assert_eq!(json.finish()?, b"{\"name\":\"\\u202e\"}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ShownOutput<W: Write> {
    out: W,
    format: super::OutputFormat,
    color: bool,
    /// The beginning of a character or of a colour whose end has not been written yet.
    left: Vec<u8>,
}

impl<W: Write> ShownOutput<W> {
    /// Creates a writer of text in a format to `out`, with colours or without.
    pub fn new(out: W, format: super::OutputFormat, color: bool) -> Self {
        Self { out, format, color, left: Vec::new() }
    }

    /// Writes the remaining bytes, and returns the writer.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn finish(mut self) -> io::Result<W> {
        let left = core::mem::take(&mut self.left);
        self.pass(&left, true)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes text; a possible beginning of an escape sequence or character is kept back, unless this is the end.
    fn pass(&mut self, bytes: &[u8], end: bool) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let plain = plain(rest);
            let (before, after) = rest.split_at(plain);
            self.out.write_all(before)?;
            rest = after;
            if rest.is_empty() {
                break;
            }
            if self.color && rest[0] == 0x1B {
                match colour(rest) {
                    Some(0) if !end => {
                        self.left = rest.to_vec();
                        return Ok(());
                    }
                    Some(length @ 1..) => {
                        self.out.write_all(&rest[..length])?;
                        rest = &rest[length..];
                        continue;
                    }
                    _ => {}
                }
            }
            let window = &rest[..rest.len().min(4)];
            let (c, length) = match first_char(window) {
                Ok(c) => (c, c.len_utf8()),
                Err(0) if !end => {
                    self.left = rest.to_vec();
                    return Ok(());
                }
                // A truncated character is replaced by one sign.
                Err(0) => ('\u{FFFD}', rest.len()),
                Err(length) => ('\u{FFFD}', length),
            };
            match self.format {
                _ if !is_hidden(c) => write!(self.out, "{c}")?,
                super::OutputFormat::Text => write!(self.out, "{}", c.escape_debug())?,
                super::OutputFormat::Json => c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| self.out.write_all(format!("\\u{unit:04x}").as_bytes()))?,
            }
            rest = &rest[length..];
        }
        Ok(())
    }
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b'\n' | b' '..=b'~')
}

/// Returns the number of bytes up to the first one that may not be plain text: nearly all are, so they are checked in groups.
fn plain(bytes: &[u8]) -> usize {
    let (groups, _) = bytes.as_chunks::<32>();
    let whole = 32 * groups.iter().take_while(|group| group.iter().fold(true, |all, byte| all & is_plain(*byte))).count();
    let rest = bytes.get(whole..).unwrap_or_default();
    whole + rest.iter().position(|byte| !is_plain(*byte)).unwrap_or(rest.len())
}

/// Returns the first character; otherwise the number of invalid bytes, 0 if they may become a character.
fn first_char(bytes: &[u8]) -> Result<char, usize> {
    let valid = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() == 0 => return Err(error.error_len().unwrap_or(0)),
        Err(error) => str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next().ok_or(1)
}

/// Returns the number of bytes of the colour that begins here, as this crate writes them: ESC, `[`, digits and semicolons, `m`. 0 if the end is missing, None
/// if
/// it is not a colour.
fn colour(bytes: &[u8]) -> Option<usize> {
    const LONGEST: usize = 16;
    let end = bytes.iter().take(LONGEST).skip(2).position(|byte| !matches!(byte, b'0'..=b'9' | b';'));
    match (bytes.get(1), end) {
        (None, _) => Some(0),
        (Some(b'['), None) if bytes.len() < LONGEST => Some(0),
        (Some(b'['), Some(end)) if bytes[2 + end] == b'm' => Some(3 + end),
        _ => None,
    }
}

impl<W: Write> Write for ShownOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left.is_empty() {
            self.pass(bytes, false)?;
        } else {
            let mut whole = core::mem::take(&mut self.left);
            whole.extend_from_slice(bytes);
            self.pass(&whole, false)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
