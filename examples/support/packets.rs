//! Packets as JSON records and as text: what `dump` prints, and `draw` for the stream it built.

use pm4::chip::Gfx;
use pm4::packet::{DecodeError, FieldValue, Header, Packet, Queue, ShaderType};
use pm4::regs::{self, FieldInfo};
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
        let _ = write!(out, r#","dwords":{},"predicate":{predicate},"shader_type":"{shader_type}","body":"#, packet.dwords());
        words(out, packet.body);
        out.push_str(r#","fields":"#);
        self.fields(out, packet);
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

    /// Field name to number or enum name. Fields of a repeated group are lists; register offsets and values stand in `writes` instead, the payload of NOP in
    /// `body`.
    fn fields(&self, out: &mut String, packet: &Packet<'_>) {
        let value = |out: &mut String, field: &FieldValue| {
            let _ = match field.symbol() {
                Some(symbol) => write!(out, r#""{symbol}""#),
                None => write!(out, "{}", field.value),
            };
        };
        let told = packet.writes(self.gfx).next().is_some();
        let shown = |f: &FieldValue| f.group.is_none() || !told && f.name != "payload";
        // All fields of the repeated group stand in the group's first round; later rounds extend their lists.
        let first = packet.fields(self.gfx, self.queue).take_while(|f| f.group.unwrap_or(0) == 0).filter(&shown);
        list(out, '{', first, '}', |out, field| {
            let _ = write!(out, r#""{}":"#, field.name);
            if field.group.is_none() {
                return value(out, &field);
            }
            let column = packet.fields(self.gfx, self.queue).filter(|f| f.group.is_some() && f.name == field.name);
            list(out, '[', column, ']', |out, field| value(out, &field));
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
        let name = opcode_name(packet, self.gfx);
        let _ = write!(out, "{}{:06x}  {:08x}{}  {}{name:<24}{}", self.on(DIM), packet.offset, packet.header.0, self.off(), self.on(BOLD), self.off());
        self.flags(out, packet.header, packet.opcode().is_some());
        self.fields(out, packet);
        let wide = packet.body.len() > WORDS_A_LINE;
        if !wide && !packet.body.is_empty() {
            let column = visible(&out[start..]);
            let _ = write!(out, "{:1$}", "", 88usize.saturating_sub(column));
            self.words(out, packet.body);
        } else {
            out.truncate(out.trim_end().len());
        }
        out.push('\n');
        if wide {
            for line in packet.body.chunks(WORDS_A_LINE) {
                let _ = write!(out, "{:18}", "");
                self.words(out, line);
                out.push('\n');
            }
        }
        for write in packet.writes(self.gfx) {
            self.write(out, write.addr, write.value);
        }
    }

    /// Appends what the reader could not make a packet of.
    pub fn damage(self, out: &mut String, error: &DecodeError, stream: &[u32]) {
        let _ = writeln!(out, "{:06x}  {}error: {error}{}", error.offset, self.on(RED), self.off());
        for line in stream.get(error.offset..error.offset + error.skipped).unwrap_or_default().chunks(WORDS_A_LINE) {
            let _ = write!(out, "{:18}", "");
            self.words(out, line);
            out.push('\n');
        }
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
                (header.predicate(), "predicate"),
                (header.shader_type() == ShaderType::Compute, "compute"),
                (header.reset_filter_cam(), "reset_filter_cam"),
                (header.reserved() != 0, "reserved_bits"),
            ] {
                if set {
                    let _ = write!(out, " +{name}");
                }
            }
        }
    }

    /// The fields that say something: named values and numbers that are not 0. Halves of an address are one.
    fn fields(self, out: &mut String, packet: &Packet<'_>) {
        let fields: Vec<_> = packet.fields(self.gfx, self.queue).filter(|f| f.group.is_none()).collect();
        let writes = packet.writes(self.gfx).next().is_some();
        let mut skip = None;
        for (i, field) in fields.iter().enumerate() {
            if skip == Some(i) || (writes && (field.name == "reg_offset" || field.value == 0)) {
                continue;
            }
            let upper = field.name.strip_suffix("_lo").and_then(|stem| {
                let at = fields.iter().position(|f| f.name.strip_suffix("_hi") == Some(stem))?;
                Some((stem, at, fields[at].value))
            });
            if let Some((stem, at, high)) = upper {
                skip = Some(at);
                let _ = write!(out, " {stem}={:#x}", high << 32 | field.value);
            } else if let Some(layout) = field.field.layout {
                self.inner(out, field, layout);
            } else if let Some(symbol) = field.symbol() {
                let _ = write!(out, " {}={symbol}", field.name);
            } else if field.value != 0 {
                let _ = write!(out, " {}={}", field.name, number(field.value));
            }
        }
    }

    /// A field that is laid out like a register.
    fn inner(self, out: &mut String, field: &FieldValue, layout: &pm4::packet::Layout) {
        let _ = write!(out, " {}={}", field.name, number(field.value));
        let mut open = false;
        for bits in layout.bits.iter().filter(|b| b.gfx & self.gfx.bit() != 0) {
            let value = field.value >> bits.lo & (u64::MAX >> (63 - (bits.hi - bits.lo)));
            if value == 0 {
                continue;
            }
            out.push_str(if open { " " } else { " (" });
            open = true;
            let name = bits.values.and_then(|e| e.values.iter().find(|v| u64::from(v.value) == value)).map(|v| v.name);
            let _ = match name {
                Some(name) => write!(out, "{}={name}", bits.name),
                None => write!(out, "{}={}", bits.name, number(value)),
            };
        }
        if open {
            out.push(')');
        }
    }

    fn words(self, out: &mut String, words: &[u32]) {
        let _ = write!(out, "{} ;", self.on(DIM));
        for word in words {
            let _ = write!(out, " {word:08x}");
        }
        out.push_str(self.off());
    }

    fn write(self, out: &mut String, addr: u32, value: u32) {
        let register = regs::lookup(self.gfx, addr);
        let name = register.map_or_else(|| format!("{addr:#x}"), |r| r.name().to_string());
        let _ = write!(out, "{:18}{}{addr:05x}{} {}{name:<36}{} {value:08x}", "", self.on(DIM), self.off(), self.on(CYAN), self.off());
        for field in register.map_or(&[][..], |r| r.fields()) {
            let part = field.get(value);
            let whole = field.lo == 0 && field.hi == 31;
            let _ = match symbol(field, part) {
                Some(symbol) if part != 0 => write!(out, " {}={symbol}", field.name),
                None if part != 0 && !whole => write!(out, " {}={}", field.name, number(part.into())),
                _ => Ok(()),
            };
        }
        out.push('\n');
    }
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
fn number(value: u64) -> String {
    if value < 4096 { value.to_string() } else { format!("{value:#x}") }
}
