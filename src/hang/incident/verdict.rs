//! Incidents in a few lines, to be pasted into an issue.

use super::facts::{Incident, IncidentFault, IncidentKind, RecoveryStep};
use crate::input::Process;
use crate::plurals::counted;
use crate::report::shown;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Lines of a verdict at most.
const MOST: usize = 15;
/// Page faults of an incident that are listed.
const FAULTS: usize = 3;

fn process(process: &Process) -> String {
    let mut text = process.name.clone().unwrap_or_default();
    if let Some(pid) = process.pid {
        text += &format!("{}pid {pid}", if text.is_empty() { "" } else { " " });
    }
    if let Some(thread) = &process.thread {
        text += &format!(", thread {thread}");
    }
    if let Some(tid) = process.tid {
        text += &format!(" ({tid})");
    }
    text
}

/// Sources of a reset, and what the GPU was reset for (Linux 7.1 amdgpu_reset.h AMDGPU_RESET_SRC_*).
const CAUSES: [(&str, &str); 6] = [
    ("job", "for a job that timed out, which the input does not show"),
    ("ras", "for an error of the hardware (RAS)"),
    ("mes", "for MES, whose failure the input does not show"),
    ("hws", "for HWS, whose failure the input does not show"),
    ("user", "at the request of a user"),
    ("userq", "for a queue of a user, which the input does not show"),
];

/// What a reset was for.
fn reset(incident: &Incident) -> String {
    let of = |step: &RecoveryStep| CAUSES.iter().find(|(source, _)| step.source == Some(source)).map(|(_, cause)| *cause);
    let of_hardware = || incident.blocks.iter().any(|sentence| sentence.contains("hardware error")).then_some(CAUSES[1].1);
    if !incident.recovery.is_empty() && incident.recovery.iter().all(|step| matches!(step.result, "disabled" | "skipped")) {
        return "the GPU was to be reset, and was not; the input does not show why".to_string();
    }
    match incident.recovery.iter().find_map(of).or_else(of_hardware) {
        Some(cause) => format!("the GPU was reset {cause}"),
        None => "the GPU or a ring was reset; the input does not show why".to_string(),
    }
}

/// What stopped, where, and of whom.
pub(super) fn headline(incident: &Incident) -> String {
    let what = match incident.kind {
        IncidentKind::RingTimeout if incident.ring.is_none() => "a ring, whose name is not in the input, timed out".to_string(),
        IncidentKind::RingTimeout => format!("ring {} timed out", incident.ring.as_deref().unwrap_or_default()),
        IncidentKind::FirmwareTimeout => "firmware did not answer".to_string(),
        IncidentKind::QueueTimeout => "a compute queue did not stop".to_string(),
        IncidentKind::PageFault => counted(incident.faults.len(), "page fault"),
        IncidentKind::RefusedPacket => "the command processor refused a packet".to_string(),
        IncidentKind::Reset => reset(incident),
        IncidentKind::DriverError => format!("error: {}", incident.message.as_deref().unwrap_or_default()),
    };
    let mut parts = Vec::new();
    parts.extend(incident.gpu.as_ref().map(|gpu| format!("GPU {gpu}")));
    parts.extend(incident.chip.map(|chip| chip.info().name.to_string()).or_else(|| incident.generation.map(|major| format!("gfx{major}"))));
    let of = if parts.is_empty() { String::new() } else { format!(" [{}]", parts.join(", ")) };
    let process = incident.process.as_ref().map_or_else(String::new, |of| format!(", process {}", process(of)));
    let old = if incident.generation.is_some_and(|major| major < 9) { "; the GPU is older than GFX9: out of scope" } else { "" };
    format!("{what}{of}{process} (line {}){old}", incident.line)
}

/// The bits of PERMISSION_FAULTS: what the entry of the page table lacks (Linux 6.12 Documentation/gpu/amdgpu/debugging.rst).
const PERMISSIONS: [&str; 4] = ["no valid page", "no right to read", "no right to write", "no right to execute"];

