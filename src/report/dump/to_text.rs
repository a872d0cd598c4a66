//! Packets as text.

use super::field_values::{after_gap, begun_by, beyond, ended_by, inner_bits, odd_bytes, symbol};
use super::hex_digits::{decimal, hex, padded_decimal, spaced_word, spaced_words};
use super::text_cache::{HeaderTexts, PacketTexts, RegisterTexts, Style, is_run};
use crate::chip::Gfx;
use crate::packet::{DecodeError, DecodedSplitValue, FieldValue, Header, Layout, Packet, Queue, ShaderType};
use crate::regs::FieldInfo;
use crate::report::ground::queue_name;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// Packets as text: one line per packet, its register writes below. The words of the body follow after `;`, so that the text contains the whole stream and
/// [`assemble`](crate::report::assemble) can restore it.
///
/// ```
/// use pm4::{chip::Gfx, packet::{Queue, Reader}, report::PacketText};
/// # #[cfg(feature = "gfx11")] {
/// let mut text = PacketText::new(Gfx::Gfx11, Queue::Graphics);
/// let mut lines = String::new();
/// for packet in Reader::new(&[0xC001_2D00, 3, 2]).flatten() {
///     text.packet(&mut lines, &packet);
/// }
/// assert!(lines.starts_with("000000  c0012d00  DRAW_INDEX_AUTO          index_count=3 "));
/// assert!(lines.ends_with(" ; 00000003 00000002\n"));
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct PacketText {
    gfx: Gfx,
    queue: Queue,
    paint: Paint,
    registers: RegisterTexts<TextStyle>,
    headers: HeaderTexts,
    packets: PacketTexts,
    zeros: bool,
    /// The fields of the current packet, except those of its repeated group: one buffer for all packets.
    fixed: Vec<FieldValue>,
}

/// The beginning of the first line of the text form.
pub(in crate::report) const TITLE: &str = "# generation ";

