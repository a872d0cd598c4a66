//! The page of a run: what the model executed and observed, and what is wrong.

use super::columns;
use super::finding_list::FindingList;
use super::packet_table::PacketTable;
use super::page_data::{PageData, Viewer};
use super::shell::Block;
use crate::cp::rules;
use crate::cp::{Bank, BufferId, CommandProcessor, DrawView, Finding, Observer, PerQueue, Place, QueueId, RegisterState, Statistics, Summary};
use crate::packet::{Packet, Queue};
use crate::report::buffers::Buffers;
use crate::report::{finding_text, model_run, records};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::hash::DefaultHasher;
use std::io::{self, Write};

/// Banks in address order.
const BANKS: [Bank; 5] = [Bank::Config, Bank::Sh, Bank::ShCompute, Bank::Context, Bank::Uconfig];
/// Stands for a packet that is not on the page.
const NOBODY: u32 = u32::MAX;

/// How much is known about a register; the script has the same numbers.
mod known {
    pub const WRITTEN: u32 = 0;
    pub const CLEARED: u32 = 1;
    pub const LOADED: u32 = 2;
    pub const RESET: u32 = 3;
    pub const UNKNOWN: u32 = 4;
}

/// A packet that ran: its row in the packet table, a hash of its words, and the step at which it last ran.
struct Ran {
    row: u32,
    words: u64,
    step: u32,
}

/// A register written by a packet.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Held {
    addr: u32,
    value: u32,
    /// The step that wrote it.
    step: u32,
}

/// An [`Observer`] that records a run and makes a page of it: a timeline of the queues, a searchable list of all packets, each draw with its state, the packets
/// that wrote the state, differences from any other draw, findings, memory written by packets, and statistics.
///
/// ```
/// use pm4::{chip::Chip, cp::CommandProcessor, packet::Queue, report::html::RunPage};
/// # #[cfg(feature = "gfx11")] {
/// let stream = [0xC001_2D00, 3, 2];
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// cp.submit(Queue::Graphics, "</script><b>.bin", &stream);
/// let mut page = RunPage::of(&cp);
/// let summary = cp.run(&mut page);
/// let mut file = Vec::new();
/// page.write(&mut file, &cp, &summary)?;
/// assert!(!String::from_utf8_lossy(&file).contains("<b>"), "names are text");
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct RunPage<'a> {
    buffers: Buffers<'a>,
    table: PacketTable,
    queue: QueueId,
    ran: HashMap<(QueueId, Place), Ran>,
    /// The step at which the packet at each place last ran, on any queue.
    steps: HashMap<Place, u32>,
    /// The packet row and the queue of each step.
    rows: Vec<u32>,
    queues: Vec<u32>,
    draws: Vec<Value>,
    /// Registers that changed since the previous draw of the same queue, or were written again: the number for each draw, and all registers.
    changes: Vec<u32>,
    change_addr: Vec<u32>,
    change_value: Vec<u32>,
    change_step: Vec<u32>,
    change_known: Vec<u32>,
    held: PerQueue<Vec<Held>>,
    findings: FindingList,
    hang: Value,
    incidents: Value,
    inputs: Vec<String>,
    statistics: Statistics,
}

impl<'a> RunPage<'a> {
    /// Creates a page for everything submitted to the model so far.
    pub fn of(cp: &CommandProcessor<'a>) -> Self {
        Self {
            buffers: Buffers::of(cp),
            table: PacketTable::new(cp.chip().gfx()),
            queue: QueueId::GRAPHICS,
            ran: HashMap::new(),
            steps: HashMap::new(),
            rows: Vec::new(),
            queues: Vec::new(),
            draws: Vec::new(),
            changes: Vec::new(),
            change_addr: Vec::new(),
            change_value: Vec::new(),
            change_step: Vec::new(),
            change_known: Vec::new(),
            held: PerQueue::default(),
            findings: FindingList::new(),
            hang: Value::Null,
            incidents: Value::Null,
            inputs: Vec::new(),
            statistics: Statistics::default(),
        }
    }

    /// Returns the last step that executed a packet.
    fn step(&self, queue: QueueId, place: Place) -> u32 {
        self.ran.get(&(queue, place)).map(|ran| ran.step).or_else(|| self.steps.get(&place).copied()).unwrap_or(NOBODY)
    }

    fn step_or_null(&self, queue: QueueId, place: Place) -> Value {
        Some(self.step(queue, place)).filter(|step| *step != NOBODY).map_or(Value::Null, Value::from)
    }

