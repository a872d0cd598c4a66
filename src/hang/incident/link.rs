//! From events to incidents: what belongs together, and what follows what.

use super::facts::{Incident, IncidentFault, IncidentKind, RecoveryStep, engine};
use super::status;
use super::verdict::OOPSES;
use crate::chip::Chip;
use crate::input::{EventKind, FaultPart, Input, LogEvent, RecoveryLine};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// An incident with a timeout begins this long before the timeout, and lasts this long after its last line if no end is known.
const SPAN: i64 = 60_000_000;
/// A page fault of VMID 0 within this time after the end of a recovery is an effect of the recovery.
const AFTER: i64 = 10_000_000;

/// Sources of a reset by their numbers (Linux 7.1 amdgpu_reset.h AMDGPU_RESET_SRC_*).
pub(super) const SOURCES: [&str; 7] = ["unknown", "job", "ras", "mes", "hws", "user", "userq"];

/// How far the recovery of an incident is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// None has begun.
    None,
    Begun,
    /// It ended well.
    Over,
    /// It failed, or is disabled.
    Failed,
}

/// An incident with a timeout that lines may belong to.
struct Current {
    incident: usize,
    stage: Stage,
    /// The time of its last line.
    last: Option<(u64, i64)>,
}

/// The subject of the previous message, to which the process line belongs.
#[derive(Clone, Copy)]
enum About {
    Nothing,
    Timeout(usize),
    Fault,
}

/// What is known of one GPU.
struct Gpu {
    current: Option<Current>,
    /// The incident of page faults, or of refused packets, that is not one of a timeout so far.
    faults: Option<(usize, Option<(u64, i64)>)>,
    refused: Option<(usize, Option<(u64, i64)>)>,
    about: About,
    /// Where the fault is that lines are about: incident and number.
    fault: Option<(usize, usize)>,
    /// A process right before, of a message that the input does not have.
    process: Option<crate::input::Process>,
    /// An error of the hardware, with its time.
    hardware: Option<(String, Option<(u64, i64)>)>,
    /// The incident whose reset of the GPU has just failed.
    failed: Option<usize>,
}

impl Default for Gpu {
    fn default() -> Self {
        Self { current: None, faults: None, refused: None, about: About::Nothing, fault: None, process: None, hardware: None, failed: None }
    }
}

/// Microseconds from one time to another, where they are of one clock.
fn between(from: Option<(u64, i64)>, to: Option<(u64, i64)>) -> Option<i64> {
    let ((clock, from), (other, to)) = from.zip(to)?;
    (clock == other).then_some(to - from)
}

/// Returns whether a time is near enough to be of one incident; lines without times are.
fn is_near(from: Option<(u64, i64)>, to: Option<(u64, i64)>) -> bool {
    between(from, to).is_none_or(|micros| micros.abs() <= SPAN)
}

struct Links {
    file: usize,
    incidents: Vec<Incident>,
    gone: Vec<bool>,
    /// For each incident one before it that its recovery is of: what was found for those that it follows is not looked for again.
    began: Vec<usize>,
    /// The last timeout of each ring.
    rings: BTreeMap<String, usize>,
    /// The last driver error with its time, and the last one of a lost context.
    driver_error: Option<(usize, Option<(u64, i64)>)>,
    lost: Option<usize>,
    gpus: BTreeMap<String, Gpu>,
    /// The GPU of the last line that named one.
    last: String,
    /// The generation of each GPU by the lines that name it.
    named: BTreeMap<String, Named>,
    /// Things went wrong with several GPUs: what a line says that names none need not be of the last one.
    several: bool,
}

/// What the lines that name a GPU say of its generation.
#[derive(Default)]
struct Named {
    generation: Option<u8>,
    /// They name another one as well.
    differs: bool,
}

impl Links {
    fn open(&mut self, kind: IncidentKind, event: &LogEvent) -> usize {
        self.incidents.push(Incident {
            kind,
            file: self.file,
            line: event.line,
            time: event.time.clone(),
            gpu: event.gpu.clone(),
            ring: None,
            engine: None,
            process: None,
            generation: event.generation,
            chip: None,
            message: None,
            faults: Vec::new(),
            refused: Vec::new(),
            firmware: Vec::new(),
            recovery: Vec::new(),
            blocks: Vec::new(),
            follows: None,
        });
        self.gone.push(false);
        self.began.push(self.incidents.len() - 1);
        self.incidents.len() - 1
    }

