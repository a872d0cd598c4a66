//! What must hold between the parts of the register database.

use crate::regdb::check_record;
use crate::regdb::check_writes;
use crate::regdb::diag::{Diagnostic, Span, did_you_mean};
use crate::regdb::gfx::{GENERATIONS, GfxSet};
use crate::regdb::input::Text;
use crate::regdb::model::*;
use crate::regdb::sorted::SortedMap;

/// All broken rules, each with its place.
pub fn check(database: &Database) -> Vec<Box<Diagnostic>> {
    let mut errors = Vec::new();
    errors.extend(enums(database));
    for register in &database.registers {
        errors.extend(places(register).err());
        errors.extend(naming(register).err());
        errors.extend(fields(&register.name, register.gfx(), |gfx| register.layout(gfx)).err());
        errors.extend(values(database, &register.fields).err());
    }
    addresses(database, &mut errors);
    names(database, &mut errors);
    check_record::check(database, &mut errors);
    check_writes::check(database, &mut errors);
    errors
}

pub fn generation(index: usize) -> String {
    format!("GFX{}", GENERATIONS[index].name)
}

fn places(register: &Register) -> Result<(), Box<Diagnostic>> {
    let mut seen = GfxSet::NONE;
    for place in &register.at {
        let twice = seen.and(place.gfx);
        if !twice.is_empty() {
            return Err(Diagnostic::new(place.span.clone(), format!("{} has two addresses on GFX{twice}", register.name.text)));
        }
        seen = seen.or(place.gfx);
    }
    Ok(())
}

fn naming(register: &Register) -> Result<(), Box<Diagnostic>> {
    for place in &register.at {
        let named = place.gfx.indices().all(|gfx| register.naming(gfx).is_some());
        if place.count > 1 && !named {
            let d = Diagnostic::new(place.span.clone(), format!("{} has {} elements but no names for them", register.name.text, place.count));
            return Err(d.help("add array = { pattern = \"NAME{}\" }"));
        }
    }
    let mut seen = GfxSet::NONE;
    for naming in &register.array {
        amd_name("an element's name", &naming.pattern.replace("{}", ""), &naming.span)?;
        if !seen.and(naming.gfx).is_empty() {
            return Err(Diagnostic::new(naming.span.clone(), format!("{} has two patterns on GFX{}", register.name.text, seen.and(naming.gfx))));
        }
        seen = seen.or(naming.gfx);
    }
    for alias in &register.aliases {
        amd_name("an alias", &alias.name, &alias.span)?;
    }
    amd_name("a register's name", &register.name.text, &register.name.span)
}

/// Upper case, digits and underscores, a letter first.
pub fn amd_name(what: &str, name: &str, at: &Span) -> Result<(), Box<Diagnostic>> {
    if let Some(c) = name.chars().find(|c| !(c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '_')) {
        return Err(Diagnostic::new(at.clone(), format!("{what} is written in upper case letters, digits and underscores; `{c}` is not one of them")));
    }
    if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Err(Diagnostic::new(at.clone(), format!("{what} begins with a letter, which `{name}` does not")));
    }
    Ok(())
}

/// Checks the fields of a word: each generation of `gfx` has at least one field, no name appears twice, and no fields overlap. `layout` returns the fields of
/// a generation, lowest bit first.
pub fn fields<'a>(word: &Text, gfx: GfxSet, layout: impl Fn(usize) -> Vec<&'a Field>) -> Result<(), Box<Diagnostic>> {
    for gfx in gfx.indices() {
        let layout = layout(gfx);
        if layout.is_empty() {
            return Err(Diagnostic::new(word.span.clone(), format!("{} has no fields on {}", word.text, generation(gfx))));
        }
        for (i, field) in layout.iter().enumerate() {
            for other in &layout[..i] {
                if other.name.text == field.name.text {
                    let d = Diagnostic::new(field.span.clone(), format!("field {} is defined twice on {}", field.name.text, generation(gfx)));
                    return Err(d.related(other.span.clone(), "the other is here"));
                }
                if other.hi >= field.lo {
                    let what = format!("field {} overlaps {} on {}", field.name.text, other.name.text, generation(gfx));
                    let d = Diagnostic::new(field.span.clone(), what).label(format!("bits {}:{}", field.hi, field.lo));
                    return Err(d.related(other.span.clone(), format!("{} has bits {}:{}", other.name.text, other.hi, other.lo)));
                }
            }
        }
    }
    Ok(())
}

