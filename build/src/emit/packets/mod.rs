//! Emits the packet tables: opcodes, formats, forms, fields, enums, events. All are static arrays; equal arrays are shared.

mod author;
mod bodies;
mod effects;
mod rows;
mod shapes;
mod words;

pub use bodies::list;
pub use effects::mistakes;

use crate::gfx::GfxSet;
use crate::lower::conditions::{conditions, parts};
use crate::model::packets::*;
use crate::model::registers::Database;
use rows::{FieldParts, Rows};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Returns the text of `packets.rs`, which `src/packet/tables/generated.rs` includes. For generations that are compiled out, it contains only names of opcodes
/// and bits, for code of this crate that names several generations.
pub fn emit(packets: &Packets, database: &Database, enabled: GfxSet) -> String {
    // Generations that are compiled out have no tables and structs; struct names do not depend on this.
    let (all, packets) = (packets, &packets.only(enabled));
    let sorted = sorted(packets);
    let mut pool = Pool::new(packets, database);
    let mut formats = Vec::new();
    for packet in &sorted {
        formats.push(pool.format(packet));
    }
    let mut out = String::new();
    writeln!(out, "/// The longest fixed part of a body.\npub(in crate::packet) const MAX_FIXED: usize = {MAX_FIXED};").unwrap_or_default();
    let author = author::author(all, packets, &sorted, enabled, &mut pool.rows);
    out.push_str(&pool.rows.emit());
    out.push_str(&pool.text);
    writeln!(out, "pub(in crate::packet) static FORMATS: &[Format] = &[\n{}];", formats.concat()).unwrap_or_default();
    out.push_str(&opcodes(packets, enabled));
    out.push_str(&by_opcode(packets, &sorted));
    out.push_str(&effects::tables(packets, database, enabled));
    out.push_str(&events(packets, enabled));
    out.push_str(&bodies::bodies(all, &self::sorted(all), enabled));
    out.push_str(&author);
    out
}

/// Returns the packets sorted by name.
fn sorted(packets: &Packets) -> Vec<&Packet> {
    let mut sorted: Vec<&Packet> = packets.packets.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    sorted
}

/// Static arrays that have been emitted, by text.
struct Pool<'a> {
    packets: &'a Packets,
    database: &'a Database,
    statics: BTreeMap<(&'static str, String), String>,
    text: String,
    rows: Rows,
}

impl<'a> Pool<'a> {
    fn new(packets: &'a Packets, database: &'a Database) -> Self {
        Self { packets, database, statics: BTreeMap::new(), text: String::new(), rows: Rows::new() }
    }

    /// Returns the name of a static array with these items.
    fn list(&mut self, kind: &'static str, items: &[String]) -> String {
        if items.is_empty() {
            return "&[]".into();
        }
        let body = items.join(", ");
        if let Some(name) = self.statics.get(&(kind, body.clone())) {
            return name.clone();
        }
        let name = format!("{}{}", kind.to_uppercase(), self.statics.len());
        let ty = match kind {
            "rule" => "EffectRow",
            "operand" => "Operand",
            "at" => "At",
            "whole" => "SplitValue",
            "firmware" => "FirmwareNeed",
            "starts" => "Starts",
            "tolerated" => "ToleratedBits",
            other => other,
        };
        writeln!(self.text, "static {name}: &[{ty}] = &[{body}];").unwrap_or_default();
        self.statics.insert((kind, body), name.clone());
        name
    }

    fn format(&mut self, p: &Packet) -> String {
        let mut forms = Vec::new();
        for form in &p.forms {
            forms.push(self.form(p, form));
        }
        let tolerated = self.tolerated(p);
        let opcodes = p.opcodes.iter().map(|(set, v)| format!("({:#x}, Opcode({v:#x}))", set.and(p.scope.gfx()).0)).collect::<Vec<_>>().join(", ");
        format!(
            "Format {{ name: {:?}, opcode_name: {:?}, opcodes: &[{}], scope: Scope({:#x}), shader_type: {}, kernel: {}, doc: {:?}, notes: &{:?}, sources: &{:?}, effects: &{:?}, tolerated: {tolerated}, forms: &[{}] }},\n",
            p.name,
            p.constant,
            opcodes,
            p.scope.0,
            p.shader_type,
            p.kernel,
            p.doc,
            p.notes,
            p.sources,
            words::sentences(p),
            forms.join(", ")
        )
    }

