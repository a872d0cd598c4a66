//! Checks of facts other than layouts: patterns, chip groups, values after CLEAR_STATE, disagreements between sources.

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

/// Checks that a pattern names the elements of an array.
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

/// Checks that the values after CLEAR_STATE are values of fields.
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

/// Checks that `sources.toml` defines a chip group for the generation.
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

/// Checks that a disagreement differs from the list: an entry that the source lacks, another number, or an entry that only the source has.
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
