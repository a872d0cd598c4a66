//! The device coredump of amdgpu, of every version (Linux 6.0 to 7.1 amdgpu_dev_coredump.c): sections of text, each with its own lines. Copies lack their head,
//! their tail, or their tabs; each line is taken by what it says.

use super::{BufferUse, Head, Input, InputBuffer, InputPlace};
use crate::input::chips;
use crate::input::ring_words::{self, NOP, RunBy};
use crate::input::text::{self, Line, after, brief, first, hex, hex32};
use crate::input::{HangFacts, PageFault, RegisterBlock, RingPointers};
use crate::packet::Queue;
use crate::plurals::counted;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const TITLE: &str = "**** AMDGPU Device Coredump ****";

pub fn is(head: &Head<'_>) -> bool {
    head.has(TITLE)
        || head.has("Ring buffer information\n")
        || head.has("Ring timed out details")
        || head.has("\nIP Dump\n")
        || head.has("ring name: ") && head.has("RB mask: ")
}

/// Lines of the head that are passed on: key, and what the fact is called.
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
    family: Option<&'static str>,
    /// Words that were left out of a ring, because the place before them is missing.
    skipped: usize,
}

pub fn parse(bytes: &[u8], input: &mut Input) {
    let mut reader = Reader::default();
    let mut last_line = 0;
    for Line { number, text } in text::lines(bytes) {
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '|');
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
        if !reader.heading(text, number, input) {
            reader.line(text, number, input);
        }
    }
    if reader.titles == 0 {
        input.remark(InputPlace::Line(1), "the head of the dump is missing".into());
    }
    reader.finish(last_line, input);
}

