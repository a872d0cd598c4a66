//! Emits the `Chip` and `Erratum` enums with their facts.

use crate::gfx::{GENERATIONS, GfxSet};
use crate::model::chips::{Chips, DEVICE_NUMBERS};
use crate::names::camel;
use std::fmt::Write;

/// Returns the text of `chips.rs`; it contains only chips of enabled generations.
pub fn emit(chips: &Chips, enabled: GfxSet) -> String {
    let mut out = String::new();
    let mut variants = String::new();
    let mut infos = String::new();
    for (index, chip) in chips.chips.iter().enumerate() {
        if !enabled.has(chip.gfx) {
            continue;
        }
        let generation = &GENERATIONS[chip.gfx];
        let mut parsed = Vec::new();
        if chip.llvm != chip.name && !chip.llvm_is_shared {
            parsed.push(chip.llvm.clone());
        }
        parsed.extend(chip.spellings.clone());
        let parsed = parsed.iter().map(|name| format!(", serialize = {name:?}")).collect::<String>();
        let known = if chip.aliases.is_empty() { String::new() } else { format!(" Also parses from {}.", chip.aliases.join(", ")) };
        let doubt = chip.unverified.as_ref().map(|doubt| format!(" Unverified: {doubt}.")).unwrap_or_default();
        writeln!(variants, "/// {} (GFX{}).{known}{doubt}\n#[strum(to_string = {:?}{parsed})] {},", chip.llvm, generation.name, chip.name, camel(&chip.name))
            .unwrap_or_default();
        let (mut errata, mut unverified) = (0u64, 0u64);
        for (bit, erratum) in chips.errata.iter().enumerate() {
            errata |= u64::from(erratum.chips.contains(&index)) << bit;
            unverified |= u64::from(erratum.unverified.contains(&index)) << bit;
        }
        writeln!(
            infos,
            "ChipInfo {{ chip: Chip::{}, name: {:?}, llvm: {:?}, aliases: &{:?}, gfx: Gfx::{}, apu: {}, rb_plus: {}, etc2: {}, out_of_order_rasterization: {}, pc_lines: {:?}, dfsm_reset: {:?}, unverified: {:?}, sdma: {:?}, errata: {errata:#x}, unverified_errata: {unverified:#x} }},",
            camel(&chip.name),
            chip.name,
            chip.llvm,
            chip.aliases,
            generation.variant,
            chip.apu,
            chip.rb_plus,
            chip.etc2,
            chip.out_of_order,
            chip.pc_lines,
            chip.dfsm_reset,
            chip.unverified,
            chip.sdma
        )
        .unwrap_or_default();
    }
    writeln!(out, "chips! {{ {variants} }}\npub(crate) static CHIPS: &[ChipInfo] = &[{infos}];").unwrap_or_default();
    let (mut variants, mut infos) = (String::new(), String::new());
    for chip in &chips.compute {
        let parsed = chip.spellings.iter().map(|name| format!(", serialize = {name:?}")).collect::<String>();
        let known = if chip.aliases.is_empty() { String::new() } else { format!(" Also parses from {}.", chip.aliases.join(", ")) };
        let variant = camel(&chip.name);
        writeln!(variants, "/// {}{known}\n#[strum(to_string = {:?}{parsed})] {variant},", chip.doc, chip.name).unwrap_or_default();
        writeln!(
            infos,
            "ComputeChipInfo {{ chip: ComputeChip::{variant}, name: {:?}, aliases: &{:?}, sdma: {:?}, aql: {:?}, mes: {:?} }},",
            chip.name, chip.aliases, chip.sdma, chip.aql, chip.mes
        )
        .unwrap_or_default();
    }
    writeln!(out, "compute_chips! {{ {variants} }}\npub(crate) static COMPUTE_CHIPS: &[ComputeChipInfo] = &[{infos}];").unwrap_or_default();
    let mut devices = String::new();
    for device in chips.devices.iter().filter(|device| enabled.has(chips.chips[device.chip].gfx)) {
        let numbers = DEVICE_NUMBERS.iter().zip(&device.numbers).map(|(key, number)| format!("{key}: {number:#x}, ")).collect::<String>();
        let chip = camel(&chips.chips[device.chip].name);
        writeln!(devices, "DeviceFacts {{ chip: Chip::{chip}, {numbers}guessed: &{:?} }},", device.guessed).unwrap_or_default();
    }
    writeln!(out, "pub(crate) static DEVICES: &[DeviceFacts] = &[{devices}];").unwrap_or_default();
    let mut variants = String::new();
    let mut sources = String::new();
    for erratum in &chips.errata {
        let doubt = |chip| if erratum.unverified.contains(chip) { " (unverified)" } else { "" };
        let hit = erratum.chips.iter().map(|chip| format!("{}{}", chips.chips[*chip].name, doubt(chip))).collect::<Vec<_>>().join(", ");
        let doc = format!("{} Hits {hit}. Source: {}.", erratum.doc, erratum.source);
        writeln!(variants, "#[doc = {doc:?}] {},", camel(&erratum.name)).unwrap_or_default();
        write!(sources, "({:?}, {:?}),", erratum.doc, erratum.source).unwrap_or_default();
    }
    writeln!(out, "errata! {{ {variants} }}\npub(crate) static ERRATA: [(&str, &str); {}] = [{sources}];", chips.errata.len()).unwrap_or_default();
    out
}
