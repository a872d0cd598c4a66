//! Emits the names in the arms of `on_gfx!`: generations, modules, and the variants of `Family`.

use crate::gfx::{FAMILIES, GENERATIONS, GfxSet};
use std::fmt::Write;

/// Returns the text of `generations.rs`.
pub fn emit(enabled: GfxSet) -> String {
    let (mut patterns, mut registers, mut others) = (String::new(), String::new(), String::new());
    let generation = |gfx: usize| format!("$crate::chip::Gfx::{}", GENERATIONS[gfx].variant);
    for gfx in enabled.indices() {
        let (name, module) = (GENERATIONS[gfx].variant, GENERATIONS[gfx].id);
        writeln!(patterns, "({name}) => {{ {} }};", generation(gfx)).unwrap_or_default();
        writeln!(registers, "pub(crate) use crate::regs::{module} as {name};").unwrap_or_default();
        writeln!(others, "pub(crate) use crate::$from::{module} as {name};").unwrap_or_default();
    }
    for family in FAMILIES.iter().filter(|family| !family.is_one()) {
        let own: Vec<String> = family.gfx.and(enabled).indices().map(generation).collect();
        if !own.is_empty() {
            writeln!(patterns, "({}) => {{ {} }};", family.variant, own.join(" | ")).unwrap_or_default();
            writeln!(registers, "pub(crate) use crate::regs::{} as {};", family.id, family.variant).unwrap_or_default();
        }
    }
    // Descriptors are a module that needs the feature `alloc`.
    let places = [("packet", ""), ("descriptors", "#[cfg(feature = \"alloc\")] ")];
    let others = places.map(|(from, with)| format!("{with}pub(crate) mod {from} {{ {} }}\n", others.replace("$from", from))).concat();
    format!(
        "/// The generations that a name in an arm of `on_gfx!` stands for, those that are compiled in.\n\
         macro_rules! generations {{ {patterns} }}\n\
         /// The modules of generations and families under the names in arms of `on_gfx!`.\n\
         pub(crate) mod by_name {{ pub(crate) mod regs {{ {registers} }}\n {others} }}\n"
    )
}
