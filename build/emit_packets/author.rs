//! Emits what programs write packets with: one struct for each distinct set of fields, and the names of values as constants.
//!
//! The structs hold no layout: each says which entries of the field table its members are, and one encoder for all packets does the rest.

use super::{camel, rust};
use crate::regdb::gfx::{GENERATIONS, GfxSet};
use crate::regdb::packets::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const PFP: u32 = 0b0001;
const GRAPHICS: u32 = 0b0011;
const MEC: u32 = 0b0100;

/// A member of a struct: one field, or the two halves of a 64-bit value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slot {
    name: String,
    kind: Kind,
    /// Only some packets have it, depending on other fields.
    optional: bool,
    /// Entries of the emitted field table; alternatives differ in scope or condition.
    lo: BTreeSet<usize>,
    hi: BTreeSet<usize>,
    doc: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Flag,
    Number,
    Long,
    Event,
    Value(usize),
}

struct Struct {
    form: usize,
    size: u8,
    open: bool,
    slots: Vec<Slot>,
    cells: Vec<(usize, bool)>,
}

/// The module `author`: structs, modules by generation, values.
pub fn author(packets: &Packets, sorted: &[&Packet]) -> String {
    let mut out = String::new();
    let mut used = BTreeMap::new();
    let mut modules: BTreeMap<usize, Vec<(String, String)>> = BTreeMap::new();
    let mut every = String::new();
    for (format, packet) in sorted.iter().enumerate().filter(|(_, p)| !p.kernel) {
        let structs = structs(packets, packet);
        let smallest = structs.iter().map(|s| s.size).min().unwrap_or(0);
        for this in &structs {
            let (plain, name) = names(packet, this, &structs, smallest);
            for slot in &this.slots {
                if let Kind::Value(index) = slot.kind {
                    used.insert(index, value_type(packets, index));
                }
            }
            emit_struct(&mut out, packet, format, this, &name, &used);
            write!(every, "{name} ").unwrap_or_default();
            for &(gfx, compute) in &this.cells {
                let suffix =
                    if compute && !this.cells.contains(&(gfx, false)) && structs.iter().any(|s| s.cells.contains(&(gfx, false))) { "Compute" } else { "" };
                let import = (name.clone(), format!("{plain}{suffix}"));
                let list = modules.entry(gfx).or_default();
                if !list.contains(&import) {
                    list.push(import);
                }
            }
        }
    }
    let modules: String = modules
        .iter()
        .map(|(&gfx, list)| {
            let generation = &GENERATIONS[gfx];
            let imports: Vec<String> = list.iter().map(|(name, plain)| if name == plain { name.clone() } else { format!("{name} as {plain}") }).collect();
            format!(
                "/// The packets of GFX{}, each with the fields that it has there.\n#[cfg(feature = {:?})]\npub mod {} {{ pub use super::author::{{{}}}; }}\n",
                generation.name,
                generation.id,
                generation.id,
                imports.join(", ")
            )
        })
        .collect();
    let values: String = used.iter().map(|(&index, name)| emit_values(packets, index, name)).collect();
    format!(
        "pub mod author {{\nuse super::super::author::{{Closed, Open, PacketFields, Slot, Value, Values, plain_packet}};\nuse core::marker::PhantomData;\nuse super::super::event::Event;\nuse super::{{Scope, values}};\n\n{out}}}\n{modules}\
         /// Names of values, one type for each enum.\npub mod values {{\nuse super::super::author::Value;\n/// What tells the values of one field from those of another.\npub mod kind {{\n{}}}\n{values}}}\n\
         #[doc(hidden)]\n#[macro_export]\nmacro_rules! each_packet_struct {{ ($each:ident) => {{ $each! {{ {every}}} }} }}\n",
        used.values().map(|name| format!("/// The kind of [`{name}`](super::{name}).\n#[derive(PartialEq, Eq)]\npub enum {name} {{}}\n")).collect::<String>()
    )
}

/// The distinct sets of fields over generations, queues, forms and sizes.
fn structs(packets: &Packets, packet: &Packet) -> Vec<Struct> {
    let mut all: Vec<Struct> = Vec::new();
    for (index, form) in packet.forms.iter().enumerate().filter(|(_, f)| !f.internal) {
        let table: Vec<(&Field, Scope, bool)> = super::table(packets, form);
        for gfx in form.scope.gfx().indices() {
            for (compute, engines) in [(false, GRAPHICS), (true, MEC)] {
                let view = form.scope.and(Scope(engines << (4 * gfx)));
                if view.is_empty() {
                    continue;
                }
                for &(_, size) in form.sizes.iter().filter(|(set, _)| set.has(gfx)) {
                    let size = form.repeat.map_or(size, |r| r.from);
                    let slots = slots(&table, view, gfx, size);
                    let same = |s: &&mut Struct| s.form == index && s.size == size && alike(&s.slots, &slots);
                    match all.iter_mut().find(same) {
                        Some(s) => {
                            s.cells.push((gfx, compute));
                            for (to, from) in s.slots.iter_mut().zip(slots) {
                                to.lo.extend(from.lo);
                                to.hi.extend(from.hi);
                            }
                        }
                        None => all.push(Struct { form: index, size, open: form.repeat.is_some(), slots, cells: vec![(gfx, compute)] }),
                    }
                }
            }
        }
    }
    all
}

