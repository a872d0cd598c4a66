//! The order of the lines of a log in time.

use super::lines::{DUMPED, FAULT, MOST_GPUS, Reset, STATUS, device, reset};
use super::messages::{FIRST_LINES, messages};
use super::stamp::{Clock, Stamp, stamps};
use crate::input::ground::text;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::mem;

/// Steps back from which on a log has its newest line first.
pub(super) const EARLIER: usize = 5;

/// The order of the lines of a log in time.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Order {
    OldestFirst,
    /// As journalctl prints it with --reverse.
    NewestFirst,
    /// Times go back, but they may be those of several boots.
    Unsure,
}

pub(super) fn order(bytes: &[u8]) -> Order {
    let (mut later, mut earlier, mut far_back) = (0, 0, 0);
    let mut before: Vec<Stamp> = Vec::new();
    for now in text::lines(bytes).take(FIRST_LINES).flat_map(|line| stamps(&line.text)) {
        let Some(last) = before.iter_mut().find(|last| mem::discriminant(&last.clock) == mem::discriminant(&now.clock)) else {
            before.push(now);
            continue;
        };
        let step = if last.clock == now.clock { now.micros - last.micros } else { 0 };
        match now.clock {
            Clock::Boot if step < -Stamp::NEAR => far_back += 1,
            Clock::DateOfYear if step.abs() > Stamp::HALF_A_YEAR => {}
            _ => {
                later += usize::from(step > 0);
                earlier += usize::from(step < 0);
            }
        }
        *last = now;
    }
    if earlier >= EARLIER && earlier > 4 * later {
        return Order::NewestFirst;
    }
    // Few steps need what the lines say.
    match if later == 0 { reversed_events(bytes) } else { 0 } {
        0 if earlier + far_back > later => Order::Unsure,
        0 => Order::OldestFirst,
        1 if earlier == 0 => Order::Unsure,
        _ => Order::NewestFirst,
    }
}

/// What kinds of events have their end before their beginning, counted per GPU; 0 if others have not. Where a log is cut off, a kind may have one of both.
pub(super) fn reversed_events(bytes: &[u8]) -> usize {
    /// Of a kind: whether the last line was an end, and how many more ends are before beginnings than behind them.
    type Kind = (Option<bool>, isize);
    let mut gpus: BTreeMap<String, [Kind; 6]> = BTreeMap::new();
    for line in text::lines(bytes).take(FIRST_LINES) {
        for text in messages(&line.text) {
            let (fault, page, status) = (text.contains(FAULT), text.contains("in page starting at address "), STATUS.iter().any(|key| text.contains(key)));
            let said = reset(&text);
            let (begins, ends) = (matches!(said, Some(Reset::Begins)), matches!(said, Some(Reset::Ends)));
            let (ring_begins, ring_ends) = (matches!(said, Some(Reset::RingBegins)), matches!(said, Some(Reset::RingEnds)));
            let (dump_begins, dump_ends) = (text.contains("Dumping IP State") && !text.contains(DUMPED), text.contains(DUMPED));
            let timeout = text.contains(" timeout, signaled seq=");
            let pairs = [(fault, page), (page, status), (timeout, begins), (begins, ends), (ring_begins, ring_ends), (dump_begins, dump_ends)];
            let device = device(&text);
            if !pairs.iter().any(|(begins, ends)| *begins || *ends) || gpus.len() >= MOST_GPUS && !gpus.contains_key(device) {
                continue;
            }
            let kinds = gpus.entry(device.to_string()).or_default();
            for ((last, more), (begins, ends)) in kinds.iter_mut().zip(pairs) {
                if begins || ends {
                    *more += last.filter(|last| *last != ends).map_or(0, |last| if last { 1 } else { -1 });
                    *last = Some(ends);
                }
            }
        }
    }
    let all = || gpus.values().flatten().map(|(_, more)| *more);
    if all().any(|more| more < 0) { 0 } else { all().filter(|more| *more > 0).count() }
}