fn fault(fault: &IncidentFault) -> String {
    let mut parts = Vec::new();
    parts.push(fault.address.map_or_else(|| "address not in the input".to_string(), |address| format!("address 0x{address:012x}")));
    if let Some(client) = &fault.client {
        parts.push(format!("client {client}"));
    } else if let Some(id) = fault.client_id {
        parts.push(format!("client number {id}"));
    }
    parts.extend(fault.write.map(|write| if write { "write" } else { "read" }.to_string()));
    parts.extend(fault.die.as_ref().or(fault.hub.as_ref()).map(|place| format!("seen by {place}")));
    parts.extend(fault.vmid.map(|vmid| format!("VMID {vmid}{}", if vmid == 0 { " (of the kernel or of firmware)" } else { "" })));
    parts.extend(fault.process.as_ref().map(|of| format!("process {}", process(of))));
    if fault.status_is_of_another_fault {
        parts.push("its status is that of another fault and says nothing of it".into());
    } else if fault.status == Some(0) {
        parts.push("no status was recorded, so the client is not known".into());
    } else if let Some(status) = fault.status.filter(|_| !fault.decoded) {
        parts.push(format!("status 0x{status:08x} of a form that is not decoded"));
    } else if let Some(bits) = fault.permission.filter(|bits| *bits != 0) {
        let name = |bit: usize| PERMISSIONS.get(bit).map_or_else(|| format!("bit {bit}"), |name| (*name).to_string());
        let said: Vec<String> = (0..32).filter(|bit| bits >> bit & 1 == 1).map(name).collect();
        parts.push(format!("PERMISSION_FAULTS 0x{bits:x} (bits: {})", said.join(", ")));
    }
    format!("page fault (line {}): {}", fault.line, parts.join(", "))
}

fn recovery(step: &RecoveryStep) -> String {
    let what = match (step.what, &step.ring) {
        ("ring_reset", Some(ring)) => format!("reset of ring {ring}"),
        ("gpu_reset", _) => "GPU reset".to_string(),
        ("soft_recovery", _) => "soft recovery (waves killed)".to_string(),
        (other, _) => other.replace('_', " "),
    };
    let mut parts = Vec::new();
    parts.extend(step.method.map(ToString::to_string));
    parts.extend(step.source.map(|source| format!("source {source}")));
    parts.extend(step.count.map(|count| format!("number {count}")));
    parts.extend(step.vram_lost.then(|| "VRAM lost".to_string()));
    let how = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let result = match step.result {
        "unknown" => "the log does not say how it ended",
        result => result,
    };
    format!("{what}{how}: {result}")
}

fn details(incident: &Incident, index_of: impl Fn(usize) -> String) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(incident.follows.map(|of| format!("an effect of {}", index_of(of))));
    let shown: Vec<&IncidentFault> = incident.faults.iter().filter(|fault| fault.address.is_some()).collect();
    let without = if shown.is_empty() { 0 } else { incident.faults.len() - shown.len() };
    let shown = if shown.is_empty() { incident.faults.iter().collect() } else { shown };
    lines.extend(shown.iter().take(FAULTS).map(|one| fault(one)));
    if shown.len() > FAULTS {
        lines.push(format!("and {}", counted(shown.len() - FAULTS, "more page fault")));
    }
    if without > 0 {
        lines.push(format!("and {} whose address is not in the input", counted(without, "page fault")));
    }
    for (line, what) in incident.refused.iter().take(FAULTS) {
        lines.push(format!("refused (line {line}): {}", what.replace('_', " ")));
    }
    let mut said: Vec<String> = Vec::new();
    for (_, who, message) in &incident.firmware {
        let text = message.as_ref().map_or_else(|| format!("{who} did not answer"), |message| format!("{who} did not answer {message}"));
        if !said.contains(&text) {
            said.push(text);
        }
    }
    lines.extend((!said.is_empty()).then(|| said.join("; ")));
    let mut blocks = incident.blocks.clone();
    blocks.dedup();
    lines.extend((!blocks.is_empty()).then(|| blocks[..blocks.len().min(FAULTS)].join("; ")));
    let steps: Vec<String> = incident.recovery.iter().map(recovery).collect();
    lines.extend((!steps.is_empty()).then(|| format!("recovery: {}", steps.join("; "))));
    lines
}

