//! Text of a log as it was pasted: lines that were wrapped, and whole logs in one line, as messages.

use super::seam::{self, SEAM};
use super::stamp::MONTHS;
use crate::input::ground::{EventKind, text};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// A message with the line where it begins.
pub(super) struct Message {
    pub line: usize,
    pub text: String,
}

/// Characters from which on a line may be a whole log.
const LONG: usize = 120;

/// What begins a message of the kernel, and a part of a fault as RADV prints it.
const OF_KERNEL: [&str; 3] = ["amdgpu 0000:", "[drm:", "[drm] "];
const OF_RADV: [&str; 9] = [
    "radv: ",
    "radv/amdgpu: ",
    "GCVM_L2_PROTECTION_FAULT_STATUS:",
    "CLIENT_ID:",
    "MORE_FAULTS:",
    "WALKER_ERROR:",
    "PERMISSION_FAULTS:",
    "MAPPING_ERROR:",
    " RW:",
];

/// Where records begin in a line: at `[  12.345678]`, at `Nov 02 18:22:16`, or before what names the driver.
fn borders(text: &str) -> Vec<usize> {
    let stamps: Vec<usize> = text.match_indices('[').filter(|(at, _)| is_stamp(&text[*at..])).map(|(at, _)| at).collect();
    if stamps.len() > 1 {
        return stamps;
    }
    // The name of a day is before them, `[Sun Nov 29`.
    let with_day = |at: usize| {
        let head = text[..at].trim_end();
        head.rfind('[').filter(|open| head.len() - open < 12 && head[open + 1..].chars().all(|c| c.is_alphabetic() || c == '.')).unwrap_or(at)
    };
    let mut dates: Vec<usize> = dates(text).into_iter().map(with_day).collect();
    // Two programs may have put a time before a message.
    let is_same = |from: usize, to: usize| from < to && to - from < 48 && !super::event::may_state(&text[from..to]);
    dates.dedup_by(|at, before| is_same(*before, *at));
    if dates.len() > 1 {
        return dates;
    }
    let is_of_kernel = OF_KERNEL.iter().any(|key| text.contains(key));
    let keys: &[&str] = if is_of_kernel { &OF_KERNEL } else { &OF_RADV };
    let mut found: Vec<usize> = keys.iter().flat_map(|key| text.match_indices(key).map(|(at, _)| at)).collect();
    found.sort_unstable();
    if is_of_kernel {
        // Within a message the driver's name is after that of the device, or after its own. The names of a machine and of the kernel are before it.
        found.retain(|at| !text[..*at].trim_end().rsplit(' ').next().is_some_and(|last| is_pci(last) || ["amdgpu:", "*ERROR*"].contains(&last)));
        for at in &mut found {
            if let Some((before, _)) = text[..*at].strip_suffix("kernel: ").map(str::trim_end).and_then(|before| before.rsplit_once(' ')) {
                *at = before.len() + 1;
            }
        }
    }
    if found.len() > 1 && found[0] > 0 && super::event::may_state(&text[..found[0]]) {
        found.insert(0, 0);
    }
    found
}

/// Where a month, a day and a time follow each other, or `2026-11-29T18:22:16` is.
fn dates(text: &str) -> Vec<usize> {
    let is_time = |word: &str| word.len() == 8 && word.bytes().enumerate().all(|(at, byte)| if at % 3 == 2 { byte == b':' } else { byte.is_ascii_digit() });
    let is_day = |word: &str| word.len() <= 2 && word.parse::<u8>().is_ok();
    let is_month = |word: &str| (3..=8).contains(&word.len()) && word.chars().all(|c| c.is_alphabetic() || c == '.');
    let (mut found, mut at, mut before) = (Vec::new(), 0, [("", 0); 2]);
    for word in text.split(' ') {
        let [(month, from), (day, day_at)] = before;
        // The line before may end right before it.
        let stuck = || MONTHS.iter().find(|name| month.ends_with(*name)).map(|name| from + month.len() - name.len());
        if is_time(word) && is_day(day) {
            found.extend(if is_month(month) && stuck().is_none_or(|at| at == from) { Some(from) } else { stuck() });
        } else if let Some(within) = iso_at(word, b"0000-00-00T00:00:00") {
            found.push(at + within);
        } else if let Some(within) = iso_at(day, b"0000-00-00").filter(|within| within + 10 == day.len() && iso_at(word, b"00:00:00") == Some(0)) {
            found.push(day_at + within);
        }
        if !word.is_empty() {
            before = [before[1], (word, at)];
        }
        at += word.len() + 1;
    }
    found
}

