//! Runs the command-processor model and prints its events.

use super::buffers::Buffers;
use super::ground::OutputFormat;
use super::listing::TextPrinter;
use super::printer::Printer;
use super::records::JsonPrinter;
use crate::cp::{CommandProcessor, DrawView, Finding, Observer, Place, Severity, Statistics, Summary};
use crate::packet::{Packet, Queue};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::io::{self, Write};

/// The contents and format of the output of [`run`].
///
/// For an example see [`run`](crate::report::run).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReportOptions {
    /// Text, or JSON Lines.
    pub format: OutputFormat,
    /// Whether text has escape sequences for colours on a terminal.
    pub color: bool,
    /// Whether packets by opcode, and the causes of context rolls, are printed before the summary.
    pub statistics: bool,
    /// Whether JSON records of draws have only the registers that changed since the previous draw of the queue.
    pub changes: bool,
    /// The part of the run that is printed.
    pub only: ReportPart,
}

/// The part of a run that is printed in addition to its summary.
///
/// For an example see [`draw_state`](crate::report::draw_state).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReportPart {
    /// Draws, dispatches and findings.
    #[default]
    All,
    /// Only findings.
    Findings,
    /// Only draws and dispatches.
    Draws,
    /// The executed packets, in order; if a buffer ends within a packet, the finding about it.
    Packets,
    /// Only the summary.
    Nothing,
}

/// The rule of packets that extend past the end of their buffer.
const CUT_OFF: &str = "ENC-01";

/// The observer that prints. It keeps the first write error, and writes nothing after it.
struct Report<'p, 'a> {
    buffers: Buffers<'a>,
    printer: &'p mut dyn Printer,
    only: ReportPart,
    result: io::Result<()>,
}

impl Report<'_, '_> {
    fn write(&mut self, print: impl FnOnce(&Buffers<'_>, &mut dyn Printer) -> io::Result<()>) {
        if self.result.is_ok() {
            self.result = print(&self.buffers, self.printer);
        }
    }
}

impl Observer for Report<'_, '_> {
    fn draw(&mut self, view: &DrawView<'_>) {
        if matches!(self.only, ReportPart::All | ReportPart::Draws) {
            self.write(|buffers, printer| printer.work(buffers, view));
        }
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.draw(view);
    }

    fn packet(&mut self, queue: Queue, place: Place, packet: &Packet<'_>) {
        if self.only == ReportPart::Packets {
            self.write(|buffers, printer| printer.packet(buffers, queue, place, packet));
        }
    }

    fn finding(&mut self, finding: &Finding) {
        let printed = match self.only {
            ReportPart::All | ReportPart::Findings => true,
            // Findings that cannot be shown as a packet.
            ReportPart::Packets => finding.code == CUT_OFF,
            ReportPart::Draws | ReportPart::Nothing => false,
        };
        if printed {
            self.write(|buffers, printer| printer.finding(buffers, finding));
        }
    }
}

/// Executes the streams submitted to `cp` and prints draws, dispatches, findings and the summary, which it returns. `before` are findings of the caller, for
/// instance on a file that ends within a dword: they are printed first and count.
///
/// ```
/// use pm4::report::{self, OutputFormat, ReportOptions};
/// # #[cfg(feature = "gfx9")] {
/// let stream = [0xC001_6900, 0x203, 0x1_8600, 0xC001_2D00, 3, 2];
/// let mut cp = pm4::cp::CommandProcessor::new(pm4::chip::Chip::Vega10);
/// cp.submit(pm4::packet::Queue::Graphics, "main.bin", &stream);
/// let mut out = Vec::new();
/// let options = ReportOptions { format: OutputFormat::Json, ..ReportOptions::default() };
/// let summary = report::run(&mut out, &mut cp, &[], options)?;
/// assert_eq!(summary.draws, 1);
/// assert!(out.starts_with(br#"{"type":"draw","index":0,"queue":"gfx","file":"main.bin","dword":3,"opcode":"DRAW_INDEX_AUTO","#));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Errors of writing to `out`. The model runs to its end nevertheless.
pub fn run(out: &mut dyn Write, cp: &mut CommandProcessor<'_>, before: &[Finding], options: ReportOptions) -> io::Result<Summary> {
    run_observed(out, cp, before, options, &mut ())
}

/// Like [`run`]; `observer` receives everything as well, the findings of the caller first.
///
/// # Errors
/// Errors of writing to `out`. The model runs to its end nevertheless.
pub fn run_observed(
    out: &mut dyn Write,
    cp: &mut CommandProcessor<'_>,
    before: &[Finding],
    options: ReportOptions,
    observer: &mut dyn Observer,
) -> io::Result<Summary> {
    run_watched(out, cp, before, options, &mut (), observer, |(), _, _| Ok(()))
}

/// Like [`run_observed`], with a further observer, `watch`. `add` prints the output of `watch`: before the summary among JSON records, which end with it, and
/// below it in text.
///
/// # Errors
/// Errors of writing to `out`.
pub(crate) fn run_watched<W: Observer>(
    out: &mut dyn Write,
    cp: &mut CommandProcessor<'_>,
    before: &[Finding],
    options: ReportOptions,
    watch: &mut W,
    observer: &mut dyn Observer,
    add: impl FnOnce(&mut W, &mut dyn Write, &Buffers<'_>) -> io::Result<()>,
) -> io::Result<Summary> {
    let mut printer: Box<dyn Printer + '_> = match options.format {
        OutputFormat::Json => Box::new(JsonPrinter::new(out, options.changes)),
        OutputFormat::Text => Box::new(TextPrinter::new(out, options.color)),
    };
    let mut report = Report { buffers: Buffers::of(cp), printer: &mut *printer, only: options.only, result: Ok(()) };
    let mut all = ((&mut report, &mut *watch), observer);
    before.iter().for_each(|finding| all.finding(finding));
    let mut statistics = Statistics::default();
    let mut summary = cp.run(&mut (all, &mut statistics));
    let Report { buffers, printer, result, .. } = report;
    result?;
    if options.statistics {
        printer.statistics(&buffers, &statistics)?;
    }
    for finding in before {
        match finding.severity {
            Severity::Error => summary.errors += 1,
            Severity::Warning => summary.warnings += 1,
            Severity::Info => summary.infos += 1,
        }
    }
    let not_executed = not_executed(cp);
    let text = options.format == OutputFormat::Text;
    if text {
        printer.summary(&summary, &not_executed)?;
    }
    add(watch, printer.out(), &buffers)?;
    if !text {
        printer.summary(&summary, &not_executed)?;
    }
    Ok(summary)
}

/// Returns the packets that the model did not execute: name and count.
pub(super) fn not_executed(cp: &CommandProcessor<'_>) -> Vec<(String, u64)> {
    cp.not_executed().map(|(opcode, count)| (opcode.name(cp.chip().gfx()).map_or_else(|| opcode.to_string(), str::to_owned), count)).collect()
}
