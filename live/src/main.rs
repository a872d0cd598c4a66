//! The program `pm4-live`.

use clap::{CommandFactory, Parser, ValueEnum};
use pm4::chip::{Chip, DeviceFacts};
use pm4::input::{RecordedDevice, RecordingWriter};
use pm4::report::{Assertions, NewFile};
use pm4_live::guard::{self, Role};
use pm4_live::judge;
use pm4_live::report::{self, Report};
use pm4_live::supervisor::{self, Options};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Run a program on an emulated AMD GPU and check what its driver submits.
///
/// The program and its children see one amdgpu device of the given chip. Each submission runs on the command-processor model as it is made. Findings are
/// printed while the program runs, one line per cause, and in full at the end. Shaders do not run. Exit status: that of the program; with --fail, 1 if there
/// was an error; 2 for bad arguments, or if the system refuses what is needed.
#[derive(Parser)]
#[command(name = "pm4-live", bin_name = "pm4 live", version)]
struct Arguments {
    /// Chip of the device: navi31, vega10, gfx1100, …
    #[arg(long, required_unless_present = "merge")]
    chip: Option<String>,
    /// Do not execute submissions
    #[arg(long)]
    no_check: bool,
    /// Exit with status 1 if there was an error that --allow does not list
    #[arg(long)]
    fail: bool,
    /// Known defects of the driver: a file with a rule code and a reason on each line
    #[arg(long, value_name = "FILE")]
    allow: Option<PathBuf>,
    /// Record all submissions and the memory that they read, for check, dump and check --diff
    #[arg(long, value_name = "FILE", conflicts_with = "no_check")]
    record: Option<PathBuf>,
    /// Assertions about registers at draws and about counts, one per line, as for check; exit with status 1 if one fails
    #[arg(long, value_name = "FILE", conflicts_with = "no_check")]
    assert: Option<PathBuf>,
    /// Write a page to this file: draws, dwords, context rolls and findings for each submission
    #[arg(long, value_name = "FILE", conflicts_with = "no_check")]
    html: Option<PathBuf>,
    /// Write the report to this file [default: standard error]
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Also report findings of severity info
    #[arg(long)]
    infos: bool,
    /// Count packets, draws, dispatches and context rolls, in total and per frame
    #[arg(long)]
    statistics: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Merge reports of --format json, including those of killed runs, and print one record
    #[arg(long, value_name = "REPORT", num_args = 1.., conflicts_with_all = ["chip", "program"])]
    merge: Vec<PathBuf>,
    /// The program and its arguments, after --
    #[arg(required_unless_present = "merge", last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

fn fail(message: impl std::fmt::Display) -> ExitCode {
    let _ = writeln!(io::stderr(), "pm4 live: {message}");
    ExitCode::from(2)
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    if !arguments.merge.is_empty() {
        return merge(&arguments.merge, arguments.fail);
    }
    let asked = arguments.chip.unwrap_or_default();
    let Ok(chip) = asked.parse::<Chip>() else {
        let message = format!("there is no chip {asked}; the chips are {}", names().join(", "));
        let _ = Arguments::command().error(clap::error::ErrorKind::InvalidValue, message).print();
        return ExitCode::from(2);
    };
    let Some(facts) = chip.device() else {
        return fail(format_args!(
            "there is no device for {chip}, because a board's answers to a driver are not known; there are devices for {}",
            names().join(", ")
        ));
    };
    // The arguments are valid. From here on there are two processes, so that nothing outlives the run.
    let waiter = match guard::enter() {
        Ok(Role::Waiter(code)) => return code,
        Ok(Role::Supervisor(waiter)) => waiter,
        Err(error) => return fail(format_args!("the supervisor cannot be started: {error}")),
    };
    let known = match &arguments.allow {
        None => Ok(Vec::new()),
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| format!("{} cannot be read: {error}", file.display()))
            .and_then(|text| report::known(&text).map_err(|error| format!("{}: {error}", file.display()))),
    };
    let known = match known {
        Ok(known) => known,
        Err(message) => return fail(message),
    };
    let assertions = arguments.assert.as_ref().map(|file| {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
        Assertions::parse(&text, chip.gfx()).map_err(|error| format!("{}: {error}", file.display()))
    });
    let assertions = match assertions.transpose() {
        Ok(assertions) => assertions,
        Err(message) => return fail(message),
    };
    // Check now whether the file can be written; it is written at the end, so that a killed run leaves none.
    if let Some(file) = &arguments.html
        && let Err(error) = NewFile::create(file)
    {
        return fail(format_args!("{} cannot be written: {error}", file.display()));
    }
    let out: Box<dyn Write> = match &arguments.report {
        None => Box::new(io::stderr()),
        Some(file) => match File::create(file) {
            Ok(file) => Box::new(file),
            Err(error) => return fail(format_args!("{} cannot be written: {error}", file.display())),
        },
    };
    let recording = match arguments.record.as_deref().map(|file| record(file, chip, facts)).transpose() {
        Ok(recording) => recording,
        Err(message) => return fail(message),
    };
    let mut report = Report::new(out, arguments.format == Format::Json, chip.info().name, known, assertions);
    let options = Options { check: !arguments.no_check, infos: arguments.infos, waiter };
    let status = match supervisor::run(facts, &arguments.program, options, recording, &mut report) {
        Ok(status) => status,
        Err(error) => return fail(error),
    };
    report.end(arguments.statistics);
    if let Some(file) = &arguments.html {
        let written = NewFile::create(file).and_then(|mut page| report.write_page(&mut page).and_then(|()| page.finish()));
        if let Err(error) = written {
            return fail(format_args!("{} cannot be written: {error}", file.display()));
        }
    }
    let fails = report.assertions.as_ref().is_some_and(Assertions::fails) || arguments.fail && report.counts.errors > 0;
    if fails { ExitCode::FAILURE } else { ExitCode::from(status) }
}

/// Starts a recording.
fn record(file: &Path, chip: Chip, facts: &DeviceFacts) -> Result<RecordingWriter<File>, String> {
    let device = RecordedDevice { chip, board: judge::board(facts), firmware: judge::firmware(facts) };
    let writer = File::create(file).and_then(|out| RecordingWriter::new(out, &device));
    writer.map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

fn merge(files: &[PathBuf], fails: bool) -> ExitCode {
    let texts: Result<Vec<String>, String> =
        files.iter().map(|file| std::fs::read_to_string(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))).collect();
    match texts.and_then(|texts| report::merge(texts.iter().map(String::as_str))) {
        Ok(record) if writeln!(io::stdout(), "{record}").is_err() => fail("the record cannot be written"),
        Ok(record) => ExitCode::from(u8::from(fails && record["errors"] != 0)),
        Err(message) => fail(message),
    }
}

/// Returns the names of the chips that have a device.
fn names() -> Vec<&'static str> {
    Chip::all().filter(|chip| chip.device().is_some()).map(|chip| chip.info().name).collect()
}
