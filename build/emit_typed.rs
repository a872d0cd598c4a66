//! Emits the typed registers: one bit-field struct per distinct layout, one Rust enum per distinct value list, and a module per generation.

use crate::regdb::gfx::{GENERATIONS, GfxSet};
use crate::regdb::input::Text;
use crate::regdb::model::*;
use crate::regdb::names::{camel, field_name};
use crate::regdb::sorted::{SortedMap, sort, sorted};
use std::fmt::Write;

/// Enums up to this width become Rust enums in which the unnamed values are RESERVED_n; wider ones become newtypes with constants.
pub const CLOSED_ENUM_BITS: u8 = 5;

/// What makes two fields of two generations the same.
type FieldKey = (String, u8, u8, Option<EnumKey>, bool);
/// What makes two value lists the same: name, width, entries.
pub type EnumKey = (String, u8, Vec<(String, u32)>);

struct Layout<'a> {
    register: &'a Register,
    fields: Vec<FieldKey>,
    gfx: GfxSet,
}

/// The text of `typed.rs`. Names depend on all generations, so that they stay the same whatever is enabled.
pub fn typed(database: &Database, enabled: GfxSet) -> String {
    let layouts = layouts(database);
    let enums = enum_sets(&layouts);
    let enum_names = enum_names(&enums);
    let layout_names = layout_names(&layouts);
    let slots: Vec<Vec<u32>> = (0..GENERATIONS.len()).map(|gfx| slots(database, gfx)).collect();
    let mut out = String::from("// Generated from regdb/ by build.rs.\n");
    for (key, gfx) in &enums {
        if !gfx.and(enabled).is_empty() {
            out.push_str(&emit_enum(&enum_names[key], key, database, *gfx));
        }
    }
    for (layout, name) in layouts.iter().zip(&layout_names) {
        if !layout.gfx.and(enabled).is_empty() {
            out.push_str(&emit_layout(name, layout, &enum_names, enabled, &slots));
        }
    }
    let mut modules = String::new();
    for gfx in enabled.indices() {
        let mut names = Vec::new();
        for (layout, name) in layouts.iter().zip(&layout_names).filter(|(l, _)| l.gfx.has(gfx)) {
            names.push(import(name, &type_name(layout.register)));
            names.extend(layout.fields.iter().filter_map(|f| f.3.as_ref()).map(|key| import(&enum_names[key], &camel(&key.0))));
        }
        let list = sorted(names);
        let generation = &GENERATIONS[gfx];
        writeln!(
            modules,
            "/// Typed registers and values of GFX{} and, in `addr`, the byte address of every register.\npub mod {} {{ pub use super::layout::{{{}}};\n{}\npub(crate) const GFX: usize = {gfx};\npub(crate) static SLOTS: &[u32] = &{:?}; }}",
            generation.name,
            generation.id,
            list.join(", "),
            addresses(database, gfx),
            slots[gfx]
        )
        .unwrap_or_default();
    }
    let most = slots.iter().map(Vec::len).max().unwrap_or(0);
    writeln!(modules, "pub(crate) const MOST_SLOTS: usize = {most};").unwrap_or_default();
    format!(
        "/// One type per distinct layout; the modules of the generations re-export them under the register's plain name.\npub mod layout {{ use super::*; {out} }}\n{modules}"
    )
}

/// Every Rust type that the typed registers become, under its full and its plain name: whether it is a value type, and AMD's name.
pub fn type_names(database: &Database) -> Vec<(String, bool, &Text)> {
    let layouts = layouts(database);
    let enums = enum_sets(&layouts);
    let mut names = Vec::new();
    for (layout, name) in layouts.iter().zip(layout_names(&layouts)) {
        names.push((name, false, &layout.register.name));
        names.push((type_name(layout.register), false, &layout.register.name));
    }
    for (key, name) in enum_names(&enums) {
        let amd = enums[&key].first().and_then(|gfx| database.values(&key.0, gfx)).map(|e| &e.name);
        names.extend(amd.into_iter().flat_map(|amd| [(name.clone(), true, amd), (camel(&key.0), true, amd)]));
    }
    names
}

