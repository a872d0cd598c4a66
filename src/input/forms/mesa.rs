//! Command buffers as printed by Mesa (Mesa 25.0.7 ac_parse_ib.c): each dword starts a line, indented by four spaces per call level; all other lines are
//! indented further. Called buffers follow their packet; the words of a chained buffer continue without a mark.
//!
//! Besides command buffers, a RADV_DEBUG=hang report describes the machine (`gpu_info.log`), the page fault (`vm_fault.log`) and the driver's allocations
//! (`bo_history.log`, `bo_ranges.log`, `addr_binding_report.log`), and includes umr's output for waves (`umr_waves.log`) and the ring (`umr_ring.log`), as
//! files of a folder or in a single text.

use super::{kernel_log, umr};
use crate::cp::FirmwareVersions;
use crate::input::ground::text::{self, Line, brief};
use crate::input::ground::{BufferUse, Head, Input, InputBuffer, InputPlace};
use crate::input::ground::{HangFacts, Marks, PageFault, RegisterBlock, WavesAt, WrongAddress, allocations, chips};
use crate::packet::{Header, Opcode, Queue};
use crate::plurals::counted;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Mark the beginning and end of a buffer.
const BEGIN: &str = " begin";
const END: &str = " end";
/// The bar before and after a title.
const BAR: &str = "----------";

pub fn is(head: &Head<'_>) -> bool {
    let marks = || text::lines(head.bytes).any(|line| title(&line.text).is_some_and(|(_, begins)| begins));
    head.is_text && head.has(BAR) && marks()
}

/// The title of a report in one text.
const REPORT: &str = "RADV GPU hang report";
/// The titles of its parts that are read.
const READ: [&str; 12] =
    [REPORT, "trace", "umr_waves", "umr_ring", "registers", "bo_ranges", "bo_history", "addr_binding_report", "vm_fault", "app_info", "gpu_info", "dmesg"];

/// Returns the title of a report part, `========== trace ==========`.
fn part_title(text: &str) -> Option<&str> {
    text.trim().strip_prefix(PART)?.strip_prefix(' ')?.strip_suffix(PART)?.strip_suffix(' ')
}

/// Returns the number of bytes before the report in the binary that VK_EXT_device_fault returns: a VkDeviceFaultVendorBinaryHeaderVersionOneEXT, which starts
/// with its size and version (Mesa radv_GetDeviceFaultInfoEXT).
pub fn vendor_header(head: &[u8]) -> Option<usize> {
    let word = |at: usize| Some(u32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?));
    let size = word(0)? as usize;
    let title = head.get(size..)?.strip_prefix(PART.as_bytes())?.strip_prefix(b" ")?;
    (word(4)? == 1 && title.starts_with(REPORT.as_bytes())).then_some(size)
}

/// Returns the title between two bars, `main IB`, and whether it begins a buffer.
fn title(text: &str) -> Option<(&str, bool)> {
    let inner = text.trim().strip_prefix(BAR)?.strip_suffix(BAR)?.trim_matches('-').trim();
    let (name, kind) =
        inner.split_once(BEGIN).map(|(name, kind)| (name, (kind, true))).or_else(|| inner.split_once(END).map(|(name, kind)| (name, (kind, false))))?;
    let (_, begins) = kind;
    let known = kind.0.is_empty() || kind.0.starts_with(" -") || kind.0.starts_with(" (dw");
    known.then_some((if kind.0.starts_with(" -") { inner } else { name }, begins))
}

/// Returns whether a begin title is that of a piece of a buffer, named by its first dword: `GFX begin (dw = 120)`.
fn is_piece(text: &str) -> bool {
    text.contains(" begin (dw")
}

