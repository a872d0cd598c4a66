//! Runs submissions on the model: judges them, and returns what the command processor writes.

use crate::device::core::{Backing, Device};
use crate::device::info;
use crate::device::submit::{Engine, Submission};
use crate::device::vm::ADDRESS_BITS;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use pm4::chip::DeviceFacts;
use pm4::cp::rules::RuleLevel;
use pm4::cp::{
    BoardFacts, BufferId, CommandProcessor, DrawView, Finding, FirmwareVersions, Interest, MemorySource, MemoryWrite, Observer, QueueId, Severity, Summary,
};
use pm4::input::{RecordedBuffer, RecordedEngine, RecordedRange, RecordedSubmission};
use pm4::packet::{Opcode, Packet};
use pm4::report::{Assertions, Buffers};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::IoSliceMut;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};
use zerocopy::IntoBytes;

const PAGE: u64 = 4096;

/// The most dwords that one submission executes: an endless one would block the program.
const MOST_DWORDS: u64 = 1 << 26;

/// The memory of a client by GPU address, at the time its submission runs.
#[derive(Debug)]
pub struct View<'d> {
    /// The device.
    pub device: &'d Device,
    /// The client ID.
    pub client: u64,
    /// The store, which is the memory of buffers.
    pub store: &'d File,
    /// The program, for buffers in its own memory.
    pub process: Pid,
    pages: Mutex<BTreeMap<u64, Page>>,
    /// Whether to keep everything that is read, for a recording.
    keeps_all: bool,
}

type Page = Arc<[u32]>;

impl<'d> View<'d> {
    /// Creates a view of the memory of a client.
    pub fn new(device: &'d Device, client: u64, store: &'d File, process: Pid, keeps_all: bool) -> Self {
        Self { device, client, store, process, pages: Mutex::default(), keeps_all }
    }

    /// Returns the submission with all memory that was read, for a recording.
    pub fn recorded(&self, submission: &Submission) -> RecordedSubmission {
        let buffers = submission.ibs.iter().map(|ib| {
            let dwords = (self.mapped(ib.va, ib.bytes.into()) / 4) as usize;
            let engine = match ib.engine {
                Engine::Graphics => RecordedEngine::Graphics,
                Engine::Compute => RecordedEngine::Compute,
                Engine::Sdma => RecordedEngine::Sdma,
            };
            RecordedBuffer { engine, ring: ib.ring, addr: ib.va, words: vec![0; dwords] }
        });
        let ranges = self.device.ranges(self.client).into_iter();
        RecordedSubmission {
            process: self.process.as_raw() as u32,
            buffers: buffers.collect(),
            pages: self.pages.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            ranges: ranges.map(|(addr, end, cpu)| RecordedRange { addr, bytes: end - addr, is_written_by_program: cpu }).collect(),
        }
    }

    /// Reads words within one mapping; returns false if nothing is mapped there.
    fn fetch(&self, addr: u64, words: &mut [u32]) -> bool {
        let Some((backing, _)) = self.device.lookup(self.client, addr) else { return false };
        match backing {
            // Holes of the sparse file read as 0, and so do addresses without memory.
            Some(Backing::Store(at)) => _ = self.store.read_at(words.as_mut_bytes(), at),
            Some(Backing::Program(at)) => {
                let len = 4 * words.len();
                let remote = RemoteIoVec { base: at as usize, len };
                return process_vm_readv(self.process, &mut [IoSliceMut::new(words.as_mut_bytes())], &[remote]).is_ok_and(|read| read == len);
            }
            None => {}
        }
        true
    }
}

impl MemorySource for View<'_> {
    fn read(&self, addr: u64, words: &mut [u32]) -> usize {
        // Mappings consist of whole pages, so a page is within a single mapping.
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let mut done = 0;
        while done < words.len() {
            let at = addr + 4 * done as u64;
            let (base, first) = (at / PAGE * PAGE, (at % PAGE / 4) as usize);
            let count = (words.len() - done).min(PAGE as usize / 4 - first);
            let part = &mut words[done..done + count];
            // Long reads bypass the kept pages.
            match pages.get(&base) {
                Some(page) => part.copy_from_slice(&page[first..first + count]),
                None if count > 256 && !self.keeps_all => {
                    if !self.fetch(at, part) {
                        break;
                    }
                }
                None => {
                    let mut page = [0; PAGE as usize / 4];
                    if !self.fetch(base, &mut page) {
                        break;
                    }
                    part.copy_from_slice(&page[first..first + count]);
                    pages.insert(base, Arc::new(page));
                }
            }
            done += count;
        }
        done
    }

    fn mapped(&self, addr: u64, bytes: u64) -> u64 {
        let mut done = 0;
        while done < bytes
            && addr.saturating_add(done) <= ADDRESS_BITS
            && let Some((_, there)) = self.device.lookup(self.client, addr + done)
        {
            done += there;
        }
        done.min(bytes)
    }

    fn writer(&self, addr: u64) -> Option<&str> {
        self.device.cpu_may_write(self.client, addr).then_some("the program, which has mapped this buffer")
    }
}

