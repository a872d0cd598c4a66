//! The device coredump of amdgpu, of every version (Linux 6.0 to 7.1 amdgpu_dev_coredump.c): sections of text, each with its own lines. Copies lack their first lines,
//! their tail, or their tabs; each line is taken by what it says.

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
/// Lines that normally have no prefix: a prefix before one of them is a prefix of every line.
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

/// Lines of registers by which a piece of a dump is known.
const FEW: usize = 3;

/// How many lines are a register and its value, at most as many as are asked for.
fn register_lines(bytes: &[u8]) -> usize {
    let is = |text: &str| {
        let mut parts = text.split_whitespace().map(|part| part.trim_matches(['|', '│'])).filter(|part| !part.is_empty());
        let name = parts.next().is_some_and(|name| name.starts_with("reg") || name.starts_with("mm"));
        name && parts.next().is_some_and(|value| value.len() == WORD && hex32(value).is_some()) && parts.next().is_none()
    };
    text::lines(bytes).take(1 << 12).filter(|line| is(&line.text)).take(FEW).count()
}

/// Lines at the start of the dump that are passed on: key, and what the fact is called.
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

/// What the lines belong to.
#[derive(Default)]
enum Section {
    #[default]
    Head,
    /// A block of registers.
    Registers,
    /// A ring: its words count in bytes.
    Ring,
    /// A buffer of the job: its number and dwords.
    Job,
    /// Nothing that is read.
    Other,
}

#[derive(Default)]
struct Reader {
    section: Section,
    facts: HangFacts,
    hub: Option<String>,
    /// The line where the current buffer begins, and where each begins.
    begun: Vec<usize>,
    titles: usize,
    /// Which parts of a dump were met.
    met: Met,
    /// Names of the buffers before the last one that have words.
    with_words: BTreeSet<String>,
    /// The last line, where the input ends within it.
    unfinished: Option<usize>,
    /// SOC Family and SOC External Revision id.
    soc: (Option<u32>, Option<u32>),
    /// Lines among registers that are neither a register nor a heading: how many, and the first one.
    not_understood: Option<(usize, usize, String)>,
    family: Option<&'static str>,
    /// Dwords of rings without a line.
    gaps: usize,
    /// The last line of a ring that has a word: its number, and the digits of the word.
    ring_line: Option<(usize, String)>,
    /// Lines of a buffer of the job after its last word that are not words.
    torn: Vec<Torn>,
}

/// Parts of a dump that were met.
#[derive(Default)]
struct Met {
    /// Any line that says what it is.
    any: bool,
    registers: bool,
    rings: bool,
    /// What follows the rings: whether video memory was lost.
    end_of_rings: bool,
    job: bool,
}

/// A line, or a part of one, that is no word.
struct Torn {
    /// The buffer, as the input counts.
    buffer: usize,
    line: usize,
    text: String,
}

impl Torn {
    /// Returns whether it is what is left of a word, and not something else.
    fn is_word(&self) -> bool {
        self.text.starts_with("0x")
    }

    /// Returns the word that this half and `rest` make together.
    fn joined(&self, rest: &str) -> Option<u32> {
        let digits = rest.bytes().all(|byte| byte.is_ascii_hexdigit());
        hex32(&format!("{}{rest}", self.text)).filter(|_| digits && self.text.len() + rest.len() == WORD)
    }
}

/// Characters of a word of a job, `0x` and eight digits.
const WORD: usize = 10;
/// Characters of an address of a page fault, `0x` and sixteen digits.
const ADDRESS: usize = 18;
/// Lines that are no words which are remembered.
const MOST_TORN: usize = 64;
/// The longest ring that is taken: one beyond it is a misread offset.
const LONGEST: usize = 1 << 22;
/// Dwords of rings without a line that are taken in one input.
const MOST_GAPS: usize = 1 << 16;

/// Returns the prefix of each line, and the line that shows it.
fn prefix(bytes: &[u8]) -> Option<(usize, String, Prefix)> {
    let before = |text: &str| MARKS.iter().find_map(|mark| text.strip_suffix(mark)).map(str::to_string);
    let (number, before) = text::lines(bytes).find_map(|line| Some((line.number, before(&line.text)?)))?;
    let prefix = Prefix::of(&before).filter(|_| before.contains(|c: char| c.is_ascii_graphic() && c != '|'))?;
    Some((number, before, prefix))
}