    /// Returns the number of a list of conditions.
    fn condition_list(&mut self, when: &[Condition]) -> usize {
        let mut rows = Vec::new();
        for c in when {
            rows.push(self.rows.condition([c.dword, c.lo, c.hi], c.not, &c.values));
        }
        self.rows.conditions(&rows)
    }

    /// Returns a list of conditions as a Rust expression.
    fn conditions(&mut self, when: &[Condition]) -> String {
        format!("CONDITION_LISTS[{}]", self.condition_list(when))
    }

    fn form(&mut self, packet: &Packet, form: &Form) -> String {
        let mut fields = Vec::new();
        for field in &form.fields {
            // Unresolvable conditions have been reported by the checks. A field of other generations has no place.
            let places = conditions(self.packets, form, field).unwrap_or_default();
            if places.is_empty() {
                continue;
            }
            let values = field.values.map(|index| self.values(index));
            let layout = field.layout.map(|index| self.layout(index));
            for (scope, when) in places {
                let parts = FieldParts {
                    name: &field.name,
                    when: self.condition_list(&when),
                    values,
                    layout,
                    kernel: field.kernel,
                    in_place: is_in_place(packet, field),
                    everything: field.everything,
                    register: effects::register(packet, field),
                    doc: &field.doc,
                };
                fields.push(self.rows.field([field.dword, field.lo, field.hi], scope.0, &parts));
            }
        }
        let fields = format!("FIELD_LISTS[{}]", self.rows.fields(&fields));
        let sizes = form.sizes.iter().map(|(set, n)| format!("FormSize {{ gfx: {:#x}, dwords: {n} }}", set.0)).collect::<Vec<_>>().join(", ");
        let repeat = form.repeat.map_or("None".into(), |r| format!("Some(RepeatedGroup {{ from: {}, len: {}, kind: {:?} }})", r.from, r.len, GROUPS[r.kind]));
        let (split_values, effects) = (self.split_values(packet, form), self.effects(self.database, packet, form));
        let (firmware, work) = (self.firmware(packet, form), self.work(packet, form));
        format!(
            "Form {{ scope: Scope({:#x}), internal: {}, sizes: &[{}], repeat: {repeat}, fields: {fields}, split_values: {split_values}, effects: {effects}, firmware: {firmware}, work: {work} }}",
            form.scope.0, form.internal, sizes
        )
    }

    /// Returns the bits outside all fields that drivers set without harm.
    fn tolerated(&mut self, packet: &Packet) -> String {
        let list = packet
            .tolerated
            .iter()
            .map(|bits| {
                let mask = u32::MAX >> (31 - bits.hi) & u32::MAX << bits.lo;
                format!(
                    "ToleratedBits {{ dword: {}, mask: {mask:#x}, dwords: {:?}, scope: Scope({:#x}), doc: {:?} }}",
                    bits.dword, bits.dwords, bits.scope.0, bits.doc
                )
            })
            .collect::<Vec<_>>();
        self.list("tolerated", &list)
    }

    /// Returns the work that packets of a layout start.
    fn work(&mut self, packet: &Packet, form: &Form) -> String {
        let mut list = Vec::new();
        for starts in &packet.work {
            // Unresolvable conditions have been reported by the checks.
            for (scope, when) in parts(self.packets, form, starts.scope.and(form.scope), &starts.when).unwrap_or_default() {
                let work = if starts.work == Work::Dispatch { "Dispatch" } else { "Draw" };
                list.push(format!("Starts {{ work: Work::{work}, scope: Scope({:#x}), when: {} }}", scope.0, self.conditions(&when)));
            }
        }
        self.list("starts", &list)
    }

