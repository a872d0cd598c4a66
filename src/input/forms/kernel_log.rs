//! The log of a kernel (dmesg, journalctl): page faults and rings that timed out, as amdgpu reports them (Linux 5.4 to 7.1 gmc_v9_0.c, gmc_v10_0.c,
//! gmc_v11_0.c, gmc_v12_0.c, the `print_l2_protection_fault_status` of the hubs, amdgpu_job.c, amdgpu_device.c amdgpu_device_gpu_recover, amdgpu_vm.c
//! amdgpu_vm_print_task_info). Lines of other drivers may be between them, and anything before each: a line is recognized by what it says. Each GPU counts by
//! itself, and each boot. Logs as JSON are read as well, and those with the newest line first.

use super::{Head, Input, InputPlace};
use crate::chip::Chip;
use crate::input::text::{self, Line, after, first, hex, hex32};
use crate::input::{HangFacts, PageFault, chips};
use crate::packet::Queue;
use crate::plurals::counted;
use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem;

const FAULT: &str = "page fault (src_id:";
const TIMEOUT: &str = " timeout, ";
const STATUS: [&str; 2] = ["_L2_PROTECTION_FAULT_STATUS:", "_L2_PROTECTION_FAULT_STATUS_LO32:"];

/// What only the log of a kernel says of a hang or a page fault.
const MARKS: [&str; 8] = [
    FAULT,
    STATUS[0],
    STATUS[1],
    "timeout, signaled seq",
    "timeout, but soft recovered",
    "Dumping IP State",
    RESET_BEGINS,
    "device coredump file has been created",
];

/// The reset of a whole GPU (amdgpu_device_gpu_recover).
const RESET_BEGINS: &str = "GPU reset begin";

/// What the kernel says of packets that engines refuse (Linux gfx_v9_0.c to gfx_v12_0.c, bad_op_irq and priv_reg_irq), and the rules about them.
const REFUSED: [(&str, &str); 2] =
    [("Illegal opcode in command stream", "rule ENC-02"), ("Illegal register access in command stream", "rules REG-01 and REG-03")];

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
    /// It counts in the order of time, as lines do unless the newest is first.
    order: usize,
    device: String,
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
        parts.push(self.address.map_or_else(|| "its address is not known".to_string(), |address| format!("address 0x{address:012x}")));
        parts.extend(self.hub.as_ref().map(|hub| format!("seen by {hub}")));
        parts.extend((self.status != 0).then(|| format!("status 0x{:08x}", self.status)));
        parts.extend(self.client.as_ref().map(|client| format!("client {client}")));
        parts.extend(self.vmid.map(|vmid| format!("VMID {vmid}")));
        parts.extend(self.process.clone());
        format!("line {}: {}", self.line, parts.join(", "))
    }

    /// The fault in a report; None without its address.
    fn stated(&self, may_be_of_another_job: bool) -> Option<PageFault> {
        let Self { line, status, .. } = *self;
        Some(PageFault { hub: self.hub.clone(), client: self.client.clone(), address: self.address?, status, line, may_be_of_another_job })
    }
}

/// A packet that an engine refused.
#[derive(Clone, Copy)]
struct RefusedPacket {
    order: usize,
    line: usize,
    said: &'static str,
    rules: &'static str,
}

/// Page faults before a hang, and the first packet that was refused.
#[derive(Default)]
struct Faults {
    /// The first one of each process, in their order.
    first: Vec<Fault>,
    count: usize,
    refused: Option<RefusedPacket>,
}

impl Faults {
    /// Processes that are kept: the first ones, and the last.
    const MOST: usize = 16;

    fn add(&mut self, fault: Fault) {
        if self.first.iter().any(|other| job(other.process.as_deref()) == job(fault.process.as_deref())) {
            return;
        }
        self.first.truncate(Self::MOST - 1);
        self.first.push(fault);
    }
}

/// A process without the name of its thread: `process vkcube pid 12`.
fn job(process: Option<&str>) -> Option<&str> {
    process.map(|process| process.split_once(" thread ").map_or(process, |(job, _)| job))
}

/// A ring that timed out.
struct Hang {
    /// No other hang has it.
    line: usize,
    /// Of its GPU; empty where the log does not state it.
    device: String,
    /// The version that ran.
    kernel: Option<String>,
    ring: String,
    process: Option<String>,
    /// The kernel killed the waves of the job, and the ring went on.
    recovered: bool,
    /// The line of the hang for which the GPU was reset when this ring timed out.
    during: Option<usize>,
    /// How the last reset ended that it caused.
    reset: Option<&'static str>,
    /// The log has a hang of the GPU before it.
    follows: bool,
    /// Page faults after the hang before this one.
    faults: Faults,
}