    /// Adds the explanation of a hang: `record` is the result of `pm4::hang::run_recorded`. The packets and findings that it mentions become links if they are
    /// on the page. An invalid record is ignored.
    pub fn hang(&mut self, record: &str) {
        let Ok(mut hang) = serde_json::from_str::<Value>(record) else { return };
        let link = |told: &mut Value| {
            let id = told["file"].as_str().and_then(|file| self.buffers.all().iter().position(|buffer| buffer.name == file));
            let dword = told["dword"].as_u64().and_then(|dword| u32::try_from(dword).ok());
            let place = id.zip(dword).map(|(id, dword)| Place { buffer: BufferId(id as u32), dword });
            if let Some(step) = place.and_then(|place| self.steps.get(&place)) {
                told["step"] = (*step).into();
            }
        };
        let list = |value: &mut Value, key: &str| value.get_mut(key).and_then(Value::as_array_mut).map(core::mem::take).unwrap_or_default();
        let mut engines = list(&mut hang, "engines");
        for engine in &mut engines {
            let mut candidates = list(engine, "candidates");
            candidates.iter_mut().for_each(link);
            engine["candidates"] = candidates.into();
        }
        hang["engines"] = engines.into();
        let mut suspects = list(&mut hang, "suspects");
        for suspect in &mut suspects {
            link(suspect);
            if let Some(at) = self.findings.position(suspect) {
                suspect["finding"] = at.into();
            }
        }
        hang["suspects"] = suspects.into();
        self.hang = hang;
    }

    /// Adds what went wrong according to logs and dumps: `record` is the result of `pm4::hang::Incidents::timeline`. An invalid record is ignored.
    pub fn incidents(&mut self, record: &str) {
        self.incidents = serde_json::from_str(record).unwrap_or_default();
    }

    /// Adds a description of the inputs: lines such as those of `pm4::hang::check::log_lines`.
    pub fn inputs(&mut self, lines: Vec<String>) {
        self.inputs = lines;
    }

    fn work(&mut self, view: &DrawView<'_>, dispatch: bool) {
        let queue = view.queue_id();
        let now: Vec<Held> = BANKS
            .into_iter()
            .flat_map(|bank| view.written(bank))
            .map(|(addr, value)| Held { addr, value, step: view.origin(addr).map_or(NOBODY, |origin| self.step(queue, origin.place)) })
            .collect();
        let before = self.held.insert(queue, Vec::new()).unwrap_or_default();
        let mut count = 0;
        let mut change = |addr, value, step, known| {
            self.change_addr.push(addr);
            self.change_value.push(value);
            self.change_step.push(step);
            self.change_known.push(known);
            self.table.mention(addr);
            count += 1;
        };
        let mut differs = 0u32;
        let (mut old, mut new) = (before.iter().peekable(), now.iter().peekable());
        loop {
            match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(gone), next) if next.is_none_or(|held| held.addr > gone.addr) => {
                    let step = view.origin(gone.addr).map_or(NOBODY, |origin| self.ran.get(&(queue, origin.place)).map_or(NOBODY, |ran| ran.step));
                    let (known, value) = match view.state(gone.addr) {
                        RegisterState::Written(value) => (known::WRITTEN, value),
                        RegisterState::Cleared(value) => (known::CLEARED, value),
                        RegisterState::Loaded => (known::LOADED, 0),
                        RegisterState::Reset(value) => (known::RESET, value),
                        RegisterState::Unknown => (known::UNKNOWN, 0),
                    };
                    change(gone.addr, value, step, known);
                    differs += 1;
                    old.next();
                }
                (was, Some(held)) => {
                    let same_register = was.is_some_and(|was| was.addr == held.addr);
                    if was.is_none_or(|was| was != held) {
                        change(held.addr, held.value, held.step, known::WRITTEN);
                        differs += u32::from(was.is_none_or(|was| (was.addr, was.value) != (held.addr, held.value)));
                    }
                    if same_register {
                        old.next();
                    }
                    new.next();
                }
                (Some(_), None) => break,
            }
        }
        self.changes.push(count);
        self.held.insert(queue, now);
        let mut draw = json!({ "step": self.step_or_null(queue, view.place()), "queue": queue.to_string(), "name": view.name(), "changed": differs });
        if dispatch {
            draw["dispatch"] = true.into();
        }
        if view.is_predicated() {
            draw["predicated"] = true.into();
        }
        if let Some(roll) = records::roll_record(view) {
            draw["roll"] = roll;
        }
        self.draws.push(draw);
    }

    /// Writes the page; `summary` is the result of the run.
    ///
    /// # Errors
    /// Returns the error from writing to `out`.
    pub fn write(self, out: &mut dyn Write, cp: &CommandProcessor<'_>, summary: &Summary) -> io::Result<()> {
        self.data(cp, summary)?.write(out, PACKETS)
    }

    /// Returns the data of the page, without the page around it.
    ///
    /// ```
    /// use pm4::{chip::Chip, cp::CommandProcessor, packet::Queue, report::html::RunPage};
    /// # #[cfg(feature = "gfx11")] {
    /// let mut cp = CommandProcessor::new(Chip::Navi31);
    /// cp.submit(Queue::Graphics, "draw.bin", &[0xC001_2D00, 3, 2]);
    /// let mut page = RunPage::of(&cp);
    /// let summary = cp.run(&mut page);
    /// let data = page.data(&cp, &summary)?;
    /// assert_eq!(data.title(), "draw.bin, navi31: check");
    /// assert!(data.blocks().any(|(name, bytes, packed)| name == "head" && !packed && bytes.starts_with(b"{")));
    /// # }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if compression fails for lack of memory.
    pub fn data(self, cp: &CommandProcessor<'_>, summary: &Summary) -> io::Result<PageData> {
        let (chip, gfx) = (cp.chip(), cp.chip().gfx());
        let submitted: Vec<Value> = self.buffers.all().iter().map(buffer).collect();
        let (packets, mut blocks) = self.table.finish();
        let rules: Value = self
            .findings
            .codes()
            .filter_map(rules::find)
            .map(|rule| (rule.code.to_string(), json!({ "title": rule.title, "explanation": rule.explanation, "source": rule.source })))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let mut named: Vec<_> = self.buffers.all().iter().map(|buffer| (core::cmp::Reverse(buffer.words.len()), buffer.name)).collect();
        named.sort_by_key(|(length, _)| *length);
        let mut head = json!({
            "page": "run", "chip": chip.to_string(), "gfx": gfx.to_string(), "buffers": submitted, "packets": packets, "draws": self.draws,
            "hang": self.hang, "rules": rules, "statistics": records::statistics_record(&self.statistics, gfx),
            "summary": records::summary_record(summary, &model_run::not_executed(cp)),
        });
        if !self.incidents.is_null() {
            head["incidents"] = self.incidents;
        }
        if !self.inputs.is_empty() {
            head["lines"] = self.inputs.into();
        }
        blocks.push(Block::new("head", head.to_string().into_bytes()));
        blocks.extend(self.findings.finish()?);
        for (name, column) in [("queue", &self.queues), ("changes", &self.changes), ("change_value", &self.change_value), ("change_known", &self.change_known)]
        {
            blocks.push(columns::numbers(name, column));
        }
        for (name, column) in [("row", &self.rows), ("change_addr", &self.change_addr), ("change_step", &self.change_step)] {
            blocks.push(columns::differences(name, column));
        }
        let title = format!("{}, {chip}: check", title(named.iter().map(|(_, name)| *name)));
        Ok(PageData::new(title, blocks))
    }
}

