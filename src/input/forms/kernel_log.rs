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

/// The end of `Dumping IP State`.
const DUMPED: &str = "Dumping IP State Completed";

/// What the kernel says of packets that engines refuse (Linux gfx_v9_0.c to gfx_v12_0.c, bad_op_irq, priv_reg_irq and priv_inst_irq), and the rules about them.
const REFUSED: [(&str, &str); 3] = [
    ("Illegal opcode in command stream", "rule ENC-02"),
    ("Illegal register access in command stream", "rules REG-01 and REG-03"),
    ("Illegal instruction in command stream", "the rule is not certain, most likely ENC-02"),
];

/// Where the words are that a log does not have.
const ADVICE: &str = "for packets and draws read the device coredump, which the kernel keeps for about 5 minutes after the hang: \
                      /sys/class/drm/card0/device/devcoredump/data, or /sys/class/devcoredump/devcd*/data";

/// A log may have bytes that are no text.
pub fn is(head: &Head<'_>) -> bool {
    head.has("amdgpu") && MARKS.iter().copied().chain(REFUSED.map(|(said, _)| said)).any(|mark| head.has(mark))
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
    /// What is said of it and where, as a part of a sentence.
    fn say(&self) -> String {
        format!("line {}: {}", self.line, self.say_what())
    }

    fn say_what(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        parts.push(self.address.map_or_else(|| "its address is not known".to_string(), |address| format!("address 0x{address:012x}")));
        parts.extend(self.hub.as_ref().map(|hub| format!("seen by {hub}")));
        parts.extend((self.status != 0).then(|| format!("status 0x{:08x}", self.status)));
        parts.extend(self.client.as_ref().map(|client| format!("client {client}")));
        parts.extend(self.vmid.map(|vmid| format!("VMID {vmid}")));
        parts.extend(self.process.clone());
        parts.join(", ")
    }

    /// The fault in a report; None without its address.
    fn stated(&self, may_be_of_another_job: bool) -> Option<PageFault> {
        let Self { line, status, .. } = *self;
        Some(PageFault { hub: self.hub.clone(), client: self.client.clone(), address: self.address?, status, line, may_be_of_another_job })
    }
}

/// A packet that an engine refused.
struct RefusedPacket {
    order: usize,
    line: usize,
    /// Empty where the log does not state it.
    device: String,
    /// The version that ran.
    kernel: Option<String>,
    said: &'static str,
    rules: &'static str,
}

/// Page faults before a hang, and packets that were refused.
#[derive(Default)]
struct Faults {
    /// The first one of each process, in their order.
    first: Vec<Fault>,
    count: usize,
    /// The kernel has left out lines about more of them.
    has_more: bool,
    /// The first one of each kind, in their order.
    refused: Vec<RefusedPacket>,
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

    fn refuse(&mut self, packet: RefusedPacket) {
        if self.refused.iter().all(|other| other.said != packet.said) {
            self.refused.push(packet);
        }
    }

    /// `3 page faults`, `at least 3 page faults`.
    fn counted(&self) -> String {
        format!("{}{}", if self.has_more { "at least " } else { "" }, counted(self.count, "page fault"))
    }
}

/// A process without the name of its thread: `process vkcube pid 12`.
fn job(process: Option<&str>) -> Option<&str> {
    process.map(|process| process.split_once(" thread ").map_or(process, |(job, _)| job))
}

/// A ring that timed out.
struct Hang {
    /// It counts in the order of time. No other hang has it.
    order: usize,
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
    /// The driver of the GPU started more than once since the boot.
    started: bool,
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

    fn say(&self, of: &str, has_more_gpus: bool) -> String {
        let recovered = if self.recovered { ", but recovered when the kernel killed its waves" } else { "" };
        let during = self.during.map_or_else(String::new, |line| format!(" during the reset after the hang at line {line}"));
        let process = self.process.as_ref().map_or_else(String::new, |process| format!(" ({process})"));
        let reset = self.reset.map_or_else(String::new, |reset| format!(", then {reset}"));
        let faults = match self.fault() {
            None if self.follows => "no page fault of this GPU in the log since the previous hang".to_string(),
            None if self.started => "no page fault of this GPU in the log since its driver started".to_string(),
            None => "no page fault of this GPU before it in the log of this boot".to_string(),
            Some((fault, is_own)) => {
                let first = if is_own && self.faults.first.len() > 1 { "the first of this process" } else { "the first" };
                let doubt = if is_own { "" } else { ", possibly of another job," };
                let when = if self.follows { "since the previous hang" } else { "before it" };
                match self.faults.count {
                    1 if !self.faults.has_more => format!("a page fault before it{doubt} at {}", fault.say()),
                    _ => format!("{} in the log {when}, {first}{doubt} at {}", self.faults.counted(), fault.say()),
                }
            }
        };
        let refused = |RefusedPacket { line, device, said, rules, .. }: &RefusedPacket| {
            let doubt = if has_more_gpus && (device.is_empty() || *device != self.device) { ", possibly of another GPU," } else { "" };
            format!("; before it, at line {line}, the kernel says{doubt} {said:?} ({rules})")
        };
        let refused: String = self.faults.refused.iter().map(refused).collect();
        let which = if has_more_gpus && self.device.is_empty() {
            "; the log does not say which of its GPUs this is, so resets and page faults may be of another one"
        } else {
            ""
        };
        format!("ring {}{of} timed out{recovered}{during}{process}{reset}; {faults}{refused}{which}", self.ring)
    }
}