/// Returns the word at the start of a line of call level `level`.
fn word(text: &str, level: usize) -> Option<u32> {
    let digits = text.get(4 * level..)?;
    let blank = text.as_bytes()[..4 * level].iter().all(|byte| *byte == b' ');
    let (digits, rest) = digits.split_at_checked(8)?;
    (blank && (rest.is_empty() || rest.starts_with(' ')) && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
}

/// The contents of `gpu_info.log` and `vm_fault.log` (Mesa 25.0.7 radv_debug.c, ac_gpu_info.c). The numbers of `family` and `gfx_level` change between Mesa
/// versions; those from the kernel do not.
#[derive(Default)]
struct Machine {
    family: Option<u32>,
    revision: Option<u32>,
    hang: HangFacts,
    /// Registers of `registers.log`.
    registers: Vec<(String, u32)>,
    /// The number of the mark that the current lines describe.
    mark: Option<u16>,
    /// The program counter of the wave that the current lines describe, and those of earlier waves.
    wave: [Option<u32>; 2],
    waves: BTreeMap<u64, usize>,
    /// Number of waves at places beyond the limit.
    waves_left_out: usize,
    /// The IP types that run the uncalled buffers; None for the graphics queue, and if not stated.
    ip_types: Vec<Option<u32>>,
}

impl Machine {
    /// Handles a line if it describes the machine.
    fn line(&mut self, text: &str, number_of_line: usize, input: &mut Input) {
        let text = text.trim();
        let number = |key: &str| text.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim().parse::<u32>().ok();
        if let Some(family) = number("family_id") {
            self.family = Some(family);
        } else if let Some(revision) = number("chip_external_rev") {
            self.revision = Some(revision);
        }
        if let Some(version) = FIRMWARE.iter().find_map(|(key, part)| Some((part, number(key)?))) {
            version.0(&mut input.firmware, version.1);
        }
        for (start, fact) in STATED {
            if let Some(rest) = text.strip_prefix(start) {
                input.facts.push((fact, rest.trim().to_string()));
            }
        }
        if let Some(address) = text.strip_prefix("Failing VM page:").and_then(|rest| text::hex(rest.trim())) {
            self.hang.fault = Some(PageFault { hub: None, client: None, address, status: 0, line: number_of_line, may_be_of_another_job: false });
        }
        // `CLIENT_ID: (SQC (data)) 0xa`.
        if let Some((client, _)) = text.strip_prefix("CLIENT_ID:").and_then(|rest| rest.trim_start().strip_prefix('(')?.rsplit_once(')'))
            && let Some(fault) = &mut self.hang.fault
        {
            fault.client = Some(client.to_string());
        }
        // GCVM_L2_…, and VM_CONTEXT1_… up to GFX9 (Mesa 25.0.7 ac_debug.c ac_print_gpuvm_fault_status).
        if let Some((name, value)) = text.split_once(':')
            && name.ends_with("_PROTECTION_FAULT_STATUS")
            && let Some(status) = text::hex32(value.trim())
        {
            input.facts.push(("status of the page fault", value.trim().to_string()));
            if let Some(fault) = &mut self.hang.fault {
                fault.status = status;
            }
        }
    }

    /// Handles a line of `registers.log` such as `GRBM_STATUS <- 0xa0003028`. If Mesa has no name for a register on the generation, it prints the offset.
    fn register(&mut self, text: &str) {
        let Some((name, value)) = text.trim().split_once(" <- ") else { return };
        let name = text::hex32(name).and_then(|offset| OFFSETS.iter().find(|(known, _)| *known == offset)).map_or(name, |(_, name)| *name);
        // A decimal number or fraction is followed by the word in parentheses.
        let word = value.split_once("(0x").and_then(|(_, digits)| text::hex32(digits.split(')').next()?));
        let value = text::first(value);
        let value = word.or_else(|| if value.starts_with("0x") { text::hex32(value) } else { value.parse().ok() });
        let status = ["GRBM_STATUS", "CP_"].iter().any(|start| name.starts_with(start)) && !name.contains(' ');
        if let Some(value) = value.filter(|_| status) {
            self.registers.push((name.to_string(), value));
        }
    }

    /// Handles a line about a wave as printed by umr: `ixSQ_WAVE_PC_LO: 44aa5604 | …` (Mesa 25.0.7 ac_debug.c ac_get_wave_info reads the same lines). A title
    /// precedes the registers of each wave.
    fn wave(&mut self, text: &str) {
        if text.trim() == "Main Registers:" {
            self.wave = [None; 2];
        }
        for (half, key) in self.wave.iter_mut().zip(["ixSQ_WAVE_PC_LO:", "ixSQ_WAVE_PC_HI:"]) {
            *half = text::after(text, key).and_then(|rest| text::hex32(text::first(rest))).or(*half);
        }
        if let [Some(low), Some(high)] = self.wave {
            let address = u64::from(high & 0xFFFF) << 32 | u64::from(low);
            match self.waves.len() < MOST_WAVES || self.waves.contains_key(&address) {
                true => *self.waves.entry(address).or_default() += 1,
                false => self.waves_left_out += 1,
            }
            self.wave = [None; 2];
        }
    }

    /// Handles a line about a mark, which stands between the header of the NOP and its word.
    fn mark(&mut self, text: &str) {
        let text = text.trim();
        if let Some(number) = text.strip_prefix("Trace point ID: ") {
            // The word of the mark holds the lower half of the number.
            self.mark = number.trim().parse::<u32>().ok().map(|number| number as u16);
        } else if text.contains(LAST_REACHED) {
            self.hang.marks.reached = self.mark;
        } else if is_not_reached(text) {
            self.hang.marks.not_reached = self.hang.marks.not_reached.or(self.mark);
        }
    }

    /// Records the IP type that runs an uncalled buffer, according to its title.
    fn run_by(&mut self, kind: &str) {
        // Linux 7.1 amdgpu_ring.h amdgpu_ring_type.
        self.ip_types.push(match kind {
            "COMPUTE" => Some(1),
            "SDMA" => Some(2),
            _ => None,
        });
    }

    fn tell(mut self, input: &mut Input) {
        if !self.registers.is_empty() {
            self.hang.blocks.push(RegisterBlock { name: "gfx".into(), values: core::mem::take(&mut self.registers) });
        }
        if self.waves_left_out > 0 {
            let message = format!("waves are at more than {MOST_WAVES} places: {} at further places are not counted", counted(self.waves_left_out, "wave"));
            input.remark(InputPlace::Whole, message);
        }
        self.hang.waves = self.waves.iter().map(|(address, count)| WavesAt { address: *address, count: *count }).collect();
        self.hang.waves.sort_by_key(|at| core::cmp::Reverse(at.count));
        self.hang.ip_type = self.ip_types.first().copied().flatten().filter(|first| self.ip_types.iter().all(|other| *other == Some(*first)));
        let HangFacts { fault, blocks, marks, addresses, waves, .. } = &self.hang;
        if fault.is_some() || !blocks.is_empty() || *marks != Marks::default() || !addresses.is_empty() || !waves.is_empty() {
            input.hang = Some(core::mem::take(&mut self.hang));
        }
        let (Some(family), Some(revision)) = (self.family, self.revision) else { return };
        match chips::of_family(family, revision) {
            Some(core) => {
                (input.chip, input.gfx) = (core.chip, core.gfx);
                input.facts.push(("graphics core", core.name));
            }
            None => input.remark(InputPlace::Whole, format!("family {family} with external revision {revision} is not a known chip: name it with --chip")),
        }
    }
}

/// Beginnings of lines whose rest is a fact, and the name of the fact.
const STATED: [(&str, &str); 4] =
    [("Mesa version:", "Mesa"), ("Device name:", "device"), ("Application name:", "application"), ("Failing VM page:", "page fault")];

/// Sets one version.
type SetVersion = fn(&mut FirmwareVersions, u32);
/// Firmware versions in `gpu_info.log` (Mesa 26.0 ac_gpu_info.c).
const FIRMWARE: [(&str, SetVersion); 4] = [
    ("me_fw_version", |firmware, version| firmware.me = Some(version)),
    ("me_fw_feature", |firmware, version| firmware.me_feature = Some(version)),
    ("pfp_fw_version", |firmware, version| firmware.pfp = Some(version)),
    ("mec_fw_version", |firmware, version| firmware.mec = Some(version)),
];

/// Registers of `registers.log` by their offset in bytes (Mesa 25.0.7 radv_debug.c radv_dump_debug_registers). On GFX11, Mesa 26.0 prints CP_STAT and
/// CP_STALLED_STAT without names (`0x08678 <- 0x00018000`).
const OFFSETS: [(u32, &str); 16] = [
    (0x8008, "GRBM_STATUS2"),
    (0x8010, "GRBM_STATUS"),
    (0x8014, "GRBM_STATUS_SE0"),
    (0x8018, "GRBM_STATUS_SE1"),
    (0x8038, "GRBM_STATUS_SE2"),
    (0x803C, "GRBM_STATUS_SE3"),
    (0x8210, "CP_CPC_STATUS"),
    (0x8214, "CP_CPC_BUSY_STAT"),
    (0x8218, "CP_CPC_STALLED_STAT1"),
    (0x821C, "CP_CPF_STATUS"),
    (0x8220, "CP_CPF_BUSY_STAT"),
    (0x8224, "CP_CPF_STALLED_STAT1"),
    (0x8670, "CP_STALLED_STAT3"),
    (0x8674, "CP_STALLED_STAT1"),
    (0x8678, "CP_STALLED_STAT2"),
    (0x8680, "CP_STAT"),
];

/// The most wave places to keep.
const MOST_WAVES: usize = 1 << 16;

/// The mark that the engine reached last.
const LAST_REACHED: &str = "This is the last trace point that was reached by the CP";
/// Marks that the engine did not reach; the first one counts. The second text is in Mesa's source, but its condition is never true (25.0.7 ac_parse_ib.c).
const NOT_REACHED: [&str; 2] = ["This trace point was NOT reached by the CP", "This is the first trace point that was NOT been reached by the CP"];

fn is_not_reached(text: &str) -> bool {
    NOT_REACHED.iter().any(|form| text.contains(form))
}

/// RADV's verdicts about an address that is not in its list of allocations.
const VERDICTS: [&str; 3] = ["used after free", "invalid", "out of bounds"];

/// Returns a field, its address and RADV's verdict: `DST_ADDR <- 0x800100401000 used after free`.
fn wrong_address(text: &str) -> Option<(&str, u64, &'static str)> {
    let verdict = VERDICTS.into_iter().find(|verdict| text.ends_with(verdict))?;
    let (field, address) = text.strip_suffix(verdict)?.split_once(" <- ")?;
    Some((field.split_whitespace().next_back()?, text::hex(address.trim())?, verdict))
}

/// A buffer being read.
struct Open {
    buffer: InputBuffer,
    line: usize,
    pm4: bool,
    /// Addresses that the driver found invalid, with their dwords in the text.
    wrong: Vec<WrongAddress>,
}

impl Open {
    /// Returns the call or chain at the end of the words, if any: address and dwords.
    fn last_call(&self) -> Option<Call> {
        let at = self.buffer.words.len().checked_sub(4)?;
        Call::at(&self.buffer.words, at)
    }
}

/// INDIRECT_BUFFER.
#[derive(Clone, Copy)]
struct Call {
    addr: u64,
    dwords: usize,
    chain: bool,
}

impl Call {
    fn at(words: &[u32], at: usize) -> Option<Self> {
        let [header, low, high, control] = words.get(at..at + 4)?.try_into().ok()?;
        let header = Header(header);
        let call = header.packet_type() == 3 && header.opcode() == Opcode::INDIRECT_BUFFER && header.body_dwords() == 3;
        // IB_SIZE and CHAIN of the control word (PAL packet headers, INDIRECT_BUFFER).
        call.then(|| Self { addr: u64::from(high & 0xFFFF) << 32 | u64::from(low & !3), dwords: control as usize & 0xF_FFFF, chain: control >> 20 & 1 == 1 })
    }
}

/// The heading of the kernel log in a report (Mesa 25.0.7 radv_debug.c radv_dump_dmesg).
const KERNEL_LOG: &str = "Last 60 lines of dmesg:";

/// The heading of umr's text in a report, and the heading of the part after it.
const UMR: &str = "UMR GFX ring:";
const PART: &str = "==========";

/// Returns the range of umr's text in a report, and the number of lines before it.
fn umr_part(bytes: &[u8]) -> Option<(core::ops::Range<usize>, usize)> {
    let mut at = 0;
    let mut begin = None;
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        match begin {
            None if line.starts_with(UMR.as_bytes()) => begin = Some((at + line.len(), index + 1)),
            Some((from, lines)) if line.starts_with(PART.as_bytes()) => return Some((from..at, lines)),
            _ => {}
        }
        at += line.len();
    }
    begin.map(|(from, lines)| (from..at, lines))
}

