//! Runs the command-processor model and prints what it says.

use super::{json, text};
use pm4::chip::Gfx;
use pm4::cp::{BufferId, BufferInfo, CommandProcessor, DrawView, Finding, Observer, Place, Severity, Statistics, Summary};
use pm4::packet::{Packet, Queue, Reader};
use std::io::{self, Write};

/// How records are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Lines for people
    #[default]
    Text,
    /// JSON Lines, one record a line
    Json,
}

/// Names of the queues on the command line and in records.
pub fn queue_name(queue: Queue) -> &'static str {
    match queue {
        Queue::Graphics => "gfx",
        Queue::Compute => "compute",
        Queue::Constant => "constant",
    }
}

/// Prints records of one format.
pub trait Printer {
    fn work(&mut self, names: &Names<'_>, view: &DrawView<'_>) -> io::Result<()>;
    fn finding(&mut self, names: &Names<'_>, finding: &Finding) -> io::Result<()>;
    fn summary(&mut self, summary: &Summary, not_executed: &[(String, u64)]) -> io::Result<()>;
    fn statistics(&mut self, names: &Names<'_>, statistics: &Statistics) -> io::Result<()>;
}

/// What is printed, and how.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    pub format: Format,
    pub color: bool,
    /// Statistics before the summary.
    pub statistics: bool,
}

/// What the buffers are called and what they hold.
pub struct Names<'a> {
    buffers: Vec<BufferInfo<'a>>,
    /// The generation whose packets they hold.
    pub gfx: Gfx,
}

impl<'a> Names<'a> {
    /// The name of a buffer.
    pub fn of(&self, buffer: BufferId) -> &str {
        self.buffers.get(buffer.0 as usize).map_or("?", |buffer| buffer.name)
    }

    /// The dword at a place.
    pub fn word(&self, place: Place) -> Option<u32> {
        self.buffers.get(place.buffer.0 as usize)?.words.get(place.dword as usize).copied()
    }

    /// The packet at a place.
    pub fn packet(&self, place: Place) -> Option<Packet<'a>> {
        let words = self.buffers.get(place.buffer.0 as usize)?.words;
        Reader::new(words.get(place.dword as usize..)?).next()?.ok()
    }
}

/// The observer that prints. The first failure to write is kept, and nothing is written after it.
struct Report<'p, 'a> {
    names: Names<'a>,
    printer: &'p mut dyn Printer,
    result: io::Result<()>,
}

impl Report<'_, '_> {
    fn write(&mut self, print: impl FnOnce(&Names<'_>, &mut dyn Printer) -> io::Result<()>) {
        if self.result.is_ok() {
            self.result = print(&self.names, self.printer);
        }
    }
}

impl Observer for Report<'_, '_> {
    fn draw(&mut self, view: &DrawView<'_>) {
        self.write(|names, printer| printer.work(names, view));
    }

    fn dispatch(&mut self, view: &DrawView<'_>) {
        self.write(|names, printer| printer.work(names, view));
    }

    fn finding(&mut self, finding: &Finding) {
        self.write(|names, printer| printer.finding(names, finding));
    }
}

/// Executes what is submitted to `cp` and prints draws, dispatches, findings and the summary. `before` are findings that the caller has already made.
///
/// # Errors
/// What writing to `out` fails with.
pub fn run(cp: &mut CommandProcessor<'_>, style: Style, before: &[Finding], out: &mut dyn Write) -> io::Result<Summary> {
    match style.format {
        Format::Json => print(cp, style, before, &mut json::Printer::new(out)),
        Format::Text => print(cp, style, before, &mut text::Printer::new(out, style.color)),
    }
}

fn print(cp: &mut CommandProcessor<'_>, style: Style, before: &[Finding], printer: &mut dyn Printer) -> io::Result<Summary> {
    let names = Names { buffers: cp.buffers().to_vec(), gfx: cp.chip().gfx() };
    let mut report = Report { names, printer, result: Ok(()) };
    before.iter().for_each(|finding| report.finding(finding));
    let mut statistics = Statistics::default();
    let mut summary = cp.run(&mut (&mut report, &mut statistics));
    let Report { names, printer, result } = report;
    result?;
    if style.statistics {
        printer.statistics(&names, &statistics)?;
    }
    for finding in before {
        match finding.severity {
            Severity::Error => summary.errors += 1,
            Severity::Warning => summary.warnings += 1,
            Severity::Info => summary.infos += 1,
        }
    }
    let not_executed: Vec<_> =
        cp.not_executed().map(|(opcode, count)| (opcode.name(cp.chip().gfx()).map_or_else(|| opcode.to_string(), str::to_owned), count)).collect();
    printer.summary(&summary, &not_executed)?;
    Ok(summary)
}