/// A hang that has not recovered so far.
struct Pending {
    order: usize,
    line: usize,
    ring: String,
    at: Option<Stamp>,
}

/// Of a GPU; of more of them the last ones.
const MOST_PENDING: usize = 16;

/// What the log says of one GPU since it was started.
#[derive(Default)]
struct Device {
    /// The order of the hang that the lines are about.
    about: Option<usize>,
    /// The fault that the lines are about.
    open: Option<Fault>,
    /// Those after the last hang.
    faults: Faults,
    /// The hangs for which the GPU is reset, or will be. No ring has two.
    hung: Vec<Pending>,
    /// The GPU of which the reset began: it may be known where that of the hang is not.
    resets: Option<String>,
    /// The ring of which the reset began. Older kernels do not say that it succeeded.
    resets_ring: Option<String>,
    /// It has hung, or a hang of another GPU, or of one that is not known, has its faults.
    hangs: bool,
    /// Its driver started more than once since the boot.
    started: bool,
}

impl Device {
    fn close(&mut self) {
        if let Some(fault) = self.open.take() {
            self.faults.add(fault);
        }
    }

    fn take_faults(&mut self) -> Faults {
        self.close();
        mem::take(&mut self.faults)
    }

    /// The faults that no hang follows, and the first of them.
    fn left(&self) -> Option<(&Faults, &Fault)> {
        self.faults.first.first().or(self.open.as_ref()).map(|fault| (&self.faults, fault))
    }

    /// Forgets hangs of which the reset must have ended long ago, though the log does not say how.
    fn forget_old(&mut self, now: Option<&Stamp>) {
        let Some(now) = now else { return };
        let is_old = |at: &Stamp| at.clock == now.clock && now.micros - at.micros > Stamp::LONGEST_RESET;
        self.hung.retain(|hung| !hung.at.as_ref().is_some_and(is_old));
        if self.hung.is_empty() {
            (self.resets, self.resets_ring) = (None, None);
        }
    }
}

/// Page faults that no hang follows before the next boot.
struct Left {
    counted: String,
    count: usize,
    first: Fault,
    /// The version that ran.
    kernel: Option<String>,
    /// What came next.
    until: &'static str,
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
    /// The order of the hang to report: the last one that did not recover. Of those in one reset it is the first, or the last one with a page fault.
    chosen: Option<usize>,
    /// The order of the last hang that did not recover.
    last: Option<usize>,
    /// Lines so far.
    lines: usize,
    /// Faults of boots before.
    left: Vec<Left>,
    /// Those that are not kept.
    more_faults: usize,
    /// Refused packets of boots before, the first ones.
    left_refused: Vec<(RefusedPacket, &'static str)>,
    /// Those that are not kept.
    more_refused: usize,
    /// The last time since boot, and the last boot that a record of JSON names.
    since_boot: Option<i64>,
    boot_id: Option<String>,
    /// The time of the line, or of the last one that has a time.
    now: Option<Stamp>,
    /// The kernel has left out lines before this one.
    has_more: bool,
    /// The GPUs that lines name.
    names: BTreeSet<String>,
}

/// What a line says of a GPU.
struct Gpu {
    device: String,
    chip: Option<Chip>,
    family: Option<&'static str>,
}

/// When what no hang follows was.
const BEFORE_BOOT: &str = " before the next boot";
const BEFORE_START: &str = " before its driver started again";

/// Lines about GPUs that are kept, and GPUs that count by themselves.
const MOST_GPUS: usize = 256;

/// Hangs that are kept; of more of them the last one and the one to report as well.
const MOST_HANGS: usize = 32;

pub fn parse(bytes: &[u8], input: &mut Input) {
    let mut log = Log::default();
    let mut gpus: Vec<Gpu> = Vec::new();
    let order = order(bytes);
    let are_mixed = boots_are_mixed(bytes);
    let mut read = |Line { number, text }: &Line<'_>| {
        let messages = messages(text);
        let (times, boots) = (of_each(stamps(text), messages.len()), of_each(boot_ids(text), messages.len()));
        let mut records: Vec<_> = messages.iter().zip(times).zip(boots).collect();
        if order == Order::NewestFirst {
            records.reverse();
        }
        for ((message, time), boot) in records {
            log.boot_of_record(boot.filter(|_| !are_mixed));
            log.time_of_record(message, time);
            log.line(message, *number);
            gpus.extend(machine(message).filter(|_| gpus.len() < MOST_GPUS));
        }
    };
    if order == Order::NewestFirst {
        let lines: Vec<Line<'_>> = text::lines(bytes).collect();
        lines.iter().rev().for_each(&mut read);
    } else {
        text::lines(bytes).for_each(|line| read(&line));
    }
    let what = if log.says().is_empty() { "the log has no page fault and no ring that timed out" } else { "a log has no command words" };
    input.remark(InputPlace::Whole, format!("{what}; {ADVICE}"));
    match order {
        Order::OldestFirst => {}
        Order::NewestFirst => input.remark(InputPlace::Whole, "the newest line of the log is first: it was read from its end".into()),
        Order::Unsure => input.remark(
            InputPlace::Whole,
            "times or events of the log are in reverse order, and it is not certain that its newest line is first: it was read from its beginning".into(),
        ),
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

/// Characters of a line that is read although it is cut off. Linux prints no longer ones (unverified).
const LONGEST_LINE: usize = 1024;

/// The values of a key of JSON in a text.
fn values<'t>(text: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(key).filter_map(move |(at, _)| text[at + key.len()..].trim_start().strip_prefix(':'))
}

/// What a line says: where it is JSON, as journalctl and dmesg print it, the values of the key of messages, of each record that the line has. journalctl prints
/// messages that are no UTF-8 as lists of bytes.
fn messages(text: &str) -> Vec<Cow<'_, str>> {
    let string = |value: &str| serde_json::Deserializer::from_str(value).into_iter::<String>().next()?.ok();
    let bytes = |value: &str| serde_json::Deserializer::from_str(value).into_iter::<Vec<u8>>().next()?.ok();
    // What is cut off is taken as it is, up to the longest line of a kernel; null is no message.
    let rest = |value: &str| {
        let rest: String = value.trim_start().strip_prefix('"')?.chars().take(LONGEST_LINE).collect();
        rest.split("\",").next().map(String::from)
    };
    let message =
        |value: &str| string(value).or_else(|| Some(String::from_utf8_lossy(&bytes(value)?).into_owned())).or_else(|| rest(value)).unwrap_or_default();
    let found = |key| values(text, key).map(message).map(Cow::Owned).collect::<Vec<Cow<'_, str>>>();
    // journalctl, dmesg, and what collects logs of many machines or of containers.
    let of_json = ["\"MESSAGE\"", "\"msg\"", "\"message\"", "\"log\""].into_iter().map(found).find(|found| found.iter().any(|message| !message.is_empty()));
    of_json.unwrap_or_else(|| [Cow::Borrowed(text)].into())
}

