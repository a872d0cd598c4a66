//! Conditions for generating Rust code from typed registers and value lists: valid and unique Rust names.

use crate::diag::Diagnostic;
use crate::gfx::GENERATIONS;
use crate::lower::typed::type_names;
use crate::model::registers::*;
use crate::names::{RESERVED, is_keyword, is_name, is_rest, pairs};
use std::collections::BTreeMap;

pub type Result = std::result::Result<(), Box<Diagnostic>>;

/// Methods of every register struct.
const METHODS: [&str; 3] = ["new", "from_bytes", "into_bytes"];
/// The prefix of setters. Fields of registers, descriptors and packet words have a getter and a setter.
const SETTER: &str = "with_";
/// Types that the generated code itself uses.
const TYPES: [&str; 16] =
    ["Register", "RegisterInfo", "Place", "BitField", "Gfx", "FieldType", "Self", "Option", "Some", "None", "Result", "Ok", "Err", "From", "Into", "Copy"];
/// The most bits of a value type.
const ENUM_BITS: u8 = 16;

/// Returns all broken rules, each with its place.
pub fn check(database: &Database) -> Vec<Box<Diagnostic>> {
    let mut errors = Vec::new();
    for e in &database.enums {
        errors.extend(entries(e).err());
    }
    for register in &database.registers {
        errors.extend(fields(register).err());
        if register.typed.is_typed() {
            errors.extend(register.gfx().indices().find_map(|gfx| methods(register, gfx).err()));
            errors.extend(enum_widths(database, register).err());
        }
    }
    widths(database, &mut errors);
    types(database, &mut errors);
    errors
}

/// Checks that the names of a value list and its values become Rust names.
pub fn entries(e: &Enum) -> Result {
    if !is_name(&e.name.text) {
        return Err(Diagnostic::new(
            e.name.span.clone(),
            format!("`{}` is not a name for an enum: a letter, then letters, digits and underscores", e.name.text),
        ));
    }
    for entry in &e.entries {
        let name = &entry.name.text;
        let wrong = |why: String| Err(Diagnostic::new(entry.name.span.clone(), why));
        if !is_rest(name) {
            return wrong(format!("`{name}` is not a name for a value: letters, digits and underscores"));
        }
        if is_keyword(name) || RESERVED.contains(&name.as_str()) {
            return wrong(format!("{}.{name} is a word that Rust reserves", e.name.text));
        }
        if name == "NAMED" {
            return wrong(format!("{}.{name} clashes with the list of all named values", e.name.text));
        }
    }
    let constants =
        e.entries.iter().map(|entry| if is_name(&entry.name.text) { entry.name.text.clone() } else { format!("_{}", entry.name.text) }).collect::<Vec<_>>();
    for (a, b) in pairs(&constants) {
        let (a, b) = (&e.entries[a], &e.entries[b]);
        if a.name.text != b.name.text && !a.gfx.and(b.gfx).is_empty() {
            let (digit, other) = if is_name(&a.name.text) { (b, a) } else { (a, b) };
            let d = Diagnostic::new(digit.name.span.clone(), format!("{0} becomes _{0}, which is another value of this list", digit.name.text));
            return Err(d.related(other.name.span.clone(), "the other is here"));
        }
    }
    Ok(())
}

fn fields(register: &Register) -> Result {
    for field in &register.fields {
        let (name, what) = (&field.name.text, format!("{}.{}", register.name.text, field.name.text));
        let wrong = |why: String| Err(Diagnostic::new(field.name.span.clone(), why));
        if !is_rest(name)
            || !name.starts_with(|c: char| c.is_ascii_alphabetic() || (c == '_' && name.len() > 1) || (c.is_ascii_digit() && !register.typed.is_typed()))
        {
            return wrong(format!("{what} is not a name for a field: a letter, then letters, digits and underscores"));
        }
        if register.typed.is_typed() && RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
            return wrong(format!("{what} becomes `{}`, a word that Rust reserves", name.to_ascii_lowercase()));
        }
    }
    Ok(())
}

/// A name shared by two getters of a bit-field struct: with a method that every struct has, or with each other.
pub enum Clash {
    Every(usize),
    Both(usize, usize, String),
}