/// What PASID and the client of the interrupt are, for the first fault that has them (Linux 6.12 Documentation/gpu/amdgpu/debugging.rst, gmc_v9_0.c).
fn terms(incidents: &[Incident]) -> Option<String> {
    let faults = || incidents.iter().flat_map(|incident| &incident.faults);
    let pasid = faults().find_map(|fault| fault.pasid.filter(|pasid| *pasid != 0)).map(|pasid| format!("PASID {pasid} is the number of a process for the GPU"));
    let client = faults().find_map(|fault| fault.interrupt_client.as_ref());
    let client = client.map(|client| format!("IH client {client} is the block that sent the interrupt, which need not be the one that accessed the page"));
    let said: Vec<String> = pasid.into_iter().chain(client).collect();
    (!said.is_empty()).then(|| format!("terms: {} (Linux amdgpu/debugging.rst, gmc_v9_0.c)", said.join("; ")))
}

/// How messages begin with which a kernel fails itself.
pub(super) const OOPSES: [&str; 3] = ["BUG", "Unable to handle", "general protection fault"];

/// What to collect next. The kernel writes a device coredump when a ring times out or a GPU is reset; what a program says of its fault, the log of the kernel says with
/// more of it.
fn collect(incidents: &[Incident], dump: Option<&str>) -> String {
    let is_of_program = |incident: &Incident| {
        let of_kernel = incident.gpu.as_ref().is_some_and(|gpu| !gpu.starts_with("node-")) || incident.faults.iter().any(|fault| fault.hub.is_some());
        matches!(incident.kind, IncidentKind::DriverError | IncidentKind::PageFault) && !of_kernel
    };
    let file = dump.unwrap_or("/sys/class/drm/card*/device/devcoredump/data");
    // No dump is made when the kernel fails itself.
    if incidents.iter().all(|incident| incident.message.as_ref().is_some_and(|message| OOPSES.iter().any(|said| message.starts_with(said)))) {
        return "collect next: the whole trace of the kernel, and the minutes before it (journalctl -k)".to_string();
    }
    if incidents.iter().all(is_of_program) {
        return "collect next: the log of the kernel of these minutes (journalctl -k)".to_string();
    }
    if dump.is_none() && incidents.iter().all(|incident| incident.kind == IncidentKind::PageFault) {
        return format!("collect next: what the log says after the faults, and if a ring timed out, the device coredump, within 5 minutes: {file}");
    }
    format!("collect next: the device coredump, within 5 minutes of the hang: {file}")
}

/// Returns the verdict, at most 15 lines. `old` is the line of the first page fault of GFX8 or older, `dump` the file of a device coredump.
pub(super) fn lines(incidents: &[Incident], has_dump: bool, dump: Option<&str>, old: Option<usize>) -> Vec<String> {
    let name = |of: usize| format!("incident {of}");
    let numbered = incidents.len() > 1;
    let mut lines: Vec<String> = Vec::new();
    let room = MOST - usize::from(!has_dump) - usize::from(old.is_some());
    for (index, incident) in incidents.iter().enumerate() {
        let left = incidents.len() - index;
        let head = if numbered { format!("incident {index}: {}", headline(incident)) } else { headline(incident) };
        if lines.len() + 1 >= room && left > 1 {
            lines.push(format!("and {}", counted(left, "more incident")));
            break;
        }
        lines.push(head);
        // Each of the others needs a line.
        let free = room.saturating_sub(lines.len() + (left - 1).min(6));
        lines.extend(details(incident, name).into_iter().take(free).map(|line| format!("  {line}")));
    }
    lines.truncate(room);
    if lines.len() < room {
        lines.extend(terms(incidents));
    }
    lines.extend(old.map(|line| format!("page faults in a form that is not decoded (first in line {line}): the GPU is, or may be, older than GFX9")));
    if !has_dump && !incidents.is_empty() {
        lines.push(collect(incidents, dump));
    }
    lines.iter().map(|line| shown(line).into_owned()).collect()
}