/// Where a text has digits as a pattern has them.
fn iso_at(text: &str, pattern: &[u8]) -> Option<usize> {
    let fits = |(byte, wanted): (&u8, &u8)| if *wanted == b'0' { byte.is_ascii_digit() } else { byte == wanted };
    text.as_bytes().windows(pattern.len()).position(|part| part.iter().zip(pattern).all(fits))
}

/// Returns whether a line ends with what is before a message, so that the message is on the next one.
fn is_head(text: &str) -> bool {
    let last = text.trim_end().rsplit(' ').next().unwrap_or_default();
    ["amdgpu:", "amdgpu", "kernel:", "*ERROR*"].contains(&last) || last.len() == 13 && last.ends_with(':') && last.matches(':').count() == 3
}

/// `[  812.104233]` at the start.
fn is_stamp(text: &str) -> bool {
    let Some(end) = text.bytes().take(40).position(|byte| byte == b']') else { return false };
    let inner = &text[1..end];
    // `[  812.104233 <    0.000021>]` has the time since the line before as well.
    let inner = inner.split_once('<').map_or(inner, |(time, _)| time.trim_end());
    let Some((whole, decimals)) = inner.trim_start().split_once('.') else { return false };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(decimals)
}

/// How a line begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Without text, or the border of a block of Markdown.
    Empty,
    /// With a time, or as a record of JSON or of /dev/kmsg.
    Timed,
    /// With the name of the driver or of a device.
    Driver,
    /// With a number, as lines have that are counted.
    Number,
    /// It states an event by itself, or begins as messages do.
    Message,
    Other,
}

/// Returns a line without marks of tables and lists, without its number, and without the name of a file before that.
pub(super) fn unmarked(text: &str) -> &str {
    let text = text.trim_start_matches(['|', '│', '`', '"', '{', '-', '*', ' ', '\t', '\u{200b}', '\u{a0}']);
    let is_date = |text: &str| iso_at(text, b"0000-00-00") == Some(0);
    let is_file = |file: &str| file.len() < 80 && !file.contains([' ', '[']) && !file.bytes().all(|byte| byte.is_ascii_hexdigit()) && !is_date(file);
    let of_file = text.split_once(':').filter(|(file, _)| is_file(file));
    let counted = of_file.map_or(text, |(_, rest)| rest);
    let digits = counted.bytes().take_while(u8::is_ascii_digit).count();
    let rest = counted[digits..].trim_start_matches([':', '|', ')', '.', '\t', ' ']);
    let gap = &counted[digits..counted.len() - rest.len()];
    let is_number = (1..7).contains(&digits) && !gap.is_empty();
    // The number of a day has no such mark after it.
    let is_dated = || (gap.contains([':', '|', ')', '\t']) || gap == "  ") && (rest.starts_with(char::is_alphabetic) && has_time(rest) || is_date(rest));
    let begins = rest.starts_with(['[', '<']) || of_file.is_some() || rest.starts_with("amdgpu") || rest.starts_with("kernel:");
    if is_number && (begins || is_dated()) { rest } else { text }
}

/// Returns whether there is `18:22:16` among the first characters; `0000:03:00.0` is none.
pub(super) fn has_time(text: &str) -> bool {
    let head = &text.as_bytes()[..text.len().min(56)];
    let is_time = |(at, eight): (usize, &[u8])| {
        let shape = eight.iter().enumerate().all(|(at, byte)| if at % 3 == 2 { *byte == b':' } else { byte.is_ascii_digit() });
        let free = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_digit() && *byte != b':');
        shape && free(at.checked_sub(1).and_then(|before| head.get(before))) && free(head.get(at + 8))
    };
    head.windows(8).enumerate().any(is_time)
}

