//! Words as text, whatever printed them: a list, `xxd`, `od`, `hexdump`, gdb, or a kernel's `print_hex_dump`.
//!
//! A line is `[prefix] [address:] units [text]`. Units are words, bytes in memory order, pairs of bytes, or pairs of words. Their meaning is decided once for
//! the input: by their width, and where the width is ambiguous, by which reading looks most like packets.

use crate::input::ground::text::{self, brief};
use crate::input::ground::{BufferUse, Head, Input, InputBuffer, InputPlace, score};
use crate::plurals::{counted, counted_are};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Lines that decide whether the input has this form, and rows that decide what units are.
const SAMPLE: usize = 64;
const FIRST_ROWS: usize = 1024;
/// The most dwords that repeats may add in one input, gdb repeats and rows after `*` together: 64 MB.
const MOST_REPEATS: usize = 1 << 24;
const MOST_REPEATED_BYTES: usize = 4 * MOST_REPEATS;

/// Bytes of a line to read at once. A number takes more memory while being read than it does in its line.
const LONGEST_PIECE: usize = 1 << 20;

/// A number in a line.
#[derive(Debug, Clone, PartialEq)]
struct Unit {
    digits: String,
    /// Has a `0x` prefix.
    prefixed: bool,
    times: usize,
}

#[derive(Debug, Default, Clone, PartialEq)]
struct Row {
    number: usize,
    /// The address as printed; its base is not stated.
    address: Option<String>,
    units: Vec<Unit>,
    /// `*`: the previous row repeats up to the next address.
    repeats: bool,
    /// Text after the units was skipped.
    cut: bool,
    /// Continues the line of the previous row.
    continues: bool,
    /// The first unreadable item of a list.
    bad: Option<Bad>,
}

/// Why an item of a list is unreadable.
#[derive(Debug, Clone, PartialEq)]
enum Bad {
    /// This text stands where a number must be.
    Element(String),
    /// gdb omitted the end.
    Shortened,
    /// `<repeats N times>` without a valid count or without an element before it.
    Repeats(String),
}

impl Bad {
    fn message(&self) -> String {
        match self {
            Self::Element(text) => format!("{text:?} is not a number: it is left out"),
            Self::Shortened => "gdb shows a part of the array here: `set print elements 0` shows all".to_string(),
            Self::Repeats(text) => format!("`<repeats {text}` has no valid count, or no number is before it: a number before it is used once"),
        }
    }
}

enum Read {
    Row(Row),
    /// Nothing to read: empty or a comment.
    Nothing,
    /// Text.
    Other,
}

pub fn is(head: &Head<'_>) -> bool {
    if !head.is_text {
        return false;
    }
    let (mut rows, mut others, mut units) = (0, 0, 0);
    let lines = head.bytes.iter().filter(|byte| **byte == b'\n').count();
    // The last line may be truncated.
    for line in text::lines(head.bytes).take(if head.whole { SAMPLE } else { lines.clamp(1, SAMPLE) }) {
        match read(&line.text, line.number) {
            Read::Row(row) => {
                rows += 1;
                units += usize::from(row.units.iter().any(|unit| unit.prefixed || unit.digits.len() >= 2));
            }
            Read::Nothing => {}
            Read::Other => others += 1,
        }
    }
    // Most lines contain numbers. If a word is alone in its text, it must have all eight digits or a hexadecimal prefix.
    rows > 2 * others && units > 0
}

/// Strips the time stamp of a kernel log.
fn without_stamp(text: &str) -> &str {
    let inner = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    match inner {
        Some((stamp, rest)) if stamp.contains('.') && stamp.trim().bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => rest.trim_start(),
        _ => text,
    }
}

/// How many colons to try as the end of the address at the start of a line.
const ADDRESS_ENDS: usize = 8;

