//! Findings as text, in the style of compiler messages.

use super::buffers::Buffers;
use super::dump::number;
use super::ground::shown;
use crate::chip::Gfx;
use crate::cp::{Finding, Place, Severity};
#[cfg(feature = "input")]
use crate::packet::Reader;
use crate::packet::{Header, Packet, Queue};
use crate::queues::{QueuePacket, Target};
use crate::regs;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use std::io::{self, Write};

/// Returns the colour of a severity.
pub(super) fn style(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Info => "1;36",
    }
}

pub(crate) fn paint(color: bool, style: &str, text: &str) -> String {
    if color { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
}

fn head(finding: &Finding, color: bool) -> String {
    paint(color, style(finding.severity), &format!("{}[{}]", finding.severity, finding.code))
}

/// Returns the place as text: `main.bin dword 354 (byte 0x588)`.
pub(super) fn place(buffers: &Buffers<'_>, place: Place) -> String {
    format!("{} dword {} (byte 0x{:x})", buffers.shown_name(place.buffer), place.dword, u64::from(place.dword) * 4)
}

fn context(finding: &Finding) -> String {
    let packet = finding.packet.map(|p| format!(", {p}")).unwrap_or_default();
    // Draws and dispatches are counted together.
    let work = if finding.packet.is_some_and(|packet| packet.starts_with("DISPATCH")) { "dispatch" } else { "draw" };
    let draw = match (finding.draw, finding.last_draw) {
        (Some(first), Some(last)) if finding.count > 1 => format!(", {} times, from {work} {first} to {last}", finding.count),
        (Some(draw), _) => format!(", {work} {draw}"),
        (None, _) => String::new(),
    };
    packet + &draw
}

/// Prints a finding in full: its place, the relevant packets, decoded, notes, help and source. `color` adds escape sequences for terminals.
///
/// ```
/// use pm4::cp::{CommandProcessor, Finding, Observer};
/// use pm4::report::{self, Buffers};
///
/// struct Print<'a>(Buffers<'a>);
/// impl Observer for Print<'_> {
///     fn finding(&mut self, finding: &Finding) {
///         // A closed standard error is not a reason to stop.
///         let _ = report::finding_text(&mut std::io::stderr(), finding, &self.0, false);
///     }
/// }
/// # #[cfg(feature = "gfx9")] {
/// let stream = [0xC001_6900, 0x203, 0x1_8600, 0xC001_2D00, 3, 2];
/// let mut cp = CommandProcessor::new(pm4::chip::Chip::Vega10);
/// cp.submit(pm4::packet::Queue::Graphics, "main.bin", &stream);
/// let buffers = Buffers::of(&cp);
/// cp.run(&mut Print(buffers));
/// # }
/// ```
///
/// # Errors
/// Errors of writing to `out`.
pub fn finding_text(out: &mut dyn Write, finding: &Finding, buffers: &Buffers<'_>, color: bool) -> io::Result<()> {
    let bar = paint(color, "1;34", "=");
    writeln!(out, "{}: {}", head(finding, color), paint(color, "1", &shown(&finding.message)))?;
    writeln!(out, "  {} {}{}", paint(color, "1;34", "-->"), place(buffers, finding.place), context(finding))?;
    let about = About { register: finding.register.as_deref(), field: finding.field };
    let mark = ('^', style(finding.severity));
    match other_packet(buffers, finding, about) {
        Some((line, name)) => print_line(out, &line, name, finding.place.dword.into(), mark, color)?,
        None => snippet(out, buffers, finding.queue, finding.place, about, mark, color)?,
    }
    // The packets that wrote relevant registers, once for each place.
    let mut places = vec![finding.place];
    for note in &finding.notes {
        let Some(at) = note.place.filter(|at| note.register.is_some() && !places.contains(at)) else { continue };
        places.push(at);
        writeln!(out, "  {} {}", paint(color, "1;34", ":::"), place(buffers, at))?;
        snippet(out, buffers, finding.queue, at, About { register: note.register.as_deref(), field: note.field }, ('-', "1;34"), color)?;
    }
    if let Some(register) = &finding.register {
        let field = finding.field.map(|f| format!(".{f}")).unwrap_or_default();
        writeln!(out, "   {bar} register: {register}{field}")?;
    }
    for note in &finding.notes {
        match note.place {
            Some(at) => writeln!(out, "   {bar} note: {}, by {}", shown(&note.text), place(buffers, at))?,
            None => writeln!(out, "   {bar} note: {}", shown(&note.text))?,
        }
    }
    if let Some(help) = &finding.help {
        writeln!(out, "   {bar} help: {}", shown(help))?;
    }
    writeln!(out, "   {bar} source: {}", finding.source)
}

/// Prints one line, for a code that was explained before.
pub(super) fn text_again(out: &mut dyn Write, finding: &Finding, buffers: &Buffers<'_>, color: bool) -> io::Result<()> {
    writeln!(out, "{} again at {}{}: {}", head(finding, color), place(buffers, finding.place), context(finding), shown(&finding.message))
}

/// The underlined part of a packet: a register that it writes, a field of the register, or a field of the packet itself.
#[derive(Clone, Copy)]
struct About<'f> {
    register: Option<&'f str>,
    field: Option<&'f str>,
}

/// Fields that are in the header.
const HEADER: [&str; 3] = ["predicate", "shader_type", "reset_filter_cam"];

/// The line of a packet under construction, and its underlined part.
struct Line {
    text: String,
    mark: Option<(usize, usize)>,
}

impl Line {
    /// Creates the header, and the name of the packet.
    fn new(header: Header, name: &str, about: About<'_>) -> Self {
        let word = format!("0x{:08x}", header.0);
        let in_header = about.register.is_none() && about.field.is_some_and(|field| HEADER.contains(&field));
        Self { mark: in_header.then_some((0, word.len())), text: format!("{word}  {name}") }
    }