/// The viewer of pages with packets.
pub(super) const PACKETS: Viewer = Viewer {
    look: concat!(include_str!("assets/packets.css"), include_str!("assets/incidents.css")),
    script: concat!(
        include_str!("assets/capture.js"),
        include_str!("assets/lists.js"),
        include_str!("assets/timeline.js"),
        include_str!("assets/incidents.js"),
        include_str!("assets/log.js"),
        include_str!("assets/views.js"),
        include_str!("assets/packets.js")
    ),
    start: include_str!("assets/packets_start.js"),
};

/// Returns the header entry of a buffer.
fn buffer(buffer: &crate::cp::BufferInfo<'_>) -> Value {
    json!({ "name": buffer.name, "addr": buffer.addr.map(|addr| format!("0x{addr:x}")), "dwords": buffer.words.len() })
}

/// Returns the first name, and how many others there are.
pub(super) fn title<'n>(mut names: impl Iterator<Item = &'n str>) -> String {
    match (names.next(), names.count()) {
        (None, _) => "no stream".into(),
        (Some(one), 0) => one.into(),
        (Some(first), more) => format!("{first} and {more} more"),
    }
}

impl Observer for RunPage<'_> {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.statistics.draw(view);
        self.work(view, false);
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.statistics.dispatch(view);
        self.work(view, true);
    }

    fn finding(&mut self, finding: &Finding) {
        let mut record = records::finding_record(finding, &self.buffers);
        record["step"] = self.step_or_null(finding.queue_id, finding.place);
        for (note, at) in finding.notes.iter().zip(0usize..) {
            if let Some(place) = note.place {
                record["notes"][at]["step"] = self.step_or_null(finding.queue_id, place);
            }
        }
        let mut text = Vec::new();
        // Writing to memory does not fail.
        let _ = finding_text::finding_text(&mut text, finding, &self.buffers, false);
        record["text"] = String::from_utf8_lossy(&text).into_owned().into();
        self.findings.add(record);
    }

    fn queue_changed(&mut self, queue: QueueId) {
        self.queue = queue;
    }

    fn packet(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        self.statistics.packet(queue, place, packet);
        let mut hash = DefaultHasher::new();
        (packet.header.0, packet.body).hash(&mut hash);
        let words = hash.finish();
        let step = self.rows.len() as u32;
        let id = match queue {
            Queue::Constant => QueueId::CONSTANT,
            _ => self.queue,
        };
        let row = match self.ran.get(&(id, place)) {
            Some(ran) if ran.words == words => ran.row,
            _ => self.table.add(queue, place, packet),
        };
        self.ran.insert((id, place), Ran { row, words, step });
        self.steps.insert(place, step);
        self.rows.push(row);
        self.queues.push(id.0);
    }
}
