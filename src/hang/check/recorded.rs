//! Recordings of many submissions: each runs alone, or is compared with the submission of the same number in another recording.

use crate::cp::{CommandProcessor, Finding, Observer, Severity, Summary};
use crate::input::{RecordedSubmission, Recording, Source};
use crate::report::{self, Buffers, DrawLog, OutputFormat, ReportOptions};
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Findings of a code, and differing submissions, that are printed in full.
const IN_FULL: u64 = 3;

/// What to print of a recording.
///
/// For an example see [`Recorded`].
#[derive(Clone, Copy)]
pub struct RecordedOptions<'r> {
    /// The format and contents of the report on a single submission.
    pub report: ReportOptions,
    /// Only this submission, counted from 0, printed like a single file.
    pub submission: Option<u64>,
    /// Prints only the totals.
    pub brief: bool,
    /// Sets the levels of rules.
    pub levels: &'r dyn Fn(&mut CommandProcessor<'_>),
}

impl core::fmt::Debug for RecordedOptions<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { report, submission, brief, .. } = self;
        f.debug_struct("RecordedOptions").field("report", report).field("submission", submission).field("brief", brief).finish_non_exhaustive()
    }
}

/// Runs a model that holds a submission, and shows its findings to the observer.
pub type RunSubmission<'r> = &'r mut dyn FnMut(&mut CommandProcessor<'_>, &mut dyn Observer) -> Summary;

/// A recording with the name of its file.
///
/// ```
/// use pm4::chip::Chip;
/// use pm4::cp::{BoardFacts, FirmwareVersions};
/// use pm4::hang::check::{Recorded, RecordedOptions};
/// use pm4::input::{RecordedDevice, RecordingWriter, Source};
/// use pm4::report::ReportOptions;
///
/// let device = RecordedDevice { chip: Chip::Navi31, board: BoardFacts::default(), firmware: FirmwareVersions::default() };
/// let file = RecordingWriter::new(Vec::new(), &device)?.finish()?;
/// let mut recorded = Recorded::open("empty.pm4", Source::open(&*file, None)?)?;
/// let options = RecordedOptions { report: ReportOptions::default(), submission: None, brief: true, levels: &|_| () };
/// let mut out = Vec::new();
/// assert_eq!(recorded.check(&mut out, &options, &mut |cp, observer| cp.run(observer))?, Ok(false));
/// assert!(out.starts_with(b"0 submissions: 0 packets"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recorded<'r> {
    name: String,
    recording: Recording<Source<'r>>,
    remarks: Vec<String>,
}

/// Collects findings.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}

/// Totals of a recording.
#[derive(Default)]
struct Totals {
    submissions: u64,
    summary: Summary,
    /// By code and severity: findings, submissions, the first one.
    codes: BTreeMap<(&'static str, Severity), (u64, u64, u64)>,
}

impl<'r> Recorded<'r> {
    /// Reads the beginning of a recording.
    ///
    /// # Errors
    /// A sentence for the user: the file cannot be read, or is damaged before its first submission.
    pub fn open(name: &str, source: Source<'r>) -> Result<Self, String> {
        let recording = Recording::open(source).map_err(|error| format!("{name} cannot be read: {error}"))?;
        Ok(Self { name: name.into(), recording, remarks: Vec::new() })
    }

    /// Returns the recording.
    pub fn recording(&self) -> &Recording<Source<'r>> {
        &self.recording
    }

    /// Removes and returns the remarks about damage so far, for the user.
    pub fn take_remarks(&mut self) -> Vec<String> {
        core::mem::take(&mut self.remarks)
    }

