//! Converts pasted text (UTF-16, quoted-printable, HTML, base64, JSON strings, Markdown) to plain text.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// Converts UTF-16 text of either byte order to UTF-8.
pub(super) fn of_utf_16(bytes: &[u8]) -> Vec<u8> {
    let big = bytes.starts_with(b"\xFE\xFF") || !bytes.starts_with(b"\xFF\xFE") && bytes.first() == Some(&0);
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| if big { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) });
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).filter(|c| *c != '\u{feff}').collect();
    text.into_bytes()
}

/// Returns whether text is quoted-printable: its header says so, or it contains soft line breaks and escapes.
pub(super) fn is_quoted_printable(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    text.to_ascii_lowercase().contains("transfer-encoding: quoted-printable")
        || text.lines().filter(|line| line.trim_end_matches('\r').ends_with('=')).count() >= 2 && (text.contains("=3D") || has_escaped_letters(&text))
}

/// Returns whether non-ASCII letters are escaped, as in `=C3=A9`.
fn has_escaped_letters(text: &str) -> bool {
    text.as_bytes().windows(3).any(|three| matches!(three, [b'=', b'8'..=b'9' | b'A'..=b'F', digit] if digit.is_ascii_digit() || (b'A'..=b'F').contains(digit)))
}

/// Decodes quoted-printable text.
pub(super) fn of_quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        if rest.starts_with(b"=\r\n") {
            at += 3;
        } else if rest.starts_with(b"=\n") {
            at += 2;
        } else if let Some(code) =
            rest.strip_prefix(b"=").and_then(|rest| rest.get(..2)).and_then(|digits| u8::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok())
        {
            out.push(code);
            at += 3;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    out
}

/// Returns whether text is HTML.
pub(super) fn is_html(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    ["<pre", "<br", "<span", "<html", "<code", "<div", "<p>", "<td", "<li>"].iter().any(|tag| text.contains(tag))
}

/// Converts HTML to text: removes tags, and ends a line at `<br>` and at the end of a paragraph.
pub(super) fn of_html(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    let mut rest: &str = &text;
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let tag = tail.strip_prefix('<').filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!'));
        if let Some((tag, after)) = tag.and_then(|tag| tag.split_once('>')).filter(|(tag, _)| tag.len() < 4096) {
            let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default().to_ascii_lowercase();
            if name == "br" && !after.starts_with(['\n', '\r']) || tag.starts_with('/') && ["p", "div", "li", "tr"].contains(&name.as_str()) {
                out.push('\n');
            }
            rest = after;
        } else if let Some((value, length)) = entity(tail) {
            out.push(value);
            rest = &tail[length..];
        } else {
            out.push_str(&tail[..1]);
            rest = &tail[1..];
        }
    }
    out.push_str(rest);
    out.into_bytes()
}

