//! The report, printed while the program runs and at its end: lines for people, or JSON Lines.

use crate::judge::{Judged, Reported};
use crate::profile::Profile;
use pm4::cp::Severity;
use pm4::report::{Assertions, OutputFormat};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;

/// A known defect, from a file given to `--allow`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The code of the rule.
    pub code: String,
    /// The reason stated in the file.
    pub reason: String,
}

/// Reads a list of known defects: a code and a reason on each line; empty lines and lines that begin with `#` are ignored.
///
/// # Errors
/// Returns a message with the number of the line and what is wrong with it.
pub fn known(text: &str) -> Result<Vec<Known>, String> {
    let mut all = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (code, reason) = line.split_once(char::is_whitespace).ok_or_else(|| format!("line {number}: a reason is missing after {line}"))?;
        let rule = pm4::cp::rules::find(code).ok_or_else(|| format!("line {number}: no rule has the code {code}"))?;
        all.push(Known { code: rule.code.into(), reason: reason.trim().into() });
    }
    Ok(all)
}

/// Findings of one code.
#[derive(Debug, Default)]
struct Group {
    severity: &'static str,
    count: u64,
    submissions: u64,
    first: u64,
    text: String,
    known: Option<String>,
}

/// The counts of a whole run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Submissions.
    pub submissions: u64,
    /// Submissions with SDMA command buffers.
    pub sdma: u64,
    /// Ioctls of the device.
    pub ioctls: u64,
    /// Ioctls that the device does not support.
    pub unknown_ioctls: u64,
    /// Errors that are not known defects.
    pub errors: u64,
    /// Warnings that are not known defects.
    pub warnings: u64,
    /// Findings that are known defects.
    pub known: u64,
    /// Packets.
    pub packets: u64,
    /// Draws.
    pub draws: u64,
    /// Dispatches.
    pub dispatches: u64,
    /// Context rolls.
    pub context_rolls: u64,
}

