//! The amdgpu device coredump, all versions (Linux 6.0 to 7.1 amdgpu_dev_coredump.c): sections of text, each with its own kinds of lines. Copies may lack their
//! first lines, their tail, or their tabs, so each line is identified by its content.

use crate::chip::Gfx;
use crate::input::ground::chips;
use crate::input::ground::ring_words::{self, NOP, RunBy};
use crate::input::ground::text::{self, Line, Prefix, after, brief, first, hex, hex32};
use crate::input::ground::{BufferUse, Head, Input, InputBuffer, InputPlace};
use crate::input::ground::{HangFacts, PageFault, RegisterBlock, RingPointers};
use crate::packet::Queue;
use crate::plurals::counted;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub const TITLE: &str = "**** AMDGPU Device Coredump ****";
/// Lines that normally have no prefix: if one of them has a prefix, every line has it.
const MARKS: [&str; 4] = [TITLE, "Ring timed out details", "IP Dump", "Ring buffer information"];

pub fn is(head: &Head<'_>) -> bool {
    head.has(TITLE)
        || head.has("Ring buffer information\n")
        || head.has("Ring timed out details")
        || head.has("\nIP Dump\n")
        || register_lines(head.bytes) >= FEW
        || head.has("ring name: ") && head.has("RB mask: ")
        || head.has("Faulty page starting at address") && head.has("Protection fault status register")
}

/// Number of register lines that identify a fragment of a dump.
const FEW: usize = 3;

/// Counts the lines that hold a register and its value, up to the limit.
fn register_lines(bytes: &[u8]) -> usize {
    let is = |text: &str| {
        let mut parts = text.split_whitespace().map(|part| part.trim_matches(['|', '│'])).filter(|part| !part.is_empty());
        let name = parts.next().is_some_and(|name| name.starts_with("reg") || name.starts_with("mm"));
        name && parts.next().is_some_and(|value| value.len() == WORD && hex32(value).is_some()) && parts.next().is_none()
    };
    text::lines(bytes).take(1 << 12).filter(|line| is(&line.text)).take(FEW).count()
}

/// Lines at the start of the dump that become facts: key, and name of the fact.
const FACTS: [(&str, &str); 8] = [
    ("version:", "version"),
    ("kernel:", "kernel"),
    ("time:", "time"),
    ("pasid:", "pasid"),
    ("vmid:", "vmid"),
    ("process_name:", "process"),
    ("SOC Device id:", "device id"),
    ("vbios name", "vbios"),
];

/// The section to which the following lines belong.
#[derive(Default)]
enum Section {
    #[default]
    Head,
    /// A register block.
    Registers,
    /// A ring, with offsets in bytes.
    Ring,
    /// A job buffer: its number and dwords.
    Job,
    /// A section that is not read.
    Other,
}

#[derive(Default)]
struct Reader {
    section: Section,
    facts: HangFacts,
    hub: Option<String>,
    /// The line where each buffer begins; the current one is last.
    begun: Vec<usize>,
    titles: usize,
    /// The parts of a dump seen so far.
    met: Met,
    /// Names of the earlier buffers that have words.
    with_words: BTreeSet<String>,
    /// The last line, if the input ends within it.
    unfinished: Option<usize>,
    /// SOC Family and SOC External Revision id.
    soc: (Option<u32>, Option<u32>),
    /// Lines in register sections that are neither a register nor a heading: how many, and the first one.
    not_understood: Option<(usize, usize, String)>,
    family: Option<&'static str>,
    /// Ring dwords without a line.
    gaps: usize,
    /// The last ring line with a word: its number, and the digits of the word.
    ring_line: Option<(usize, String)>,
    /// Lines after the last word of a job buffer that are not words.
    torn: Vec<Torn>,
}

/// Parts of a dump that have been seen.
#[derive(Default)]
struct Met {
    /// Any line that identifies its section.
    any: bool,
    registers: bool,
    rings: bool,
    /// The text after the rings: whether video memory was lost.
    end_of_rings: bool,
    job: bool,
}

/// A line, or a part of one, that is not a word.
struct Torn {
    /// Index of the buffer in the input.
    buffer: usize,
    line: usize,
    text: String,
}

impl Torn {
    /// Returns whether this is the remains of a word.
    fn is_word(&self) -> bool {
        self.text.starts_with("0x")
    }