impl Hang {
    /// The page fault that may have caused it, and whether it is of the same process.
    fn fault(&self) -> Option<(&Fault, bool)> {
        let first = &self.faults.first;
        let own = first.iter().find(|fault| self.process.is_some() && job(fault.process.as_deref()) == job(self.process.as_deref()));
        own.map(|fault| (fault, true)).or_else(|| first.first().map(|fault| (fault, false)))
    }

    fn say(&self, of: &str) -> String {
        let recovered = if self.recovered { ", but recovered when the kernel killed its waves" } else { "" };
        let during = self.during.map_or_else(String::new, |line| format!(" during the reset after the hang at line {line}"));
        let process = self.process.as_ref().map_or_else(String::new, |process| format!(" ({process})"));
        let reset = self.reset.map_or_else(String::new, |reset| format!(", then {reset}"));
        let faults = match self.fault() {
            None if self.follows => "no page fault in the log since the hang before it".to_string(),
            None => "no page fault in the log before it".to_string(),
            Some((fault, is_own)) => {
                let first = if is_own && self.faults.first.len() > 1 { "the first of this process" } else { "the first" };
                let doubt = if is_own { "" } else { ", possibly of another job," };
                match self.faults.count {
                    1 => format!("a page fault before it{doubt} at {}", fault.say()),
                    count => format!("{} in the log before it, {first}{doubt} at {}", counted(count, "page fault"), fault.say()),
                }
            }
        };
        let refused = self
            .faults
            .refused
            .map_or_else(String::new, |RefusedPacket { line, said, rules, .. }| format!("; before it, at line {line}, the kernel says {said:?} ({rules})"));
        format!("ring {}{of} timed out{recovered}{during}{process}{reset}; {faults}{refused}", self.ring)
    }
}

/// What the lines after an event are about.
#[derive(Default)]
enum About {
    #[default]
    Nothing,
    Fault,
    /// The hang of a line.
    Hang(usize),
}

/// What the log says of one GPU since it was started.
#[derive(Default)]
struct Device {
    about: About,
    /// The fault that the lines are about.
    open: Option<Fault>,
    /// Those after the last hang.
    faults: Faults,
    /// Line and ring of the hang for which the GPU is reset, or will be.
    hung: Option<(usize, String)>,
    /// The GPU of which the reset began: it may be known where that of the hang is not.
    resets: Option<String>,
    /// It has hung.
    hangs: bool,
}

impl Device {
    fn close(&mut self) {
        if let Some(fault) = self.open.take() {
            self.about = About::Nothing;
            self.faults.add(fault);
        }
    }

    fn take_faults(&mut self) -> Faults {
        self.close();
        mem::take(&mut self.faults)
    }

    /// How many faults no hang follows, and the first of them.
    fn left(&self) -> Option<(usize, &Fault)> {
        self.faults.first.first().or(self.open.as_ref()).map(|fault| (self.faults.count, fault))
    }
}

/// Page faults that no hang follows before the next boot.
struct Left {
    count: usize,
    first: Fault,
}

/// A log by its lines.
#[derive(Default)]
pub(super) struct Log {
    /// The version that runs.
    kernel: Option<String>,
    devices: BTreeMap<String, Device>,
    hangs: Vec<Hang>,
    /// Hangs that are not kept.
    more: usize,
    /// The line of the hang to report: the last one that did not recover. Of those in one reset it is the first, or the last one with a page fault.
    chosen: Option<usize>,
    /// The line of the last hang that did not recover.
    last: Option<usize>,
    /// Lines so far.
    lines: usize,
    /// Faults of boots before.
    left: Vec<Left>,
    /// Those that are not kept.
    more_faults: usize,
}

/// What a line says of a GPU.
struct Gpu {
    device: String,
    chip: Option<Chip>,
    family: Option<&'static str>,
}

/// Lines about GPUs that are kept, and GPUs that count by themselves.
const MOST_GPUS: usize = 256;

/// Hangs that are kept; of more of them the last one and the one to report as well.
const MOST_HANGS: usize = 32;