fn is_timed(text: &str) -> bool {
    let text = text.strip_prefix('<').and_then(|rest| rest.split_once('>')).filter(|(number, _)| number.len() < 4).map_or(text, |(_, rest)| rest);
    let kmsg = || text.split(',').take(3).filter(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).count() == 3;
    let level = || text.split_once(" : [").is_some_and(|(head, rest)| head.len() < 24 && rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    let epoch = || text.split_once('.').is_some_and(|(seconds, _)| seconds.len() > 8 && seconds.bytes().all(|byte| byte.is_ascii_digit()));
    text.starts_with('[') && is_stamp(text) || has_time(text) || kmsg() || level() || epoch() || super::messages::is_json(text)
}

/// Returns whether a text begins with a PCI address.
fn is_pci(text: &str) -> bool {
    let token = text.split([' ', '\t']).next().unwrap_or_default().trim_end_matches(':').as_bytes();
    token.len() == 12 && token[4] == b':' && token[7] == b':' && token[10] == b'.'
}

fn start(text: &str) -> Start {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.starts_with("```") || trimmed.starts_with("~~~") {
        return Start::Empty;
    }
    let bare = unmarked(text);
    if is_timed(bare) {
        return Start::Timed;
    }
    let of_driver = ["amdgpu", "[drm", "kernel:", "radv", "kfd", "drmn"].iter().any(|key| bare.starts_with(key)) && !bare.starts_with("amdgpu]");
    if of_driver || is_pci(bare) || text.contains("amdgpu 0000:") || text.contains(" kernel: ") {
        return Start::Driver;
    }
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if text.trim_start().split_once([':', ' ']).is_some_and(|(number, _)| is_number(number.trim_end_matches([')', '.']))) {
        return if states(text).is_some() { Start::Message } else { Start::Number };
    }
    let known = ["ring ", "Process ", "GPU ", "MES ", "MESSAGE", "Aborted", "<", "["].iter().any(|key| bare.starts_with(key)) && !bare.starts_with("[amdgpu]");
    if known || text.starts_with('\t') || is_named(bare) || states(text).is_some() {
        return Start::Message;
    }
    Start::Other
}

/// Returns the event that a text states.
fn states(text: &str) -> Option<EventKind> {
    let stated = |text: &str| if super::event::may_state(text) { super::event::event(text) } else { None };
    if text.contains(SEAM) { seam::agreed(seam::readings(text).iter().map(|text| stated(text))) } else { stated(text) }
}

/// A message of another program or function, `gmc_v11_0_process_interrupt: 9 callbacks suppressed`.
fn is_named(text: &str) -> bool {
    let Some((name, _)) = text.split_once(": ") else { return false };
    name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_') && name.bytes().any(|byte| byte > b'f')
}

/// Returns the length of `31;1m`, the rest of an escape sequence of colours, with the `[K` that grep has after it.
fn colour(text: &str) -> Option<usize> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit() && byte != b';')?;
    let rest = text[end..].strip_prefix('m')?;
    let erases = ["[K", "^[[K"].iter().find(|erases| rest.starts_with(**erases)).map_or(0, |erases| erases.len());
    // `[m` alone begins `[mmhub]`.
    (end < 12 && (end > 0 || erases > 0)).then_some(end + 1 + erases)
}