    /// Moves what an incident has to another one.
    fn merge(&mut self, from: usize, to: usize) {
        let mut taken = self.incidents[from].clone();
        self.gone[from] = true;
        let into = &mut self.incidents[to];
        // A reset whose cause is there is of that kind.
        if taken.kind < into.kind {
            (into.kind, into.line, into.time) = (taken.kind, taken.line, taken.time.take());
        }
        into.faults.splice(0..0, taken.faults.drain(..));
        into.refused.splice(0..0, taken.refused.drain(..));
        into.firmware.splice(0..0, taken.firmware.drain(..));
        into.recovery.splice(0..0, taken.recovery.drain(..));
        into.blocks.splice(0..0, taken.blocks.drain(..));
        into.generation = into.generation.or(taken.generation);
        into.gpu = into.gpu.take().or(taken.gpu);
    }

    /// Takes what came shortly before a timeout into its incident.
    fn adopt(&mut self, gpu: &mut Gpu, incident: usize, now: Option<(u64, i64)>) {
        for slot in [&mut gpu.refused, &mut gpu.faults] {
            if let Some((other, _)) = slot.take_if(|(_, at)| is_near(*at, now)) {
                let moved = self.incidents[other].faults.len();
                self.merge(other, incident);
                if let Some((of, number)) = gpu.fault
                    && of == other
                {
                    gpu.fault = Some((incident, number.min(moved)));
                }
            }
        }
    }

    /// Returns whether the message of a driver error equals `message` except for numbers.
    fn says(&self, incident: usize, message: &str) -> bool {
        let words = |text: &str| text.split(' ').filter(|word| !word.contains(|c: char| c.is_ascii_digit())).map(String::from).collect::<Vec<String>>();
        self.incidents[incident].message.as_ref().is_some_and(|said| words(said) == words(message))
    }

    /// Returns the GPU that a line is of: the one that it names, else the last one that was named, unless its generation is that of another one.
    fn key(&self, event: &LogEvent) -> String {
        let Some(generation) = event.generation.filter(|_| event.gpu.is_none()) else { return self.last.clone() };
        let may_be = |named: &Named| named.differs || named.generation.is_none_or(|known| known == generation);
        if self.named.get(&self.last).is_none_or(may_be) {
            return self.last.clone();
        }
        let mut others = self.named.iter().filter(|(_, named)| !named.differs && named.generation == Some(generation));
        others.next().filter(|_| others.next().is_none()).map_or_else(String::new, |(name, _)| name.clone())
    }

    fn add(&mut self, event: &LogEvent) {
        if let Some(name) = &event.gpu {
            // Lines before that named no GPU are of the first one that is named.
            if self.gpus.len() == 1 && self.gpus.contains_key("") {
                let state = self.gpus.remove("").unwrap_or_default();
                self.gpus.insert(name.clone(), state);
            }
            self.last.clone_from(name);
        }
        if let EventKind::Boot { .. } = event.kind {
            self.gpus.clear();
            self.rings.clear();
            (self.driver_error, self.lost) = (None, None);
            return self.last.clear();
        }
        let key = self.key(event);
        let mut gpu = self.gpus.remove(&key).unwrap_or_default();
        self.of_gpu(&mut gpu, event);
        self.gpus.insert(key, gpu);
    }

