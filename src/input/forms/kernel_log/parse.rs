//! Recognizes a log and reads it.

use super::order::{Order, order};
use super::{event, read};
use crate::chip::Chip;
use crate::input::ground::{EventKind, Head, Input, InputPlace, LogEvent};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Where the words are that a log does not have.
const ADVICE: &str = "for packets and draws read the device coredump, which the kernel keeps for about 5 minutes after the hang: \
                      /sys/class/drm/card0/device/devcoredump/data, or /sys/class/devcoredump/devcd*/data";

/// Returns whether the beginning of an input has a line that states what went wrong. A log may have bytes that are no text.
pub(in crate::input::forms) fn is(head: &Head<'_>) -> bool {
    let text = alloc::string::String::from_utf8_lossy(head.bytes);
    let starts = |kind: &EventKind| {
        let of_oops = matches!(kind, EventKind::DriverError(text) if event::oops(text).is_some());
        kind.is_of_an_incident() && !matches!(kind, EventKind::BlockFailed(_)) && !event::is_of_smu(kind) && !of_oops
    };
    let states = |line: &str| event::may_state(line) && event::event(line).as_ref().is_some_and(starts);
    text.lines().any(states) || !read::events(head.bytes).is_empty()
}

/// Returns the events of a text.
pub(in crate::input::forms) fn events(bytes: &[u8]) -> Vec<LogEvent> {
    read::events(bytes)
}

/// Returns the chip, where the lines of no GPU say another one, and no GPU is without.
fn chip(events: &[LogEvent]) -> Option<Chip> {
    let first = events.iter().find_map(|event| event.chip)?;
    let gpus: BTreeSet<&str> = events.iter().filter_map(|event| event.gpu.as_deref()).collect();
    let named: BTreeSet<&str> = events.iter().filter(|event| event.chip.is_some()).filter_map(|event| event.gpu.as_deref()).collect();
    (events.iter().all(|event| event.chip.is_none_or(|chip| chip == first)) && (gpus.len() < 2 || named == gpus)).then_some(first)
}

/// Returns the kernel that ran when the first thing went wrong.
fn kernel(events: &[LogEvent]) -> Option<String> {
    let wrong = events.iter().position(|event| event.kind.is_of_an_incident()).unwrap_or(events.len());
    let boots = events[..wrong].iter().rev().filter_map(|event| if let EventKind::Boot { kernel } = &event.kind { Some(kernel) } else { None });
    boots.take(1).find_map(Clone::clone)
}

pub(in crate::input::forms) fn parse(bytes: &[u8], input: &mut Input) {
    input.events = read::events(bytes);
    input.chip = chip(&input.events);
    input.facts.extend(kernel(&input.events).map(|kernel| ("kernel", kernel)));
    input.remark(InputPlace::Whole, format!("a log has no command words; {ADVICE}"));
    match order(bytes) {
        Order::OldestFirst => {}
        Order::NewestFirst => input.remark(InputPlace::Whole, "the newest line of the log is first: it was read from its end".into()),
        Order::Unsure => input.remark(
            InputPlace::Whole,
            "times or events of the log are in reverse order, and it is not certain that its newest line is first: it was read from its beginning".into(),
        ),
    }
    if input.events.iter().any(|event| event.kind == EventKind::OldFault) {
        let message = "the log has page faults of GFX8 or older GPUs (\"VM fault\", \"GPU fault detected\"): they are not decoded";
        input.remark(InputPlace::Whole, message.into());
    }
}