/// A finding and its printed forms, which do not need the model.
#[derive(Debug, Clone)]
pub struct Reported {
    /// The finding.
    pub finding: Finding,
    /// The finding as one line of JSON.
    pub json: String,
    /// The finding in full, as printed by `check`.
    pub text: String,
}

/// The result of a submission.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    /// Queue names, in order.
    pub queues: Vec<String>,
    /// The counts of the model.
    pub summary: Summary,
    /// Findings.
    pub findings: Vec<Reported>,
    /// Writes of the command processor: address and word, in order.
    pub writes: Vec<(u64, u32)>,
    /// The number of SDMA command buffers.
    pub sdma: u64,
    /// The number of dwords in the submitted command buffers.
    pub dwords: u64,
    /// The number of context-register writes that did not change the value.
    pub redundant: u64,
}

#[derive(Default)]
struct Watch {
    findings: Vec<Finding>,
    writes: Vec<MemoryWrite>,
    infos: bool,
    redundant: u64,
}

impl Observer for Watch {
    fn interest(&self) -> Interest {
        Interest::MEMORY
    }

    fn draw(&mut self, view: &DrawView<'_>) {
        self.redundant += u64::from(view.roll().redundant);
    }

    fn finding(&mut self, finding: &Finding) {
        if self.infos || finding.severity != Severity::Info {
            self.findings.push(finding.clone());
        }
    }

    fn memory_written(&mut self, write: &MemoryWrite) {
        self.writes.push(*write);
    }
}

/// Returns the board of a device.
pub fn board(facts: &DeviceFacts) -> BoardFacts {
    BoardFacts { shader_engines: Some(facts.shader_engines), cus_per_array: Some(facts.cus_per_array) }
}

/// Returns the firmware versions of a device.
pub fn firmware(facts: &DeviceFacts) -> FirmwareVersions {
    FirmwareVersions { pfp: Some(facts.pfp), me: Some(facts.me), mec: Some(facts.mec), me_feature: Some(facts.me_feature) }
}

/// Returns a model of the device, for the first submission.
pub fn model(facts: &DeviceFacts) -> CommandProcessor<'static> {
    let mut cp = CommandProcessor::new(facts.chip);
    cp.closed_memory(true).max_dwords(MOST_DWORDS);
    // The limit is the model's: it is no mistake of the driver that the rest of a submission is not judged.
    cp.set_rule_level("RUN-01", RuleLevel::Warn);
    cp.board(board(facts)).firmware(firmware(facts));
    cp
}

/// Runs a submission; `now` is CLOCK_MONOTONIC in nanoseconds, and `infos` enables findings of severity info. `model` is the one that the previous submission
/// returned; returns the model for the next submission.
pub fn run(
    facts: &'static DeviceFacts,
    submission: &Submission,
    view: &View<'_>,
    now: u64,
    infos: bool,
    assertions: Option<&mut Assertions>,
    model: CommandProcessor<'static>,
) -> (Judged, CommandProcessor<'static>) {
    let mut judged = Judged::default();
    let mut buffers: Vec<(Engine, u32, u64, String, Vec<u32>)> = Vec::new();
    for ib in &submission.ibs {
        judged.sdma += u64::from(ib.engine == Engine::Sdma);
        judged.dwords += u64::from(ib.bytes / 4);
        let dwords = (view.mapped(ib.va, ib.bytes.into()) / 4) as usize;
        let mut words = vec![0; dwords];
        let known = view.read(ib.va, &mut words);
        words.truncate(known);
        buffers.push((ib.engine, ib.ring, ib.va, format!("0x{:012x}", ib.va), words));
    }
    let mut cp: CommandProcessor<'_> = model;
    cp.memory_source(view);
    let mut rings: Vec<(u32, QueueId)> = Vec::new();
    let mut of_sdma: BTreeMap<BufferId, &[u32]> = BTreeMap::new();
    for (engine, ring, va, name, words) in &buffers {
        let queue = match engine {
            Engine::Graphics => QueueId::GRAPHICS,
            Engine::Sdma => QueueId(QueueId::SDMA.0 + ring),
            Engine::Compute => match rings.iter().find(|(of, _)| of == ring) {
                Some((_, queue)) => *queue,
                None => {
                    let queue = if rings.is_empty() { QueueId::COMPUTE } else { cp.add_compute_queue() };
                    rings.push((*ring, queue));
                    queue
                }
            },
        };
        let queue_name = queue.to_string();
        if !judged.queues.contains(&queue_name) {
            judged.queues.push(queue_name);
        }
        let id = cp.submit_to(queue, name, Some(*va), words);
        if *engine == Engine::Sdma {
            of_sdma.insert(id, words);
        }
    }
    let mut watch = Watch { infos, ..Watch::default() };
    judged.summary = match assertions {
        Some(assertions) => assertions.run(&mut cp, &mut watch),
        None => cp.run(&mut watch),
    };
    judged.redundant = watch.redundant;
    let named = Buffers::with_source(&cp);
    for finding in watch.findings {
        let (mut json, mut text) = (Vec::new(), Vec::new());
        // Writing to memory cannot fail.
        let _ = pm4::report::finding_json(&mut json, &finding, &named);
        let _ = pm4::report::finding_text(&mut text, &finding, &named, false);
        let [json, text] = [json, text].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        judged.findings.push(Reported { finding, json, text });
    }
    let mut clock = info::ticks(facts, now);
    let mut counted = None;
    for MemoryWrite { place, addr, value } in watch.writes {
        if let Some(word) = value {
            judged.writes.push((addr, word));
        } else if let Some(place) = place
            && let Some(words) = of_sdma.get(&place.buffer)
        {
            // The two halves are adjacent.
            if counted != Some(place) {
                clock += 1;
                counted = Some(place);
                judged.writes.extend(sdma_clock(words, place.dword, addr, clock));
            }
        } else if let Some(place) = place
            && let Some(packet) = named.packet(place)
        {
            // Each timestamp differs from the previous one; its halves belong together.
            if counted != Some(place) {
                clock += 1;
                counted = Some(place);
                judged.writes.extend(samples(facts, &packet));
            }
            judged.writes.extend(clock_half(&packet, addr, clock).map(|word| (addr, word)));
        }
    }
    drop(named);
    (judged, cp.into_reset())
}

