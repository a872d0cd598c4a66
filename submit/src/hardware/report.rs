//! The report that the owner of a card sends: the device, and each case. It contains nothing about the machine or its owner.

use crate::device::Device;
use crate::hardware::case::Case;
use crate::hardware::judge::{Comparison, Outcome};
use crate::submission::Queue;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The most differences per case to list in the text report.
const MOST_LISTED: usize = 32;

/// The result of a case in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All words have the expected values.
    Same,
    /// Some words differ.
    Different,
    /// The compared words have the expected values, but shader results are unknown because the device runs no shaders.
    PartlyRun,
    /// The machine cannot run it.
    LeftOut,
    /// The model finds an error in it.
    Refused,
    /// The device refused it or did not complete it.
    Failed,
}

impl Verdict {
    /// Returns the verdict of an outcome.
    pub fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Compared(Comparison { differences, .. }) if !differences.is_empty() => Self::Different,
            Outcome::Compared(Comparison { not_run: 1.., .. }) => Self::PartlyRun,
            Outcome::Compared(_) => Self::Same,
            Outcome::LeftOut(_) => Self::LeftOut,
            Outcome::Refused(_) => Self::Refused,
            Outcome::Failed(_) => Self::Failed,
        }
    }

    /// Returns the name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Different => "different",
            Self::PartlyRun => "unknown",
            Self::LeftOut => "left out",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// Returns whether hardware and model disagree, or could not be compared.
    pub const fn is_bad(self) -> bool {
        matches!(self, Self::Different | Self::Refused | Self::Failed)
    }
}

/// All verdicts, in the order of the last line of the report.
const VERDICTS: [Verdict; 6] = [Verdict::Same, Verdict::Different, Verdict::PartlyRun, Verdict::LeftOut, Verdict::Refused, Verdict::Failed];

/// The number of cases with each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([usize; VERDICTS.len()]);

impl Counts {
    /// Counts a verdict.
    pub fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    /// Returns whether any verdict is bad.
    pub fn is_bad(&self) -> bool {
        self.each().any(|(verdict, count)| verdict.is_bad() && count > 0)
    }

    fn each(&self) -> impl Iterator<Item = (Verdict, usize)> {
        VERDICTS.into_iter().zip(self.0)
    }
}

/// Returns the kernel version, without the builder's suffix.
fn kernel() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let numbers: String = release.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    numbers.trim_end_matches('.').to_owned()
}

/// Formats a firmware version; unknown if the kernel does not state it.
fn version(version: Option<u32>) -> String {
    version.map_or_else(|| "unknown".into(), |version| version.to_string())
}