const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[31m";
const CYAN: &str = "\x1b[36m";
const OFF: &str = "\x1b[0m";
/// Body words on the line of the packet, and on each continuation line.
const WORDS_PER_LINE: usize = 8;

/// Colours for a terminal, or none.
#[derive(Debug, Clone, Copy, Default)]
struct Paint(bool);

impl Paint {
    fn on(self, code: &'static str) -> &'static str {
        if self.0 { code } else { "" }
    }

    fn off(self) -> &'static str {
        self.on(OFF)
    }
}

impl PacketText {
    /// Creates a printer for packets of this generation and queue, without colours.
    pub fn new(gfx: Gfx, queue: Queue) -> Self {
        Self {
            gfx,
            queue,
            paint: Paint(false),
            registers: RegisterTexts::new(gfx, TextStyle::default()),
            headers: HeaderTexts::default(),
            packets: PacketTexts::default(),
            zeros: false,
            fixed: Vec::new(),
        }
    }

    /// Sets whether the text has escape sequences for colours on a terminal.
    #[must_use]
    pub fn color(mut self, yes: bool) -> Self {
        self.paint = Paint(yes);
        self.restyled()
    }

    /// Sets whether fields that are 0 are printed.
    #[must_use]
    pub fn zeros(mut self, yes: bool) -> Self {
        self.zeros = yes;
        self.restyled()
    }

    fn restyled(mut self) -> Self {
        let style = TextStyle { paint: self.paint, zeros: self.zeros };
        (self.registers, self.headers, self.packets) = (RegisterTexts::new(self.gfx, style), HeaderTexts::default(), PacketTexts::default());
        self
    }

    /// Appends a packet.
    pub fn packet(&mut self, out: &mut String, packet: &Packet<'_>) {
        let start = out.len();
        out.push_str(self.paint.on(DIM));
        // Decimal, as in findings.
        let digits = padded_decimal(out, packet.offset as u64, 6);
        let mut packets = core::mem::take(&mut self.packets);
        packets.append(out, packet, digits as u8, |out| self.after_offset(out, start, packet));
        self.packets = packets;
    }

    /// Appends the text after the offset of a packet, whose line begins at `start`.
    fn after_offset(&mut self, out: &mut String, start: usize, packet: &Packet<'_>) {
        if is_run(packet, self.gfx) {
            let mut headers = core::mem::take(&mut self.headers);
            out.push_str(&headers.place(packet, true, |place| self.head(&mut place.head, packet)).head);
            self.headers = headers;
        } else {
            self.head(out, packet);
        }
        let wide = packet.body.len() > WORDS_PER_LINE;
        if !wide && !packet.body.is_empty() {
            let column = if self.paint.0 { visible(&out[start..]) } else { out.len() - start };
            spaces(out, 88usize.saturating_sub(column));
            self.words(out, packet.body);
        } else {
            out.truncate(out.trim_end().len());
        }
        out.push('\n');
        if wide {
            self.lines(out, packet.body);
        }
        for write in packet.writes(self.gfx) {
            self.registers.write(out, write.addr, write.value);
        }
    }

    /// Appends the text before the words of the body: header, name, fields. It is the same for all packets that set a run of registers and have the same header
    /// and offset.
    fn head(&mut self, out: &mut String, packet: &Packet<'_>) {
        out.push_str("  ");
        hex(out, packet.header.0, 8);
        out.push_str(self.paint.off());
        out.push_str("  ");
        out.push_str(self.paint.on(BOLD));
        let name = out.len();
        match packet.name(self.gfx) {
            Some(name) => out.push_str(name),
            None => {
                out.push_str("0x");
                hex(out, packet.header.opcode().0.into(), 2);
            }
        }
        spaces(out, 24usize.saturating_sub(out.len() - name));
        out.push_str(self.paint.off());
        if packet.header.0 & 0xFF != 0 {
            self.flags(out, packet.header, packet.opcode().is_some());
        }
        // A plain SET has only an offset, and its registers are printed below.
        let sets_registers = packet.writes(self.gfx).next().is_some();
        if !sets_registers || packet.body.first().is_some_and(|w| w >> 16 != 0) {
            self.fields(out, packet, sets_registers);
            self.reserved(out, packet);
        } else if packet.header.reserved() != 0 {
            self.reserved(out, packet);
        }
    }

    /// Appends the fields of a packet, without its words and the registers that it sets.
    #[cfg(feature = "html")]
    pub(in crate::report) fn summary(&mut self, out: &mut String, packet: &Packet<'_>) {
        let sets_registers = packet.writes(self.gfx).next().is_some();
        self.flags(out, packet.header, packet.opcode().is_some());
        if !sets_registers {
            self.fields(out, packet, sets_registers);
        }
        self.reserved(out, packet);
    }

    /// Appends the line that tells [`assemble`](crate::report::assemble) how to read the words.
    pub fn title(&self, out: &mut String) {
        let _ = writeln!(out, "{TITLE}{}, queue {}", self.gfx, queue_name(self.queue));
    }

    /// Appends a packet or the damage that the reader found. `stream` contains the words of the reader. Returns whether something is wrong.
    pub fn item(&mut self, out: &mut String, item: &Result<Packet<'_>, DecodeError>, stream: &[u32]) -> bool {
        match item {
            Ok(packet) => self.checked(out, packet),
            Err(error) => {
                let next = error.offset + error.skipped;
                self.gap(out, error, stream.get(error.offset..next).unwrap_or_default(), next < stream.len());
                true
            }
        }
    }

    /// Appends a packet and its defects. Returns whether there are any.
    pub(super) fn checked(&mut self, out: &mut String, packet: &Packet<'_>) -> bool {
        self.packet(out, packet);
        let defect = packet.defect(self.gfx, self.queue);
        if let Some(defect) = &defect {
            self.error(out, packet.offset, &beyond(defect, packet.offset + packet.dwords()));
        }
        defect.is_some()
    }

    /// Appends words that are not a packet; `more` states whether words follow.
    pub(super) fn gap(&self, out: &mut String, error: &DecodeError, lost: &[u32], more: bool) {
        self.error(out, error.offset, &after_gap(error, more));
        self.lines(out, lost);
    }

    fn error(&self, out: &mut String, dword: usize, message: &str) {
        let _ = writeln!(out, "{dword:06}  {}error: {message}{}", self.paint.on(RED), self.paint.off());
    }

    /// Appends the bytes after the last whole dword.
    pub fn odd_bytes(&self, out: &mut String, dword: usize, bytes: &[u8]) {
        let _ = write!(out, "{dword:06}  {}error: {}{}  ;", self.paint.on(RED), odd_bytes(bytes), self.paint.off());
        for byte in bytes {
            let _ = write!(out, " {byte:02x}");
        }
        out.push('\n');
    }

    fn flags(&self, out: &mut String, header: Header, type3: bool) {
        if type3 {
            for (set, name) in [
                (header.is_predicated(), " +predicate"),
                (header.shader_type() == ShaderType::Compute, " +compute"),
                (header.resets_filter_cam(), " +reset_filter_cam"),
            ] {
                if set {
                    out.push_str(name);
                }
            }
        }
    }

    /// Appends the fields by name: values with their names, numbers, whole addresses; flags that are set. Fields of a repeated group are lists; those of
    /// register
    /// writes are below, the payload of NOP after `;`.
    fn fields(&mut self, out: &mut String, packet: &Packet<'_>, sets_registers: bool) {
        let mut fixed = core::mem::take(&mut self.fixed);
        fixed.clear();
        let mut all = packet.fields(self.gfx, self.queue);
        let group = all.by_ref().find(|f| {
            f.group.is_some() || {
                fixed.push(*f);
                false
            }
        });
        let split_values: Vec<DecodedSplitValue> = if sets_registers { Vec::new() } else { packet.split_values(self.gfx, self.queue).collect() };
        for field in fixed.iter().filter(|f| !(sets_registers && (f.name == "reg_offset" || f.value == 0))) {
            if let Some(whole) = begun_by(&split_values, field) {
                name(out, whole.whole.name);
                address(out, whole.value);
            } else if ended_by(&split_values, field).is_some() {
                // Printed together with its lower half.
            } else if let Some(layout) = field.field.layout {
                self.inner(out, field, layout);
            } else if let Some(symbol) = field.symbol() {
                name(out, field.name);
                out.push_str(symbol);
            } else if field.field.lo != field.field.hi {
                name(out, field.name);
                number(out, field.value);
            } else if self.zeros && field.value == 0 {
                name(out, field.name);
                out.push('0');
            } else if field.value != 0 {
                out.push_str(" +");
                out.push_str(field.name);
            }
            // A dword address of more than 32 bits belongs to no register.
            let beyond = || begun_by(&split_values, field).is_some_and(|whole| whole.value > u32::MAX.into());
            if let Some(addr) = field.register().filter(|_| !sets_registers && !beyond()) {
                out.push_str(" (");
                self.registers.name(out, addr);
                out.push(')');
            }
        }
        self.fixed = fixed;
        if group.is_some_and(|f| !sets_registers && f.name != "payload") {
            self.groups(out, packet);
        }
    }

    /// Appends the fields of a repeated group, each as a list.
    fn groups(&mut self, out: &mut String, packet: &Packet<'_>) {
        let all = || packet.fields(self.gfx, self.queue).skip_while(|f| f.group.is_none());
        let first = || all().take_while(|f| f.group == Some(0));
        let column = |of: &'static str| all().filter(move |f| f.name == of);
        let split_values: Vec<DecodedSplitValue> = packet.split_values(self.gfx, self.queue).collect();
        for field in first() {
            if let Some(whole) = begun_by(&split_values, &field) {
                name(out, whole.whole.name);
                some(out, split_values.iter().filter(|other| core::ptr::eq(other.lo, whole.lo)), |out, whole| address(out, whole.value));
            } else if ended_by(&split_values, &field).is_none() {
                name(out, field.name);
                some(out, column(field.name), |out, field| match (field.register(), field.symbol()) {
                    (Some(addr), _) => self.registers.name(out, addr),
                    (None, Some(symbol)) => out.push_str(symbol),
                    (None, None) => number(out, field.value),
                });
            }
        }
    }

    /// Appends bits outside all fields, by dword of the packet.
    fn reserved(&self, out: &mut String, packet: &Packet<'_>) {
        for (dword, bits) in packet.reserved_bits(self.gfx, self.queue) {
            let _ = write!(out, " reserved[{dword}]={bits:#x}");
        }
    }

    /// Appends a field with the layout of a register.
    fn inner(&self, out: &mut String, field: &FieldValue, layout: &'static Layout) {
        name(out, field.name);
        number(out, field.value);
        let mut open = false;
        for (bits, value, symbol) in inner_bits(layout, self.gfx, field.value).filter(|(_, value, symbol)| *value != 0 || symbol.is_some() || self.zeros) {
            out.push_str(if open { " " } else { " (" });
            open = true;
            out.push_str(bits.name);
            out.push('=');
            match symbol {
                Some(symbol) => out.push_str(symbol),
                None => number(out, value),
            }
        }
        if open {
            out.push(')');
        }
    }

    fn lines(&self, out: &mut String, words: &[u32]) {
        for line in words.chunks(WORDS_PER_LINE) {
            spaces(out, 18);
            self.words(out, line);
            out.push('\n');
        }
    }

    fn words(&self, out: &mut String, words: &[u32]) {
        out.push_str(self.paint.on(DIM));
        out.push_str(" ;");
        spaced_words(out, words);
        out.push_str(self.paint.off());
    }
}

/// Register writes, one line each.
#[derive(Debug, Clone, Copy, Default)]
struct TextStyle {
    paint: Paint,
    zeros: bool,
}

impl Style for TextStyle {
    const BEHIND: &'static str = "\n";

    fn before(&self, out: &mut String, addr: u32, name: &str) {
        let paint = self.paint;
        spaces(out, 18);
        out.push_str(paint.on(DIM));
        hex(out, addr, 5);
        out.push_str(paint.off());
        out.push(' ');
        out.push_str(paint.on(CYAN));
        out.push_str(name);
        spaces(out, 36usize.saturating_sub(name.len()));
        out.push_str(paint.off());
    }

    fn value(&self, out: &mut String, value: u32) {
        spaced_word(out, value);
    }

    /// Fields that are 0 are omitted unless requested.
    fn field(&self, out: &mut String, _: usize, field: &FieldInfo, part: u32) {
        if part == 0 && !self.zeros {
            return;
        }
        if let Some(symbol) = symbol(field, part) {
            name(out, field.name);
            out.push_str(symbol);
        } else if field.float {
            name(out, field.name);
            let _ = write!(out, "{}", field.display(part));
        } else if field.lo != 0 || field.hi != 31 {
            name(out, field.name);
            number(out, part.into());
        }
    }
}

/// Appends the first items with commas between them; the words after `;` contain all of them.
fn some<T>(out: &mut String, items: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut String, T)) {
    for (i, item) in items.into_iter().take(WORDS_PER_LINE + 1).enumerate() {
        if i > 0 {
            out.push(',');
        }
        if i == WORDS_PER_LINE {
            out.push_str("...");
        } else {
            each(out, item);
        }
    }
}