/// Returns the timestamp that an SDMA packet writes, if any: opcode 13, whose sub-opcodes 1 and 2 write a clock to two dwords (facts of SDMA 4.0 to 7.1:
/// TIMESTAMP_GET, TIMESTAMP_GET_GLOBAL).
fn sdma_clock(words: &[u32], dword: u32, addr: u64, clock: u64) -> Vec<(u64, u32)> {
    const TIMESTAMP: u32 = 13;
    match words.get(dword as usize) {
        Some(header) if header & 0xFF == TIMESTAMP && matches!(header >> 8 & 0xFF, 1 | 2) => {
            vec![(addr, clock as u32), (addr + 4, (clock >> 32) as u32)]
        }
        _ => Vec::new(),
    }
}

/// Returns the half of a timestamp that a packet writes to an address; None if it writes none. Sources: AMD's packet headers, data_sel of RELEASE_MEM and
/// src_sel of COPY_DATA.
fn clock_half(packet: &Packet<'_>, addr: u64, clock: u64) -> Option<u32> {
    const DATA_CLOCK: u32 = 3;
    const SOURCE_CLOCK: u32 = 9;
    let (low, is_clock) = match packet.opcode()? {
        Opcode::RELEASE_MEM => (*packet.body.get(2)?, packet.body.get(1)? >> 29 == DATA_CLOCK),
        Opcode::COPY_DATA => (*packet.body.get(3)?, packet.body.first()? & 0xF == SOURCE_CLOCK),
        _ => return None,
    };
    let half = if addr as u32 & !3 == low & !3 { clock } else { clock >> 32 };
    is_clock.then_some(half as u32)
}

/// Returns the results of an event that counts samples or primitives: nothing was drawn, so each is 0, with bit 63 to mark the value as available. Sample
/// counters are 16 bytes apart, one per render backend (Mesa 25.0.7 radv_query.c).
fn samples(facts: &DeviceFacts, packet: &Packet<'_>) -> Vec<(u64, u32)> {
    const VALID: u32 = 1 << 31;
    const PIXEL_PIPE_STAT_DUMP: u32 = 56;
    const ZPASS_DONE: u32 = 21;
    const STREAMOUT: [u32; 4] = [1, 2, 3, 32];
    let (Some(Opcode::EVENT_WRITE), [event, low, high, ..]) = (packet.opcode(), packet.body) else { return Vec::new() };
    let addr = (u64::from(*high) << 32 | u64::from(*low)) & ADDRESS_BITS & !7;
    let (count, stride) = match event & 0x3F {
        ZPASS_DONE | PIXEL_PIPE_STAT_DUMP => (u64::from(facts.render_backends), 16),
        event if STREAMOUT.contains(&event) => (2, 8),
        _ => return Vec::new(),
    };
    (0..count).flat_map(|i| [(addr + stride * i, 0), (addr + stride * i + 4, VALID)]).collect()
}