    fn of_gpu(&mut self, gpu: &mut Gpu, event: &LogEvent) {
        let now = event.micros;
        let process = gpu.process.take();
        // An incident whose end is not known ends so long after its last line.
        if gpu.current.as_ref().is_some_and(|current| {
            current.stage != Stage::Begun && !is_near(current.last, now) || between(current.last, now).is_some_and(|micros| micros.abs() > 10 * SPAN)
        }) {
            gpu.current = None;
        }
        match &event.kind {
            // The driver of a GPU starts, for the first time or once more.
            EventKind::Machine if event.chip.is_some() && event.gpu.is_some() => return *gpu = Gpu::default(),
            EventKind::Machine | EventKind::Boot { .. } => return,
            EventKind::Timeout { ring, recovered } => self.timeout(gpu, event, ring, *recovered),
            EventKind::QueueTimeout => {
                if gpu.current.as_ref().is_none_or(|current| current.stage == Stage::Over) {
                    let incident = self.open(IncidentKind::QueueTimeout, event);
                    self.incidents[incident].engine = Some("kfd");
                    self.adopt(gpu, incident, now);
                    gpu.current = Some(Current { incident, stage: Stage::None, last: now });
                }
            }
            EventKind::Process(process) => match gpu.about {
                About::Timeout(incident) if self.incidents[incident].process.is_none() => {
                    self.incidents[incident].process = Some(process.clone()).filter(|process| *process != crate::input::Process::default());
                }
                About::Fault => {
                    if let Some((incident, number)) = gpu.fault
                        && let Some(fault) = self.incidents[incident].faults.get_mut(number)
                    {
                        fault.process = fault.process.take().or(Some(process.clone()).filter(|process| *process != crate::input::Process::default()));
                    }
                }
                About::Nothing => gpu.process = Some(process.clone()).filter(|process| *process != crate::input::Process::default()),
                About::Timeout(_) => {}
            },
            EventKind::Fault(_) | EventKind::FaultPart(_) => self.fault(gpu, event),
            EventKind::OldFault => {}
            EventKind::Refused(what) => {
                let at = match &mut gpu.current {
                    Some(current) if current.stage != Stage::Over => {
                        current.last = now;
                        current.incident
                    }
                    _ => match gpu.refused.filter(|(_, at)| is_near(*at, now)) {
                        Some((incident, _)) => incident,
                        None => self.open(IncidentKind::RefusedPacket, event),
                    },
                };
                self.incidents[at].refused.push((event.line, what));
                if self.incidents[at].kind == IncidentKind::RefusedPacket {
                    gpu.refused = Some((at, now));
                }
                gpu.about = About::Nothing;
            }
            EventKind::Firmware { who, message } => {
                let at = match &mut gpu.current {
                    Some(current) if current.stage != Stage::Over => {
                        current.last = now;
                        current.incident
                    }
                    _ => {
                        let incident = self.open(IncidentKind::FirmwareTimeout, event);
                        self.incidents[incident].engine = Some(match *who {
                            "MES" => "mes",
                            "HWS" => "hws",
                            "KIQ" => "kiq",
                            _ => "smu",
                        });
                        self.adopt(gpu, incident, now);
                        gpu.current = Some(Current { incident, stage: Stage::None, last: now });
                        incident
                    }
                };
                self.incidents[at].firmware.push((event.line, who, message.clone()));
                gpu.about = About::Nothing;
            }
            EventKind::Recovery(line) => {
                let before = self.incidents.len();
                self.recovery(gpu, event, line);
                // Between a process and a reset of the GPU is nothing but the end of the message of a timeout, which was cut off.
                if let Some(incident) = self.incidents.get_mut(before)
                    && matches!(line, RecoveryLine::Begins(_))
                {
                    incident.process = process;
                }
            }
            EventKind::DriverError(message) => {
                let running = gpu.current.as_ref().filter(|current| matches!(current.stage, Stage::Begun | Stage::Failed)).map(|current| current.incident);
                let of_kernel = OOPSES.iter().any(|said| message.contains(said));
                let is_said = gpu.current.is_some() && !of_kernel;
                let has_fault = gpu.faults.is_some() && !of_kernel;
                let is_lost = message.contains("context is lost");
                // Each process of a GPU says the same of one hang.
                let is_again = !of_kernel
                    && self.driver_error.is_some_and(|(at, time)| self.incidents[at].gpu == event.gpu && is_near(time, now) && self.says(at, message));
                if !(is_said || has_fault || is_again || is_lost && self.driver_error.is_some()) {
                    let incident = self.open(IncidentKind::DriverError, event);
                    self.incidents[incident].message = Some(message.clone());
                    self.driver_error = Some((incident, now));
                    self.lost = if is_lost { Some(incident) } else { self.lost };
                    self.incidents[incident].follows = running;
                }
            }
            EventKind::HardwareError(sentence) => gpu.hardware = Some((sentence.clone(), now)),
            EventKind::Dumped(_) => {}
            EventKind::BlockFailed(sentence) => {
                if let Some(current) = &gpu.current {
                    self.incidents[current.incident].blocks.push(sentence.clone());
                }
            }
        }
        for at in [gpu.current.as_ref().map(|current| current.incident), gpu.faults.map(|(at, _)| at), gpu.refused.map(|(at, _)| at)].into_iter().flatten() {
            let incident = &mut self.incidents[at];
            incident.generation = incident.generation.or(event.generation.filter(|_| event.gpu.is_some() || !self.several));
            if incident.gpu.is_none() {
                incident.gpu.clone_from(&event.gpu);
            }
        }
    }