/// Returns the first clash among the getters of a bit-field struct.
pub fn clash(getters: &[String]) -> Option<Clash> {
    for (i, name) in getters.iter().enumerate() {
        if METHODS.contains(&name.as_str()) {
            return Some(Clash::Every(i));
        }
        if let Some(other) = getters[..i].iter().position(|other| other == name) {
            return Some(Clash::Both(i, other, name.clone()));
        }
    }
    for (i, name) in getters.iter().enumerate() {
        let method = format!("{SETTER}{name}");
        if let Some(other) = getters.iter().position(|other| *other == method) {
            return Some(Clash::Both(other, i, method));
        }
    }
    None
}

/// Checks that no two fields have methods of the same name.
fn methods(register: &Register, gfx: usize) -> Result {
    // Duplicate fields are a different mistake.
    let mut layout: Vec<&Field> = Vec::new();
    for field in register.layout(gfx) {
        if !layout.iter().any(|other| other.name.text == field.name.text) {
            layout.push(field);
        }
    }
    let getters = layout.iter().map(|field| field.name.text.to_ascii_lowercase()).collect::<Vec<_>>();
    match clash(&getters) {
        None => Ok(()),
        Some(Clash::Every(i)) => {
            let what = format!("{}.{} becomes `{}`, a method that every register struct has", register.name.text, layout[i].name.text, getters[i]);
            Err(Diagnostic::new(layout[i].name.span.clone(), what))
        }
        Some(Clash::Both(i, other, method)) => {
            let (a, b, gfx) = (&layout[i].name, &layout[other].name, GENERATIONS[gfx].name);
            let what = format!("{} and {} of {} both make a method `{method}` on GFX{gfx}", a.text, b.text, register.name.text);
            let d = Diagnostic::new(a.span.clone(), what).related(b.span.clone(), "the other field");
            Err(d.help("a register that is not `typed` may have such fields"))
        }
    }
}

fn enum_widths(database: &Database, register: &Register) -> Result {
    for field in &register.fields {
        let Some(values) = &field.values else { continue };
        let typed = field.gfx.indices().any(|gfx| database.values(&values.text, gfx).is_some_and(|e| !e.flags));
        if typed && field.hi - field.lo >= ENUM_BITS {
            let what = format!("{}.{} has {} bits: a value type has at most {ENUM_BITS}", register.name.text, field.name.text, field.hi - field.lo + 1);
            return Err(Diagnostic::new(field.span.clone(), what));
        }
    }
    Ok(())
}

/// Checks that a value type has only one width on a generation.
fn widths(database: &Database, errors: &mut Vec<Box<Diagnostic>>) {
    for (gfx, generation) in GENERATIONS.iter().enumerate() {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut fields = Vec::new();
        for register in &database.registers {
            if register.typed.is_typed() {
                fields.extend(register.layout(gfx));
            }
        }
        for (place, field) in fields.iter().enumerate() {
            let Some(values) = &field.values else { continue };
            if database.values(&values.text, gfx).is_none_or(|e| e.flags) {
                continue;
            }
            let width = |f: &Field| f.hi - f.lo + 1;
            let other = fields[*seen.entry(values.text.clone()).or_insert(place)];
            if width(other) != width(field) {
                let what = format!("{} is a type of {} bits and of {} bits on GFX{}", values.text, width(other), width(field), generation.name);
                let d = Diagnostic::new(field.span.clone(), what).related(other.span.clone(), format!("{} bits here", width(other)));
                errors.push(d.help("give one of the fields its own enum"));
                return;
            }
        }
    }
}

/// Checks that no two things become the same Rust type, or a type that the generated code itself uses.
fn types(database: &Database, errors: &mut Vec<Box<Diagnostic>>) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let names = type_names(database);
    for (place, (rust, is_enum, amd)) in names.iter().enumerate() {
        if TYPES.contains(&rust.as_str()) {
            errors.push(Diagnostic::new(amd.span.clone(), format!("{} becomes the Rust type `{rust}`, which the generated code uses itself", amd.text)));
        }
        let (_, other_is_enum, other) = &names[*seen.entry(rust.clone()).or_insert(place)];
        if (other_is_enum, &other.text) != (is_enum, &amd.text) {
            let d = Diagnostic::new(amd.span.clone(), format!("{} and {} both become the Rust type `{rust}`", other.text, amd.text));
            errors.push(d.related(other.span.clone(), "the other is here"));
        }
    }
    errors.sort_by(|a, b| (a.at.file, a.at.range.start, &a.message).cmp(&(b.at.file, b.at.range.start, &b.message)));
    errors.dedup_by(|a, b| a.at == b.at && a.message == b.message);
}
