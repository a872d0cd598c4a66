//! Packets as JSON records.

use super::field_values::{after_gap, beyond, ended_by, inner_bits, odd_bytes, symbol};
use super::hex_digits::{decimal, hex, hex_length, quoted_word, quoted_words};
use super::text_cache::{HeaderTexts, PacketTexts, RegisterTexts, Style, is_run};
use crate::chip::Gfx;
use crate::packet::{DecodeError, DecodedSplitValue, FieldValue, Packet, Queue, ShaderType};
use crate::regs::{self, FieldInfo};
use crate::report::ground::queue_name;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt::Write as _;

/// Packets as JSON records, one line each; docs/json.md lists the keys.
///
/// ```
/// use pm4::{chip::Gfx, packet::{Queue, Reader}, report::PacketJson};
/// # #[cfg(feature = "gfx11")] {
/// let records = PacketJson::new("draw.bin", Gfx::Gfx11, Queue::Graphics);
/// let mut lines = String::new();
/// for packet in Reader::new(&[0xC001_2D00, 3, 2]).flatten() {
///     records.packet(&mut lines, &packet);
/// }
/// assert!(lines.starts_with(r#"{"type":"packet","file":"draw.bin","dword":0,"header":"0xc0012d00","packet_type":3,"opcode":"DRAW_INDEX_AUTO","#));
/// # }
/// ```
#[derive(Debug, Clone)]
// The lines are written as text directly: a tree of values for every packet costs four times as much.
pub struct PacketJson {
    gfx: Gfx,
    queue: Queue,
    /// The file name as a JSON string.
    file: String,
    /// Generation and queue as members of a record, and the key of the body.
    view: String,
    register_texts: RefCell<RegisterTexts<RecordStyle>>,
    headers: RefCell<HeaderTexts>,
    packets: RefCell<PacketTexts>,
}

