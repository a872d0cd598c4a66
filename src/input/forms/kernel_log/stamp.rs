//! The times of lines.

use super::messages::values;
use crate::input::ground::text::{first, is_digit};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What a time counts from.
#[derive(Clone, PartialEq)]
pub(super) enum Clock {
    Boot,
    /// 1970.
    Epoch,
    Date,
    /// A date without its year.
    DateOfYear,
    /// A time of day, after a text that is no known date.
    Time(String),
}

/// The time of a line. Those of one clock have an order.
#[derive(Clone)]
pub(super) struct Stamp {
    pub clock: Clock,
    pub micros: i64,
}

pub(super) const SECOND: i64 = 1_000_000;

pub(super) const DAY: i64 = 24 * 60 * 60 * SECOND;

/// As the kernel and journalctl abbreviate them.
pub(super) const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl Stamp {
    /// A step back in the time since boot is not longer where lines are reversed; most longer ones are those to the next boot.
    pub const NEAR: i64 = 10 * SECOND;
    /// Longer steps are those to another year.
    pub const HALF_A_YEAR: i64 = 6 * 31 * DAY;

    pub fn new(clock: Clock, micros: i64) -> Self {
        Self { clock, micros }
    }

    /// `Sep 17 02:31:41`, `2026-09-17T02:31:41.123456`, `Thu Sep 17 02:31:41 2026`.
    pub fn of_date(text: &str) -> Option<Self> {
        const LONGEST: usize = 64;
        let bytes = &text.as_bytes()[..text.len().min(LONGEST)];
        let is_time = |at: &usize| {
            let fits = |(n, byte): (usize, &u8)| if n % 3 == 2 { *byte == b':' } else { byte.is_ascii_digit() };
            let goes_on = |byte: &u8| byte.is_ascii_digit() || *byte == b':';
            (*at == 0 || !goes_on(&bytes[at - 1])) && bytes[*at..at + 8].iter().enumerate().all(fits) && !bytes.get(at + 8).is_some_and(goes_on)
        };
        let at = (0..bytes.len().saturating_sub(7)).find(is_time)?;
        let (before, rest) = (&text[..at], &text[at + 8..]);
        let (decimals, rest) = match rest.strip_prefix(['.', ',']).map(|rest| rest.split_at(rest.len() - rest.trim_start_matches(is_digit).len())) {
            Some((decimals, rest)) => (decimals, rest),
            None => ("", rest),
        };
        let mut parts = [24, 60, 60].into_iter().zip(text[at..at + 8].split(':'));
        let time = parts.try_fold(0, |sum, (limit, part)| Some(sum * 60 + number(part).filter(|part| *part < limit)?))?;
        let micros = time * SECOND + of_decimals(decimals)?;
        if let Some((year, month, day)) = iso_date(before) {
            return Some(Self::new(Clock::Date, ((year * 12 + month) * 31 + day) * DAY + micros));
        }
        let Some((month, day)) = month_and_day(before) else { return Some(Self::new(Clock::Time(before.into()), micros)) };
        let micros = (month * 31 + day) * DAY + micros;
        // `2026]` after a blank.
        let year = rest.strip_prefix(' ').and_then(|rest| rest.split_once(']')).filter(|(year, _)| year.len() == 4).and_then(|(year, _)| number(year));
        Some(year.map_or_else(|| Self::new(Clock::DateOfYear, micros), |year| Self::new(Clock::Date, year * 12 * 31 * DAY + micros)))
    }
}

/// Returns a number of digits alone that has no overflow when it counts seconds.
pub(super) fn number(text: &str) -> Option<i64> {
    (text.len() <= 12 && text.chars().all(is_digit)).then(|| text.parse().ok()).flatten()
}

/// Decimals of a second, as microseconds.
pub(super) fn of_decimals(decimals: &str) -> Option<i64> {
    number(&format!("{:0<6}", decimals.get(..6).unwrap_or(decimals)))
}

/// `812.104233`, as microseconds.
pub(super) fn seconds(text: &str) -> Option<i64> {
    let (whole, decimals) = text.split_once('.').filter(|(_, decimals)| !decimals.is_empty() && decimals.chars().all(is_digit))?;
    Some(number(whole)? * SECOND + of_decimals(decimals)?)
}

/// Returns the date at the end of what is before a time: `2026-09-17T`.
pub(super) fn iso_date(before: &str) -> Option<(i64, i64, i64)> {
    let before = before.strip_suffix(['T', ' '])?;
    let mut parts = before.get(before.len().checked_sub(10)?..)?.splitn(3, '-');
    let mut part = |length| parts.next().filter(|part| part.len() == length).and_then(number);
    Some((part(4)?, part(2)?, part(2)?))
}

/// Returns the same as `Sep 17 `.
pub(super) fn month_and_day(before: &str) -> Option<(i64, i64)> {
    let (before, day) = before.trim_end().rsplit_once(' ')?;
    let name = before.trim_end().rsplit(|c: char| !c.is_alphabetic()).next()?;
    let month = MONTHS.iter().zip(1..).find(|(month, _)| **month == name)?.1;
    Some((month, number(day).filter(|day| (1..=31).contains(day))?))
}

/// Returns the times of a line: of each record where it is JSON, else the one at its start, `[  812.104233]`, that of a date, or `1726540301.123456`.
pub(super) fn stamps(text: &str) -> Vec<Stamp> {
    let text = text.trim_start();
    // Records of JSON as events of a server, or behind a separator.
    let text = text.strip_prefix("data: ").unwrap_or(text).trim_start_matches('\x1e');
    if let Some(micros) = text.strip_prefix("__REALTIME_TIMESTAMP=").and_then(number) {
        return [Stamp::new(Clock::Epoch, micros)].into();
    }
    if text.starts_with(['{', '"']) || text.starts_with("[{") {
        let value = |value: &str| {
            let value = value.trim_start().trim_start_matches('"');
            let end = value.find(|c: char| !is_digit(c) && c != '.').unwrap_or(value.len());
            if !value[end..].trim_start().is_empty() && !value[end..].trim_start().starts_with(['"', ',', '}', ']']) {
                return None; // a date
            }
            seconds(&value[..end]).or_else(|| value[..end].parse().ok())
        };
        let found = |key| values(text, key).filter_map(value);
        let records: Vec<Stamp> = found("\"__REALTIME_TIMESTAMP\"").map(|micros| Stamp::new(Clock::Epoch, micros)).collect();
        if !records.is_empty() {
            return records;
        }
        let since_boot = ["\"__MONOTONIC_TIMESTAMP\"", "\"time\""].into_iter().map(|key| found(key).collect::<Vec<i64>>()).find(|found| !found.is_empty());
        return since_boot.unwrap_or_default().into_iter().map(|micros| Stamp::new(Clock::Boot, micros)).collect();
    }
    let inner = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(inner, _)| inner.trim());
    // `[  812.104233 <    0.000021 >]` has the time since the line before as well.
    let inner = inner.map(|inner| inner.split_once('<').map_or(inner, |(time, _)| time.trim_end()));
    let since_boot = || inner.and_then(seconds).map(|micros| Stamp::new(Clock::Boot, micros));
    // Times since 1970 have more digits than those since boot.
    let since_1970 = || Some(first(text)).filter(|first| first.find('.').is_some_and(|at| at > 8)).and_then(seconds);
    let stamp = since_boot().or_else(|| since_1970().map(|micros| Stamp::new(Clock::Epoch, micros))).or_else(|| Stamp::of_date(text));
    stamp.into_iter().collect()
}
