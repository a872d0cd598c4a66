//! Checks of how registers are written: with an index, in groups, rolling the context.

use crate::check::registers::generation;
use crate::diag::{Diagnostic, Result, did_you_mean};
use crate::gfx::GfxSet;
use crate::model::registers::*;
use crate::names::amd_name;

/// Adds all broken rules to `errors`.
pub fn check(database: &Database, errors: &mut Vec<Box<Diagnostic>>) {
    for register in &database.registers {
        errors.extend(once(register, &register.index, "two indices").err());
        errors.extend(once(register, &register.index_seen, "two `index_seen` values").err());
        errors.extend(once(register, &register.bits_seen, "two `bits_seen` masks").err());
        errors.extend(bits_seen(register).err());
        errors.extend(once(register, &register.group, "two groups").err());
        errors.extend(index(register).err());
        errors.extend(group_of(register).err());
        errors.extend(rolls(register).err());
    }
    let names = database.group_names();
    for name in &names {
        errors.extend(GfxSet::ALL.indices().find_map(|gfx| group(name, &database.group(name, gfx), gfx, &names).err()));
    }
}

/// Checks that there is one value per generation.
fn once<T>(register: &Register, parts: &[Part<T>], what: &str) -> Result<()> {
    let mut seen = GfxSet::NONE;
    for part in parts {
        let twice = seen.and(part.gfx);
        if !twice.is_empty() {
            return Err(Diagnostic::new(part.span.clone(), format!("{} has {what} on GFX{twice}", register.name.text)));
        }
        seen = seen.or(part.gfx);
    }
    Ok(())
}

/// Checks the index in the offset dword of a SET packet.
fn index(register: &Register) -> Result<()> {
    let name = &register.name.text;
    let mut indices = Vec::new();
    for part in &register.index {
        indices.push((part.gfx, &part.span));
    }
    for part in &register.index_seen {
        indices.push((part.gfx, &part.span));
    }
    for (gfx, span) in indices {
        let reached = |gfx: &usize| matches!(register.space(*gfx), Some(Space::Sh | Space::Context | Space::Uconfig));
        if let Some(gfx) = gfx.indices().find(|gfx| !reached(gfx)) {
            let d = Diagnostic::new(span.clone(), format!("no packet writes {name} with an index on {}", generation(gfx)));
            return Err(d.help("SH, context and uconfig registers can have an index"));
        }
    }
    for seen in &register.index_seen {
        let same = |gfx: &usize| Part::on(&register.index, *gfx).is_some_and(|part| u32::from(part.value) == seen.value.0);
        if let Some(gfx) = seen.gfx.indices().find(same) {
            let what = format!("{name} has the index {} on {} anyway: `index_seen` is for an index that is not needed", seen.value.0, generation(gfx));
            return Err(Diagnostic::new(seen.span.clone(), what));
        }
    }
    Ok(())
}

/// Checks that bits recorded as set in streams belong to no field.
fn bits_seen(register: &Register) -> Result<()> {
    for seen in &register.bits_seen {
        for gfx in seen.gfx.indices() {
            let has = |field: &&Field| field.gfx.has(gfx) && seen.value.0 & (u32::MAX >> (31 - field.hi) & u32::MAX << field.lo) != 0;
            if let Some(field) = register.fields.iter().find(has) {
                let what = format!("bits 0x{:08x} of {} belong to {} on {}", seen.value.0, register.name.text, field.name.text, generation(gfx));
                return Err(Diagnostic::new(seen.span.clone(), what).help("`bits_seen` is for bits that no field has"));
            }
        }
    }
    Ok(())
}

/// Checks the requirements for a register in a group.
fn group_of(register: &Register) -> Result<()> {
    let name = &register.name.text;
    for part in &register.group {
        amd_name("a group's name", &part.value, &part.span)?;
        for gfx in part.gfx.indices() {
            if register.space(gfx) != Some(Space::Context) {
                return Err(Diagnostic::new(part.span.clone(), format!("groups are of context registers, which {name} is not on {}", generation(gfx))));
            }
            if let Some(index) = Part::on(&register.index, gfx) {
                let what = format!("{name} has an index on {} and is alone in its packet: it cannot be part of a group", generation(gfx));
                return Err(Diagnostic::new(part.span.clone(), what).related(index.span.clone(), "the index is here"));
            }
        }
    }
    Ok(())
}

/// Checks that the registers of a group are adjacent, and that its elements are consecutive.
fn group(name: &str, group: &Group<'_>, gfx: usize, names: &[&str]) -> Result<()> {
    let Some(((leader, first, of), rest)) = group.split_first() else { return Ok(()) };
    if rest.is_empty() {
        let d = Diagnostic::new(of.span.clone(), format!("{} is the only register of the group {name} on {}", leader.name.text, generation(gfx)));
        let mut others = names.to_vec();
        others.retain(|other| *other != name);
        return Err(match did_you_mean(name, &others) {
            Some(help) => d.help(help),
            None => d.help("a group has at least two registers; a single register needs no group"),
        });
    }
    let mut expected = first.addr;
    for (register, place, of) in rest {
        expected += 4;
        let mistake = |what: String| {
            Err(Diagnostic::new(of.span.clone(), what).related(place.span.clone(), "it is here").related(first.span.clone(), "the group begins here"))
        };
        let member = &register.name.text;
        if place.addr != expected {
            return mistake(format!("the group {name} has a hole on {}: {member} is expected at 0x{expected:05X}", generation(gfx)));
        }
        if place.count != first.count {
            let counts = format!("{member} has {} elements, and {} has {}", place.count, leader.name.text, first.count);
            return mistake(format!("the registers of the group {name} have different numbers of elements on {}: {counts}", generation(gfx)));
        }
    }
    let bytes = 4 * group.len() as u32;
    match group.iter().find(|(_, place, _)| place.count > 1 && place.stride != bytes) {
        None => Ok(()),
        Some((register, place, of)) => {
            let what = format!(
                "the elements of {} are {} bytes apart on {}, and the group {name} has {bytes} bytes",
                register.name.text,
                place.stride,
                generation(gfx)
            );
            Err(Diagnostic::new(of.span.clone(), what).related(place.span.clone(), "it is here"))
        }
    }
}

/// Checks that `rolls` is given only where it differs from the default.
fn rolls(register: &Register) -> Result<()> {
    let Some(rolls) = &register.rolls else { return Ok(()) };
    let context = |gfx: usize| register.space(gfx) == Some(Space::Context);
    if register.gfx().indices().all(|gfx| context(gfx) == rolls.value) {
        let what =
            if rolls.value { "context registers roll the context: leave `rolls` out" } else { "only context registers roll the context: leave `rolls` out" };
        return Err(Diagnostic::new(rolls.span.clone(), what));
    }
    Ok(())
}