pub fn parse(bytes: &[u8], input: &mut Input) {
    let mut log = Log::default();
    let mut gpus: Vec<Gpu> = Vec::new();
    let mut read = |Line { number, text }: Line<'_>| {
        let text = message(&text);
        log.line(&text, number);
        gpus.extend(machine(&text).filter(|_| gpus.len() < MOST_GPUS));
    };
    let newest_first = newest_first(bytes);
    if newest_first {
        let lines: Vec<Line<'_>> = text::lines(bytes).collect();
        lines.into_iter().rev().for_each(read);
    } else {
        text::lines(bytes).for_each(&mut read);
    }
    let nothing = if log.says().is_empty() { "the log has no page fault and no ring that timed out; " } else { "" };
    input.remark(InputPlace::Whole, format!("{nothing}{ADVICE}"));
    if newest_first {
        input.remark(InputPlace::Whole, "the newest line of the log is first: it was read from its end".into());
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

/// What a line says: where it is JSON, as journalctl and dmesg print it, the string of the key of messages.
fn message(text: &str) -> Cow<'_, str> {
    let value = ["\"MESSAGE\"", "\"msg\""].iter().find_map(|key| after(text, key)?.strip_prefix(':'));
    let string = value.and_then(|value| serde_json::Deserializer::from_str(value).into_iter::<String>().next()?.ok());
    string.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Lines by which the order of a log is known.
const FIRST_LINES: usize = 1 << 14;

/// Lines that are earlier than those before them, from which on they are no boots of a short excerpt.
const EARLIER: usize = 5;

/// Whether lines follow later ones, as journalctl prints them with --reverse. Boots and months begin with a lower number.
fn newest_first(bytes: &[u8]) -> bool {
    let mut stamps = text::lines(bytes).take(FIRST_LINES).filter_map(|line| stamp(&line.text));
    let Some(mut before) = stamps.next() else { return false };
    let (mut later, mut earlier) = (0, 0);
    for now in stamps {
        match now.cmp(&before) {
            _ if now.len() != before.len() => {}
            Ordering::Less => earlier += 1,
            Ordering::Equal => {}
            Ordering::Greater => later += 1,
        }
        before = now;
    }
    earlier >= EARLIER && earlier > later
}

/// The time at the start of a line, as numbers: `[  812.104233]`, or those up to a time of day, `Sep 17 02:31:41`.
fn stamp(text: &str) -> Option<Vec<u64>> {
    const LONGEST: usize = 64;
    let numbers = |text: &str| text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let inner = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(inner, _)| inner.trim());
    if let Some(inner) = inner.filter(|inner| inner.split_once('.').is_some_and(|(seconds, rest)| is_number(seconds) && is_number(rest))) {
        return Some(numbers(inner));
    }
    let bytes = &text.as_bytes()[..text.len().min(LONGEST)];
    let is_time = |at: &usize| {
        let fits = |(n, byte): (usize, &u8)| if n % 3 == 2 { *byte == b':' } else { byte.is_ascii_digit() };
        (*at == 0 || !bytes[at - 1].is_ascii_digit()) && bytes[*at..at + 8].iter().enumerate().all(fits)
    };
    let at = (0..bytes.len().saturating_sub(7)).find(is_time)?;
    Some(numbers(&text[..at + 8]))
}

/// The device that a line is about, `0000:0d:00.0`; empty where it states none.
fn device(text: &str) -> &str {
    let is_device =
        |token: &&str| token.len() == 12 && token.is_ascii() && [(4, b':'), (7, b':'), (10, b'.')].iter().all(|(at, c)| token.as_bytes()[*at] == *c);
    text.split("amdgpu ").skip(1).map(|rest| first(rest).trim_end_matches(':')).find(is_device).unwrap_or("")
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
    (rest.contains(" pid ") && !rest.starts_with("pid ")).then(|| format!("process {rest}"))
}

/// What a line says of a device: its chip, `initializing kernel modesetting (NAVI21 0x1002:0x73BF …`, or the generation by the driver of its graphics core.
fn machine(text: &str) -> Option<Gpu> {
    if let Some((name, ids)) = after(text, "initializing kernel modesetting (").and_then(|rest| rest.split_once(" 0x1002:")) {
        let chip = chips::of_asic(name, first(ids).strip_prefix("0x").and_then(hex32).unwrap_or(0));
        return Some(Gpu { device: device(text).to_string(), chip, family: None });
    }
    let block = after(text, "detected ip block number ").or_else(|| after(text, "add ip block number "))?;
    // `6 <gfx_v11_0_0> (gfx_v11_0)`, of older kernels `6 <gfx_v11_0>`.
    let (_, name) = block.rsplit_once('(').or_else(|| block.rsplit_once('<'))?;
    let family = chips::family_of_block(name.trim_end_matches([')', '>']))?;
    Some(Gpu { device: device(text).to_string(), chip: None, family: Some(family) })
}

