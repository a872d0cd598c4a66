//! Findings as text, in the manner of compiler messages.

use super::report::Names;
use pm4::cp::{Finding, Place, Severity};
use pm4::regs;
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
fn place(names: &Names<'_>, place: Place) -> String {
    format!("{} dword {} (byte 0x{:x})", names.of(place.buffer), place.dword, u64::from(place.dword) * 4)
}

fn context(finding: &Finding) -> String {
    let packet = finding.packet.map(|p| format!(", {p}")).unwrap_or_default();
    let draw = finding.draw.map(|d| format!(", draw {d}")).unwrap_or_default();
    packet + &draw
}

/// All of a finding.
pub fn render(out: &mut dyn Write, names: &Names<'_>, finding: &Finding, color: bool) -> io::Result<()> {
    let bar = paint(color, "1;34", "=");
    writeln!(out, "{}: {}", head(finding, color), paint(color, "1", &finding.message))?;
    writeln!(out, "  {} {}{}", paint(color, "1;34", "-->"), place(names, finding.place), context(finding))?;
    source_line(out, names, finding, color)?;
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
pub fn render_short(out: &mut dyn Write, names: &Names<'_>, finding: &Finding, color: bool) -> io::Result<()> {
    writeln!(out, "{} again at {}{}: {}", head(finding, color), place(names, finding.place), context(finding), finding.message)
}

/// The packet as decoded, with what the finding is about underlined.
fn source_line(out: &mut dyn Write, names: &Names<'_>, finding: &Finding, color: bool) -> io::Result<()> {
    let Some(packet) = names.packet(finding.place) else { return Ok(()) };
    let Some(name) = packet.name(names.gfx) else { return Ok(()) };
    let mut line = format!("0x{:08x}  {name}", packet.header.0);
    let mut mark = None;
    let wanted = finding.register.as_deref();
    for write in packet.writes(names.gfx) {
        let Some(register) = regs::lookup(names.gfx, write.addr) else { continue };
        if line.len() > LINE && wanted != Some(register.to_string().as_str()) {
            continue;
        }
        line.push(' ');
        let start = line.len();
        line.push_str(&format!("{register}=0x{:x}", write.value));
        if wanted == Some(register.to_string().as_str()) {
            mark = Some((start, line.len()));
            if let Some(field) = finding.field.and_then(|field| register.info().field(field)) {
                line.push('{');
                let start = line.len();
                line.push_str(&format!("{}={}", field.name, field.get(write.value)));
                mark = Some((start, line.len()));
                line.push('}');
            }
        }
    }
    for field in packet.fields(names.gfx, finding.queue).take_while(|field| field.group.is_none()) {
        if packet.writes(names.gfx).next().is_some() {
            break;
        }
        let this = finding.register.is_none() && finding.field.is_some_and(|wanted| wanted == field.name);
        if line.len() > LINE && !this {
            continue;
        }
        line.push(' ');
        let start = line.len();
        line.push_str(&format!("{}={}", field.name, field.symbol().map_or_else(|| format!("0x{:x}", field.value), str::to_owned)));
        if this {
            mark = Some((start, line.len()));
        }
    }
    let gutter = format!("{:>6}", finding.place.dword);
    writeln!(out, "{} {} {line}", paint(color, "1;34", &gutter), paint(color, "1;34", "|"))?;
    let (start, end) = mark.unwrap_or((12, 12 + name.len()));
    let marks = format!("{}{}", " ".repeat(start), "^".repeat(end - start));
    writeln!(out, "       {} {}", paint(color, "1;34", "|"), paint(color, style(finding.severity), &marks))
}

/// Columns after which only what the finding is about is added to the line.
const LINE: usize = 120;