    /// Returns the word made of this half and `rest`.
    fn joined(&self, rest: &str) -> Option<u32> {
        let digits = rest.bytes().all(|byte| byte.is_ascii_hexdigit());
        hex32(&format!("{}{rest}", self.text)).filter(|_| digits && self.text.len() + rest.len() == WORD)
    }
}

/// Characters of a job word: `0x` and eight digits.
const WORD: usize = 10;
/// Characters of a page-fault address: `0x` and sixteen digits.
const ADDRESS: usize = 18;
/// The most non-word lines to remember.
const MOST_TORN: usize = 64;
/// The longest accepted ring in dwords; a larger offset is a misread.
const LONGEST: usize = 1 << 22;
/// The most ring dwords without a line to fill in for one input.
const MOST_GAPS: usize = 1 << 16;

/// Returns the prefix of each line, and the number and text of the line that shows it.
fn prefix(bytes: &[u8]) -> Option<(usize, String, Prefix)> {
    let before = |text: &str| MARKS.iter().find_map(|mark| text.strip_suffix(mark)).map(str::to_string);
    let (number, before) = text::lines(bytes).find_map(|line| Some((line.number, before(&line.text)?)))?;
    let prefix = Prefix::of(&before).filter(|_| before.contains(|c: char| c.is_ascii_graphic() && c != '|'))?;
    Some((number, before, prefix))
}

pub fn parse(bytes: &[u8], input: &mut Input) {
    // A log may precede or surround the dump.
    input.events = super::kernel_log::events(bytes);
    let mut reader = Reader { unfinished: text::unfinished(bytes), ..Reader::default() };
    let mut last_line = 0;
    let prefix = prefix(bytes);
    if let Some((number, before, _)) = &prefix {
        input.remark(InputPlace::Line(*number), format!("the text before each line, {:?} on this one, is ignored", brief(before)));
    }
    for Line { number, text } in text::lines(bytes) {
        let text = prefix.as_ref().and_then(|(.., prefix)| prefix.strip(&text)).unwrap_or(&text);
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '|' || c == '│');
        if text.is_empty() {
            continue;
        }
        last_line = number;
        if text == TITLE {
            reader.titles += 1;
            if reader.titles > 1 {
                input.damage(InputPlace::Line(number), "a second dump begins here: only the first one is read".into());
                break;
            }
            continue;
        }
        if reader.begins_again(text, input) {
            input.damage(InputPlace::Line(number), format!("{:?} is here a second time: a second dump begins, and only the first one is read", brief(text)));
            break;
        }
        if reader.heading(text, number, input) {
            reader.met.any = true;
        } else {
            reader.line(text, number, input);
        }
    }
    reader.end_job(input);
    if reader.titles == 0 {
        input.remark(InputPlace::Line(1), "the beginning of the dump is missing".into());
    }
    reader.finish(last_line, input);
}

impl Reader {
    /// Returns whether a line begins a second dump whose first lines are missing: a kernel prints these lines once per dump, ring and buffer (Linux 7.1
    /// amdgpu_dev_coredump.c). Lines at page borders may appear twice, but not followed by the same text.
    fn begins_again(&self, text: &str, input: &Input) -> bool {
        let Met { rings, end_of_rings, job, .. } = self.met;
        let last = last_with_words(input);
        match text {
            "IP Dump" | "Ring timed out details" => rings || end_of_rings || job,
            "Ring buffer information" => last.is_some() || !self.with_words.is_empty(),
            _ => {
                let ring = text.strip_prefix("ring name:").map(|name| format!("ring {}", name.trim()));
                let buffer = text.strip_prefix("IB #").map(|rest| format!("IB #{}", first(rest)));
                ring.or(buffer).is_some_and(|name| last == Some(&name) || self.with_words.contains(&name))
            }
        }
    }

    /// Begins a ring or job buffer at its heading.
    fn begin(&mut self, buffer: InputBuffer, number: usize, input: &mut Input) {
        self.with_words.extend(last_with_words(input).cloned());
        self.begun.push(number);
        input.buffers.push(buffer);
    }