/// Reads umr's print of the ring as words that are shown but not executed, because umr omits lines for some dwords. Omissions are not damage of the report.
fn umr_ring(bytes: &[u8], lines_before: usize, input: &mut Input) {
    let mut ring = Input::new(input.form);
    umr::read(bytes, &mut ring);
    for buffer in ring.buffers.into_iter().filter(|buffer| !buffer.words.is_empty()) {
        input.buffers.push(InputBuffer { name: format!("umr {}", buffer.name), usage: BufferUse::NotExecuted, ..buffer });
    }
    for remark in ring.damage.into_iter().chain(ring.remarks) {
        let place = match remark.place {
            InputPlace::Line(line) => InputPlace::Line(line + lines_before),
            place => place,
        };
        input.remark(place, format!("umr: {}", remark.message));
    }
}

pub fn parse(bytes: &[u8], input: &mut Input) {
    let umr = umr_part(bytes);
    let (stream, rest) = match &umr {
        Some((part, _)) => (&bytes[..part.start], &bytes[part.end..]),
        None => (bytes, &[][..]),
    };
    // Line numbers refer to the whole text.
    let behind = umr.as_ref().map_or(0, |(part, _)| bytes[..part.end].iter().filter(|byte| **byte == b'\n').count());
    let mut open: Vec<Open> = Vec::new();
    let mut done: Vec<InputBuffer> = Vec::new();
    let mut ended_early = Vec::new();
    let mut machine = Machine::default();
    // The kernel log in the report with its line numbers; `in_log` is set within it, and tells whether a line has followed its title.
    let (mut log, mut in_log, mut numbers) = (String::new(), None, Vec::new());
    // Parts of a report that are not read, and whether the current lines belong to one.
    let (mut is_report, mut skipped, mut skips) = (false, Skipped::default(), false);
    let behind = text::lines(rest).map(|line| Line { number: line.number + behind, ..line });
    for Line { number, text } in text::lines(stream).chain(behind) {
        if let Some(part) = part_title(&text) {
            in_log = None;
            is_report |= part == REPORT;
            skips = is_report && !READ.contains(&part);
            if skips {
                skipped.add(part);
            }
        }
        if skips {
            continue;
        }
        // An empty line precedes the log and another one follows it, even if it has no lines.
        match in_log {
            Some(_) if title(&text).is_some() => in_log = None,
            Some(true) if text.is_empty() => in_log = None,
            Some(_) => in_log = Some(true),
            None if text.starts_with(KERNEL_LOG) => in_log = Some(false),
            None => {}
        }
        if in_log.is_some() {
            log.push_str(&text);
            log.push('\n');
            numbers.push(number);
            continue;
        }
        if let Some((name, begins)) = title(&text) {
            if begins {
                // A radeonsi piece is never nested. The previous piece lacks an end if it is all in one memory chunk that another follows (Mesa 25.0 si_debug.c
                // si_parse_current_ib), so it may be complete.
                while is_piece(&text)
                    && let Some(before) = open.pop()
                {
                    input.remark(
                        InputPlace::Line(before.line),
                        format!("{} begins here and has no end: either Mesa left that out, or the text was cut off", name_of(&before.buffer)),
                    );
                    machine.hang.addresses.extend(close(before, &mut done, input));
                }
                if open.is_empty() {
                    machine.run_by(kind_of(name).1);
                }
                open.push(begin(name, number, &open, done.len()));
            } else if let Some(closed) = open.pop() {
                machine.hang.addresses.extend(close(closed, &mut done, input));
            } else {
                input.damage(InputPlace::Line(number), format!("the end of {name:?} without its beginning: the part before is missing"));
            }
            continue;
        }
        if let Some(id) = text.trim().strip_prefix("Trace ID: ") {
            input.facts.push(("trace id", format!("0x{id}")));
        }
        machine.line(&text, number, input);
        let level = open.len().saturating_sub(1);
        // Called buffers have marks of their own (Mesa 25.0.7 ac_parse_ib.c, INDIRECT_BUFFER).
        if level == 0 {
            machine.mark(&text);
        }
        let Some(top) = open.last_mut() else {
            machine.register(&text);
            machine.wave(&text);
            continue;
        };
        if let Some(word) = word(&text, level) {
            top.buffer.words.push(word);
            if let Some((field, address, verdict)) = wrong_address(&text) {
                let dword = top.buffer.words.len() - 1;
                top.wrong.push(WrongAddress { buffer: 0, dword, field: field.into(), address, verdict: verdict.into() });
            }
        } else if text.trim_start().starts_with("????????") {
            ended_early.push(number);
        } else if level == 0
            && let Some(name) = mark_fact(&text)
        {
            // The header of the mark's packet precedes the line, its word follows.
            let at = top.buffer.words.len().saturating_sub(1);
            fact(input, name, format!("{} dword {at}", name_of(&top.buffer)));
        }
    }
    input.events = kernel_log::events(log.as_bytes());
    input.events.iter_mut().for_each(|event| event.line = numbers.get(event.line - 1).copied().unwrap_or(event.line));
    if let Some(message) = skipped.message() {
        input.remark(InputPlace::Whole, message);
    }
    for line in ended_early {
        input.damage(InputPlace::Line(line), "Mesa's own parser ran past the end of the buffer here".into());
    }
    while let Some(cut) = open.pop() {
        input.damage(InputPlace::Line(cut.line), format!("{} begins here and has no end: the text was cut off", name_of(&cut.buffer)));
        machine.hang.addresses.extend(close(cut, &mut done, input));
    }
    if let Some(fault) = &machine.hang.fault {
        machine.hang.memory = allocations::at_page(bytes, fault.address);
    }
    machine.tell(input);
    input.buffers = done;
    if let Some((part, lines_before)) = umr {
        umr_ring(&bytes[part], lines_before, input);
    }
}