/// Returns the address before a colon, and the text after it, where the units begin.
fn address(text: &str) -> Option<(String, &str)> {
    let ends = text.match_indices(':').map(|(at, _)| (at, &text[at + 1..])).filter(|(_, behind)| behind.is_empty() || behind.starts_with([' ', '\t']));
    for (at, behind) in ends.take(ADDRESS_ENDS) {
        // gdb: 0x7fff0000 <symbol+16>:
        let mut before = text[..at].trim_end();
        if before.ends_with('>') {
            before = before.rfind('<').map_or("", |open| before[..open].trim_end());
        }
        let token = before.rsplit([' ', '\t']).next().unwrap_or("");
        let digits = token.trim_start_matches("0x");
        if (4..=16).contains(&digits.len()) && text::hex(token).is_some() {
            return Some((digits.to_string(), behind));
        }
        // `<symbol+16>:` alone is not an address, but units follow.
        if token.is_empty() && text[..at].trim_end().ends_with('>') {
            return Some((String::new(), behind));
        }
    }
    None
}

fn unit(token: &str) -> Option<Unit> {
    let token = token.trim_end_matches(['u', 'U', 'l', 'L']);
    let bare = token.strip_prefix("0x").or_else(|| token.strip_prefix("0X"));
    let digits = bare.unwrap_or(token);
    let good =
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) && (digits.len() <= 16 || bare.is_none() && digits.len().is_multiple_of(8));
    good.then(|| Unit { digits: digits.to_string(), prefixed: bare.is_some(), times: 1 })
}

/// Characters that separate the numbers of a line.
const SEPARATORS: [char; 10] = [' ', '\t', ',', '{', '}', '[', ']', '(', ')', ';'];

/// Reads a line.
fn read(line: &str, number: usize) -> Read {
    let text = without_stamp(line.trim());
    if text.is_empty() || ["#", "//", ";", "/*"].iter().any(|mark| text.starts_with(mark)) {
        return Read::Nothing;
    }
    if text == "*" {
        return Read::Row(Row { number, repeats: true, ..Row::default() });
    }
    let (address, mut data) = match address(text) {
        Some((address, data)) => (Some(address), data.trim_start()),
        // gdb: $1 = {…}, C: uint32_t words[] = {…}
        None => (None, text.split_once('=').filter(|(_, rest)| rest.trim_start().starts_with('{')).map_or(text, |(_, rest)| rest)),
    };
    let mut cut = false;
    // hexdump -C prints its text between bars; other tools separate it with two spaces.
    if let Some((units, _)) = data.split_once('|') {
        (data, cut) = (units, true);
    } else if address.is_some()
        && let Some((units, rest)) = data.split_once("  ")
        && !rest.trim().is_empty()
    {
        (data, cut) = (units, true);
    }
    let mut units: Vec<Unit> = Vec::new();
    let mut tokens = data.split(SEPARATORS).filter(|token| !token.is_empty());
    let mut bad = None;
    while let Some(token) = tokens.next() {
        // gdb: 0x0 <repeats 12 times>
        if token == "<repeats" {
            let times = tokens.next().unwrap_or_default();
            let word = if times.contains('>') { "" } else { tokens.next().unwrap_or_default() };
            if word.ends_with("...") {
                bad = Some(Bad::Shortened);
            }
            match (units.last_mut(), times.parse::<usize>()) {
                (Some(unit), Ok(times)) if times > 0 && unit.times == 1 => unit.times = times,
                _ => bad = bad.or_else(|| Some(Bad::Repeats(format!("{} {}", brief(times), brief(word)).trim_end().to_string()))),
            }
            continue;
        }
        match unit(token.trim_end_matches("...")) {
            Some(unit) => {
                units.push(unit);
                // gdb prints at most 200 elements.
                if token.ends_with("...") {
                    bad = Some(Bad::Shortened);
                }
            }
            // If the list continues after it, it is not a comment. A word with a wrong digit is not text.
            None if in_list(data, token) || token.starts_with("0x") || token.starts_with("0X") => {
                bad = bad.or_else(|| Some(Bad::Element(brief(token).into_owned())))
            }
            None => {
                cut = true;
                break;
            }
        }
    }
    // Units followed by other text are words only if they are unmistakable: a sentence may begin with `add` or `be`.
    let sure = units.first().is_some_and(|first| first.prefixed || first.digits.len() == 8) || address.is_some();
    match units.is_empty() || cut && !sure {
        true if address.is_some() => Read::Row(Row { number, address, cut, bad, ..Row::default() }),
        true => Read::Other,
        false => Read::Row(Row { number, address, units, cut, bad, ..Row::default() }),
    }
}

