//! Checks between the parts of the register database.

use crate::check::record;
use crate::check::writes;
use crate::diag::{Diagnostic, Span, did_you_mean};
use crate::gfx::{GENERATIONS, GfxSet};
use crate::input::Text;
use crate::model::registers::*;
use crate::names::amd_name;
use std::collections::BTreeMap;

/// Returns all broken rules, each with its place.
pub fn check(database: &Database) -> Vec<Box<Diagnostic>> {
    let mut errors = Vec::new();
    errors.extend(enums(database));
    for register in &database.registers {
        errors.extend(places(register).err());
        errors.extend(naming(register).err());
        errors.extend(fields(&register.name, register.gfx(), &|gfx| register.layout(gfx)).err());
        errors.extend(register.fields.iter().find_map(|field| values(database, field).err()));
    }
    addresses(database, &mut errors);
    one_name(database, &mut errors);
    record::check(database, &mut errors);
    writes::check(database, &mut errors);
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

/// Checks the fields of a word: each generation of `gfx` has at least one field, no name appears twice, and no fields overlap. `layout` returns the fields of
/// a generation, lowest bit first.
pub fn fields<'a>(word: &Text, gfx: GfxSet, layout: &dyn Fn(usize) -> Vec<&'a Field>) -> Result<(), Box<Diagnostic>> {
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

/// Checks that the value list of a field exists and fits.
pub fn values(database: &Database, field: &Field) -> Result<(), Box<Diagnostic>> {
    let Some(name) = &field.values else { return Ok(()) };
    let limit = 1u64 << (field.hi - field.lo + 1);
    let mut all_fit = true;
    for gfx in field.gfx.indices() {
        let Some(values) = database.values(&name.text, gfx) else { return Err(no_values(database, name, gfx)) };
        for seen in &values.values_seen {
            if seen.gfx.has(gfx) && u64::from(seen.value.0) >= limit && !field.partial {
                let what = format!("the value {} in `values_seen` of {} does not fit the field {}", seen.value.0, name.text, field.name.text);
                return Err(Diagnostic::new(seen.span.clone(), what).related(field.span.clone(), format!("it holds at most {}", limit - 1)));
            }
        }
        for entry in values.entries_on(gfx) {
            if u64::from(entry.value) < limit {
                continue;
            }
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
    Ok(())
}

/// Returns the mistake for a value list that a generation lacks.
fn no_values(database: &Database, name: &Text, gfx: usize) -> Box<Diagnostic> {
    let names = database.enums.iter().map(|e| e.name.text.as_str()).collect::<Vec<_>>();
    if names.contains(&name.text.as_str()) {
        return Diagnostic::new(name.span.clone(), format!("the enum {} does not exist on {}", name.text, generation(gfx)));
    }
    let mut d = Diagnostic::new(name.span.clone(), format!("there is no enum {}", name.text));
    d.help = did_you_mean(&name.text, &names);
    d
}

/// Returns all mistakes within value lists.
pub fn enums(database: &Database) -> Vec<Box<Diagnostic>> {
    let mut errors = Vec::new();
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    // For each first list of a name: the generations that already have a list of that name.
    let mut before = vec![GfxSet::NONE; database.enums.len()];
    for (place, e) in database.enums.iter().enumerate() {
        let first = *first.entry(e.name.text.clone()).or_insert(place);
        let twice = before[first].and(e.gfx);
        if !twice.is_empty() {
            let d = Diagnostic::new(e.name.span.clone(), format!("the enum {} is defined twice on GFX{twice}", e.name.text));
            errors.push(d.related(database.enums[first].name.span.clone(), "the other is here"));
        }
        before[first] = before[first].or(e.gfx);
        errors.extend(e.gfx.indices().find_map(|gfx| entries(e, gfx).err()));
    }
    errors
}

/// Checks the entries of an enum on one generation.
fn entries(e: &Enum, gfx: usize) -> Result<(), Box<Diagnostic>> {
    let entries = e.entries_on(gfx);
    if entries.is_empty() {
        return Err(Diagnostic::new(e.name.span.clone(), format!("the enum {} has no values on {}", e.name.text, generation(gfx))));
    }
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for (place, entry) in entries.iter().enumerate() {
        let twice = |what: String, other: &Entry| Err(Diagnostic::new(entry.name.span.clone(), what).related(other.name.span.clone(), "the other is here"));
        if let Some(other) = entries[..place].last().filter(|other| other.value == entry.value) {
            return twice(format!("{} and {} both have the value {} on {}", other.name.text, entry.name.text, entry.value, generation(gfx)), other);
        }
        if let Some(other) = names.insert(entry.name.text.clone(), place) {
            let other = entries[other];
            return twice(format!("{} has the values {} and {} on {}", entry.name.text, other.value, entry.value, generation(gfx)), other);
        }
    }
    Ok(())
}

/// Checks that no two registers have the same address on a generation, unless one is declared as an alias of the other.
fn addresses(database: &Database, errors: &mut Vec<Box<Diagnostic>>) {
    let mut claims = Vec::new();
    for gfx in GfxSet::ALL.indices() {
        for register in &database.registers {
            let Some(place) = register.place(gfx) else { continue };
            for addr in place.addresses() {
                claims.push(Claim { gfx, addr, name: String::new(), register, at: &place.span });
            }
        }
    }
    for Clash { gfx, late, early } in clashes(&claims) {
        let what = format!("{} and {} are both at 0x{:05X} on GFX{gfx}", early.register.name.text, late.register.name.text, late.addr);
        let d = Diagnostic::new(late.at.clone(), what).related(early.register.name.span.clone(), "the other register");
        errors.push(d.help("a second name of one register belongs in its `aliases`"));
    }
}

/// Checks that no two registers, elements or aliases have the same name on a generation.
fn one_name(database: &Database, errors: &mut Vec<Box<Diagnostic>>) {
    let mut claims = Vec::new();
    for gfx in GfxSet::ALL.indices() {
        for register in &database.registers {
            let Some(place) = register.place(gfx) else { continue };
            // An array without element names has already been reported.
            let count = if register.naming(gfx).is_some() { place.count } else { 1 };
            for element in 0..count {
                claims.push(Claim { gfx, addr: 0, name: register.element_name(gfx, element), register, at: &register.name.span });
            }
            for alias in &register.aliases {
                if alias.gfx.has(gfx) {
                    claims.push(Claim { gfx, addr: 0, name: alias.name.clone(), register, at: &alias.span });
                }
            }
        }
    }
    for Clash { gfx, late, early } in clashes(&claims) {
        let d = Diagnostic::new(late.at.clone(), format!("the name {} is used twice on GFX{gfx}", late.name));
        errors.push(d.related(early.register.name.span.clone(), "the other register"));
    }
}

/// Something that a register claims for itself on a generation, and the place of the claim.
struct Claim<'a> {
    gfx: usize,
    /// The address, or else the name.
    addr: u32,
    name: String,
    register: &'a Register,
    at: &'a Span,
}

impl Claim<'_> {
    fn what(&self) -> (usize, u32, &str) {
        (self.gfx, self.addr, &self.name)
    }

    /// Returns the place in the files.
    fn start(&self) -> (usize, usize) {
        (self.at.file, self.at.range.start)
    }
}

/// Two registers that claim the same thing; the one later in the files is the mistake.
struct Clash<'a> {
    gfx: GfxSet,
    late: &'a Claim<'a>,
    early: &'a Claim<'a>,
}

/// Finds registers that claim the same thing on a generation; a pair is reported once, for all its generations.
fn clashes<'a>(claims: &'a [Claim<'a>]) -> Vec<Clash<'a>> {
    let mut order: Vec<usize> = (0..claims.len()).collect();
    order.sort_by(|a, b| claims[*a].what().cmp(&claims[*b].what()));
    let mut pairs = Vec::new();
    for neighbours in order.windows(2) {
        let (one, next) = (neighbours[0], neighbours[1]);
        if claims[one].what() == claims[next].what() {
            pairs.push([next, one]);
        }
    }
    // If a pair has several claims in common, the message names the first.
    pairs.sort();
    let mut found: BTreeMap<_, Clash<'a>> = BTreeMap::new();
    for [next, one] in pairs {
        let (mut late, mut early) = (&claims[next], &claims[one]);
        if late.start() < early.start() {
            (late, early) = (early, late);
        }
        let clash = found.entry((late.start(), early.start())).or_insert(Clash { gfx: GfxSet::NONE, late, early });
        clash.gfx = clash.gfx.or(GfxSet::only(late.gfx));
    }
    let mut all = Vec::new();
    for (_, clash) in found {
        all.push(clash);
    }
    all
}
