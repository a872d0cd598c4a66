//! Findings as text, in the manner of compiler messages.

use super::report::Names;
use pm4::cp::{Finding, Place, Severity};
use std::io::{self, Write};

/// The colour of a severity.
pub fn style(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Info => "1;36",
    }
}

fn paint(color: bool, style: &str, text: &str) -> String {
    if color { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
}

fn head(finding: &Finding, color: bool) -> String {
    paint(color, style(finding.severity), &format!("{}[{}]", finding.severity, finding.code))
}

/// `main.bin dword 354 (byte 0x588)`.
fn place(names: &Names, place: Place) -> String {
    format!("{} dword {} (byte 0x{:x})", names.of(place.buffer), place.dword, u64::from(place.dword) * 4)
}

fn context(finding: &Finding) -> String {
    let packet = finding.packet.map(|p| format!(", {p}")).unwrap_or_default();
    let draw = finding.draw.map(|d| format!(", draw {d}")).unwrap_or_default();
    packet + &draw
}

/// All of a finding.
pub fn render(out: &mut dyn Write, names: &Names, finding: &Finding, color: bool) -> io::Result<()> {
    let bar = paint(color, "1;34", "=");
    writeln!(out, "{}: {}", head(finding, color), paint(color, "1", &finding.message))?;
    writeln!(out, "  {} {}{}", paint(color, "1;34", "-->"), place(names, finding.place), context(finding))?;
    if let Some(register) = &finding.register {
        let field = finding.field.map(|f| format!(".{f}")).unwrap_or_default();
        writeln!(out, "   {bar} register: {register}{field}")?;
    }
    for note in &finding.notes {
        match note.place {
            Some(at) => writeln!(out, "   {bar} note: {}, by {}", note.text, place(names, at))?,
            None => writeln!(out, "   {bar} note: {}", note.text)?,
        }
    }
    if let Some(help) = &finding.help {
        writeln!(out, "   {bar} help: {help}")?;
    }
    writeln!(out, "   {bar} source: {}", finding.source)
}

/// One line, for a code that has been explained before.
pub fn render_short(out: &mut dyn Write, names: &Names, finding: &Finding, color: bool) -> io::Result<()> {
    writeln!(out, "{} again at {}{}: {}", head(finding, color), place(names, finding.place), context(finding), finding.message)
}
