//! All incidents of a run.

use super::facts::Incident;
use super::{dump, link, record, timeline, verdict};
use crate::chip::Chip;
use crate::input::{EventKind, Input};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::Value;

/// The incidents of inputs that belong together, in chronological order.
///
/// ```
/// use pm4::{hang::{IncidentKind, Incidents}, input::Source};
///
/// let log = "amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=SUSPEND\namdgpu 0000:c5:00.0: amdgpu: GPU reset begin!. Source:  3\n\
///            amdgpu 0000:c5:00.0: amdgpu: MODE2 reset\namdgpu 0000:c5:00.0: amdgpu: GPU reset(15) succeeded!\n";
/// let input = Source::open(log.as_bytes(), None)?.load()?;
/// let incidents = Incidents::of(&[("log.txt", &input)], None);
/// let incident = &incidents.list()[0];
/// assert_eq!((incident.kind, incident.recovery[0].count), (IncidentKind::FirmwareTimeout, Some(15)));
/// assert!(incidents.verdict()[1].contains("MES did not answer SUSPEND"));
/// # Ok::<(), pm4::input::InputError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Incidents {
    files: Vec<String>,
    list: Vec<Incident>,
    has_dump: bool,
    /// The line of the first page fault of GFX8 or older.
    old: Option<usize>,
    /// What inputs say that show no incident.
    silent: Vec<String>,
    /// Where a log says that the kernel has written a device coredump.
    dump: Option<String>,
    /// The events of the logs, and how many there are.
    events: (Vec<Value>, usize),
}

impl Incidents {
    /// Links the events of the inputs; `chip` is the caller's knowledge and overrides them.
    pub fn of(inputs: &[(&str, &Input)], chip: Option<Chip>) -> Self {
        let mut list: Vec<Incident> = Vec::new();
        for (file, (_, input)) in inputs.iter().enumerate() {
            let base = list.len();
            let mut more = link::of_events(file, input, chip);
            more.iter_mut().for_each(|incident| incident.follows = incident.follows.map(|of| of + base));
            list.extend(more);
        }
        for (file, (_, input)) in inputs.iter().enumerate() {
            if let Some(dumped) = dump::incident(file, input, chip)
                && !dump::join(&mut list, &dumped)
            {
                list.push(dumped);
            }
        }
        let has_dump = inputs.iter().any(|(_, input)| input.hang.is_some());
        let old = |input: &Input| input.events.iter().find(|event| event.kind == EventKind::OldFault).map(|event| event.line);
        let old = inputs.iter().find_map(|(_, input)| old(input));
        let dumped =
            |input: &Input| input.events.iter().rev().find_map(|event| if let EventKind::Dumped(file) = &event.kind { Some(file.clone()) } else { None });
        let dump = inputs.iter().find_map(|(_, input)| dumped(input));
        let events = timeline::events(inputs, &list);
        let silent = if list.is_empty() { inputs.iter().find_map(|(_, input)| dump::silent(input, chip)) } else { None };
        Self { silent: silent.unwrap_or_default(), events, files: inputs.iter().map(|(name, _)| (*name).to_string()).collect(), list, has_dump, old, dump }
    }

    /// Returns the incidents.
    pub fn list(&self) -> &[Incident] {
        &self.list
    }

    /// Returns the verdict: at most 15 lines of text.
    pub fn verdict(&self) -> Vec<String> {
        let lines = verdict::lines(&self.list, self.has_dump, self.dump.as_deref(), self.old);
        self.silent.iter().cloned().chain(lines).collect()
    }

    /// Returns the record of a page: the verdict, and the events of the logs in chronological order, each with its incident.
    pub fn timeline(&self) -> String {
        timeline::record(&self.files, &self.list, self.verdict(), &self.events).to_string()
    }

    /// Returns the JSON records, one line each.
    pub fn records(&self) -> Vec<String> {
        let name = |incident: &Incident| self.files.get(incident.file).map_or("", String::as_str);
        self.list.iter().enumerate().map(|(index, incident)| record::record(index, incident, name(incident))).collect()
    }
}
