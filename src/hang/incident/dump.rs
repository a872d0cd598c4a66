//! The incident of a device coredump, and of a report of a driver.

use super::facts::{Incident, IncidentFault, IncidentKind, engine};
use super::link::major;
use super::status;
use crate::chip::Chip;
use crate::hang::waits;
use crate::input::ring_words::RunBy;
use crate::input::{EventKind, Input, InputForm, Process};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// `vkcube PID: 4242`.
fn process(text: &str) -> Option<Process> {
    // Newer kernels: `vkcube TGID: 4242 thread vkcube:cs0 PID: 4243`.
    if let Some((name, rest)) = text.split_once(" TGID:") {
        let digits = |text: &str| text.trim().split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok().filter(|number| *number != 0);
        let (before, tid) = rest.split_once("PID:").unwrap_or((rest, ""));
        let thread = before.split_once("thread ").map(|(_, thread)| thread.trim().to_string()).filter(|thread| !thread.is_empty());
        let name = Some(name.trim().to_string()).filter(|name| !name.is_empty());
        return Some(Process { name, pid: digits(before), thread, tid: digits(tid) }).filter(|process| *process != Process::default());
    }
    let (name, rest) = text.split_once(" PID:").unwrap_or((text, ""));
    let number = |text: &str| text.trim().split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok().filter(|number| *number != 0);
    let tid = rest.split_once("TID:").and_then(|(_, tid)| number(tid));
    let name = name.trim();
    Some(Process { name: Some(name.to_string()).filter(|name| !name.is_empty()), pid: number(rest), thread: None, tid })
        .filter(|process| *process != Process::default())
}

/// What the facts of an input say; None where nothing went wrong in them.
pub(super) fn incident(file: usize, input: &Input, chip: Option<Chip>) -> Option<Incident> {
    let hang = input.hang.as_ref()?;
    let chip = chip.or(input.chip);
    let ring = hang.ring.clone().filter(|ring| !ring.is_empty());
    let generation = chip.map(major).or(input.family);
    let fault = hang.fault.as_ref().map(|fault| {
        let hub = fault.hub.clone();
        let mut fault = IncidentFault {
            line: fault.line,
            address: Some(fault.address),
            hub,
            status: (fault.status != 0).then_some(fault.status),
            decoded: true,
            client: fault.client.clone(),
            ..IncidentFault::default()
        };
        status::resolve(&mut fault, generation, chip);
        fault
    });
    let kind = if ring.is_some() && input.form == InputForm::Devcoredump { IncidentKind::RingTimeout } else { IncidentKind::PageFault };
    if kind == IncidentKind::PageFault && fault.is_none() {
        return None;
    }
    let line = if kind == IncidentKind::RingTimeout { hang.line } else { fault.as_ref().map_or(1, |fault| fault.line) };
    let faults: Vec<IncidentFault> = fault.into_iter().collect();
    let named = input.fact("process").and_then(process).filter(|process| process.name.is_some() || process.pid.is_some());
    Some(Incident {
        kind,
        file,
        line,
        time: None,
        gpu: None,
        engine: ring.as_deref().and_then(engine),
        ring,
        process: named,
        generation,
        chip,
        message: None,
        faults,
        refused: Vec::new(),
        firmware: Vec::new(),
        recovery: Vec::new(),
        blocks: Vec::new(),
        follows: None,
    })
}

/// Sentences of the registers of a dump at most.
const SENTENCES: usize = 8;

/// What an input says that names neither a ring nor a fault, as lines of the verdict: what is known, what the registers say, and what to collect.
pub(super) fn silent(input: &Input, chip: Option<Chip>) -> Option<Vec<String>> {
    let failed = input.events.iter().find_map(|event| if let EventKind::BlockFailed(sentence) = &event.kind { Some((event.line, sentence)) } else { None });
    if let Some((line, sentence)) = failed {
        return Some(Vec::from([
            format!("no hang is in the input; the driver says: {sentence} (line {line})"),
            "collect next: the log of the kernel from the boot on (journalctl -k)".to_string(),
        ]));
    }
    let hang = input.hang.as_ref()?;
    let names: Vec<&str> = hang.blocks.iter().map(|block| block.name.as_str()).collect();
    let machine = chip.or(input.chip).map(|chip| chip.info().name.to_string()).or_else(|| input.family.map(|major| format!("gfx{major}")));
    let machine = machine.map_or_else(String::new, |machine| format!(" [{machine}]"));
    let mut said: Vec<String> = Vec::new();
    let gfx = chip.map(Chip::gfx).or_else(|| input.generation());
    let busy = gfx.map(|gfx| waits::busy(gfx, hang, &names)).filter(|busy| !busy.is_empty());
    said.extend(busy.map(|busy| format!("busy: {}", busy.join(", "))));
    for ring in [RunBy::Graphics, RunBy::Compute(None)] {
        let sentences = waits::errors(ring, hang, &names).into_iter().chain(waits::of(ring, hang, &names).map(|wait| wait.meaning.to_string()));
        for sentence in sentences {
            if !said.contains(&sentence) {
                said.push(sentence);
            }
        }
    }
    let what = if hang.blocks.is_empty() { "" } else { "; its registers say, of what the engines did when it was made:" };
    let mut lines = Vec::from([format!("neither a ring that timed out nor a page fault is in the input{machine}: it does not show what stopped{what}")]);
    if !hang.blocks.is_empty() && said.is_empty() {
        said.push(if hang.is_blank() { "nothing: they are zero, or all ones" } else { "no wait that is known" }.to_string());
    }
    lines.extend(said.iter().take(SENTENCES).map(|sentence| format!("  {sentence}")));
    let file = "/sys/class/drm/card*/device/devcoredump/data";
    lines.push(format!(
        "collect next: the whole device coredump, within 5 minutes of the hang ({file}), and the log of the kernel of these minutes (journalctl -k)"
    ));
    Some(lines)
}

/// Adds the facts of a dump to the incident of the log that has its ring; false where there is none.
pub(super) fn join(all: &mut [Incident], dump: &Incident) -> bool {
    let Some(incident) = all.iter_mut().find(|incident| incident.ring.is_some() && incident.ring == dump.ring) else { return false };
    incident.chip = incident.chip.or(dump.chip);
    incident.generation = incident.generation.or(dump.generation);
    incident.process = incident.process.take().or_else(|| dump.process.clone());
    for fault in &dump.faults {
        if incident.faults.iter().all(|known| known.address != fault.address) {
            incident.faults.push(fault.clone());
        }
    }
    true
}