/// Returns whether `token` is an element of a list in the line, with commas before and after it.
fn in_list(line: &str, token: &str) -> bool {
    let at = (token.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
    let (before, behind) = (line.get(..at).unwrap_or_default(), line.get(at + token.len()..).unwrap_or_default());
    before.trim_end().ends_with([',', '{', '[']) && behind.trim_start().starts_with([',', '}', ']'])
}

/// The meaning of the units of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    /// One word.
    Word,
    /// One decimal word.
    Decimal,
    /// Two words as one number: the low word is first in memory (`od -t x8`, gdb).
    TwoWords,
    /// Two words, printed one after the other.
    TwoWordsInOrder,
    /// Bytes in memory order, any number of them.
    Bytes,
    /// Two bytes as one number: the low byte is first in memory.
    Half,
}

/// Returns whether the first unit of each row is an address. Width alone does not decide: in a list of packets, a header is wider than what follows it. So
/// addresses must count the bytes of their rows, or the rows must look as much like packets without the first unit; they must look more like packets if the
/// addresses do not even increase.
fn begin_with_addresses(rows: &[Row]) -> bool {
    if rows.iter().any(|row| row.address.is_some()) {
        return false;
    }
    let sample: Vec<&Row> = rows.iter().filter(|row| !row.repeats && !row.units.is_empty()).take(SAMPLE).collect();
    if !(stand_out(&sample) || count_bytes(&sample)) {
        return false;
    }
    let mut split = rows.to_vec();
    split.iter_mut().for_each(Row::split_address);
    let (without, with) = (looks(&split, width(&split)), looks(rows, width(rows)));
    match advance(&split) {
        Advance { pairs, fit, .. } if fit > 1 && 2 * fit > pairs => true,
        Advance { fit: 0, grow: false, .. } => without > with,
        _ => without >= with,
    }
}

/// Returns whether the first unit of each row differs in width from all following units.
fn stand_out(rows: &[&Row]) -> bool {
    let Some(first) = rows.first().filter(|row| row.units.len() > 1) else { return false };
    // In a single row, any first number may differ in width; it is an address only at the start of a dump, at 0.
    let begins = rows.len() > 1 || first.units[0].digits.bytes().all(|digit| digit == b'0');
    let odd = |row: &&Row| match row.units.as_slice() {
        [address, unit, ..] => {
            let (own, wide) = (address.digits.len(), unit.digits.len());
            !address.prefixed && own != wide && row.units[1..].iter().all(|unit| unit.digits.len() == wide)
        }
        _ => true,
    };
    begins && rows.iter().all(odd)
}

/// Returns whether the first unit of each row counts the bytes of the previous rows. Numbers of odd width are not bytes, but a damaged number may have lost a
/// digit.
fn count_bytes(rows: &[&Row]) -> bool {
    let whole = |row: &&Row| row.units[1..].iter().all(|unit| unit.digits.len().is_multiple_of(2));
    let value = |row: &Row| u64::from_str_radix(&row.units[0].digits, 16).ok();
    let counts = |pair: &[&Row]| {
        let bytes = digits_in_bytes(&pair[0].units[1..]);
        bytes > 0 && value(pair[1]).zip(value(pair[0])).is_some_and(|(b, a)| b.wrapping_sub(a) == bytes)
    };
    rows.len() > 1 && 2 * rows.iter().filter(|row| whole(row)).count() > rows.len() && rows.windows(2).all(counts)
}

/// Returns the bytes of units, from the number of their digits alone.
fn digits_in_bytes(units: &[Unit]) -> u64 {
    units.iter().map(|unit| (unit.digits.len() as u64 / 2).saturating_mul(unit.times as u64)).fold(0, u64::saturating_add)
}

/// How the addresses of consecutive rows advance.
struct Advance {
    /// Pairs of rows.
    pairs: usize,
    /// Pairs whose addresses count the bytes between them.
    fit: usize,
    /// Each address is larger than the previous one.
    grow: bool,
}

