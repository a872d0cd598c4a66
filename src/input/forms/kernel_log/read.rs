//! The events of a log, in the order of time.

use super::event;
use super::messages::messages as records;
use super::order::{Order, order};
use super::seam::{self, SEAM};
use super::stamp::{Clock, Stamp, stamps};
use super::unwrap::{self, Message};
use crate::input::ground::{EventKind, LogEvent};
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Returns the clock of a stamp as a number; None if it has no order.
fn micros(stamp: &Stamp) -> Option<(u64, i64)> {
    let clock = match stamp.clock {
        Clock::Boot => 0,
        Clock::Epoch => 1,
        Clock::Date => 2,
        Clock::DateOfYear => 3,
        Clock::Time(_) => return None,
    };
    Some((clock, stamp.micros))
}

/// Returns a text with all letters alike and all digits alike.
fn shape(text: &str) -> String {
    let kind = |c: char| {
        if c.is_ascii_digit() {
            '0'
        } else if c.is_alphabetic() {
            'a'
        } else {
            c
        }
    };
    text.chars().map(kind).collect()
}

/// Returns whether the first message of an input lacks the beginning of its prefix: its prefix, up to the time, occurs later in the next message.
fn lacks_its_beginning(first: &str, time: &str, next: &str) -> bool {
    const LONGEST: usize = 100;
    let head = &first[..first.find(time).map_or(0, |at| at + time.len())];
    let (head, next) = (shape(head), shape(&next.chars().take(LONGEST).collect::<String>()));
    !head.is_empty() && !next.starts_with(&head) && next.contains(&head)
}

/// Returns whether a time can be complete: months have more than two letters, and years have four digits. Otherwise it follows a truncated colour or mark.
fn is_whole(time: &str) -> bool {
    let word = time.split(' ').next().unwrap_or_default();
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let is_date = word[digits..].starts_with('-');
    let is_mixed = word[digits..].starts_with(|c: char| c.is_ascii_alphabetic()) && digits > 0;
    // What ends with a colon is the end of a PCI address.
    !(time.contains('\u{fffd}') || time.ends_with(':') || is_mixed || is_date && digits != 4 || digits == 0 && word.is_ascii() && letters < 3)
}

/// Returns the time of a message as it stands there.
fn time(text: &str) -> Option<String> {
    let text = unwrap::unmarked(text.trim_start());
    if let Some(rest) = text.strip_prefix('[') {
        let (inner, _) = rest.split_once(']')?;
        let inner = inner.trim();
        return (inner.contains(['.', ':'])
            && inner.starts_with(|c: char| c.is_ascii_alphanumeric())
            && inner.bytes().any(|byte| byte.is_ascii_digit())
            && !inner.contains("drm"))
        .then(|| inner.to_string());
    }
    let mut end = 0;
    let mut parts = 0;
    for (at, part) in text
        .split(' ')
        .scan(0, |at, part| {
            let from = *at;
            *at += part.len() + 1;
            Some((from, part))
        })
        .take(6)
    {
        parts += 1;
        if part.as_bytes().first().is_some_and(u8::is_ascii_digit) && unwrap::has_time(part) {
            end = at + part.len();
            break;
        }
    }
    (end > 0 && parts <= 5 && is_whole(&text[..end])).then(|| text[..end].to_string())
}

/// Which failures of the kernel itself are of this driver: those whose trace names it.
#[derive(Default)]
struct Oops {
    /// The number of its event, and lines since.
    now: Option<(usize, usize)>,
    named: bool,
    traced: bool,
    /// Events whose trace names other parts of the kernel, and those without a trace.
    others: BTreeSet<usize>,
    untold: BTreeSet<usize>,
}

impl Oops {
    /// Lines of a trace at most.
    const LONGEST: usize = 150;

    fn end(&mut self) {
        if let Some((event, _)) = self.now.take().filter(|_| !self.named) {
            if self.traced { &mut self.others } else { &mut self.untold }.insert(event);
        }
        (self.named, self.traced) = (false, false);
    }

    /// Reads a line, before its events, which are those from `next` on.
    fn line(&mut self, text: &str, may_state: bool, next: usize) {
        if may_state && event::oops(text).is_some() {
            self.end();
            self.now = Some((next, 0));
        }
        let Some((_, lines)) = &mut self.now else { return };
        *lines += 1;
        self.traced |= text.contains("RIP:") || text.contains("Call Trace") || text.contains("pc : ");
        self.named |= text.contains("[amdgpu]") && text.contains("+0x") || text.contains("Workqueue: amdgpu") || text.contains("drivers/gpu/drm/amd/");
        if *lines > Self::LONGEST || text.contains("---[ end trace") {
            self.end();
        }
    }

