//! Names of packet descriptions that become names of Rust, things of which two have one name, and value lists and layouts by themselves.

use super::model::*;
use crate::regdb::check::amd_name;
use crate::regdb::check_rust::{Clash, RESERVED, clash, is_name, is_rest};
use crate::regdb::diag::{Diagnostic, Result, Span};
use crate::regdb::gfx::GfxSet;
use crate::regdb::input::Table;
use crate::regdb::names::camel;
use std::collections::BTreeMap;

/// Types that the generated code of packets uses itself.
const TYPES: [&str; 20] = [
    "Body",
    "BodyWord",
    "ClosedPacket",
    "Event",
    "Opcode",
    "OpenPacket",
    "Option",
    "PacketFields",
    "PhantomData",
    "Raw",
    "Scope",
    "Self",
    "Slot",
    "Some",
    "None",
    "Value",
    "Values",
    "Word",
    "Copy",
    "Clone",
];
/// Methods of every layout, beside those of its fields.
const METHODS: [&str; 4] = ["fits", "parts", "with", "word"];

/// All mistakes in names, value lists and layouts.
pub fn check(packets: &Packets, errors: &mut Vec<Box<Diagnostic>>) {
    types("enum", packets.enums.iter().map(|e| (e.name.as_str(), &e.span)), errors);
    types("bitfield", packets.bitfields.iter().map(|b| (b.name.as_str(), &b.span)), errors);
    types("packet", packets.packets.iter().map(|p| (p.name.as_str(), &p.span)), errors);
    for e in &packets.enums {
        errors.extend(values(e).err());
    }
    for bitfield in &packets.bitfields {
        errors.extend(names(bitfield).err());
        errors.extend(wide_values(packets, bitfield).err());
    }
}

/// The name of an opcode: a constant of Rust.
pub fn opcode_name(name: &str, at: &Span) -> Result<()> {
    amd_name("the name of a packet or an opcode", name, at)
}

/// What a field means is said once.
pub fn one_meaning(table: &Table<'_>) -> Result<()> {
    let said: Vec<_> = ["enum", "layout", "register"].into_iter().filter_map(|key| Some((key, table.get(key)?))).collect();
    match said.as_slice() {
        [(first, one), (second, other), ..] => {
            let d = Diagnostic::new(other.key.clone(), format!("a field has either `{first}` or `{second}`"));
            Err(d.related(one.key.clone(), "the other meaning").help("a number, a layout and the name of a register are different things: keep one of them"))
        }
        _ => Ok(()),
    }
}

/// Each name becomes a type of Rust of its own. The parts of a name are those between full stops.
fn types<'a>(what: &str, names: impl Iterator<Item = (&'a str, &'a Span)>, errors: &mut Vec<Box<Diagnostic>>) {
    let mut seen: BTreeMap<String, (&str, &Span)> = BTreeMap::new();
    for (name, at) in names {
        let rust: String = name.split('.').map(camel).collect();
        if !name.split('.').all(is_name) || !is_name(&rust) {
            errors.push(Diagnostic::new(at.clone(), format!("`{name}` is not a name for a type of Rust: a letter, then letters, digits and underscores")));
        } else if TYPES.contains(&rust.as_str()) {
            errors.push(Diagnostic::new(at.clone(), format!("{name} becomes the Rust type `{rust}`, which the generated code uses itself")));
        } else if let Some((other, there)) = seen.get(&rust) {
            let how = if *other == name { format!("the {what} {name} stands twice") } else { format!("{other} and {name} both become the Rust type `{rust}`") };
            errors.push(Diagnostic::new(at.clone(), how).related((*there).clone(), "the other is here"));
        } else {
            seen.insert(rust, (name, at));
        }
    }
}

