//! What a run reports, for people.

use super::buffers::Buffers;
use super::dump::PacketText;
use super::finding_text;
use super::ground::shown;
use super::printer::Printer;
use crate::cp::{Bank, BufferId, DrawView, Finding, Place, QueueId, Severity, Statistics, Summary, rules};
use crate::packet::{Packet, Queue};
use crate::plurals::counted;
use crate::regs;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::io::{self, Write};

/// Findings of one code that are shown in full, and at all.
const IN_FULL: u64 = 3;
const SHOWN: u64 = 20;
/// Findings that the end of a listing repeats, to be looked at first.
const LOOK_FIRST: usize = 3;
/// Changed registers named in the line of a draw.
const NAMED: usize = 4;

pub(super) struct TextPrinter<'w> {
    out: &'w mut dyn Write,
    color: bool,
    /// Registers at the last draw of each queue, by address.
    last: BTreeMap<QueueId, BTreeMap<u32, u32>>,
    /// Findings so far by code and severity: how many, and how many findings are collected in them.
    seen: BTreeMap<(&'static str, Severity), (u64, u64)>,
    /// The first finding of each of the worst codes, as one line: by severity, then in the order of the run.
    worst: Vec<(Severity, &'static str, String)>,
    /// The buffer and the queue of the packet before, and how its packets are printed.
    packets: Option<(BufferId, Queue, PacketText)>,
}

impl<'w> TextPrinter<'w> {
    pub fn new(out: &'w mut dyn Write, color: bool) -> Self {
        Self { out, color, last: BTreeMap::new(), seen: BTreeMap::new(), worst: Vec::new(), packets: None }
    }

    fn paint(&self, style: &str, text: &str) -> String {
        finding_text::paint(self.color, style, text)
    }
}

impl Printer for TextPrinter<'_> {
    fn out(&mut self) -> &mut dyn Write {
        self.out
    }

    fn work(&mut self, buffers: &Buffers<'_>, view: &DrawView<'_>) -> io::Result<()> {
        let now: BTreeMap<u32, u32> = Bank::ALL.into_iter().flat_map(|bank| view.written(bank)).collect();
        let changes = match self.last.get(&view.queue_id()) {
            Some(last) => changes(view, last, &now),
            None => counted(now.len(), "register"),
        };
        self.last.insert(view.queue_id(), now);
        let place = view.place();
        let at = format!("{}[{}]", buffers.shown_name(place.buffer), place.dword);
        let flags = if view.is_predicated() { "  predicated" } else { "" };
        let index = self.paint("1", &format!("{:>5}", view.index()));
        writeln!(self.out, "{index}  {:<7} {:<24} {at}{flags}  {changes}", view.queue_id().to_string(), view.name())
    }

    fn packet(&mut self, buffers: &Buffers<'_>, queue: Queue, place: Place, packet: &Packet<'_>) -> io::Result<()> {
        if self.packets.as_ref().is_none_or(|(buffer, of, _)| (*buffer, *of) != (place.buffer, queue)) {
            writeln!(self.out, "# {}", buffers.shown_name(place.buffer))?;
            self.packets = Some((place.buffer, queue, PacketText::new(buffers.gfx(), queue).color(self.color)));
        }
        let mut lines = String::new();
        if let Some((.., text)) = &mut self.packets {
            text.packet(&mut lines, &Packet { offset: place.dword as usize, ..*packet });
        }
        self.out.write_all(lines.as_bytes())
    }

    fn finding(&mut self, buffers: &Buffers<'_>, found: &Finding) -> io::Result<()> {
        let entry = self.seen.entry((found.code, found.severity)).or_default();
        entry.0 += 1;
        entry.1 += found.count;
        let nth = entry.0;
        if found.severity > Severity::Info && nth == 1 {
            let place = finding_text::place(buffers, found.place);
            let after = self.worst.partition_point(|(severity, ..)| *severity >= found.severity);
            self.worst.insert(after, (found.severity, found.code, format!("{place}: {}", shown(&found.message))));
            self.worst.truncate(LOOK_FIRST);
        }
        match nth {
            count if count <= IN_FULL => finding_text::finding_text(self.out, found, buffers, self.color),
            count if count < SHOWN => finding_text::text_again(self.out, found, buffers, self.color),
            SHOWN => {
                finding_text::text_again(self.out, found, buffers, self.color)?;
                writeln!(self.out, "if there are more of {}, they are only counted", found.code)
            }
            _ => Ok(()),
        }
    }

    fn statistics(&mut self, buffers: &Buffers<'_>, statistics: &Statistics) -> io::Result<()> {
        writeln!(self.out, "\n{:<34} {:>10} {:>12}", "packet", "count", "dwords")?;
        let mut packets: Vec<_> = statistics.packets().collect();
        packets.sort_by_key(|packet| core::cmp::Reverse(packet.count));
        for packet in packets {
            let name = packet.opcode.name(buffers.gfx()).map_or_else(|| packet.opcode.to_string(), str::to_owned);
            writeln!(self.out, "{name:<34} {:>10} {:>12}", packet.count, packet.dwords)?;
        }
        if statistics.other_types > 0 {
            writeln!(self.out, "{:<34} {:>10}", "not of type 3", statistics.other_types)?;
        }
        for (source, count) in statistics.rolls() {
            writeln!(self.out, "context rolls by {:<17} {count:>10}", source.to_string())?;
        }
        let (changed, redundant, stalls) = (statistics.context_changed, statistics.context_redundant, statistics.stalls);
        writeln!(
            self.out,
            "context registers between draws: {changed} changed, {redundant} written with the same value; rolls that had to wait for a free context: {stalls}"
        )
    }

    fn summary(&mut self, summary: &Summary, not_executed: &[(String, u64)]) -> io::Result<()> {
        writeln!(self.out)?;
        for ((code, severity), (findings, count)) in &self.seen {
            let title = rules::find(code).map_or("", |rule| rule.title);
            let severity = self.paint(finding_text::style(*severity), &format!("{severity:<8}"));
            let findings = if findings == count { String::new() } else { format!(" (in {})", counted(*findings, "finding")) };
            writeln!(self.out, "{severity} {code:<8} {count:>8}  {title}{findings}")?;
        }
        if !not_executed.is_empty() {
            let list: Vec<String> = not_executed.iter().map(|(name, count)| format!("{name} {count}")).collect();
            writeln!(self.out, "not executed by the model: {}", list.join(", "))?;
        }
        writeln!(
            self.out,
            "{}, {}, {}, {}; {}, {}, {}",
            counted(summary.packets, "packet"),
            counted(summary.draws, "draw"),
            counted(summary.dispatches, "dispatch"),
            counted(summary.context_rolls, "context roll"),
            counted(summary.errors, "error"),
            counted(summary.warnings, "warning"),
            counted(summary.infos, "info")
        )?;
        // One finding is there to be seen.
        if self.seen.len() > 1 {
            for (n, (severity, code, line)) in self.worst.iter().enumerate() {
                let head = if n == 0 { "look at these first:" } else { "                then" };
                writeln!(self.out, "{head} {} {line}", self.paint(finding_text::style(*severity), &format!("{severity}[{code}]")))?;
            }
        }
        Ok(())
    }
}

/// What differs from the previous draw, the first few by name.
fn changes(view: &DrawView<'_>, last: &BTreeMap<u32, u32>, now: &BTreeMap<u32, u32>) -> String {
    let changed: Vec<(u32, u32)> = now.iter().filter(|(addr, value)| last.get(addr) != Some(value)).map(|(addr, value)| (*addr, *value)).collect();
    let gone = last.keys().filter(|addr| !now.contains_key(addr)).count();
    let mut parts: Vec<String> = changed
        .iter()
        .take(NAMED)
        .map(|(addr, value)| match regs::lookup(view.gfx(), *addr) {
            Some(register) => format!("{register}={value:#x}"),
            None => format!("{addr:#07x}={value:#x}"),
        })
        .collect();
    if changed.len() > NAMED {
        parts.push(format!("and {} more", changed.len() - NAMED));
    }
    if gone > 0 {
        parts.push(format!("({gone} cleared or no longer known)"));
    }
    if parts.is_empty() { "same registers".to_owned() } else { parts.join(" ") }
}
