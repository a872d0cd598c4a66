//! The report of a run as JSON Lines.

use super::buffers::Buffers;
use super::dump::PacketJson;
use super::last_draws::{LastDraw, LastDraws};
use super::printer::Printer;
use crate::chip::Gfx;
use crate::cp::{Bank, BufferId, DrawView, Finding, PerQueue, Place, Statistics, Summary};
use crate::packet::{Opcode, Packet, Queue};
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The names of the register banks in draw records.
const BANKS: [(Bank, &str); 4] = [(Bank::Context, "context"), (Bank::Sh, "sh"), (Bank::ShCompute, "sh_compute"), (Bank::Uconfig, "uconfig")];

pub(super) struct JsonPrinter<'w> {
    out: &'w mut dyn Write,
    line: Vec<u8>,
    /// Whether draws have only the registers that changed.
    changes: bool,
    last: LastDraws,
    /// The registers of the last draw of each queue as text, because most of it is the same for the next draw.
    texts: PerQueue<RegisterText>,
    /// The printer of a buffer's packets, with the buffer and the queue of the last one.
    packets: Option<(BufferId, Queue, PacketJson)>,
}

impl<'w> JsonPrinter<'w> {
    pub fn new(out: &'w mut dyn Write, changes: bool) -> Self {
        Self { out, line: Vec::new(), changes, last: LastDraws::default(), texts: PerQueue::default(), packets: None }
    }

    fn record(&mut self, record: &Value) -> io::Result<()> {
        writeln!(self.out, "{record}")
    }
}

/// Prints a finding as a JSON record on one line; docs/json.md lists the keys.
///
/// ```
/// use pm4::cp::{CommandProcessor, Finding, Observer};
/// use pm4::report::{self, Buffers};
///
/// struct Records<'a>(Buffers<'a>, Vec<u8>);
/// impl Observer for Records<'_> {
///     fn finding(&mut self, finding: &Finding) {
///         let _ = report::finding_json(&mut self.1, finding, &self.0);
///     }
/// }
/// # #[cfg(feature = "gfx11")] {
/// let stream = [0xC003_6900, 0x203, 0x1_8600]; // claims 5 dwords
/// let mut cp = CommandProcessor::new(pm4::chip::Chip::Navi31);
/// cp.submit(pm4::packet::Queue::Graphics, "cut.bin", &stream);
/// let mut records = Records(Buffers::of(&cp), Vec::new());
/// cp.run(&mut records);
/// assert!(records.1.starts_with(br#"{"type":"finding","code":"ENC-01","severity":"error","queue":"gfx","file":"cut.bin","dword":0,"#));
/// # }
/// ```
///
/// # Errors
/// Errors of writing to `out`.
pub fn finding_json(out: &mut dyn Write, finding: &Finding, buffers: &Buffers<'_>) -> io::Result<()> {
    writeln!(out, "{}", finding_record(finding, buffers))
}

pub(super) fn finding_record(finding: &Finding, buffers: &Buffers<'_>) -> Value {
    let mut record = json!({
        "type": "finding", "code": finding.code, "severity": finding.severity.to_string(), "queue": finding.queue_id.to_string(),
        "file": buffers.name(finding.place.buffer), "dword": finding.place.dword,
    });
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            record[key] = value;
        }
    };
    put("packet", finding.packet.map(Value::from));
    put("draw", finding.draw.map(Value::from));
    put("last_draw", finding.last_draw.filter(|_| finding.count > 1).map(Value::from));
    put("register", finding.register.clone().map(Value::from));
    put("field", finding.field.map(Value::from));
    put("message", Some(finding.message.clone().into()));
    let notes = finding.notes.iter().map(|note| match note.place {
        Some(place) => json!({ "text": note.text, "register": note.register, "file": buffers.name(place.buffer), "dword": place.dword }),
        None => json!({ "text": note.text, "register": note.register }),
    });
    put("notes", (!finding.notes.is_empty()).then(|| notes.collect()));
    put("help", finding.help.clone().map(Value::from));
    put("source", Some(finding.source.into()));
    put("count", (finding.count > 1).then(|| finding.count.into()));
    record
}

