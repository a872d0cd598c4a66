//! The state of one draw or dispatch: all registers written for it, the packets that wrote them, and their values at the previous draw.

use super::buffers::Buffers;
use super::dump::PacketText;
use super::finding_text;
use super::ground::OutputFormat;
use super::model_run::ReportOptions;
use super::model_run::run_watched;
use crate::chip::Gfx;
use crate::cp::{Bank, CommandProcessor, DrawView, Finding, Observer, PerQueue, Place, QueueId, Summary};
use crate::packet::{Packet, Queue};
use crate::regs;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Maximum number of packets kept before a draw, the last ones.
const PACKETS: usize = 1 << 12;

/// Registers by address.
type Registers = BTreeMap<u32, Written>;

/// The last write to a register.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    /// The value that was written last.
    pub value: u32,
    /// The packet that wrote it.
    pub by: Option<Place>,
    /// The register may have another value: a condition may have skipped the packet, or a draw has overwritten the value.
    pub uncertain: bool,
}

/// A draw with its state.
#[derive(Debug, Clone)]
pub(crate) struct DrawState {
    pub index: u64,
    pub queue: QueueId,
    pub kind: Queue,
    pub place: Place,
    pub name: &'static str,
    pub gfx: Gfx,
    pub registers: Registers,
    /// Registers of the previous draw, if any.
    before: Option<Registers>,
    /// Packets since the previous draw; the last one is that of this draw.
    packets: Vec<Place>,
    /// Number of earlier packets that were dropped.
    left_out: usize,
}

/// The requested draw.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "input"), expect(dead_code, reason = "only a hang report asks for the draw before a packet"))]
pub(crate) enum WantedDraw {
    /// By its number, counted over all queues.
    Index(u64),
    /// The last one up to and including a packet.
    Before(Place),
    /// The last one.
    Last,
}

/// Registers by address, in the order of the banks: the form copied for each draw.
type Snapshot = Vec<(u32, Written)>;

/// Returns registers by address. They are inserted one by one because they are nearly in order: `collect` would sort them.
fn by_address(list: Snapshot) -> Registers {
    let mut registers = Registers::new();
    registers.extend(list);
    registers
}

/// The registers of the last two draws of a queue.
#[derive(Debug, Default)]
struct LastDraws {
    last: Snapshot,
    before: Option<Snapshot>,
    draws: u64,
}

/// The requested draw so far; a later one may replace it. Its registers are the last ones of its queue.
#[derive(Debug)]
struct Candidate {
    index: u64,
    queue: QueueId,
    kind: Queue,
    place: Place,
    name: &'static str,
    gfx: Gfx,
    packets: Vec<Place>,
    left_out: usize,
}

/// Waits for a draw and stores its state.
#[derive(Debug)]
pub(crate) struct DrawWatch {
    wanted: WantedDraw,
    candidate: Option<Candidate>,
    /// Whether the current packet is the last relevant one.
    stopping: bool,
    /// Whether the requested draw was reached, so that everything later is ignored.
    over: bool,
    queues: PerQueue<LastDraws>,
    packets: PerQueue<(Vec<Place>, usize), Queue>,
}

impl DrawWatch {
    pub fn new(wanted: WantedDraw) -> Self {
        Self { wanted, candidate: None, stopping: false, over: false, queues: PerQueue::default(), packets: PerQueue::default() }
    }

    /// Returns the draw, if it was reached.
    pub fn take_found(&mut self) -> Option<DrawState> {
        let Candidate { index, queue, kind, place, name, gfx, packets, left_out } = self.candidate.take()?;
        let LastDraws { last, before, draws } = self.queues.remove(queue)?;
        let before = before.filter(|_| draws > 1).map(by_address);
        Some(DrawState { index, queue, kind, place, name, gfx, registers: by_address(last), before, packets, left_out })
    }
}

impl Observer for DrawWatch {
    fn packet(&mut self, queue: Queue, place: Place, _: &Packet<'_>) {
        self.over |= self.stopping;
        if self.over {
            return;
        }
        self.stopping = matches!(self.wanted, WantedDraw::Before(last) if last == place);
        let (packets, left_out) = self.packets.entry(queue);
        if packets.len() == 2 * PACKETS {
            packets.drain(..PACKETS);
            *left_out += PACKETS;
        }
        packets.push(place);
    }