    /// Handles a line that begins a section or is a fact of its own; returns whether it is one.
    fn heading(&mut self, text: &str, number: usize, input: &mut Input) -> bool {
        if let Some(name) = text.strip_prefix("ring name:") {
            self.section = Section::Ring;
            self.met.rings = true;
            let name = name.trim();
            let queue = if name.starts_with("gfx") { Some(Queue::Graphics) } else { Some(Queue::Compute) };
            self.begin(InputBuffer { queue, ..InputBuffer::new(format!("ring {name}"), BufferUse::NotExecuted) }, number, input);
        } else if let Some(rest) = text.strip_prefix("IB #") {
            self.end_job(input);
            self.section = Section::Job;
            self.met.job = true;
            self.job(rest, number, input);
        } else if let Some(name) = text.strip_prefix("IP:") {
            let name = name.trim();
            self.met.registers = true;
            self.section = if name.starts_with("gfx") { Section::Registers } else { Section::Other };
            if name.starts_with("gfx") {
                self.family = self.family.or_else(|| chips::family_of_block(name));
                self.block(name);
            }
        } else if queue_of_block(text) {
            self.section = Section::Registers;
            self.block(text);
        } else if let Some(rest) = text.strip_prefix("IP Type:") {
            self.facts.ip_type = first(rest).parse().ok();
            self.facts.ring = after(rest, "Ring Name:").map(str::to_string);
            self.facts.line = number;
        } else if let Some(hub) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix("] Page fault observed")) {
            self.hub = Some(hub.to_string());
        } else if let Some(address) = text.strip_prefix("Faulty page starting at address:") {
            // Linux 7.1 amdgpu_dev_coredump.c prints all 16 digits; fewer are the remains of an address.
            match hex(first(address)).filter(|_| first(address).len() == ADDRESS) {
                Some(address) => {
                    let hub = self.hub.clone();
                    self.facts.fault = Some(PageFault { hub, client: None, address, status: 0, line: number, may_be_of_another_job: true });
                }
                None => input.damage(InputPlace::Line(number), format!("{:?} is not an address of 16 digits: the page fault is left out", brief(address))),
            }
        } else if let Some(status) = text.strip_prefix("Protection fault status register:") {
            if self.unfinished == Some(number) {
                let message = format!("the input ends within {:?}: digits of the status may be missing, and it is left out", brief(text));
                input.damage(InputPlace::Line(number), message);
            } else if let (Some(fault), Some(status)) = (&mut self.facts.fault, hex32(first(status))) {
                fault.status = status;
            }
        } else if text.starts_with("VRAM is lost") || text.starts_with("VRAM lost check") {
            self.section = Section::Other;
            self.met.end_of_rings = true;
            if text.starts_with("VRAM is lost") {
                input.remark(InputPlace::Line(number), "video memory is lost".into());
            }
        } else if let Some(version) = text.strip_prefix("HWIP: GC[") {
            self.core(version, input);
        } else if let Some(family) = text.strip_prefix("SOC Family:") {
            self.soc.0 = family.trim().parse().ok();
        } else if let Some(revision) = text.strip_prefix("SOC External Revision id:") {
            self.soc.1 = revision.trim().parse().ok();
        } else if text == "Ring buffer information" || text == "AMDGPU register dumps:" {
            self.section = Section::Other;
            self.met.rings |= text == "Ring buffer information";
        } else if text == "IP Dump" {
            self.met.registers = true;
        } else if text == "Ring timed out details" {
        } else if let Some((fact, rest)) = FACTS.iter().find_map(|(key, fact)| Some((*fact, text.strip_prefix(key)?))) {
            input.facts.push((fact, rest.trim_start_matches([' ', ':']).to_string()));
        } else {
            return self.firmware(text, input);
        }
        true
    }

    /// Reads `GC[1][0]: v11.0.0.0.0`; `text` follows `GC[`.
    fn core(&mut self, text: &str, input: &mut Input) {
        let Some(version) = text.split_once('v').map(|(_, version)| version) else { return };
        let mut numbers = version.split('.').map_while(|part| part.trim().parse::<u32>().ok());
        let (Some(major), Some(minor), Some(revision)) = (numbers.next(), numbers.next(), numbers.next()) else { return };
        input.family = u8::try_from(major).ok();
        let core = chips::of_core(major, minor, revision);
        (input.chip, input.gfx) = (input.chip.or(core.chip), input.gfx.or(core.gfx));
        input.facts.push(("graphics core", core.name));
    }

    /// Reads `ME feature version: 32, fw version: 0x00000a2e`; returns whether the line has this form.
    fn firmware(&mut self, text: &str, input: &mut Input) -> bool {
        let Some((name, rest)) = text.split_once(" feature version:") else { return false };
        let feature = first(rest).trim_end_matches(',').parse().ok();
        let version = after(rest, "fw version:").and_then(|version| hex32(first(version)));
        match name {
            "ME" => (input.firmware.me, input.firmware.me_feature) = (version, feature),
            "PFP" => input.firmware.pfp = version,
            "MEC" => input.firmware.mec = version,
            "MES" => input.facts.extend(version.map(|version| ("MES firmware", format!("0x{version:08x}")))),
            _ => {}
        }
        true
    }

    fn block(&mut self, name: &str) {
        self.facts.blocks.push(RegisterBlock { name: name.to_string(), values: Vec::new() });
    }

    /// Reads `0 0x800100200000 16 dw`; `text` follows `IB #`.
    fn job(&mut self, text: &str, number: usize, input: &mut Input) {
        let mut parts = text.split_whitespace();
        let (name, addr, dwords) = (parts.next().unwrap_or("?"), parts.next().and_then(hex), parts.next().and_then(|dwords| dwords.parse().ok()));
        if addr.is_none() || dwords.is_none() {
            input.damage(InputPlace::Line(number), format!("{:?} does not state the address and the size of a buffer", brief(text)));
        }
        let buffer = InputBuffer::new(format!("IB #{name}"), BufferUse::Submitted);
        self.begin(InputBuffer { addr, expected_dwords: dwords, ..buffer }, number, input);
        // Pasted text may have the words on the heading line.
        parts.skip_while(|part| *part == "dw").for_each(|part| self.job_word(part, number, input));
    }

    /// Reads a word of a job buffer, or its remains.
    fn job_word(&mut self, text: &str, number: usize, input: &mut Input) {
        let whole = hex32(text).filter(|_| text.len() == WORD);
        let joined = self.torn.last().filter(|_| whole.is_none()).and_then(|torn| torn.joined(text));
        let buffer = input.buffers.len().saturating_sub(1);
        let Some(word) = whole.or(joined) else {
            if self.torn.len() < MOST_TORN {
                self.torn.push(Torn { buffer, line: number, text: brief(text).into_owned() });
            }
            return;
        };
        if joined.is_some() {
            self.torn.pop();
            input.damage(InputPlace::Line(number), format!("{:?} is the rest of the word before it: both are read as 0x{word:08x}", brief(text)));
        }
        // A torn line followed by words has lost its own word, or never had one.
        for torn in core::mem::take(&mut self.torn) {
            let Some(buffer) = input.buffers.last_mut().filter(|buffer| has_room(buffer)) else { break };
            let message = if torn.is_word() {
                buffer.words.push(NOP);
                format!("{:?} is not a word: a NOP takes its place, dword {} of {}", torn.text, buffer.words.len() - 1, buffer.name)
            } else {
                format!("{:?} is not a word of {}: it is left out", torn.text, buffer.name)
            };
            input.damage(InputPlace::Line(torn.line), message);
        }
        let Some(buffer) = input.buffers.last_mut() else { return };
        if has_room(buffer) {
            buffer.words.push(word);
        } else {
            self.section = Section::Other;
            let message = format!("{} has more words than its title line announces: they are left out", buffer.name);
            input.damage(InputPlace::Line(number), message);
        }
    }

    /// Ends a job buffer. If it ends with non-word lines and is incomplete, reports the first of them.
    fn end_job(&mut self, input: &mut Input) {
        let torn = core::mem::take(&mut self.torn);
        let Some(first) = torn.first() else { return };
        let Some(buffer) = input.buffers.get(first.buffer) else { return };
        if has_room(buffer) {
            let message = format!("{:?} is not a word: {} ends after {}", first.text, buffer.name, counted(buffer.words.len(), "dword"));
            input.damage(InputPlace::Line(first.line), message);
        }
    }

    /// Handles a line within a section.
    fn line(&mut self, text: &str, number: usize, input: &mut Input) {
        match self.section {
            // A fragment of a dump begins among its registers.
            Section::Head if register_lines(text.as_bytes()) == 1 => {
                self.section = Section::Registers;
                self.met.registers = true;
                self.met.any = true;
                self.block("gfx");
                self.register(text, number, input);
            }
            Section::Head | Section::Other => {}
            Section::Registers => self.register(text, number, input),
            Section::Ring => self.ring(text, number, input),
            // Several words on a line are pasted text; every other line is reported whole.
            Section::Job if text.split_whitespace().all(|part| part.starts_with("0x")) => {
                for part in text.split_whitespace() {
                    if matches!(self.section, Section::Job) {
                        self.job_word(part, number, input);
                    }
                }
            }
            Section::Job => self.job_word(text, number, input),
        }
    }

    /// Reads a register line. All values have eight digits (Linux 7.1 gfx_v11_ip_print); fewer are the remains of a value.
    fn register(&mut self, text: &str, number: usize, input: &mut Input) {
        let (name, value) = (first(text), text.split_whitespace().next_back().unwrap_or(""));
        let Some(name) = name.strip_prefix("mm").or_else(|| name.strip_prefix("reg")) else {
            if !OF_BLOCKS.iter().any(|start| text.starts_with(start)) {
                let (count, ..) = self.not_understood.get_or_insert_with(|| (0, number, brief(text).into_owned()));
                *count += 1;
            }
            return;
        };
        let read = hex32(value).filter(|_| value.len() == WORD);
        if let (Some(value), Some(block)) = (read, self.facts.blocks.last_mut()) {
            block.values.push((name.to_string(), value));
        } else {
            let why = if value.starts_with("0x") { "no value of 8 digits" } else { "no value" };
            input.damage(InputPlace::Line(number), format!("{:?} has {why}: the line is incomplete", brief(text)));
        }
    }

    fn ring(&mut self, text: &str, number: usize, input: &mut Input) {
        let Some(buffer) = input.buffers.last_mut() else { return };
        if let Some(rest) = text.strip_prefix("Rptr:") {
            let pointer = |key| after(text, key).and_then(|value| hex(first(value)));
            if let (Some(read), Some(write), Some(mask)) = (hex(first(rest)), pointer("Wptr:"), pointer("RB mask:")) {
                buffer.pointers = Some(RingPointers { read, write, mask });
            } else {
                let message = format!("{:?} does not have the pointers and the mask of {}: they are not known", brief(text), buffer.name);
                input.damage(InputPlace::Line(number), message);
            }
        } else if let Some(size) = text.strip_prefix("Ring size in dwords:") {
            buffer.expected_dwords = size.trim().parse().ok();
        } else if text.starts_with("Ring contents unavailable") {
            let message = format!("{}: the kernel had no memory for its words", buffer.name);
            input.remark(InputPlace::Line(number), message);
        } else if !text.starts_with("Ring contents") && !text.starts_with("Offset") {
            let mut parts = text.split_whitespace();
            let (at, word) = (parts.next().filter(|at| at.starts_with("0x")).and_then(hex), parts.next().unwrap_or(""));
            match (at.zip(hex32(word)), self.rest_of_word(text, number)) {
                (Some((at, whole)), _) => {
                    self.ring_line = Some((number, word.to_string()));
                    self.ring_word(at, whole, text, number, input);
                }
                (None, Some(joined)) if !buffer.words.is_empty() => {
                    let last = buffer.words.len() - 1;
                    buffer.words[last] = joined;
                    let message = format!("{text:?} is the rest of the word before it: both are read as 0x{joined:08x}, dword {last} of {}", buffer.name);
                    input.damage(InputPlace::Line(number), message);
                }
                _ => {
                    let message = format!("{:?} is not a word of {}: the line is left out", brief(text), buffer.name);
                    input.damage(InputPlace::Line(number), message);
                }
            }
        }
    }

    /// Returns the complete word if this line is the rest of the digits of the previous line.
    fn rest_of_word(&self, text: &str, number: usize) -> Option<u32> {
        let (_, digits) = self.ring_line.as_ref().filter(|(line, _)| line + 1 == number)?;
        let hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        hex32(&format!("{digits}{text}")).filter(|_| hexadecimal && digits.len() + text.len() <= WORD)
    }

    /// Stores a word at an offset in bytes. Words without a line become NOPs.
    fn ring_word(&mut self, at: u64, word: u32, text: &str, number: usize, input: &mut Input) {
        let Some(buffer) = input.buffers.last_mut() else { return };
        let longest = buffer.expected_dwords.filter(|claimed| *claimed > 0).unwrap_or(LONGEST).min(LONGEST);
        let dword = usize::try_from(at / 4).ok().filter(|dword| at.is_multiple_of(4) && *dword < longest);
        let have = buffer.words.len();
        let message = match dword {
            Some(dword) if dword == have => {
                buffer.words.push(word);
                return;
            }
            // Lines at page borders may appear twice.
            Some(dword) if buffer.words.get(dword) == Some(&word) => return,
            Some(dword) if dword < have => format!("dword {dword} of {} is here a second time, with another value: the first one is kept", buffer.name),
            Some(dword) if dword - have <= MOST_GAPS - self.gaps => {
                self.gaps += dword - have;
                buffer.words.resize(dword, NOP);
                buffer.words.push(word);
                let lines = if dword - have == 1 { format!("dword {have}") } else { format!("dwords {have} to {}", dword - 1) };
                format!("{}: no line for {lines} before this one: NOPs take their place", buffer.name)
            }
            _ => format!("{:?} is not the offset of a dword of {}: the line is left out", brief(text), buffer.name),
        };
        input.damage(InputPlace::Line(number), message);
    }

    /// Checks the result and decides which buffers run.
    fn finish(mut self, last_line: usize, input: &mut Input) {
        // If there was no fault, address and status are both 0.
        if self.facts.fault.as_ref().is_some_and(|fault| fault.address == 0 && fault.status == 0) {
            input.remark(InputPlace::Whole, "the section of page faults has neither address nor status: none was recorded".into());
        }
        self.facts.fault = self.facts.fault.filter(|fault| fault.address != 0 || fault.status != 0);
        self.find_chip(input);
        let queue = RunBy::of(&self.facts).queue();
        let in_work = self.facts.ring.as_deref().map(|name| format!("ring {name}"));
        self.judge_sizes(queue, input);
        self.judge_end(last_line, input);
        self.judge_rings(in_work.as_deref(), input);
        let others = input.buffers.iter().filter(|buffer| !is_pm4(&buffer.name) && !buffer.words.is_empty());
        input.other_rings = others.map(|ring| InputBuffer { queue: None, usage: BufferUse::OtherEngine, ..ring.clone() }).collect();
        input.note_mes(&self.facts.blocks);
        input.note_requests_to_leave(&self.facts.blocks);
        // The ring that timed out is kept, whatever it contains.
        input.buffers.retain(|buffer| is_pm4(&buffer.name) || Some(&buffer.name) == in_work.as_ref());
        for ring in input.buffers.iter_mut().filter(|buffer| !is_pm4(&buffer.name)) {
            (ring.queue, ring.usage) = (None, BufferUse::OtherEngine);
        }
        for ring in input.buffers.iter().filter(|buffer| buffer.pointers.is_some() && Some(&buffer.name) == in_work.as_ref()) {
            if ring.words.iter().all(|word| *word == NOP) && !ring.words.is_empty() && is_pm4(&ring.name) {
                let message = format!("{} holds only NOPs: it was cleared before the kernel dumped it", ring.name);
                input.remarks.push(crate::input::ground::InputMessage { place: InputPlace::Whole, message });
            }
        }
        // Without the job buffers, the ring shows how far the engine got.
        let has_job = input.buffers.iter().any(|buffer| !buffer.name.starts_with("ring ") && !buffer.words.is_empty());
        if has_job {
            find_constant_buffers(in_work.as_deref(), input);
        } else {
            let part = input.buffers.iter().filter(|buffer| is_pm4(&buffer.name) && Some(&buffer.name) == in_work.as_ref()).find_map(ring_words::part_in_work);
            input.buffers.extend(part);
        }
        if queue.is_none() {
            let kind = self.facts.ip_type.map_or_else(String::new, |kind| format!("is of type {kind}, which "));
            let message = format!("the ring that timed out ({}) {kind}does not run PM4: look there first", self.facts.ring.as_deref().unwrap_or("?"));
            input.remark(InputPlace::Whole, message);
        }
        self.judge_registers(input);
        if last_line == 0 {
            input.damage(InputPlace::Whole, "the dump is empty".into());
        }
        // Without a single line of a dump, this is not a dump.
        if self.met.any || self.titles > 0 {
            input.hang = Some(self.facts);
        }
    }

    /// Finds the chip by its SOC information if no graphics-core version names it.
    fn find_chip(&self, input: &mut Input) {
        if input.generation().is_none()
            && let (Some(family), Some(revision)) = self.soc
            && let Some(core) = chips::of_family(family, revision)
        {
            let message =
                format!("no line has the version of the graphics core: by SOC Family {family} and its external revision {revision} it is {}", core.name);
            input.remark(InputPlace::Whole, message);
            (input.chip, input.gfx) = (core.chip, core.gfx);
            input.facts.push(("graphics core", core.name));
        }
        if let Some(family) = self.family.filter(|_| input.generation().is_none()) {
            input.remark(InputPlace::Whole, format!("the dump names the generation {family}, but not the chip: name the chip with --chip"));
        }
    }

    /// Reports buffers with fewer words than their headings announce, and rings whose mask does not match their size. Assigns the queue to the job buffers.
    fn judge_sizes(&self, queue: Option<Queue>, input: &mut Input) {
        for (buffer, line) in input.buffers.iter_mut().zip(self.begun.iter().copied()) {
            let job = buffer.usage == BufferUse::Submitted;
            if job {
                buffer.queue = queue;
                if queue.is_none() {
                    buffer.usage = BufferUse::OtherEngine;
                }
            }
            let have = buffer.words.len();
            // The mask is the number of dwords minus 1 (Linux 7.1 amdgpu_ring_init).
            let size = buffer.expected_dwords.unwrap_or(have);
            if let Some(pointers) = buffer.pointers.filter(|pointers| size > 0 && pointers.mask.checked_add(1) != Some(size as u64)) {
                let message = format!(
                    "{} has {}, but the mask 0x{:x} of its pointers is that of another size: where it was read and written is not known",
                    buffer.name,
                    counted(size, "dword"),
                    pointers.mask
                );
                keep(&mut input.damage, line, message);
            }
            let Some(claimed) = buffer.expected_dwords else { continue };
            if have < claimed && (job || have > 0) {
                let why = if job {
                    ": the copy was cut off, or the kernel has a defect of 2026 (perhaps 7.1.11; not 7.1.0 to 7.1.8) that shortens buffers"
                } else {
                    ": the dump was cut off"
                };
                let name = &buffer.name;
                let message = format!("{name} has {}, but only {have} present{why}", counted(claimed, "dword"));
                keep(&mut input.damage, line, message);
            }
        }
    }

    /// Reports a dump that ends earlier than a kernel ends it. Rings follow registers in all dumps (Linux 6.10 to 7.1 amdgpu_dev_coredump.c). From Linux 6.12
    /// on (amdgpu_job.c amdgpu_job_do_core_dump), a job's dump then states that it does not know whether video memory was lost.
    fn judge_end(&self, last_line: usize, input: &mut Input) {
        let Met { registers, rings, end_of_rings, job, .. } = self.met;
        let follows = if registers && !rings && !end_of_rings && !job {
            "the rings"
        } else if rings && !end_of_rings && !job && self.facts.ring.is_some() && input.kernel_is_at_least(6, 12) {
            "what follows the rings"
        } else {
            return;
        };
        input.damage(InputPlace::Line(last_line), format!("the dump ends here, before {follows}: the copy was cut off"));
    }

    /// Checks that the ring that timed out is known and is among the rings.
    fn judge_rings(&self, in_work: Option<&str>, input: &mut Input) {
        // No source shows which words the overrun corrupts (unverified).
        if self.met.rings && input.kernel().is_some_and(|kernel| ((7, 1, 0)..=(7, 1, 4)).contains(&kernel)) {
            let message = "kernels 7.1.0 to 7.1.4 copy rings past the end of their memory: words of rings may be wrong, and so may be what follows from them. \
                Registers and the job's own buffers are not copied that way; take the next dump with a newer kernel";
            input.remark(InputPlace::Whole, message.into());
        }
        let message = match in_work {
            None if !self.met.registers && !self.met.rings => return,
            None => "the dump names no ring that timed out: no job of the kernel caused the dump, or its beginning is missing. What is said of engines is \
                about the graphics queue; queues of user space are not dumped"
                .to_string(),
            Some(_) if !self.met.rings => return,
            Some(in_work) if input.buffers.iter().any(|buffer| buffer.name == in_work) => return,
            Some(in_work) => format!("the {in_work}, which timed out, is not among the rings of the dump"),
        };
        input.remark(InputPlace::Whole, message);
    }

    /// Reports registers that were not understood and registers that carry no information.
    fn judge_registers(&self, input: &mut Input) {
        if let Some((count, line, text)) = &self.not_understood {
            let lines = counted(*count, "line");
            let message = format!("{lines} among the registers, as {text:?} here, could not be read: the names of registers begin with mm or reg");
            input.remark(InputPlace::Line(*line), message);
        }
        let mut read = self.facts.blocks.iter().filter(|block| !block.values.is_empty()).peekable();
        if read.peek().is_some() && self.facts.is_blank() {
            let blocks: Vec<&RegisterBlock> = read.collect();
            let all = |holds: fn(&RegisterBlock) -> bool| blocks.iter().all(|block| holds(block));
            let message = if all(RegisterBlock::is_all_zero) {
                "all registers hold 0: the graphics core or its clock was off"
            } else if all(RegisterBlock::is_all_ones) {
                "all bits of all registers are 1: the device did not answer"
            } else {
                "each block of registers holds only 0 or only ones: parts of the device were off, and others did not answer"
            };
            input.remark(InputPlace::Whole, message.into());
        }
    }
}