/// The titles of report parts that are not read.
#[derive(Default)]
struct Skipped {
    /// The first titles, which are printed.
    first: Vec<String>,
    all: BTreeSet<String>,
}

/// The most titles to print.
const LISTED: usize = 16;

impl Skipped {
    fn add(&mut self, title: &str) {
        if !self.all.contains(title) {
            self.all.insert(title.to_string());
            if self.first.len() < LISTED {
                self.first.push(brief(title).into_owned());
            }
        }
    }

    fn message(&self) -> Option<String> {
        let more = match self.all.len() - self.first.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!self.first.is_empty()).then(|| format!("not read: {}{more}", self.first.join(", ")))
    }
}

/// Returns the fact that a line about a mark states.
fn mark_fact(text: &str) -> Option<&'static str> {
    if text.contains(LAST_REACHED) { Some("last mark reached") } else { is_not_reached(text).then_some("first mark not reached") }
}

/// Records a fact unless it is already known: of several marks, the first counts.
fn fact(input: &mut Input, name: &'static str, value: String) {
    if input.fact(name).is_none() {
        input.facts.push((name, value));
    }
}

fn name_of(buffer: &InputBuffer) -> &str {
    if buffer.name.is_empty() { "the buffer" } else { &buffer.name }
}

/// Returns the name of the buffer in a title, and its engine (`COMPUTE`), empty if not stated.
fn kind_of(title: &str) -> (&str, &str) {
    title.split_once(BEGIN).map_or((title, ""), |(name, kind)| (name, kind.trim_start_matches([' ', '-'])))
}

