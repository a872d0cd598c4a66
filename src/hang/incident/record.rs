//! Incidents as JSON records; docs/json.md lists the keys.

use super::facts::{Incident, IncidentFault, IncidentKind};
use crate::input::Process;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Map, Value, json};

/// Sets a key whose value is known.
fn set<T: Into<Value>>(record: &mut Map<String, Value>, key: &str, value: Option<T>) {
    if let Some(value) = value {
        record.insert(key.into(), value.into());
    }
}

fn process(process: &Process) -> Option<Value> {
    let mut record = Map::new();
    set(&mut record, "name", process.name.clone());
    set(&mut record, "pid", process.pid);
    set(&mut record, "thread", process.thread.clone());
    set(&mut record, "tid", process.tid);
    (!record.is_empty()).then(|| record.into())
}

fn fault(fault: &IncidentFault) -> Option<Value> {
    let mut record = Map::new();
    set(&mut record, "line", Some(fault.line));
    set(&mut record, "address", Some(format!("0x{:012x}", fault.address?)));
    set(&mut record, "hub", fault.hub.clone());
    set(&mut record, "die", fault.die.clone());
    set(&mut record, "vmid", fault.vmid);
    set(&mut record, "pasid", fault.pasid);
    set(&mut record, "client", fault.client.clone());
    set(&mut record, "client_id", fault.client_id);
    set(&mut record, "access", fault.write.map(|write| if write { "write" } else { "read" }));
    set(&mut record, "status", fault.status.map(|status| format!("0x{status:08x}")));
    set(&mut record, "permission_faults", fault.permission);
    set(&mut record, "walker_error", fault.walker);
    set(&mut record, "mapping_error", fault.mapping);
    set(&mut record, "process", fault.process.as_ref().and_then(process));
    set(&mut record, "status_is_of_another_fault", fault.status_is_of_another_fault.then_some(true));
    Some(record.into())
}

/// Returns the record of an incident, one line.
pub(super) fn record(index: usize, incident: &Incident, file: &str) -> String {
    let mut record = Map::new();
    set(&mut record, "type", Some("incident"));
    set(&mut record, "index", Some(index));
    set(&mut record, "kind", Some(<&'static str>::from(incident.kind)));
    set(&mut record, "file", Some(file));
    set(&mut record, "line", Some(incident.line));
    set(&mut record, "time", incident.time.clone());
    set(&mut record, "gpu", incident.gpu.clone());
    set(&mut record, "ring", incident.ring.clone());
    set(&mut record, "engine", incident.engine);
    set(&mut record, "process", incident.process.as_ref().and_then(process));
    set(&mut record, "generation", incident.generation.map(|major| format!("gfx{major}")));
    set(&mut record, "chip", incident.chip.map(|chip| chip.info().name));
    set(&mut record, "message", incident.message.clone().filter(|_| incident.kind == IncidentKind::DriverError));
    set(&mut record, "page_faults", Some(incident.faults.iter().filter_map(fault).collect::<Vec<Value>>()));
    let refused: Vec<Value> = incident.refused.iter().map(|(line, what)| json!({ "line": line, "what": what })).collect();
    set(&mut record, "refused", Some(refused));
    let firmware = incident.firmware.iter().map(|(line, who, message)| {
        let mut entry = Map::new();
        set(&mut entry, "line", Some(*line));
        set(&mut entry, "who", Some(*who));
        set(&mut entry, "message", message.clone());
        entry.into()
    });
    set(&mut record, "firmware", Some(firmware.collect::<Vec<Value>>()));
    let recovery = incident.recovery.iter().map(|step| {
        let mut entry = Map::new();
        set(&mut entry, "line", Some(step.line));
        set(&mut entry, "what", Some(step.what));
        set(&mut entry, "method", step.method);
        set(&mut entry, "source", step.source);
        set(&mut entry, "result", Some(step.result));
        set(&mut entry, "count", step.count);
        set(&mut entry, "vram_lost", step.vram_lost.then_some(true));
        entry.into()
    });
    set(&mut record, "recovery", Some(recovery.collect::<Vec<Value>>()));
    set(&mut record, "first", Some(incident.follows.is_none()));
    set(&mut record, "follows", incident.follows);
    Value::from(record).to_string()
}
