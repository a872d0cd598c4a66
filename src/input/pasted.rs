//! Text as people paste it, as plain text: UTF-16, quoted-printable, HTML.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// Text in UTF-16 of either order as UTF-8.
pub(super) fn of_utf_16(bytes: &[u8]) -> Vec<u8> {
    let big = bytes.starts_with(b"\xFE\xFF") || !bytes.starts_with(b"\xFF\xFE") && bytes.first() == Some(&0);
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| if big { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) });
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).filter(|c| *c != '\u{feff}').collect();
    text.into_bytes()
}

/// Whether text is quoted-printable: its header says so, or lines end softly and escapes are among them.
pub(super) fn is_quoted_printable(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    text.to_ascii_lowercase().contains("content-transfer-encoding: quoted-printable")
        || text.lines().filter(|line| line.trim_end_matches('\r').ends_with('=')).count() >= 2 && text.contains("=3D")
}

/// Quoted-printable, decoded.
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

/// Whether text is HTML.
pub(super) fn is_html(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    ["<pre", "<br", "<span", "<html", "<code", "<div", "<p>", "<td", "<li>"].iter().any(|tag| text.contains(tag))
}

/// HTML as text: tags are left out, `<br>` and the ends of paragraphs end lines.
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
            out.push_str(value);
            rest = &tail[length..];
        } else {
            out.push_str(&tail[..1]);
            rest = &tail[1..];
        }
    }
    out.push_str(rest);
    out.into_bytes()
}

fn entity(text: &str) -> Option<(&'static str, usize)> {
    const ENTITIES: [(&str, &str); 8] =
        [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&#160;", " "), ("&apos;", "'")];
    ENTITIES.iter().find(|(name, _)| text.starts_with(name)).map(|(name, value)| (*value, name.len()))
}

/// Whether text is base64: only its characters, in long lines.
pub(super) fn is_base64(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let line = text.lines().next().unwrap_or_default().trim();
    let all = |line: &str| line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    line.len() >= 60
        && text.lines().take(20).all(|line| all(line.trim()))
        && line.bytes().any(|byte| byte.is_ascii_lowercase())
        && line.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Blanks of word processors and pages, which look like blanks, and what they have between letters and nobody sees.
const BLANKS: [(&[u8], &[u8]); 5] =
    [("\u{a0}".as_bytes(), b" "), ("\u{202f}".as_bytes(), b" "), ("\u{2007}".as_bytes(), b" "), ("\u{200b}".as_bytes(), b""), ("\u{2060}".as_bytes(), b"")];

/// The blank that bytes begin with, and what it becomes.
fn blank(bytes: &[u8]) -> Option<(usize, &'static [u8])> {
    BLANKS.iter().find(|(blank, _)| bytes.starts_with(blank)).map(|(blank, becomes)| (blank.len(), *becomes))
}

/// Whether text has blanks that are no spaces.
pub(super) fn has_other_blanks(head: &[u8]) -> bool {
    let may_be = |byte: &u8| matches!(byte, 0xC2 | 0xE2);
    head.iter().enumerate().any(|(at, byte)| may_be(byte) && blank(&head[at..]).is_some())
}

/// Text whose blanks are spaces.
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

/// A text without its wrapping; None where it has none.
pub(super) fn plain(bytes: &[u8]) -> Option<Vec<u8>> {
    let head = &bytes[..bytes.len().min(1 << 16)];
    let mut text = Cow::Borrowed(bytes);
    if is_quoted_printable(head) {
        text = of_quoted_printable(&text).into();
    }
    if is_html(&text[..text.len().min(1 << 16)]) {
        text = of_html(&text).into();
    }
    if has_other_blanks(&text[..text.len().min(1 << 16)]) {
        text = with_spaces(&text).into();
    }
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}