/// The value lists of fields exist and fit.
pub fn values<'a>(database: &Database, fields: impl IntoIterator<Item = &'a Field>) -> Result<(), Box<Diagnostic>> {
    for field in fields {
        let Some(name) = &field.values else { continue };
        let mut all_fit = true;
        for gfx in field.gfx.indices() {
            let Some(values) = database.values(&name.text, gfx) else {
                let known = database.enums.iter().any(|e| e.name.text == name.text);
                let why =
                    if known { format!("the enum {} does not exist on {}", name.text, generation(gfx)) } else { format!("there is no enum {}", name.text) };
                let mut d = Diagnostic::new(name.span.clone(), why);
                d.help = did_you_mean(&name.text, database.enums.iter().map(|e| e.name.text.as_str()).filter(|_| !known));
                return Err(d);
            };
            let limit = 1u64 << (field.hi - field.lo + 1);
            let beyond = |seen: &&Part<(u32, String)>| seen.gfx.has(gfx) && u64::from(seen.value.0) >= limit && !field.partial;
            if let Some(seen) = values.values_seen.iter().find(beyond) {
                let what = format!("the value {} in `values_seen` of {} does not fit the field {}", seen.value.0, name.text, field.name.text);
                return Err(Diagnostic::new(seen.span.clone(), what).related(field.span.clone(), format!("it holds at most {}", limit - 1)));
            }
            if let Some(entry) = values.entries_on(gfx).into_iter().find(|e| u64::from(e.value) >= limit) {
                all_fit = false;
                if !field.partial {
                    let what = format!("{} = {} of {} does not fit the field {}", entry.name.text, entry.value, name.text, field.name.text);
                    let d = Diagnostic::new(field.span.clone(), what).label(format!("holds at most {}", limit - 1));
                    return Err(d
                        .related(entry.name.span.clone(), "the value is here")
                        .help("write partial = true if the hardware accepts only the smaller values"));
                }
            }
        }
        if field.partial && all_fit {
            return Err(Diagnostic::new(field.span.clone(), format!("every value of {} fits the field: `partial` says otherwise", name.text)));
        }
    }
    Ok(())
}

/// All mistakes in the value lists by themselves.
pub fn enums(database: &Database) -> Vec<Box<Diagnostic>> {
    let mut errors = Vec::new();
    let mut seen: SortedMap<&str, (GfxSet, &Enum)> = SortedMap::new();
    for e in &database.enums {
        let (before, other) = seen.or_insert(&e.name.text, (GfxSet::NONE, e));
        let twice = before.and(e.gfx);
        if !twice.is_empty() {
            let d = Diagnostic::new(e.name.span.clone(), format!("the enum {} is defined twice on GFX{twice}", e.name.text));
            errors.push(d.related(other.name.span.clone(), "the other is here"));
        }
        *before = before.or(e.gfx);
        errors.extend(e.gfx.indices().find_map(|gfx| entries(e, gfx).err()));
    }
    errors
}