    /// Adds a part; beyond the maximum width only the underlined part, with dots in place of the others.
    fn push(&mut self, part: &str, wanted: bool) {
        if self.text.len() > LINE && !wanted {
            if !self.text.ends_with(LEFT_OUT) {
                self.text.push_str(LEFT_OUT);
            }
            return;
        }
        self.text.push(' ');
        let start = self.text.len();
        self.text.push_str(part);
        if wanted {
            self.mark = Some((start, self.text.len()));
        }
    }

    /// Adds a register that the packet writes.
    fn register(&mut self, gfx: Gfx, addr: u32, value: u32, about: About<'_>) {
        let register = regs::lookup(gfx, addr);
        let name = register.map_or_else(|| format!("0x{addr:05x}"), |register| register.to_string());
        let wanted = about.register == Some(name.as_str());
        self.push(&format!("{name}=0x{value:x}"), wanted);
        if let Some(field) = register.zip(about.field).and_then(|(register, field)| register.info().field(field)).filter(|_| wanted) {
            self.text.push('{');
            let start = self.text.len();
            self.text.push_str(&format!("{}={}", field.name, field.display(field.get(value))));
            self.mark = Some((start, self.text.len()));
            self.text.push('}');
        }
    }
}

/// Writes a packet as decoded, with the subject of the finding underlined, or else its name.
fn snippet(out: &mut dyn Write, buffers: &Buffers<'_>, queue: Queue, at: Place, about: About<'_>, mark: (char, &str), color: bool) -> io::Result<()> {
    let Some(header) = buffers.word(at).map(Header) else { return Ok(()) };
    packet_line(out, (buffers.gfx(), queue), (header, buffers.packet(at)), at.dword.into(), about, mark, color)
}

/// Returns the line of a packet of SDMA, AQL or MES, and its name; None if the words are not one, or are PM4 called by a packet.
fn other_packet(buffers: &Buffers<'_>, finding: &Finding, about: About<'_>) -> Option<(Line, &'static str)> {
    let version = Target::from(buffers.chip()).version(finding.queue_id.family()?)?;
    let packet = QueuePacket::at(version, buffers.words_from(finding.place)?)?;
    if finding.packet.is_some_and(|name| name != packet.name()) {
        return None;
    }
    let mut line = Line { text: format!("0x{:08x}  {}", packet.words[0], packet.name()), mark: None };
    for field in packet.fields().filter(|field| !matches!(field.name, "header" | "op" | "sub_op" | "opcode")) {
        let value = packet.values(field).next().unwrap_or(0);
        let wanted = about.field == Some(field.name);
        if value != 0 || wanted {
            let mut text = format!("{}=", field.name);
            number(&mut text, value);
            line.push(&text, wanted);
        }
    }
    Some((line, packet.name()))
}

/// Returns a packet at a dword, as [`snippet`] prints it; for a truncated packet, its header.
fn packet_line(
    out: &mut dyn Write,
    (gfx, queue): (Gfx, Queue),
    (header, packet): (Header, Option<Packet<'_>>),
    dword: u64,
    about: About<'_>,
    mark: (char, &str),
    color: bool,
) -> io::Result<()> {
    let known = (header.packet_type() == 3).then(|| header.opcode().name(gfx)).flatten();
    let name = packet.and_then(|packet| packet.name(gfx)).or(known).unwrap_or("?");
    let mut line = Line::new(header, name, about);
    if let Some(packet) = packet {
        // Packets that set registers show only these, and the field that the finding is about.
        let mut writes = packet.writes(gfx).peekable();
        for field in packet.fields(gfx, queue).take_while(|field| field.group.is_none()) {
            let wanted = about.register.is_none() && about.field == Some(field.name);
            if wanted || writes.peek().is_none() {
                let mut text = format!("{}=", field.name);
                match field.symbol() {
                    Some(symbol) => text.push_str(symbol),
                    None => number(&mut text, field.value),
                }
                line.push(&text, wanted);
            }
        }
        writes.for_each(|write| line.register(gfx, write.addr, write.value, about));
    }
    print_line(out, &line, name, dword, mark, color)
}

/// Prints a line with the subject underlined, or the name.
fn print_line(out: &mut dyn Write, line: &Line, name: &str, dword: u64, mark: (char, &str), color: bool) -> io::Result<()> {
    let gutter = paint(color, "1;34", "|");
    writeln!(out, "{} {gutter} {}", paint(color, "1;34", &format!("{dword:>6}")), line.text)?;
    let (start, end) = line.mark.unwrap_or((12, 12 + name.len()));
    let column = |byte: usize| line.text.get(..byte).map_or(byte, |before| before.chars().count());
    let marks = format!("{}{}", " ".repeat(column(start)), mark.0.to_string().repeat(column(end) - column(start)));
    writeln!(out, "       {gutter} {}", paint(color, mark.1, &marks))
}

/// Columns after which only the subject of the finding is added to the line.
const LINE: usize = 120;

/// Replaces the omitted parts of a line.
const LEFT_OUT: &str = " …";

/// Writes a packet as decoded, its name underlined, from its words and their offset.
#[cfg(feature = "input")]
pub(crate) fn snippet_of(out: &mut dyn Write, gfx: Gfx, queue: Queue, words: &[u32], dword: u64, color: bool) -> io::Result<()> {
    let Some(header) = words.first().copied().map(Header) else { return Ok(()) };
    let packet = Reader::new(words).next().and_then(Result::ok);
    packet_line(out, (gfx, queue), (header, packet), dword, About { register: None, field: None }, ('^', "1;31"), color)
}