    /// Returns the firmware that a layout needs.
    fn firmware(&mut self, packet: &Packet, form: &Form) -> String {
        let mut list = Vec::new();
        for firmware in &packet.firmware {
            // Unresolvable conditions have been reported by the checks.
            for (scope, when) in parts(self.packets, form, firmware.scope.and(form.scope), &firmware.when).unwrap_or_default() {
                let when = self.conditions(&when);
                let of = ["Pfp", "Me", "Mec", "MeFeature"][firmware.counter];
                list.push(format!(
                    "FirmwareNeed {{ of: FirmwareCounter::{of}, from: {}, maybe_from: {}, scope: Scope({:#x}), when: {when}, what: {:?}, always_satisfied: {} }}",
                    firmware.from, firmware.maybe_from, scope.0, firmware.what, firmware.always_satisfied
                ));
            }
        }
        self.list("firmware", &list)
    }

    /// Returns the values of several fields, with the entries of the emitted field table that hold their parts.
    fn split_values(&mut self, packet: &Packet, form: &Form) -> String {
        let table = table(self.packets, form);
        // Returns the entries of the fields with these names.
        let entries = |names: &[&str]| {
            let mut entries = Vec::new();
            for name in names {
                entries.extend((0..table.len()).filter(|entry| table[*entry].0.name == *name));
            }
            entries
        };
        let mut list = Vec::new();
        for whole in &packet.split_values {
            let (lo, hi) = (
                entries(&whole.lo.iter().map(|name| name.text.as_str()).collect::<Vec<_>>()),
                entries(&whole.hi.as_slice().iter().map(|name| name.text.as_str()).collect::<Vec<_>>()),
            );
            if lo.is_empty() || whole.hi.is_some() && hi.is_empty() {
                continue;
            }
            let address = whole
                .address
                .map_or("None".into(), |a| format!("Some(AddressLimits {{ align: {}, preferred_align: {}, bits: {} }})", a.align, a.preferred_align, a.bits));
            // Unresolvable conditions have been reported by the checks.
            for (scope, when) in parts(self.packets, form, form.scope, &whole.when).unwrap_or_default() {
                let when = self.conditions(&when);
                list.push(format!(
                    "SplitValue {{ name: {:?}, scope: Scope({:#x}), lo: &{lo:?}, hi: &{hi:?}, shift: {}, address: {address}, when: {when} }}",
                    whole.name.text, scope.0, whole.shift
                ));
            }
        }
        self.list("whole", &list)
    }

    /// Returns the number of an enum.
    fn values(&mut self, index: usize) -> usize {
        let e = &self.packets.enums[index];
        let mut rows = Vec::new();
        for v in &e.values {
            rows.push(self.rows.value(&v.name, v.value, v.scope.0));
        }
        self.rows.values(&e.name, &rows)
    }

    /// Returns the number of a layout.
    fn layout(&mut self, index: usize) -> usize {
        let b = &self.packets.bitfields[index];
        let mut rows = Vec::new();
        for field in &b.fields {
            let values = field.values.map(|index| self.values(index));
            rows.push(self.rows.bits(&field.name, [field.lo, field.hi, field.gfx.0], values));
        }
        self.rows.layout(&b.name, &rows)
    }
}

/// Returns the fields of a form as in its emitted table, each with its scope and whether it has conditions there.
fn table<'a>(packets: &Packets, form: &'a Form) -> Vec<(&'a Field, Scope, bool)> {
    let parts = |field: &'a Field| conditions(packets, form, field).unwrap_or_default().into_iter().map(move |(scope, when)| (field, scope, !when.is_empty()));
    form.fields.iter().flat_map(parts).collect()
}

/// Returns whether a field is the lower half of an address in place: its value is not shifted, and the bits below it are zero.
fn is_in_place(packet: &Packet, field: &Field) -> bool {
    let low = |whole: &SplitValue| whole.address.is_some() && whole.hi.is_some() && whole.lo.iter().any(|name| name.text == field.name);
    field.hi == 31 && field.lo > 0 && packet.split_values.iter().any(low)
}