/// A fact about the GPU of a device, if all GPUs that may be it agree: those of the same device name. If there is none, those without a device name; if the
/// device itself has no name, all.
fn of_device<T: Copy + PartialEq>(gpus: &[Gpu], device: &str, what: impl Fn(&Gpu) -> Option<T>) -> Option<T> {
    let own = gpus.iter().any(|gpu| gpu.device == device);
    let may_be = |gpu: &&Gpu| gpu.device == device || !own && (device.is_empty() || gpu.device.is_empty());
    let mut said = gpus.iter().filter(may_be).filter_map(what);
    let one = said.next()?;
    said.all(|other| other == one).then_some(one)
}

/// A line with which a boot begins, `Linux version 6.12.9 (builder@host) …`, and the version of the kernel where it has that. Before it journalctl prints
/// `-- Boot ID --` or `-- Reboot --`.
fn boot(text: &str) -> Option<Option<&str>> {
    let version = after(text, "Linux version ").and_then(|rest| rest.split_once(" (")).map(|(version, _)| version);
    let version = version.filter(|version| version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains(' '));
    let begins = version.is_some() || text.starts_with("-- Boot ") || text.starts_with("-- Reboot --");
    begins.then_some(version)
}

/// What a line says of a reset.
#[derive(Clone, Copy)]
enum Reset<'t> {
    /// That of a GPU.
    Begins,
    /// That of a ring, or of a GPU.
    Ends { ring: Option<&'t str>, succeeded: bool },
}

/// `GPU reset begin!`, `GPU reset(2) succeeded!`, `GPU reset end with ret = -110`, `Ring gfx_0.0.0 reset failed`, of older kernels `… reset failure`.
fn reset(text: &str) -> Option<Reset<'_>> {
    if text.contains(RESET_BEGINS) {
        return Some(Reset::Begins);
    }
    if text.contains("GPU reset end with ret") {
        return Some(Reset::Ends { ring: None, succeeded: false });
    }
    let of_gpu = after(text, "GPU reset(").and_then(|rest| rest.split_once(')')).map(|(_, result)| (None, result));
    let of_ring = || after(text, "Ring ").and_then(|rest| rest.split_once(" reset ")).map(|(ring, result)| (Some(ring), result));
    let (ring, result) = of_gpu.or_else(of_ring)?;
    match first(result).trim_end_matches('!') {
        "succeeded" => Some(Reset::Ends { ring, succeeded: true }),
        "failed" | "failure" => Some(Reset::Ends { ring, succeeded: false }),
        _ => None,
    }
}

/// The hub of a page fault, before what is said of it: `[gfxhub0] no-retry`.
fn hub(before: &str) -> Option<&str> {
    let (name, _) = before[before.rfind('[')? + 1..].split_once(']')?;
    name.contains("hub").then_some(name)
}

impl Log {
    pub fn line(&mut self, text: &str, number: usize) {
        self.lines += 1;
        if let Some(kernel) = boot(text) {
            self.boot(kernel);
        } else if let Some(at) = text.find(FAULT) {
            self.fault(device(text), &text[..at], &text[at..], number);
        } else if let Some((ring, recovered)) = timeout(text) {
            self.hang(device(text), ring, recovered, number);
        } else if let Some((said, rules)) = REFUSED.iter().find(|(said, _)| text.contains(said)) {
            let refused = RefusedPacket { order: self.lines, line: number, said, rules };
            self.device(device(text)).faults.refused.get_or_insert(refused);
        } else if !self.devices.is_empty() {
            let device = device(text);
            self.reset(device, text);
            self.more_about(device, text);
        }
    }