fn alike(a: &[Slot], b: &[Slot]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name && a.kind == b.kind && a.optional == b.optional)
}

/// The fields as a queue sees them: those of the PFP, where it reads the packet, and what the ME adds beside them.
fn slots(table: &[(&Field, Scope, bool)], view: Scope, gfx: usize, size: u8) -> Vec<Slot> {
    let pfp = view.and(Scope(PFP << (4 * gfx)));
    let seen_by = |scope: Scope| table.iter().any(|(_, s, _)| s.intersects(scope));
    let first = if pfp.is_empty() || !seen_by(pfp) { view } else { pfp };
    let shares = |a: &Field, b: &Field| a.dword == b.dword && a.lo <= b.hi && b.lo <= a.hi;
    let mut slots: Vec<Slot> = Vec::new();
    for (entry, &(field, scope, conditional)) in table.iter().enumerate() {
        let covered = || table.iter().any(|(other, s, _)| s.intersects(first) && shares(other, field));
        if field.dword >= size || field.kernel || !scope.intersects(view) || !scope.intersects(first) && covered() {
            continue;
        }
        let (name, half) = stem(field);
        // Halves are one where both are there.
        let other = |(f, s, _): &&(&Field, Scope, bool)| {
            let (n, h) = stem(f);
            s.intersects(view) && f.dword < size && n == name && matches!((half, h), (Some(false), Some(true)) | (Some(true), Some(false)))
        };
        let whole = half.is_some() && table.iter().any(|t| other(&t));
        let name = if whole { name } else { field.name.clone() };
        let kind = match (whole, field.values) {
            (true, _) => Kind::Long,
            _ if field.event => Kind::Event,
            (_, Some(index)) => Kind::Value(index),
            _ if field.lo == field.hi => Kind::Flag,
            _ => Kind::Number,
        };
        let bits = if field.lo == field.hi { field.lo.to_string() } else { format!("{}:{}", field.hi, field.lo) };
        let at = slots.iter().position(|s| s.name == name).unwrap_or_else(|| {
            slots.push(Slot { name: name.clone(), kind: kind.clone(), optional: true, lo: BTreeSet::new(), hi: BTreeSet::new(), doc: String::new() });
            slots.len() - 1
        });
        let slot = &mut slots[at];
        // The upper half of a 64-bit value has the last word: alternatives of the lower half cover all cases together.
        if !conditional && (!whole || half == Some(true)) {
            slot.optional = false;
        }
        let halves = if whole && half == Some(true) { &mut slot.hi } else { &mut slot.lo };
        halves.insert(entry);
        if slot.doc.is_empty() {
            slot.doc = match (whole, &field.doc) {
                (true, _) => format!("Dwords {} and {}.", field.dword, field.dword + 1),
                (_, doc) => format!("Dword {}, bits {bits}.{}{doc}", field.dword, if doc.is_empty() { "" } else { " " }),
            };
        }
    }
    slots
}

/// `src_64b_addr_lo` to (`src_addr`, lower half).
fn stem(field: &Field) -> (String, Option<bool>) {
    let name = field.name.replace("_32b", "").replace("_64b", "");
    match (name.strip_suffix("_lo"), name.strip_suffix("_hi")) {
        (Some(stem), _) => (stem.to_owned(), Some(false)),
        (_, Some(stem)) => (stem.to_owned(), Some(true)),
        _ => (name, None),
    }
}

/// The name within a generation, and the name among all generations.
fn names(packet: &Packet, this: &Struct, all: &[Struct], smallest: u8) -> (String, String) {
    let mut plain = camel(&packet.name);
    if this.size != smallest && all.iter().any(|s| s.size != this.size && s.cells.iter().any(|c| this.cells.contains(c))) {
        write!(plain, "Dw{}", this.size).unwrap_or_default();
    }
    let compute_only = |s: &Struct| s.cells.iter().all(|(_, compute)| *compute);
    let mut name = plain.clone();
    if compute_only(this) && all.iter().any(|s| !compute_only(s)) {
        name.push_str("Compute");
    }
    let key = |s: &Struct| (names_size(s, all, smallest), compute_only(s));
    if all.iter().filter(|s| key(s) == key(this)).count() > 1 {
        let first = this.cells.iter().min_by_key(|(gfx, compute)| (*compute, *gfx)).map_or(0, |(gfx, _)| *gfx);
        name.push_str(&camel(GENERATIONS[first].id));
    }
    (plain, name)
}

