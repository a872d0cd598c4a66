//! Recorded submissions, and mistakes put into decoded packets: the n-th packet of an opcode, a field of a register, a dword of a body.

#![allow(dead_code)] // each test binary uses its part

use super::streams;
use pm4::chip::Chip;
use pm4::cp::rules::{self, RuleLevel};
use pm4::cp::{BoardFacts, BufferId, CommandProcessor, Finding, FirmwareVersions, QueueId};
use pm4::draw::{DrawDesc, Program, Recorder, TargetBlend, TargetImage};
use pm4::packet::{Opcode, Packet, Queue, Reader};
use std::path::{Path, PathBuf};

/// The stream into which a mistake is put.
#[derive(Debug, Clone, Copy)]
pub enum Base {
    /// `family/case` of tests/captures, and the role of the changed buffer.
    Capture(&'static str, &'static str),
    /// Two draws recorded by this crate, for generations and packets without captures.
    Own(Chip),
}

/// A mistake.
#[derive(Debug, Clone)]
pub enum Edit {
    /// Sets a field of a register in all packets that write it.
    Field(&'static str, &'static str, u32),
    /// Changes a body dword of the n-th packet: (old & keep) | or.
    Word(Opcode, usize, usize, u32, u32),
    /// Header of the n-th packet: (old & keep) | or.
    Header(Opcode, usize, u32, u32),
    /// Replaces the n-th packet.
    Replace(Opcode, usize, Vec<u32>),
    /// Inserts packets before the n-th packet.
    Before(Opcode, usize, Vec<u32>),
    /// Inserts packets after the n-th packet.
    After(Opcode, usize, Vec<u32>),
    /// Inserts packets at the start of the buffer.
    First(Vec<u32>),
    /// Appends packets to the buffer.
    Last(Vec<u32>),
    /// Removes the n-th packet.
    Drop(Opcode, usize),
    /// Removes the packets that write a register.
    DropWrites(&'static str),
    /// Removes the last dwords.
    Cut(usize),
    /// Applies both edits in order.
    Both(Box<Edit>, Box<Edit>),
}

/// Splits a stream into packets and other words.
fn packets(words: &[u32]) -> Vec<Vec<u32>> {
    Reader::new(words).map(|next| next.unwrap_or_else(|e| panic!("a recorded stream is damaged: {e}"))).map(|p| whole(&p)).collect()
}

fn whole(packet: &Packet<'_>) -> Vec<u32> {
    [&[packet.header.0], packet.body].concat()
}

fn opcode(words: &[u32]) -> Option<Opcode> {
    Reader::new(words).next()?.ok()?.opcode()
}

impl Edit {
    pub fn and(self, other: Self) -> Self {
        Self::Both(Box::new(self), Box::new(other))
    }

