//! Emits the packet structs for writing, one for each distinct set of fields, and the names of values as constants.
//!
//! The structs contain no layout: each states which entries of the field table its members are, and one encoder for all packets does the rest.

use super::rows::Rows;
use super::shapes::{Cells, Modules, Shape, View, names, views};
use super::visible;
use crate::gfx::{GENERATIONS, GfxSet};
use crate::model::packets::*;
use crate::names::{camel, field_name};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A member of a struct: a field, or the two halves of a 64-bit value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slot {
    name: String,
    kind: Kind,
    /// Whether only some packets have it, depending on other fields.
    optional: bool,
    /// Entries of the emitted field table; alternatives differ in scope or condition.
    lo: Vec<usize>,
    hi: Vec<usize>,
    /// Number of bits below the upper half.
    shift: u32,
    address: bool,
    doc: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Flag,
    Number,
    Long,
    Event,
    Value(usize),
    /// Bits with the layout of a register.
    Layout(usize),
}

struct Struct {
    form: usize,
    size: u8,
    open: bool,
    slots: Vec<Slot>,
    cells: Cells,
}

impl Shape for Struct {
    fn size(&self) -> u8 {
        self.size
    }

    fn cells(&self) -> &Cells {
        &self.cells
    }
}

/// Returns the module `author`: structs, modules by generation, values.
pub fn author(all: &Packets, packets: &Packets, sorted: &[&Packet], enabled: GfxSet, rows: &mut Rows) -> String {
    let mut out = String::new();
    let uses = uses(all);
    let used: BTreeMap<usize, String> = uses.keys().map(|&index| (index, value_type(all, index))).collect();
    let mut modules = Modules::default();
    let mut every = String::new();
    for (format, packet) in sorted.iter().enumerate().filter(|(_, p)| !p.kernel) {
        let structs = structs(packets, packet);
        // Names are computed from all generations, whichever are compiled in.
        let whole = all.packets.iter().find(|p| p.name == packet.name).unwrap_or(packet);
        let named = self::structs(all, whole);
        for this in &structs {
            let Some(full) = named.iter().find(|s| s.form == this.form && s.size == this.size && s.cells.contains(&this.cells[0])) else { continue };
            let both = names(whole, full, &named);
            let name = &both.1;
            emit_struct(&mut out, packets, packet, format, this, name, &used, rows);
            write!(every, "{name} ").unwrap_or_default();
            modules.add(this, &structs, &both);
        }
    }
    let layouts = layouts(packets, &used, enabled);
    let modules = modules.emit("The packets of GFX{}, each with the fields that it has there.", "super::structs::");
    let values: String = used.iter().map(|(index, name)| emit_values(&packets.enums[*index], name, uses[index], enabled)).collect();
    format!(
        "pub mod structs {{\nuse crate::packet::typed::packet_fields::{{ClosedPacket, Members, OpenPacket, PacketFields, StructLayout, Value, Values, plain_packet}};\nuse core::marker::PhantomData;\nuse crate::packet::wire::event::Event;\nuse super::{{STRUCTS, layouts, values}};\n\n{out}}}\n{modules}\
         /// Names of values, one type for each enum.\npub mod values {{\nuse crate::packet::typed::packet_fields::Value;\n/// Types that distinguish the values of one field from those of another.\npub mod kind {{\n{}}}\n{values}}}\n{}\
         #[doc(hidden)]\n#[macro_export]\nmacro_rules! each_packet_struct {{ ($each:ident) => {{ $each! {{ {every}}} }} }}\n",
        used.iter()
            .map(|(index, name)| format!("/// The kind of `{name}`.\n#[derive(PartialEq, Eq)]\n{} enum {name} {{}}\n", visible(uses[index].gfx(), enabled)))
            .collect::<String>(),
        layouts
    )
}

