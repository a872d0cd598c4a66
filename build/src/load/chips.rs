//! Reads regdb/chips.toml into the model.

use crate::diag::{Diagnostic, Result, Source, Span, did_you_mean};
use crate::gfx::GfxSet;
use crate::input::{self, Node, Table};
use crate::model::chips::{Chip, Chips, ComputeChip, DEVICE_NUMBERS, Device, Erratum};
use crate::names::camel;
use std::collections::BTreeSet;

/// The most errata of a chip: one bit each in a u64.
const MOST_ERRATA: usize = 64;

pub fn load(files: &[Source]) -> (Chips, Vec<Box<Diagnostic>>) {
    let mut errors = Vec::new();
    let mut chips = Chips::default();
    if let Some(file) = files.iter().position(|source| source.name.ends_with("chips.toml"))
        && let Err(e) = load_tables(file, &files[file], &mut chips, &mut errors)
    {
        errors.push(e);
    }
    (chips, errors)
}

/// Fills `chips`, and adds mistakes within entries to `errors`.
fn load_tables(file: usize, source: &Source, chips: &mut Chips, errors: &mut Vec<Box<Diagnostic>>) -> Result<()> {
    let parsed = input::parse(file, source)?;
    let root = input::root(file, &parsed);
    root.only(&["chip", "compute_chip", "device", "erratum"])?;
    let mut names: Vec<(String, Span)> = Vec::new();
    for (name, node) in root.need("chip")?.table()?.entries() {
        match load_chip(name, &node, &chips.chips) {
            Ok(chip) => match unique(&chip, &node, &mut names) {
                Ok(()) => chips.chips.push(chip),
                Err(e) => errors.push(e),
            },
            Err(e) => errors.push(e),
        }
    }
    let compute = root.get("compute_chip").map(|node| node.table()).transpose()?;
    for (name, node) in compute.iter().flat_map(Table::entries) {
        match load_compute_chip(name, &node).and_then(|chip| alone(&chip.name, &chip.spellings, &node.key, &mut names).map(|()| chip)) {
            Ok(chip) => chips.compute.push(chip),
            Err(e) => errors.push(e),
        }
    }
    if !errors.is_empty() {
        // Errata refer to chips; if some chips are missing, every erratum would look wrong.
        return Ok(());
    }
    let devices = root.get("device").map(|node| node.table()).transpose()?;
    for (name, node) in devices.iter().flat_map(Table::entries) {
        match load_device(name, &node, &chips.chips) {
            Ok(device) => chips.devices.push(device),
            Err(e) => errors.push(e),
        }
    }
    for (name, node) in root.need("erratum")?.table()?.entries() {
        match load_erratum(name, &node, &chips.chips) {
            Ok(_) if chips.errata.len() == MOST_ERRATA => errors.push(Diagnostic::new(node.key, format!("more than {MOST_ERRATA} errata"))),
            Ok(erratum) if chips.errata.iter().any(|other| camel(&other.name) == camel(&erratum.name)) => {
                errors.push(Diagnostic::new(node.key, format!("two errata are called {}", camel(name))));
            }
            Ok(erratum) => chips.errata.push(erratum),
            Err(e) => errors.push(e),
        }
    }
    Ok(())
}

/// Checks that two chips differ in all names that parse as one of them, and in the names of their variants.
fn unique(chip: &Chip, node: &Node<'_>, names: &mut Vec<(String, Span)>) -> Result<()> {
    let mut own = chip.spellings.clone();
    if !chip.llvm_is_shared {
        own.push(chip.llvm.clone());
    }
    alone(&chip.name, &own, &node.key, names)
}

/// Checks that no earlier chip has one of the names.
fn alone(name: &str, others: &[String], at: &Span, names: &mut Vec<(String, Span)>) -> Result<()> {
    let mut own = vec![name.to_owned(), camel(name).to_ascii_lowercase()];
    own.extend_from_slice(others);
    for name in Vec::from_iter(BTreeSet::from_iter(own)) {
        if let Some((_, other)) = names.iter().find(|(known, _)| *known == name) {
            return Err(Diagnostic::new(at.clone(), format!("two chips are called {name}")).related(other.clone(), "the other is here"));
        }
        names.push((name, at.clone()));
    }
    Ok(())
}

/// Names are lower case because they become enum variants; parsing ignores case.
fn lower_case(name: &str, at: &Span) -> Result<()> {
    let fine = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let camel = camel(name);
    if fine && camel != "Self" {
        return Ok(());
    }
    Err(Diagnostic::new(at.clone(), format!("`{name}` cannot be a name here: a lower case letter, then lower case letters, digits and underscores")))
}

/// Returns the spellings of an alias: with hyphens, with underscores, and as one word.
fn spellings(alias: &str, node: &Node<'_>) -> Result<Vec<String>> {
    lower_case(&alias.replace('-', "_"), &node.span())?;
    let mut all: Vec<String> = ["-", "_", ""].map(|between| alias.replace(['-', '_'], between)).into();
    all.dedup();
    Ok(all)
}

/// Returns whether the chip shares its LLVM name with another one (`llvm_of`), which must precede it and have that name.
fn shares_llvm(table: &Table<'_>, llvm: &str, above: &[Chip]) -> Result<bool> {
    let Some(of) = table.get("llvm_of") else { return Ok(false) };
    let name = of.string()?;
    match above.iter().find(|chip| chip.name == name) {
        Some(chip) if chip.llvm == llvm => Ok(true),
        Some(chip) => Err(Diagnostic::new(of.span(), format!("{name} is {} in LLVM, not {llvm}", chip.llvm))),
        None => Err(Diagnostic::new(of.span(), format!("there is no chip `{name}` above"))),
    }
}

