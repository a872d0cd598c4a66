//! Packets as JSON records and as text: what `dump` prints, and `draw` for the stream it built.

use pm4::chip::Gfx;
use pm4::packet::{DecodeError, FieldValue, Header, Packet, Queue, ShaderType};
use pm4::regs::{self, FieldInfo};
use std::cell::RefCell;
use std::fmt::Write as _;

/// Writes JSON records, one line each, straight into a string: a tree of values for every packet costs four times as much.
pub struct Records {
    gfx: Gfx,
    queue: Queue,
    /// The file name as a JSON string.
    file: String,
}

impl Records {
    /// Records of the streams of one file.
    pub fn new(file: &str, gfx: Gfx, queue: Queue) -> Self {
        Self { gfx, queue, file: serde_json::Value::from(file).to_string() }
    }

    /// Appends the record of a packet.
    pub fn packet(&self, out: &mut String, packet: &Packet<'_>) {
        let (file, header) = (&self.file, packet.header);
        let _ = write!(out, r#"{{"type":"packet","file":{file},"dword":{},"header":"{header}","packet_type":{}"#, packet.offset, header.packet_type());
        let _ = write!(out, r#","opcode":"{}","opcode_value":"#, opcode_name(packet, self.gfx));
        let _ = match packet.opcode() {
            Some(opcode) => write!(out, "{}", opcode.0),
            None => write!(out, "null"),
        };
        let predicate = packet.opcode().is_some() && header.predicate();
        let shader_type = if is_compute(packet) { "compute" } else { "graphics" };
        let _ = write!(out, r#","dwords":{},"predicate":{predicate},"shader_type":"{shader_type}""#, packet.dwords());
        let _ = write!(out, r#","gfx":"{}","queue":"{}","body":"#, self.gfx, queue_name(self.queue));
        words(out, packet.body);
        out.push_str(r#","fields":"#);
        self.fields(out, packet);
        out.push_str(r#","flags":"#);
        list(out, '[', packet.fields(self.gfx, self.queue).filter(is_set_flag), ']', |out, field| {
            let _ = write!(out, r#""{}""#, field.name);
        });
        out.push_str(r#","writes":"#);
        list(out, '[', packet.writes(self.gfx), ']', |out, write| self.write(out, write.addr, write.value));
        out.push_str("}\n");
    }

    /// Appends the record of damage that the reader found. `words` are the dwords that belong to no packet.
    pub fn damage(&self, out: &mut String, error: &DecodeError, stream: &[u32]) {
        let _ = write!(out, r#"{{"type":"error","file":{},"dword":{},"message":"{error}","words":"#, self.file, error.offset);
        words(out, stream.get(error.offset..error.offset + error.skipped).unwrap_or_default());
        out.push_str("}\n");
    }

    /// Appends the record of bytes after the last whole dword.
    pub fn odd_bytes(&self, out: &mut String, dword: usize, bytes: &[u8]) {
        let _ = write!(out, r#"{{"type":"error","file":{},"dword":{dword},"message":"{}","bytes":"#, self.file, odd_bytes(bytes));
        list(out, '[', bytes, ']', |out, byte| {
            let _ = write!(out, r#""{byte:#04x}""#);
        });
        out.push_str("}\n");
    }

    /// Field name to number or enum name, and behind the halves of an address or another long value the whole of it. Fields of a repeated group are lists;
    /// register offsets and values stand in `writes` instead, the payload of NOP in `body`.
    fn fields(&self, out: &mut String, packet: &Packet<'_>) {
        let all = || packet.fields(self.gfx, self.queue);
        let value = |out: &mut String, field: &FieldValue| {
            let _ = match field.symbol() {
                Some(symbol) => write!(out, r#""{symbol}""#),
                None => write!(out, "{}", field.value),
            };
        };
        let told = packet.writes(self.gfx).next().is_some();
        let shown = |f: &FieldValue| f.group.is_none() || !told && f.name != "payload";
        // All fields of the repeated group stand in the group's first round; later rounds extend their lists.
        let first = || all().take_while(|f| f.group.unwrap_or(0) == 0).filter(&shown);
        list(out, '{', first(), '}', |out, field| {
            let _ = write!(out, r#""{}":"#, field.name);
            let column = || all().filter(|f| f.group.is_some() && f.name == field.name);
            match field.group {
                None => value(out, &field),
                Some(_) => list(out, '[', column(), ']', |out, field| value(out, &field)),
            }
            let is_half = half_of(field.name, "_hi").is_some();
            let Some((stem, low)) = first().filter(|_| is_half).find_map(|low| whole_of(&low, &field).map(|stem| (stem, low))) else { return };
            let _ = write!(out, r#","{stem}":"#);
            let whole = |out: &mut String, low: u64, high: u64| {
                let _ = write!(out, r#""{:#x}""#, high << 32 | low);
            };
            match field.group {
                None => whole(out, low.value, field.value),
                Some(_) => {
                    let lows = all().filter(|f| f.group.is_some() && f.name == low.name);
                    list(out, '[', lows.zip(column()), ']', |out, (low, high)| whole(out, low.value, high.value));
                }
            }
        });
    }

    fn write(&self, out: &mut String, addr: u32, value: u32) {
        let register = regs::lookup(self.gfx, addr);
        let _ = match register {
            Some(register) => write!(out, r#"{{"name":"{register}","#),
            None => write!(out, r#"{{"name":"{addr:#x}","#),
        };
        let _ = write!(out, r#""addr":"{addr:#x}","value":"{value:#010x}","fields":"#);
        list(out, '{', register.map_or(&[][..], |r| r.fields()), '}', |out, field| {
            let part = field.get(value);
            let _ = match symbol(field, part) {
                Some(symbol) => write!(out, r#""{}":"{symbol}""#, field.name),
                None => write!(out, r#""{}":{part}"#, field.name),
            };
        });
        out.push('}');
    }
}

/// Items with commas between them.
fn list<T>(out: &mut String, open: char, items: impl IntoIterator<Item = T>, close: char, mut each: impl FnMut(&mut String, T)) {
    out.push(open);
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        each(out, item);
    }
    out.push(close);
}

fn words(out: &mut String, words: &[u32]) {
    list(out, '[', words, ']', |out, word| {
        let _ = write!(out, r#""{word:#010x}""#);
    });
}

fn odd_bytes(bytes: &[u8]) -> String {
    format!("the file ends with {} bytes that are no whole dword", bytes.len())
}

/// What `--queue` calls it.
pub fn queue_name(queue: Queue) -> &'static str {
    match queue {
        Queue::Graphics => "gfx",
        Queue::Compute => "compute",
        Queue::Constant => "constant",
    }
}

/// A single bit without named values that is set.
fn is_set_flag(field: &FieldValue) -> bool {
    field.field.lo == field.field.hi && field.field.values.is_none() && field.value != 0
}

/// The name of the value whose halves these are: `address` of `address_lo` and `address_hi`.
fn whole_of(low: &FieldValue, high: &FieldValue) -> Option<&'static str> {
    let stem = half_of(high.name, "_hi")?;
    (half_of(low.name, "_lo") == Some(stem) && low.group.is_some() == high.group.is_some()).then_some(stem)
}

fn is_compute(packet: &Packet<'_>) -> bool {
    packet.opcode().is_some() && packet.header.shader_type() == ShaderType::Compute
}

fn opcode_name(packet: &Packet<'_>, gfx: Gfx) -> String {
    packet.name(gfx).map_or_else(|| format!("{:#04x}", packet.header.opcode().0), str::to_owned)
}

fn symbol(field: &FieldInfo, value: u32) -> Option<&'static str> {
    field.values.and_then(|e| e.name_of(value))
}

/// The text form: one line a packet, its register writes below. What stands behind `;` are the words of the body, so that the text says all that the stream
/// says.
#[derive(Clone, Copy)]
pub struct Text {
    pub gfx: Gfx,
    pub queue: Queue,
    /// Colours for a terminal.
    pub colour: bool,
}

const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[31m";
const CYAN: &str = "\x1b[36m";
const OFF: &str = "\x1b[0m";
/// Body words on the line of the packet, and on each line of their own when there are more.
const WORDS_A_LINE: usize = 8;

impl Text {
    /// Appends a packet.
    pub fn packet(self, out: &mut String, packet: &Packet<'_>) {
        let start = out.len();
        out.push_str(self.on(DIM));
        hex(out, packet.offset as u32, if packet.offset < 1 << 24 { 6 } else { 8 });
        out.push_str("  ");
        hex(out, packet.header.0, 8);
        out.push_str(self.off());
        out.push_str("  ");
        out.push_str(self.on(BOLD));
        let name = out.len();
        match packet.name(self.gfx) {
            Some(name) => out.push_str(name),
            None => {
                out.push_str("0x");
                hex(out, packet.header.opcode().0.into(), 2);
            }
        }
        spaces(out, 24usize.saturating_sub(out.len() - name));
        out.push_str(self.off());
        if packet.header.0 & 0xFF != 0 {
            self.flags(out, packet.header, packet.opcode().is_some());
        }
        let mut writes = packet.writes(self.gfx).peekable();
        // A plain SET has nothing but an offset, and its registers are told below.
        let told = writes.peek().is_some();
        if !told || packet.body.first().is_some_and(|w| w >> 16 != 0) {
            self.fields(out, packet, told);
        }
        let wide = packet.body.len() > WORDS_A_LINE;
        if !wide && !packet.body.is_empty() {
            let column = if self.colour { visible(&out[start..]) } else { out.len() - start };
            spaces(out, 88usize.saturating_sub(column));
            self.words(out, packet.body);
        } else {
            out.truncate(out.trim_end().len());
        }
        out.push('\n');
        if wide {
            self.lines(out, packet.body);
        }
        for write in writes {
            self.write(out, write.addr, write.value);
        }
    }

    /// Appends what the reader could not make a packet of.
    pub fn damage(self, out: &mut String, error: &DecodeError, stream: &[u32]) {
        let _ = writeln!(out, "{:06x}  {}error: {error}{}", error.offset, self.on(RED), self.off());
        self.lines(out, stream.get(error.offset..error.offset + error.skipped).unwrap_or_default());
    }

    /// Appends that bytes are left behind the last whole dword.
    pub fn odd_bytes(self, out: &mut String, dword: usize, bytes: &[u8]) {
        let _ = write!(out, "{dword:06x}  {}error: {}{}  ;", self.on(RED), odd_bytes(bytes), self.off());
        for byte in bytes {
            let _ = write!(out, " {byte:02x}");
        }
        out.push('\n');
    }

    fn on(self, code: &'static str) -> &'static str {
        if self.colour { code } else { "" }
    }

    fn off(self) -> &'static str {
        self.on(OFF)
    }

    fn flags(self, out: &mut String, header: Header, type3: bool) {
        if type3 {
            for (set, name) in [
                (header.predicate(), " +predicate"),
                (header.shader_type() == ShaderType::Compute, " +compute"),
                (header.reset_filter_cam(), " +reset_filter_cam"),
                (header.reserved() != 0, " +reserved_bits"),
            ] {
                if set {
                    out.push_str(name);
                }
            }
        }
    }

    /// The fields by name: values with their names, numbers, addresses whole; flags where they are set.
    fn fields(self, out: &mut String, packet: &Packet<'_>, told: bool) {
        let shown = |f: &FieldValue| f.group.is_none() && !(told && (f.name == "reg_offset" || f.value == 0));
        let all = || packet.fields(self.gfx, self.queue).take_while(|f| f.group.is_none());
        for field in all().filter(shown) {
            let (low, high) = (half_of(field.name, "_lo"), half_of(field.name, "_hi"));
            if let Some((stem, high)) = low.and_then(|_| all().find_map(|high| whole_of(&field, &high).map(|stem| (stem, high)))) {
                name(out, stem);
                address(out, high.value << 32 | field.value);
            } else if high.is_some_and(|_| all().any(|low| whole_of(&low, &field).is_some())) {
                // Told with its lower half.
            } else if let Some(layout) = field.field.layout {
                self.inner(out, &field, layout);
            } else if let Some(symbol) = field.symbol() {
                name(out, field.name);
                out.push_str(symbol);
            } else if field.field.lo != field.field.hi {
                name(out, field.name);
                number(out, field.value);
            } else if field.value != 0 {
                out.push_str(" +");
                out.push_str(field.name);
            }
        }
    }

    /// A field that is laid out like a register.
    fn inner(self, out: &mut String, field: &FieldValue, layout: &pm4::packet::Layout) {
        name(out, field.name);
        number(out, field.value);
        let mut open = false;
        for bits in layout.bits.iter().filter(|b| b.gfx & self.gfx.bit() != 0) {
            let value = field.value >> bits.lo & (u64::MAX >> (63 - (bits.hi - bits.lo)));
            if value == 0 {
                continue;
            }
            out.push_str(if open { " " } else { " (" });
            open = true;
            out.push_str(bits.name);
            out.push('=');
            match bits.values.and_then(|e| e.values.iter().find(|v| u64::from(v.value) == value)) {
                Some(named) => out.push_str(named.name),
                None => number(out, value),
            }
        }
        if open {
            out.push(')');
        }
    }

    fn lines(self, out: &mut String, words: &[u32]) {
        for line in words.chunks(WORDS_A_LINE) {
            spaces(out, 18);
            self.words(out, line);
            out.push('\n');
        }
    }

    fn words(self, out: &mut String, words: &[u32]) {
        out.push_str(self.on(DIM));
        out.push_str(" ;");
        for word in words {
            out.push(' ');
            hex(out, *word, 8);
        }
        out.push_str(self.off());
    }

    fn write(self, out: &mut String, addr: u32, value: u32) {
        spaces(out, 18);
        out.push_str(self.on(DIM));
        hex(out, addr, 5);
        out.push_str(self.off());
        out.push(' ');
        out.push_str(self.on(CYAN));
        with_register(self.gfx, addr, |register, fields| {
            out.push_str(register);
            spaces(out, 36usize.saturating_sub(register.len()));
            out.push_str(self.off());
            out.push(' ');
            hex(out, value, 8);
            // Fields that are 0 have nothing to say.
            for field in fields.iter().filter(|_| value != 0) {
                let part = field.get(value);
                if part == 0 {
                    continue;
                }
                if let Some(symbol) = symbol(field, part) {
                    name(out, field.name);
                    out.push_str(symbol);
                } else if field.lo != 0 || field.hi != 31 {
                    name(out, field.name);
                    number(out, part.into());
                }
            }
        });
        out.push('\n');
    }
}

/// `src_64b_addr_lo` to `src_addr`, for halves of one value.
fn half_of(name: &'static str, suffix: &str) -> Option<&'static str> {
    let sized = || name.strip_suffix("_32b").or_else(|| name.strip_suffix("_64b"))?.strip_suffix(suffix);
    name.strip_suffix(suffix).or_else(sized)
}

fn name(out: &mut String, name: &str) {
    out.push(' ');
    out.push_str(name);
    out.push('=');
}

fn address(out: &mut String, value: u64) {
    let _ = write!(out, "{value:#x}");
}

/// All pairs of hexadecimal digits.
const PAIRS: &str = {
    const DIGITS: [u8; 512] = {
        let mut digits = [0; 512];
        let mut i = 0;
        while i < 512 {
            digits[i] = b"0123456789abcdef"[if i % 2 == 0 { i / 2 / 16 } else { i / 2 % 16 }];
            i += 1;
        }
        digits
    };
    match std::str::from_utf8(&DIGITS) {
        Ok(text) => text,
        Err(_) => "",
    }
};

/// The last `digits` hexadecimal digits: a format string takes ten times as long.
fn hex(out: &mut String, value: u32, digits: usize) {
    for place in (0..digits.div_ceil(2)).rev() {
        let pair = 2 * (value >> (8 * place) & 0xFF) as usize;
        // An odd number of digits starts with half a pair.
        let from = pair + usize::from(2 * place + 1 == digits);
        out.push_str(&PAIRS[from..pair + 2]);
    }
}

/// A register as text tells it.
struct Told {
    key: Option<(Gfx, u32)>,
    name: String,
    fields: &'static [FieldInfo],
}

/// Registers told before, by the low bits of their address: the same few hundred occur again and again.
const REMEMBERED: usize = 1 << 12;

thread_local! {
    static REGISTERS: RefCell<Vec<Told>> = RefCell::new((0..REMEMBERED).map(|_| Told { key: None, name: String::new(), fields: &[] }).collect());
}

/// Hands name and fields of a register to `use_it`.
fn with_register<T>(gfx: Gfx, addr: u32, use_it: impl FnOnce(&str, &'static [FieldInfo]) -> T) -> T {
    REGISTERS.with_borrow_mut(|registers| {
        let told = &mut registers[addr as usize / 4 % REMEMBERED];
        if told.key != Some((gfx, addr)) {
            let register = regs::lookup(gfx, addr);
            let name = register.map_or_else(|| format!("{addr:#x}"), |r| r.name().to_string());
            *told = Told { key: Some((gfx, addr)), name, fields: register.map_or(&[][..], |r| r.fields()) };
        }
        use_it(&told.name, told.fields)
    })
}

fn spaces(out: &mut String, count: usize) {
    const SPACES: &str = "                                                                                                ";
    out.push_str(SPACES.get(..count).unwrap_or(SPACES));
}

/// Characters that a terminal shows.
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

/// Small numbers in decimal, others in hexadecimal.
fn number(out: &mut String, value: u64) {
    match value {
        0..=9 => out.push(char::from(b'0' + value as u8)),
        10..4096 => {
            let _ = write!(out, "{value}");
        }
        4096..=0xFFFF_FFFF => {
            out.push_str("0x");
            hex(out, value as u32, (35 - (value as u32).leading_zeros() as usize) / 4);
        }
        _ => address(out, value),
    }
}
