//! What must hold of things on record beside the layout: patterns, chip groups, values after CLEAR_STATE, what sources say otherwise.

use crate::check::registers::generation;
use crate::diag::{Diagnostic, Result, did_you_mean};
use crate::gfx::GfxSet;
use crate::input::Text;
use crate::model::registers::*;

/// Adds all broken rules to `errors`.
pub fn check(database: &Database, errors: &mut Vec<Box<Diagnostic>>) {
    for register in &database.registers {
        errors.extend(patterns(register).err());
        errors.extend(clear(register).err());
        for place in &register.at {
            for (group, _) in &place.chips {
                errors.extend(chips(database, group, place.gfx).err());
            }
        }
        for field in &register.fields {
            for group in &field.chips {
                errors.extend(chips(database, group, field.gfx).err());
            }
        }
    }
    for e in &database.enums {
        errors.extend(disagreements(e).err());
    }
}

/// A pattern names the elements of an array.
fn patterns(register: &Register) -> Result<()> {
    let mut arrays = GfxSet::NONE;
    for place in &register.at {
        if place.count > 1 {
            arrays = arrays.or(place.gfx);
        }
    }
    match register.array.iter().find(|naming| naming.gfx.and(arrays).is_empty()) {
        None => Ok(()),
        Some(naming) => {
            let what = format!("{} has no elements for this pattern on GFX{}", register.name.text, naming.gfx);
            Err(Diagnostic::new(naming.span.clone(), what).help("an array has a `count` in `at`; a single register needs no pattern"))
        }
    }
}

/// What CLEAR_STATE leaves are values of fields.
fn clear(register: &Register) -> Result<()> {
    let mut fields = 0;
    for field in &register.fields {
        fields |= u32::MAX >> (31 - field.hi) & u32::MAX << field.lo;
    }
    match &register.clear_at {
        Some(at) if register.clear & !fields != 0 => {
            let what = format!("bits 0x{:08x} of this value belong to no field of {}", register.clear & !fields, register.name.text);
            Err(Diagnostic::new(at.clone(), what))
        }
        _ => Ok(()),
    }
}

/// A chip group is one of those that `sources.toml` names for a generation.
fn chips(database: &Database, group: &Text, gfx: GfxSet) -> Result<()> {
    let mut known = Vec::new();
    for lineage in &database.lineage {
        if !lineage.gfx.and(gfx).is_empty() {
            known.extend(lineage.chips.iter().map(|name| name.as_str()).collect::<Vec<_>>());
        }
    }
    if known.contains(&group.text.as_str()) {
        return Ok(());
    }
    let d = Diagnostic::new(group.span.clone(), format!("GFX{gfx} has no chip group `{}`", group.text));
    Err(d.help(did_you_mean(&group.text, &known).unwrap_or_else(|| "`chips` of a lineage in sources.toml lists the groups".to_owned())))
}

/// A disagreement says something else than the list: an entry that the list has and the source lacks, or another number, or an entry of the source alone.
fn disagreements(e: &Enum) -> Result<()> {
    for one in &e.disagreements {
        let ours = |gfx: usize| e.entries.iter().find(|entry| entry.gfx.has(gfx) && entry.name.text == one.entry.text);
        for gfx in one.gfx.indices() {
            let what = match (ours(gfx), one.value) {
                (None, None) => format!("{} has no entry `{}` on {} either", e.name.text, one.entry.text, generation(gfx)),
                (Some(entry), Some(value)) if entry.value == value => {
                    format!("{}.{} is {value} here, too, on {}", e.name.text, one.entry.text, generation(gfx))
                }
                _ => continue,
            };
            let mut d = Diagnostic::new(one.entry.span.clone(), what);
            let mut others = e.entries.iter().map(|entry| entry.name.text.as_str()).collect::<Vec<_>>();
            others.retain(|name| *name != one.entry.text);
            d.help = did_you_mean(&one.entry.text, &others);
            return Err(d);
        }
    }
    Ok(())
}
