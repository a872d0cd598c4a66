//! Checks names in packet descriptions that become Rust names, things that share a name, and value lists and layouts on their own.

use crate::check::rust::{Clash, clash};
use crate::diag::{Diagnostic, Result, Span};
use crate::model::packets::*;
use crate::names::{RESERVED, camel, equal, is_name, is_rest, pairs};

/// Types that the generated packet code itself uses.
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
/// Methods of every layout in addition to those of its fields.
const METHODS: [&str; 4] = ["fits", "parts", "with", "word"];

/// Adds all mistakes in names, value lists and layouts.
pub fn check(packets: &Packets, errors: &mut Vec<Box<Diagnostic>>) {
    let (mut enums, mut bitfields, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for e in &packets.enums {
        enums.push((e.name.as_str(), &e.span));
    }
    for bitfield in &packets.bitfields {
        bitfields.push((bitfield.name.as_str(), &bitfield.span));
    }
    for packet in &packets.packets {
        all.push((packet.name.as_str(), &packet.span));
    }
    types("enum", &enums, errors);
    types("bitfield", &bitfields, errors);
    types("packet", &all, errors);
    for e in &packets.enums {
        errors.extend(values(e).err());
    }
    for bitfield in &packets.bitfields {
        errors.extend(names(bitfield).err());
        errors.extend(wide_values(packets, bitfield).err());
    }
}

/// Checks that each name becomes a distinct Rust type. The parts of a name are separated by full stops.
fn types(what: &str, names: &[(&str, &Span)], errors: &mut Vec<Box<Diagnostic>>) {
    let types = names
        .iter()
        .map(|(name, _)| {
            let mut camels = String::new();
            for part in name.split('.') {
                camels += &camel(part);
            }
            camels
        })
        .collect::<Vec<_>>();
    for (&(name, at), rust) in names.iter().zip(&types) {
        if !name.split('.').all(is_name) || !is_name(rust) {
            errors.push(Diagnostic::new(at.clone(), format!("`{name}` is not a name for a type of Rust: a letter, then letters, digits and underscores")));
        } else if TYPES.contains(&rust.as_str()) {
            errors.push(Diagnostic::new(at.clone(), format!("{name} becomes the Rust type `{rust}`, which the generated code uses itself")));
        }
    }
    for (late, early) in pairs(&types) {
        let ((name, at), (other, there)) = (names[late], names[early]);
        let how = if name == other {
            format!("the {what} {name} is defined twice")
        } else {
            format!("{other} and {name} both become the Rust type `{}`", types[late])
        };
        errors.push(Diagnostic::new(at.clone(), how).related(there.clone(), "the other is here"));
    }
}

/// Checks that values have Rust names; values that exist together differ in name, and in number unless one is marked.
fn values(e: &Enum) -> Result<()> {
    for value in &e.values {
        // Events are constants under their own names; other names get an underscore before a leading digit.
        if !is_rest(&value.name) || value.name == "_" || e.name == EVENTS && !is_name(&value.name) {
            let what = format!("`{}` is not a name for a value of {}: a letter, then letters, digits and underscores", value.name, e.name);
            return Err(Diagnostic::new(value.span.clone(), what));
        }
    }
    let shared = |a: &EnumValue, b: &EnumValue| a.scope.and(b.scope).gfx();
    let twice = |what: String, value: &EnumValue, other: &EnumValue| Diagnostic::new(value.span.clone(), what).related(other.span.clone(), "the other is here");
    let names = e.values.iter().map(|value| value.name.to_uppercase()).collect::<Vec<_>>();
    for (late, early) in pairs(&names) {
        let (value, other) = (&e.values[late], &e.values[early]);
        if value.scope.intersects(other.scope) {
            let what = format!("{} has the values {} and {} on GFX{}", value.name, other.value, value.value, shared(value, other));
            return Err(twice(what, value, other));
        }
    }
    let numbers = e.values.iter().map(|value| value.value.to_string()).collect::<Vec<_>>();
    let mut again = vec![false; e.values.len()];
    for (late, early) in pairs(&numbers) {
        let (value, other) = (&e.values[late], &e.values[early]);
        again[late] |= value.scope.intersects(other.scope);
        if value.scope.intersects(other.scope) && !value.also {
            let what = format!("{} and {} both have the value {} on GFX{}", other.name, value.name, value.value, shared(value, other));
            return Err(twice(what, value, other).help("write also = true where a number really has several names"));
        }
    }
    for (value, again) in e.values.iter().zip(again) {
        if value.also && !again {
            let what = format!("no value above {} has the number {}: `also` says otherwise", value.name, value.value);
            return Err(Diagnostic::new(value.span.clone(), what));
        }
    }
    Ok(())
}

/// Checks that the fields of a layout become Rust methods and that no field is defined twice.
fn names(bitfield: &Bitfield) -> Result<()> {
    let fields = &bitfield.fields;
    let lower = fields.iter().map(|field| field.name.to_ascii_lowercase()).collect::<Vec<_>>();
    for (field, name) in fields.iter().zip(&lower) {
        let wrong = |why: String| Err(Diagnostic::new(field.span.clone(), why));
        if RESERVED.contains(&name.as_str()) {
            return wrong(format!("{}.{} becomes `{name}`, a word that Rust reserves", bitfield.name, field.name));
        }
        if !is_name(name) {
            return wrong(format!("`{}` is not a name for a field: a letter, then letters, digits and underscores", field.name));
        }
        if METHODS.contains(&name.as_str()) {
            return wrong(format!("{}.{} becomes `{name}`, a method that every layout has", bitfield.name, field.name));
        }
    }
    let own = fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    for (late, early) in pairs(&own) {
        let (field, other) = (&fields[late], &fields[early]);
        let shared = field.gfx.and(other.gfx);
        if !shared.is_empty() {
            let d = Diagnostic::new(field.span.clone(), format!("field {} of {} is defined twice on GFX{shared}", field.name, bitfield.name));
            return Err(d.related(other.span.clone(), "the other is here"));
        }
    }
    // A field with several places is one method.
    let (mut getters, mut first) = (Vec::new(), Vec::new());
    for group in equal(&own) {
        if lower[group[0]] != "reserved" {
            getters.push(lower[group[0]].clone());
            first.push(&fields[group[0]]);
        }
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

/// Checks that the values of a layout's fields fit their bits.
fn wide_values(packets: &Packets, bitfield: &Bitfield) -> Result<()> {
    for field in &bitfield.fields {
        let Some(index) = field.values else { continue };
        for value in &packets.enums[index].values {
            if !value.scope.gfx().and(field.gfx).is_empty() && !super::packets::fits(value.value, field.lo, field.hi) {
                let d = Diagnostic::new(field.span.clone(), format!("{} = {} does not fit `{}`", value.name, value.value, field.name));
                let d = d.label(format!("the field has bits {}:{}", field.hi, field.lo));
                return Err(d.related(value.span.clone(), "the value is here"));
            }
        }
    }
    Ok(())
}