    fn model<'a>(&self, submission: &'a RecordedSubmission, names: &'a [String], levels: &dyn Fn(&mut CommandProcessor<'_>)) -> CommandProcessor<'a> {
        let mut cp = self.recording.processor();
        levels(&mut cp);
        submission.submit(&mut cp, names);
        cp
    }

    /// Returns the next submission; damage ends the recording and adds a remark.
    fn next(&mut self, damaged: &mut bool) -> Option<RecordedSubmission> {
        let name = &self.name;
        match self.recording.next() {
            Some(Ok(submission)) => Some(submission),
            Some(Err(error)) => {
                *damaged = true;
                self.remarks.push(format!("{name}: {error}; the submissions before are used"));
                None
            }
            None if *damaged => None,
            None => {
                if self.recording.is_cut_off() {
                    self.remarks.push(format!("{name} was cut off: its last submission is missing"));
                } else if let Some(why) = self.recording.get_ref().unpack_error() {
                    self.remarks.push(format!("{name}: {why}: its last submissions may be missing"));
                }
                None
            }
        }
    }

    /// Runs the recording with `run`, and prints the results. Returns whether there were errors, or a sentence if the requested submission does not exist.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn check(&mut self, out: &mut dyn Write, options: &RecordedOptions<'_>, run: RunSubmission<'_>) -> io::Result<Result<bool, String>> {
        let mut totals = Totals::default();
        let mut damaged = false;
        let mut model = self.recording.processor();
        (options.levels)(&mut model);
        while let Some(submission) = self.next(&mut damaged) {
            let index = totals.submissions;
            totals.submissions += 1;
            match options.submission {
                Some(wanted) if wanted == index => return self.one(out, &submission, options).map(Ok),
                Some(_) => {}
                None => model = many(out, &submission, options, index, &mut totals, run, model)?,
            }
        }
        if let Some(wanted) = options.submission {
            return Ok(Err(format!("there is no submission {wanted}: the recording has {}, numbered from 0", totals.submissions)));
        }
        totals.print(out, options.report.format)?;
        Ok(Ok(totals.summary.errors > 0 || damaged))
    }

    /// Prints one submission, as `check` does for files. A first run finds the called buffers, so that findings name them.
    fn one(&self, out: &mut dyn Write, submission: &RecordedSubmission, options: &RecordedOptions<'_>) -> io::Result<bool> {
        let names = submission.names();
        let mut first = self.model(submission, &names, options.levels);
        first.run(&mut ());
        let called: Vec<(String, u64, Vec<u32>)> =
            first.source_buffers().filter_map(|(_, buffer)| Some((buffer.name.to_owned(), buffer.addr?, buffer.words.to_vec()))).collect();
        let mut cp = self.recording.processor();
        (options.levels)(&mut cp);
        for (name, addr, words) in &called {
            cp.map(name, *addr, words);
        }
        submission.submit(&mut cp, &names);
        report::run(out, &mut cp, &[], options.report).map(|summary| summary.errors > 0)
    }
}

/// Runs one of many submissions and keeps only its findings. `model` is that of the previous submission; returns the model for the next.
fn many(
    out: &mut dyn Write,
    submission: &RecordedSubmission,
    options: &RecordedOptions<'_>,
    index: u64,
    totals: &mut Totals,
    run: RunSubmission<'_>,
    model: CommandProcessor<'static>,
) -> io::Result<CommandProcessor<'static>> {
    let names = submission.names();
    let mut cp: CommandProcessor<'_> = model;
    submission.submit(&mut cp, &names);
    let mut findings = Findings::default();
    let summary = run(&mut cp, &mut findings);
    let buffers = Buffers::with_source(&cp);
    if !options.brief && options.report.format == OutputFormat::Json {
        let record = json!({
            "type": "submission", "index": index, "process": submission.process, "packets": summary.packets, "draws": summary.draws,
            "dispatches": summary.dispatches, "findings": findings.0.len(),
        });
        writeln!(out, "{record}")?;
    }
    let mut here = BTreeMap::new();
    for finding in &findings.0 {
        let key = (finding.code, finding.severity);
        *here.entry(key).or_insert(0) += finding.count.max(1);
        match options.report.format {
            _ if options.brief => {}
            OutputFormat::Json => {
                let mut line = Vec::new();
                report::finding_json(&mut line, finding, &buffers)?;
                let mut record: Value = serde_json::from_str(&String::from_utf8_lossy(&line))?;
                record["submission"] = index.into();
                writeln!(out, "{record}")?;
            }
            OutputFormat::Text => {
                let before = totals.codes.get(&key).map_or(0, |(findings, ..)| *findings) + here[&key] - finding.count.max(1);
                if finding.severity > Severity::Info && before < IN_FULL {
                    writeln!(out, "submission {index}:")?;
                    report::finding_text(out, finding, &buffers, options.report.color)?;
                }
            }
        }
    }
    totals.add(index, &summary, here);
    drop(buffers);
    Ok(cp.into_reset())
}