pub(super) fn statistics_record(statistics: &Statistics, gfx: Gfx) -> Value {
    let name = |opcode: Opcode| opcode.name(gfx).map_or_else(|| opcode.to_string(), str::to_owned);
    let packets: Value = statistics.packets().map(|p| (name(p.opcode), json!({ "count": p.count, "dwords": p.dwords }))).collect();
    let rolls: Value = statistics.rolls().map(|(source, count)| (source.to_string(), Value::from(count))).collect();
    json!({
        "type": "statistics", "packets": packets, "other_types": statistics.other_types, "rolls": rolls, "stalls": statistics.stalls,
        "context_changed": statistics.context_changed, "context_redundant": statistics.context_redundant,
    })
}

pub(super) fn summary_record(summary: &Summary, not_executed: &[(String, u64)]) -> Value {
    let mut record = json!({
        "type": "summary", "packets": summary.packets, "draws": summary.draws, "dispatches": summary.dispatches,
        "context_rolls": summary.context_rolls, "context_stalls": summary.context_stalls, "errors": summary.errors, "warnings": summary.warnings, "infos": summary.infos,
    });
    record["not_executed"] = not_executed.iter().map(|(name, count)| (name.clone(), Value::from(*count))).collect();
    record
}

/// Returns the reason why a draw has a new context; None if it continues with the previous one.
#[cfg(feature = "html")]
pub(super) fn roll_record(view: &DrawView<'_>) -> Option<Value> {
    let roll = view.roll();
    let source = roll.source?;
    let addrs = |list: &mut dyn Iterator<Item = u32>| list.map(|addr| alloc::format!("0x{addr:05x}")).collect::<Vec<_>>();
    let (changed, redundant) = (addrs(&mut view.changed_context()), addrs(&mut view.redundant_context()));
    Some(json!({ "source": source.to_string(), "changed": changed, "redundant": redundant, "live": roll.live, "stalls": roll.stalls }))
}

impl Printer for JsonPrinter<'_> {
    /// A draw has some hundred registers: they are written as text directly, without a tree of values.
    fn work(&mut self, buffers: &Buffers<'_>, view: &DrawView<'_>) -> io::Result<()> {
        let Self { line, last, texts, .. } = self;
        line.clear();
        let (place, queue) = (view.place(), view.queue_id());
        write!(line, "{{\"type\":\"draw\",\"index\":{},\"queue\":\"{queue}\",\"file\":", view.index())?;
        serde_json::to_writer(&mut *line, buffers.name(place.buffer))?;
        write!(line, ",\"dword\":{},\"opcode\":\"{}\"", place.dword, view.name())?;
        if view.is_predicated() {
            line.extend_from_slice(b",\"predicated\":true");
        }
        line.extend_from_slice(b",\"registers\":");
        let last = last.advance(view);
        match self.changes {
            true => changed_registers(line, last),
            false => line.extend_from_slice(texts.entry(queue).advance(last)),
        }
        if self.changes && !last.gone().is_empty() {
            line.extend_from_slice(b",\"gone\":");
            addresses(line, last.gone().iter().copied());
        }
        let uncertain = BANKS.iter().flat_map(|(bank, _)| last.bank(*bank)).map(|at| last.register(at).0);
        if !last.uncertain().is_empty() {
            let mut uncertain = uncertain.filter(|addr| last.uncertain().binary_search(addr).is_ok()).peekable();
            if uncertain.peek().is_some() {
                line.extend_from_slice(b",\"uncertain\":");
                addresses(line, uncertain);
            }
        }
        roll(line, view)?;
        line.extend_from_slice(b"}\n");
        self.out.write_all(line)
    }

    fn out(&mut self) -> &mut dyn Write {
        self.out
    }

    fn packet(&mut self, buffers: &Buffers<'_>, queue: Queue, place: Place, packet: &Packet<'_>) -> io::Result<()> {
        if self.packets.as_ref().is_none_or(|(buffer, of, _)| (*buffer, *of) != (place.buffer, queue)) {
            self.packets = Some((place.buffer, queue, PacketJson::new(buffers.name(place.buffer), buffers.gfx(), queue)));
        }
        let mut line = String::new();
        if let Some((.., records)) = &self.packets {
            records.packet(&mut line, &Packet { offset: place.dword as usize, ..*packet });
        }
        self.out.write_all(line.as_bytes())
    }

    fn finding(&mut self, buffers: &Buffers<'_>, finding: &Finding) -> io::Result<()> {
        finding_json(self.out, finding, buffers)
    }

    fn statistics(&mut self, buffers: &Buffers<'_>, statistics: &Statistics) -> io::Result<()> {
        self.record(&statistics_record(statistics, buffers.gfx()))
    }

    fn summary(&mut self, summary: &Summary, not_executed: &[(String, u64)]) -> io::Result<()> {
        self.record(&summary_record(summary, not_executed))
    }
}

