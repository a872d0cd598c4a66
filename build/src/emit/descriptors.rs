//! Emits the typed descriptors: one struct over words per distinct layout, one Rust type per distinct value list, a module per generation, and the formats.

use crate::emit::registers::{Pool, enum_info};
use crate::emit::typed::{emit_enum, import};
use crate::gfx::{GENERATIONS, GfxSet};
use crate::input::Text;
use crate::lower::descriptors::*;
use crate::lower::typed::{EnumKey, EnumType};
use crate::model::descriptors::*;
use crate::names::{camel, field_name};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Returns the text of `descriptors.rs`. Names are computed from all generations, so they do not depend on which are enabled.
pub fn emit(all: &Descriptors, enabled: GfxSet) -> String {
    let layouts = layouts(all);
    let enums = enum_types(&layouts);
    let names = layout_names(&layouts);
    let mut lists = Pool::new();
    let (mut types, mut tables) = (String::new(), String::new());
    for (key, this) in &enums {
        if !this.gfx.and(enabled).is_empty() {
            types += &emit_enum(this, key, &all.values);
        }
    }
    for (index, (layout, name)) in layouts.iter().zip(&names).enumerate() {
        if layout.gfx.and(enabled).is_empty() {
            continue;
        }
        types += &emit_struct(index, name, layout, &enums);
        tables += &emit_table(all, index, layout, &mut lists);
    }
    let mut modules = String::new();
    for gfx in enabled.indices() {
        let mut imports = Vec::new();
        for (layout, name) in layouts.iter().zip(&names) {
            if !layout.gfx.has(gfx) {
                continue;
            }
            imports.push(import(name, &type_name(layout.descriptor)));
            for (_, _, _, _, values) in &layout.keys {
                if let Some(key) = values {
                    imports.push(import(&enums[key].name, &camel(&key.0)));
                }
            }
        }
        let generation = &GENERATIONS[gfx];
        let imports = Vec::from_iter(BTreeSet::from_iter(imports));
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
        "static E: [EnumInfo; {}] = [{}];\n{tables}{}\
         /// One type per distinct layout; the modules of the generations re-export them under their plain names.\n\
         pub mod layout {{ use super::*;\n{types} }}\n{modules}{}{}",
        lists.items.len(),
        lists.items.join(","),
        kinds(all, &layouts, enabled),
        formats(all, enabled),
        list(&layouts, &names, enabled),
    )
}

/// Returns the Rust type of a member.
fn kind(member: &Member<'_>, key: &MemberKey, enums: &BTreeMap<EnumKey, EnumType>) -> String {
    let mut width = 0;
    for part in &member.parts {
        width += u32::from(part.width);
    }
    match &key.4 {
        Some(list) => enums[list].name.clone(),
        None if width == 1 => "bool".to_owned(),
        None if width + member.unit <= 32 => "u32".to_owned(),
        None => "u64".to_owned(),
    }
}

fn place(part: &Part) -> String {
    let hi = part.lo + part.width - 1;
    if hi == part.lo { format!("dword {}, bit {hi}", part.dword) } else { format!("dword {}, bits {hi}:{}", part.dword, part.lo) }
}

fn emit_struct(index: usize, name: &str, layout: &Layout<'_>, enums: &BTreeMap<EnumKey, EnumType>) -> String {
    let mut body = String::new();
    for (i, (member, key)) in layout.members.iter().zip(&layout.keys).enumerate() {
        let sentence = member.parts.iter().map(place).collect::<Vec<_>>().join("; ");
        let doc = format!("{}{}. {}", sentence[..1].to_uppercase(), &sentence[1..], member.doc);
        let lower = member.name.text.to_ascii_lowercase();
        writeln!(body, "{:?} {} with_{lower} {i} {};", doc.trim_end(), field_name(&lower), kind(member, key, enums)).unwrap_or_default();
    }
    let doc = format!("{} (GFX{}).", layout.descriptor.doc.trim_end_matches('.'), layout.gfx);
    format!("descriptor!({doc:?}, {name}, {}, {}, D{index}, {{ {body} }});\n", camel(&layout.descriptor.name.text), layout.descriptor.words.len())
}

