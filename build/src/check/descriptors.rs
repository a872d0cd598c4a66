//! Checks between the parts of resource descriptors, and conditions for generating Rust code from them.

use crate::check::registers::{self, generation};
use crate::check::rust::{self, Clash, Result, clash};
use crate::diag::{Diagnostic, did_you_mean};
use crate::gfx::{GENERATIONS, GfxSet};
use crate::input::Text;
use crate::lower::descriptors::{FORMAT_LISTS, GFX9_LISTS, members, type_name};
use crate::lower::typed::CLOSED_ENUM_BITS;
use crate::model::descriptors::*;
use crate::model::registers::{Enum, Field};
use crate::names::{RESERVED, amd_name, camel, is_name};
use std::collections::BTreeMap;

/// Methods of every descriptor struct in addition to those of its fields.
const METHODS: [&str; 1] = ["words"];

/// Returns all broken rules, each with its place.
pub fn check(all: &Descriptors) -> Vec<Box<Diagnostic>> {
    let mut errors = registers::enums(&all.values);
    errors.extend(all.values.enums.iter().filter_map(|e| rust::entries(e).err()));
    for word in &all.words {
        errors.extend(fields(word).err());
        errors.extend(word.fields.iter().find_map(|f| registers::values(&all.values, &f.field).err()));
        errors.extend(wide_lists(all, word).err());
    }
    errors.extend(owners(all).err());
    errors.extend(all.list.iter().filter_map(|d| joined(all, d).err()));
    if errors.is_empty() {
        errors.extend(all.list.iter().filter_map(|d| methods(all, d).err()));
        errors.extend(one_width(all).err());
        errors.extend(types(all).err());
        errors.extend(all.formats.iter().filter_map(|f| format(all, f).err()));
        let mut formats = Vec::new();
        for format in &all.formats {
            formats.push(&format.name);
        }
        errors.extend(one_name(&formats, "format").err());
    }
    errors
}

/// Checks the fields of a word: first the fields without `same_bits`, then those with it.
fn fields(word: &Word) -> Result {
    amd_name("a word's name", &word.name.text, &word.name.span)?;
    let (mut gfx, mut own) = (GfxSet::NONE, GfxSet::NONE);
    for f in &word.fields {
        gfx = gfx.or(f.field.gfx);
        if f.same_bits.is_none() {
            own = own.or(f.field.gfx);
        }
    }
    if gfx.is_empty() {
        return Err(Diagnostic::new(word.name.span.clone(), format!("{} has no fields on any generation", word.name.text)));
    }
    registers::fields(&word.name, own, &|gfx| own_fields(word, gfx))?;
    for f in &word.fields {
        amd_name("a field's name", &f.field.name.text, &f.field.name.span)?;
        let Some(same) = &f.same_bits else { continue };
        for gfx in f.field.gfx.indices() {
            let own = own_fields(word, gfx);
            let Some(other) = own.iter().find(|other| other.name.text == same.text) else {
                return Err(Diagnostic::new(same.span.clone(), format!("{} has no field {} on {}", word.name.text, same.text, generation(gfx))));
            };
            if (other.lo, other.hi) != (f.field.lo, f.field.hi) {
                let d = Diagnostic::new(f.field.span.clone(), format!("{} has other bits than {} on {}", f.field.name.text, same.text, generation(gfx)));
                return Err(d.related(other.span.clone(), format!("{} has bits {}:{}", same.text, other.hi, other.lo)));
            }
        }
    }
    Ok(())
}

/// Returns the fields of a generation that do not share bits.
fn own_fields(word: &Word, gfx: usize) -> Vec<&Field> {
    let mut own = Vec::new();
    for f in word.layout(gfx) {
        if f.same_bits.is_none() {
            own.push(&f.field);
        }
    }
    own
}

/// Checks that value lists have at most 16 bits.
fn wide_lists(all: &Descriptors, word: &Word) -> Result {
    for WordField { field: f, .. } in &word.fields {
        let Some(values) = &f.values else { continue };
        if f.hi - f.lo >= 16 && has_list(all, &values.text) {
            let what = format!("{}.{} has {} bits: a value type has at most 16", word.name.text, f.name.text, f.hi - f.lo + 1);
            return Err(Diagnostic::new(f.span.clone(), what));
        }
    }
    Ok(())
}

fn has_list(all: &Descriptors, name: &str) -> bool {
    all.values.enums.iter().any(|e| e.name.text == name)
}

