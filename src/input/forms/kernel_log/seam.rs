//! Lines of a message that were put together where it is not known whether a blank was between them: both are read, and what differs is not known.

use crate::input::ground::{EventKind, FaultLine, FaultPart, Process, RecoveryLine};
use alloc::string::String;
use alloc::vec::Vec;

/// It stands where a blank may have been, or nothing.
pub(super) const SEAM: char = '\u{1f}';

/// Seams of a message that are read both ways; at others the seam stays, and a name that has it is not known.
const MOST: usize = 4;

/// Returns a text as it reads with and without blanks at its seams, the one with blanks first.
pub(super) fn readings(text: &str) -> Vec<String> {
    let mut all = Vec::from([String::new()]);
    for (at, part) in text.split(SEAM).enumerate() {
        let without: Vec<String> = all.iter().filter(|_| (1..=MOST).contains(&at)).map(|before| [before, part].concat()).collect();
        all.iter_mut().for_each(|before| before.extend((at > 0).then_some(if at > MOST { SEAM } else { ' ' }).into_iter().chain(part.chars())));
        all.extend(without);
    }
    all
}

/// Returns what readings agree on. Those that say nothing do not count.
pub(super) fn same<T: PartialEq>(all: impl IntoIterator<Item = Option<T>>) -> Option<T> {
    let mut said = all.into_iter().flatten();
    let first = said.next()?;
    said.all(|other| other == first).then_some(first)
}

/// Returns the process of the readings that know most of it: what they have in common.
fn process(all: &[Process]) -> Option<Process> {
    let known = |of: &Process| [of.name.is_some(), of.pid.is_some(), of.thread.is_some(), of.tid.is_some()].into_iter().filter(|known| *known).count();
    let most = all.iter().map(known).max()?;
    let best = || all.iter().filter(|of| known(of) == most);
    let mut process = best().next()?.clone();
    for other in best() {
        process.name = process.name.filter(|name| other.name.as_ref() == Some(name));
        process.pid = process.pid.filter(|pid| other.pid == Some(*pid));
        process.thread = process.thread.filter(|thread| other.thread.as_ref() == Some(thread));
        process.tid = process.tid.filter(|tid| other.tid == Some(*tid));
    }
    Some(process)
}

/// Returns the event that readings agree on.
pub(super) fn agreed(all: impl Iterator<Item = Option<EventKind>>) -> Option<EventKind> {
    let all: Vec<EventKind> = all.flatten().collect();
    let first = all.first()?;
    if all.iter().all(|other| other == first) {
        return Some(first.clone());
    }
    let faults = || all.iter().filter_map(|event| if let EventKind::Fault(line) = event { Some(line) } else { None });
    let processes = all.iter().filter_map(|event| match event {
        EventKind::Process(process) => Some(process.clone()),
        EventKind::Fault(line) => line.process.clone(),
        _ => None,
    });
    let process = process(&processes.collect::<Vec<_>>());
    match first {
        EventKind::Process(_) => process.map(EventKind::Process),
        EventKind::Fault(_) => Some(EventKind::Fault(FaultLine {
            hub: same(faults().map(|line| line.hub.clone())),
            die: same(faults().map(|line| line.die.clone())),
            vmid: same(faults().map(|line| line.vmid)),
            pasid: same(faults().map(|line| line.pasid)),
            process,
            address: same(faults().map(|line| line.address)),
            interrupt_client: same(faults().map(|line| line.interrupt_client.clone())),
        })),
        EventKind::FaultPart(_) => {
            let page = |event: &EventKind| match event {
                EventKind::FaultPart(FaultPart::Page { address, interrupt_client }) => (Some(*address), interrupt_client.clone()),
                _ => (None, None),
            };
            let address = same(all.iter().map(|event| page(event).0))?;
            Some(EventKind::FaultPart(FaultPart::Page { address, interrupt_client: same(all.iter().map(|event| page(event).1)) }))
        }
        EventKind::Firmware { who, .. } => {
            let message = |event: &EventKind| if let EventKind::Firmware { message, .. } = event { message.clone() } else { None };
            Some(EventKind::Firmware { who, message: same(all.iter().map(message)) })
        }
        _ => all.iter().find(|event| matches!(event, EventKind::Recovery(RecoveryLine::Ends { count: Some(_), .. }))).or(Some(first)).cloned(),
    }
}
