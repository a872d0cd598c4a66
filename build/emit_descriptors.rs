//! Emits the typed descriptors: one struct over words per distinct layout, one Rust type per distinct value list, a module per generation, and the formats.

use crate::regdb::descriptors::*;
use crate::regdb::emit::{Pool, enum_info};
use crate::regdb::emit_typed::{EnumKey, emit_enum, import, suffix};
use crate::regdb::gfx::{GENERATIONS, GfxSet};
use crate::regdb::input::Text;
use crate::regdb::names::{camel, field_name};
use crate::regdb::sorted::{SortedMap, sorted};
use std::fmt::Write;

/// The lists that a format of GFX10 and later must be in.
pub const FORMAT_LISTS: [&str; 2] = ["GFX10_FORMAT", "GFX11_FORMAT"];
/// The lists of data and number formats of GFX9.
pub const GFX9_LISTS: [&str; 2] = ["IMG_DATA_FORMAT", "IMG_NUM_FORMAT"];

/// A value of a descriptor on one generation: a field, or the two halves of one.
#[derive(Debug, Clone)]
pub struct Member<'a> {
    pub name: &'a Text,
    doc: &'a str,
    parts: Vec<Part>,
    /// log2 of the unit.
    unit: u32,
    values: Option<&'a str>,
    same_bits: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    name: String,
    dword: usize,
    lo: u8,
    width: u8,
}

/// What makes the members of two generations the same.
type MemberKey = (String, Vec<(usize, u8, u8)>, u32, bool, Option<EnumKey>);

struct Layout<'a> {
    descriptor: &'a Descriptor,
    members: Vec<Member<'a>>,
    keys: Vec<MemberKey>,
    gfx: GfxSet,
}