    fn draw(&mut self, view: &DrawView<'_>) {
        if self.over {
            return;
        }
        let written =
            |(addr, value)| (addr, Written { value, by: view.origin(addr).map(|origin| origin.place), uncertain: view.state(addr).known().is_none() });
        // Streams have millions of draws: two lists per queue are filled in turn.
        let draws = self.queues.entry(view.queue_id());
        let mut now = draws.before.take().unwrap_or_default();
        now.clear();
        now.extend(Bank::ALL.into_iter().flat_map(|bank| view.written(bank)).map(written));
        draws.before = Some(core::mem::replace(&mut draws.last, now));
        draws.draws += 1;
        let (packets, left_out) = self.packets.remove(view.queue()).unwrap_or_default();
        let wanted = match self.wanted {
            WantedDraw::Index(index) => index == view.index(),
            WantedDraw::Before(_) | WantedDraw::Last => true,
        };
        if wanted {
            let (queue, kind) = (view.queue_id(), view.queue());
            let (index, place, name, gfx) = (view.index(), view.place(), view.name(), view.gfx());
            self.candidate = Some(Candidate { index, queue, kind, place, name, gfx, packets, left_out });
        }
        self.over = wanted && matches!(self.wanted, WantedDraw::Index(_));
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.draw(view);
    }
}

/// Returns the hardware block of a register, by its name.
fn block(name: &str) -> &str {
    name.split('_').next().unwrap_or(name)
}

impl DrawState {
    /// Returns the name of a register, such as `PA_SC_MODE_CNTL_0`, or its address if the generation has no register there.
    fn name_of(&self, addr: u32) -> String {
        regs::lookup(self.gfx, addr).map_or_else(|| format!("0x{addr:05x}"), |register| register.to_string())
    }

    /// Returns the registers by block, in the order of names.
    fn blocks(&self) -> BTreeMap<String, Vec<(String, u32)>> {
        let mut blocks: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
        for addr in self.registers.keys() {
            let name = self.name_of(*addr);
            blocks.entry(block(&name).to_owned()).or_default().push((name, *addr));
        }
        blocks
    }

    /// Returns the old value of a register; None if there was no previous draw, or its value was equal.
    fn old(&self, addr: u32) -> Option<Option<u32>> {
        let old = self.before.as_ref()?.get(&addr).map(|written| written.value);
        (old != self.registers.get(&addr).map(|written| written.value)).then_some(old)
    }

    fn fields(&self, addr: u32, value: u32) -> Vec<(&'static str, String)> {
        let fields = regs::lookup(self.gfx, addr).map_or(&[][..], |register| register.fields());
        let shown = fields.iter().filter(|field| field.lo != 0 || field.hi != 31 || field.float);
        shown.map(|field| (field.name, field.display(field.get(value)).to_string())).collect()
    }

    /// Prints the draw as text: the packets after the previous draw, then registers by block. `*` marks values that differ from the previous draw, `uncertain`
    /// registers that may have another value.
    pub fn text(&self, out: &mut dyn Write, buffers: &Buffers<'_>, color: bool) -> io::Result<()> {
        let at = |place: Place| format!("{}[{}]", buffers.shown_name(place.buffer), place.dword);
        let work = if self.name.starts_with("DISPATCH") { "dispatch" } else { "draw" };
        let head = format!("{work} {}: {} on {} at {}", self.index, self.name, self.queue, at(self.place));
        writeln!(out, "\n{}", finding_text::paint(color, "1", &head))?;
        let since = if self.before.is_some() { ", after the previous draw on its queue" } else { " on its queue" };
        writeln!(out, "packets up to it{since}, itself included: {}", self.packets.len() + self.left_out)?;
        let mut printer = PacketText::new(self.gfx, self.kind).color(color);
        let (mut lines, mut buffer) = (String::new(), self.place.buffer);
        for place in self.packets.iter().skip(self.packets.len().saturating_sub(PACKETS)) {
            if place.buffer != buffer {
                writeln!(out, "# {}", buffers.shown_name(place.buffer))?;
                buffer = place.buffer;
            }
            match buffers.packet(*place) {
                Some(packet) => printer.packet(&mut lines, &Packet { offset: place.dword as usize, ..packet }),
                None => lines.push_str(&format!("{} (its words are not available)\n", at(*place))),
            }
            out.write_all(lines.as_bytes())?;
            lines.clear();
        }
        let changed = self.registers.keys().filter(|addr| self.old(**addr).is_some()).count();
        let since = if self.before.is_some() { format!(", {changed} of them changed since the previous draw (*)") } else { String::new() };
        writeln!(out, "registers written before it: {}{since}", self.registers.len())?;
        for (block, registers) in self.blocks() {
            writeln!(out, "  {}", finding_text::paint(color, "1", &block))?;
            for (name, addr) in registers {
                let Written { value, by, uncertain } = self.registers[&addr];
                let mark = if self.old(addr).is_some() { "*" } else { " " };
                let fields: Vec<String> = self
                    .fields(addr, value)
                    .into_iter()
                    .filter(|(_, text)| text != "0" && text != "0.0")
                    .map(|(name, text)| format!("{name}={text}"))
                    .collect();
                let by = by.map_or_else(|| "unknown".to_owned(), at);
                let uncertain = if uncertain { "  uncertain" } else { "" };
                let old = self.old(addr).map_or_else(String::new, |old| old.map_or_else(|| "  was not written".to_owned(), |old| format!("  was {old:08x}")));
                writeln!(out, "  {mark} {addr:05x} {name:<36} {value:08x}  by {by}{uncertain}{old}  {}", fields.join(" "))?;
            }
        }
        Ok(())
    }