/// Returns the visibility of the name of an opcode or bits: public only if an enabled generation has it.
fn visible(gfx: GfxSet, enabled: GfxSet) -> &'static str {
    if gfx.and(enabled).is_empty() { "#[allow(dead_code)] pub(crate)" } else { "pub" }
}

/// Returns the constants of `Opcode`, and the table of names sorted by opcode.
fn opcodes(packets: &Packets, enabled: GfxSet) -> String {
    let mut rows: BTreeMap<(u8, &str), GfxSet> = BTreeMap::new();
    for o in &packets.opcodes {
        let set = rows.entry((o.value, &o.name)).or_insert(GfxSet::NONE);
        *set = set.or(o.gfx);
    }
    let mut constants = String::new();
    let mut table = String::new();
    for (&(value, name), set) in &rows {
        // If an opcode has moved, the generation distinguishes the new one from the first.
        let moved = rows.iter().any(|(&(v, n), s)| n == name && v != value && s.first() < set.first());
        let generation = set.first().map_or("", |i| crate::gfx::GENERATIONS[i].id).to_uppercase();
        let constant = if moved { format!("{name}_{generation}") } else { name.to_owned() };
        writeln!(constants, "/// {name}, GFX{set}.\n{} const {constant}: Self = Self({value:#04x});", visible(*set, enabled)).unwrap_or_default();
        let here = set.and(enabled);
        if !here.is_empty() {
            writeln!(table, "OpcodeName {{ value: {value:#x}, gfx: {:#x}, name: {name:?} }},", here.0).unwrap_or_default();
        }
    }
    format!("impl Opcode {{\n{constants}}}\npub(in crate::packet) static OPCODES: &[OpcodeName] = &[\n{table}];\n")
}

/// Returns the formats for each opcode, and the engines that support it.
fn by_opcode(packets: &Packets, sorted: &[&Packet]) -> String {
    let mut formats = vec![Vec::new(); 256];
    let mut available = [0u32; 256];
    for (index, packet) in sorted.iter().enumerate() {
        for (set, value) in &packet.opcodes {
            formats[usize::from(*value)].push(index);
            let gfx = (0..6).filter(|&i| set.has(i)).fold(0, |bits, i| bits | 0xF << (4 * i));
            available[usize::from(*value)] |= packet.scope.0 & gfx;
        }
    }
    for named in &packets.opcodes {
        available[usize::from(named.value)] |= named.bare.and_then(|bare| bare.engines).map_or(0, |engines| engines.0);
    }
    let lists = formats.iter().map(|list| format!("&{list:?}")).collect::<Vec<_>>().join(", ");
    format!("pub(in crate::packet) static BY_OPCODE: [&[u8]; 256] = [{}];\npub(in crate::packet) static AVAILABLE: [u32; 256] = {available:?};\n", lists)
}

/// Returns the constants of `Event`, and the table of events.
fn events(packets: &Packets, enabled: GfxSet) -> String {
    let mut constants = String::new();
    let mut table = String::new();
    for v in packets.enums.iter().filter(|e| e.name == EVENTS).flat_map(|e| &e.values) {
        if !v.name.contains("_0x") {
            let (gfx, name) = (v.scope.gfx(), &v.name);
            writeln!(constants, "/// {name}, GFX{gfx}.\n{} const {name}: Self = Self({});", visible(gfx, enabled), v.value).unwrap_or_default();
        }
        let mut rest = v.scope.gfx();
        let mut parts = v.index.clone();
        for (set, _) in &v.index {
            rest = rest.minus(*set);
        }
        parts.push((rest, 0));
        for (set, index) in parts.into_iter().map(|(set, index)| (set.and(enabled), index)).filter(|(set, _)| !set.is_empty()) {
            writeln!(
                table,
                "EventInfo {{ value: {}, gfx: {:#x}, name: {:?}, index: {index}, timestamp: {}, sample: {}, shader_done: {} }},",
                v.value, set.0, v.name, v.timestamp, v.sample, v.shader_done
            )
            .unwrap_or_default();
        }
    }
    format!("impl crate::packet::wire::event::Event {{\n{constants}}}\npub(in crate::packet) static EVENTS: &[EventInfo] = &[\n{table}];\n")
}