/// Checks that each word belongs to one place in one descriptor.
fn owners(all: &Descriptors) -> Result {
    let (mut words, mut descriptors, mut placed) = (Vec::new(), Vec::new(), Vec::new());
    for word in &all.words {
        words.push(&word.name);
    }
    for descriptor in &all.list {
        descriptors.push(&descriptor.name);
        placed.extend(&descriptor.words);
    }
    one_name(&words, "word")?;
    one_name(&descriptors, "descriptor")?;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (place, word) in placed.iter().enumerate() {
        if all.word(&word.text).is_none() {
            let mut d = Diagnostic::new(word.span.clone(), format!("nothing describes the word {}", word.text));
            d.help = did_you_mean(&word.text, &all.words.iter().map(|word| word.name.text.as_str()).collect::<Vec<_>>());
            return Err(d);
        }
        if let Some(other) = seen.insert(word.text.clone(), place) {
            let other = placed[other];
            return Err(Diagnostic::new(word.span.clone(), format!("the word {} is defined twice", word.text)).related(other.span.clone(), "the other is here"));
        }
    }
    match all.words.iter().find(|w| !seen.contains_key(w.name.text.as_str())) {
        Some(word) => Err(Diagnostic::new(word.name.span.clone(), format!("{} belongs to no descriptor", word.name.text))),
        None => Ok(()),
    }
}

fn one_name(names: &[&Text], what: &str) -> Result {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (place, name) in names.iter().enumerate() {
        if let Some(other) = seen.insert(name.text.clone(), place) {
            let other = names[other];
            return Err(
                Diagnostic::new(name.span.clone(), format!("the {what} {} is defined twice", name.text)).related(other.span.clone(), "the other is here")
            );
        }
    }
    Ok(())
}

/// Checks joined values: wherever the value exists, both halves are fields and belong to no other value; together they fit.
fn joined(all: &Descriptors, descriptor: &Descriptor) -> Result {
    amd_name("a descriptor's name", &descriptor.name.text, &descriptor.name.span)?;
    for (i, whole) in descriptor.joined.iter().enumerate() {
        amd_name("a joined value's name", &whole.name.text, &whole.name.span)?;
        for gfx in whole.gfx.indices() {
            let mut width = whole.unit.ilog2();
            for half in [&whole.lo, &whole.hi] {
                let mut fields = fields_of(all, descriptor, gfx);
                fields.retain(|f| f.name.text == half.text);
                let [field] = fields.as_slice() else {
                    let count = if fields.is_empty() { "no field" } else { "several fields" };
                    return Err(Diagnostic::new(half.span.clone(), format!("{} has {count} {} on {}", descriptor.name.text, half.text, generation(gfx))));
                };
                width += u32::from(field.hi - field.lo) + 1;
                if field.values.is_some() {
                    return Err(Diagnostic::new(half.span.clone(), format!("{} has named values, so it cannot be half of a number", half.text)));
                }
            }
            if whole.lo.text == whole.hi.text {
                return Err(Diagnostic::new(whole.hi.span.clone(), format!("both halves of {} are {}", whole.name.text, whole.lo.text)));
            }
            if width > 64 {
                return Err(Diagnostic::new(whole.name.span.clone(), format!("{} has {width} bits: 64 is the limit", whole.name.text)));
            }
            let shares = |w: &Joined| [&whole.lo.text, &whole.hi.text].into_iter().any(|half| *half == w.lo.text || *half == w.hi.text);
            if let Some(other) = descriptor.joined[..i].iter().find(|w| w.gfx.has(gfx) && shares(w)) {
                let what = format!("{} and {} have a half in common on {}", other.name.text, whole.name.text, generation(gfx));
                return Err(Diagnostic::new(whole.name.span.clone(), what).related(other.name.span.clone(), "the other value"));
            }
        }
    }
    Ok(())
}

/// Returns the fields of all words of a descriptor.
fn fields_of<'a>(all: &'a Descriptors, descriptor: &Descriptor, gfx: usize) -> Vec<&'a Field> {
    let mut fields = Vec::new();
    for name in &descriptor.words {
        let Some(word) = all.word(&name.text) else { continue };
        for f in word.layout(gfx) {
            fields.push(&f.field);
        }
    }
    fields
}

/// Checks that no two members of a struct have methods of the same name.
fn methods(all: &Descriptors, descriptor: &Descriptor) -> Result {
    for (gfx, generation) in GENERATIONS.iter().enumerate() {
        let members = members(all, descriptor, gfx);
        let getters = members.iter().map(|member| member.name.text.to_ascii_lowercase()).collect::<Vec<_>>();
        let taken = getters.iter().position(|g| METHODS.contains(&g.as_str()) || RESERVED.contains(&g.as_str()));
        let at = |i: usize| members[i].name.span.clone();
        match (clash(&getters), taken) {
            (Some(Clash::Every(i)), _) | (None, Some(i)) => {
                let what = format!("{} becomes `{}`, which every descriptor struct has or Rust reserves", members[i].name.text, getters[i]);
                return Err(Diagnostic::new(at(i), what));
            }
            (Some(Clash::Both(i, other, method)), _) => {
                let what = format!(
                    "{} and {} of {} both make a method `{method}` on GFX{}",
                    members[i].name.text, members[other].name.text, descriptor.name.text, generation.name
                );
                return Err(Diagnostic::new(at(i), what).related(at(other), "the other field"));
            }
            (None, None) => {}
        }
    }
    Ok(())
}