fn advance(rows: &[Row]) -> Advance {
    let at = |row: &Row, base| u64::from_str_radix(row.address.as_deref()?, base).ok();
    let pairs: Vec<&[Row]> = rows.windows(2).filter(|pair| !pair[0].units.is_empty() && pair[1].address.is_some()).take(SAMPLE).collect();
    let follows = |pair: &[Row], base| at(&pair[1], base).zip(at(&pair[0], base)).is_some_and(|(b, a)| b.wrapping_sub(a) == digits_in_bytes(&pair[0].units));
    let fit = |base| pairs.iter().filter(|pair| follows(pair, base)).count();
    Advance { pairs: pairs.len(), fit: BASES.into_iter().map(fit).max().unwrap_or(0), grow: pairs.iter().all(|pair| at(&pair[1], 16) > at(&pair[0], 16)) }
}

fn width(rows: &[Row]) -> Width {
    let colon = rows.iter().any(|row| row.address.is_some());
    let units: Vec<&Unit> = rows.iter().flat_map(|row| &row.units).collect();
    let all = |digits: usize| !units.is_empty() && units.iter().all(|unit| unit.digits.len() == digits);
    let prefixed = units.iter().any(|unit| unit.prefixed);
    let single = rows.iter().all(|row| row.units.len() <= 1);
    let decimal = || {
        // Only decimal words have more than eight digits.
        let shows = |unit: &&Unit| unit.digits.len() > 8 && unit.digits.parse::<u32>().is_ok();
        !prefixed && !colon && units.iter().all(|unit| unit.digits.bytes().all(|byte| byte.is_ascii_digit())) && units.iter().any(shows)
    };
    match () {
        () if decimal() => Width::Decimal,
        () if all(2) && (!single || colon) => Width::Bytes,
        () if all(4) && !prefixed && !single => {
            // xxd prints pairs of bytes in memory order, hexdump prints them as numbers.
            let of = |width| looks(rows, width);
            if of(Width::Half) > of(Width::Bytes) { Width::Half } else { Width::Bytes }
        }
        () if units.iter().any(|unit| unit.digits.len() > 16) => Width::Bytes,
        () if all(16) && !prefixed => {
            // In memory order (xxd -g 8), word by word, or as numbers: whichever looks most like packets, or numbers if none does.
            let of = |width: &Width| looks(rows, *width);
            [Width::Bytes, Width::TwoWordsInOrder, Width::TwoWords].into_iter().max_by_key(of).unwrap_or(Width::TwoWords)
        }
        () if all(16) => Width::TwoWords,
        () => Width::Word,
    }
}

/// Returns how much rows look like packets if their units are read as `width`. Units that do not fit count as none, and repeats expand only as far as they are
/// examined.
fn looks(rows: &[Row], width: Width) -> usize {
    let (mut words, mut bytes) = (Vec::new(), Vec::new());
    for unit in rows.iter().flat_map(|row| &row.units) {
        let few = Unit { times: unit.times.min(score::LOOKED_AT), ..unit.clone() };
        push(&[few], width, &mut words, &mut bytes);
        if words.len() >= score::LOOKED_AT {
            break;
        }
    }
    score::plausible(&words)
}

impl Width {
    /// Returns how many bytes a unit stands for, not counting repeats.
    fn bytes(self, unit: &Unit) -> usize {
        match self {
            Self::Word | Self::Decimal => 4,
            Self::TwoWords | Self::TwoWordsInOrder => 8,
            Self::Half => 2,
            Self::Bytes => unit.digits.len().div_ceil(2),
        }
    }
}

/// Appends the contents of the units of a row.
fn push(units: &[Unit], width: Width, words: &mut Vec<u32>, bytes: &mut Vec<u8>) {
    for unit in units {
        let number = || u64::from_str_radix(&unit.digits, 16).ok();
        let pair = |pair: &[u8]| u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok();
        let mut add_words = |element: &[u32]| add(words, element, unit.times);
        match width {
            Width::Word => number().and_then(|value| u32::try_from(value).ok()).into_iter().for_each(|word| add_words(&[word])),
            Width::Decimal => unit.digits.parse::<u32>().into_iter().for_each(|word| add_words(&[word])),
            Width::TwoWords => number().into_iter().for_each(|value| add_words(&[value as u32, (value >> 32) as u32])),
            Width::TwoWordsInOrder => number().into_iter().for_each(|value| add_words(&[(value >> 32) as u32, value as u32])),
            Width::Half => number().into_iter().for_each(|value| add(bytes, &(value as u16).to_le_bytes(), unit.times)),
            Width::Bytes => add(bytes, &unit.digits.as_bytes().chunks(2).filter_map(pair).collect::<Vec<_>>(), unit.times),
        }
    }
    if matches!(width, Width::Half | Width::Bytes) {
        let whole = bytes.len() / 4 * 4;
        words.extend(bytes.drain(..whole).as_slice().as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)));
    }
}