/// Returns the enums used by members of structs and layouts, and their scopes.
fn uses(packets: &Packets) -> BTreeMap<usize, Scope> {
    let mut uses: BTreeMap<usize, Scope> = BTreeMap::new();
    let fields = || packets.packets.iter().filter(|p| !p.kernel).flat_map(|p| &p.forms).flat_map(|f| &f.fields).filter(|f| !f.kernel && !f.event);
    let mut add = |index: usize, scope: Scope| uses.entry(index).or_insert(Scope(0)).0 |= scope.0;
    fields().filter_map(|f| Some((f.values?, f.scope))).for_each(|(index, scope)| add(index, scope));
    for (field, layout) in fields().filter_map(|f| Some((f, &packets.bitfields[f.layout?]))) {
        for bits in &layout.fields {
            bits.values.into_iter().for_each(|index| add(index, field.scope.and(Scope::product(bits.gfx, 0xF))));
        }
    }
    uses
}

/// Returns the distinct sets of fields over generations, queues, forms and sizes.
fn structs(packets: &Packets, packet: &Packet) -> Vec<Struct> {
    let mut all: Vec<Struct> = Vec::new();
    for view in views(packet) {
        let slots = slots(packets, packet, &view);
        let same = |s: &&mut Struct| s.form == view.index && s.size == view.size && alike(&s.slots, &slots);
        match all.iter_mut().find(same) {
            Some(s) => {
                s.cells.push((view.gfx, view.queue));
                for (to, from) in s.slots.iter_mut().zip(slots) {
                    to.lo.extend(from.lo);
                    to.hi.extend(from.hi);
                }
            }
            None => all.push(Struct { form: view.index, size: view.size, open: view.form.repeat.is_some(), slots, cells: vec![(view.gfx, view.queue)] }),
        }
    }
    all
}

fn alike(a: &[Slot], b: &[Slot]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name && a.kind == b.kind && a.optional == b.optional)
}

/// Returns the members of a struct as a queue sees the packet.
fn slots(packets: &Packets, packet: &Packet, view: &View<'_>) -> Vec<Slot> {
    let fields: Vec<_> = view.fields(packets, view.form).into_iter().filter(|(_, field, _)| !field.kernel).collect();
    let there = |name: &str| fields.iter().any(|(_, f, _)| f.name == name);
    let mut slots: Vec<Slot> = Vec::new();
    for &(entry, field, conditional) in &fields {
        // Halves are joined if both exist.
        let whole = packet.split_values.iter().find_map(|whole| {
            let hi = whole.hi.as_ref().filter(|hi| there(&hi.text) && whole.lo.iter().any(|lo| there(&lo.text)))?;
            let upper = hi.text == field.name;
            (upper || whole.lo.iter().any(|lo| lo.text == field.name)).then_some((whole, upper))
        });
        let name = whole.map_or(&field.name, |(whole, _)| &whole.name.text);
        let kind = match (whole, field.values) {
            (Some(_), _) => Kind::Long,
            _ if field.event => Kind::Event,
            _ if field.layout.is_some() => Kind::Layout(field.layout.unwrap_or_default()),
            (_, Some(index)) => Kind::Value(index),
            _ if field.lo == field.hi => Kind::Flag,
            _ => Kind::Number,
        };
        let bits = if field.lo == field.hi { field.lo.to_string() } else { format!("{}:{}", field.hi, field.lo) };
        let at = slots.iter().position(|s| s.name == *name).unwrap_or_else(|| {
            let shift = whole.map_or(0, |(whole, _)| whole.shift);
            let address = whole.is_some_and(|(whole, _)| whole.address.is_some());
            let (name, kind, doc) = (name.clone(), kind.clone(), String::new());
            slots.push(Slot { name, kind, optional: true, lo: Vec::new(), hi: Vec::new(), shift, address, doc });
            slots.len() - 1
        });
        let slot = &mut slots[at];
        let upper = whole.is_some_and(|(_, upper)| upper);
        // The upper half decides: alternatives of the lower half cover all cases together.
        if !conditional && (whole.is_none() || upper) {
            slot.optional = false;
        }
        if upper { &mut slot.hi } else { &mut slot.lo }.push(entry);
        if slot.doc.is_empty() {
            let place = match whole {
                Some(_) => format!("Dwords {} and {}.", field.dword, field.dword + 1),
                None => format!("Dword {}, bits {bits}.", field.dword),
            };
            slot.doc = if field.doc.is_empty() { place } else { format!("{} {place}", field.doc) };
        }
    }
    slots
}