/// Values have names of Rust; where two hold together, they differ in name, and in number unless one says otherwise.
fn values(e: &Enum) -> Result<()> {
    let mut names: BTreeMap<String, Vec<&EnumValue>> = BTreeMap::new();
    let mut numbers: BTreeMap<u32, Vec<&EnumValue>> = BTreeMap::new();
    for value in &e.values {
        let wrong = |why: String| Diagnostic::new(value.span.clone(), why);
        // Events are constants under their own names, others get an underscore before a digit.
        if !is_rest(&value.name) || value.name == "_" || e.name == EVENTS && !is_name(&value.name) {
            return Err(wrong(format!("`{}` is not a name for a value of {}: a letter, then letters, digits and underscores", value.name, e.name)));
        }
        let named = names.entry(value.name.to_uppercase()).or_default();
        if let Some(other) = beside(named, value) {
            let what = format!("{} has the values {} and {} on GFX{}", value.name, other.value, value.value, shared(other, value));
            return Err(wrong(what).related(other.span.clone(), "the other is here"));
        }
        named.push(value);
        let numbered = numbers.entry(value.value).or_default();
        match beside(numbered, value) {
            Some(other) if !value.also => {
                let what = format!("{} and {} both have the value {} on GFX{}", other.name, value.name, value.value, shared(other, value));
                let d = wrong(what).related(other.span.clone(), "the other is here");
                return Err(d.help("write also = true where a number really has several names"));
            }
            None if value.also => return Err(wrong(format!("no value above {} has the number {}: `also` says otherwise", value.name, value.value))),
            _ => numbered.push(value),
        }
    }
    Ok(())
}

/// The value of a list that holds where this one does.
fn beside<'a>(list: &[&'a EnumValue], value: &EnumValue) -> Option<&'a EnumValue> {
    list.iter().copied().find(|other| other.scope.intersects(value.scope))
}

fn shared(a: &EnumValue, b: &EnumValue) -> GfxSet {
    a.scope.and(b.scope).gfx()
}

/// The fields of a layout become methods of Rust; none stands twice.
fn names(bitfield: &Bitfield) -> Result<()> {
    let mut seen: BTreeMap<&str, Vec<&BitfieldField>> = BTreeMap::new();
    let mut getters: Vec<String> = Vec::new();
    let mut first: Vec<&BitfieldField> = Vec::new();
    for field in &bitfield.fields {
        let name = field.name.to_ascii_lowercase();
        let wrong = |why: String| Err(Diagnostic::new(field.span.clone(), why));
        if RESERVED.contains(&name.as_str()) {
            return wrong(format!("{}.{} becomes `{name}`, a word that Rust reserves", bitfield.name, field.name));
        }
        if !is_name(&name) {
            return wrong(format!("`{}` is not a name for a field: a letter, then letters, digits and underscores", field.name));
        }
        if METHODS.contains(&name.as_str()) {
            return wrong(format!("{}.{} becomes `{name}`, a method that every layout has", bitfield.name, field.name));
        }
        let others = seen.entry(&field.name).or_default();
        if let Some(other) = others.iter().find(|other| !other.gfx.and(field.gfx).is_empty()) {
            let what = format!("field {} of {} stands twice on GFX{}", field.name, bitfield.name, other.gfx.and(field.gfx));
            return wrong(what).map_err(|d| d.related(other.span.clone(), "the other is here"));
        }
        if others.is_empty() && name != "reserved" {
            getters.push(name);
            first.push(field);
        }
        others.push(field);
    }
    match clash(&getters) {
        None => Ok(()),
        Some(Clash::Every(i)) => Err(Diagnostic::new(first[i].span.clone(), format!("{}.{} is a method that every layout has", bitfield.name, first[i].name))),
        Some(Clash::Both(i, other, method)) => {
            let what = format!("{} and {} of {} both make a method `{method}`", first[i].name, first[other].name, bitfield.name);
            Err(Diagnostic::new(first[i].span.clone(), what).related(first[other].span.clone(), "the other field"))
        }
    }
}

/// The values of a layout's fields fit their bits.
fn wide_values(packets: &Packets, bitfield: &Bitfield) -> Result<()> {
    for field in &bitfield.fields {
        for value in field.values.into_iter().flat_map(|index| &packets.enums[index].values) {
            if !value.scope.gfx().and(field.gfx).is_empty() && !super::check::fits(value.value, field.lo, field.hi) {
                let d = Diagnostic::new(field.span.clone(), format!("{} = {} does not fit `{}`", value.name, value.value, field.name));
                let d = d.label(format!("the field has bits {}:{}", field.hi, field.lo));
                return Err(d.related(value.span.clone(), "the value is here"));
            }
        }
    }
    Ok(())
}
