//! Text of a log as it was pasted: lines that were wrapped, and whole logs in one line, as messages.

use crate::input::ground::text;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A message with the line where it begins.
pub(super) struct Message {
    pub line: usize,
    pub text: String,
}

/// Characters from which on a line may be a whole log.
const LONG: usize = 400;

/// Where records begin in a line: at `[  12.345678]`, at `Nov 02 18:22:16`, or before what names the driver.
fn borders(text: &str) -> Vec<usize> {
    let stamps: Vec<usize> = text.match_indices('[').filter(|(at, _)| is_stamp(&text[*at..])).map(|(at, _)| at).collect();
    if stamps.len() > 1 {
        return stamps;
    }
    let dates = dates(text);
    if dates.len() > 1 { dates } else { text.match_indices("amdgpu 0000:").map(|(at, _)| at).collect() }
}

/// Where a month, a day and a time follow each other.
fn dates(text: &str) -> Vec<usize> {
    let is_time = |word: &str| word.len() == 8 && word.bytes().enumerate().all(|(at, byte)| if at % 3 == 2 { byte == b':' } else { byte.is_ascii_digit() });
    let is_day = |word: &str| word.len() <= 2 && word.parse::<u8>().is_ok();
    let is_month = |word: &str| (3..=8).contains(&word.len()) && word.chars().all(|c| c.is_alphabetic() || c == '.');
    let (mut found, mut at, mut before) = (Vec::new(), 0, [("", 0); 2]);
    for word in text.split(' ') {
        let [(month, from), (day, _)] = before;
        if is_time(word) && is_day(day) && is_month(month) {
            found.push(from);
        }
        if !word.is_empty() {
            before = [before[1], (word, at)];
        }
        at += word.len() + 1;
    }
    found
}

/// Whether a line ends with what is before a message, so that the message is on the next one.
fn is_head(text: &str) -> bool {
    let last = text.trim_end().rsplit(' ').next().unwrap_or_default();
    ["amdgpu:", "amdgpu", "kernel:", "*ERROR*"].contains(&last) || last.len() == 13 && last.ends_with(':') && last.matches(':').count() == 3
}

/// `[  812.104233]` at the start.
fn is_stamp(text: &str) -> bool {
    let Some((inner, _)) = text[1..].get(..24.min(text.len() - 1)).and_then(|text| text.split_once(']')) else { return false };
    let Some((whole, decimals)) = inner.trim_start().split_once('.') else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(decimals) && decimals.len() >= 3
}

const MONTHS: [&str; 16] = ["Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec ", "Mär ", "Mai ", "Okt ", "Dez "];