#[allow(clippy::too_many_arguments)] // what one struct is made of
fn emit_struct(
    out: &mut String,
    packets: &Packets,
    packet: &Packet,
    format: usize,
    this: &Struct,
    name: &str,
    used: &BTreeMap<usize, String>,
    rows: &mut Rows,
) {
    let (gfx, scope) = (this.gfx(), this.scope(packet).0);
    let mut members = String::new();
    let mut put = String::new();
    let mut take = String::new();
    let mut slots = Vec::new();
    for slot in &this.slots {
        // Plain calls and literals: a generic helper would be compiled for each enum.
        let member = field_name(&slot.name);
        let number = format!("self.{member}");
        let (ty, from, to) = match &slot.kind {
            Kind::Flag => ("bool".to_owned(), "flag", None),
            Kind::Number => ("u32".to_owned(), "number", None),
            Kind::Long => ("u64".to_owned(), "long", None),
            Kind::Event => ("Event".to_owned(), "event", None),
            Kind::Layout(index) => {
                let ty = format!("layouts::{}", camel(&packets.bitfields[*index].name));
                (ty.clone(), "layout", Some((format!("to.layout({number}.parts());"), format!("{ty}::from(from.take_number())"))))
            }
            Kind::Value(index) => {
                let get = "Value { number: from.take_number(), kind: PhantomData }".to_owned();
                (format!("values::{}", used[index]), "value", Some((format!("to.number({number}.number);"), get)))
            }
        };
        let (ty, give, get) = match (slot.optional, to) {
            (true, Some((_, get))) if matches!(slot.kind, Kind::Layout(_)) => (
                format!("Option<{ty}>"),
                format!("to.layout_if({number}.map(|l| l.parts()));"),
                format!("from.take_number_if().map({})", get.trim_end_matches("(from.take_number())")),
            ),
            (true, _) => (format!("Option<{ty}>"), format!("to.{from}_if({number});"), format!("from.take_{from}_if()")),
            (false, Some((give, get))) => (ty, give, get),
            (false, None) => (ty, format!("to.{from}({number});"), format!("from.take_{from}()")),
        };
        writeln!(members, "/// {}\npub {member}: {ty},", slot.doc).unwrap_or_default();
        writeln!(put, "{give}").unwrap_or_default();
        writeln!(take, "{member}: {get},").unwrap_or_default();
        let list =
            |set: &[usize]| -> Vec<u8> { Vec::from_iter(BTreeSet::from_iter(set)).into_iter().map(|entry| u8::try_from(*entry).unwrap_or(u8::MAX)).collect() };
        slots.push(rows.slot(&slot.name, [&list(&slot.lo), &list(&slot.hi)], slot.shift as u8, slot.address));
    }
    let ending = if this.open { "OpenPacket" } else { "ClosedPacket" };
    let unused = if this.slots.is_empty() { "let _ = (&to, self);" } else { "" };
    let size = match (this.size, this.open) {
        (1, false) => "1 dword, the header".to_owned(),
        (size, false) => format!("{size} dwords"),
        (size, true) => format!("{size} dwords, and those that continue it"),
    };
    let layout = rows.layout_of_struct(format, [u8::try_from(this.form).unwrap_or(u8::MAX), this.size], scope, &slots);
    let unused_take = if this.slots.is_empty() { "let _ = from;" } else { "" };
    writeln!(
        out,
        "/// {} (GFX{gfx}). {} {}.\n#[derive(Copy)]\npub struct {name} {{\n{members}}}\nimpl Members for {name} {{\n#[inline]\nfn put(&self, to: &mut Values) {{ {unused}\n{put}}}\n}}\nimpl PacketFields for {name} {{\nconst LAYOUT: &'static StructLayout = &STRUCTS[{layout}];\nfn take(from: &mut Values) -> Self {{ {unused_take} Self {{\n{take}}} }}\n}}\nimpl {ending} for {name} {{}}\nplain_packet!({name});",
        packet.name, packet.doc, size
    )
    .unwrap_or_default();
}

