//! The events of a log with their incidents, in chronological order, for the timeline of a page.

use super::facts::Incident;
use super::link::SOURCES;
use crate::input::{EventKind, FaultLine, Input, LogEvent, RecoveryLine};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Value, json};

/// Events of a timeline at most; what is more is counted.
const MOST: usize = 2000;

/// What an event is of, for its colour, and what it says. None for what is only a part of another one.
fn said(kind: &EventKind) -> Option<(&'static str, String)> {
    let recovery = |text: String| Some(("recovery", text));
    match kind {
        EventKind::Machine | EventKind::Process(_) | EventKind::FaultPart(_) | EventKind::Dumped(_) => None,
        EventKind::Boot { kernel } => Some(("boot", kernel.as_ref().map_or_else(|| "a boot begins".into(), |kernel| format!("a boot begins, Linux {kernel}")))),
        EventKind::Timeout { ring, recovered: false } if ring.is_empty() => Some(("timeout", "a ring timed out".into())),
        EventKind::Timeout { ring, recovered: false } => Some(("timeout", format!("ring {ring} timed out"))),
        EventKind::Timeout { ring, recovered: true } => recovery(format!("ring {ring} timed out, and went on when its waves were killed")),
        EventKind::QueueTimeout => Some(("timeout", "a compute queue did not stop".into())),
        EventKind::Fault(FaultLine { hub, vmid, .. }) => {
            let by = hub.as_ref().map_or_else(String::new, |hub| format!(", seen by {hub}"));
            Some(("fault", format!("page fault{by}{}", vmid.map_or_else(String::new, |vmid| format!(", VMID {vmid}")))))
        }
        EventKind::OldFault => Some(("fault", "page fault of a GPU older than GFX9".into())),
        EventKind::Refused(what) => Some(("refused", format!("refused: {}", what.replace('_', " ")))),
        EventKind::Firmware { who, message: Some(message) } => Some(("timeout", format!("{who} did not answer {message}"))),
        EventKind::Firmware { who, message: None } => Some(("timeout", format!("{who} did not answer"))),
        EventKind::DriverError(text) | EventKind::BlockFailed(text) | EventKind::HardwareError(text) => Some(("error", text.clone())),
        EventKind::Recovery(line) => recovery(match line {
            RecoveryLine::Begins(source) => {
                let source = source.and_then(|source| SOURCES.get(source as usize));
                format!("GPU reset begins{}", source.map_or_else(String::new, |source| format!(", source {source}")))
            }
            RecoveryLine::Method(method) => format!("reset by {method}"),
            RecoveryLine::Ends { count: Some(count), result } => format!("GPU reset number {count}: {result}"),
            RecoveryLine::Ends { count: None, result } => format!("GPU reset: {result}"),
            RecoveryLine::VramLost => "video memory was lost".into(),
            RecoveryLine::RingBegins(ring) => format!("reset of ring {ring} begins"),
            RecoveryLine::RingEnds(ring, succeeded) => format!("reset of ring {ring}: {}", if *succeeded { "succeeded" } else { "failed" }),
            RecoveryLine::Queue(result) => format!("queue reset: {result}"),
        }),
    }
}

/// Returns the incident of each line that one was made from.
fn owners(incidents: &[Incident], file: usize) -> BTreeMap<usize, usize> {
    let mut lines = BTreeMap::new();
    for (index, incident) in incidents.iter().enumerate().filter(|(_, incident)| incident.file == file) {
        let of_faults = incident.faults.iter().map(|fault| fault.line);
        let of_lists = incident.refused.iter().map(|(line, _)| *line).chain(incident.firmware.iter().map(|(line, ..)| *line));
        for line in of_faults.chain(of_lists).chain(incident.recovery.iter().map(|step| step.line)).chain([incident.line]) {
            lines.insert(line, index);
        }
    }
    lines
}

/// Returns the events of inputs as records, and how many there are.
pub(super) fn events(inputs: &[(&str, &Input)], incidents: &[Incident]) -> (Vec<Value>, usize) {
    let mut list = Vec::new();
    let mut count = 0;
    for (file, (_, input)) in inputs.iter().enumerate() {
        let owners = owners(incidents, file);
        // A line that is only a step of what goes on is of the last incident of its GPU.
        let mut last: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for LogEvent { line, micros, time, gpu, kind, .. } in &input.events {
            let Some((of, text)) = said(kind) else { continue };
            let own = owners.get(line).copied();
            if let Some(own) = own {
                last.insert(gpu.as_deref(), own);
            }
            if !seen.insert((*line, text.clone())) {
                continue;
            }
            count += 1;
            if list.len() == MOST {
                continue;
            }
            let mut record = json!({ "file": file, "line": line, "kind": of, "text": text });
            if let Some((clock, micros)) = micros {
                (record["clock"], record["micros"]) = ((*clock).into(), (*micros).into());
            }
            for (key, value) in [("time", time), ("gpu", gpu)] {
                if let Some(value) = value {
                    record[key] = value.clone().into();
                }
            }
            if let Some(incident) = own.or_else(|| last.get(&gpu.as_deref()).copied()).filter(|_| of != "boot") {
                record["incident"] = incident.into();
            }
            list.push(record);
        }
    }
    (list, count)
}

/// What a page shows of incidents: the verdict, what each is called, and the events.
pub(super) fn record(files: &[String], incidents: &[Incident], verdict: Vec<String>, events: &(Vec<Value>, usize)) -> Value {
    let name = |incident: &Incident| json!({ "name": super::verdict::headline(incident), "kind": incident.kind.to_string(), "follows": incident.follows });
    json!({ "files": files, "verdict": verdict, "incidents": incidents.iter().map(name).collect::<Vec<Value>>(), "events": events.0, "count": events.1 })
}