    /// Returns the stream with the mistake.
    pub fn apply(&self, chip: Chip, words: &[u32]) -> Vec<u32> {
        let mut list = packets(words);
        let nth = |list: &[Vec<u32>], wanted: Opcode, n: usize| {
            let mut found = (0..list.len()).filter(|at| opcode(&list[*at]) == Some(wanted));
            found.nth(n).unwrap_or_else(|| panic!("no packet {n} {wanted}"))
        };
        match self {
            Self::Field(register, field, value) => {
                let info = pm4::regs::find(chip.gfx(), register).unwrap_or_else(|| panic!("{chip} has no {register}"));
                let field = info.info().field(field).unwrap_or_else(|| panic!("{register} has no {field}"));
                let mut hits = 0;
                for packet in &mut list {
                    let at: Vec<usize> = Reader::new(packet)
                        .flatten()
                        .flat_map(|p| p.writes(chip.gfx()).filter(|w| w.addr == info.addr()).map(|w| w.dword).collect::<Vec<_>>())
                        .collect();
                    for dword in at {
                        packet[dword] = packet[dword] & !field.mask() | value << field.lo & field.mask();
                        hits += 1;
                    }
                }
                assert!(hits > 0, "nothing writes {register}");
            }
            Self::Word(opcode, n, word, keep, or) => {
                let at = nth(&list, *opcode, *n);
                list[at][1 + word] = list[at][1 + word] & keep | or;
            }
            Self::Header(opcode, n, keep, or) => {
                let at = nth(&list, *opcode, *n);
                list[at][0] = list[at][0] & keep | or;
            }
            Self::Replace(opcode, n, words) => {
                let at = nth(&list, *opcode, *n);
                list[at].clone_from(words);
            }
            Self::Before(opcode, n, words) => {
                let at = nth(&list, *opcode, *n);
                list.insert(at, words.clone());
            }
            Self::After(opcode, n, words) => {
                let at = nth(&list, *opcode, *n);
                list.insert(at + 1, words.clone());
            }
            Self::First(words) => list.insert(0, words.clone()),
            Self::Last(words) => list.push(words.clone()),
            Self::Drop(opcode, n) => {
                let at = nth(&list, *opcode, *n);
                list.remove(at);
            }
            Self::DropWrites(register) => {
                let addr = streams::addr(chip, register);
                let before = list.len();
                list.retain(|packet| !Reader::new(packet).flatten().any(|p| p.writes(chip.gfx()).any(|w| w.addr == addr)));
                assert!(list.len() < before, "nothing writes {register}");
            }
            Self::Cut(dwords) => {
                let mut all = list.concat();
                all.truncate(all.len() - dwords);
                return all;
            }
            Self::Both(one, other) => return other.apply(chip, &one.apply(chip, words)),
        }
        list.concat()
    }
}

/// A buffer of a submission.
#[derive(Debug, Clone)]
pub struct Part {
    pub role: String,
    pub queue: Queue,
    pub addr: u64,
    pub words: Vec<u32>,
}

fn folder() -> PathBuf {
    crate::support::repository("tests/captures")
}

/// Reads the little-endian words of a file.
pub fn words(path: &Path) -> Vec<u32> {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

impl Base {
    pub fn chip(self) -> Chip {
        match self {
            Self::Capture(case, _) => case.split('/').next().and_then(|family| family.parse().ok()).unwrap_or_else(|| panic!("{case} is of no known chip")),
            Self::Own(chip) => chip,
        }
    }

    /// Returns the buffers of the submission in order, without those that the kernel runs only for a second part.
    pub fn parts(self) -> Vec<Part> {
        let Self::Capture(case, _) = self else { return vec![Part { role: "main".into(), queue: Queue::Graphics, addr: 0x10_0000, words: own(self.chip()) }] };
        let manifest = std::fs::read_to_string(folder().join("manifest.tsv")).expect("the manifest is there");
        let rows = manifest.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
        let parts: Vec<Part> = rows
            .filter(|row| format!("{}/{}", row[0], row[2]) == case && row[6] == "0" && !row[8].starts_with("continue"))
            .map(|row| Part {
                role: row[8].to_owned(),
                queue: if row[9] == "gfx" { Queue::Graphics } else { Queue::Compute },
                addr: u64::from_str_radix(row[10].trim_start_matches("0x"), 16).expect("an address"),
                words: words(&folder().join(row[12])),
            })
            .collect();
        assert!(!parts.is_empty(), "no capture {case}");
        parts
    }

    /// Returns the buffers, with the mistake in the first one of the role.
    pub fn mutated(self, edit: &Edit) -> Vec<Part> {
        let mut parts = self.parts();
        let role = if let Self::Capture(_, role) = self { role } else { "main" };
        let part = parts.iter_mut().find(|part| part.role == role).unwrap_or_else(|| panic!("{self:?} has no buffer {role}"));
        let words = edit.apply(self.chip(), &part.words);
        let dwords = std::mem::replace(&mut part.words, words).len();
        // A called buffer keeps the length stated by its caller.
        if role.contains('.') {
            part.words.resize(dwords.max(part.words.len()), pm4::packet::Header::NOP1.0);
        }
        parts
    }
}

/// Returns a preamble and two draws with programs, recorded by this crate.
fn own(chip: Chip) -> Vec<u32> {
    let mut desc = DrawDesc::default().with_colors(vec![(TargetImage::default(), TargetBlend::default())]);
    desc.pipeline.vertex.program = Program { address: Some(0x20_0000), ..Program::default() };
    let resolved = desc.resolve(chip).expect("the draw is sound");
    let mut recorder = Recorder::new(chip);
    recorder.begin().expect("room");
    recorder.draw(&resolved).expect("room");
    recorder.draw(&resolved).expect("room");
    recorder.finish().expect("room")
}

/// What the caller of the model states.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    pub firmware: FirmwareVersions,
    pub board: BoardFacts,
    pub max_dwords: Option<u64>,
    pub max_memory: Option<u64>,
    pub max_findings: Option<u64>,
    /// Whether the submission consists of rings.
    pub ring: bool,
    /// Whether the submission is for SDMA, with the concurrent words as memory.
    pub sdma: bool,
    /// The same for AQL.
    pub aql: bool,
    /// The same for MES.
    pub mes: bool,
    /// Whether the words next to an SDMA queue are PM4 of a compute queue instead of memory.
    pub beside: bool,
}

/// Returns a model with the settings; enables the given rule if it is off by default.
pub fn model<'a>(chip: Chip, code: &str, settings: Settings) -> CommandProcessor<'a> {
    let mut cp = CommandProcessor::new(chip);
    cp.firmware(settings.firmware).board(settings.board);
    if let Some(findings) = settings.max_findings {
        cp.max_findings(findings);
    }
    if let Some(dwords) = settings.max_dwords {
        cp.max_dwords(dwords);
    }
    if let Some(bytes) = settings.max_memory {
        cp.max_memory(bytes);
    }
    if rules::find(code).is_some_and(|rule| rule.off_by_default) {
        cp.set_rule_level(code, RuleLevel::Warn);
    }
    cp
}

/// Submits a buffer, or a ring if the settings say so.
pub fn submit<'a>(cp: &mut CommandProcessor<'a>, settings: Settings, queue: Queue, name: &'a str, addr: u64, words: &'a [u32]) -> BufferId {
    let queue = match queue {
        _ if settings.sdma && queue != Queue::Compute => QueueId::SDMA,
        _ if settings.aql => QueueId::AQL,
        _ if settings.mes => QueueId::MES,
        Queue::Compute => QueueId::COMPUTE,
        _ => QueueId::GRAPHICS,
    };
    if settings.ring { cp.submit_ring(queue, name, Some(addr), words) } else { cp.submit_to(queue, name, Some(addr), words) }
}

/// Runs a submission.
pub fn run(chip: Chip, code: &str, settings: Settings, parts: &[Part]) -> Vec<Finding> {
    run_on(model(chip, code, settings), settings, parts)
}

/// Runs a submission on a model with the settings.
pub fn run_on<'a>(mut cp: CommandProcessor<'a>, settings: Settings, parts: &'a [Part]) -> Vec<Finding> {
    for part in parts {
        match part.role.contains('.') {
            true => cp.map(&part.role, part.addr, &part.words),
            false => submit(&mut cp, settings, part.queue, &part.role, part.addr, &part.words),
        };
    }
    streams::findings_of(&mut cp)
}