/// The values of a descriptor in the order of their lowest bits; halves are one.
pub fn members<'a>(all: &'a Descriptors, descriptor: &'a Descriptor, gfx: usize) -> Vec<Member<'a>> {
    let mut members: Vec<Member<'a>> = Vec::new();
    for (dword, name) in descriptor.words.iter().enumerate() {
        for WordField { field, same_bits } in all.word(&name.text).map(|word| word.layout(gfx)).unwrap_or_default() {
            let part = Part { name: field.name.text.clone(), dword, lo: field.lo, width: field.hi - field.lo + 1 };
            let half = |w: &&Joined| w.gfx.has(gfx) && [&w.lo.text, &w.hi.text].contains(&&field.name.text);
            let whole = descriptor.joined.iter().find(half);
            let name = whole.map_or(&field.name, |w| &w.name);
            let known = members.iter_mut().find(|m| whole.is_some() && m.name.text == name.text);
            match (known, whole) {
                // The lower half is first, wherever it lies.
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

/// `BUFFER` becomes `BufferDescriptor`.
pub fn type_name(descriptor: &Descriptor) -> String {
    format!("{}Descriptor", camel(&descriptor.name.text))
}

/// The text of `descriptors.rs`. Names depend on all generations, so that they stay the same whatever is enabled.
pub fn emit(all: &Descriptors, enabled: GfxSet) -> String {
    let layouts = layouts(all);
    let enums = enum_sets(&layouts);
    let enum_names = enum_names(&enums);
    let names = layout_names(&layouts);
    let mut lists = Pool::new();
    let (mut types, mut tables) = (String::new(), String::new());
    for (key, gfx) in enums.iter().filter(|(_, gfx)| !gfx.and(enabled).is_empty()) {
        types += &emit_enum(&enum_names[key], key, &all.values, *gfx);
    }
    for (index, (layout, name)) in layouts.iter().zip(&names).enumerate().filter(|(_, (l, _))| !l.gfx.and(enabled).is_empty()) {
        types += &emit_struct(index, name, layout, &enum_names);
        tables += &emit_table(all, index, layout, &mut lists);
    }
    let mut modules = String::new();
    for gfx in enabled.indices() {
        let mut imports = Vec::new();
        for (layout, name) in layouts.iter().zip(&names).filter(|(l, _)| l.gfx.has(gfx)) {
            imports.push(import(name, &type_name(layout.descriptor)));
            imports.extend(layout.keys.iter().filter_map(|k| k.4.as_ref()).map(|key| import(&enum_names[key], &camel(&key.0))));
        }
        let generation = &GENERATIONS[gfx];
        let imports = sorted(imports);
        writeln!(
            modules,
            "/// Typed descriptors and their values, GFX{}.\npub mod {} {{ pub use super::layout::{{{}}}; }}",
            generation.name,
            generation.id,
            imports.join(", ")
        )
        .unwrap_or_default();
    }
    format!(
        "// Generated from regdb/descriptors/ by build.rs.\n\
         static E: [EnumInfo; {}] = [{}];\n{tables}{}\
         /// One type per distinct layout; the modules of the generations re-export them under their plain names.\n\
         pub mod layout {{ use super::*;\n{types} }}\n{modules}{}{}",
        lists.items.len(),
        lists.items.join(","),
        kinds(all, &layouts, enabled),
        formats(all, enabled),
        list(&layouts, &names, enabled),
    )
}

fn layouts(all: &Descriptors) -> Vec<Layout<'_>> {
    let mut layouts: Vec<Layout<'_>> = Vec::new();
    for descriptor in &all.list {
        let start = layouts.len();
        for gfx in GfxSet::ALL.indices() {
            let members = members(all, descriptor, gfx);
            let keys: Vec<MemberKey> = members.iter().map(|m| member_key(all, m, gfx)).collect();
            match layouts[start..].iter_mut().find(|l| l.keys == keys) {
                Some(layout) => layout.gfx = layout.gfx.or(GfxSet::only(gfx)),
                None => layouts.push(Layout { descriptor, members, keys, gfx: GfxSet::only(gfx) }),
            }
        }
    }
    layouts
}

fn member_key(all: &Descriptors, member: &Member<'_>, gfx: usize) -> MemberKey {
    let parts = member.parts.iter().map(|p| (p.dword, p.lo, p.width)).collect();
    let list = member.values.and_then(|name| all.values.values(name, gfx)).filter(|e| !e.flags).map(|e| {
        let entries = e.entries_on(gfx).into_iter().map(|entry| (entry.name.text.clone(), entry.value)).collect();
        (e.name.text.clone(), widest(all, &e.name.text), entries)
    });
    (member.name.text.clone(), parts, member.unit, member.same_bits, list)
}

/// Bits of the widest field with a list: what does not fit a narrower one is refused when words are made.
fn widest(all: &Descriptors, list: &str) -> u8 {
    let fields = all.words.iter().flat_map(|word| &word.fields).map(|f| &f.field);
    fields.filter(|f| f.values.as_ref().is_some_and(|v| v.text == list)).map(|f| f.hi - f.lo + 1).max().unwrap_or(1)
}

fn enum_sets(layouts: &[Layout<'_>]) -> SortedMap<EnumKey, GfxSet> {
    let mut enums: SortedMap<EnumKey, GfxSet> = SortedMap::new();
    for layout in layouts {
        for key in layout.keys.iter().filter_map(|k| k.4.as_ref()) {
            let set = enums.or_insert(key.clone(), GfxSet::NONE);
            *set = set.or(layout.gfx);
        }
    }
    enums
}

/// Plain name where one type serves all; else the first generation that has it is added.
fn enum_names(enums: &SortedMap<EnumKey, GfxSet>) -> SortedMap<EnumKey, String> {
    let many = |key: &EnumKey| enums.keys().filter(|k| k.0 == key.0).count() > 1;
    enums.iter().map(|(key, gfx)| (key.clone(), camel(&key.0) + &if many(key) { suffix(*gfx) } else { String::new() })).collect()
}

fn layout_names(layouts: &[Layout<'_>]) -> Vec<String> {
    let many = |l: &Layout<'_>| layouts.iter().filter(|o| o.descriptor.name.text == l.descriptor.name.text).count() > 1;
    layouts.iter().map(|l| type_name(l.descriptor) + &if many(l) { suffix(l.gfx) } else { String::new() }).collect()
}

/// The Rust type of a member.
fn kind(member: &Member<'_>, key: &MemberKey, enum_names: &SortedMap<EnumKey, String>) -> String {
    let width: u32 = member.parts.iter().map(|p| u32::from(p.width)).sum();
    match &key.4 {
        Some(list) => enum_names[list].clone(),
        None if width == 1 => "bool".to_owned(),
        None if width + member.unit <= 32 => "u32".to_owned(),
        None => "u64".to_owned(),
    }
}

fn place(part: &Part) -> String {
    let hi = part.lo + part.width - 1;
    if hi == part.lo { format!("dword {}, bit {hi}", part.dword) } else { format!("dword {}, bits {hi}:{}", part.dword, part.lo) }
}

fn emit_struct(index: usize, name: &str, layout: &Layout<'_>, enum_names: &SortedMap<EnumKey, String>) -> String {
    let mut body = String::new();
    for (i, (member, key)) in layout.members.iter().zip(&layout.keys).enumerate() {
        let places: Vec<String> = member.parts.iter().map(place).collect();
        let sentence = places.join("; ");
        let doc = format!("{}{}. {}", sentence[..1].to_uppercase(), &sentence[1..], member.doc);
        let lower = member.name.text.to_ascii_lowercase();
        writeln!(body, "{:?} {} with_{lower} {i} {};", doc.trim_end(), field_name(&lower), kind(member, key, enum_names)).unwrap_or_default();
    }
    let doc = format!("{} (GFX{}).", layout.descriptor.doc.trim_end_matches('.'), layout.gfx);
    format!("descriptor!({doc:?}, {name}, {}, {}, D{index}, {{ {body} }});\n", camel(&layout.descriptor.name.text), layout.descriptor.words.len())
}

fn emit_table(all: &Descriptors, index: usize, layout: &Layout<'_>, lists: &mut Pool) -> String {
    let gfx = layout.gfx.first().unwrap_or(0);
    let mut rows = String::new();
    for member in &layout.members {
        let parts: String =
            member.parts.iter().map(|p| format!("DescriptorBits{{dword:{},bits:BitField::new({:?},{},{})}},", p.dword, p.name, p.lo, p.width)).collect();
        let values = member.values.and_then(|name| all.values.values(name, gfx));
        let values = values.map_or("None".to_owned(), |e| format!("Some(&E[{}])", lists.add(enum_info(e, gfx))));
        write!(
            rows,
            "DescriptorField{{name:{:?},parts:&[{parts}],unit:{},values:{values},same_bits:{},doc:{:?}}},",
            member.name.text, member.unit, member.same_bits, member.doc
        )
        .unwrap_or_default();
    }
    format!("static D{index}: [DescriptorField; {}] = [{rows}];\n", layout.members.len())
}

/// Which table a descriptor has on a generation, and the names of its words.
fn kinds(all: &Descriptors, layouts: &[Layout<'_>], enabled: GfxSet) -> String {
    let mut arms = String::new();
    let mut words = String::new();
    for descriptor in &all.list {
        let kind = camel(&descriptor.name.text);
        for gfx in enabled.indices() {
            let index = layouts.iter().position(|l| l.gfx.has(gfx) && l.descriptor.name.text == descriptor.name.text).unwrap_or(0);
            write!(arms, "(DescriptorKind::{kind}, Gfx::{}) => &D{index},", GENERATIONS[gfx].variant).unwrap_or_default();
        }
        let names: Vec<&str> = descriptor.words.iter().map(|w| w.text.as_str()).collect();
        write!(words, "DescriptorKind::{kind} => &{names:?},").unwrap_or_default();
    }
    let variants: String = all.list.iter().map(|d| format!("{:?} {},", d.doc, camel(&d.name.text))).collect();
    format!(
        "descriptor_kinds! {{ {variants} }}\n\
         const fn table(kind: DescriptorKind, gfx: Gfx) -> &'static [DescriptorField] {{ match (kind, gfx) {{ {arms} }} }}\n\
         const fn word_names(kind: DescriptorKind) -> &'static [&'static str] {{ match kind {{ {words} }} }}\n"
    )
}

fn formats(all: &Descriptors, enabled: GfxSet) -> String {
    let number = |list: &str, name: &Text, gfx: usize| {
        let e = all.values.values(list, gfx)?;
        let full = format!("{list}_{}", name.text);
        e.entries_on(gfx).into_iter().find(|entry| entry.name.text == full).map(|entry| entry.value)
    };
    let (mut variants, mut rows) = (String::new(), String::new());
    for format in &all.formats {
        writeln!(variants, "{},", format.name.text).unwrap_or_default();
        let gfx9 = format.gfx9.as_ref().filter(|_| enabled.has(0));
        let gfx9 = gfx9.and_then(|(data, num)| Some((number(GFX9_LISTS[0], data, 0)?, number(GFX9_LISTS[1], num, 0)?)));
        let numbers: Vec<Option<u32>> = (0..GENERATIONS.len())
            .map(|gfx| FORMAT_LISTS.iter().find_map(|list| number(list, format.format.as_ref()?, gfx)).filter(|_| enabled.has(gfx)))
            .collect();
        let channels = sources(&format.channels);
        let own = sources(format.own.as_ref().unwrap_or(&format.channels));
        let swap = format.swap.as_ref().map_or("None".to_owned(), |swap| format!("Some(SurfaceSwap::SWAP_{})", swap.text));
        writeln!(
            rows,
            "FormatRow{{bits:{},channels:[{channels}],own:[{own}],gfx9:{gfx9:?},numbers:{numbers:?},etc2:{},buffers_only:{},blocks:{},depth:{:?},swap:{swap}}},",
            format.bits,
            format.etc2,
            format.buffers_only,
            format.blocks,
            format.depth,
        )
        .unwrap_or_default();
    }
    format!("texel_formats! {{ {variants} }}\nstatic FORMATS: [FormatRow; {}] = [{rows}];\n", all.formats.len())
}

/// `X001` as a list of sources.
fn sources(channels: &Text) -> String {
    let source = |c: char| match c {
        '0' => "ChannelSource::Zero,".to_owned(),
        '1' => "ChannelSource::One,".to_owned(),
        _ => format!("ChannelSource::{c},"),
    };
    channels.text.chars().map(source).collect()
}

/// A macro that hands every struct to another, for tests.
fn list(layouts: &[Layout<'_>], names: &[String], enabled: GfxSet) -> String {
    let every: Vec<&str> = layouts.iter().zip(names).filter(|(l, _)| !l.gfx.and(enabled).is_empty()).map(|(_, name)| name.as_str()).collect();
    format!("#[doc(hidden)]\n#[macro_export]\nmacro_rules! each_descriptor_struct {{ ($each:ident) => {{ $each! {{ {} }} }} }}\n", every.join(" "))
}
