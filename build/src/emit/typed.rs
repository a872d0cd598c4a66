//! Emits the typed registers: one bit-field struct per distinct layout, one Rust enum per distinct value list, and a module per generation.

use crate::emit::registers::Pool;
use crate::gfx::{FAMILIES, GENERATIONS, GfxSet};
use crate::lower::typed::*;
use crate::model::registers::*;
use crate::names::{camel, field_name};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Returns the text of `typed.rs`. Names are computed from all generations, so they do not depend on which are enabled.
pub fn typed(database: &Database, enabled: GfxSet) -> String {
    let layouts = layouts(database);
    let enums = enum_types(&layouts);
    let layout_names = layout_names(&layouts);
    let slots: [Vec<u32>; GENERATIONS.len()] = std::array::from_fn(|gfx| slots(database, gfx));
    let mut out = String::new();
    let mut entries = Entries { rows: Vec::new(), places: Pool::new() };
    for (key, this) in &enums {
        if !this.gfx.and(enabled).is_empty() {
            out.push_str(&emit_enum(this, key, database));
        }
    }
    for (layout, name) in layouts.iter().zip(&layout_names) {
        if !layout.gfx.and(enabled).is_empty() {
            let mut places = Vec::new();
            for gfx in 0..GENERATIONS.len() {
                places.push(if layout.gfx.has(gfx) { place(layout.register, gfx, &slots) } else { None });
            }
            let entry = entries.add(&layout.register.name.text, places);
            out.push_str(&emit_layout(name, layout, &enums, entry));
        }
    }
    let imports = |has: &dyn Fn(&Layout<'_>) -> bool| {
        let mut names = Vec::new();
        for (layout, name) in layouts.iter().zip(&layout_names) {
            if !has(layout) {
                continue;
            }
            names.push(import(name, &type_name(layout.register)));
            for (_, _, _, values, _) in &layout.fields {
                if let Some(key) = values {
                    names.push(import(&enums[key].name, &camel(&key.0)));
                }
            }
        }
        Vec::from_iter(BTreeSet::from_iter(names)).join(", ")
    };
    let mut modules = String::new();
    for gfx in enabled.indices() {
        let list = imports(&|layout| layout.gfx.has(gfx));
        let generation = &GENERATIONS[gfx];
        writeln!(
            modules,
            "/// Typed registers and values of GFX{} and, in `addr`, the byte address of every register.\npub mod {} {{ pub use super::layout::{{{}}};\n{}\npub(crate) const GFX: usize = {gfx};\npub(crate) static SLOTS: &[u32] = &{:?}; }}",
            generation.name,
            generation.id,
            list,
            addresses(database, gfx),
            slots[gfx]
        )
        .unwrap_or_default();
    }
    for family in FAMILIES.iter().filter(|family| !family.is_one()) {
        let both = family.gfx.and(enabled);
        let Some(first) = both.first() else { continue };
        let list = imports(&|layout| {
            let mut same = true;
            for gfx in both.indices() {
                same &= layout.gfx.has(gfx) && place(layout.register, gfx, &slots) == place(layout.register, first, &slots);
            }
            same
        });
        writeln!(
            modules,
            "/// What typed registers the generations of a family have in common, at the same places and slots.\npub(crate) mod {} {{ #[allow(unused_imports, reason = \"draws alone ask for them\")] pub(crate) use super::layout::{{{list}}};\npub(crate) const GFX: usize = {first}; }}",
            family.id
        )
        .unwrap_or_default();
    }
    let mut most = 0;
    for slots in &slots {
        most = most.max(slots.len());
    }
    writeln!(modules, "pub(crate) const MOST_SLOTS: usize = {most};").unwrap_or_default();
    format!(
        "/// One type per distinct layout; the modules of the generations re-export them under the register's plain name.\npub mod layout {{ use super::*; {out} }}\n{}{modules}",
        entries.emit()
    )
}

/// Returns the text of `typed_list.rs`, for tests: every struct with the getter, the setter, the constant and AMD's name of each field.
pub fn list(database: &Database, enabled: GfxSet) -> String {
    let layouts = layouts(database);
    let mut out = String::from("typed_registers! {\n");
    for (layout, name) in layouts.iter().zip(&layout_names(&layouts)) {
        if layout.gfx.and(enabled).is_empty() || layout.register.typed == Typed::Constants {
            continue;
        }
        let fields = layout
            .fields
            .iter()
            .map(|(field, ..)| format!("{} with_{} {} {field:?},", field_name(field), field.to_ascii_lowercase(), rust_name(field)))
            .collect::<String>();
        writeln!(out, "{name} {{ {fields} }}").unwrap_or_default();
    }
    out + "}\n"
}

pub fn import(name: &str, plain: &str) -> String {
    if name == plain { name.to_owned() } else { format!("{name} as {plain}") }
}

fn addresses(database: &Database, gfx: usize) -> String {
    let mut out =
        String::from("/// Byte address of each register (element 0 of an array).\n#[allow(missing_docs)] // the names are the registers'\npub mod addr {\n");
    for register in &database.registers {
        if let Some(place) = register.place(gfx) {
            writeln!(out, "pub const {}: u32 = 0x{:05X};", register.name.text, place.addr).unwrap_or_default();
        }
    }
    out + "}"
}

