//! Lowers resource descriptors: one struct per distinct layout, whose members are fields or pairs of halves, and one Rust type per distinct value list.

use crate::gfx::GfxSet;
use crate::input::Text;
use crate::lower::typed::{EnumKey, EnumType, add_gfx, set_names, suffix};
use crate::model::descriptors::*;
use crate::names::camel;
use std::collections::BTreeMap;

/// Each format of GFX10 and later must be in one of these lists.
pub const FORMAT_LISTS: [&str; 2] = ["GFX10_FORMAT", "GFX11_FORMAT"];

/// The lists of data and number formats of GFX9.
pub const GFX9_LISTS: [&str; 2] = ["IMG_DATA_FORMAT", "IMG_NUM_FORMAT"];

/// A value of a descriptor on one generation: a field, or a pair of halves.
pub struct Member<'a> {
    pub name: &'a Text,
    pub doc: &'a str,
    pub parts: Vec<Part>,
    /// log2 of the unit.
    pub unit: u32,
    pub values: Option<&'a str>,
    pub same_bits: bool,
}

pub struct Part {
    pub name: String,
    pub dword: usize,
    pub lo: u8,
    pub width: u8,
}

/// The key by which members of two generations are the same.
pub type MemberKey = (String, Vec<(usize, u8, u8)>, u32, bool, Option<EnumKey>);

pub struct Layout<'a> {
    pub descriptor: &'a Descriptor,
    pub members: Vec<Member<'a>>,
    pub keys: Vec<MemberKey>,
    pub gfx: GfxSet,
}

/// Returns the values of a descriptor, ordered by lowest bit; halves are joined.
pub fn members<'a>(all: &'a Descriptors, descriptor: &'a Descriptor, gfx: usize) -> Vec<Member<'a>> {
    let mut members: Vec<Member<'a>> = Vec::new();
    for (dword, name) in descriptor.words.iter().enumerate() {
        for WordField { field, same_bits } in all.word(&name.text).map(|word| word.layout(gfx)).unwrap_or_default() {
            let part = Part { name: field.name.text.clone(), dword, lo: field.lo, width: field.hi - field.lo + 1 };
            let half = |w: &&Joined| w.gfx.has(gfx) && (w.lo.text == field.name.text || w.hi.text == field.name.text);
            let whole = descriptor.joined.iter().find(half);
            let name = whole.map_or(&field.name, |w| &w.name);
            let known = members.iter_mut().find(|m| whole.is_some() && m.name.text == name.text);
            match (known, whole) {
                // The lower half comes first, wherever it is.
                (Some(member), Some(whole)) if whole.lo.text == field.name.text => member.parts.insert(0, part),
                (Some(member), _) => member.parts.push(part),
                (None, _) => members.push(Member {
                    name,
                    doc: whole.map_or(field.doc.as_deref().unwrap_or(""), |w| &w.doc),
                    parts: vec![part],
                    unit: whole.map_or(0, |w| w.unit.ilog2()),
                    values: field.values.as_ref().map(|v| v.text.as_str()),
                    same_bits: same_bits.is_some(),
                }),
            }
        }
    }
    members
}

/// Returns the type name: `BUFFER` becomes `BufferDescriptor`.
pub fn type_name(descriptor: &Descriptor) -> String {
    format!("{}Descriptor", camel(&descriptor.name.text))
}

pub fn layouts(all: &Descriptors) -> Vec<Layout<'_>> {
    let mut layouts: Vec<Layout<'_>> = Vec::new();
    for descriptor in &all.list {
        let start = layouts.len();
        for gfx in GfxSet::ALL.indices() {
            let members = members(all, descriptor, gfx);
            let mut keys = Vec::new();
            for member in &members {
                keys.push(member_key(all, member, gfx));
            }
            match layouts[start..].iter_mut().find(|l| l.keys == keys) {
                Some(layout) => layout.gfx = layout.gfx.or(GfxSet::only(gfx)),
                None => layouts.push(Layout { descriptor, members, keys, gfx: GfxSet::only(gfx) }),
            }
        }
    }
    layouts
}

fn member_key(all: &Descriptors, member: &Member<'_>, gfx: usize) -> MemberKey {
    let mut parts = Vec::new();
    for part in &member.parts {
        parts.push((part.dword, part.lo, part.width));
    }
    let list = match member.values.and_then(|name| all.values.values(name, gfx)) {
        Some(e) if !e.flags => {
            let mut entries = Vec::new();
            for entry in e.entries_on(gfx) {
                entries.push((entry.name.text.clone(), entry.value));
            }
            Some((e.name.text.clone(), widest(all, &e.name.text), entries))
        }
        _ => None,
    };
    (member.name.text.clone(), parts, member.unit, member.same_bits, list)
}

/// Returns the bits of the widest field with a list. Values that do not fit a narrower field are refused when words are made.
fn widest(all: &Descriptors, list: &str) -> u8 {
    let mut most = 1;
    for word in &all.words {
        for WordField { field, .. } in &word.fields {
            if field.values.as_ref().is_some_and(|values| values.text == list) {
                most = most.max(field.hi - field.lo + 1);
            }
        }
    }
    most
}

/// Returns the types of all value lists: the plain name if one type is enough; otherwise the name with the first generation that has it.
pub fn enum_types(layouts: &[Layout<'_>]) -> BTreeMap<EnumKey, EnumType> {
    let mut enums = BTreeMap::new();
    for layout in layouts {
        for (_, _, _, _, values) in &layout.keys {
            if let Some(key) = values {
                add_gfx(&mut enums, key, layout.gfx);
            }
        }
    }
    let mut names = Vec::new();
    for (key, this) in &enums {
        let many = enums.iter().any(|(other, _)| other.0 == key.0 && other != key);
        names.push(camel(&key.0) + &if many { suffix(this.gfx) } else { String::new() });
    }
    set_names(&mut enums, names);
    enums
}

pub fn layout_names(layouts: &[Layout<'_>]) -> Vec<String> {
    let many = |layout: &Layout<'_>| layouts.iter().filter(|other| other.descriptor.name.text == layout.descriptor.name.text).collect::<Vec<_>>().len() > 1;
    layouts.iter().map(|layout| type_name(layout.descriptor) + &if many(layout) { suffix(layout.gfx) } else { String::new() }).collect::<Vec<_>>()
}