/// The entries of an enum on one generation.
fn entries(e: &Enum, gfx: usize) -> Result<(), Box<Diagnostic>> {
    let entries = e.entries_on(gfx);
    if entries.is_empty() {
        return Err(Diagnostic::new(e.name.span.clone(), format!("the enum {} has no values on {}", e.name.text, generation(gfx))));
    }
    let mut names: SortedMap<&str, &Entry> = SortedMap::new();
    let mut before: Option<&Entry> = None;
    for entry in entries {
        let twice = |what: String, other: &Entry| Err(Diagnostic::new(entry.name.span.clone(), what).related(other.name.span.clone(), "the other is here"));
        if let Some(other) = before.filter(|other| other.value == entry.value) {
            return twice(format!("{} and {} both have the value {} on {}", other.name.text, entry.name.text, entry.value, generation(gfx)), other);
        }
        if let Some(other) = names.insert(&entry.name.text, entry) {
            return twice(format!("{} has the values {} and {} on {}", entry.name.text, other.value, entry.value, generation(gfx)), other);
        }
        before = Some(entry);
    }
    Ok(())
}

/// Two registers at one address of one generation: one of them must be declared as an alias of the other.
fn addresses(database: &Database, errors: &mut Vec<Box<Diagnostic>>) {
    let owned = |gfx: usize| {
        let placed = database.registers.iter().filter_map(move |register| Some((register, register.place(gfx)?)));
        placed.flat_map(|(register, place)| place.addresses().map(move |addr| (addr, register, place.span.clone())))
    };
    clashes(owned, errors, |clash| {
        let what = format!("{} and {} are both at 0x{:05X} on GFX{}", clash.early.name.text, clash.late.name.text, clash.key, clash.gfx);
        let d = Diagnostic::new(clash.at, what).related(clash.early.name.span.clone(), "the other register");
        d.help("a second name of one register belongs in its `aliases`")
    });
}

/// Two registers, elements or aliases with one name on one generation.
fn names(database: &Database, errors: &mut Vec<Box<Diagnostic>>) {
    let named = |gfx: usize| {
        let placed = database.registers.iter().filter_map(move |register| Some((register, register.place(gfx)?)));
        placed.flat_map(move |(register, place)| {
            // An array without names for its elements is reported already.
            let count = if register.naming(gfx).is_some() { place.count } else { 1 };
            let elements = (0..count).map(move |i| (register.element_name(gfx, i), register, register.name.span.clone()));
            let aliases = register.aliases.iter().filter(move |alias| alias.gfx.has(gfx));
            elements.chain(aliases.map(move |alias| (alias.name.clone(), register, alias.span.clone())))
        })
    };
    clashes(named, errors, |clash| {
        let what = format!("the name {} is used twice on GFX{}", clash.key, clash.gfx);
        Diagnostic::new(clash.at, what).related(clash.early.name.span.clone(), "the other register")
    });
}

/// Two registers that claim the same thing; the one that is later in the files is the mistake.
struct Clash<'a, K> {
    key: K,
    gfx: GfxSet,
    late: &'a Register,
    early: &'a Register,
    at: Span,
}

/// Finds two registers with one key on a generation; a pair is reported once, for all its generations.
fn clashes<'a, K: Ord + Clone, I: Iterator<Item = (K, &'a Register, Span)>>(
    list: impl Fn(usize) -> I,
    errors: &mut Vec<Box<Diagnostic>>,
    message: impl Fn(Clash<'a, K>) -> Box<Diagnostic>,
) {
    let place = |span: &Span| (span.file, span.range.start);
    let mut pairs: SortedMap<_, Clash<'a, K>> = SortedMap::new();
    for gfx in 0..GENERATIONS.len() {
        let mut owners: SortedMap<K, (&Register, Span)> = SortedMap::new();
        for (key, register, at) in list(gfx) {
            let Some((other, there)) = owners.insert(key.clone(), (register, at.clone())) else { continue };
            let (late, early, at, before) = if place(&at) >= place(&there) { (register, other, at, there) } else { (other, register, there, at) };
            let pair = pairs.or_insert((place(&at), place(&before)), Clash { key, gfx: GfxSet::NONE, late, early, at });
            pair.gfx = pair.gfx.or(GfxSet::only(gfx));
        }
    }
    errors.extend(pairs.into_values().map(message));
}