/// Assigns the constant queue to job buffers that the constant engine runs, according to the ring packets that start them.
fn find_constant_buffers(in_work: Option<&str>, input: &mut Input) {
    if !input.generation().is_none_or(Gfx::has_constant_engine) {
        return;
    }
    let Some(ring) = input.buffers.iter().find(|buffer| Some(buffer.name.as_str()) == in_work) else { return };
    let job = input.buffers.iter().filter(|buffer| buffer.usage == BufferUse::Submitted && !buffer.words.is_empty());
    let job: Vec<u64> = job.filter_map(|buffer| buffer.addr).collect();
    let constant: BTreeSet<u64> = ring_words::calls_of_job(ring, &job).into_iter().filter(|call| call.is_constant).map(|call| call.addr).collect();
    let is_constant =
        |buffer: &InputBuffer| buffer.usage == BufferUse::Submitted && buffer.addr.is_some_and(|addr| constant.contains(&(addr & ring_words::ADDRESS)));
    input.buffers.iter_mut().filter(|buffer| is_constant(buffer)).for_each(|buffer| buffer.queue = Some(Queue::Constant));
}

/// Beginnings of lines in the register section that are neither registers nor block headings (Linux 7.1 gfx_v11_ip_print, gfx_v9_4_3_ip_print).
const OF_BLOCKS: [&str; 2] = ["num_", "Number of Instances"];

