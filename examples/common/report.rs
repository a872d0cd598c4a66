//! Runs the command-processor model and prints what it says.

use super::{json, text};
use pm4::cp::{BufferId, CommandProcessor, DrawView, Finding, Observer, Severity, Summary};
use pm4::packet::Queue;
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
    }
}

/// Prints records of one format.
pub trait Printer {
    fn work(&mut self, names: &Names, view: &DrawView<'_>) -> io::Result<()>;
    fn finding(&mut self, names: &Names, finding: &Finding) -> io::Result<()>;
    fn summary(&mut self, summary: &Summary, not_executed: &[(String, u64)]) -> io::Result<()>;
}

/// What the buffers are called.
pub struct Names(Vec<String>);

impl Names {
    /// The name of a buffer.
    pub fn of(&self, buffer: BufferId) -> &str {
        self.0.get(buffer.0 as usize).map_or("?", String::as_str)
    }
}

/// The observer that prints. The first failure to write is kept, and nothing is written after it.
struct Report<'p> {
    names: Names,
    printer: &'p mut dyn Printer,
    result: io::Result<()>,
}

impl Report<'_> {
    fn write(&mut self, print: impl FnOnce(&Names, &mut dyn Printer) -> io::Result<()>) {
        if self.result.is_ok() {
            self.result = print(&self.names, self.printer);
        }
    }
}

impl Observer for Report<'_> {
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
pub fn run(cp: &mut CommandProcessor<'_>, format: Format, color: bool, before: &[Finding], out: &mut dyn Write) -> io::Result<Summary> {
    match format {
        Format::Json => print(cp, before, &mut json::Printer::new(out)),
        Format::Text => print(cp, before, &mut text::Printer::new(out, color)),
    }
}

fn print(cp: &mut CommandProcessor<'_>, before: &[Finding], printer: &mut dyn Printer) -> io::Result<Summary> {
    let names = Names(cp.buffers().iter().map(|buffer| buffer.name.to_owned()).collect());
    let mut report = Report { names, printer, result: Ok(()) };
    before.iter().for_each(|finding| report.finding(finding));
    let mut summary = cp.run(&mut report);
    let Report { printer, result, .. } = report;
    result?;
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