    /// What the log says, with the lines.
    pub fn says(&self) -> Vec<(InputPlace, String)> {
        let now = self.devices.values().filter_map(Device::left).map(|(count, fault)| (count, fault, ""));
        let before = self.left.iter().map(|left| (left.count, &left.first, " before the next boot"));
        let mut left: Vec<(usize, &Fault, &str)> = before.chain(now).collect();
        left.sort_by_key(|(_, fault, _)| fault.line);
        let devices: BTreeSet<&str> =
            self.hangs.iter().map(|hang| hang.device.as_str()).chain(left.iter().map(|(_, fault, _)| fault.device.as_str())).collect();
        let is_one = devices.iter().filter(|device| !device.is_empty()).count() < 2;
        let of = |device: &str| if is_one || device.is_empty() { String::new() } else { format!(" of {device}") };
        let mut said = Vec::new();
        for (at, hang) in self.hangs.iter().enumerate() {
            if at == MOST_HANGS && self.more > 0 {
                said.push((InputPlace::Whole, format!("not listed: {} between these", counted(self.more, "hang"))));
            }
            said.push((InputPlace::Line(hang.line), hang.say(&of(&hang.device))));
        }
        for (count, fault, until) in left {
            let first = if count == 1 { "" } else { "the first " };
            let what = counted(count, "page fault");
            let said_of = format!("{what}{} in the log that no hang follows{until}, {first}at {}", of(&fault.device), fault.say());
            said.push((InputPlace::Line(fault.line), said_of));
        }
        if self.more_faults > 0 {
            said.push((InputPlace::Whole, format!("not listed: {} of other boots", counted(self.more_faults, "page fault"))));
        }
        said
    }

    /// Nothing that was before a boot has to do with what is after it.
    fn boot(&mut self, kernel: Option<&str>) {
        self.kernel = kernel.map(String::from);
        for mut device in mem::take(&mut self.devices).into_values() {
            let faults = device.take_faults();
            match faults.first.into_iter().next() {
                Some(first) if self.left.len() < MOST_HANGS => self.left.push(Left { count: faults.count, first }),
                Some(_) => self.more_faults += faults.count,
                None => {}
            }
        }
    }

    /// What is known of a GPU. Those after the first many are one.
    fn device(&mut self, device: &str) -> &mut Device {
        let is_kept = self.devices.len() < MOST_GPUS || self.devices.contains_key(device);
        self.devices.entry(if is_kept { device.to_string() } else { String::new() }).or_default()
    }