/// Returns the types of fields with register layouts.
fn layouts(packets: &Packets, used: &BTreeMap<usize, String>, enabled: GfxSet) -> String {
    let mut out = String::from(
        "/// Fields of packets that are laid out like registers: draw and dispatch initiators, cache actions.\npub mod layouts {\nuse super::values;\nuse crate::packet::typed::packet_fields::layout;\n",
    );
    for bitfield in &packets.bitfields {
        let mut bits = String::new();
        let mut named = BTreeSet::new();
        // A bit of many generations appears once, with its largest width; bits that no generation may set have no setter.
        let mut fields: Vec<&BitfieldField> = bitfield.fields.iter().filter(|f| !f.name.eq_ignore_ascii_case("reserved")).collect();
        fields.sort_by_key(|f| (f.lo, std::cmp::Reverse(f.hi)));
        for field in fields.into_iter().filter(|f| named.insert(f.name.clone())) {
            let name = field.name.to_lowercase();
            let place = if field.lo == field.hi { field.lo.to_string() } else { format!("{}:{}", field.hi, field.lo) };
            let doc = format!("{}{}Bits {place}, GFX{}.", field.doc, if field.doc.is_empty() { "" } else { " " }, field.gfx);
            let kind = match field.values.and_then(|index| used.get(&index)) {
                _ if field.lo == field.hi => "flag".to_owned(),
                Some(values) => format!("value values::{values}"),
                None => "number".to_owned(),
            };
            let see = format!("[{}]", visible(field.gfx, enabled));
            writeln!(bits, "{doc:?} {see} {} with_{name} {} {} {kind};", field_name(&name), field.lo, field.hi - field.lo + 1).unwrap_or_default();
        }
        let doc = format!("{}{}", bitfield.register.as_ref().map_or(String::new(), |r| format!("{}. ", r.text)), bitfield.doc);
        let gfx = bitfield.fields.iter().fold(GfxSet::NONE, |set, field| set.or(field.gfx));
        writeln!(out, "layout!({doc:?}, [{}] {}, {{ {bits} }});", visible(gfx, enabled), camel(&bitfield.name)).unwrap_or_default();
    }
    out + "}\n"
}

/// Returns the type name of an enum: `CachePolicy`, `ReleaseMemDataSel`.
fn value_type(packets: &Packets, index: usize) -> String {
    packets.enums[index].name.split('.').map(camel).collect()
}

/// Returns the type of an enum and its values; their docs name all generations on which a field accepts them.
fn emit_values(values: &Enum, name: &str, uses: Scope, enabled: GfxSet) -> String {
    let mut list: Vec<(String, &EnumValue, GfxSet)> = Vec::new();
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    for v in &values.values {
        let mut constant = v.name.to_uppercase();
        if constant.starts_with(|c: char| c.is_ascii_digit()) {
            constant.insert(0, '_');
        }
        if known.get(&constant).is_some_and(|value| *value != v.value) {
            write!(constant, "_{}", GENERATIONS[v.scope.gfx().first().unwrap_or(0)].id.to_uppercase()).unwrap_or_default();
        }
        known.entry(constant.clone()).or_insert(v.value);
        let gfx = v.scope.and(uses).gfx();
        match list.iter_mut().find(|(other, ..)| *other == constant) {
            Some((.., set)) => *set = set.or(gfx),
            None => list.push((constant, v, gfx)),
        }
    }
    let constants: String = list
        .iter()
        .map(|(constant, v, gfx)| (constant, v, gfx, visible(*gfx, enabled)))
        .map(|(constant, v, gfx, see)| format!("/// {} = {}, GFX{gfx}.\n{see} const {constant}: Self = Self::new({});\n", v.name, v.value, v.value))
        .collect();
    let doc = if values.doc.is_empty() { String::new() } else { format!(" {}.", values.doc.trim_end_matches('.')) };
    let see = visible(uses.gfx(), enabled);
    format!("/// Values of {}.{doc}\n{see} type {name} = Value<kind::{name}>;\nimpl Value<kind::{name}> {{\n{constants}}}\n", values.name)
}