/// Returns the name of the last buffer if it has words.
fn last_with_words(input: &Input) -> Option<&String> {
    input.buffers.last().filter(|buffer| !buffer.words.is_empty()).map(|buffer| &buffer.name)
}

/// Returns whether a buffer may have more words, according to its title line.
fn has_room(buffer: &InputBuffer) -> bool {
    buffer.expected_dwords.is_none_or(|claimed| buffer.words.len() < claimed)
}

fn keep(list: &mut Vec<crate::input::ground::InputMessage>, line: usize, message: String) {
    list.push(crate::input::ground::InputMessage { place: InputPlace::Line(line), message });
}

/// Returns whether a ring holds PM4. SDMA and video rings hold packets of their own, and so do the scheduler's rings except its kernel queue (`mes_kiq`).
fn is_pm4(name: &str) -> bool {
    name.strip_prefix("ring ").is_none_or(|ring| RunBy::of_name(ring).is_pm4())
}

/// `me 0, pipe 0, queue 0`, `mec 0, pipe 0, queue 0`, `xcc:0 mec:0, pipe:0, queue:0`.
fn queue_of_block(text: &str) -> bool {
    ["me ", "mec ", "xcc:", "Instance id:"].iter().any(|start| text.starts_with(start))
        && (text.contains("queue") || text.starts_with("Instance id:"))
        && !text.starts_with("num_")
}