pub fn rust_name(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name.to_owned() }
}

pub fn emit_enum(this: &EnumType, key: &EnumKey, database: &Database) -> String {
    let (name, (amd, width, entries)) = (&this.name, key);
    let doc = this.gfx.first().and_then(|g| database.values(amd, g)).and_then(|e| e.doc.clone());
    let doc = doc.unwrap_or_else(|| format!("Values of {amd}."));
    if *width <= CLOSED_ENUM_BITS {
        let mut variants = String::new();
        for value in 0..1u32 << width {
            variants += &match entries.iter().rfind(|(_, v)| *v == value) {
                Some((n, _)) if rust_name(n) == *n => format!("{n} = {value},"),
                Some((n, _)) => format!("#[strum(serialize = {n:?})] {} = {value},", rust_name(n)),
                None => {
                    let reserved = format!("RESERVED_{value}");
                    let clash = entries.iter().any(|(n, _)| *n == reserved);
                    format!("{}_{value} = {value},", if clash { "UNNAMED" } else { "RESERVED" })
                }
            };
        }
        return format!("closed_enum!({doc:?}, {name} {{ {variants} }});\n");
    }
    let base = if *width <= 8 { "u8" } else { "u16" };
    let consts = entries.iter().map(|(n, v)| format!("{} = {v} {n:?},", rust_name(n))).collect::<String>();
    format!("open_enum!({base}, {doc:?}, {name} {{ {consts} }});\n")
}

fn emit_layout(name: &str, layout: &Layout<'_>, enums: &BTreeMap<EnumKey, EnumType>, entry: usize) -> String {
    let register = layout.register;
    let mut body = String::new();
    let mut masks = String::new();
    let mut methods = String::new();
    let mut next = 0u8;
    for (field, lo, hi, values, float) in &layout.fields {
        body.push_str(&pad(next, *lo));
        next = hi + 1;
        let width = hi - lo + 1;
        let kind = match values {
            Some(key) => enums[key].name.clone(),
            None if *float => "f32".to_owned(),
            None => field_kind(width),
        };
        let doc = register.fields.iter().find(|f| f.name.text == *field).and_then(|f| f.doc.clone()).unwrap_or_default();
        let doc = doc.replace('[', "\\[").replace(']', "\\]"); // bit ranges are not links
        let doc = format!("Bits {}. {doc}", if hi == lo { hi.to_string() } else { format!("{hi}:{lo}") });
        let (getter, lower) = (field_name(field), field.to_ascii_lowercase());
        write!(body, "(skip(setters)) raw_{lower} B{width};").unwrap_or_default();
        write!(methods, "{doc:?} {getter} raw_{lower} with_{lower} {} {kind};", rust_name(field)).unwrap_or_default();
        write!(masks, "{doc:?} {} = {field:?} {lo} {width};", rust_name(field)).unwrap_or_default();
    }
    body.push_str(&pad(next, 32));
    let doc = format!("{} (GFX{}). {}", register.name.text, layout.gfx, register.doc.as_deref().unwrap_or(""));
    if register.typed == Typed::Constants {
        return format!("word!({doc:?}, {name}, {entry}, {{ {masks} }});\n");
    }
    format!("register!({doc:?}, {name}, {:?}, {entry}, {{ {body} }}, {{ {masks} }}, {{ {methods} }});\n", register.name.text)
}

/// Returns filler bits of a struct from `from` up to `to`, which belong to no field; empty if there are none.
pub fn pad(from: u8, to: u8) -> String {
    if to > from { format!("(skip) __{from} B{};", to - from) } else { String::new() }
}

/// Returns the type of a field without a value list.
pub fn field_kind(width: u8) -> String {
    if width == 1 { "bool".to_owned() } else { format!("u{}", width.next_power_of_two().max(8)) }
}

/// The names and places of all typed registers.
struct Entries {
    rows: Vec<String>,
    places: Pool<PlaceKey>,
}

impl Entries {
    /// Adds a register with its place on each generation; returns its number.
    fn add(&mut self, name: &str, places: Vec<Option<PlaceKey>>) -> usize {
        let places: Vec<String> =
            places.into_iter().map(|place| place.map_or("None".to_owned(), |place| format!("Some(PLACES[{}])", self.places.add(place)))).collect();
        self.rows.push(format!("RegisterEntry {{ name: {name:?}, places: [{}] }}", places.join(", ")));
        self.rows.len() - 1
    }

    fn emit(&self) -> String {
        let mut out = format!("static PLACES: [RegisterPlace; {}] = [\n", self.places.items.len());
        for (number, (addr, count, stride, slots)) in self.places.items.iter().enumerate() {
            writeln!(out, "RegisterPlace {{ addr: {addr:#x}, count: {count}, stride: {stride:#x}, slots: &{slots:?} }}, // {number}").unwrap_or_default();
        }
        writeln!(out, "];\nstatic ENTRIES: [RegisterEntry; {}] = [", self.rows.len()).unwrap_or_default();
        for (number, row) in self.rows.iter().enumerate() {
            writeln!(out, "{row}, // {number}").unwrap_or_default();
        }
        out + "];\n"
    }
}
