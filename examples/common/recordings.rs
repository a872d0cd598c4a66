//! Recordings of many submissions: each is run by itself, or compared with its like.

use super::arguments::Format;
use super::{files, progress::During};
use pm4::chip::Chip;
use pm4::cp::{CommandProcessor, Finding, Observer, Severity, Summary};
use pm4::input::{InputForm, RecordedSubmission, Recording, Source};
use pm4::report::{self, Assertions, Buffers, DrawLog, ReportOptions};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Findings of a code, and submissions that differ, which are shown in full.
const IN_FULL: u64 = 3;

/// A recording with the name of its file.
pub struct Opened {
    name: String,
    recording: Recording<Source<'static>>,
}

/// Opens a file as a recording; None where it is none.
///
/// # Errors
/// A sentence for the user.
pub fn open(path: &Path) -> Result<Option<Opened>, String> {
    // What standard input holds is known once it was read.
    if !path.is_file() {
        return Ok(None);
    }
    // Other inputs are not opened twice but for these bytes.
    let mut head = Vec::new();
    let begins = File::open(path).and_then(|file| file.take(16).read_to_end(&mut head)).is_ok();
    if !begins || !(head.starts_with(b"pm4 recording") || head.starts_with(&[0x1F, 0x8B])) {
        return Ok(None);
    }
    let name = path.display().to_string();
    // What is wrong with another input, its reader says.
    let Some(source) = files::open(path, None, During::Reading).ok().filter(|source| source.form() == InputForm::Recording) else { return Ok(None) };
    let recording = Recording::open(source).map_err(|error| format!("{name} cannot be read: {error}"))?;
    Ok(Some(Opened { name, recording }))
}

/// What is wanted of a recording.
pub struct Request<'r> {
    /// This submission alone, as `check` prints a submission.
    pub submission: Option<u64>,
    pub format: Format,
    pub options: ReportOptions,
    /// Sets the levels of rules.
    pub levels: &'r dyn Fn(&mut CommandProcessor<'_>),
}

/// Keeps findings.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Observer for Findings {
    fn finding(&mut self, finding: &Finding) {
        self.0.push(finding.clone());
    }
}

/// What was seen of a recording.
#[derive(Default)]
struct Totals {
    submissions: u64,
    summary: Summary,
    /// By code and severity: findings, submissions, the first one.
    codes: BTreeMap<(&'static str, Severity), (u64, u64, u64)>,
}

impl Opened {
    /// The chip whose driver was recorded.
    pub fn chip(&self) -> Chip {
        self.recording.device().chip
    }

    fn model<'a>(&self, submission: &'a RecordedSubmission, names: &'a [String], levels: &dyn Fn(&mut CommandProcessor<'_>)) -> CommandProcessor<'a> {
        let mut cp = self.recording.processor();
        levels(&mut cp);
        submission.submit(&mut cp, names);
        cp
    }

    /// Says what is wrong with the recording, once its end was met.
    fn tell_damage(&self, error: Option<&io::Error>) -> bool {
        match error {
            Some(error) => super::tell("check", format_args!("{}: {error}; what is before is used", self.name)),
            None if self.recording.is_cut_off() => super::tell("check", format_args!("{} was cut off: its last submission is missing", self.name)),
            None => {
                if let Some(why) = self.recording.get_ref().unpack_error() {
                    super::tell("check", format_args!("{}: {why}: its last submissions may be missing", self.name));
                }
            }
        }
        error.is_some()
    }

    /// Runs a recording and prints what was found; whether there were errors. An error where the submission that is asked for is not there.
    ///
    /// # Errors
    /// What writing fails with.
    pub fn check(&mut self, out: &mut dyn Write, request: &Request<'_>, mut assertions: Option<&mut Assertions>) -> io::Result<Result<bool, String>> {
        let mut totals = Totals::default();
        let mut damaged = false;
        let mut model = self.recording.processor();
        (request.levels)(&mut model);
        while let Some(read) = self.recording.next() {
            let submission = match read {
                Ok(submission) => submission,
                Err(error) => {
                    damaged = self.tell_damage(Some(&error));
                    break;
                }
            };
            let index = totals.submissions;
            totals.submissions += 1;
            match request.submission {
                Some(wanted) if wanted == index => return self.one(out, &submission, request).map(Ok),
                Some(_) => {}
                None => model = many(out, &submission, request, index, &mut totals, assertions.as_deref_mut(), model)?,
            }
        }
        self.tell_damage(None);
        if let Some(wanted) = request.submission {
            return Ok(Err(format!("there is no submission {wanted}: the recording has {}, numbered from 0", totals.submissions)));
        }
        totals.print(out, request.format)?;
        let fails = match assertions {
            Some(assertions) => {
                assertions.print(out, request.format.into())?;
                assertions.fails()
            }
            None => false,
        };
        Ok(Ok(totals.summary.errors > 0 || damaged || fails))
    }

    /// One submission, as `check` prints those of files. What packets call is found in a first run, so that findings name it.
    fn one(&self, out: &mut dyn Write, submission: &RecordedSubmission, request: &Request<'_>) -> io::Result<bool> {
        let names = submission.names();
        let mut first = self.model(submission, &names, request.levels);
        first.run(&mut ());
        let called: Vec<(String, u64, Vec<u32>)> =
            first.source_buffers().filter_map(|(_, buffer)| Some((buffer.name.to_owned(), buffer.addr?, buffer.words.to_vec()))).collect();
        let mut cp = self.recording.processor();
        (request.levels)(&mut cp);
        for (name, addr, words) in &called {
            cp.map(name, *addr, words);
        }
        submission.submit(&mut cp, &names);
        report::run(out, &mut cp, &[], request.options).map(|summary| summary.errors > 0)
    }
}