    /// Takes away what is of other parts of the kernel. One without a trace is kept where the GPU has other trouble.
    fn remove(&mut self, list: &mut Vec<LogEvent>) {
        self.end();
        let is_oops = |event: &LogEvent| matches!(&event.kind, EventKind::DriverError(text) if event::oops(text).is_some());
        if !list.iter().any(|event| event.kind.is_of_an_incident() && !is_oops(event)) {
            self.others.append(&mut self.untold);
        }
        let mut number = 0..;
        list.retain(|event| {
            let number = number.next().unwrap_or_default();
            !(is_oops(event) && self.others.contains(&number))
        });
    }
}

/// Returns the events of a text.
pub(super) fn events(bytes: &[u8]) -> Vec<LogEvent> {
    let mut list: Vec<LogEvent> = Vec::new();
    let mut oops = Oops::default();
    let mut is_first = true;
    // The first message with its time, and whether that time is cut.
    let (mut first, mut is_time_cut, mut before) = (None, false, String::new());
    unwrap::messages(bytes, |Message { line, text: joined }| {
        let all = if joined.contains(SEAM) { seam::readings(&joined) } else { Vec::from([joined]) };
        let Some((text, others)) = all.split_first() else { return };
        let may_state = all.iter().any(|text| event::may_state(text));
        oops.line(text, may_state, list.len());
        let is_cut = core::mem::take(&mut is_first);
        if is_cut {
            first = time(text).map(|time| (line, time));
            before.clone_from(text);
        } else if let Some((_, time)) = first.as_ref().filter(|_| !before.is_empty() && !text.trim().is_empty()) {
            is_time_cut = lacks_its_beginning(&before, time, text);
            before.clear();
        }
        if !may_state {
            return;
        }
        let times = stamps(text);
        for (number, message) in records(text).iter().enumerate() {
            let readings = || core::iter::once(message.as_ref()).chain(others.iter().map(String::as_str));
            let gpu = seam::same(readings().map(event::gpu));
            let mut generation = seam::same(readings().map(event::generation));
            let chip = seam::same(readings().map(event::chip));
            // The register may have lost the beginning of its name.
            if is_cut && message.starts_with("VM_L2_") {
                generation = None;
            }
            let stamp = times.get(number).or(times.last());
            let kind = seam::agreed(readings().map(event::event));
            let kind = kind.or_else(|| event::without_ring(message).filter(|_| is_cut));
            let kind = kind.or_else(|| (generation.is_some() || chip.is_some()).then_some(EventKind::Machine));
            let printed = if text.len() == message.len() { time(text) } else { None };
            list.extend(kind.map(|kind| LogEvent { line, micros: stamp.and_then(micros), time: printed, gpu, generation, chip, kind }));
        }
    });
    oops.remove(&mut list);
    if is_time_cut && let Some((message, time)) = &first {
        list.iter_mut().filter(|event| event.line == *message && event.time.as_ref() == Some(time)).for_each(|event| event.time = None);
    }
    if !list.iter().any(|event| event.kind.is_of_an_incident() && !event::is_of_smu(&event.kind)) {
        return Vec::new();
    }
    if order(bytes) == Order::NewestFirst {
        list.reverse();
    }
    sort(&mut list);
    list
}

/// Puts lines that are out of order right, within each boot.
fn sort(list: &mut [LogEvent]) {
    let is_boot = |event: &LogEvent| matches!(event.kind, EventKind::Boot { .. });
    for boot in list.split_mut(is_boot) {
        let Some(clock) = boot.iter().find_map(|event| event.micros).map(|(clock, _)| clock) else { continue };
        if boot.iter().any(|event| event.micros.is_some_and(|(other, _)| other != clock)) {
            continue;
        }
        // A time that goes far back is that of another boot.
        let mut last = i64::MIN;
        let mut keys = Vec::new();
        let mut era = 0i64;
        for event in boot.iter() {
            let now = event.micros.map_or(last, |(_, micros)| micros);
            if clock == 0 && last != i64::MIN && last.saturating_sub(now) > 600_000_000 {
                era += 1;
            }
            last = now;
            keys.push((era, now));
        }
        let mut keyed: Vec<((i64, i64), LogEvent)> = keys.into_iter().zip(boot.iter().cloned()).collect();
        keyed.sort_by_key(|(key, _)| *key);
        for (slot, (_, event)) in boot.iter_mut().zip(keyed) {
            *slot = event;
        }
    }
}