/// Returns the character of the entity at the start of a text, and the length of the entity.
fn entity(text: &str) -> Option<(char, usize)> {
    const ENTITIES: [(&str, char); 18] = [
        ("lt", '<'),
        ("gt", '>'),
        ("amp", '&'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", ' '),
        ("lbrack", '['),
        ("rbrack", ']'),
        ("lsqb", '['),
        ("rsqb", ']'),
        ("lpar", '('),
        ("rpar", ')'),
        ("ast", '*'),
        ("lowbar", '_'),
        ("colon", ':'),
        ("equals", '='),
        ("Tab", '\t'),
        ("NewLine", '\n'),
    ];
    let name = text.strip_prefix('&')?;
    let name = &name[..name.bytes().take(10).position(|byte| byte == b';')?];
    let number = || match name.strip_prefix('#')? {
        digits if digits.starts_with(['x', 'X']) => u32::from_str_radix(&digits[1..], 16).ok(),
        digits => digits.parse().ok(),
    };
    let named = ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let value = named.or_else(|| number().and_then(char::from_u32).map(|value| if value == '\u{a0}' { ' ' } else { value }))?;
    Some((value, name.len() + 2))
}

/// Returns whether text is base64: long lines of nothing but its characters.
pub(super) fn is_base64(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let line = text.lines().next().unwrap_or_default().trim();
    let all = |line: &str| line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    line.len() >= 60
        && text.lines().take(20).all(|line| all(line.trim()))
        && line.bytes().any(|byte| byte.is_ascii_lowercase())
        && line.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Blanks of word processors and web pages that look like spaces, and invisible characters between letters, each with its replacement.
const BLANKS: [(&[u8], &[u8]); 5] =
    [("\u{a0}".as_bytes(), b" "), ("\u{202f}".as_bytes(), b" "), ("\u{2007}".as_bytes(), b" "), ("\u{200b}".as_bytes(), b""), ("\u{2060}".as_bytes(), b"")];

/// Returns the length of the blank at the start of `bytes` and its replacement.
fn blank(bytes: &[u8]) -> Option<(usize, &'static [u8])> {
    BLANKS.iter().find(|(blank, _)| bytes.starts_with(blank)).map(|(blank, becomes)| (blank.len(), *becomes))
}

/// Returns whether text contains blanks other than spaces.
pub(super) fn has_other_blanks(head: &[u8]) -> bool {
    let may_be = |byte: &u8| matches!(byte, 0xC2 | 0xE2);
    head.iter().enumerate().any(|(at, byte)| may_be(byte) && blank(&head[at..]).is_some())
}

/// Replaces blanks with spaces.
pub(super) fn with_spaces(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match blank(&bytes[at..]).filter(|_| !byte.is_ascii()) {
            Some((length, becomes)) => {
                out.extend_from_slice(becomes);
                at += length;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}

/// Characters that Markdown escapes with a backslash.
const ESCAPED: &[u8] = b"_*[]<>#()`";

/// Returns whether text contains Markdown backslashes in front of characters that occur in logs.
pub(super) fn has_escapes(head: &[u8]) -> bool {
    head.windows(2).any(|pair| matches!(pair, [b'\\', b'_' | b'*' | b'[']))
}

/// Removes these backslashes.
fn without_escapes(bytes: &[u8]) -> Vec<u8> {
    let is_escape = |at: usize| bytes[at] == b'\\' && bytes.get(at + 1).is_some_and(|next| ESCAPED.contains(next));
    (0..bytes.len()).filter(|at| !is_escape(*at)).map(|at| bytes[at]).collect()
}

/// Returns whether text may be JSON that holds a whole text in one string, with its line ends as `\n`.
pub(super) fn may_be_string(head: &[u8]) -> bool {
    let ends = head.windows(2).filter(|pair| pair == b"\\n").count();
    head.trim_ascii_start().starts_with(b"{") && ends > 4 * head.iter().filter(|byte| **byte == b'\n').count() && ends > 1
}

/// Returns the JSON string that makes up most of the text.
fn of_string(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut values: Vec<serde_json::Value> = [serde_json::from_str(core::str::from_utf8(bytes).ok()?).ok()?].into();
    let mut longest = String::new();
    while let Some(value) = values.pop() {
        match value {
            serde_json::Value::String(text) if text.len() > longest.len() => longest = text,
            serde_json::Value::Array(list) => values.extend(list),
            serde_json::Value::Object(keys) => values.extend(keys.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    (2 * longest.len() > bytes.len()).then(|| longest.into_bytes())
}

/// Removes the wrapping from a text; None if it has none.
pub(super) fn plain(bytes: &[u8]) -> Option<Vec<u8>> {
    let head = &bytes[..bytes.len().min(1 << 16)];
    let mut text = Cow::Borrowed(bytes);
    if may_be_string(head)
        && let Some(string) = of_string(&text)
    {
        text = string.into();
    }
    if is_quoted_printable(head) {
        text = of_quoted_printable(&text).into();
    }
    if is_html(&text[..text.len().min(1 << 16)]) {
        text = of_html(&text).into();
    }
    if has_other_blanks(&text[..text.len().min(1 << 16)]) {
        text = with_spaces(&text).into();
    }
    if has_escapes(&text[..text.len().min(1 << 16)]) {
        text = without_escapes(&text).into();
    }
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}
