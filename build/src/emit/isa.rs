//! Emits the tables of instructions and wave registers, and a struct for each wave register layout.

use crate::gfx::{GENERATIONS, GfxSet};
use crate::model::isa::{Isa, WaveField, WaveRegister};
use crate::names::{camel, field_name};
use std::fmt::Write;

/// Returns the text of `isa.rs`. Instruction tables contain all generations, one row per instruction.
pub fn emit(isa: &Isa, enabled: GfxSet) -> String {
    let mut out = String::new();
    operations(&mut out, isa);
    wave_registers(&mut out, isa, enabled);
    out
}

fn operations(out: &mut String, isa: &Isa) {
    let mut variants = String::new();
    let mut rows = String::new();
    for one in &isa.instructions {
        let variant = camel(&one.name);
        let others = one.names.iter().map(|(gfx, name)| format!("`{name}` on GFX{gfx}")).collect::<Vec<_>>().join(", ");
        let doc = if others.is_empty() { format!("`{}`.", one.name) } else { format!("`{}`; {others}.", one.name) };
        writeln!(variants, "#[doc = {doc:?}] {variant},").unwrap_or_default();
        let codes = one.codes.map(|code| code.map_or(-1, i64::from));
        let names = one.names.iter().map(|(gfx, name)| format!("({:#x}, {name:?})", gfx.0)).collect::<Vec<_>>().join(", ");
        writeln!(
            rows,
            "OpInfo {{ op: Op::{variant}, name: {:?}, format: Encoding::{}, codes: {codes:?}, wide: {}, lacks: {}, data: {}, store: {}, atomic: {}, names: &[{names}] }},",
            one.name,
            one.format.variant,
            one.wide,
            one.lacks,
            one.data,
            one.store,
            one.atomic
        )
        .unwrap_or_default();
    }
    writeln!(out, "ops! {{ {variants} }}\nstatic OPS: [OpInfo; {}] = [{rows}];", isa.instructions.len()).unwrap_or_default();
}

/// Returns the fields of a generation, lowest bit first.
fn fields(register: &WaveRegister, gfx: usize) -> Vec<&WaveField> {
    let mut fields = register.fields.iter().filter(|f| f.gfx.has(gfx)).collect::<Vec<_>>();
    fields.sort_by_key(|f| f.lo);
    fields
}

/// Returns whether two layouts are equal: their fields have the same names and bits.
fn alike(one: &[&WaveField], other: &[&WaveField]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.name == b.name && (a.lo, a.hi) == (b.lo, b.hi))
}

fn wave_registers(out: &mut String, isa: &Isa, enabled: GfxSet) {
    let mut layouts = String::new();
    let mut modules = vec![String::new(); GENERATIONS.len()];
    let mut tables = vec![String::new(); GENERATIONS.len()];
    for register in &isa.registers {
        // Layouts: the fields of the first generation with each layout, and its name.
        let mut seen: Vec<(Vec<&WaveField>, String)> = Vec::new();
        for gfx in register.gfx().and(enabled).indices() {
            let fields = fields(register, gfx);
            let plain = camel(&register.name.to_lowercase());
            let rows = fields
                .iter()
                .map(|f| format!("WaveFieldInfo {{ name: {:?}, lo: {}, hi: {}, doc: {:?} }}", f.name, f.lo, f.hi, f.doc))
                .collect::<Vec<_>>()
                .join(", ");
            let layout = match seen.iter().find(|(known, _)| alike(known, &fields)) {
                Some((_, layout)) => layout.clone(),
                None => {
                    let layout = format!("{plain}{}", GENERATIONS[gfx].variant);
                    struct_of(&mut layouts, register, &layout, &fields);
                    seen.push((fields, layout.clone()));
                    layout
                }
            };
            writeln!(modules[gfx], "pub use super::layout::{layout} as {plain};").unwrap_or_default();
            if let Some((index, id)) = register.at[gfx] {
                let (name, doc, named) = (&register.name, &register.doc, register.assembler.has(gfx));
                let assembly = Some(register.assembly.as_ref().unwrap_or(name)).filter(|name| named && !name.is_empty());
                writeln!(
                    tables[gfx],
                    "WaveRegister {{ name: {name:?}, index: {index:#x}, id: {id:?}, named: {named}, assembly: {assembly:?}, fields: &[{rows}], doc: {doc:?} }},"
                )
                .unwrap_or_default();
            }
        }
    }
    writeln!(out, "/// One struct per layout; the modules of the generations have them under their plain names.\npub mod layout {{\n{layouts}}}")
        .unwrap_or_default();
    for gfx in enabled.indices() {
        let generation = &GENERATIONS[gfx];
        writeln!(out, "/// Wave registers of GFX{}.\npub mod {} {{\n{}}}", generation.name, generation.id, modules[gfx]).unwrap_or_default();
    }
    let tables = tables.iter().map(|rows| format!("&[{rows}]")).collect::<Vec<_>>().join(", ");
    writeln!(out, "static WAVE_REGISTERS: [&[WaveRegister]; 6] = [{tables}];").unwrap_or_default();
}

fn struct_of(out: &mut String, register: &WaveRegister, layout: &str, fields: &[&WaveField]) {
    let doc = if register.doc.is_empty() { register.name.clone() } else { format!("{}: {}", register.name, register.doc) };
    writeln!(out, "wave_register! {{ {doc:?} {layout} {:?} {{", register.name).unwrap_or_default();
    for field in fields {
        let method = field_name(&field.name);
        let doc = if field.doc.is_empty() { field.name.clone() } else { format!("{}: {}", field.name, field.doc) };
        let kind = if field.lo == field.hi { "bit" } else { "bits" };
        writeln!(out, "{kind} {} {method} with_{} {} {} {doc:?};", field.name, field.name.to_lowercase(), field.lo, field.hi - field.lo + 1)
            .unwrap_or_default();
    }
    writeln!(out, "}} }}").unwrap_or_default();
}