/// The size where it is part of the name.
fn names_size(this: &Struct, all: &[Struct], smallest: u8) -> Option<u8> {
    (this.size != smallest && all.iter().any(|s| s.size != this.size && s.cells.iter().any(|c| this.cells.contains(c)))).then_some(this.size)
}

fn emit_struct(out: &mut String, packet: &Packet, format: usize, this: &Struct, name: &str, used: &BTreeMap<usize, String>) {
    let gfx = GfxSet(this.cells.iter().fold(0, |set, (gfx, _)| set | 1 << gfx));
    let scope = this.cells.iter().fold(0u32, |set, (gfx, compute)| set | (if *compute { MEC } else { GRAPHICS }) << (4 * gfx));
    let mut members = String::new();
    let mut put = String::new();
    let mut take = String::new();
    let mut table = String::new();
    for slot in &this.slots {
        // Plain calls and literals: a generic helper would be compiled again for each enum.
        let member = rust(&slot.name);
        let number = format!("self.{member}");
        let (ty, from, to) = match &slot.kind {
            Kind::Flag => ("bool".to_owned(), "flag", None),
            Kind::Number => ("u32".to_owned(), "number", None),
            Kind::Long => ("u64".to_owned(), "long", None),
            Kind::Event => ("Event".to_owned(), "event", None),
            Kind::Value(index) => {
                (format!("values::{}", used[index]), "value", Some((format!("{number}.number"), "Value { number: from.take_number(), kind: PhantomData }")))
            }
        };
        let (ty, give, get) = match (slot.optional, to) {
            (true, _) => (format!("Option<{ty}>"), format!("to.{from}_if({number});"), format!("from.take_{from}_if()")),
            (false, Some((give, get))) => (ty, format!("to.number({give});"), get.to_owned()),
            (false, None) => (ty, format!("to.{from}({number});"), format!("from.take_{from}()")),
        };
        writeln!(members, "/// {}\npub {member}: {ty},", slot.doc).unwrap_or_default();
        writeln!(put, "{give}").unwrap_or_default();
        writeln!(take, "{member}: {get},").unwrap_or_default();
        let list = |set: &BTreeSet<usize>| set.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        write!(table, "Slot {{ name: {:?}, lo: &[{}], hi: &[{}] }}, ", slot.name, list(&slot.lo), list(&slot.hi)).unwrap_or_default();
    }
    let ending = if this.open { "Open" } else { "Closed" };
    let unused = if this.slots.is_empty() { "let _ = (&to, self);" } else { "" };
    let unused_take = if this.slots.is_empty() { "let _ = from;" } else { "" };
    writeln!(
        out,
        "/// {} (GFX{gfx}). {}\n#[derive(Clone, Copy)]\npub struct {name} {{\n{members}}}\nimpl PacketFields for {name} {{\nconst FORMAT: usize = {format};\nconst FORM: usize = {};\nconst DWORDS: usize = {};\nconst SCOPE: Scope = Scope({scope:#x});\nconst SLOTS: &'static [Slot] = &[{table}];\nfn put(&self, to: &mut Values) {{ {unused}\n{put}}}\nfn take(from: &mut Values) -> Self {{ {unused_take} Self {{\n{take}}} }}\n}}\nimpl {ending} for {name} {{}}\nplain_packet!({name});",
        packet.name, packet.doc, this.form, this.size
    )
    .unwrap_or_default();
}

/// The name of the type of an enum: `CachePolicy`, `ReleaseMemDataSel`.
fn value_type(packets: &Packets, index: usize) -> String {
    packets.enums[index]
        .name
        .split('.')
        .map(
            |part| {
                if part.contains('_') || part.starts_with(char::is_lowercase) || !part.contains(char::is_lowercase) { camel(part) } else { part.to_owned() }
            },
        )
        .collect()
}

fn emit_values(packets: &Packets, index: usize, name: &str) -> String {
    let mut constants = String::new();
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    for v in &packets.enums[index].values {
        let mut constant = v.name.to_uppercase();
        if constant.starts_with(|c: char| c.is_ascii_digit()) {
            constant.insert(0, '_');
        }
        let gfx = v.scope.gfx();
        if known.get(&constant).is_some_and(|value| *value != v.value) {
            write!(constant, "_{}", GENERATIONS[gfx.first().unwrap_or(0)].id.to_uppercase()).unwrap_or_default();
        }
        if known.insert(constant.clone(), v.value).is_none() {
            writeln!(constants, "/// {} = {}, GFX{gfx}.\npub const {constant}: Self = Self::new({});", v.name, v.value, v.value).unwrap_or_default();
        }
    }
    format!("/// Values of {}.\npub type {name} = Value<kind::{name}>;\nimpl Value<kind::{name}> {{\n{constants}}}\n", packets.enums[index].name)
}
