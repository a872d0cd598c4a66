//! What a run reports as JSON Lines.

use super::buffers::Buffers;
use super::dump::PacketJson;
use super::printer::Printer;
use crate::chip::Gfx;
use crate::cp::{Bank, BufferId, DrawView, Finding, Place, Statistics, Summary};
use crate::packet::{Opcode, Packet, Queue};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The names of the register banks in draw records.
const BANKS: [(Bank, &str); 4] = [(Bank::Context, "context"), (Bank::Sh, "sh"), (Bank::ShCompute, "sh_compute"), (Bank::Uconfig, "uconfig")];

pub(super) struct JsonPrinter<'w> {
    out: &'w mut dyn Write,
    line: Vec<u8>,
    /// How packets of a buffer are printed, for the buffer and the queue of the last one.
    packets: Option<(BufferId, Queue, PacketJson)>,
}

impl<'w> JsonPrinter<'w> {
    pub fn new(out: &'w mut dyn Write) -> Self {
        Self { out, line: Vec::new(), packets: None }
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
/// What writing to `out` fails with.
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

/// Why a draw has a new context; None where it continues with the one before.
pub(super) fn roll_record(view: &DrawView<'_>) -> Option<Value> {
    let roll = view.roll();
    let source = roll.source?;
    let addrs = |list: &mut dyn Iterator<Item = u32>| list.map(|addr| format!("0x{addr:05x}")).collect::<Vec<_>>();
    let (changed, redundant) = (addrs(&mut view.changed_context()), addrs(&mut view.redundant_context()));
    Some(json!({ "source": source.to_string(), "changed": changed, "redundant": redundant, "live": roll.live, "stalls": roll.stalls }))
}

impl Printer for JsonPrinter<'_> {
    /// A draw holds some hundred registers: they are written as text at once, without a tree of values.
    fn work(&mut self, buffers: &Buffers<'_>, view: &DrawView<'_>) -> io::Result<()> {
        let place = view.place();
        let mut head = json!({
            "type": "draw", "index": view.index(), "queue": view.queue_id().to_string(), "file": buffers.name(place.buffer), "dword": place.dword,
            "opcode": view.name(),
        });
        if view.is_predicated() {
            head["predicated"] = true.into();
        }
        let head = head.to_string();
        self.line.clear();
        self.line.extend_from_slice(head.trim_end_matches('}').as_bytes());
        self.line.extend_from_slice(b",\"registers\":{");
        for (i, (bank, name)) in BANKS.iter().enumerate() {
            write!(self.line, "{}\"{name}\":{{", if i > 0 { "," } else { "" })?;
            for (k, (addr, value)) in view.written(*bank).enumerate() {
                if k > 0 {
                    self.line.push(b',');
                }
                self.line.extend_from_slice(b"\"0x");
                hex(&mut self.line, addr, 5);
                self.line.extend_from_slice(b"\":\"0x");
                hex(&mut self.line, value, 8);
                self.line.push(b'"');
            }
            self.line.push(b'}');
        }
        self.line.push(b'}');
        let mut uncertain = BANKS.iter().flat_map(|(bank, _)| view.written(*bank)).filter(|(addr, _)| view.state(*addr).known().is_none()).peekable();
        if uncertain.peek().is_some() {
            let addrs: Vec<String> = uncertain.map(|(addr, _)| format!("0x{addr:05x}")).collect();
            write!(self.line, ",\"uncertain\":{}", json!(addrs))?;
        }
        if let Some(roll) = roll_record(view) {
            write!(self.line, ",\"roll\":{roll}")?;
        }
        self.line.extend_from_slice(b"}\n");
        self.out.write_all(&self.line)
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

/// At least `digits` hexadecimal digits.
fn hex(line: &mut Vec<u8>, value: u32, digits: u32) {
    let needed = (32 - value.leading_zeros()).div_ceil(4).max(digits);
    line.extend((0..needed).rev().map(|i| b"0123456789abcdef"[(value >> (4 * i) & 0xF) as usize]));
}
