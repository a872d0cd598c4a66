//! Lowers typed registers: one Rust type per distinct layout and per distinct value list, and a slot for each address of a generation.

use crate::gfx::{FAMILIES, GENERATIONS, GfxSet};
use crate::input::Text;
use crate::model::registers::*;
use crate::names::{camel, equal};
use std::collections::BTreeMap;

/// Enums up to this width become Rust enums with RESERVED_n for unnamed values; wider ones become newtypes with constants.
pub const CLOSED_ENUM_BITS: u8 = 5;

/// The key by which fields of two generations are the same.
pub type FieldKey = (String, u8, u8, Option<EnumKey>, bool);

/// The key by which value lists are the same: name, width, entries.
pub type EnumKey = (String, u8, Vec<(String, u32)>);

/// The Rust type of a value list, and the generations that have it.
pub struct EnumType {
    pub name: String,
    pub gfx: GfxSet,
}

/// Address, number of elements, stride in bytes, and slots.
pub type PlaceKey = (u32, u32, u32, Vec<usize>);

pub struct Layout<'a> {
    pub register: &'a Register,
    pub fields: Vec<FieldKey>,
    pub gfx: GfxSet,
}

/// Returns every Rust type of the typed registers, under its full and its plain name: whether it is a value type, and AMD's name.
pub fn type_names(database: &Database) -> Vec<(String, bool, &Text)> {
    let layouts = layouts(database);
    let mut names = Vec::new();
    for (layout, name) in layouts.iter().zip(&layout_names(&layouts)) {
        names.push((name.clone(), false, &layout.register.name));
        names.push((type_name(layout.register), false, &layout.register.name));
    }
    for (key, this) in &enum_types(&layouts) {
        if let Some(e) = this.gfx.first().and_then(|gfx| database.values(&key.0, gfx)) {
            names.push((this.name.clone(), true, &e.name));
            names.push((camel(&key.0), true, &e.name));
        }
    }
    names
}

/// Returns the addresses of all typed registers of a family, in order. The index of an address in this list is its slot.
pub fn slots(database: &Database, gfx: usize) -> Vec<u32> {
    let mut numbered = GfxSet::NONE;
    for family in FAMILIES {
        if family.gfx.has(gfx) {
            numbered = family.gfx;
        }
    }
    let mut all = Vec::new();
    for register in database.registers.iter().filter(|register| register.typed.is_typed()).collect::<Vec<_>>() {
        for place in numbered.indices().filter_map(|gfx| register.place(gfx)) {
            all.extend(place.addresses());
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Returns the slots of a place.
fn own_slots(place: &Place, slots: &[u32]) -> Vec<usize> {
    let mut own = Vec::new();
    for addr in place.addresses() {
        own.push(slots.partition_point(|slot| *slot < addr));
    }
    own
}

/// Returns the place of a register on a generation.
pub fn place(register: &Register, gfx: usize, slots: &[Vec<u32>]) -> Option<PlaceKey> {
    register.place(gfx).map(|p| (p.addr, p.count, p.stride, own_slots(p, &slots[gfx])))
}

pub fn layouts(database: &Database) -> Vec<Layout<'_>> {
    let mut all: Vec<Layout<'_>> = Vec::new();
    for register in database.registers.iter().filter(|register| register.typed.is_typed()).collect::<Vec<_>>() {
        let start = all.len();
        for gfx in register.gfx().indices() {
            let mut fields: Vec<FieldKey> = Vec::new();
            for f in register.layout(gfx) {
                fields.push((f.name.text.clone(), f.lo, f.hi, enum_key(database, f, gfx), f.float));
            }
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
    if values.flags {
        return None;
    }
    let width = field.hi - field.lo + 1;
    let mut entries = Vec::new();
    for entry in values.entries_on(gfx) {
        if u64::from(entry.value) < 1u64 << width {
            entries.push((entry.name.text.clone(), entry.value));
        }
    }
    Some((values.name.text.clone(), width, entries))
}

/// Returns the types of all value lists: the plain name if one type is enough; otherwise with the first generation that has it added (and the width, if widths
/// differ).
pub fn enum_types(layouts: &[Layout<'_>]) -> BTreeMap<EnumKey, EnumType> {
    let mut enums = BTreeMap::new();
    for layout in layouts {
        for (_, _, _, values, _) in &layout.fields {
            if let Some(key) = values {
                add_gfx(&mut enums, key, layout.gfx);
            }
        }
    }
    let mut names = Vec::new();
    for (key, this) in &enums {
        let (mut widths, mut lists) = (false, false);
        for other in enums.keys() {
            if other.0 == key.0 {
                widths |= other.1 != key.1;
                lists |= other.1 == key.1 && other.2 != key.2;
            }
        }
        let mut name = camel(&key.0);
        if widths {
            name += &format!("W{}", key.1);
        }
        if lists {
            name += &suffix(this.gfx);
        }
        names.push(name);
    }
    set_names(&mut enums, names);
    enums
}

/// Adds the generations of a value list.
pub fn add_gfx(enums: &mut BTreeMap<EnumKey, EnumType>, key: &EnumKey, gfx: GfxSet) {
    let this = enums.entry(key.clone()).or_insert(EnumType { name: String::new(), gfx: GfxSet::NONE });
    this.gfx = this.gfx.or(gfx);
}

/// Names the types of value lists, in the order of the lists.
pub fn set_names(enums: &mut BTreeMap<EnumKey, EnumType>, names: Vec<String>) {
    for (this, name) in enums.values_mut().zip(names) {
        this.name = name;
    }
}

pub fn layout_names(layouts: &[Layout<'_>]) -> Vec<String> {
    let mut names = layouts.iter().map(|layout| type_name(layout.register)).collect::<Vec<_>>();
    for group in equal(&layouts.iter().map(|layout| layout.register.name.text.clone()).collect::<Vec<_>>()) {
        if group.len() > 1 {
            for place in group {
                names[place] += &suffix(layouts[place].gfx);
            }
        }
    }
    names
}

pub fn suffix(gfx: GfxSet) -> String {
    gfx.first().map_or(String::new(), |g| GENERATIONS[g].variant.to_owned())
}

/// Returns the type name: `DB_SHADER_CONTROL` becomes `DbShaderControl`; an array that starts at 0 loses the number: `CB_COLOR0_INFO` becomes `CbColorInfo`.
pub fn type_name(register: &Register) -> String {
    match register.array.first() {
        Some(naming) if naming.first == 0 => camel(&naming.pattern.replace("{}", "")),
        _ => camel(&register.name.text),
    }
}