fn name(out: &mut String, name: &str) {
    out.push(' ');
    out.push_str(name);
    out.push('=');
}

fn address(out: &mut String, value: u64) {
    let _ = write!(out, "{value:#x}");
}

fn spaces(out: &mut String, count: usize) {
    const SPACES: &str = "                                                                                                ";
    out.push_str(SPACES.get(..count).unwrap_or(SPACES));
}

/// Returns a line without terminal colours.
pub(in crate::report) fn without_colour(line: &str) -> Cow<'_, str> {
    if !line.contains('\x1b') {
        return line.into();
    }
    let mut parts = line.split('\x1b');
    let mut plain: String = parts.next().unwrap_or_default().into();
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    plain.into()
}

/// Returns the number of visible characters.
fn visible(text: &str) -> usize {
    let mut colour = false;
    text.chars()
        .filter(|c| {
            let hidden = colour || *c == '\x1b';
            colour = hidden && *c != 'm';
            !hidden
        })
        .count()
}

/// Appends small numbers in decimal, others in hexadecimal, as `FieldInfo::display` does; this version is fast, because a dump has millions.
pub(in crate::report) fn number(out: &mut String, value: u64) {
    match value {
        0..4096 => decimal(out, value),
        4096..=0xFFFF_FFFF => {
            out.push_str("0x");
            hex(out, value as u32, (35 - (value as u32).leading_zeros() as usize) / 4);
        }
        _ => address(out, value),
    }
}