/// Escape sequences of colours whose first character is lost, `[31m` and `^[[0m`.
fn without_colours(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.match_indices('[').any(|(at, _)| colour(&text[at + 1..]).is_some()) {
        return text;
    }
    let mut rest: &str = &text;
    let mut kept = String::new();
    while let Some(at) = rest.find('[') {
        let inner = &rest[at + 1..];
        if let Some(end) = colour(inner) {
            kept.push_str(rest[..at].strip_suffix("^[").or_else(|| rest[..at].strip_suffix('^')).unwrap_or(&rest[..at]));
            rest = &inner[end..];
        } else {
            kept.push_str(&rest[..=at]);
            rest = inner;
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Returns whether a line has words of a dump alone. One may be the end of a wrapped line; of several in a row the others state nothing.
fn is_words(line: &[u8]) -> bool {
    line.iter().all(|byte| byte.is_ascii_hexdigit() || b"xX \t\r,:".contains(byte))
}

/// A line, or a part of one that is a whole log.
struct Part<'t> {
    line: usize,
    text: Cow<'t, str>,
    /// It is a part of a line: that it begins a message is known.
    begins: bool,
    /// Blanks at the end of the line, which the text is without; and characters around the text, with the marks of quotes.
    blanks: usize,
    around: usize,
    /// It ends the input in the middle of a line, and all of it may be a part of a word.
    is_cut: bool,
}

/// Returns the last line of a text without the number or the name at its end, which may go on. An address of 16 digits is whole.
fn without_cut_word(line: &[u8]) -> &[u8] {
    let line = &line[..line.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)];
    let last = line.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    if line[..last].trim_ascii_end().ends_with(b"thread") {
        return &line[..last];
    }
    let (before, word) = line.split_at(line.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').map_or(0, |at| at + 1));
    let is_whole = word.strip_prefix(b"0x").is_some_and(|digits| digits.len() == 16);
    // Words of a message have small letters, as names of firmware, clients and requests have not.
    let is_name = !word.iter().any(u8::is_ascii_lowercase);
    let kept = if (is_name || word.iter().any(u8::is_ascii_digit)) && !is_whole { before } else { line };
    // Of a time alone, nothing goes on with the line before.
    if kept.windows(3).any(|letters| letters.iter().all(u8::is_ascii_alphabetic)) { kept } else { &[] }
}

/// Takes the name of a thread from the end of a text that may go on.
fn without_open_name(text: &mut String) {
    let name = text.rfind([' ', SEAM]).map_or(0, |at| at + 1);
    if text[..name].replace([' ', SEAM], "").ends_with("thread") {
        text.truncate(name);
    }
}

/// Returns whether all lines of a text begin with a tab, which then is not one of their messages.
fn is_indented(bytes: &[u8]) -> bool {
    text::raw_lines(bytes).all(|line| line.starts_with(b"\t") || line.trim_ascii().is_empty())
}

/// Passes on the lines of a text, without those between others that are words of a dump alone.
fn parts(bytes: &[u8], mut each: impl FnMut(Part<'_>)) {
    let mut words_before = false;
    let (indented, unfinished) = (is_indented(bytes), text::unfinished(bytes));
    for (line, raw) in (1..).zip(text::raw_lines(bytes)) {
        let raw = if indented { raw.strip_prefix(b"\t").unwrap_or(raw) } else { raw };
        let open = raw.len();
        let raw = if unfinished == Some(line) { without_cut_word(raw) } else { raw };
        let is_cut = open > 0 && raw.is_empty();
        if core::mem::replace(&mut words_before, is_words(raw)) && words_before {
            continue;
        }
        let text = without_colours(text::clean(raw));
        if text.len() > LONG && super::event::may_state(&text) && !super::messages::is_json(&text) {
            let mut part = |text: &str| each(Part { line, text: Cow::Borrowed(text.trim_end()), begins: true, blanks: 0, around: 0, is_cut: false });
            // The text of a message in JSON, with its ends of lines as they stand there.
            if text.contains("\\n") {
                text.split("\\n").for_each(part);
                continue;
            }
            let at = borders(&text);
            if at.len() > 1 {
                let ends = at.iter().skip(1).copied().chain([text.len()]);
                at.iter().zip(ends).for_each(|(from, to)| part(&text[*from..to]));
                continue;
            }
        }
        let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
        let blanks = raw.len() - raw.trim_ascii_end().len();
        let quotes = (raw.len() - text::unquoted(raw).len()).min(raw.len() - blanks);
        each(Part { line, text, begins: false, blanks, around: blanks + quotes, is_cut });
    }
}

/// What is known of a part before its text is looked at again: how it begins, and its characters, up to 255.
struct Known {
    start: Start,
    /// It is a part of a line.
    begins: bool,
    length: u8,
    /// Characters of its first word; 0 where a blank is before it.
    word: u8,
    /// A number for its last word.
    end: u8,
    /// It ends with a blank.
    blank: bool,
}

/// How the lines of a text were wrapped.
struct Wrap {
    /// Lines without a time, or without the driver's name, go on with the line before them.
    by: Option<Start>,
    /// Characters of the longest line.
    widest: usize,
    /// Lines are cut there, also within words.
    hard: bool,
    /// Lines are cut at blanks, before a word for which they have no room.
    soft: bool,
    /// Lines are counted.
    counted: bool,
}

/// Characters of a line from which on it is not one that was wrapped.
const WIDEST: u8 = 250;

impl Wrap {
    fn of(known: &[Known]) -> Self {
        // What people write around a log says nothing of how its lines were wrapped.
        let is_of_log = |known: &Known| !matches!(known.start, Start::Empty | Start::Other);
        let from = known.iter().position(is_of_log).unwrap_or(0);
        let to = known.iter().rposition(is_of_log).map_or(from, |last| last + 1);
        let log = &known[from..to];
        let count = |is: &dyn Fn(&Known) -> bool| log.iter().filter(|known| !known.begins && is(known)).count();
        let total = count(&|known| known.start != Start::Empty);
        let timed = count(&|known| known.start == Start::Timed);
        let driver = timed + count(&|known| known.start == Start::Driver);
        let marked = driver + count(&|known| matches!(known.start, Start::Message | Start::Number));
        // A record may take several lines.
        let by = match () {
            () if timed > 1 && 8 * timed >= total => Some(Start::Timed),
            () if driver > 0 && 8 * driver >= total => Some(Start::Driver),
            () if 3 * marked >= total => Some(Start::Message),
            () => None,
        };
        let of_log = |known: &&Known| matches!(known.start, Start::Timed | Start::Driver) && known.length <= WIDEST;
        let widest = known.iter().filter(of_log).map(|known| known.length).max().unwrap_or(0);
        let goes_on = |pair: &&[Known]| {
            let [before, after] = pair else { return false };
            matches!(before.start, Start::Timed | Start::Driver) && matches!(after.start, Start::Other | Start::Number) && !after.begins
        };
        // The first line may lack its beginning, and with it the width.
        let cut = || known.windows(2).skip(1).filter(goes_on);
        let full: Vec<(u8, u8)> = cut().filter(|pair| widest >= 20 && pair[0].length == widest).map(|pair| (pair[1].word, pair[0].end)).collect();
        // Messages that are alike, or begin alike, are cut at one place in any case.
        let differs = |of: fn(&(u8, u8)) -> u8| full.iter().any(|one| of(one) != of(&full[0]));
        let hard = differs(|one| one.0) && differs(|one| one.1) && 10 * full.len() >= 9 * cut().count();
        let has_no_room =
            |pair: &&[Known]| pair[1].word > 0 && pair[0].length < widest && pair[0].length.saturating_add(1).saturating_add(pair[1].word) > widest;
        let no_room = cut().filter(has_no_room).count();
        Self {
            by,
            widest: widest.into(),
            hard,
            soft: !hard && no_room > 1 && 10 * no_room >= 9 * cut().count(),
            counted: 2 * count(&|known| known.start == Start::Number && known.word < known.length) >= total,
        }
    }

    /// Returns whether a line goes on with the message before it.
    fn goes_on(&self, before: &str, last: Last, start: Start, text: &str) -> bool {
        let Some(by) = self.by else { return false };
        // The row of a table is closed.
        if before.trim_end().ends_with(['|', '\u{2502}']) {
            return false;
        }
        let head = is_head(before) && !(by != Start::Timed && text.contains("amdgpu 0000:"));
        match start {
            Start::Empty | Start::Timed => false,
            Start::Other => !self.ends(before, last, text),
            Start::Number if self.counted => false,
            Start::Number => by != Start::Message || head || last.width >= self.widest && before.ends_with(|c: char| c.is_ascii_digit()),
            // A time and the name of a machine alone.
            Start::Driver => head || by == Start::Timed && before.split_whitespace().count() <= 5 && has_time(before),
            Start::Message if by == Start::Message => {
                head || matches!(states(before), Some(EventKind::Fault(_))) && states(text).is_none() && self.adds(before, last, text)
            }
            Start::Message => head || self.is_cut(last.width, text) && self.adds(before, last, text),
        }
    }

    /// Returns whether a line of so many characters may be cut before a text.
    fn is_cut(&self, width: usize, text: &str) -> bool {
        let word = text.trim_start().split(' ').next().unwrap_or_default().chars().count();
        width + 1 + word > self.widest
    }

    /// Returns whether a message says something that it does not say with a line: the line is of another program.
    fn ends(&self, before: &str, last: Last, text: &str) -> bool {
        // Lines of a trace follow, each of its own.
        let is_oops = || self.by != Some(Start::Timed) && super::event::may_state(before) && super::event::oops(before).is_some();
        if before.trim_end().ends_with("GPU Hang") || is_oops() {
            return true;
        }
        states(before).is_some() && states(&joined(before, text, self.glue(before, last, text))).is_none()
    }

    /// Returns whether a message says more with a line than without it. What states something else is a message of its own.
    fn adds(&self, before: &str, last: Last, text: &str) -> bool {
        let (alone, with) = (states(before), states(&joined(before, text, self.glue(before, last, text))));
        let kind = |event: &Option<EventKind>| event.as_ref().map(core::mem::discriminant);
        with.is_some() && with != alone && (alone.is_none() || kind(&alone) == kind(&with))
    }

    /// Returns what is between a line and the next one: a blank, nothing, or a seam where either may be.
    fn glue(&self, before: &str, last: Last, text: &str) -> Option<char> {
        let is_full = last.width >= self.widest;
        if last.blank || text.starts_with([' ', '\t']) || self.soft || !is_full && !last.first {
            return Some(' ');
        }
        // The rest of a number is one; the number of a line, or a date, has something else after it.
        let word = text.split(' ').next().unwrap_or_default().trim_end_matches([',', '.', ')', ';']);
        let digits = before.ends_with(|c: char| c.is_ascii_digit()) && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        match [Some(' '), None].map(|glue| states(&joined(before, text, glue)).is_some()) {
            [true, false] => Some(' '),
            [false, true] => None,
            _ => (!(self.hard && is_full || digits)).then_some(SEAM),
        }
    }
}

/// The last line of a message.
#[derive(Clone, Copy)]
struct Last {
    /// Its characters.
    width: usize,
    /// It ends with a blank.
    blank: bool,
    /// It is the first line of the text.
    first: bool,
}

/// Two lines as one.
fn joined(before: &str, text: &str, glue: Option<char>) -> String {
    let text = if glue.is_some() { text.trim_start() } else { text };
    before.chars().chain(glue).chain(text.chars()).collect()
}

/// Characters of a message at most: Linux prints no longer ones.
const LONGEST: usize = 1024;

/// Passes on the messages of a text. No more is kept than one of them, and six bytes for each line.
pub(super) fn messages(bytes: &[u8], mut each: impl FnMut(Message)) {
    let mut known: Vec<Known> = Vec::new();
    parts(bytes, |Part { text, begins, blanks, around, .. }| {
        let start = if begins { Start::Message } else { start(&text) };
        let length = u8::try_from(text.chars().take(256).count() + around).unwrap_or(u8::MAX);
        let word = u8::try_from(text.split([' ', '\t']).next().unwrap_or_default().chars().count()).unwrap_or(u8::MAX);
        let end = text.rsplit([' ', '\t']).next().unwrap_or_default().bytes().fold(0u8, u8::wrapping_add);
        known.push(Known { start, begins, length, word, end, blank: blanks > 0 });
    });
    let wrap = Wrap::of(&known);
    let mut known = known.into_iter();
    let mut last: Option<Message> = None;
    // The last line, where the message may go on.
    let mut before: Option<Last> = None;
    parts(bytes, |Part { line, text, is_cut, .. }| {
        let Some(Known { start, begins, length, blank, .. }) = known.next() else { return };
        if let Some(last) = &mut last
            && is_cut
        {
            // In a full line its last word may go on.
            let is_full = before.is_some_and(|before| before.width >= wrap.widest);
            let word = last.text.rfind([' ', SEAM]).filter(|_| is_full).unwrap_or(last.text.len());
            last.text.truncate(word);
            without_open_name(&mut last.text);
        }
        match (&mut last, before) {
            (Some(last), Some(before)) if !begins && last.text.len() + text.len() < LONGEST && wrap.goes_on(&last.text, before, start, &text) => {
                last.text = joined(&last.text, &text, wrap.glue(&last.text, before, &text));
            }
            _ => last.replace(Message { line, text: text.into_owned() }).into_iter().for_each(&mut each),
        }
        before = (start != Start::Empty).then_some(Last { width: usize::from(length), blank, first: line == 1 });
    });
    if let Some(last) = &mut last
        && text::unfinished(bytes).is_some()
    {
        without_open_name(&mut last.text);
    }
    last.into_iter().for_each(each);
}
