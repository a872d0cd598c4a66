//! The log of a kernel (dmesg, journalctl): page faults and rings that timed out, as amdgpu reports them (Linux 5.4 to 7.1 gmc_v9_0.c, gmc_v10_0.c,
//! gmc_v11_0.c, gmc_v12_0.c, the
//! `print_l2_protection_fault_status` of the hubs, amdgpu_job.c, amdgpu_vm.c amdgpu_vm_print_task_info). Lines of other drivers may be between them, and
//! anything before each: a line is recognized by what it says.

use super::{Head, Input, InputPlace};
use crate::chip::Chip;
use crate::input::text::{self, Line, after, first, hex, hex32};
use crate::input::{HangFacts, PageFault, chips};
use crate::packet::Queue;
use crate::plurals::counted;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const FAULT: &str = "page fault (src_id:";
const TIMEOUT: &str = " timeout, ";
const STATUS: [&str; 2] = ["_L2_PROTECTION_FAULT_STATUS:", "_L2_PROTECTION_FAULT_STATUS_LO32:"];

/// What only the log of a kernel says of a hang or a page fault.
const MARKS: [&str; 6] = [FAULT, STATUS[0], "timeout, signaled seq", "Dumping IP State", "GPU reset begin", "device coredump file has been created"];

/// Where the words are that a log does not have.
const ADVICE: &str = "a log has no command words. For packets and draws read the device coredump, which the kernel keeps for about 5 minutes after the hang: \
                      /sys/class/drm/card0/device/devcoredump/data, or /sys/class/devcoredump/devcd*/data";

/// A log may have bytes that are no text.
pub fn is(head: &Head<'_>) -> bool {
    head.has("amdgpu") && MARKS.iter().any(|mark| head.has(mark))
}

/// A page fault by its lines.
#[derive(Default)]
struct Fault {
    line: usize,
    hub: Option<String>,
    vmid: Option<u32>,
    process: Option<String>,
    address: Option<u64>,
    status: u32,
    client: Option<String>,
}

impl Fault {
    /// What is said of it, as a part of a sentence.
    fn say(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.address.map(|address| format!("address 0x{address:012x}")));
        parts.extend(self.hub.as_ref().map(|hub| format!("seen by {hub}")));
        parts.extend((self.status != 0).then(|| format!("status 0x{:08x}", self.status)));
        parts.extend(self.client.as_ref().map(|client| format!("client {client}")));
        parts.extend(self.vmid.map(|vmid| format!("VMID {vmid}")));
        parts.extend(self.process.clone());
        format!("line {}: {}", self.line, parts.join(", "))
    }
}

/// A ring that timed out.
struct Hang {
    line: usize,
    ring: String,
    process: Option<String>,
    /// The kernel killed the waves of the job, and the ring went on.
    recovered: bool,
    /// The first page fault after the hang before this one, and how many there were.
    fault: Option<Fault>,
    faults: usize,
}

impl Hang {
    fn say(&self) -> String {
        let recovered = if self.recovered { ", but recovered when the kernel killed its waves" } else { "" };
        let process = self.process.as_ref().map_or_else(String::new, |process| format!(" ({process})"));
        let faults = match &self.fault {
            None => "no page fault since the hang before it".to_string(),
            Some(fault) if self.faults == 1 => format!("a page fault before it at {}", fault.say()),
            Some(fault) => format!("{} before it, the first at {}", counted(self.faults, "page fault"), fault.say()),
        };
        format!("ring {} timed out{recovered}{process}; {faults}", self.ring)
    }
}

/// What the lines after an event are about.
#[derive(Default)]
enum About {
    #[default]
    Nothing,
    /// The first fault after a hang.
    First,
    /// A later one, of which the lines are not needed.
    Later,
    Hang,
}

/// A log by its lines.
#[derive(Default)]
pub(super) struct Log {
    hangs: Vec<Hang>,
    /// Hangs that are not kept.
    more: usize,
    fault: Option<Fault>,
    faults: usize,
    /// The device that the last event is of, where the log states it.
    device: String,
    about: About,
}

/// What a line says of a GPU.
struct Gpu {
    device: String,
    chip: Option<Chip>,
    family: Option<&'static str>,
}

/// Lines about GPUs that are kept.
const MOST_GPUS: usize = 256;

/// Hangs that are kept; of more of them the last one as well.
const MOST_HANGS: usize = 32;