/// Appends an element as often as it repeats, perhaps millions of times.
fn add<T: Copy>(to: &mut Vec<T>, element: &[T], times: usize) {
    match element {
        [one] => to.resize(to.len() + times, *one),
        _ => (0..times).for_each(|_| to.extend_from_slice(element)),
    }
}

/// Number bases of addresses.
const BASES: [u32; 3] = [16, 8, 10];

/// Returns whether the address of the second row counts the bytes of the first.
fn follows(pair: &[Row], base: u32, width: Width) -> bool {
    let at = |row: &Row| u64::from_str_radix(row.address.as_deref()?, base).ok();
    let bytes = pair[0].bytes(width);
    at(&pair[1]).zip(at(&pair[0])).is_some_and(|(b, a)| b.wrapping_sub(a) == bytes)
}

/// Returns the number base of the addresses, from consecutive rows and the bytes between them. None if no base fits; 16 if no rows are consecutive.
fn base(rows: &[Row], width: Width) -> Option<u32> {
    let pairs = || rows.windows(2).filter(|pair| pair.iter().all(|row| row.address.as_ref().is_some_and(|address| !address.is_empty())));
    if pairs().next().is_none() {
        return Some(16);
    }
    BASES.into_iter().find(|base| pairs().take(SAMPLE).any(|pair| follows(pair, *base, width)))
}

pub fn parse(bytes: &[u8], input: &mut Input) {
    let (mut lines, mut words) = (HexLines::default(), Vec::new());
    lines.bytes(bytes, &mut words, input);
    let buffer = lines.end(&mut words, input);
    input.buffers.push(InputBuffer { words, ..buffer });
}

/// Converts words as text to numbers, in pieces of any length. Keeps the first rows until they show what units are; after that, at most one line.
#[derive(Debug, Default)]
pub(in crate::input) struct HexLines {
    /// The start of a line, or what follows the pieces already read.
    line: Vec<u8>,
    /// Pieces of the line have already been read.
    continues: bool,
    /// The rest of the line is skipped.
    skips: bool,
    /// Lines read so far.
    lines: usize,
    first: Vec<Row>,
    reading: Option<Reading>,
    /// Bytes after the last complete word.
    rest: Vec<u8>,
    /// Number of words passed on.
    words: u64,
    /// The address of the first byte, if addresses are given.
    start: Option<u64>,
    last: Option<Row>,
    repeat: bool,
    /// Bytes that repeats have added, at most `MOST_REPEATED_BYTES`.
    repeated: usize,
    passed_over: usize,
}

/// The meaning of the units, decided from the first rows.
#[derive(Debug, Clone, Copy)]
struct Reading {
    /// The first unit of each row is an address.
    addresses: bool,
    width: Width,
    /// The number base of the addresses.
    base: Option<u32>,
}

impl Reading {
    fn of(rows: &mut [Row]) -> Self {
        let addresses = begin_with_addresses(rows);
        if addresses {
            rows.iter_mut().for_each(Row::split_address);
        }
        let width = width(rows);
        Self { addresses, width, base: base(rows, width) }
    }
}

impl Row {
    /// Returns the number of bytes in the row.
    fn bytes(&self, width: Width) -> u64 {
        self.units.iter().map(|unit| (width.bytes(unit) as u64).saturating_mul(unit.times as u64)).fold(0, u64::saturating_add)
    }

    /// Makes the first unit the address.
    fn split_address(&mut self) {
        if self.address.is_none() && !self.continues && !self.units.is_empty() {
            self.address = Some(self.units.remove(0).digits);
        }
    }
}