    fn fault(&mut self, device: &str, before: &str, rest: &str, line: usize) {
        let vmid = after(rest, "vmid:").and_then(|vmid| vmid.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
        let hub = hub(before).map(String::from);
        let fault = Fault { line, order: self.lines, device: device.to_string(), hub, vmid, process: process(rest), ..Fault::default() };
        let device = self.device(device);
        device.close();
        device.faults.count += 1;
        device.open = Some(fault);
        device.about = About::Fault;
    }

    /// The page faults and refused packets that a hang of a GPU may have: its own, and those of which the log does not state the GPU.
    fn faults_before(&mut self, device: &str) -> Faults {
        let mut all = Faults::default();
        for (_, other) in self.devices.iter_mut().filter(|(name, _)| device.is_empty() || name.is_empty() || *name == device) {
            let faults = other.take_faults();
            all.count += faults.count;
            all.refused = [all.refused, faults.refused].into_iter().flatten().min_by_key(|refused| refused.order);
            all.first.extend(faults.first);
        }
        all.first.sort_by_key(|fault| fault.order);
        all
    }

    fn hang(&mut self, device: &str, ring: &str, recovered: bool, line: usize) {
        let faults = self.faults_before(device);
        let state = self.device(device);
        state.about = About::Hang(line);
        let follows = mem::replace(&mut state.hangs, true);
        // A ring that timed out once more did so after a reset of which the log lacks the end.
        let during = state.hung.as_ref().filter(|(_, first)| state.resets.is_some() && !recovered && first != ring).map(|(line, _)| *line);
        if !recovered {
            if during.is_none() {
                (state.hung, state.resets) = (Some((line, ring.to_string())), None);
            }
            if during.is_none() || faults.count > 0 {
                self.chosen = Some(line);
            }
            self.last = Some(line);
        }
        if self.hangs.len() > MOST_HANGS {
            let mut rest = self.hangs.split_off(MOST_HANGS);
            let count = rest.len();
            rest.retain(|hang| Some(hang.line) == self.chosen);
            self.more += count - rest.len();
            self.hangs.append(&mut rest);
        }
        let (device, ring, kernel) = (device.to_string(), ring.to_string(), self.kernel.clone());
        self.hangs.push(Hang { line, device, kernel, ring, process: None, recovered, during, reset: None, follows, faults });
    }

    /// Takes a line about a reset. Older kernels do not state the GPU of a hang, but that of its reset.
    fn reset(&mut self, device: &str, text: &str) {
        let Some(said) = reset(text) else { return };
        let names = [device, ""];
        for name in if device.is_empty() { &names[1..] } else { &names[..] } {
            let Some(state) = self.devices.get_mut(*name) else { continue };
            let (ring, succeeded) = match said {
                Reset::Begins => {
                    state.resets.get_or_insert_with(|| device.to_string());
                    continue;
                }
                Reset::Ends { ring, succeeded } => (ring, succeeded),
            };
            let is_of = |hung: &(usize, String)| match ring {
                Some(ring) => hung.1 == ring,
                None => state.resets.as_ref().is_none_or(|of| of == device),
            };
            let Some((line, _)) = state.hung.as_ref().filter(|hung| is_of(hung)) else { continue };
            if let Some(hang) = self.hangs.iter_mut().rfind(|hang| hang.line == *line) {
                hang.reset = Some(match (ring, succeeded) {
                    (Some(_), true) => "the ring was reset",
                    (Some(_), false) => "the reset of the ring failed",
                    (None, true) => "the GPU was reset",
                    (None, false) => "the reset of the GPU failed",
                });
            }
            // After a ring the GPU is tried.
            if ring.is_none() || succeeded {
                (state.hung, state.resets) = (None, None);
            }
        }
    }

    /// Takes a line after that of an event of a GPU.
    fn more_about(&mut self, device: &str, text: &str) {
        let Some(device) = self.devices.get_mut(device) else { return };
        if let About::Hang(line) = device.about
            && let Some(hang) = self.hangs.iter_mut().rfind(|hang| hang.line == line)
            && hang.process.is_none()
        {
            hang.process = process(text);
        }
        let Some(fault) = &mut device.open else { return };
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

    /// Lists all hangs, and states one of them. Gives the device that this one is of; empty where it is not known.
    fn tell(mut self, input: &mut Input) -> String {
        for (place, message) in self.says() {
            input.remark(place, message);
        }
        let count = self.hangs.len() + self.more;
        // A ring that recovered is less of a hang.
        let at = self.hangs.iter().position(|hang| Some(hang.line) == self.chosen).or(self.hangs.len().checked_sub(1));
        let Some(hang) = at.map(|at| self.hangs.swap_remove(at)) else { return self.tell_fault(input) };
        if count > 1 {
            let which = match self.chosen {
                None => ", the last one",
                chosen if chosen == self.last => ", the last one that did not recover",
                Some(_) => "; those after it recovered, or timed out during a reset",
            };
            input.remark(InputPlace::Whole, format!("rings timed out {count} times: the report is about line {}{which}", hang.line));
        }
        let fault = hang.fault();
        let device = if hang.device.is_empty() { fault.filter(|(_, is_own)| *is_own).map(|(fault, _)| &fault.device) } else { Some(&hang.device) };
        let device = device.cloned().unwrap_or_default();
        facts(input, hang.kernel.as_deref(), hang.process.as_deref());
        let ip_type = match crate::input::ring_words::RunBy::of_name(&hang.ring).queue() {
            Some(Queue::Graphics) => Some(0),
            Some(Queue::Compute) => Some(1),
            _ => None,
        };
        let fault = fault.and_then(|(fault, is_own)| fault.stated(!is_own));
        input.hang = Some(HangFacts { ip_type, ring: Some(hang.ring), fault, ..HangFacts::default() });
        device
    }

    /// States the last page fault that is the first of its GPU, where no ring timed out.
    fn tell_fault(self, input: &mut Input) -> String {
        let now = self.devices.values().filter_map(Device::left).map(|(_, fault)| (fault, self.kernel.as_deref()));
        let before = self.left.last().map(|left| (&left.first, None));
        let Some((fault, kernel)) = now.max_by_key(|(fault, _)| fault.order).or(before) else {
            facts(input, self.kernel.as_deref(), None);
            return String::new();
        };
        facts(input, kernel, fault.process.as_deref());
        input.hang = Some(HangFacts { fault: fault.stated(false), ..HangFacts::default() });
        fault.device.clone()
    }
}

fn facts(input: &mut Input, kernel: Option<&str>, process: Option<&str>) {
    input.facts.extend(kernel.map(|kernel| ("kernel", kernel.to_string())));
    input.facts.extend(process.map(|process| ("process", process.trim_start_matches("process ").to_string())));
}