    fn timeout(&mut self, gpu: &mut Gpu, event: &LogEvent, ring: &str, recovered: bool) {
        let now = event.micros;
        let running = gpu.current.as_ref().filter(|current| matches!(current.stage, Stage::Begun | Stage::Failed)).map(|current| current.incident);
        // Firmware that did not answer just before is of the same incident.
        let firmware =
            gpu.current.as_ref().filter(|current| current.stage == Stage::None && self.incidents[current.incident].kind == IncidentKind::FirmwareTimeout);
        let firmware = firmware.filter(|current| is_near(current.last, now)).map(|current| current.incident);
        let incident = self.open(IncidentKind::RingTimeout, event);
        // Without a name it is cut off.
        if !ring.is_empty() {
            self.incidents[incident].ring = Some(ring.to_string());
            self.rings.insert(ring.to_string(), incident);
            self.incidents[incident].engine = engine(ring);
        }
        self.adopt(gpu, incident, now);
        // A driver that lost its context saw the same, if no time says otherwise.
        if let Some(lost) = self.lost.filter(|lost| self.driver_error.is_some_and(|(at, time)| at == *lost && between(time, now).is_none())) {
            self.gone[lost] = true;
            (self.lost, self.driver_error) = (None, None);
        }
        if let Some(firmware) = firmware {
            self.merge(firmware, incident);
        }
        gpu.about = About::Timeout(incident);
        if recovered {
            let step = step(event.line, "soft_recovery", "succeeded");
            self.incidents[incident].recovery.push(step);
            if running.is_none() {
                gpu.current = Some(Current { incident, stage: Stage::Over, last: now });
            }
            return;
        }
        self.incidents[incident].follows = running;
        gpu.current = Some(match running {
            // Its recovery is that of the incident which it follows.
            Some(_) => Current { incident, stage: gpu.current.as_ref().map_or(Stage::None, |current| current.stage), last: now },
            None => Current { incident, stage: Stage::None, last: now },
        });
    }