    /// Prints the draw as a JSON record; docs/json.md lists the keys.
    pub fn json(&self, out: &mut dyn Write, buffers: &Buffers<'_>) -> io::Result<()> {
        let packets: Vec<Value> = self
            .packets
            .iter()
            .map(|place| {
                let name = buffers.packet(*place).and_then(|packet| packet.name(self.gfx)).unwrap_or("?");
                json!({ "file": buffers.name(place.buffer), "dword": place.dword, "opcode": name })
            })
            .collect();
        let mut registers = Vec::new();
        for (block, list) in self.blocks() {
            for (name, addr) in list {
                let Written { value, by, uncertain } = self.registers[&addr];
                let fields: serde_json::Map<String, Value> = self.fields(addr, value).into_iter().map(|(name, text)| (name.to_owned(), text.into())).collect();
                let mut record = json!({
                    "block": block, "name": name, "addr": format!("0x{addr:05x}"), "value": format!("0x{value:08x}"), "changed": self.old(addr).is_some(), "fields": fields,
                });
                if let Some(old) = self.old(addr).flatten() {
                    record["before"] = format!("0x{old:08x}").into();
                }
                if uncertain {
                    record["uncertain"] = true.into();
                }
                if let Some(place) = by {
                    record["file"] = buffers.name(place.buffer).into();
                    record["dword"] = place.dword.into();
                }
                registers.push(record);
            }
        }
        let record = json!({
            "type": "state", "index": self.index, "queue": self.queue.to_string(), "file": buffers.name(self.place.buffer), "dword": self.place.dword,
            "opcode": self.name, "packets": packets, "registers": registers,
        });
        writeln!(out, "{record}")
    }

    pub fn print(&self, out: &mut dyn Write, buffers: &Buffers<'_>, options: ReportOptions) -> io::Result<()> {
        match options.format {
            OutputFormat::Text => self.text(out, buffers, options.color),
            OutputFormat::Json => self.json(out, buffers),
        }
    }
}

/// Executes the streams submitted to `cp`, as [`run`](super::run) does, and prints the full state of one draw or dispatch, by its number: the packets since
/// the previous draw on its queue, and each register with the packet that wrote it and its value at the previous draw. `index` is
/// [`DrawView::index`](crate::cp::DrawView::index), from 0. `observer` receives everything as well. Returns the summary, and whether there is such a draw.
///
/// ```
/// use pm4::report::{self, ReportPart, ReportOptions};
/// # #[cfg(feature = "gfx9")] {
/// let stream = [0xC001_6900, 0x203, 0x1_8600, 0xC001_2D00, 3, 2];
/// let mut cp = pm4::cp::CommandProcessor::new(pm4::chip::Chip::Vega10);
/// cp.submit(pm4::packet::Queue::Graphics, "main.bin", &stream);
/// let mut out = Vec::new();
/// let options = ReportOptions { only: ReportPart::Nothing, ..ReportOptions::default() };
/// let (_, there) = report::draw_state(&mut out, &mut cp, &[], options, 0, &mut ())?;
/// assert!(there);
/// assert!(String::from_utf8_lossy(&out).contains("DB_SHADER_CONTROL                    00018600  by main.bin[0]"));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Errors of writing to `out`.
pub fn draw_state(
    out: &mut dyn Write,
    cp: &mut CommandProcessor<'_>,
    before: &[Finding],
    options: ReportOptions,
    index: u64,
    observer: &mut dyn Observer,
) -> io::Result<(Summary, bool)> {
    let mut watch = DrawWatch::new(WantedDraw::Index(index));
    let mut there = false;
    let summary = run_watched(out, cp, before, options, &mut watch, observer, |watch, out, buffers| match watch.take_found() {
        Some(state) => {
            there = true;
            state.print(out, buffers, options)
        }
        None => Ok(()),
    })?;
    Ok((summary, there))
}
