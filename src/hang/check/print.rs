//! What a check prints in addition to its run.

use super::given::Given;
use crate::hang::incident::Incidents;
use crate::report::{OutputFormat, ReportOptions, ReportPart};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::io::{self, Write};

/// Prints the verdict, as lines.
///
/// For an example see [the module](super).
///
/// # Errors
/// Errors of writing to `out`.
pub fn print_verdict(out: &mut dyn Write, incidents: &Incidents) -> io::Result<()> {
    incidents.verdict().iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Prints a description of the inputs and their problems.
///
/// For an example see [the module](super).
///
/// # Errors
/// Errors of writing to `out`.
pub fn print_inputs<'f>(out: &mut dyn Write, format: OutputFormat, mut files: impl Iterator<Item = &'f Given>) -> io::Result<()> {
    files.try_for_each(|file| match format {
        OutputFormat::Json if file.input.is_undamaged_raw() => Ok(()),
        OutputFormat::Json => writeln!(out, "{}", file.input.record(&file.name)),
        OutputFormat::Text => {
            let lines = file.input.lines().into_iter().chain(file.input.register_lines());
            lines.into_iter().try_for_each(|line| writeln!(out, "{}: {line}", file.name))
        }
    })
}

/// Prints the output before a run: in text, the verdict and then the description of the inputs; among JSON records, the incidents follow.
///
/// For an example see [the module](super).
///
/// # Errors
/// Errors of writing to `out`.
pub fn print_beginning<'f>(out: &mut dyn Write, options: ReportOptions, incidents: &Incidents, inputs: impl Iterator<Item = &'f Given>) -> io::Result<()> {
    let all = options.only == ReportPart::All;
    if all && options.format == OutputFormat::Text {
        print_verdict(out, incidents)?;
    }
    print_inputs(out, options.format, inputs)?;
    if all && options.format == OutputFormat::Json {
        incidents.records().iter().try_for_each(|record| writeln!(out, "{record}"))?;
    }
    Ok(())
}

/// Prints the facts in inputs without words; with `brief`, text contains only the verdict.
///
/// For an example see [the module](super).
///
/// # Errors
/// Errors of writing to `out`.
pub fn print_log(out: &mut dyn Write, format: OutputFormat, brief: bool, incidents: &Incidents, files: &[Given]) -> io::Result<()> {
    if format == OutputFormat::Text {
        print_verdict(out, incidents)?;
    }
    if !brief {
        print_inputs(out, format, files.iter())?;
    }
    if format == OutputFormat::Json {
        incidents.records().iter().try_for_each(|record| writeln!(out, "{record}"))?;
    }
    Ok(())
}

/// Returns the events of the log as lines, for the page of a log.
///
/// ```
/// assert!(pm4::hang::check::log_lines(&[]).is_empty());
/// ```
pub fn log_lines(files: &[Given]) -> Vec<String> {
    files.iter().flat_map(|file| file.input.lines().into_iter().map(|line| format!("{}: {line}", file.name))).collect()
}