pub fn parse(bytes: &[u8], input: &mut Input) {
    // A log may be before the dump, or around it.
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
    /// Returns whether a line begins a second dump, whose first lines are missing: a kernel prints these lines once per dump, of each ring and buffer (Linux
    /// 7.1 amdgpu_dev_coredump.c). Lines at the borders of pages may be there twice, but not with what follows them.
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

    /// Begins a ring or a buffer of the job with the line of its heading.
    fn begin(&mut self, buffer: InputBuffer, number: usize, input: &mut Input) {
        self.with_words.extend(last_with_words(input).cloned());
        self.begun.push(number);
        input.buffers.push(buffer);
    }

    /// A line that begins a section, or says something by itself; whether it is one.
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
            // Linux 7.1 amdgpu_dev_coredump.c prints all 16 digits: fewer are what is left of an address.
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

    /// `GC[1][0]: v11.0.0.0.0`: the text after `GC[`.
    fn core(&mut self, text: &str, input: &mut Input) {
        let Some(version) = text.split_once('v').map(|(_, version)| version) else { return };
        let mut numbers = version.split('.').map_while(|part| part.trim().parse::<u32>().ok());
        let (Some(major), Some(minor), Some(revision)) = (numbers.next(), numbers.next(), numbers.next()) else { return };
        input.family = u8::try_from(major).ok();
        let core = chips::of_core(major, minor, revision);
        (input.chip, input.gfx) = (input.chip.or(core.chip), input.gfx.or(core.gfx));
        input.facts.push(("graphics core", core.name));
    }

    /// `ME feature version: 32, fw version: 0x00000a2e`; whether it is such a line.
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

    /// `0 0x800100200000 16 dw`: the text after `IB #`.
    fn job(&mut self, text: &str, number: usize, input: &mut Input) {
        let mut parts = text.split_whitespace();
        let (name, addr, dwords) = (parts.next().unwrap_or("?"), parts.next().and_then(hex), parts.next().and_then(|dwords| dwords.parse().ok()));
        if addr.is_none() || dwords.is_none() {
            input.damage(InputPlace::Line(number), format!("{:?} does not state the address and the size of a buffer", brief(text)));
        }
        let buffer = InputBuffer::new(format!("IB #{name}"), BufferUse::Submitted);
        self.begin(InputBuffer { addr, expected_dwords: dwords, ..buffer }, number, input);
        // Pasted text has its words on the line of the heading.
        parts.skip_while(|part| *part == "dw").for_each(|part| self.job_word(part, number, input));
    }

    /// A word of a buffer of the job, or what is left of one.
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
        // What is followed by words has lost its own word, or has none.
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

    /// Where a buffer of the job ends with lines that are no words, the first one is reported, unless the buffer is complete.
    fn end_job(&mut self, input: &mut Input) {
        let torn = core::mem::take(&mut self.torn);
        let Some(first) = torn.first() else { return };
        let Some(buffer) = input.buffers.get(first.buffer) else { return };
        if has_room(buffer) {
            let message = format!("{:?} is not a word: {} ends after {}", first.text, buffer.name, counted(buffer.words.len(), "dword"));
            input.damage(InputPlace::Line(first.line), message);
        }
    }

    /// A line within a section.
    fn line(&mut self, text: &str, number: usize, input: &mut Input) {
        match self.section {
            // A piece of a dump begins among its registers.
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
            // Several words on a line are pasted text; any other line is reported whole.
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

    /// A line among registers. All values have eight digits (Linux 7.1 gfx_v11_ip_print): fewer are what is left of a value.
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

    /// Returns the word of the line before, where this line is the rest of its digits.
    fn rest_of_word(&self, text: &str, number: usize) -> Option<u32> {
        let (_, digits) = self.ring_line.as_ref().filter(|(line, _)| line + 1 == number)?;
        let hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        hex32(&format!("{digits}{text}")).filter(|_| hexadecimal && digits.len() + text.len() <= WORD)
    }

    /// A word at an offset in bytes. Words without a line are NOPs.
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
            // Lines at the borders of pages may be there twice.
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

    /// Checks what was read, and decides which buffers run.
    fn finish(mut self, last_line: usize, input: &mut Input) {
        // A fault that never was has neither address nor status.
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
        // The ring that timed out is shown, whatever it holds.
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
        // Without the buffers of the job, the ring shows how far the engine got.
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
        // What has not one line of a dump is none.
        if self.met.any || self.titles > 0 {
            input.hang = Some(self.facts);
        }
    }

    /// The chip by the SOC information, where no version of the graphics core names it.
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

    /// Buffers with fewer words than their headings announce, and rings whose mask is that of another size. Gives the buffers of the job their queue.
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

    /// Whether the dump ends where a kernel ends it. Rings follow registers in all dumps (Linux 6.10 to 7.1 amdgpu_dev_coredump.c). From Linux 6.12 on (amdgpu_job.c
    /// amdgpu_job_do_core_dump) a dump of a job says after them that it does not know whether video memory was lost.
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

    /// Whether the ring that timed out is known, and among the rings.
    fn judge_rings(&self, in_work: Option<&str>, input: &mut Input) {
        // Which words the overrun spoils was not seen in a source (unverified).
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

    /// Registers that were not understood, and those that say nothing.
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

/// Gives the buffers of a job that the constant engine runs, by the packets of the ring that start them, its queue.
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

/// Lines of the register section that are no registers and no headings of blocks, by their beginnings (Linux 7.1 gfx_v11_ip_print, gfx_v9_4_3_ip_print).
const OF_BLOCKS: [&str; 2] = ["num_", "Number of Instances"];

/// Returns the name of the last buffer, where it has words.
fn last_with_words(input: &Input) -> Option<&String> {
    input.buffers.last().filter(|buffer| !buffer.words.is_empty()).map(|buffer| &buffer.name)
}

/// Returns whether a buffer may have more words, by what its title line announces.
fn has_room(buffer: &InputBuffer) -> bool {
    buffer.expected_dwords.is_none_or(|claimed| buffer.words.len() < claimed)
}

fn keep(list: &mut Vec<crate::input::ground::InputMessage>, line: usize, message: String) {
    list.push(crate::input::ground::InputMessage { place: InputPlace::Line(line), message });
}

/// Rings of SDMA and video hold packets of their own, and so do those of the scheduler, but for its kernel queue (`mes_kiq`).
fn is_pm4(name: &str) -> bool {
    name.strip_prefix("ring ").is_none_or(|ring| RunBy::of_name(ring).is_pm4())
}

/// `me 0, pipe 0, queue 0`, `mec 0, pipe 0, queue 0`, `xcc:0 mec:0, pipe:0, queue:0`.
fn queue_of_block(text: &str) -> bool {
    ["me ", "mec ", "xcc:", "Instance id:"].iter().any(|start| text.starts_with(start))
        && (text.contains("queue") || text.starts_with("Instance id:"))
        && !text.starts_with("num_")
}
