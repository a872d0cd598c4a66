//! The report of a run of the ordered section, as JSON.

use crate::waves::{InstructionPlace, Report, WaveFinding, WaveName};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Prints the result of a run of waves as a JSON record on one line; docs/json.md lists the keys.
///
/// ```
/// use pm4::waves::{self, RunOptions, Section, Setup};
/// # #[cfg(feature = "gfx11")] {
/// let setup = Setup::plain(pm4::chip::Gfx::Gfx11);
/// let words = Section::of(&setup).words().unwrap();
/// let mut line = Vec::new();
/// pm4::report::wave_result(&mut line, &waves::run(&setup, &words, RunOptions::default()))?;
/// assert!(line.starts_with(br#"{"type":"result","waves":1000,"violations":0,"#));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Errors of writing to `out`.
pub fn wave_result(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    writeln!(out, "{}", result_record(report))
}

pub(super) fn result_record(report: &Report) -> Value {
    json!({
        "type": "result", "waves": report.waves, "violations": report.violations, "hangs": report.hung_waves, "protocol_errors": report.protocol_errors,
        "first": report.findings.first().map(finding_record), "overlapped": report.overlapped,
        "findings": report.findings.iter().map(finding_record).collect::<Vec<_>>(),
    })
}

pub(super) fn finding_record(finding: &WaveFinding) -> Value {
    let wave = |w: &WaveName| json!({ "packer": w.packer, "number": w.number, "id": w.id });
    let at = |at: &InstructionPlace| json!({ "byte": at.byte, "text": at.text });
    match finding {
        WaveFinding::Violation(v) => json!({
            "kind": "violation", "older": wave(&v.older), "younger": wave(&v.younger), "access": if v.write { "write" } else { "read" }, "at": at(&v.access),
            "pixel": [v.pixel.0, v.pixel.1], "samples": format!("{:#x}", v.samples), "axiom": v.axiom, "message": finding.to_string(),
        }),
        WaveFinding::Hang(hang) => json!({
            "kind": "hang", "waves": hang.waves, "axiom": hang.axiom, "message": finding.to_string(),
            "waiting": hang.waiting.iter().map(|w| json!({
                "wave": wave(&w.wave), "at": w.at.as_ref().map(at), "on": w.on.as_ref().map(wave), "because": w.because,
            })).collect::<Vec<_>>(),
        }),
        WaveFinding::Protocol(error) => json!({
            "kind": "protocol error", "wave": wave(&error.wave), "mistake": error.mistake.text(), "at": at(&error.at), "message": finding.to_string(),
        }),
    }
}