fn emit_table(all: &Descriptors, index: usize, layout: &Layout<'_>, lists: &mut Pool) -> String {
    let gfx = layout.gfx.first().unwrap_or(0);
    let mut rows = String::new();
    for member in &layout.members {
        let parts = member
            .parts
            .iter()
            .map(|p| format!("DescriptorBits{{dword:{},bits:BitField::new({:?},{},{})}},", p.dword, p.name, p.lo, p.width))
            .collect::<String>();
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

/// Returns the descriptor table of each generation, and the names of its words.
fn kinds(all: &Descriptors, layouts: &[Layout<'_>], enabled: GfxSet) -> String {
    let mut arms = String::new();
    let mut words = String::new();
    for descriptor in &all.list {
        let kind = camel(&descriptor.name.text);
        for gfx in enabled.indices() {
            let index = layouts.iter().position(|l| l.gfx.has(gfx) && l.descriptor.name.text == descriptor.name.text).unwrap_or(0);
            write!(arms, "(DescriptorKind::{kind}, Gfx::{}) => &D{index},", GENERATIONS[gfx].variant).unwrap_or_default();
        }
        let names = descriptor.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>();
        write!(words, "DescriptorKind::{kind} => &{names:?},").unwrap_or_default();
    }
    let variants = all.list.iter().map(|d| format!("{:?} {},", d.doc, camel(&d.name.text))).collect::<String>();
    format!(
        "descriptor_kinds! {{ {variants} }}\n\
         const fn table(kind: DescriptorKind, gfx: Gfx) -> &'static [DescriptorField] {{ match (kind, gfx) {{ {arms} }} }}\n\
         const fn word_names(kind: DescriptorKind) -> &'static [&'static str] {{ match kind {{ {words} }} }}\n"
    )
}

fn formats(all: &Descriptors, enabled: GfxSet) -> String {
    let (mut variants, mut rows) = (String::new(), String::new());
    for format in &all.formats {
        writeln!(variants, "{},", format.name.text).unwrap_or_default();
        let gfx9 = match &format.gfx9 {
            Some((data, num)) if enabled.has(0) => number(all, GFX9_LISTS[0], data, 0).zip(number(all, GFX9_LISTS[1], num, 0)),
            _ => None,
        };
        let numbers: [Option<u32>; GENERATIONS.len()] = std::array::from_fn(|gfx| match &format.format {
            Some(name) if enabled.has(gfx) => number(all, FORMAT_LISTS[0], name, gfx).or(number(all, FORMAT_LISTS[1], name, gfx)),
            _ => None,
        });
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

/// Returns the number of a format in a list of a generation.
fn number(all: &Descriptors, list: &str, name: &Text, gfx: usize) -> Option<u32> {
    let full = format!("{list}_{}", name.text);
    for entry in all.values.values(list, gfx)?.entries_on(gfx) {
        if entry.name.text == full {
            return Some(entry.value);
        }
    }
    None
}

/// Converts a text such as `X001` to a list of sources.
fn sources(channels: &Text) -> String {
    let mut list = String::new();
    for c in channels.text.chars() {
        list += &match c {
            '0' => "ChannelSource::Zero,".to_owned(),
            '1' => "ChannelSource::One,".to_owned(),
            _ => format!("ChannelSource::{c},"),
        };
    }
    list
}

/// Returns a macro that passes every struct to another macro, for tests.
fn list(layouts: &[Layout<'_>], names: &[String], enabled: GfxSet) -> String {
    let mut every = Vec::new();
    for (layout, name) in layouts.iter().zip(names) {
        if !layout.gfx.and(enabled).is_empty() {
            every.push(name.as_str());
        }
    }
    format!("#[doc(hidden)]\n#[macro_export]\nmacro_rules! each_descriptor_struct {{ ($each:ident) => {{ $each! {{ {} }} }} }}\n", every.join(" "))
}
