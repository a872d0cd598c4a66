//! Recognizes a log and reads it.

use super::lines::{FAULT, Gpu, MOST_GPUS, REFUSED, RESET_BEGINS, STATUS, machine, of_device};
use super::log::Log;
use super::messages::{boot_ids, boots_are_mixed, messages, of_each};
use super::order::{Order, order};
use super::stamp::stamps;
use crate::input::ground::text::{self, Line};
use crate::input::ground::{Head, Input, InputPlace};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

/// What only the log of a kernel says of a hang or a page fault.
pub(super) const MARKS: [&str; 8] = [
    FAULT,
    STATUS[0],
    STATUS[1],
    "timeout, signaled seq",
    "timeout, but soft recovered",
    "Dumping IP State",
    RESET_BEGINS,
    "device coredump file has been created",
];

/// Where the words are that a log does not have.
pub(super) const ADVICE: &str = "for packets and draws read the device coredump, which the kernel keeps for about 5 minutes after the hang: \
                      /sys/class/drm/card0/device/devcoredump/data, or /sys/class/devcoredump/devcd*/data";

/// A log may have bytes that are no text.
pub(in crate::input::forms) fn is(head: &Head<'_>) -> bool {
    head.has("amdgpu") && MARKS.iter().copied().chain(REFUSED.map(|(said, _)| said)).any(|mark| head.has(mark))
}

pub(in crate::input::forms) fn parse(bytes: &[u8], input: &mut Input) {
    let mut log = Log::default();
    let mut gpus: Vec<Gpu> = Vec::new();
    let order = order(bytes);
    let are_mixed = boots_are_mixed(bytes);
    let mut read = |Line { number, text }: &Line<'_>| {
        let messages = messages(text);
        let (times, boots) = (of_each(stamps(text), messages.len()), of_each(boot_ids(text), messages.len()));
        let mut records: Vec<_> = messages.iter().zip(times).zip(boots).collect();
        if order == Order::NewestFirst {
            records.reverse();
        }
        for ((message, time), boot) in records {
            log.boot_of_record(boot.filter(|_| !are_mixed));
            log.time_of_record(message, time);
            log.line(message, *number);
            gpus.extend(machine(message).filter(|_| gpus.len() < MOST_GPUS));
        }
    };
    if order == Order::NewestFirst {
        let lines: Vec<Line<'_>> = text::lines(bytes).collect();
        lines.iter().rev().for_each(&mut read);
    } else {
        text::lines(bytes).for_each(|line| read(&line));
    }
    let what = if log.says().is_empty() { "the log has no page fault and no ring that timed out" } else { "a log has no command words" };
    input.remark(InputPlace::Whole, format!("{what}; {ADVICE}"));
    match order {
        Order::OldestFirst => {}
        Order::NewestFirst => input.remark(InputPlace::Whole, "the newest line of the log is first: it was read from its end".into()),
        Order::Unsure => input.remark(
            InputPlace::Whole,
            "times or events of the log are in reverse order, and it is not certain that its newest line is first: it was read from its beginning".into(),
        ),
    }
    let device = log.tell(input);
    input.chip = of_device(&gpus, &device, |gpu| gpu.chip);
    let family = of_device(&gpus, &device, |gpu| gpu.family);
    if input.chip.is_none() {
        let said = family.map_or_else(
            || "the log does not say which chip it is of".to_string(),
            |family| format!("the log names the generation {family}, but not the chip"),
        );
        input.remark(InputPlace::Whole, format!("{said}: name the chip with --chip"));
    }
}
