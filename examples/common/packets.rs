//! Packets as JSON records and as text: what `dump` prints, and `draw` for the stream it built.

use pm4::chip::Gfx;
use pm4::packet::{Bits, DecodeError, Defect, FieldValue, Header, Layout, Packet, Queue, ShaderType};
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
        out.push_str(r#","layouts":"#);
        self.layouts(out, packet);
        out.push_str(r#","registers":"#);
        self.registers(out, packet);
        out.push_str(r#","reserved":"#);
        list(out, '[', packet.reserved_bits(self.gfx, self.queue), ']', |out, (dword, bits)| {
            let _ = write!(out, r#"{{"dword":{dword},"bits":"{bits:#010x}"}}"#);
        });
        out.push_str(r#","writes":"#);
        list(out, '[', packet.writes(self.gfx), ']', |out, write| self.write(out, write.addr, write.value));
        out.push_str("}\n");
    }

    /// Appends what the reader found, and what is wrong with it; whether something is.
    pub fn item(&self, out: &mut String, item: &Result<Packet<'_>, DecodeError>, stream: &[u32]) -> bool {
        match item {
            Ok(packet) => {
                self.packet(out, packet);
                let defect = packet.defect(self.gfx, self.queue);
                if let Some(defect) = &defect {
                    self.error(out, packet.offset, &beyond(defect, packet.offset + packet.dwords()), &[]);
                }
                defect.is_some()
            }
            Err(error) => {
                let lost = stream.get(error.offset..error.offset + error.skipped).unwrap_or_default();
                self.error(out, error.offset, &after_gap(error, stream), lost);
                true
            }
        }
    }

    /// Appends the record of damage. `lost` are the dwords that belong to no packet.
    fn error(&self, out: &mut String, dword: usize, message: &str, lost: &[u32]) {
        let _ = write!(out, r#"{{"type":"error","file":{},"dword":{dword},"message":"{message}","words":"#, self.file);
        words(out, lost);
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
            let is_half = half_of(field.name, "_hi").is_some() && !(field.name == "src_addr_hi" && all().any(|f| is_data(&f)));
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

    /// The inner bits of fields that are laid out like a register.
    fn layouts(&self, out: &mut String, packet: &Packet<'_>) {
        let laid_out = packet.fields(self.gfx, self.queue).take_while(|f| f.group.is_none()).filter_map(|f| Some((f.field.layout?, f)));
        list(out, '{', laid_out, '}', |out, (layout, field)| {
            let _ = write!(out, r#""{}":"#, field.name);
            list(out, '{', inner_bits(layout, self.gfx, field.value), '}', |out, (bits, value, symbol)| {
                let _ = match symbol {
                    Some(symbol) => write!(out, r#""{}":"{symbol}""#, bits.name),
                    None => write!(out, r#""{}":{value}"#, bits.name),
                };
            });
        });
    }

    /// The names of the registers that fields point to.
    fn registers(&self, out: &mut String, packet: &Packet<'_>) {
        let all = || packet.fields(self.gfx, self.queue).filter_map(|f| Some((f, register_of(packet, self.gfx, &f)?)));
        let told = packet.writes(self.gfx).next().is_some();
        let first = all().take_while(|(f, _)| f.group.unwrap_or(0) == 0).filter(|(f, _)| !told || f.group.is_none());
        let name = |out: &mut String, addr: u32| {
            let _ = match regs::lookup(self.gfx, addr) {
                Some(register) => write!(out, r#""{register}""#),
                None => write!(out, r#""{addr:#x}""#),
            };
        };
        list(out, '{', first, '}', |out, (field, addr)| {
            let _ = write!(out, r#""{}":"#, field.name);
            match field.group {
                None => name(out, addr),
                Some(_) => list(out, '[', all().filter(|(f, _)| f.group.is_some() && f.name == field.name), ']', |out, (_, addr)| name(out, addr)),
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

/// The first items with commas between them; the words behind `;` have them all.
fn some<T>(out: &mut String, items: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut String, T)) {
    for (i, item) in items.into_iter().take(WORDS_A_LINE + 1).enumerate() {
        if i > 0 {
            out.push(',');
        }
        if i == WORDS_A_LINE {
            out.push_str("...");
        } else {
            each(out, item);
        }
    }
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

/// Halves of addresses whose names differ in more than `_lo` and `_hi`: lower, upper, and what the whole is called.
const UNLIKE_HALVES: &[(&str, &str, &str)] = &[
    ("src_addr_lo_or_data", "src_addr_hi", "src_addr"),
    ("src_32b_addr_lo", "src_memtc_addr_hi", "src_addr"),
    ("src_64b_addr_lo", "src_memtc_addr_hi", "src_addr"),
    ("dst_32b_addr_lo", "dst_addr_hi", "dst_addr"),
    ("dst_64b_addr_lo", "dst_addr_hi", "dst_addr"),
    ("offset_or_address_lo", "src_address_hi", "src_address"),
];

/// The name of the value whose halves these are: `address` of `address_lo` and `address_hi`.
fn whole_of(low: &FieldValue, high: &FieldValue) -> Option<&'static str> {
    let stem = half_of(high.name, "_hi")?;
    let alike = (half_of(low.name, "_lo") == Some(stem) && low.group.is_some() == high.group.is_some()).then_some(stem);
    alike.or_else(|| UNLIKE_HALVES.iter().find(|(l, h, _)| (*l, *h) == (low.name, high.name)).map(|half| half.2))
}

/// Whether the source of DMA_DATA is data, not at an address.
fn is_data(field: &FieldValue) -> bool {
    field.name == "src_sel" && field.symbol() == Some("data")
}

/// Whether a field has the name of a lower half.
fn is_low(name: &'static str) -> bool {
    half_of(name, "_lo").is_some() || UNLIKE_HALVES.iter().any(|half| half.0 == name)
}

/// What the bits of a laid out field hold: value, and its name where it has one.
fn inner_bits(layout: &'static Layout, gfx: Gfx, value: u64) -> impl Iterator<Item = (&'static Bits, u64, Option<&'static str>)> {
    layout.bits.iter().filter(move |b| b.gfx & gfx.bit() != 0).map(move |bits| {
        let value = value >> bits.lo & (u64::MAX >> (63 - (bits.hi - bits.lo)));
        (bits, value, bits.values.and_then(|e| e.values.iter().find(|v| u64::from(v.value) == value)).map(|v| v.name))
    })
}

const SH: u32 = 0xB000;

/// Fields that hold the dword address of a register. On GFX12 some have 38 bits.
const ADDRESSES: &[&str] = &[
    "reg_poll_addr",
    "reg_write_addr1",
    "reg_write_addr2",
    "src_reg_offset",
    "src_reg_offset_lo",
    "dst_reg_offset",
    "dst_reg_offset_lo",
    "dst_mmreg_addr",
    "dst_mmreg_addr_lo",
    "mod_addr",
    "and_addr",
    "or_addr",
];

/// Where `reg_offset` counts from, by the beginning of the packet's name. SET_* tell their registers as writes.
const WINDOWS: &[(&str, u32)] =
    &[("CONTEXT_REG_RMW", 0x28000), ("LOAD_CONTEXT", 0x28000), ("LOAD_SH", SH), ("SET_SH_REG_OFFSET", SH), ("LOAD_UCONFIG", 0x30000), ("LOAD_CONFIG", 0x8000)];

/// Byte address of the register that a field points to.
fn register_of(packet: &Packet<'_>, gfx: Gfx, field: &FieldValue) -> Option<u32> {
    // Most fields are too narrow or have named values: their names need not be looked at.
    if field.field.hi - field.field.lo < 15 || field.field.values.is_some() || field.field.layout.is_some() {
        return None;
    }
    let base = match field.name {
        "reg_offset" => WINDOWS.iter().find(|(start, _)| packet.name(gfx).is_some_and(|name| name.starts_with(start)))?.1,
        // SGPRs for draw arguments; 0 where the shader wants none.
        name if name.ends_with("_loc") && field.value != 0 => SH,
        name if ADDRESSES.contains(&name) => 0,
        _ => return None,
    };
    Some(base + 4 * u32::try_from(field.value).ok().filter(|dword| *dword < 1 << 18)?)
}

/// What is told of a packet that no engine reads.
fn beyond(defect: &Defect, next: usize) -> String {
    format!("{defect}, reading goes on at dword {next}")
}

/// What is told of dwords that are no packet.
fn after_gap(error: &DecodeError, stream: &[u32]) -> String {
    match error.offset + error.skipped {
        next if next < stream.len() => format!("{error}, reading goes on at dword {next}"),
        _ => format!("{error}, no packets are found behind it"),
    }
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

/// What the first line of the text form starts with.
pub const TITLE: &str = "# generation ";

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
            self.reserved(out, packet);
        } else if packet.header.reserved() != 0 {
            self.reserved(out, packet);
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

    /// Appends what tells `asm` how the words are to be read.
    pub fn title(self, out: &mut String) {
        let _ = writeln!(out, "{TITLE}{}, queue {}", self.gfx, queue_name(self.queue));
    }

    /// Appends what the reader found, and what is wrong with it; whether something is.
    pub fn item(self, out: &mut String, item: &Result<Packet<'_>, DecodeError>, stream: &[u32]) -> bool {
        match item {
            Ok(packet) => {
                self.packet(out, packet);
                let defect = packet.defect(self.gfx, self.queue);
                if let Some(defect) = &defect {
                    self.error(out, packet.offset, &beyond(defect, packet.offset + packet.dwords()));
                }
                defect.is_some()
            }
            Err(error) => {
                self.error(out, error.offset, &after_gap(error, stream));
                self.lines(out, stream.get(error.offset..error.offset + error.skipped).unwrap_or_default());
                true
            }
        }
    }

    fn error(self, out: &mut String, dword: usize, message: &str) {
        let _ = writeln!(out, "{dword:06x}  {}error: {message}{}", self.on(RED), self.off());
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
            ] {
                if set {
                    out.push_str(name);
                }
            }
        }
    }

    /// The fields by name: values with their names, numbers, addresses whole; flags where they are set. Fields of a repeated group are lists; those of register
    /// writes stand below, the payload of NOP behind `;`.
    fn fields(self, out: &mut String, packet: &Packet<'_>, told: bool) {
        let mut fixed = FIXED.take();
        fixed.clear();
        let mut all = packet.fields(self.gfx, self.queue);
        let group = all.by_ref().find(|f| {
            f.group.is_some() || {
                fixed.push(*f);
                false
            }
        });
        let data = fixed.iter().any(is_data);
        for field in fixed.iter().filter(|f| !(told && (f.name == "reg_offset" || f.value == 0))) {
            let data = data && matches!(field.name, "src_addr_lo_or_data" | "src_addr_hi");
            let (low, high) = (!data && is_low(field.name), !data && field.name.ends_with("_hi"));
            if let Some((stem, high)) = fixed.iter().filter(|_| low).find_map(|high| whole_of(field, high).map(|stem| (stem, high))) {
                name(out, stem);
                address(out, high.value << 32 | field.value);
            } else if high && fixed.iter().any(|low| whole_of(low, field).is_some()) {
                // Told with its lower half.
            } else if let Some(layout) = field.field.layout {
                self.inner(out, field, layout);
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
            if let Some(addr) = register_of(packet, self.gfx, field).filter(|_| !told) {
                out.push_str(" (");
                with_register(self.gfx, addr, |register, _| out.push_str(register));
                out.push(')');
            }
        }
        FIXED.set(fixed);
        if group.is_some_and(|f| !told && f.name != "payload") {
            self.groups(out, packet);
        }
    }

    /// The fields of a repeated group, each as a list.
    fn groups(self, out: &mut String, packet: &Packet<'_>) {
        let all = || packet.fields(self.gfx, self.queue).skip_while(|f| f.group.is_none());
        let first = || all().take_while(|f| f.group == Some(0));
        let column = |of: &'static str| all().filter(move |f| f.name == of);
        for field in first() {
            if let Some((stem, low)) = first().find_map(|low| whole_of(&low, &field).map(|stem| (stem, low))) {
                name(out, stem);
                some(out, column(low.name).zip(column(field.name)), |out, (low, high)| address(out, high.value << 32 | low.value));
            } else if !first().any(|high| whole_of(&field, &high).is_some()) {
                name(out, field.name);
                some(out, column(field.name), |out, field| match (register_of(packet, self.gfx, &field), field.symbol()) {
                    (Some(addr), _) => with_register(self.gfx, addr, |register, _| out.push_str(register)),
                    (None, Some(symbol)) => out.push_str(symbol),
                    (None, None) => number(out, field.value),
                });
            }
        }
    }

    /// Bits that belong to no field, by dword of the packet.
    fn reserved(self, out: &mut String, packet: &Packet<'_>) {
        for (dword, bits) in packet.reserved_bits(self.gfx, self.queue) {
            let _ = write!(out, " reserved[{dword}]={bits:#x}");
        }
    }

    /// A field that is laid out like a register.
    fn inner(self, out: &mut String, field: &FieldValue, layout: &'static Layout) {
        name(out, field.name);
        number(out, field.value);
        let mut open = false;
        for (bits, value, symbol) in inner_bits(layout, self.gfx, field.value).filter(|(_, value, symbol)| *value != 0 || symbol.is_some()) {
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
    /// The fields of the packet that is told, without those of its repeated group: one buffer for all packets.
    static FIXED: RefCell<Vec<FieldValue>> = const { RefCell::new(Vec::new()) };
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