/// What the records of a line say, of each; where some say nothing, the last one said.
fn of_each<T: Clone>(said: Vec<T>, records: usize) -> Vec<Option<T>> {
    if said.len() == records { said.into_iter().map(Some).collect() } else { alloc::vec![said.last().cloned(); records] }
}

/// A boot comes back after another one: the log is of several machines, which run at once.
fn boots_are_mixed(bytes: &[u8]) -> bool {
    let mut all: Vec<String> = Vec::new();
    for line in text::lines(bytes).take(FIRST_LINES) {
        for boot in boot_ids(&line.text) {
            match all.iter().rposition(|other| other == boot) {
                Some(at) if at + 1 < all.len() => return true,
                Some(_) => {}
                None => all.push(boot.to_string()),
            }
        }
    }
    false
}

/// The boots of the records of JSON on a line.
fn boot_ids(text: &str) -> Vec<&str> {
    values(text, "\"_BOOT_ID\"").map(|value| cut(value.trim_start().trim_start_matches('"'), |c| c.is_ascii_alphanumeric())).collect()
}

/// Lines by which the order of a log is known.
const FIRST_LINES: usize = 1 << 14;

/// Steps back from which on a log has its newest line first.
const EARLIER: usize = 5;

/// The order of the lines of a log in time.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    OldestFirst,
    /// As journalctl prints it with --reverse.
    NewestFirst,
    /// Times go back, but they may be those of several boots.
    Unsure,
}