/// The registers of a draw as text, rebuilt only if the set of written registers changes.
#[derive(Debug, Default)]
struct RegisterText {
    text: Vec<u8>,
    /// Position of the digits of each value, by the position of its register.
    digits: Vec<usize>,
}

impl RegisterText {
    /// Returns the text of a queue's next draw.
    fn advance(&mut self, last: &LastDraw) -> &[u8] {
        if last.has_moved() {
            self.text.clear();
            self.digits.clear();
            self.digits.resize(last.len(), 0);
            let Self { text, digits } = self;
            banks(text, last, &mut |_| true, &mut |at, place| {
                if let Some(digits) = digits.get_mut(at) {
                    *digits = place;
                }
            });
        } else {
            for at in last.changed() {
                // A register of an unprinted bank has no position; no value is at the beginning of the text.
                let Some(place) = self.digits.get(*at).copied().filter(|place| *place > 0) else { continue };
                if let Some(digits) = self.text.get_mut(place..place + VALUE_DIGITS) {
                    digits.copy_from_slice(&hex::<VALUE_DIGITS>(last.register(*at).1));
                }
            }
        }
        &self.text
    }
}

/// Appends the registers of a draw that the previous one lacked, or had with another value.
fn changed_registers(line: &mut Vec<u8>, last: &LastDraw) {
    banks(line, last, &mut |at| last.changed().binary_search(&at).is_ok(), &mut |_, _| ());
}

/// Appends registers by bank; `digits` gets the position of each register and that of its value in the text.
fn banks(line: &mut Vec<u8>, last: &LastDraw, is_asked: &mut dyn FnMut(usize) -> bool, digits: &mut dyn FnMut(usize, usize)) {
    for (bank, name) in BANKS {
        line.push(if bank == BANKS[0].0 { b'{' } else { b',' });
        line.push(b'"');
        line.extend_from_slice(name.as_bytes());
        line.extend_from_slice(b"\":{");
        let mut first = true;
        for at in last.bank(bank).filter(|at| is_asked(*at)) {
            let (addr, value) = last.register(at);
            line.extend_from_slice(if first { b"\"0x" } else { b",\"0x" });
            first = false;
            line.extend_from_slice(&hex::<ADDRESS_DIGITS>(addr));
            line.extend_from_slice(b"\":\"0x");
            digits(at, line.len());
            line.extend_from_slice(&hex::<VALUE_DIGITS>(value));
            line.push(b'"');
        }
        line.push(b'}');
    }
    line.push(b'}');
}

/// Appends addresses as a list.
fn addresses(line: &mut Vec<u8>, addrs: impl Iterator<Item = u32>) {
    for (i, addr) in addrs.enumerate() {
        line.extend_from_slice(if i == 0 { b"[\"0x" } else { b",\"0x" });
        line.extend_from_slice(&hex::<ADDRESS_DIGITS>(addr));
        line.push(b'"');
    }
    line.extend_from_slice(if line.ends_with(b":") { b"[]" } else { b"]" });
}

/// Appends the reason for a new context, if any.
fn roll(line: &mut Vec<u8>, view: &DrawView<'_>) -> io::Result<()> {
    let roll = view.roll();
    let Some(source) = roll.source else { return Ok(()) };
    write!(line, ",\"roll\":{{\"source\":\"{source}\",\"changed\":")?;
    addresses(line, view.changed_context());
    line.extend_from_slice(b",\"redundant\":");
    addresses(line, view.redundant_context());
    write!(line, ",\"live\":{},\"stalls\":{}}}", roll.live, roll.stalls)
}

/// Addresses of registers are below 0x40000.
const ADDRESS_DIGITS: usize = 5;
const VALUE_DIGITS: usize = 8;

/// Returns the last hexadecimal digits of a number.
#[inline]
fn hex<const DIGITS: usize>(value: u32) -> [u8; DIGITS] {
    let mut digits = [0; DIGITS];
    let mut rest = value;
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(rest & 0xF) as usize];
        rest >>= 4;
    }
    digits
}