fn begin(title: &str, line: usize, open: &[Open], done: usize) -> Open {
    let (name, kind) = kind_of(title);
    let pm4 = open.last().map_or(!matches!(kind, "SDMA") && !kind.starts_with("VCN") && !kind.starts_with("UVD"), |outer| outer.pm4);
    let queue = match open.last() {
        Some(outer) => outer.buffer.queue,
        None if kind.starts_with("COMPUTE") => Some(Queue::Compute),
        None => Some(Queue::Graphics),
    };
    let call = open.last().and_then(Open::last_call);
    let (name, used) = match call {
        Some(_) => (format!("called {}", done + open.len()), BufferUse::Memory),
        None if open.is_empty() => (name.to_string(), BufferUse::Submitted),
        None => (format!("nested {}", done + open.len()), BufferUse::Memory),
    };
    let addr = call.map(|call| call.addr);
    Open { buffer: InputBuffer { queue, addr, expected_dwords: call.map(|call| call.dwords), ..InputBuffer::new(name, used) }, line, pm4, wrong: Vec::new() }
}

/// Splits a buffer at the packets that chain: if the words after the packet are as many as it says, they are the next buffer. Returns the addresses that the
/// driver found invalid, with their buffers.
fn close(open: Open, done: &mut Vec<InputBuffer>, input: &mut Input) -> Vec<WrongAddress> {
    if !open.pm4 {
        input.remark(InputPlace::Line(open.line), format!("{} holds no PM4: it is left out", name_of(&open.buffer)));
        return Vec::new();
    }
    // Where in the text each buffer begins.
    let mut begun = alloc::vec![(0, done.len())];
    let mut buffer = open.buffer;
    let words = core::mem::take(&mut buffer.words);
    let first = String::from(name_of(&buffer));
    let mut rest = words.as_slice();
    loop {
        let chain = chain_in(rest);
        let Some((end, call)) = chain.filter(|(end, call)| call.dwords > 0 && rest.len() - end >= call.dwords) else {
            if let Some((_, call)) = chain {
                input.remark(InputPlace::Line(open.line), format!("{} chains to 0x{:012x}, which the text does not show", name_of(&buffer), call.addr));
            }
            buffer.words = rest.to_vec();
            done.push(buffer);
            return open.wrong.into_iter().filter_map(|wrong| placed(wrong, &begun)).collect();
        };
        buffer.words = rest[..end].to_vec();
        rest = &rest[end..];
        begun.push((words.len() - rest.len(), done.len() + 1));
        let next = InputBuffer {
            queue: buffer.queue,
            addr: Some(call.addr),
            expected_dwords: Some(call.dwords),
            ..InputBuffer::new(format!("{first} chained {}", done.len()), BufferUse::Memory)
        };
        done.push(core::mem::replace(&mut buffer, next));
    }
}

/// Assigns an address to its buffer: the one that begins last before it.
fn placed(wrong: WrongAddress, begun: &[(usize, usize)]) -> Option<WrongAddress> {
    let (from, buffer) = begun.iter().copied().rfind(|(from, _)| *from <= wrong.dword)?;
    Some(WrongAddress { buffer, dword: wrong.dword - from, ..wrong })
}

/// Returns the first chain: the dword after the packet, and its target.
fn chain_in(words: &[u32]) -> Option<(usize, Call)> {
    let mut at = 0;
    while let Some(header) = words.get(at) {
        if let Some(call) = Call::at(words, at).filter(|call| call.chain) {
            return Some((at + 4, call));
        }
        at += Header(*header).dwords();
    }
    None
}