    fn fault(&mut self, gpu: &mut Gpu, event: &LogEvent) {
        let now = event.micros;
        let line = match &event.kind {
            EventKind::Fault(line) => Some(line.clone()),
            _ => None,
        };
        // A part whose first line is missing, or that a fault has already, begins another one.
        let have = gpu.fault.and_then(|(incident, number)| self.incidents[incident].faults.get(number));
        let begins = match &event.kind {
            EventKind::FaultPart(FaultPart::Page { address, .. }) => have.is_none_or(|fault| fault.address.is_some_and(|known| known != *address)),
            EventKind::FaultPart(FaultPart::Status { value, .. }) => have.is_none_or(|fault| fault.status.is_some_and(|known| known != *value)),
            EventKind::FaultPart(_) => false,
            _ => true,
        };
        if begins {
            let line = line.unwrap_or_default();
            let fault = IncidentFault {
                line: event.line,
                address: line.address,
                interrupt_client: line.interrupt_client,
                hub: line.hub,
                die: line.die,
                vmid: line.vmid,
                pasid: line.pasid,
                process: line.process.filter(|process| *process != crate::input::Process::default()),
                decoded: true,
                ..IncidentFault::default()
            };
            let effect = gpu.current.as_ref().filter(|current| {
                fault.vmid == Some(0)
                    && (matches!(current.stage, Stage::Begun | Stage::Failed)
                        || current.stage == Stage::Over && between(current.last, now).is_none_or(|micros| micros <= AFTER))
            });
            let effect = effect.map(|current| current.incident);
            let at = match (&mut gpu.current, effect) {
                (Some(current), None) if current.stage != Stage::Over => {
                    current.last = now;
                    current.incident
                }
                _ => match gpu.faults.filter(|(incident, at)| is_near(*at, now) && self.incidents[*incident].follows == effect) {
                    Some((incident, _)) => incident,
                    None => {
                        // A context that was lost just before is the effect that a driver saw of it.
                        if let Some(lost) = self.lost {
                            self.gone[lost] = true;
                        }
                        let incident = self.open(IncidentKind::PageFault, event);
                        self.incidents[incident].follows = effect;
                        incident
                    }
                },
            };
            if self.incidents[at].kind == IncidentKind::PageFault && gpu.current.as_ref().is_none_or(|current| current.incident != at) {
                gpu.faults = Some((at, now));
            }
            self.incidents[at].faults.push(fault);
            gpu.fault = Some((at, self.incidents[at].faults.len() - 1));
            gpu.about = About::Fault;
        }
        let EventKind::FaultPart(part) = &event.kind else { return };
        let Some(fault) = gpu.fault.and_then(|(incident, number)| self.incidents[incident].faults.get_mut(number)) else { return };
        match part {
            FaultPart::Page { address, interrupt_client } => {
                fault.address = fault.address.or(Some(*address));
                fault.interrupt_client = fault.interrupt_client.take().or_else(|| interrupt_client.clone());
            }
            FaultPart::Status { decoded, value, multimedia } => {
                (fault.status, fault.decoded, fault.multimedia) = (fault.status.or(Some(*value)), *decoded, *multimedia);
            }
            FaultPart::Die(die) => fault.die = Some(die.clone()),
            FaultPart::Client(name, id) => (fault.client, fault.client_id) = (name.clone(), *id),
            FaultPart::Walker(value) => fault.walker = Some(*value),
            FaultPart::Permission(value) => fault.permission = Some(*value),
            FaultPart::Mapping(value) => fault.mapping = Some(*value),
            FaultPart::Write(write) => fault.write = Some(*write),
        }
    }

    /// Returns the incident with which a recovery began: the first of those that follow each other for which no reset has ended.
    fn first_of(&mut self, incident: usize) -> usize {
        let is_over = |at: usize| self.incidents[at].recovery.iter().any(|step| step.what == "gpu_reset" && step.result != "unknown");
        let mut at = incident;
        while let Some(near) = self.incidents[at].follows {
            let far = self.began[near];
            let before = if is_over(far) { near } else { far };
            if is_over(before) {
                break;
            }
            at = before;
        }
        self.began[incident] = at;
        at
    }