/// Checks that a narrow list, which becomes a Rust enum, has only one width.
fn one_width(all: &Descriptors) -> Result {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut fields = Vec::new();
    for word in &all.words {
        fields.extend(&word.fields);
    }
    for (place, WordField { field, .. }) in fields.iter().enumerate() {
        let Some(values) = &field.values else { continue };
        let other = &fields[*seen.entry(values.text.clone()).or_insert(place)].field;
        let (a, b) = (other.hi - other.lo + 1, field.hi - field.lo + 1);
        if a != b && a.min(b) <= CLOSED_ENUM_BITS {
            let d = Diagnostic::new(field.span.clone(), format!("{} is a type of {a} bits and of {b} bits", values.text));
            return Err(d.related(other.span.clone(), format!("{a} bits here")).help("give one of the fields its own enum"));
        }
    }
    Ok(())
}

/// Checks that no two things become the same Rust type.
fn types(all: &Descriptors) -> Result {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut types = Vec::new();
    for descriptor in &all.list {
        types.push((type_name(descriptor), &descriptor.name));
    }
    for list in &all.values.enums {
        types.push((camel(&list.name.text), &list.name));
    }
    for (place, (rust, amd)) in types.iter().enumerate() {
        let Some(other) = seen.insert(rust.clone(), place) else { continue };
        let other = types[other].1;
        if other.text != amd.text {
            let d = Diagnostic::new(amd.span.clone(), format!("{} and {} both become the Rust type `{rust}`", other.text, amd.text));
            return Err(d.related(other.span.clone(), "the other is here"));
        }
    }
    Ok(())
}

/// Checks that the names of a format are values of the lists, and that the rest is valid for formats.
fn format(all: &Descriptors, format: &TexelFormat) -> Result {
    if !is_name(&format.name.text) {
        return Err(Diagnostic::new(format.name.span.clone(), format!("`{}` is not a name for a format", format.name.text)));
    }
    if format.format.is_none() && format.gfx9.is_none() {
        return Err(Diagnostic::new(format.name.span.clone(), format!("{} exists on no generation", format.name.text)));
    }
    for channels in [Some(&format.channels), format.own.as_ref()] {
        let Some(channels) = channels else { continue };
        if channels.text.len() != 4 || channels.text.chars().any(|c| !"XYZW01".contains(c)) {
            return Err(Diagnostic::new(channels.span.clone(), format!("`{}` is not an order of channels: four of X, Y, Z, W, 0 and 1", channels.text)));
        }
    }
    if let Some(swap) = format.swap.as_ref().filter(|swap| !["STD", "ALT", "STD_REV", "ALT_REV"].contains(&swap.text.as_str())) {
        return Err(Diagnostic::new(swap.span.clone(), format!("`{}` is not an order of a colour target: STD, ALT, STD_REV or ALT_REV", swap.text)));
    }
    if let Some(name) = &format.format {
        for list in FORMAT_LISTS {
            listed(all, list, name)?;
        }
    }
    match &format.gfx9 {
        Some((data, number)) => listed(all, GFX9_LISTS[0], data).and_then(|()| listed(all, GFX9_LISTS[1], number)),
        None => Ok(()),
    }
}

/// Checks that a value is in a list, wherever the list exists.
fn listed(all: &Descriptors, list: &str, name: &Text) -> Result {
    let lists = all.values.enums.iter().filter(|e| e.name.text == list).collect::<Vec<_>>();
    let full = format!("{list}_{}", name.text);
    let known = |e: &&Enum| e.gfx.indices().all(|gfx| e.entries_on(gfx).iter().any(|entry| entry.name.text == full));
    if lists.is_empty() || !lists.iter().all(known) {
        let mut d = Diagnostic::new(name.span.clone(), format!("{list} has no value {full}"));
        let prefix = format!("{list}_");
        let mut entries = Vec::new();
        for entry in lists.iter().flat_map(|e| &e.entries) {
            if let Some(name) = entry.name.text.strip_prefix(&prefix) {
                entries.push(name);
            }
        }
        d.help = did_you_mean(&name.text, &entries);
        return Err(d);
    }
    Ok(())
}