pub fn parse(bytes: &[u8], input: &mut Input) {
    let mut log = Log::default();
    let mut gpus: Vec<Gpu> = Vec::new();
    for Line { number, text } in text::lines(bytes) {
        let text = text.as_ref();
        log.line(text, number);
        if let Some(rest) = after(text, "Linux version ")
            && input.fact("kernel").is_none()
        {
            input.facts.push(("kernel", first(rest).to_string()));
        }
        gpus.extend(machine(text).filter(|_| gpus.len() < MOST_GPUS));
    }
    input.remark(InputPlace::Whole, ADVICE.into());
    input.chip = of_device(&gpus, &log.device, |gpu| gpu.chip);
    let family = of_device(&gpus, &log.device, |gpu| gpu.family);
    log.tell(input);
    if input.chip.is_none() {
        let said = family.map_or_else(
            || "the log does not say which chip it is of".to_string(),
            |family| format!("the log names the generation {family}, but not the chip"),
        );
        input.remark(InputPlace::Whole, format!("{said}: name the chip with --chip"));
    }
}

/// The device that a line is about, `0000:0d:00.0`; empty where it states none.
fn device(text: &str) -> &str {
    let is_device = |token: &&str| token.len() == 12 && token.as_bytes()[4] == b':' && token.as_bytes()[7] == b':' && token.as_bytes()[10] == b'.';
    after(text, "amdgpu ").map(first).map(|token| token.trim_end_matches(':')).filter(|token| token.is_ascii()).filter(is_device).unwrap_or("")
}

/// `ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3`, or `…, but soft recovered`: the ring, and whether it recovered.
fn timeout(text: &str) -> Option<(&str, bool)> {
    let (before, rest) = text.split_once(TIMEOUT)?;
    let recovered = rest.starts_with("but soft recovered");
    let ring = before.rsplit_once("ring ").map(|(_, ring)| ring).filter(|ring| !ring.is_empty() && !ring.contains(' '))?;
    (recovered || rest.starts_with("signaled seq")).then_some((ring, recovered))
}

/// `process vkcube pid 12 thread vkcube:cs0 pid 13` in a line.
fn process(text: &str) -> Option<String> {
    let at =
        ["rocess information: process ", "for process ", "in process ", " Process "].into_iter().find_map(|key| text.find(key).map(|at| at + key.len()))?;
    let rest = text[at..].trim().trim_end_matches(')');
    (rest.contains(" pid ") && !rest.starts_with(" pid ")).then(|| format!("process {rest}"))
}

/// What a line says of a device: its chip, `initializing kernel modesetting (NAVI21 0x1002:0x73BF …`, or the generation by the driver of its graphics core.
fn machine(text: &str) -> Option<Gpu> {
    if let Some((name, ids)) = after(text, "initializing kernel modesetting (").and_then(|rest| rest.split_once(" 0x1002:")) {
        let chip = chips::of_asic(name, first(ids).strip_prefix("0x").and_then(hex32).unwrap_or(0));
        return Some(Gpu { device: device(text).to_string(), chip, family: None });
    }
    let block = after(text, "detected ip block number ").or_else(|| after(text, "add ip block number "))?;
    let family = block.rsplit_once('(').and_then(|(_, name)| chips::family_of_block(name.trim_end_matches(')')))?;
    Some(Gpu { device: device(text).to_string(), chip: None, family: Some(family) })
}

/// The GPU of a device, where all that is said of it, or of the only one, agrees.
fn of_device<T: Copy + PartialEq>(gpus: &[Gpu], device: &str, what: impl Fn(&Gpu) -> Option<T>) -> Option<T> {
    let own = gpus.iter().any(|gpu| gpu.device == device);
    let mut said = gpus.iter().filter(|gpu| !own || gpu.device == device).filter_map(what);
    let one = said.next()?;
    said.all(|other| other == one).then_some(one)
}

impl Log {
    pub fn line(&mut self, text: &str, number: usize) {
        if let Some(at) = text.find(FAULT) {
            self.about = self.fault(&text[..at], &text[at..], number);
            self.device = device(text).to_string();
        } else if let Some((ring, recovered)) = timeout(text) {
            self.hang(ring, recovered, number);
            self.about = About::Hang;
            self.device = device(text).to_string();
        } else if !matches!(self.about, About::Nothing) && device(text) == self.device {
            self.more_about(text);
        }
    }