    fn recovery(&mut self, gpu: &mut Gpu, event: &LogEvent, line: &RecoveryLine) {
        let now = event.micros;
        // A step of a ring is of the incident of that ring.
        let of_ring = match line {
            RecoveryLine::RingBegins(ring) | RecoveryLine::RingEnds(ring, _) => self.rings.get(ring).copied(),
            _ => None,
        };
        let of_ring = of_ring.filter(|at| !self.gone[*at]);
        let open = gpu
            .current
            .as_ref()
            .filter(|current| current.stage != Stage::Over || matches!(line, RecoveryLine::VramLost) || matches!(line, RecoveryLine::Ends { .. }))
            .map(|current| current.incident);
        let at = match of_ring.or(open) {
            Some(at) => at,
            None if matches!(line, RecoveryLine::VramLost) => return,
            None => {
                let incident = self.open(IncidentKind::Reset, event);
                self.adopt(gpu, incident, now);
                let hardware = gpu.hardware.take().filter(|(_, at)| is_near(*at, now));
                self.incidents[incident].blocks.extend(hardware.map(|(sentence, _)| sentence));
                gpu.current = Some(Current { incident, stage: Stage::None, last: now });
                incident
            }
        };
        // The GPU is reset for the incident with which it began.
        // The kernel says twice that a reset failed, with its number and with its error.
        let failed = gpu.failed.take().filter(|_| matches!(line, RecoveryLine::Ends { count: None, result: "failed" }));
        let at = failed.unwrap_or_else(|| if of_ring.is_some() || matches!(line, RecoveryLine::Begins(_)) { at } else { self.first_of(at) });
        let steps = &mut self.incidents[at].recovery;
        let gpu_step = steps.iter().rposition(|step| step.what == "gpu_reset");
        let mut stage = Stage::Begun;
        match line {
            RecoveryLine::Begins(source) => {
                let source = source.and_then(|source| SOURCES.get(source as usize).copied());
                match gpu_step.filter(|at| steps[*at].result == "unknown" && steps[*at].source.is_none()) {
                    Some(number) => steps[number].source = source,
                    None => steps.push(RecoveryStep { source, ..step(event.line, "gpu_reset", "unknown") }),
                }
            }
            RecoveryLine::Method(method) => match gpu_step {
                Some(number) => steps[number].method = steps[number].method.or(Some(method)),
                None => steps.push(RecoveryStep { method: Some(method), ..step(event.line, "gpu_reset", "unknown") }),
            },
            RecoveryLine::Ends { count, result } => {
                let number = gpu_step.unwrap_or_else(|| {
                    steps.push(step(event.line, "gpu_reset", "unknown"));
                    steps.len() - 1
                });
                // The number of the reset comes with the end of the whole, which is the last word unless a reset was skipped.
                let before = steps[number].result;
                if *result != "succeeded" || before != "skipped" && (before != "failed" || count.is_some()) {
                    steps[number].result = result;
                }
                steps[number].count = count.or(steps[number].count);
                gpu.failed = (*result == "failed").then_some(at);
                stage = match *result {
                    "failed" | "disabled" => Stage::Failed,
                    // The kernel says this in the middle of older resets.
                    "skipped" => Stage::Begun,
                    "succeeded" if count.is_none() => Stage::Begun,
                    _ => Stage::Over,
                };
            }
            RecoveryLine::VramLost => {
                if let Some(number) = gpu_step {
                    steps[number].vram_lost = true;
                } else {
                    steps.push(RecoveryStep { vram_lost: true, ..step(event.line, "gpu_reset", "unknown") });
                }
                stage = gpu.current.as_ref().map_or(Stage::Begun, |current| current.stage);
            }
            RecoveryLine::RingBegins(ring) => steps.push(RecoveryStep { ring: Some(ring.clone()), ..step(event.line, "ring_reset", "unknown") }),
            RecoveryLine::RingEnds(ring, succeeded) => {
                let result = if *succeeded { "succeeded" } else { "failed" };
                match steps.iter_mut().rfind(|step| step.what == "ring_reset" && step.ring.as_deref() == Some(ring.as_str()) && step.result == "unknown") {
                    Some(step) => step.result = result,
                    None => steps.push(RecoveryStep { ring: Some(ring.clone()), ..step(event.line, "ring_reset", result) }),
                }
                // After a ring the GPU is tried.
                stage = if *succeeded { Stage::Over } else { Stage::Begun };
            }
            RecoveryLine::Queue(result) => {
                steps.push(step(event.line, "queue_reset", result));
                stage = if *result == "succeeded" { Stage::Over } else { Stage::Begun };
            }
        }
        if let Some(current) = gpu.current.as_mut().filter(|current| of_ring.is_none_or(|at| at == current.incident)) {
            (current.stage, current.last) = (stage, now);
        }
        gpu.about = About::Nothing;
    }
}

fn step(line: usize, what: &'static str, result: &'static str) -> RecoveryStep {
    RecoveryStep { line, what, ring: None, method: None, source: None, result, count: None, vram_lost: false }
}