/// What distinguishes a finding from those already printed: code, register, field, packet.
type Cause = (&'static str, Option<String>, Option<&'static str>, Option<&'static str>);

/// The report.
pub struct Report {
    out: Box<dyn Write>,
    json: bool,
    chip: &'static str,
    known: Vec<Known>,
    processes: BTreeSet<i32>,
    /// Causes already printed.
    told: BTreeSet<Cause>,
    groups: BTreeMap<&'static str, Group>,
    /// Unsupported requests to the device, and how often each was made.
    unknown: BTreeMap<String, u64>,
    /// The counts so far.
    pub counts: Counts,
    /// The contents of submissions.
    profile: Profile,
    /// Assertions that the run must satisfy.
    pub assertions: Option<Assertions>,
}

fn name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

impl Report {
    /// Creates a report.
    pub fn new(out: Box<dyn Write>, json: bool, chip: &'static str, known: Vec<Known>, assertions: Option<Assertions>) -> Self {
        let (processes, told, groups, unknown, counts, profile) = Default::default();
        Self { out, json, chip, known, processes, told, groups, unknown, counts, profile, assertions }
    }

    /// Prints a line. If the reader of the report is gone, the program continues.
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "{line}");
        let _ = self.out.flush();
    }

    fn record(&mut self, record: &Value) {
        self.line(&record.to_string());
    }

    /// Prints a note about the run itself.
    pub fn note(&mut self, what: &str) {
        match self.json {
            true => self.record(&json!({ "type": "note", "message": what })),
            false => self.line(&format!("[pm4] {what}")),
        }
    }

    /// Reports that a process has opened the device.
    pub fn process(&mut self, process: i32) {
        self.processes.insert(process);
    }

    /// Reports a request that the device does not support.
    pub fn unknown(&mut self, what: String) {
        self.counts.unknown_ioctls += 1;
        let count = self.unknown.entry(what.clone()).or_default();
        *count += 1;
        if *count == 1 {
            match self.json {
                true => self.record(&json!({ "type": "unknown", "what": what })),
                false => self.line(&format!("[pm4] the device does not support {what}: it fails with EINVAL")),
            }
        }
    }

    /// Counts a submission that was not executed (`--no-check`).
    pub fn unchecked(&mut self) {
        self.counts.submissions += 1;
    }

    /// Reports a judged submission.
    pub fn submission(&mut self, process: i32, judged: &Judged) {
        let index = self.counts.submissions;
        let counts = &mut self.counts;
        counts.submissions += 1;
        counts.sdma += u64::from(judged.sdma > 0);
        counts.packets += judged.summary.packets;
        counts.draws += judged.summary.draws;
        counts.dispatches += judged.summary.dispatches;
        counts.context_rolls += judged.summary.context_rolls;
        self.profile.add(judged);
        if self.json {
            let summary = &judged.summary;
            self.record(&json!({
                "type": "submission", "index": index, "process": process, "queues": judged.queues, "packets": summary.packets, "draws": summary.draws,
                "dispatches": summary.dispatches, "findings": judged.findings.len(),
            }));
        }
        let mut met = BTreeSet::new();
        for reported in &judged.findings {
            let code = reported.finding.code;
            self.finding(index, process, judged, reported, met.insert(code));
        }
    }

    fn finding(&mut self, index: u64, process: i32, judged: &Judged, reported: &Reported, first_here: bool) {
        let finding = &reported.finding;
        let known = self.known.iter().find(|known| known.code == finding.code).map(|known| known.reason.clone());
        match (finding.severity, &known) {
            (Severity::Info, _) => {}
            (_, Some(_)) => self.counts.known += 1,
            (Severity::Error, None) => self.counts.errors += 1,
            (Severity::Warning, None) => self.counts.warnings += 1,
        }
        let group = self.groups.entry(finding.code).or_insert_with(|| Group {
            severity: name(finding.severity),
            first: index,
            text: reported.text.clone(),
            known: known.clone(),
            ..Group::default()
        });
        group.count += finding.count.max(1);
        group.submissions += u64::from(first_here);
        if self.json {
            if let Ok(Value::Object(mut record)) = serde_json::from_str::<Value>(reported.json.trim_end()) {
                record.insert("submission".into(), index.into());
                record.insert("process".into(), process.into());
                if let Some(reason) = known {
                    record.insert("known".into(), reason.into());
                }
                self.record(&Value::Object(record));
            }
        } else if self.told.insert((finding.code, finding.register.as_ref().map(ToString::to_string), finding.field, finding.packet)) {
            let mut line =
                format!("[pm4] submission {index} ({}, process {process}): {}[{}]", judged.queues.join(" and "), name(finding.severity), finding.code);
            if known.is_some() {
                line += " (known)";
            }
            if let Some(register) = &finding.register {
                let _ = write!(line, " {register}");
            }
            let _ = write!(line, ": {}", pm4::report::shown(&finding.message));
            self.line(&line);
        }
    }

    /// Ends the report after the program has ended.
    pub fn end(&mut self, statistics: bool) {
        if let Some(assertions) = self.assertions.take() {
            let format = if self.json { OutputFormat::Json } else { OutputFormat::Text };
            let mut text = Vec::new();
            // Writing to memory cannot fail.
            let _ = assertions.print(&mut text, format);
            for line in String::from_utf8_lossy(&text).lines() {
                self.line(&if self.json { line.to_owned() } else { format!("[pm4] {line}") });
            }
            self.assertions = Some(assertions);
        }
        match self.json {
            true => self.end_json(statistics),
            false => self.end_text(statistics),
        }
    }

    /// Writes the page of the run.
    ///
    /// # Errors
    /// Returns the error from writing to `out`.
    pub fn write_page(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let groups = self.groups.iter().map(|(code, group)| {
            let Group { severity, count, submissions, first, text, known } = group;
            json!({
                "code": code, "severity": severity, "count": count, "submissions": submissions, "first": first, "text": text, "known": known,
            })
        });
        let record = json!({
            "chip": self.chip, "processes": self.processes.len(), "ioctls": self.counts.ioctls, "errors": self.counts.errors,
            "warnings": self.counts.warnings, "known": self.counts.known, "groups": groups.collect::<Vec<_>>(), "profile": self.profile.record(),
        });
        pm4::report::html::live_page(out, &record.to_string())
    }

    fn end_json(&mut self, statistics: bool) {
        let Counts { submissions, sdma, ioctls, unknown_ioctls, errors, warnings, known, packets, draws, dispatches, context_rolls } = self.counts;
        let mut record = json!({
            "type": "live", "chip": self.chip, "processes": self.processes.len(), "submissions": submissions, "sdma_submissions": sdma, "ioctls": ioctls,
            "unknown_ioctls": unknown_ioctls, "errors": errors, "warnings": warnings, "known": known,
        });
        if statistics {
            record["packets"] = packets.into();
            record["draws"] = draws.into();
            record["dispatches"] = dispatches.into();
            record["context_rolls"] = context_rolls.into();
            let (frames, metrics) = self.profile.frames();
            let of = |(name, mean, most, at): (&str, f64, u64, u64)| (name.to_owned(), json!({ "mean": mean, "most": most, "submission": at }));
            record["frames"] = frames.into();
            record["per_frame"] = metrics.into_iter().map(of).collect::<Value>();
        }
        self.record(&record);
    }

    fn end_text(&mut self, statistics: bool) {
        let Counts { submissions, sdma, ioctls, unknown_ioctls, errors, warnings, known, packets, draws, dispatches, context_rolls } = self.counts;
        let processes = self.processes.len();
        let said = self.groups.iter().map(|(code, group)| {
            let Group { severity, count, submissions, first, text, known } = group;
            let reason = known.as_ref().map(|reason| format!(", known: {reason}")).unwrap_or_default();
            format!("\n[pm4] {severity}[{code}] {count} times in {submissions} submissions, first in submission {first}{reason}\n{}", text.trim_end())
        });
        for group in said.collect::<Vec<_>>() {
            self.line(&group);
        }
        if statistics {
            self.line(&format!("[pm4] {packets} packets, {draws} draws, {dispatches} dispatches, {context_rolls} context rolls; {sdma} submissions with SDMA"));
            let (frames, metrics) = self.profile.frames();
            self.line(&format!("[pm4] {frames} frames (a frame ends with a submission that draws)"));
            for (name, mean, most, at) in metrics {
                self.line(&format!("[pm4]   {:<13} {mean:>10.1} per frame, {most} at most, in submission {at}", name.replace('_', " ")));
            }
        }
        self.line(&format!(
            "[pm4] {}: {submissions} submissions of {processes} processes, {ioctls} ioctls ({unknown_ioctls} unknown): {errors} errors, {warnings} warnings, {known} known",
            self.chip
        ));
    }
}