    /// What the log says, with the lines.
    pub fn says(&self) -> Vec<(InputPlace, String)> {
        let mut said = Vec::new();
        for (at, hang) in self.hangs.iter().enumerate() {
            if at == MOST_HANGS && self.more > 0 {
                said.push((InputPlace::Whole, format!("{} between these are not listed", counted(self.more, "ring that timed out"))));
            }
            said.push((InputPlace::Line(hang.line), hang.say()));
        }
        if let Some(fault) = &self.fault {
            let what = if self.hangs.is_empty() { "no ring timed out" } else { "no ring timed out after them" };
            said.push((InputPlace::Line(fault.line), format!("{}, and {what}; the first at {}", counted(self.faults, "page fault"), fault.say())));
        }
        said
    }

    fn fault(&mut self, before: &str, rest: &str, line: usize) -> About {
        self.faults += 1;
        if self.fault.is_some() {
            return About::Later;
        }
        let hub = before.rfind('[').and_then(|open| before[open + 1..].split_once(']')).map(|(hub, _)| hub.to_string());
        let vmid = after(rest, "vmid:").and_then(|vmid| vmid.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
        self.fault = Some(Fault { line, hub, vmid, process: process(rest), ..Fault::default() });
        About::First
    }

    fn hang(&mut self, ring: &str, recovered: bool, line: usize) {
        let hang = Hang { line, ring: ring.to_string(), process: None, recovered, fault: self.fault.take(), faults: core::mem::take(&mut self.faults) };
        if self.hangs.len() > MOST_HANGS {
            self.more += 1;
            self.hangs.pop();
        }
        self.hangs.push(hang);
    }

    /// Takes a line after that of an event.
    fn more_about(&mut self, text: &str) {
        let fault = match self.about {
            About::First => self.fault.as_mut(),
            About::Hang => {
                if let Some(hang) = self.hangs.last_mut().filter(|hang| hang.process.is_none()) {
                    hang.process = process(text);
                }
                None
            }
            About::Later | About::Nothing => None,
        };
        let Some(fault) = fault else { return };
        if let Some(rest) = after(text, "page starting at address ").or_else(|| after(text, "at page ")) {
            fault.address = fault.address.or_else(|| hex(first(rest)));
        } else if let Some(rest) = STATUS.iter().find_map(|key| after(text, key)) {
            fault.status = hex32(first(rest)).unwrap_or(0);
        } else if let Some(rest) = after(text, "Faulty UTCL2 client ID:") {
            fault.client = rest.rsplit_once(" (").map(|(client, _)| client.to_string()).filter(|client| client != "unknown");
        } else if fault.process.is_none() {
            fault.process = process(text);
        }
    }

    /// States the last hang, and lists all.
    fn tell(mut self, input: &mut Input) {
        for (place, message) in self.says() {
            input.remark(place, message);
        }
        let count = self.hangs.len() + self.more;
        // A ring that recovered is less of a hang.
        let chosen = self.hangs.iter().rposition(|hang| !hang.recovered).or(self.hangs.len().checked_sub(1));
        let last = chosen.map(|at| self.hangs.swap_remove(at));
        if count > 1 {
            let which = if last.as_ref().is_some_and(|hang| hang.recovered) { "the last one" } else { "the last one that did not recover" };
            input.remark(InputPlace::Whole, format!("the log has {count} rings that timed out: the report is about {which}"));
        }
        let (ring, process, fault) = match last {
            Some(hang) => (Some(hang.ring), hang.process, hang.fault),
            None => (None, None, self.fault.take()),
        };
        if ring.is_none() && fault.is_none() {
            return;
        }
        let process = process.or_else(|| fault.as_ref()?.process.clone());
        input.facts.extend(process.map(|process| ("process", process.trim_start_matches("process ").to_string())));
        let fault =
            fault.and_then(|fault| Some(PageFault { hub: fault.hub, client: fault.client, address: fault.address?, status: fault.status, line: fault.line }));
        let ip_type = ring.as_deref().and_then(|ring| match crate::input::ring_words::RunBy::of_name(ring).queue() {
            Some(Queue::Graphics) => Some(0),
            Some(Queue::Compute) => Some(1),
            _ => None,
        });
        input.hang = Some(HangFacts { ip_type, ring, fault, ..HangFacts::default() });
    }
}