/// The text of `typed_list.rs`, for tests: every struct with the getter, the setter, the constant and AMD's name of each field.
pub fn list(database: &Database, enabled: GfxSet) -> String {
    let layouts = layouts(database);
    let mut out = String::from("typed_registers! {\n");
    for (layout, name) in layouts.iter().zip(layout_names(&layouts)).filter(|(layout, _)| !layout.gfx.and(enabled).is_empty()) {
        if layout.register.typed == Typed::Constants {
            continue;
        }
        let fields: String = layout
            .fields
            .iter()
            .map(|(field, ..)| format!("{} with_{} {} {field:?},", field_name(field), field.to_ascii_lowercase(), rust_name(field)))
            .collect();
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

/// The addresses of all typed registers of a generation, in order: the place of an address in this list is its slot.
fn slots(database: &Database, gfx: usize) -> Vec<u32> {
    let typed = database.registers.iter().filter(|r| r.typed.is_typed());
    let mut all: Vec<u32> = typed.filter_map(|r| r.place(gfx)).flat_map(Place::addresses).collect();
    sort(&mut all);
    all
}

fn layouts(database: &Database) -> Vec<Layout<'_>> {
    let mut all: Vec<Layout<'_>> = Vec::new();
    for register in database.registers.iter().filter(|r| r.typed.is_typed()) {
        let start = all.len();
        for gfx in register.gfx().indices() {
            let fields: Vec<FieldKey> =
                register.layout(gfx).into_iter().map(|f| (f.name.text.clone(), f.lo, f.hi, enum_key(database, f, gfx), f.float)).collect();
            match all[start..].iter_mut().find(|l| l.fields == fields) {
                Some(layout) => layout.gfx = layout.gfx.or(GfxSet::only(gfx)),
                None => all.push(Layout { register, fields, gfx: GfxSet::only(gfx) }),
            }
        }
    }
    all
}

fn enum_key(database: &Database, field: &Field, gfx: usize) -> Option<EnumKey> {
    let values = database.values(&field.values.as_ref()?.text, gfx)?;
    let width = field.hi - field.lo + 1;
    let fits = |e: &&Entry| u64::from(e.value) < 1u64 << width;
    let entries = values.entries_on(gfx).into_iter().filter(fits).map(|e| (e.name.text.clone(), e.value)).collect();
    (!values.flags).then(|| (values.name.text.clone(), width, entries))
}

fn enum_sets(layouts: &[Layout<'_>]) -> SortedMap<EnumKey, GfxSet> {
    let mut enums: SortedMap<EnumKey, GfxSet> = SortedMap::new();
    for layout in layouts {
        for key in layout.fields.iter().filter_map(|f| f.3.as_ref()) {
            let set = enums.or_insert(key.clone(), GfxSet::NONE);
            *set = set.or(layout.gfx);
        }
    }
    enums
}

/// Plain name where one type serves all; else the first generation that has it (and the width, where widths differ) is added.
fn enum_names(enums: &SortedMap<EnumKey, GfxSet>) -> SortedMap<EnumKey, String> {
    let mut names = SortedMap::new();
    for (key, gfx) in enums {
        let same: Vec<_> = enums.keys().filter(|k| k.0 == key.0).collect();
        let widths = same.iter().any(|k| k.1 != key.1);
        let lists = same.iter().any(|k| k.1 == key.1 && k.2 != key.2);
        let mut name = camel(&key.0);
        if widths {
            name += &format!("W{}", key.1);
        }
        if lists {
            name += &suffix(*gfx);
        }
        names.insert(key.clone(), name);
    }
    names
}

fn layout_names(layouts: &[Layout<'_>]) -> Vec<String> {
    let many = |l: &Layout<'_>| layouts.iter().filter(|o| o.register.name.text == l.register.name.text).count() > 1;
    layouts.iter().map(|l| if many(l) { type_name(l.register) + &suffix(l.gfx) } else { type_name(l.register) }).collect()
}

pub fn suffix(gfx: GfxSet) -> String {
    gfx.first().map_or(String::new(), |g| GENERATIONS[g].variant.to_owned())
}

/// `DB_SHADER_CONTROL` becomes `DbShaderControl`; an array that starts at 0 loses the number: `CB_COLOR0_INFO` becomes `CbColorInfo`.
fn type_name(register: &Register) -> String {
    match register.array.first() {
        Some(naming) if naming.first == 0 => camel(&naming.pattern.replace("{}", "")),
        _ => camel(&register.name.text),
    }
}

pub fn rust_name(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name.to_owned() }
}

pub fn emit_enum(name: &str, key: &EnumKey, database: &Database, gfx: GfxSet) -> String {
    let (amd, width, entries) = key;
    let doc = gfx.first().and_then(|g| database.values(amd, g)).and_then(|e| e.doc.clone());
    let doc = doc.unwrap_or_else(|| format!("Values of {amd}."));
    if *width <= CLOSED_ENUM_BITS {
        let taken: SortedMap<u32, &str> = entries.iter().map(|(n, v)| (*v, n.as_str())).collect();
        let variants: String = (0..1u32 << width)
            .map(|value| match taken.get(&value) {
                Some(n) if rust_name(n) == *n => format!("{n} = {value},"),
                Some(n) => format!("#[strum(serialize = {n:?})] {} = {value},", rust_name(n)),
                None => {
                    let clash = entries.iter().any(|(n, _)| *n == format!("RESERVED_{value}"));
                    format!("{}_{value} = {value},", if clash { "UNNAMED" } else { "RESERVED" })
                }
            })
            .collect();
        return format!("closed_enum!({doc:?}, {name} {{ {variants} }});\n");
    }
    let base = if *width <= 8 { "u8" } else { "u16" };
    let consts: String = entries.iter().map(|(n, v)| format!("{} = {v} {n:?},", rust_name(n))).collect();
    format!("open_enum!({base}, {doc:?}, {name} {{ {consts} }});\n")
}

fn emit_layout(name: &str, layout: &Layout<'_>, enum_names: &SortedMap<EnumKey, String>, enabled: GfxSet, slots: &[Vec<u32>]) -> String {
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
            Some(key) => enum_names[key].clone(),
            None if *float => "f32".to_owned(),
            None => field_kind(width),
        };
        let doc = register.fields.iter().find(|f| f.name.text == *field).and_then(|f| f.doc.clone()).unwrap_or_default();
        let doc = doc.replace('[', "\\[").replace(']', "\\]"); // bit ranges are not links
        let doc = format!("Bits {}. {doc}", if hi == lo { hi.to_string() } else { format!("{hi}:{lo}") });
        let getter = field_name(field);
        write!(body, "{getter} B{width};").unwrap_or_default();
        write!(methods, "{doc:?} {getter} with_{} {} {kind};", field.to_ascii_lowercase(), rust_name(field)).unwrap_or_default();
        write!(masks, "{doc:?} {} = {field:?}, {lo}, {width};", rust_name(field)).unwrap_or_default();
    }
    body.push_str(&pad(next, 32));
    let places: String = (0..GENERATIONS.len())
        .map(|g| match register.place(g).filter(|_| layout.gfx.has(g)) {
            Some(p) => {
                let own: Vec<usize> = p.addresses().map(|addr| slots[g].partition_point(|slot| *slot < addr)).collect();
                format!("Some(RegisterPlace{{addr:{},count:{},stride:{},slots:&{own:?}}}),", p.addr, p.count, p.stride)
            }
            None => "None,".to_owned(),
        })
        .collect();
    let first = layout.gfx.and(enabled).first().map_or("", |g| GENERATIONS[g].variant);
    let doc = format!("{} (GFX{}). {}", register.name.text, layout.gfx, register.doc.as_deref().unwrap_or(""));
    if register.typed == Typed::Constants {
        return format!("word!({doc:?}, {name}, {:?}, {first}, [{places}], {{ {masks} }});\n", register.name.text);
    }
    format!("register!({doc:?}, {name}, {:?}, {first}, [{places}], {{ {body} }}, {{ {masks} }}, {{ {methods} }});\n", register.name.text)
}

/// The bits of a struct from `from` up to `to` that no field has; nothing if there are none.
pub fn pad(from: u8, to: u8) -> String {
    if to > from { format!("__{from} B{};", to - from) } else { String::new() }
}

/// The type of a field without a value list.
pub fn field_kind(width: u8) -> String {
    if width == 1 { "bool".to_owned() } else { format!("u{}", width.next_power_of_two().max(8)) }
}