/// Merges reports in JSON Lines: many runs become one record, with the findings by code that are not known defects.
///
/// # Errors
/// Returns a message with the line that is not a record.
pub fn merge<'t>(reports: impl Iterator<Item = &'t str>) -> Result<Value, String> {
    const SUMS: [&str; 7] = ["processes", "submissions", "sdma_submissions", "ioctls", "unknown_ioctls", "known", "unfinished"];
    let mut sums: BTreeMap<&str, u64> = SUMS.into_iter().map(|key| (key, 0)).collect();
    let (mut chips, mut codes, mut count) = (BTreeSet::new(), BTreeMap::<String, u64>::new(), 0u64);
    let (mut errors, mut warnings) = (0u64, 0u64);
    for text in reports {
        count += 1;
        let mut ended = false;
        // A killed run has records but no sum.
        let mut seen = (BTreeSet::new(), 0u64);
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
            let record: Value = match serde_json::from_str(line) {
                Ok(record) => record,
                // The last line of a killed run.
                Err(_) if number == text.lines().count() => continue,
                Err(error) => return Err(format!("report {count}, line {number}: {error}; only reports of --format json can be merged")),
            };
            match record["type"].as_str() {
                Some("finding") if record.get("known").is_none() => {
                    *codes.entry(record["code"].as_str().unwrap_or("?").to_owned()).or_default() += 1;
                    errors += u64::from(record["severity"] == "error");
                    warnings += u64::from(record["severity"] == "warning");
                }
                Some("submission") => {
                    seen.0.insert(record["process"].as_i64());
                    seen.1 += 1;
                }
                Some("live") => {
                    ended = true;
                    chips.extend(record["chip"].as_str().map(str::to_owned));
                    for (key, sum) in &mut sums {
                        *sum += record[*key].as_u64().unwrap_or(0);
                    }
                }
                _ => {}
            }
        }
        if !ended {
            *sums.entry("unfinished").or_default() += 1;
            *sums.entry("processes").or_default() += seen.0.len() as u64;
            *sums.entry("submissions").or_default() += seen.1;
        }
    }
    let mut record = json!({ "type": "live", "chip": chips.into_iter().collect::<Vec<_>>().join(" "), "reports": count });
    for (key, sum) in sums {
        record[key] = sum.into();
    }
    record["errors"] = errors.into();
    record["warnings"] = warnings.into();
    record["codes"] = json!(codes);
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_defect_needs_a_rule_and_a_reason() {
        assert_eq!(known("# RADV\n\nsta-02 RADV on GFX10.3\n").unwrap(), [Known { code: "STA-02".into(), reason: "RADV on GFX10.3".into() }]);
        assert_eq!(known("\nSTA-02").unwrap_err(), "line 2: a reason is missing after STA-02");
        assert_eq!(known("STA-999 no").unwrap_err(), "line 1: no rule has the code STA-999");
    }

    #[test]
    fn a_report_that_was_cut_short_counts_with_what_it_has() {
        let whole = "{\"type\":\"finding\",\"code\":\"STA-02\",\"severity\":\"error\"}\n{\"type\":\"live\",\"chip\":\"navi21\",\"processes\":2,\"submissions\":5,\"errors\":1}\n";
        let cut = "{\"type\":\"submission\",\"process\":7}\n{\"type\":\"submission\",\"process\":7}\n{\"type\":\"fin";
        let merged = merge([whole, cut].into_iter()).unwrap();
        assert_eq!((&merged["processes"], &merged["submissions"], &merged["errors"]), (&json!(3), &json!(7), &json!(1)));
        assert_eq!((&merged["unfinished"], &merged["codes"]["STA-02"]), (&json!(1), &json!(1)));
        assert!(merge(["text\n{}"].into_iter()).is_err());
    }
}