/// Whether a line begins a message: with a time, or with what names a driver.
fn begins(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches(['|', '`', '"', '{', '-', '*']).trim_start();
    let iso = || text.get(..10).is_some_and(|date| date.as_bytes()[4] == b'-' && date.as_bytes()[7] == b'-' && date.starts_with("20"));
    let number = || text.split_once([':', ' ']).is_some_and(|(number, _)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
    text.starts_with('[') && text.len() > 4
        || ["amdgpu", "kernel:", "radv", "kfd", "drm", "ring ", "Process ", "GPU ", "MES ", "\t", "MESSAGE", "\"MESSAGE", "<"]
            .iter()
            .any(|key| text.starts_with(key))
        || MONTHS.iter().any(|month| text.get(..24.min(text.len())).is_some_and(|head| head.contains(month)))
        || iso()
        || number()
        || text.contains("kernel:")
        || text.contains("amdgpu 0000:")
        || is_named(text)
}

/// A message of another program or function, `gmc_v11_0_process_interrupt: 9 callbacks suppressed`.
fn is_named(text: &str) -> bool {
    let Some((name, _)) = text.split_once(": ") else { return false };
    name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_') && name.bytes().any(|byte| byte > b'f')
}

/// Escape sequences of colours whose first character is lost, `[31m` and `^[[0m`.
fn without_colours(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(at) = rest.find('[') {
        let inner = &rest[at + 1..];
        let end = inner.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(inner.len());
        if inner[end..].starts_with('m') && (1..12).contains(&end) {
            kept.push_str(rest[..at].strip_suffix("^[").or_else(|| rest[..at].strip_suffix('^')).unwrap_or(&rest[..at]));
            rest = &inner[end + 1..];
        } else {
            kept.push_str(&rest[..=at]);
            rest = inner;
        }
    }
    kept.push_str(rest);
    kept
}

/// Characters of a line.
fn length(line: &[u8]) -> usize {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.iter().filter(|byte| !matches!(byte, 0x80..0xC0)).count()
}

/// Whether a line has words of a dump alone. One may be the end of a wrapped line; of several in a row the others state nothing.
fn is_words(line: &[u8]) -> bool {
    line.iter().all(|byte| byte.is_ascii_hexdigit() || b"xX \t\r,:".contains(byte))
}

/// The messages of a text.
pub(super) fn messages(bytes: &[u8]) -> Vec<Message> {
    // A width at which several lines end and that no line exceeds is that of a wrap.
    let mut widest = (0, 0);
    for length in bytes.split(|byte| *byte == b'\n').map(length) {
        widest = if length > widest.0 { (length, 1) } else { (widest.0, widest.1 + usize::from(length == widest.0)) };
    }
    let wrap = (widest.1 >= 2 && (20..=200).contains(&widest.0)).then_some(widest.0);
    let mut out: Vec<Message> = Vec::new();
    let mut total = 0usize;
    let mut marked = 0usize;
    let mut lines: Vec<(usize, String, bool, bool)> = Vec::new();
    let mut words_before = false;
    for (number, raw) in (1..).zip(text::raw_lines(bytes)) {
        if core::mem::replace(&mut words_before, is_words(raw)) && words_before {
            continue;
        }
        let text = text::clean(raw);
        // A blank at the end is a blank between words.
        let full = wrap.is_some_and(|wrap| length(raw) == wrap) && !raw.strip_suffix(b"\r").unwrap_or(raw).ends_with(b" ");
        let text = if text.contains('[') { without_colours(&text) } else { text.to_string() };
        if text.len() > LONG && !super::messages::is_json(&text) {
            let at = borders(&text);
            if at.len() > 1 {
                let ends = at.iter().skip(1).copied().chain([text.len()]);
                lines.extend(at.iter().zip(ends).map(|(from, to)| (number, text[*from..to].trim_end().to_string(), true, false)));
                continue;
            }
        }
        let begins = begins(&text) || super::event::may_state(&text) && super::event::event(&text).is_some();
        total += usize::from(!text.trim().is_empty());
        marked += usize::from(begins);
        lines.push((number, text, begins, full));
    }
    let mostly = 3 * marked >= total;
    let mut joins = false;
    for (line, text, begins, full) in lines {
        let empty = text.trim().is_empty();
        let follows_head = joins && out.last().is_some_and(|last| is_head(&last.text)) && !text.contains("kernel:") && !text.contains("amdgpu 0000:");
        if (!begins && mostly || follows_head)
            && !empty
            && !out.is_empty()
            && joins
            && let Some(last) = out.last_mut()
            && last.text.len() + text.len() < 1024
        {
            let glue = if last.text.ends_with('\u{1}') { "" } else { " " };
            last.text.truncate(last.text.trim_end_matches('\u{1}').len());
            last.text.push_str(glue);
            last.text.push_str(if glue.is_empty() { &text } else { text.trim_start() });
        } else {
            if let Some(last) = out.last_mut() {
                last.text.truncate(last.text.trim_end_matches('\u{1}').len());
            }
            out.push(Message { line, text });
        }
        joins = !empty;
        if full && let Some(last) = out.last_mut() {
            last.text.push('\u{1}');
        }
    }
    if let Some(last) = out.last_mut() {
        last.text.truncate(last.text.trim_end_matches('\u{1}').len());
    }
    out
}
