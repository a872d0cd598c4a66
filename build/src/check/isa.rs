//! Conditions for generating Rust code from instructions and wave registers.

use crate::diag::{Diagnostic, Result};
use crate::gfx::GENERATIONS;
use crate::model::isa::{Isa, WaveRegister};
use crate::names::{RESERVED, amd_name, camel, is_name, pairs};

/// Returns all mistakes.
pub fn check(isa: &Isa) -> Vec<Box<Diagnostic>> {
    let mut errors = Vec::new();
    instructions(isa, &mut errors);
    registers(isa, &mut errors);
    errors
}

/// Checks that each instruction is a variant of the Rust enum and does not share its opcode.
fn instructions(isa: &Isa, errors: &mut Vec<Box<Diagnostic>>) {
    let all = &isa.instructions;
    let twice = |late: usize, early: usize, what: String| Diagnostic::new(all[late].span.clone(), what).related(all[early].span.clone(), "the other one");
    let variants = all.iter().map(|one| camel(&one.name)).collect::<Vec<_>>();
    for (one, variant) in all.iter().zip(&variants) {
        if !is_name(&one.name) || !is_name(variant) || RESERVED.contains(&variant.as_str()) {
            let what = format!("`{}` is not a name for an instruction: a letter, then letters, digits and underscores", one.name);
            errors.push(Diagnostic::new(one.span.clone(), what));
        }
    }
    for (late, early) in pairs(&variants) {
        let (one, other) = (&all[late].name, &all[early].name);
        let what = if one == other { format!("{one} is described twice") } else { format!("{other} and {one} both become the Rust name `{}`", variants[late]) };
        errors.push(twice(late, early, what));
    }
    let mut reported = (0, 0);
    let (mut places, mut codes) = (Vec::new(), Vec::new());
    for (index, one) in all.iter().enumerate() {
        for (gfx, code) in one.codes.iter().enumerate() {
            if let Some(code) = code {
                places.push((index, gfx));
                codes.push(format!("{} {gfx} {code}", one.format.name));
            }
        }
    }
    for (late, early) in pairs(&codes) {
        let ((late, g), (early, _)) = (places[late], places[early]);
        // Reported once for all generations.
        if std::mem::replace(&mut reported, (late, early)) != (late, early) {
            errors.push(twice(late, early, format!("{} and {} have the same opcode on GFX{}", all[late].name, all[early].name, GENERATIONS[g].name)));
        }
    }
}

/// Checks that each wave register becomes a Rust struct whose fields become constants and methods.
fn registers(isa: &Isa, errors: &mut Vec<Box<Diagnostic>>) {
    let types = isa.registers.iter().map(|register| camel(&register.name.to_lowercase())).collect::<Vec<_>>();
    for (late, early) in pairs(&types) {
        let (one, other) = (&isa.registers[late], &isa.registers[early]);
        let what = format!("{} and {} both become the Rust type `{}`", other.name, one.name, types[late]);
        errors.push(Diagnostic::new(one.span.clone(), what).related(other.span.clone(), "the other one"));
    }
    for register in &isa.registers {
        errors.extend(amd_name("the name of a wave register", &register.name, &register.span).err());
        for (index, one) in register.fields.iter().enumerate() {
            errors.extend(amd_name("the name of a field", &one.name, &one.span).err());
            if one.name == "NAME" || RESERVED.contains(&one.name.to_ascii_lowercase().as_str()) {
                errors
                    .push(Diagnostic::new(one.span.clone(), format!("{}.{} is a name that Rust reserves or that every register has", register.name, one.name)));
            }
            for other in &register.fields[..index] {
                let overlap = one.lo <= other.hi && other.lo <= one.hi && !one.gfx.and(other.gfx).is_empty();
                let twice = one.name == other.name && !one.gfx.and(other.gfx).is_empty();
                if overlap || twice {
                    let what = if twice {
                        format!("{}: {} is defined twice on GFX{}", register.name, one.name, one.gfx.and(other.gfx))
                    } else {
                        format!("{}: {} and {} share a bit", register.name, one.name, other.name)
                    };
                    errors.push(Diagnostic::new(one.span.clone(), what).related(other.span.clone(), "the other one"));
                }
            }
        }
        errors.extend(register.gfx().indices().find_map(|gfx| methods(register, gfx).err()));
    }
}

/// Checks that no two fields have methods of the same name.
fn methods(register: &WaveRegister, gfx: usize) -> Result<()> {
    let mut fields = register.fields.iter().filter(|f| f.gfx.has(gfx)).collect::<Vec<_>>();
    fields.dedup_by(|a, b| a.name == b.name);
    let getters = fields.iter().map(|f| f.name.to_ascii_lowercase()).collect::<Vec<_>>();
    // These structs have none of the common methods of other register structs.
    for (i, name) in getters.iter().enumerate() {
        let method = format!("with_{name}");
        if let Some(other) = getters.iter().position(|other| *other == method) {
            let what = format!("{} and {} of {} both make a method `{method}`", fields[i].name, fields[other].name, register.name);
            return Err(Diagnostic::new(fields[i].span.clone(), what).related(fields[other].span.clone(), "the other field"));
        }
    }
    Ok(())
}