fn order(bytes: &[u8]) -> Order {
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
fn reversed_events(bytes: &[u8]) -> usize {
    /// Of a kind: whether the last line was an end, and how many more ends are before beginnings than behind them.
    type Kind = (Option<bool>, isize);
    let mut gpus: BTreeMap<String, [Kind; 5]> = BTreeMap::new();
    for line in text::lines(bytes).take(FIRST_LINES) {
        for text in messages(&line.text) {
            let (fault, page, status) = (text.contains(FAULT), text.contains("in page starting at address "), STATUS.iter().any(|key| text.contains(key)));
            let (begins, ends, ring_ends) = match reset(&text) {
                Some(Reset::Begins) => (true, false, false),
                Some(Reset::Ends { ring, .. }) => (false, ring.is_none(), ring.is_some()),
                Some(Reset::RingBegins(_)) | None => (false, false, false),
            };
            let ring_begins = matches!(reset(&text), Some(Reset::RingBegins(_)));
            let (dump_begins, dump_ends) = (text.contains("Dumping IP State") && !text.contains(DUMPED), text.contains(DUMPED));
            let pairs = [(fault, page), (page, status), (begins, ends), (ring_begins, ring_ends), (dump_begins, dump_ends)];
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

/// What a time counts from.
#[derive(Clone, PartialEq)]
enum Clock {
    Boot,
    /// 1970.
    Epoch,
    Date,
    /// A date without its year.
    DateOfYear,
    /// A time of day, after a text that is no known date.
    Time(String),
}

/// The time of a line. Those of one clock have an order.
#[derive(Clone)]
struct Stamp {
    clock: Clock,
    micros: i64,
}

const SECOND: i64 = 1_000_000;
const DAY: i64 = 24 * 60 * 60 * SECOND;

/// As the kernel and journalctl abbreviate them.
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl Stamp {
    /// A step back in the time since boot is not longer where lines are reversed; most longer ones are those to the next boot.
    const NEAR: i64 = 10 * SECOND;
    /// The driver starts within this time after a boot. No source states a limit.
    const START: i64 = 60 * SECOND;
    /// From a hang to the end of its reset. Resets take seconds; no source states a limit.
    const LONGEST_RESET: i64 = 10 * 60 * SECOND;
    /// Longer steps are those to another year.
    const HALF_A_YEAR: i64 = 6 * 31 * DAY;

    fn new(clock: Clock, micros: i64) -> Self {
        Self { clock, micros }
    }

    /// `Sep 17 02:31:41`, `2026-09-17T02:31:41.123456`, `Thu Sep 17 02:31:41 2026`.
    fn of_date(text: &str) -> Option<Self> {
        const LONGEST: usize = 64;
        let bytes = &text.as_bytes()[..text.len().min(LONGEST)];
        let is_time = |at: &usize| {
            let fits = |(n, byte): (usize, &u8)| if n % 3 == 2 { *byte == b':' } else { byte.is_ascii_digit() };
            let goes_on = |byte: &u8| byte.is_ascii_digit() || *byte == b':';
            (*at == 0 || !goes_on(&bytes[at - 1])) && bytes[*at..at + 8].iter().enumerate().all(fits) && !bytes.get(at + 8).is_some_and(goes_on)
        };
        let at = (0..bytes.len().saturating_sub(7)).find(is_time)?;
        let (before, rest) = (&text[..at], &text[at + 8..]);
        let (decimals, rest) = match rest.strip_prefix(['.', ',']).map(|rest| rest.split_at(rest.len() - rest.trim_start_matches(is_digit).len())) {
            Some((decimals, rest)) => (decimals, rest),
            None => ("", rest),
        };
        let mut parts = [24, 60, 60].into_iter().zip(text[at..at + 8].split(':'));
        let time = parts.try_fold(0, |sum, (limit, part)| Some(sum * 60 + number(part).filter(|part| *part < limit)?))?;
        let micros = time * SECOND + of_decimals(decimals)?;
        if let Some((year, month, day)) = iso_date(before) {
            return Some(Self::new(Clock::Date, ((year * 12 + month) * 31 + day) * DAY + micros));
        }
        let Some((month, day)) = month_and_day(before) else { return Some(Self::new(Clock::Time(before.into()), micros)) };
        let micros = (month * 31 + day) * DAY + micros;
        // `2026]` after a blank.
        let year = rest.strip_prefix(' ').and_then(|rest| rest.split_once(']')).filter(|(year, _)| year.len() == 4).and_then(|(year, _)| number(year));
        Some(year.map_or_else(|| Self::new(Clock::DateOfYear, micros), |year| Self::new(Clock::Date, year * 12 * 31 * DAY + micros)))
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// A number of digits alone that has no overflow when it counts seconds.
fn number(text: &str) -> Option<i64> {
    (text.len() <= 12 && text.chars().all(is_digit)).then(|| text.parse().ok()).flatten()
}

/// Decimals of a second, as microseconds.
fn of_decimals(decimals: &str) -> Option<i64> {
    number(&format!("{:0<6}", decimals.get(..6).unwrap_or(decimals)))
}

/// `812.104233`, as microseconds.
fn seconds(text: &str) -> Option<i64> {
    let (whole, decimals) = text.split_once('.').filter(|(_, decimals)| !decimals.is_empty() && decimals.chars().all(is_digit))?;
    Some(number(whole)? * SECOND + of_decimals(decimals)?)
}

/// The date at the end of what is before a time: `2026-09-17T`.
fn iso_date(before: &str) -> Option<(i64, i64, i64)> {
    let before = before.strip_suffix(['T', ' '])?;
    let mut parts = before.get(before.len().checked_sub(10)?..)?.splitn(3, '-');
    let mut part = |length| parts.next().filter(|part| part.len() == length).and_then(number);
    Some((part(4)?, part(2)?, part(2)?))
}

/// The same as `Sep 17 `.
fn month_and_day(before: &str) -> Option<(i64, i64)> {
    let (before, day) = before.trim_end().rsplit_once(' ')?;
    let name = before.trim_end().rsplit(|c: char| !c.is_alphabetic()).next()?;
    let month = MONTHS.iter().zip(1..).find(|(month, _)| **month == name)?.1;
    Some((month, number(day).filter(|day| (1..=31).contains(day))?))
}

/// The times of a line: of each record where it is JSON, else the one at its start, `[  812.104233]`, that of a date, or `1726540301.123456`.
fn stamps(text: &str) -> Vec<Stamp> {
    let text = text.trim_start();
    // Records of JSON as events of a server, or behind a separator.
    let text = text.strip_prefix("data: ").unwrap_or(text).trim_start_matches('\x1e');
    if let Some(micros) = text.strip_prefix("__REALTIME_TIMESTAMP=").and_then(number) {
        return [Stamp::new(Clock::Epoch, micros)].into();
    }
    if text.starts_with(['{', '"']) || text.starts_with("[{") {
        let value = |value: &str| {
            let value = value.trim_start().trim_start_matches('"');
            let end = value.find(|c: char| !is_digit(c) && c != '.').unwrap_or(value.len());
            if !value[end..].trim_start().is_empty() && !value[end..].trim_start().starts_with(['"', ',', '}', ']']) {
                return None; // a date
            }
            seconds(&value[..end]).or_else(|| value[..end].parse().ok())
        };
        let found = |key| values(text, key).filter_map(value);
        let records: Vec<Stamp> = found("\"__REALTIME_TIMESTAMP\"").map(|micros| Stamp::new(Clock::Epoch, micros)).collect();
        if !records.is_empty() {
            return records;
        }
        let since_boot = ["\"__MONOTONIC_TIMESTAMP\"", "\"time\""].into_iter().map(|key| found(key).collect::<Vec<i64>>()).find(|found| !found.is_empty());
        return since_boot.unwrap_or_default().into_iter().map(|micros| Stamp::new(Clock::Boot, micros)).collect();
    }
    let inner = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(inner, _)| inner.trim());
    // `[  812.104233 <    0.000021 >]` has the time since the line before as well.
    let inner = inner.map(|inner| inner.split_once('<').map_or(inner, |(time, _)| time.trim_end()));
    let since_boot = || inner.and_then(seconds).map(|micros| Stamp::new(Clock::Boot, micros));
    // Times since 1970 have more digits than those since boot.
    let since_1970 = || Some(first(text)).filter(|first| first.find('.').is_some_and(|at| at > 8)).and_then(seconds);
    let stamp = since_boot().or_else(|| since_1970().map(|micros| Stamp::new(Clock::Epoch, micros))).or_else(|| Stamp::of_date(text));
    stamp.into_iter().collect()
}

/// The device that a line is about, `0000:0d:00.0`; empty where it states none.
fn device(text: &str) -> &str {
    // A domain has four digits or more.
    let is_device = |token: &&str| {
        token.split_once(':').is_some_and(|(domain, rest)| {
            let rest = rest.as_bytes();
            domain.len() >= 4 && domain.chars().all(|c| c.is_ascii_hexdigit()) && rest.len() == 7 && rest[2] == b':' && rest[5] == b'.'
        })
    };
    text.split("amdgpu ").skip(1).map(|rest| first(rest).trim_end_matches(':')).find(is_device).unwrap_or("")
}

/// `ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3`, or `…, but soft recovered`: the ring, and whether it recovered.
fn timeout(text: &str) -> Option<(&str, bool)> {
    let (before, rest) = text.split_once(TIMEOUT)?;
    let recovered = rest.starts_with("but soft recovered");
    let ring = before.rsplit_once("ring ").map(|(_, ring)| ring).filter(|ring| !ring.is_empty() && !ring.contains(' '))?;
    (recovered || rest.starts_with("signaled seq")).then_some((ring, recovered))
}

/// The text at the start that such characters make, after blanks.
fn cut(text: &str, is_part: impl Fn(char) -> bool) -> &str {
    let text = text.trim_start();
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}

/// What is before the process of a hang. Other programs do not write it.
const OF_HANG: [&str; 2] = ["rocess information: process ", " Process "];

/// What is before the process of a page fault.
const OF_FAULT: [&str; 4] = [OF_HANG[0], "for process ", "in process ", OF_HANG[1]];

/// `process vkcube pid 12 thread vkcube:cs0 pid 13` in a line.
fn process(text: &str, keys: &[&str]) -> Option<String> {
    let rest = keys.iter().find_map(|key| after(text, key))?.trim_start();
    let pid = |at: usize, key: &str| Some(cut(&rest[at + key.len()..], is_digit)).filter(|pid| !pid.is_empty());
    // A job that no process has is of pid 0, without a name.
    if rest.starts_with("pid ") && pid(0, "pid ").is_some() {
        return None;
    }
    let (name, pid) = rest.rmatch_indices(" pid ").find_map(|(at, key)| Some((&rest[..at], pid(at, key)?)))?;
    Some(format!("process {name} pid {pid}"))
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
    /// That of a ring.
    RingBegins(&'t str),
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
    if let Some((ring, _)) = after(text, "Starting ").and_then(|rest| rest.split_once(" ring reset")) {
        return Some(Reset::RingBegins(ring));
    }
    let of_gpu = after(text, "GPU reset(").and_then(|rest| rest.split_once(')')).map(|(_, result)| (None, result));
    let of_ring = || after(text, "Ring ").and_then(|rest| rest.split_once(" reset ")).map(|(ring, result)| (Some(ring), result));
    let (ring, result) = of_gpu.or_else(of_ring)?;
    // The line may be quoted, or a part of JSON.
    match cut(result, |c| c.is_ascii_alphabetic()) {
        "succeeded" => Some(Reset::Ends { ring, succeeded: true }),
        "failed" | "failure" => Some(Reset::Ends { ring, succeeded: false }),
        _ => None,
    }
}

/// What the kernel says of a refused packet, and the rules about it. Programs may print the same words.
fn refused(text: &str) -> Option<(&'static str, &'static str)> {
    let said = REFUSED.into_iter().find(|(said, _)| text.contains(said))?;
    (text.contains("amdgpu") || text.contains("[drm")).then_some(said)
}

/// The hub of a page fault, before what is said of it: `[gfxhub0] no-retry`.
fn hub(before: &str) -> Option<&str> {
    let (name, _) = before[before.rfind('[')? + 1..].split_once(']')?;
    name.contains("hub").then_some(name)
}

impl Log {
    pub fn line(&mut self, text: &str, number: usize) {
        self.lines += 1;
        let device = device(text);
        if !device.is_empty() && self.names.len() < MOST_GPUS && !self.names.contains(device) {
            self.names.insert(device.to_string());
        }
        if let Some(kernel) = boot(text) {
            self.boot(kernel);
        } else if text.contains("initializing kernel modesetting (") {
            // The driver of a GPU starts, for the first time since the boot or once more.
            if let Some(before) = (!device.is_empty()).then(|| self.devices.remove(device)).flatten() {
                self.leave(before, BEFORE_START);
                self.device(device).started = true;
            }
        } else if let Some(at) = text.find(FAULT) {
            self.fault(device, &text[..at], &text[at..], number);
        } else if let Some((ring, recovered)) = timeout(text) {
            self.hang(device, ring, recovered, number);
        } else if let Some((said, rules)) = refused(text) {
            let refused = RefusedPacket { order: self.lines, line: number, device: device.to_string(), kernel: self.kernel.clone(), said, rules };
            self.device(device).faults.refuse(refused);
        } else {
            if text.contains(" callbacks suppressed") && text.contains("gmc_v") {
                // It names no GPU, and is before the next line of that kind.
                self.has_more = true;
                self.devices.values_mut().filter(|device| device.faults.count > 0).for_each(|device| device.faults.has_more = true);
            }
            self.reset(device, text);
            self.more_about(device, text, number);
        }
    }

    /// A time since boot that goes back to the start is that of the next boot. Other programs have times of their own: Xorg writes `[    12.345] (II) …`.
    fn time_of_record(&mut self, text: &str, time: Option<Stamp>) {
        let Some(time) = time else { return };
        if time.clock == Clock::Boot && ["amdgpu", "[drm", "Linux version "].iter().any(|key| text.contains(key)) && !text.contains("] (") {
            if self.since_boot.is_some_and(|before| time.micros < Stamp::START && time.micros - before < -Stamp::NEAR) {
                self.boot(None);
            }
            self.since_boot = Some(time.micros);
        }
        self.now = Some(time);
    }

    fn boot_of_record(&mut self, boot: Option<&str>) {
        let Some(boot) = boot.filter(|boot| !boot.is_empty()) else { return };
        if self.boot_id.as_deref().is_some_and(|before| before != boot) {
            self.boot(None);
        }
        self.boot_id = Some(boot.to_string());
    }

    /// What the log says, with the lines.
    pub fn says(&self) -> Vec<(InputPlace, String)> {
        let now = self.devices.values().filter_map(Device::left).map(|(faults, fault)| (faults.counted(), fault, ""));
        let before = self.left.iter().map(|left| (left.counted.clone(), &left.first, left.until));
        let mut left: Vec<(String, &Fault, &str)> = before.chain(now).collect();
        left.sort_by_key(|(_, fault, _)| fault.order);
        let now = self.devices.values().flat_map(|device| &device.faults.refused).map(|refused| (refused, ""));
        let mut refused: Vec<(&RefusedPacket, &str)> = self.left_refused.iter().map(|(refused, until)| (refused, *until)).chain(now).collect();
        refused.sort_by_key(|(refused, _)| refused.order);
        let of_hangs = self.hangs.iter().map(|hang| &hang.device);
        let of_faults = left.iter().map(|(_, fault, _)| &fault.device);
        let devices: BTreeSet<&String> = of_hangs.chain(of_faults).chain(refused.iter().map(|(refused, _)| &refused.device)).collect();
        let is_one = devices.iter().filter(|device| !device.is_empty()).count() < 2;
        let of = |device: &str| if is_one || device.is_empty() { String::new() } else { format!(" of {device}") };
        let this = |device: &str| if is_one || device.is_empty() { "" } else { " of this GPU" };
        let mut said = Vec::new();
        for (at, hang) in self.hangs.iter().enumerate() {
            if at == MOST_HANGS && self.more > 0 {
                said.push((InputPlace::Whole, format!("not listed: {} after the first {MOST_HANGS}", counted(self.more, "hang"))));
            }
            said.push((InputPlace::Line(hang.line), hang.say(&of(&hang.device), self.names.len() > 1)));
        }
        for (what, fault, until) in left {
            let first = if what.starts_with("1 ") { "" } else { ", the first" };
            let (of, this) = (of(&fault.device), this(&fault.device));
            said.push((InputPlace::Line(fault.line), format!("{what}{of} that no hang{this} in the log follows{until}{first}: {}", fault.say_what())));
        }
        for (RefusedPacket { line, device, said: words, rules, .. }, until) in refused {
            let (of, this) = (of(device), this(device));
            said.push((InputPlace::Line(*line), format!("the kernel says{of} {words:?} ({rules}); no hang{this} in the log follows{until}")));
        }
        for (count, what) in [(self.more_faults, "page fault"), (self.more_refused, "refused packet")] {
            said.extend((count > 0).then(|| (InputPlace::Whole, format!("not listed: {} before other starts", counted(count, what)))));
        }
        // An input keeps so many remarks and no more: those about all of it are first.
        said.sort_by_key(|(place, _)| !matches!(place, InputPlace::Whole));
        said
    }

    /// Nothing that was before a boot has to do with what is after it.
    fn boot(&mut self, kernel: Option<&str>) {
        for device in mem::take(&mut self.devices).into_values() {
            self.leave(device, BEFORE_BOOT);
        }
        self.kernel = kernel.map(String::from);
        self.since_boot = None;
    }

    /// Keeps what no hang of a GPU follows: the first ones, and the last page fault.
    fn leave(&mut self, mut device: Device, until: &'static str) {
        let faults = device.take_faults();
        let counted = faults.counted();
        let room = MOST_HANGS.saturating_sub(self.left_refused.len());
        self.more_refused += faults.refused.len().saturating_sub(room);
        self.left_refused.extend(faults.refused.into_iter().take(room).map(|refused| (refused, until)));
        let Some(first) = faults.first.into_iter().next() else { return };
        let left = Left { counted, count: faults.count, first, kernel: self.kernel.clone(), until };
        if self.left.len() < MOST_HANGS {
            self.left.push(left);
        } else if let Some(last) = self.left.iter_mut().max_by_key(|left| left.first.order) {
            let is_later = left.first.order > last.first.order;
            self.more_faults += if is_later { mem::replace(last, left).count } else { left.count };
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
        let fault = Fault { line, order: self.lines, device: device.to_string(), hub, vmid, process: process(rest, &OF_FAULT), ..Fault::default() };
        let has_more = mem::take(&mut self.has_more);
        let device = self.device(device);
        device.close();
        device.faults.count += 1;
        device.faults.has_more |= has_more;
        device.open = Some(fault);
        device.about = None;
    }

    /// The page faults and refused packets that a hang of a GPU may have: its own, and those of which the log does not state the GPU; and whether hangs before
    /// may have had others.
    fn faults_before(&mut self, device: &str) -> (Faults, bool) {
        let (mut all, mut follows) = (Faults::default(), false);
        for (_, other) in self.devices.iter_mut().filter(|(name, _)| device.is_empty() || name.is_empty() || *name == device) {
            let faults = other.take_faults();
            follows |= other.hangs;
            other.hangs |= device.is_empty() || faults.count > 0;
            all.count += faults.count;
            all.has_more |= faults.has_more;
            let mut refused: Vec<RefusedPacket> = mem::take(&mut all.refused).into_iter().chain(faults.refused).collect();
            refused.sort_by_key(|refused| refused.order);
            refused.into_iter().for_each(|refused| all.refuse(refused));
            all.first.extend(faults.first);
        }
        all.first.sort_by_key(|fault| fault.order);
        (all, follows)
    }

    fn hang(&mut self, device: &str, ring: &str, recovered: bool, line: usize) {
        let (faults, follows) = self.faults_before(device);
        let (order, at) = (self.lines, self.now.clone());
        let state = self.device(device);
        state.about = Some(order);
        state.hangs = true;
        let started = state.started;
        state.forget_old(at.as_ref());
        // The reset of another ring has ended, if it was one of a ring alone.
        if let Some(other) = state.resets_ring.take_if(|other| !recovered && *other != ring)
            && state.resets.is_none()
        {
            state.hung.retain(|hung| hung.ring != other);
        }
        // A ring that timed out once more did so after a reset of which the log lacks the end.
        let is_again = state.hung.iter().any(|hung| hung.ring == ring);
        let during = state.hung.last().filter(|_| state.resets.is_some() && !recovered && !is_again).map(|hung| hung.line);
        if is_again && state.resets.is_some() {
            (state.hung, state.resets) = (Vec::new(), None);
        }
        state.hung.retain(|hung| hung.ring != ring);
        if !recovered {
            if during.is_none() {
                if state.hung.len() == MOST_PENDING {
                    state.hung.remove(0);
                }
                state.hung.push(Pending { order, line, ring: ring.to_string(), at });
                state.resets = None;
            }
            if during.is_none() || faults.count > 0 {
                self.chosen = Some(order);
            }
            self.last = Some(order);
        }
        if self.hangs.len() > MOST_HANGS {
            let mut rest = self.hangs.split_off(MOST_HANGS);
            let count = rest.len();
            rest.retain(|hang| Some(hang.order) == self.chosen);
            self.more += count - rest.len();
            self.hangs.append(&mut rest);
        }
        let (device, ring, kernel) = (device.to_string(), ring.to_string(), self.kernel.clone());
        self.hangs.push(Hang { order, line, device, kernel, ring, process: None, recovered, during, reset: None, follows, started, faults });
    }

    /// Takes a line about a reset. Older kernels do not state the GPU of a hang, but that of its reset.
    fn reset(&mut self, device: &str, text: &str) {
        let Some(said) = reset(text) else { return };
        let now = self.now.clone();
        let names = [device, ""];
        for name in if device.is_empty() { &names[1..] } else { &names[..] } {
            let Some(state) = self.devices.get_mut(*name) else { continue };
            // A clock may be set while a reset runs.
            if !matches!(said, Reset::Ends { .. }) || state.resets.is_none() && state.resets_ring.is_none() {
                state.forget_old(now.as_ref());
            }
            let (ring, succeeded) = match said {
                Reset::Begins => {
                    state.resets.get_or_insert_with(|| device.to_string());
                    continue;
                }
                Reset::RingBegins(ring) => {
                    state.resets_ring = Some(ring.to_string());
                    continue;
                }
                Reset::Ends { ring, succeeded } => (ring, succeeded),
            };
            state.resets_ring = None;
            let resets = &state.resets;
            state.hung.retain(|hung| {
                let is_of = match ring {
                    Some(ring) => hung.ring == ring,
                    None => resets.as_ref().is_none_or(|of| of == device),
                };
                if let Some(hang) = self.hangs.iter_mut().rfind(|hang| is_of && hang.order == hung.order) {
                    hang.reset = Some(match (ring, succeeded) {
                        (Some(_), true) => "the ring was reset",
                        (Some(_), false) => "the reset of the ring failed",
                        (None, true) => "the GPU was reset",
                        (None, false) => "the reset of the GPU failed",
                    });
                }
                // After a ring the GPU is tried.
                !is_of || ring.is_some() && !succeeded
            });
            if state.hung.is_empty() {
                state.resets = None;
            }
        }
    }

    /// A log may begin behind the first line of a page fault.
    fn cut_fault(&mut self, device: &str, text: &str, line: usize) {
        let says = |key: &str| text.contains(key);
        let is_new = !self.devices.contains_key(device) && self.devices.len() < MOST_GPUS;
        if is_new && text.contains("amdgpu") && (says("in page starting at address ") || STATUS.into_iter().any(says)) {
            let fault = Fault { line, order: self.lines, device: device.to_string(), ..Fault::default() };
            let device = self.device(device);
            device.faults.count += 1;
            device.open = Some(fault);
        }
    }

    /// Takes a line after that of an event of a GPU.
    fn more_about(&mut self, device: &str, text: &str, line: usize) {
        self.cut_fault(device, text, line);
        // Of a hang whose GPU is not known the lines may be of any program.
        let of_hang = process(text, &OF_HANG).filter(|_| !device.is_empty() || text.contains(" thread "));
        let Some(device) = self.devices.get_mut(device) else { return };
        if let Some(order) = device.about
            && let Some(hang) = self.hangs.iter_mut().rfind(|hang| hang.order == order)
            && hang.process.is_none()
        {
            hang.process = of_hang;
        }
        let Some(fault) = &mut device.open else { return };
        if let Some(rest) = after(text, "page starting at address ").or_else(|| after(text, "at page ")) {
            fault.address = fault.address.or_else(|| hex(cut(rest, |c| c.is_ascii_alphanumeric())));
        } else if let Some(rest) = STATUS.iter().find_map(|key| after(text, key)) {
            fault.status = hex32(cut(rest, |c| c.is_ascii_alphanumeric())).unwrap_or(0);
        } else if let Some(rest) = after(text, "Faulty UTCL2 client ID:") {
            fault.client = rest.rsplit_once(" (").map(|(client, _)| client.to_string()).filter(|client| client != "unknown");
        } else if fault.process.is_none() {
            fault.process = process(text, &OF_FAULT);
        }
    }

    /// Lists all hangs, and states one of them. Gives the device that this one is of; empty where it is not known.
    fn tell(mut self, input: &mut Input) -> String {
        let said = self.says();
        let say = |input: &mut Input| said.into_iter().for_each(|(place, message)| input.remark(place, message));
        let count = self.hangs.len() + self.more;
        // A ring that recovered is less of a hang.
        let at = self.hangs.iter().position(|hang| Some(hang.order) == self.chosen).or(self.hangs.len().checked_sub(1));
        let Some(hang) = at.map(|at| self.hangs.swap_remove(at)) else {
            say(input);
            return self.tell_fault(input);
        };
        if count > 1 {
            let which = match self.chosen {
                None => ", the last one",
                chosen if chosen == self.last => ", the last one that did not recover",
                Some(_) => "; those after it recovered, or timed out during a reset",
            };
            input.remark(InputPlace::Whole, format!("rings timed out {count} times: the report is about line {}{which}", hang.line));
        }
        say(input);
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
        let before = self.left.iter().map(|left| (&left.first, left.kernel.as_deref())).max_by_key(|(fault, _)| fault.order);
        let Some((fault, kernel)) = now.max_by_key(|(fault, _)| fault.order).or(before) else {
            let now = self.devices.into_values().flat_map(|device| device.faults.refused);
            let refused = now.chain(self.left_refused.into_iter().map(|(refused, _)| refused)).max_by_key(|refused| refused.order);
            let kernel = refused.as_ref().map_or(self.kernel.as_deref(), |refused| refused.kernel.as_deref());
            facts(input, kernel, None);
            input.hang = refused.is_some().then(HangFacts::default);
            return refused.map_or_else(String::new, |refused| refused.device);
        };
        facts(input, kernel, fault.process.as_deref());
        input.hang = Some(HangFacts { fault: fault.stated(false), ..HangFacts::default() });
        fault.device.clone()
    }
}

fn facts(input: &mut Input, kernel: Option<&str>, process: Option<&str>) {
    input.facts.extend(kernel.map(|kernel| ("kernel", kernel.to_string())));
    input.facts.extend(process.map(|process| ("process", process.strip_prefix("process ").unwrap_or(process).to_string())));
}