/// One of many submissions: findings alone are of interest. `model` is that of the one before; what comes back is for the next.
fn many(
    out: &mut dyn Write,
    submission: &RecordedSubmission,
    request: &Request<'_>,
    index: u64,
    totals: &mut Totals,
    assertions: Option<&mut Assertions>,
    model: CommandProcessor<'static>,
) -> io::Result<CommandProcessor<'static>> {
    let names = submission.names();
    let mut cp: CommandProcessor<'_> = model;
    submission.submit(&mut cp, &names);
    let mut findings = Findings::default();
    let summary = match assertions {
        Some(assertions) => assertions.run(&mut cp, &mut findings),
        None => cp.run(&mut findings),
    };
    let buffers = Buffers::with_source(&cp);
    if request.format == Format::Json {
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
        match request.format {
            Format::Json => {
                let mut line = Vec::new();
                report::finding_json(&mut line, finding, &buffers)?;
                let mut record: Value = serde_json::from_slice(&line)?;
                record["submission"] = index.into();
                writeln!(out, "{record}")?;
            }
            Format::Text => {
                let before = totals.codes.get(&key).map_or(0, |(findings, ..)| *findings) + here[&key] - finding.count.max(1);
                if finding.severity > Severity::Info && before < IN_FULL {
                    writeln!(out, "submission {index}:")?;
                    report::finding_text(out, finding, &buffers, request.options.color)?;
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

    fn print(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        let Summary { packets, draws, dispatches, context_rolls, errors, warnings, infos, .. } = self.summary;
        let submissions = self.submissions;
        if format == Format::Json {
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

/// Compares two recordings, submission by submission; whether they differ.
///
/// # Errors
/// What writing fails with, and [`InvalidInput`](io::ErrorKind::InvalidInput) for chips of different generations.
pub fn diff(out: &mut dyn Write, a: &mut Opened, b: &mut Opened, format: Format) -> io::Result<bool> {
    let (mut counts, mut differing, mut first, mut damaged) = ([0u64; 2], 0u64, None, false);
    loop {
        let mut sides = Vec::new();
        for (side, count) in [&mut *a, &mut *b].into_iter().zip(&mut counts) {
            let next = side.recording.next();
            match next {
                Some(Ok(submission)) => {
                    *count += 1;
                    sides.push(Some(submission));
                }
                Some(Err(error)) => {
                    damaged |= side.tell_damage(Some(&error));
                    sides.push(None);
                }
                None => sides.push(None),
            }
        }
        let [Some(one), Some(other)] = sides.as_slice() else {
            // Those of the longer one are counted.
            if sides.iter().all(Option::is_none) {
                break;
            }
            continue;
        };
        let index = counts[0] - 1;
        let log = |side: &Opened, submission: &RecordedSubmission| DrawLog::run(&mut side.model(submission, &submission.names(), &|_| ()));
        let mut text = Vec::new();
        if !report::diff(&mut text, &log(&*a, one), &log(&*b, other), format.into())? {
            continue;
        }
        differing += 1;
        first.get_or_insert(index);
        let text = String::from_utf8_lossy(&text).into_owned();
        match format {
            Format::Json => {
                for line in text.lines() {
                    let mut record: Value = serde_json::from_str(line)?;
                    if record["type"] == "difference" {
                        record["submission"] = index.into();
                        writeln!(out, "{record}")?;
                    }
                }
            }
            Format::Text if differing <= IN_FULL => writeln!(out, "submission {index}:\n{}\n", text.trim_end())?,
            Format::Text => writeln!(out, "submission {index}: {}", text.lines().last().unwrap_or_default())?,
        }
    }
    a.tell_damage(None);
    b.tell_damage(None);
    let [one, other] = counts;
    match format {
        Format::Json => {
            writeln!(out, "{}", json!({ "type": "summary", "differing": differing, "first": first, "submissions_a": one, "submissions_b": other }))?;
        }
        Format::Text => {
            writeln!(out, "submissions that differ: {differing} of {} (in the first recording: {one}, in the second: {other})", one.min(other))?;
            if let Some(first) = first {
                writeln!(out, "what changed first is in submission {first}: check --submission {first} shows it in each recording")?;
            }
        }
    }
    Ok(differing > 0 || one != other || damaged)
}