impl Totals {
    fn add(&mut self, index: u64, summary: &Summary, here: BTreeMap<(&'static str, Severity), u64>) {
        for (key, count) in here {
            let (findings, submissions, _) = self.codes.entry(key).or_insert((0, 0, index));
            *findings += count;
            *submissions += 1;
        }
        let sum = &mut self.summary;
        sum.packets += summary.packets;
        sum.draws += summary.draws;
        sum.dispatches += summary.dispatches;
        sum.context_rolls += summary.context_rolls;
        sum.errors += summary.errors;
        sum.warnings += summary.warnings;
        sum.infos += summary.infos;
    }

    fn print(&self, out: &mut dyn Write, format: OutputFormat) -> io::Result<()> {
        let Summary { packets, draws, dispatches, context_rolls, errors, warnings, infos, .. } = self.summary;
        let submissions = self.submissions;
        if format == OutputFormat::Json {
            let record = json!({
                "type": "summary", "submissions": submissions, "packets": packets, "draws": draws, "dispatches": dispatches, "context_rolls": context_rolls,
                "errors": errors, "warnings": warnings, "infos": infos,
            });
            return writeln!(out, "{record}");
        }
        for ((code, severity), (findings, submissions, first)) in &self.codes {
            writeln!(out, "{severity:<8} {code:<8} {findings:>8}  in {submissions} submissions, first in submission {first}")?;
        }
        writeln!(
            out,
            "{submissions} submissions: {packets} packets, {draws} draws, {dispatches} dispatches, {context_rolls} context rolls; {errors} errors, {warnings} \
             warnings, {infos} infos"
        )
    }
}

/// Compares two recordings, submission by submission. Returns whether they differ.
///
/// # Errors
/// Errors of writing, and [`InvalidInput`](io::ErrorKind::InvalidInput) for chips of different generations.
pub fn diff_recorded<'r>(out: &mut dyn Write, a: &mut Recorded<'r>, b: &mut Recorded<'r>, format: OutputFormat) -> io::Result<bool> {
    let (mut counts, mut differing, mut first, mut damaged) = ([0u64; 2], 0u64, None, [false; 2]);
    let mut ended = [false; 2];
    while ended != [true; 2] {
        let mut sides = Vec::new();
        for (at, side) in [&mut *a, &mut *b].into_iter().enumerate() {
            let submission = if ended[at] { None } else { side.next(&mut damaged[at]) };
            ended[at] = submission.is_none();
            counts[at] += u64::from(submission.is_some());
            sides.push(submission);
        }
        // Additional submissions of the longer one are counted.
        let [Some(one), Some(other)] = sides.as_slice() else { continue };
        let index = counts[0] - 1;
        let log = |side: &Recorded<'_>, submission: &RecordedSubmission| DrawLog::run(&mut side.model(submission, &submission.names(), &|_| ()));
        let mut text = Vec::new();
        if !report::diff(&mut text, &log(&*a, one), &log(&*b, other), format)? {
            continue;
        }
        differing += 1;
        first.get_or_insert(index);
        let text = String::from_utf8_lossy(&text).into_owned();
        match format {
            OutputFormat::Json => {
                for line in text.lines() {
                    let mut record: Value = serde_json::from_str(line)?;
                    if record["type"] == "difference" {
                        record["submission"] = index.into();
                        writeln!(out, "{record}")?;
                    }
                }
            }
            OutputFormat::Text if differing <= IN_FULL => writeln!(out, "submission {index}:\n{}\n", text.trim_end())?,
            OutputFormat::Text => writeln!(out, "submission {index}: {}", text.lines().last().unwrap_or_default())?,
        }
    }
    let [one, other] = counts;
    match format {
        OutputFormat::Json => {
            writeln!(out, "{}", json!({ "type": "summary", "differing": differing, "first": first, "submissions_a": one, "submissions_b": other }))?;
        }
        OutputFormat::Text => {
            writeln!(out, "submissions that differ: {differing} of {} (in the first recording: {one}, in the second: {other})", one.min(other))?;
            if let Some(first) = first {
                writeln!(out, "what changed first is in submission {first}: check --submission {first} shows it in each recording")?;
            }
        }
    }
    Ok(differing > 0 || one != other || damaged != [false; 2])
}