impl Reader {
    /// A line that begins a section, or says something by itself; whether it is one.
    fn heading(&mut self, text: &str, number: usize, input: &mut Input) -> bool {
        if let Some(name) = text.strip_prefix("ring name:") {
            self.section = Section::Ring;
            self.begun.push(number);
            let name = name.trim();
            let queue = if name.starts_with("gfx") { Some(Queue::Graphics) } else { Some(Queue::Compute) };
            input.buffers.push(InputBuffer { queue, ..InputBuffer::new(format!("ring {name}"), BufferUse::NotExecuted) });
        } else if let Some(rest) = text.strip_prefix("IB #") {
            self.section = Section::Job;
            self.begun.push(number);
            self.job(rest, number, input);
        } else if let Some(name) = text.strip_prefix("IP:") {
            let name = name.trim();
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
        } else if let Some(hub) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix("] Page fault observed")) {
            self.hub = Some(hub.to_string());
        } else if let Some(address) = text.strip_prefix("Faulty page starting at address:") {
            let hub = self.hub.clone().unwrap_or_else(|| "gfxhub".into());
            match hex(first(address)) {
                Some(address) => self.facts.fault = Some(PageFault { hub, address, status: 0, line: number }),
                None => input.damage(InputPlace::Line(number), format!("{:?} is not an address", brief(address))),
            }
        } else if let Some(status) = text.strip_prefix("Protection fault status register:") {
            if let (Some(fault), Some(status)) = (&mut self.facts.fault, hex32(first(status))) {
                fault.status = status;
            }
        } else if text.starts_with("VRAM is lost") || text.starts_with("VRAM lost check") {
            self.section = Section::Other;
            if text.starts_with("VRAM is lost") {
                input.remark(InputPlace::Line(number), "video memory is lost".into());
            }
        } else if let Some(version) = text.strip_prefix("HWIP: GC[") {
            self.core(version, input);
        } else if text == "Ring buffer information" || text == "AMDGPU register dumps:" {
            self.section = Section::Other;
        } else if let Some((fact, rest)) = FACTS.iter().find_map(|(key, fact)| Some((*fact, text.strip_prefix(key)?))) {
            input.facts.push((fact, rest.trim_start_matches([' ', ':']).to_string()));
        } else {
            return self.firmware(text, input);
        }
        true
    }

    /// `GC[1][0]: v11.0.0.0.0`: what stands after `GC[`.
    fn core(&mut self, text: &str, input: &mut Input) {
        let Some(version) = text.split_once('v').map(|(_, version)| version) else { return };
        let mut numbers = version.split('.').map_while(|part| part.trim().parse::<u32>().ok());
        let (Some(major), Some(minor), Some(revision)) = (numbers.next(), numbers.next(), numbers.next()) else { return };
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
            _ => {}
        }
        true
    }

    fn block(&mut self, name: &str) {
        self.facts.blocks.push(RegisterBlock { name: name.to_string(), values: Vec::new() });
    }

    /// `0 0x800100200000 16 dw`: what stands after `IB #`.
    fn job(&mut self, text: &str, number: usize, input: &mut Input) {
        let mut parts = text.split_whitespace();
        let (name, addr, dwords) = (parts.next().unwrap_or("?"), parts.next().and_then(hex), parts.next().and_then(|dwords| dwords.parse().ok()));
        if addr.is_none() || dwords.is_none() {
            input.damage(InputPlace::Line(number), format!("{:?} names no address and size of a buffer", brief(text)));
        }
        let buffer = InputBuffer::new(format!("IB #{name}"), BufferUse::Submitted);
        input.buffers.push(InputBuffer { addr, expected_dwords: dwords, ..buffer });
    }

    /// A line within a section.
    fn line(&mut self, text: &str, number: usize, input: &mut Input) {
        match self.section {
            Section::Head | Section::Other => {}
            Section::Registers => {
                let (name, value) = (first(text), text.split_whitespace().next_back().and_then(hex32));
                let name = name.strip_prefix("mm").or_else(|| name.strip_prefix("reg"));
                if let (Some(name), Some(value), Some(block)) = (name, value, self.facts.blocks.last_mut()) {
                    block.values.push((name.to_string(), value));
                } else if name.is_some() {
                    input.damage(InputPlace::Line(number), format!("{:?} has no value: the line is incomplete", brief(text)));
                }
            }
            Section::Ring => self.ring(text, number, input),
            Section::Job => {
                let Some(buffer) = input.buffers.last_mut() else { return };
                match hex32(text).filter(|_| text.len() == 10) {
                    Some(word) if buffer.expected_dwords.is_none_or(|claimed| buffer.words.len() < claimed) => buffer.words.push(word),
                    Some(_) => {
                        self.section = Section::Other;
                        let message = format!("{} has more words than its head announces: they are left out", buffer.name);
                        input.damage(InputPlace::Line(number), message);
                    }
                    None => {
                        self.section = Section::Other;
                        let message = format!("{:?} is not a word: {} ends after {}", brief(text), buffer.name, counted(buffer.words.len(), "dword"));
                        input.damage(InputPlace::Line(number), message);
                    }
                }
            }
        }
    }

    fn ring(&mut self, text: &str, number: usize, input: &mut Input) {
        let Some(buffer) = input.buffers.last_mut() else { return };
        if let Some(rest) = text.strip_prefix("Rptr:") {
            let pointer = |key| after(text, key).and_then(|value| hex(first(value)));
            if let (Some(read), Some(write), Some(mask)) = (hex(first(rest)), pointer("Wptr:"), pointer("RB mask:")) {
                buffer.pointers = Some(RingPointers { read, write, mask });
            }
        } else if let Some(size) = text.strip_prefix("Ring size in dwords:") {
            buffer.expected_dwords = size.trim().parse().ok();
        } else if text.starts_with("Ring contents unavailable") {
            let message = format!("{}: the kernel had no memory for its words", buffer.name);
            input.remark(InputPlace::Line(number), message);
        } else if text.starts_with("0x") {
            let mut parts = text.split_whitespace();
            let (at, word) = (parts.next().and_then(hex), parts.next().and_then(hex32));
            match at.zip(word) {
                Some((at, word)) if at == 4 * buffer.words.len() as u64 => buffer.words.push(word),
                // Lines at the borders of pages may come twice.
                Some((at, word)) if at % 4 == 0 && usize::try_from(at / 4).ok().and_then(|at| buffer.words.get(at)) == Some(&word) => {}
                _ => {
                    self.skipped += 1;
                    if self.skipped == 1 {
                        let message = format!("{:?} is not the next word of {}: such lines are left out", brief(text), buffer.name);
                        input.damage(InputPlace::Line(number), message);
                    }
                }
            }
        }
    }

    /// Judges what came together, and decides what runs.
    fn finish(mut self, last_line: usize, input: &mut Input) {
        // A fault that never was has neither address nor status.
        self.facts.fault = self.facts.fault.filter(|fault| fault.address != 0 || fault.status != 0);
        let timed_out = self.facts.ring.clone();
        let queue = RunBy::of(&self.facts).queue();
        if let Some(family) = self.family.filter(|_| input.generation().is_none()) {
            input.remark(InputPlace::Whole, format!("the dump names the generation {family}, but no chip: name it with --chip"));
        }
        let mut jobs = 0;
        let lines = self.begun.clone();
        for (buffer, line) in input.buffers.iter_mut().zip(lines) {
            let job = buffer.used == BufferUse::Submitted;
            jobs += usize::from(job && !buffer.words.is_empty());
            if job {
                buffer.queue = queue;
                if queue.is_none() {
                    buffer.used = BufferUse::OtherEngine;
                }
            }
            let (have, Some(claimed)) = (buffer.words.len(), buffer.expected_dwords) else { continue };
            if have < claimed && (job || have > 0) {
                let why = if job {
                    ": the copy was cut off, or the kernel has a defect of 2026 (not in 7.1.0 to 7.1.8) that shortens buffers"
                } else {
                    ": the dump was cut off"
                };
                let name = &buffer.name;
                let message = format!("{name} has {}, but only {have} present{why}", counted(claimed, "dword"));
                keep(&mut input.damage, line, message);
            }
        }
        input.buffers.retain(|buffer| is_pm4(&buffer.name));
        let in_work = timed_out.as_deref().map(|name| format!("ring {name}"));
        for ring in input.buffers.iter().filter(|buffer| buffer.pointers.is_some() && Some(&buffer.name) == in_work.as_ref()) {
            if ring.words.iter().all(|word| *word == NOP) && !ring.words.is_empty() {
                let message = format!("{} holds only NOPs: it was cleared before the kernel dumped it", ring.name);
                input.remarks.push(crate::input::Remark { place: InputPlace::Whole, message });
            }
        }
        // Without the buffers of the job, the ring shows how far it came.
        if jobs == 0 {
            let part = input.buffers.iter().filter(|buffer| Some(&buffer.name) == in_work.as_ref()).find_map(ring_words::part_in_work);
            input.buffers.extend(part);
        }
        if queue.is_none() {
            let kind = self.facts.ip_type.map_or_else(String::new, |kind| format!("is of type {kind}, which "));
            let message = format!("the ring that timed out ({}) {kind}does not run PM4: look there first", timed_out.as_deref().unwrap_or("?"));
            input.remark(InputPlace::Whole, message);
        }
        if self.facts.blocks.iter().any(|block| !block.values.is_empty()) && self.facts.is_blank() {
            input.remark(InputPlace::Whole, "all registers hold the same: the block was off, or the device was gone".into());
        }
        if last_line == 0 {
            input.damage(InputPlace::Whole, "the dump is empty".into());
        }
        input.hang = Some(self.facts);
    }
}

fn keep(list: &mut Vec<crate::input::Remark>, line: usize, message: String) {
    list.push(crate::input::Remark { place: InputPlace::Line(line), message });
}

/// Rings of SDMA, video and the scheduler hold packets of their own.
fn is_pm4(name: &str) -> bool {
    name.strip_prefix("ring ").is_none_or(|ring| RunBy::of_name(ring) != RunBy::Other)
}

/// `me 0, pipe 0, queue 0`, `mec 0, pipe 0, queue 0`, `xcc:0 mec:0, pipe:0, queue:0`.
fn queue_of_block(text: &str) -> bool {
    ["me ", "mec ", "xcc:", "Instance id:"].iter().any(|start| text.starts_with(start))
        && (text.contains("queue") || text.starts_with("Instance id:"))
        && !text.starts_with("num_")
}