impl PacketJson {
    /// Creates a printer for the packets of one file: its name, and their generation and queue.
    pub fn new(file: &str, gfx: Gfx, queue: Queue) -> Self {
        let view = format!(r#""gfx":"{gfx}","queue":"{}","body":"#, queue_name(queue));
        Self {
            gfx,
            queue,
            file: serde_json::Value::from(file).to_string(),
            view,
            register_texts: RefCell::new(RegisterTexts::new(gfx, RecordStyle)),
            headers: RefCell::new(HeaderTexts::default()),
            packets: RefCell::new(PacketTexts::default()),
        }
    }

    /// Appends the record of a packet.
    pub fn packet(&self, out: &mut String, packet: &Packet<'_>) {
        out.push_str(r#"{"type":"packet","file":"#);
        out.push_str(&self.file);
        out.push_str(r#","dword":"#);
        decimal(out, packet.offset as u64);
        self.packets.borrow_mut().append(out, packet, 0, |out| self.after_dword(out, packet));
    }

    /// Appends the record after the position of the packet.
    fn after_dword(&self, out: &mut String, packet: &Packet<'_>) {
        let writes = packet.writes(self.gfx);
        // The header and offset of a run of registers have the same text, whatever the values.
        let run = is_run(packet, self.gfx);
        let mut headers = self.headers.borrow_mut();
        let place = headers.place(packet, run, |place| {
            self.head(&mut place.head, packet);
            if run {
                self.meaning(&mut place.meaning, packet);
            }
        });
        out.push_str(&place.head);
        words(out, packet.body);
        out.push(',');
        if run {
            out.push_str(&place.meaning);
        } else {
            self.meaning(out, packet);
        }
        out.push_str(r#","writes":"#);
        let mut registers = self.register_texts.borrow_mut();
        list(out, '[', writes, ']', |out, write| registers.write(out, write.addr, write.value));
        out.push_str("}\n");
    }

    /// Appends the members determined by the header.
    fn head(&self, out: &mut String, packet: &Packet<'_>) {
        out.push_str(r#","header":"#);
        quoted_word(out, packet.header.0);
        out.push_str(r#","packet_type":"#);
        decimal(out, packet.header.packet_type().into());
        out.push_str(r#","opcode":""#);
        match packet.name(self.gfx) {
            Some(name) => out.push_str(name),
            None => {
                out.push_str("0x");
                hex(out, packet.header.opcode().0.into(), 2);
            }
        }
        out.push_str(r#"","opcode_value":"#);
        match packet.opcode() {
            Some(opcode) => decimal(out, opcode.0.into()),
            None => out.push_str("null"),
        }
        out.push_str(r#","dwords":"#);
        decimal(out, packet.dwords() as u64);
        let predicate = packet.opcode().is_some() && packet.header.is_predicated();
        out.push_str(if predicate { r#","predicate":true"# } else { r#","predicate":false"# });
        out.push_str(if is_compute(packet) { r#","shader_type":"compute","# } else { r#","shader_type":"graphics","# });
        out.push_str(&self.view);
    }

    /// Appends the keys that describe the words, except the registers that they set: from `fields` to `reserved`.
    pub(in crate::report) fn meaning(&self, out: &mut String, packet: &Packet<'_>) {
        // Packets that set registers repeat their group once per register, and `writes` already contains it.
        let sets_registers = packet.writes(self.gfx).next().is_some();
        let all: Vec<FieldValue> = packet.fields(self.gfx, self.queue).take_while(|f| !sets_registers || f.group.is_none()).collect();
        out.push_str(r#""fields":"#);
        self.fields(out, packet, &all, sets_registers);
        out.push_str(r#","flags":"#);
        list(out, '[', all.iter().filter(|f| is_set_flag(f)), ']', |out, field| quoted(out, field.name));
        out.push_str(r#","layouts":"#);
        self.layouts(out, &all);
        out.push_str(r#","registers":"#);
        self.registers(out, if sets_registers { &[] } else { &all });
        out.push_str(r#","reserved":"#);
        list(out, '[', packet.reserved_bits(self.gfx, self.queue), ']', |out, (dword, bits)| {
            let _ = write!(out, r#"{{"dword":{dword},"bits":"{bits:#010x}"}}"#);
        });
    }

    /// Appends a packet or the damage that the reader found. `stream` contains the words of the reader. Returns whether something is wrong.
    pub fn item(&self, out: &mut String, item: &Result<Packet<'_>, DecodeError>, stream: &[u32]) -> bool {
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
    pub(super) fn checked(&self, out: &mut String, packet: &Packet<'_>) -> bool {
        self.packet(out, packet);
        let defect = packet.defect(self.gfx, self.queue);
        if let Some(defect) = &defect {
            self.error(out, packet.offset, &beyond(defect, packet.offset + packet.dwords()), &[]);
        }
        defect.is_some()
    }

    /// Appends words that are not a packet; `more` states whether words follow.
    pub(super) fn gap(&self, out: &mut String, error: &DecodeError, lost: &[u32], more: bool) {
        self.error(out, error.offset, &after_gap(error, more), lost);
    }

    /// Appends the record of damage. `lost` are the dwords outside all packets.
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

    /// Appends the fields: name to number or enum name; the halves of an address or another long value are followed by the whole value. Fields of a repeated
    /// group
    /// are lists; register offsets and values are in `writes` instead, the payload of NOP in `body`.
    fn fields(&self, out: &mut String, packet: &Packet<'_>, all: &[FieldValue], sets_registers: bool) {
        let value = |out: &mut String, field: &FieldValue| match field.symbol() {
            Some(symbol) => quoted(out, symbol),
            None => decimal(out, field.value),
        };
        let split_values: Vec<DecodedSplitValue> = if sets_registers { Vec::new() } else { packet.split_values(self.gfx, self.queue).collect() };
        // All fields of the repeated group occur in its first round; later rounds extend their lists.
        let first = all.iter().take_while(|f| f.group.unwrap_or(0) == 0).filter(|f| f.group.is_none() || f.name != "payload");
        list(out, '{', first, '}', |out, field| {
            quoted(out, field.name);
            out.push(':');
            match field.group {
                None => value(out, field),
                Some(_) => list(out, '[', column(all, field.name), ']', value),
            }
            // A whole value with the name of its lower half is printed as its halves.
            let Some(whole) = ended_by(&split_values, field).filter(|whole| whole.whole.name != whole.lo.name) else { return };
            let _ = write!(out, r#","{}":"#, whole.whole.name);
            let each = split_values.iter().filter(|other| core::ptr::eq(other.lo, whole.lo));
            let one = |out: &mut String, whole: &DecodedSplitValue| {
                let _ = write!(out, r#""{:#x}""#, whole.value);
            };
            match field.group {
                None => one(out, whole),
                Some(_) => list(out, '[', each, ']', one),
            }
        });
    }

    /// Appends the inner bits of fields with the layout of a register.
    fn layouts(&self, out: &mut String, all: &[FieldValue]) {
        let laid_out = all.iter().take_while(|f| f.group.is_none()).filter_map(|f| Some((f.field.layout?, f)));
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

    /// Appends the names of the registers that fields point to. Packets that set registers name them as writes.
    fn registers(&self, out: &mut String, all: &[FieldValue]) {
        let name = |out: &mut String, addr: u32| {
            let _ = match regs::lookup(self.gfx, addr) {
                Some(register) => write!(out, r#""{register}""#),
                None => write!(out, r#""{addr:#x}""#),
            };
        };
        let first = all.iter().take_while(|f| f.group.unwrap_or(0) == 0).filter_map(|f| Some((f, f.register()?)));
        list(out, '{', first, '}', |out, (field, addr)| {
            let _ = write!(out, r#""{}":"#, field.name);
            match field.group {
                None => name(out, addr),
                Some(_) => list(out, '[', column(all, field.name).filter_map(FieldValue::register), ']', name),
            }
        });
    }
}

/// Returns the values of one field of a repeated group.
fn column<'f>(all: &'f [FieldValue], name: &str) -> impl Iterator<Item = &'f FieldValue> {
    all.iter().filter(move |f| f.group.is_some() && f.name == name)
}

/// Register writes, one object each.
#[derive(Debug, Clone, Copy)]
struct RecordStyle;

impl Style for RecordStyle {
    const BEHIND: &'static str = "}}";

    fn before(&self, out: &mut String, addr: u32, name: &str) {
        out.push_str(r#"{"name":"#);
        quoted(out, name);
        out.push_str(r#","addr":"0x"#);
        hex(out, addr, hex_length(addr));
        out.push_str(r#"","value":"#);
    }

    fn value(&self, out: &mut String, value: u32) {
        quoted_word(out, value);
        out.push_str(r#","fields":{"#);
    }

    fn field(&self, out: &mut String, index: usize, field: &FieldInfo, part: u32) {
        if index > 0 {
            out.push(',');
        }
        quoted(out, field.name);
        out.push(':');
        match symbol(field, part) {
            Some(symbol) => quoted(out, symbol),
            None => decimal(out, part.into()),
        }
    }
}

/// Appends a name in quotes; names contain no characters that JSON escapes.
fn quoted(out: &mut String, name: &str) {
    out.push('"');
    out.push_str(name);
    out.push('"');
}

/// Appends items with commas between them.
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
    out.push('[');
    quoted_words(out, words);
    out.push(']');
}

/// Returns whether a field is a single set bit without named values.
fn is_set_flag(field: &FieldValue) -> bool {
    field.field.lo == field.field.hi && field.field.values.is_none() && field.value != 0
}

fn is_compute(packet: &Packet<'_>) -> bool {
    packet.opcode().is_some() && packet.header.shader_type() == ShaderType::Compute
}