fn load_chip(name: &str, node: &Node<'_>, above: &[Chip]) -> Result<Chip> {
    lower_case(name, &node.key)?;
    let table = node.table()?;
    table.only(&["gfx", "llvm", "llvm_of", "aliases", "apu", "rb_plus", "etc2", "out_of_order", "pc_lines", "dfsm_reset", "unverified", "sdma"])?;
    let gfx = table.need("gfx")?;
    let set = gfx.gfx()?;
    let mut indices = set.indices();
    let (Some(index), None) = (indices.next(), indices.next()) else {
        return Err(Diagnostic::new(gfx.span(), format!("a chip is of one generation, not of {set}")));
    };
    let llvm = table.need("llvm")?;
    let llvm_name = llvm.string()?.into_owned();
    lower_case(&llvm_name, &llvm.span())?;
    let (aliases, all) = aliases(&table)?;
    Ok(Chip {
        name: name.to_owned(),
        gfx: index,
        llvm_is_shared: shares_llvm(&table, &llvm_name, above)?,
        llvm: llvm_name,
        aliases,
        spellings: all,
        apu: table.flag("apu")?,
        rb_plus: table.need("rb_plus")?.boolean()?,
        etc2: table.flag("etc2")?,
        out_of_order: table.flag("out_of_order")?,
        pc_lines: table.number("pc_lines")?,
        dfsm_reset: table.number("dfsm_reset")?,
        unverified: table.string("unverified")?,
        sdma: table.string("sdma")?,
    })
}

fn load_compute_chip(name: &str, node: &Node<'_>) -> Result<ComputeChip> {
    lower_case(name, &node.key)?;
    let table = node.table()?;
    table.only(&["aliases", "doc", "sdma", "aql", "mes"])?;
    let (aliases, spellings) = aliases(&table)?;
    Ok(ComputeChip {
        name: name.to_owned(),
        aliases,
        spellings,
        doc: table.need_string("doc")?,
        sdma: table.need_string("sdma")?,
        aql: table.need_string("aql")?,
        mes: table.string("mes")?,
    })
}

/// Returns other names of a chip, and all their spellings.
fn aliases(table: &Table<'_>) -> Result<(Vec<String>, Vec<String>)> {
    let (mut aliases, mut all) = (Vec::new(), Vec::new());
    for node in table.items("aliases") {
        let alias = node.string()?.into_owned();
        all.extend(spellings(&alias, &node)?);
        aliases.push(alias);
    }
    Ok((aliases, all))
}

/// Returns the chip that an entry names.
fn chip_called(name: &str, at: Span, chips: &[Chip]) -> Result<usize> {
    chips.iter().position(|chip| chip.name == name).ok_or_else(|| {
        let known = chips.iter().map(|chip| chip.name.as_str()).collect::<Vec<_>>();
        let help = did_you_mean(name, &known).unwrap_or_else(|| format!("known are {}", known.join(", ")));
        Diagnostic::new(at, format!("there is no chip `{name}`")).help(help)
    })
}

fn load_device(name: &str, node: &Node<'_>, chips: &[Chip]) -> Result<Device> {
    let chip = chip_called(name, node.key.clone(), chips)?;
    let table = node.table()?;
    table.only(&[&DEVICE_NUMBERS[..], &["guessed"]].concat())?;
    let numbers = DEVICE_NUMBERS.iter().map(|key| table.need(key)?.number()).collect::<Result<_>>()?;
    let mut guessed = Vec::new();
    for item in table.items("guessed") {
        let key = item.string()?.into_owned();
        if !DEVICE_NUMBERS.contains(&key.as_str()) {
            let help = did_you_mean(&key, &DEVICE_NUMBERS).unwrap_or_else(|| format!("the numbers are {}", DEVICE_NUMBERS.join(", ")));
            return Err(Diagnostic::new(item.span(), format!("a device has no number `{key}`")).help(help));
        }
        guessed.push(key);
    }
    Ok(Device { chip, numbers, guessed })
}

fn load_erratum(name: &str, node: &Node<'_>, chips: &[Chip]) -> Result<Erratum> {
    lower_case(name, &node.key)?;
    let table = node.table()?;
    table.only(&["gfx", "chips", "unverified", "doc", "source"])?;
    let set = table.gfx(GfxSet::NONE)?;
    let mut hit = Vec::new();
    for (index, chip) in chips.iter().enumerate() {
        if set.has(chip.gfx) {
            hit.push(index);
        }
    }
    let mut unverified = Vec::new();
    let stated = table.items("chips").into_iter().map(|item| (item, true));
    let named = stated.chain(table.items("unverified").into_iter().map(|item| (item, false)));
    for (item, stated) in named {
        let chip = item.string()?;
        let index = chip_called(&chip, item.span(), chips)?;
        if hit.contains(&index) {
            return Err(Diagnostic::new(item.span(), format!("{chip} is named twice in the erratum: by name, and again by name or by generation")));
        }
        hit.push(index);
        if !stated {
            unverified.push(index);
        }
    }
    if hit.is_empty() {
        return Err(Diagnostic::new(Span::clone(&node.key), format!("the erratum {name} hits no chip: give `chips` or `gfx`")));
    }
    Ok(Erratum { name: name.to_owned(), chips: hit, unverified, doc: table.need_string("doc")?, source: table.need_string("source")? })
}