impl HexLines {
    /// Reads more bytes and appends the words that they complete.
    pub fn bytes(&mut self, mut bytes: &[u8], words: &mut Vec<u32>, input: &mut Input) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (head, tail) = bytes.split_at(end);
            bytes = &tail[1..];
            if self.line.is_empty() && !self.continues && !self.skips && head.len() <= LONGEST_PIECE {
                self.line(head, words, input);
                self.skips = false;
            } else {
                self.keep(head, words, input);
                self.end_line(words, input);
            }
        }
        self.keep(bytes, words, input);
    }

    /// Appends to the start of a line, and reads each complete piece.
    fn keep(&mut self, mut bytes: &[u8], words: &mut Vec<u32>, input: &mut Input) {
        while !self.skips {
            let room = LONGEST_PIECE.saturating_sub(self.line.len());
            let Some((head, tail)) = bytes.split_at_checked(room).filter(|(_, tail)| !tail.is_empty()) else { break };
            self.line.extend_from_slice(head);
            self.piece(words, input);
            bytes = tail;
        }
        if !self.skips {
            self.line.extend_from_slice(bytes);
        }
    }

    /// Reads the line so far, up to the end of an element: gdb prints repeats between an element and its comma.
    fn piece(&mut self, words: &mut Vec<u32>, input: &mut Input) {
        let mut line = core::mem::take(&mut self.line);
        let last = |separators: &[char]| line.iter().rposition(|byte| separators.contains(&char::from(*byte)));
        let Some(end) = last(&[',']).or_else(|| last(&SEPARATORS)) else {
            let message = format!("the line has {} bytes without a number: the rest of it is left out", line.len());
            self.skips = true;
            return input.damage(InputPlace::Line(self.lines + usize::from(!self.continues)), message);
        };
        self.line(&line[..=end], words, input);
        self.continues = true;
        if self.reading.is_none() {
            self.decide(words, input);
        }
        line.drain(..=end);
        self.line = line;
    }

    /// Ends the kept line.
    fn end_line(&mut self, words: &mut Vec<u32>, input: &mut Input) {
        let mut line = core::mem::take(&mut self.line);
        if !self.skips {
            self.line(&line, words, input);
        } else if !self.continues {
            self.lines += 1;
        }
        (self.continues, self.skips) = (false, false);
        line.clear();
        self.line = line;
    }

    /// Ends the input and appends its last words. The returned buffer holds no words, only the remaining bytes.
    pub fn end(mut self, words: &mut Vec<u32>, input: &mut Input) -> InputBuffer {
        self.end_line(words, input);
        if self.reading.is_none() {
            self.decide(words, input);
        }
        if self.passed_over > 0 {
            input.remark(InputPlace::Whole, format!("text after the words of a line is ignored; lines: {}", self.passed_over));
        }
        InputBuffer { trailing_bytes: self.rest, ..InputBuffer::new("", BufferUse::Submitted) }
    }

    fn line(&mut self, line: &[u8], words: &mut Vec<u32>, input: &mut Input) {
        self.lines += usize::from(!self.continues);
        let text = text::clean(line);
        match read(&text, self.lines) {
            Read::Row(row) => {
                let row = Row { continues: self.continues, ..row };
                self.skips |= row.cut;
                if self.reading.is_some() {
                    return self.row(row, words, input);
                }
                self.first.push(row);
                if self.first.len() == FIRST_ROWS {
                    self.decide(words, input);
                }
            }
            Read::Nothing if self.continues && text.trim().is_empty() => {}
            Read::Nothing => self.skips = !text.trim().is_empty(),
            Read::Other => input.damage(InputPlace::Line(self.lines), format!("{:?} is not a word: the line is left out", brief(text.trim()))),
        }
    }

    /// Charges the repeats of a row to the rest of `MOST_REPEATED_BYTES`, and shortens repeats that exceed it.
    fn limit_repeats(&mut self, row: &mut Row, width: Width, input: &mut Input) {
        for unit in row.units.iter_mut().filter(|unit| unit.times > 1) {
            let bytes = width.bytes(unit);
            let (wanted, left) = (unit.times - 1, (MOST_REPEATED_BYTES - self.repeated) / bytes);
            if wanted > left {
                unit.times = 1 + left;
                input.damage(InputPlace::Line(row.number), too_many_repeats((wanted - left).saturating_mul(bytes).div_ceil(4)));
            }
            self.repeated += (unit.times - 1) * bytes;
        }
    }

    /// Decides from the rows so far what units are.
    fn decide(&mut self, words: &mut Vec<u32>, input: &mut Input) {
        let mut rows = core::mem::take(&mut self.first);
        let reading = Reading::of(&mut rows);
        if reading.addresses {
            input.remark(InputPlace::Whole, "the first number of each line is taken for its address".to_string());
        }
        self.reading = Some(reading);
        rows.into_iter().for_each(|row| self.row(row, words, input));
    }

    /// Returns the bytes read so far. `words` are those of this call, which began with `before` of them.
    fn here(&self, words: &[u32], before: usize) -> u64 {
        4 * (self.words + (words.len() - before) as u64) + self.rest.len() as u64
    }

    fn row(&mut self, mut row: Row, words: &mut Vec<u32>, input: &mut Input) {
        let Some(Reading { addresses, width, base }) = self.reading else { return };
        if row.repeats {
            self.repeat = true;
            return;
        }
        if addresses {
            row.split_address();
        }
        self.limit_repeats(&mut row, width, input);
        self.passed_over += usize::from(row.cut && row.address.is_none());
        let before = words.len();
        let at = row.address.as_deref().and_then(|address| u64::from_str_radix(address, base?).ok());
        if let Some(at) = at {
            let here = self.here(words, before);
            let from = *self.start.get_or_insert(at.wrapping_sub(here));
            let wanted = at.wrapping_sub(from);
            if self.repeat
                && let Some(last) = &self.last
            {
                let (bytes, left) = (wanted.saturating_sub(here), (MOST_REPEATED_BYTES - self.repeated) / 4);
                let filled = words.len();
                if let Some(lost) = fill(last, width, bytes, left, words, &mut self.rest) {
                    input.damage(InputPlace::Line(row.number), too_many_repeats(lost));
                }
                self.repeated += 4 * (words.len() - filled);
            }
            let here = self.here(words, before);
            if wanted != here {
                let (what, bytes) =
                    if wanted > here { ("are missing before this line", wanted - here) } else { ("of earlier lines are repeated here", here - wanted) };
                input.damage(InputPlace::Line(row.number), format!("the address says that 0x{bytes:x} bytes {what}: the words are used as they are"));
                self.start = Some(at.wrapping_sub(here));
            }
        }
        if let Some(bad) = &row.bad {
            input.damage(InputPlace::Line(row.number), bad.message());
        }
        self.repeat = false;
        let (filled, units) = (words.len(), row.units.iter().map(|unit| unit.times).sum::<usize>());
        push(&row.units, width, words, &mut self.rest);
        if matches!(width, Width::Word | Width::Decimal) && words.len() - filled < units {
            let base = if width == Width::Word { 16 } else { 10 };
            let bad = row.units.iter().find(|unit| u32::from_str_radix(&unit.digits, base).is_err()).map_or("", |unit| unit.digits.as_str());
            input.damage(
                InputPlace::Line(row.number),
                format!(
                    "{:?} does not fit into 32 bits: it is left out, and what follows moves up by {}",
                    brief(bad),
                    counted(units - (words.len() - filled), "dword")
                ),
            );
        }
        self.words += (words.len() - before) as u64;
        if !row.units.is_empty() {
            self.last = Some(row);
        }
    }
}

/// Returns the message for repeats that exceed `MOST_REPEATS`; `lost` is in dwords.
fn too_many_repeats(lost: usize) -> String {
    format!("repeats add more than {MOST_REPEATS} dwords to this input: {} left out here", counted_are(lost, "dword"))
}

/// Repeats a row for `bytes` bytes, as `*` of od and hexdump means, but appends at most `most` dwords. Returns the number of dwords left out.
fn fill(row: &Row, width: Width, bytes: u64, most: usize, words: &mut Vec<u32>, rest: &mut Vec<u8>) -> Option<usize> {
    let (start, kept) = (words.len(), rest.len() as u64);
    let end = bytes.saturating_add(kept);
    let wanted = usize::try_from(end / 4).unwrap_or(usize::MAX);
    while 4 * ((words.len() - start) as u64) + (rest.len() as u64) < end && words.len() - start < most {
        let before = (words.len(), rest.len());
        push(&row.units, width, words, rest);
        if (words.len(), rest.len()) == before {
            return None;
        }
    }
    words.truncate(start + wanted.min(most));
    (wanted > most).then(|| wanted - most)
}
