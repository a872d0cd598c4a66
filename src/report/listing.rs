//! The report of a run, as text.

use super::buffers::Buffers;
use super::dump::PacketText;
use super::finding_text;
use super::ground::shown;
use super::last_draws::{LastDraw, LastDraws};
use super::printer::Printer;
use crate::cp::{BufferId, DrawView, Finding, Place, Severity, Statistics, Summary, rules};
use crate::packet::{Packet, Queue};
use crate::plurals::counted;
use crate::regs;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Maximum number of findings of one code that are shown in full, and that are shown at all.
const IN_FULL: u64 = 3;
const SHOWN: u64 = 20;
/// Maximum number of findings repeated at the end of a listing, to be looked at first.
const LOOK_FIRST: usize = 3;
/// Maximum number of changed registers named in the line of a draw.
const NAMED: usize = 4;

pub(super) struct TextPrinter<'w> {
    out: &'w mut dyn Write,
    color: bool,
    last: LastDraws,
    line: String,
    /// Findings so far by code and severity: their number, and the number of findings merged into them.
    seen: BTreeMap<(&'static str, Severity), (u64, u64)>,
    /// The first finding of each of the worst codes, as one line: by severity, then in the order of the run.
    worst: Vec<(Severity, &'static str, String)>,
    /// The buffer and the queue of the previous packet, and the printer of its packets.
    packets: Option<(BufferId, Queue, PacketText)>,
}

impl<'w> TextPrinter<'w> {
    pub fn new(out: &'w mut dyn Write, color: bool) -> Self {
        Self { out, color, last: LastDraws::default(), line: String::new(), seen: BTreeMap::new(), worst: Vec::new(), packets: None }
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
        let place = view.place();
        let Self { last, line, out, color, .. } = self;
        line.clear();
        let (start, end) = if *color { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        let queue = view.queue_id();
        // A string accepts all writes.
        let _ = write!(line, "{start}{:>5}{end}  ", view.index());
        padded(line, 7, |line| _ = write!(line, "{queue}"));
        line.push(' ');
        padded(line, 24, |line| line.push_str(view.name()));
        line.push(' ');
        line.push_str(&shown(buffers.name(place.buffer)));
        let _ = write!(line, "[{}]", place.dword);
        line.push_str(if view.is_predicated() { "  predicated  " } else { "  " });
        let last = last.advance(view);
        match last.is_first() {
            true => *line += &counted(last.len(), "register"),
            false => changes(line, view, last),
        }
        line.push('\n');
        out.write_all(line.as_bytes())
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
        // A single finding is visible anyway.
        if self.seen.len() > 1 {
            for (n, (severity, code, line)) in self.worst.iter().enumerate() {
                let head = if n == 0 { "look at these first:" } else { "                then" };
                writeln!(self.out, "{head} {} {line}", self.paint(finding_text::style(*severity), &format!("{severity}[{code}]")))?;
            }
        }
        Ok(())
    }
}

/// Writes something, padded with spaces to a width.
fn padded(line: &mut String, width: usize, write: impl FnOnce(&mut String)) {
    let end = line.len() + width;
    write(line);
    while line.len() < end {
        line.push(' ');
    }
}

/// Appends the differences from the previous draw, the first few by name.
fn changes(line: &mut String, view: &DrawView<'_>, last: &LastDraw) {
    let (changed, gone) = (last.changed(), last.gone());
    let before = line.len();
    let next = |line: &mut String, part: fmt::Arguments<'_>| {
        if line.len() > before {
            line.push(' ');
        }
        let _ = fmt::Write::write_fmt(line, part);
    };
    for (addr, value) in changed.iter().take(NAMED).map(|at| last.register(*at)) {
        match regs::lookup(view.gfx(), addr) {
            Some(register) => next(line, format_args!("{register}={value:#x}")),
            None => next(line, format_args!("{addr:#07x}={value:#x}")),
        }
    }
    if changed.len() > NAMED {
        next(line, format_args!("and {} more", changed.len() - NAMED));
    }
    if !gone.is_empty() {
        next(line, format_args!("({} cleared or no longer known)", gone.len()));
    }
    if line.len() == before {
        *line += "same registers";
    }
}