/// Returns the incidents of an input.
pub(super) fn of_events(file: usize, input: &Input, chip: Option<Chip>) -> Vec<Incident> {
    let mut links = Links {
        file,
        incidents: Vec::new(),
        gone: Vec::new(),
        began: Vec::new(),
        rings: BTreeMap::new(),
        driver_error: None,
        lost: None,
        gpus: BTreeMap::new(),
        last: String::new(),
        named: BTreeMap::new(),
        several: false,
    };
    let mut wrong: Option<&String> = None;
    for event in &input.events {
        let Some(gpu) = &event.gpu else { continue };
        if event.kind.is_of_an_incident() {
            links.several |= wrong.is_some_and(|other| other != gpu);
            wrong = Some(gpu);
        }
        let Some(generation) = event.chip.map(major).or(event.generation) else { continue };
        let named = links.named.entry(gpu.clone()).or_default();
        named.differs |= named.generation.is_some_and(|known| known != generation);
        named.generation = Some(generation);
    }
    for event in &input.events {
        links.add(event);
    }
    let order: Vec<usize> = (0..links.incidents.len()).filter(|at| !links.gone[*at]).collect();
    let mut all: Vec<Incident> = order.iter().map(|at| links.incidents[*at].clone()).collect();
    for incident in &mut all {
        incident.follows = incident.follows.and_then(|of| order.binary_search(&of).ok());
    }
    finish(&mut all, input, chip);
    all
}

/// What lines say of a GPU.
#[derive(Default)]
struct Machine {
    chip: Option<Chip>,
    generation: Option<u8>,
    /// Lines name other chips, or other generations.
    other_chips: bool,
    differs: bool,
}

/// Completes incidents by what the whole input says.
fn finish(all: &mut [Incident], input: &Input, chip: Option<Chip>) {
    let names: BTreeSet<&str> = input.events.iter().filter_map(|event| event.gpu.as_deref()).collect();
    let one = names.first().filter(|_| names.len() == 1).map(ToString::to_string);
    // What all lines of a GPU agree on, or those of the whole input where it has one.
    let mut machines: BTreeMap<Option<&String>, Machine> = BTreeMap::new();
    for event in &input.events {
        let machine = machines.entry(event.gpu.as_ref().filter(|_| names.len() > 1)).or_default();
        machine.other_chips |= machine.chip.zip(event.chip).is_some_and(|(one, other)| one != other);
        machine.chip = machine.chip.or(event.chip);
        machine.differs |= machine.generation.zip(event.generation).is_some_and(|(one, other)| one != other);
        machine.generation = machine.generation.or(event.generation);
    }
    for incident in all {
        if incident.gpu.is_none() {
            incident.gpu.clone_from(&one);
        }
        let machine = machines.get(&incident.gpu.as_ref().filter(|_| names.len() > 1));
        let stated = machine.filter(|machine| !machine.other_chips).and_then(|machine| machine.chip);
        // Of several GPUs the one that the caller names is not one that says otherwise.
        let may_be = |chip: &Chip| {
            let said = machine.and_then(|machine| machine.generation).or(incident.generation);
            names.len() < 2 || stated.is_none_or(|stated| stated == *chip) && said.is_none_or(|said| said == major(*chip))
        };
        incident.chip = chip.filter(may_be).or(stated).or(input.chip.filter(|_| names.len() < 2));
        let agreed = machine.filter(|machine| !machine.differs).and_then(|machine| machine.generation);
        let of_input = || input.generation().map(|gfx| major_of_name(&gfx.to_string()));
        incident.generation = incident.chip.map(major).or(incident.generation).or(agreed).or_else(of_input);
        for fault in &mut incident.faults {
            status::resolve(fault, incident.generation, incident.chip);
        }
        if incident.kind == IncidentKind::PageFault {
            let mut processes = incident.faults.iter().filter_map(|fault| fault.process.as_ref());
            let first = processes.next().cloned();
            incident.process = first.filter(|first| processes.all(|other| other == first));
        }
    }
}

pub(super) fn major(chip: Chip) -> u8 {
    major_of_name(&chip.gfx().to_string())
}

/// `gfx103` is 10, `gfx9` is 9.
fn major_of_name(name: &str) -> u8 {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    if digits.starts_with('9') { 9 } else { digits.get(..2).and_then(|digits| digits.parse().ok()).unwrap_or(0) }
}