/// Returns the versions of the graphics and SDMA blocks.
fn blocks(device: &Device) -> [(&'static str, String); 2] {
    [("GC", Queue::Graphics), ("SDMA", Queue::Sdma)].map(|(name, queue)| {
        let version = device.version(queue).map_or_else(|| "unknown".into(), |(major, minor, revision)| format!("{major}.{minor}.{revision}"));
        (name, version)
    })
}

/// Returns the description of the device as text.
pub fn device_text(device: &Device) -> String {
    let (gpu, driver) = (device.gpu(), device.driver());
    let (chip, [major, minor, patch]) = (gpu.chip.info(), driver.version);
    let [gc, sdma] = blocks(device).map(|(name, version)| format!("{name} {version}"));
    let mut text = format!("pm4 hardware {}\nchip: {} ({}), {gc}, {sdma}\n", env!("CARGO_PKG_VERSION"), chip.name, chip.gfx);
    if let Some(board) = gpu.board() {
        let backends = version(gpu.render_backends);
        let (engines, arrays, cus) = (board.shader_engines, board.arrays_per_engine, board.cus_per_array);
        let _ = writeln!(text, "board: {engines} shader engines of {arrays} arrays, {cus} CUs in the smallest; {backends} render backends");
    }
    let firmware = gpu.firmware;
    let [pfp, me, mec, feature] = [firmware.pfp, firmware.me, firmware.mec, firmware.me_feature].map(version);
    let _ = writeln!(text, "driver: amdgpu {major}.{minor}.{patch} of Linux {}, \"{}\"", kernel(), driver.description);
    let _ = writeln!(text, "firmware: PFP {pfp}, ME {me} (feature {feature}), MEC {mec}");
    if !device.runs_shaders() {
        text.push_str("This device reports that it runs no shaders, so their results are unknown.\n");
    }
    text
}

/// Returns the description of the device as a record.
pub fn device_record(device: &Device) -> Value {
    let (gpu, driver, firmware) = (device.gpu(), device.driver(), device.gpu().firmware);
    let [major, minor, patch] = driver.version;
    let [(_, gc), (_, sdma)] = blocks(device);
    let board = gpu.board().map(|board| json!([board.shader_engines, board.arrays_per_engine, board.cus_per_array]));
    json!({
        "type": "device",
        "program": env!("CARGO_PKG_VERSION"),
        "chip": gpu.chip.info().name,
        "gc": gc,
        "sdma": sdma,
        "board": board,
        "render_backends": gpu.render_backends,
        "gb_addr_config": gpu.address_config,
        "driver": format!("{major}.{minor}.{patch}"),
        "description": driver.description,
        "kernel": kernel(),
        "firmware": { "pfp": firmware.pfp, "me": firmware.me, "me_feature": firmware.me_feature, "mec": firmware.mec },
        "runs_shaders": device.runs_shaders(),
    })
}

/// Returns an error message without the name of the node.
fn cause(device: &Device, error: &crate::error::Error) -> String {
    let text = error.to_string();
    text.strip_prefix(&format!("{}: ", device.path().display())).map_or_else(|| text.clone(), str::to_owned)
}

/// Returns the result of a case as text.
pub fn case_text(device: &Device, case: &Case, outcome: &Outcome) -> String {
    let verdict = Verdict::of(outcome);
    let name = if verdict == Verdict::Different { "DIFFERENT" } else { verdict.name() };
    let mut text = format!("{name:<10} {} ({}): ", case.name, case.queue.name());
    match outcome {
        Outcome::LeftOut(why) => {
            let _ = writeln!(text, "{why}");
        }
        Outcome::Failed(error) => {
            let _ = writeln!(text, "{}", cause(device, error));
        }
        Outcome::Refused(errors) => {
            text.push_str("not submitted, because the model finds errors in it\n");
            errors.iter().for_each(|error| _ = writeln!(text, "           {error}"));
        }
        Outcome::Compared(comparison) => comparison_text(&mut text, comparison),
    }
    text
}

fn comparison_text(text: &mut String, comparison: &Comparison) {
    let Comparison { compared, differences, shown, not_run } = comparison;
    let _ = match differences.len() {
        0 => write!(text, "{compared} words compared"),
        differing => write!(text, "{differing} of {compared} words differ"),
    };
    if *not_run > 0 {
        let _ = write!(text, "; {not_run} words are unknown, because this device runs no shaders");
    }
    text.push('\n');
    for difference in differences.iter().take(MOST_LISTED) {
        let _ = writeln!(text, "           0x{:04x}: {}, found {:08x}", difference.byte, difference.expected, difference.found);
    }
    // Consecutive words, a few per line.
    for run in shown.chunk_by(|(before, _), (after, _)| before + 4 == *after && after % 32 != 0) {
        let words: Vec<String> = run.iter().map(|(_, word)| format!("{word:08x}")).collect();
        let _ = writeln!(text, "           0x{:04x}: {}, not stated by the model", run.first().map_or(0, |(byte, _)| *byte), words.join(" "));
    }
    let more = differences.len().saturating_sub(MOST_LISTED);
    if more > 0 {
        let _ = writeln!(text, "           and {more} more");
    }
}

/// Returns the result of a case as a record.
pub fn case_record(device: &Device, case: &Case, outcome: &Outcome) -> Value {
    let mut record = json!({ "type": "case", "name": case.name, "queue": case.queue.name(), "verdict": Verdict::of(outcome).name() });
    match outcome {
        Outcome::LeftOut(why) => record["message"] = json!(why),
        Outcome::Failed(error) => record["message"] = json!(cause(device, error)),
        Outcome::Refused(errors) => record["errors"] = json!(errors),
        Outcome::Compared(Comparison { compared, differences, shown, not_run }) => {
            let differences = differences.iter().map(|of| json!({ "byte": of.byte, "expected": of.expected, "found": of.found }));
            record["compared"] = json!(compared);
            record["differences"] = differences.collect();
            record["shown"] = shown.iter().map(|(byte, word)| json!([byte, word])).collect();
            record["not_run"] = json!(not_run);
        }
    }
    record
}

/// Returns the last line.
pub fn end_text(counts: &Counts) -> String {
    let each = counts.each().filter(|(_, count)| *count > 0).map(|(verdict, count)| format!("{count} {}", verdict.name()));
    format!("{}\n", each.collect::<Vec<_>>().join(", "))
}

/// Returns the last record.
pub fn end_record(counts: &Counts) -> Value {
    let mut record = json!({ "type": "hardware" });
    counts.each().for_each(|(verdict, count)| record[verdict.name().replace(' ', "_")] = json!(count));
    record
}
