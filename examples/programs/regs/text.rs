//! Text output: pages for a few results, lists for many.

use super::page;
use super::select::{By, Hit, Selection};
use super::style::Styles;
use pm4::chip::Gfx;
use pm4::regs::EnumInfo;
use pm4::report::generations::{group, label, name, short_label};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The most registers and value lists to print as pages.
const PAGES: usize = 4;

type Values = BTreeMap<&'static str, Vec<(Gfx, &'static EnumInfo)>>;

pub fn print(out: &mut impl Write, styles: Styles, generations: &[Gfx], found: &Selection) -> io::Result<()> {
    let mut registers: BTreeMap<&str, Vec<Hit>> = BTreeMap::new();
    for hit in &found.registers {
        registers.entry(hit.info.name).or_default().push(*hit);
    }
    let mut values = Values::new();
    for (gfx, list) in &found.values {
        values.entry(list.name).or_default().push((*gfx, list));
    }
    if let By::Address(addr) = found.by {
        owners(out, addr, &found.registers, generations)?;
    }
    match found.by {
        By::Field => return field_list(out, styles, &registers, found),
        By::Name | By::Address(_) if registers.len() + values.len() <= PAGES => return pages(out, styles, &registers, &values),
        By::Everything | By::Name | By::Address(_) => {}
    }
    list(out, styles, generations, &registers)?;
    value_list(out, styles, generations, &values)?;
    writeln!(out, "\n{} registers and {} value lists; give a full name to see its page.", registers.len(), values.len())
}

fn pages(out: &mut impl Write, styles: Styles, registers: &BTreeMap<&str, Vec<Hit>>, values: &Values) -> io::Result<()> {
    let mut first = true;
    let mut gap = |out: &mut dyn Write| if std::mem::take(&mut first) { Ok(()) } else { writeln!(out, "\n") };
    for hits in registers.values() {
        gap(out)?;
        page::register(out, styles, hits)?;
    }
    for (name, lists) in values {
        gap(out)?;
        page::values(out, styles, name, lists)?;
    }
    Ok(())
}

/// Prints what is at an address, if it is not the same register on all generations.
fn owners(out: &mut impl Write, addr: u32, hits: &[Hit], generations: &[Gfx]) -> io::Result<()> {
    let names = group(hits.iter().map(|hit| (hit.gfx, hit.info.name)));
    if names.len() == 1 && hits.len() == generations.len() {
        return Ok(());
    }
    writeln!(out, "0x{addr:05X} by generation:")?;
    for (set, name) in names {
        writeln!(out, "  {:<14}{name}", label(&set))?;
    }
    let without: Vec<Gfx> = generations.iter().copied().filter(|gfx| !hits.iter().any(|hit| hit.gfx == *gfx)).collect();
    if !without.is_empty() {
        writeln!(out, "  {:<14}none", label(&without))?;
    }
    writeln!(out)
}

/// Prints one line per register: name, elements, space, address on each generation.
fn list(out: &mut impl Write, styles: Styles, generations: &[Gfx], registers: &BTreeMap<&str, Vec<Hit>>) -> io::Result<()> {
    if registers.is_empty() {
        return Ok(());
    }
    let header: String = generations.iter().map(|gfx| format!("GFX{:<6}", name(*gfx))).collect();
    writeln!(out, "{}{:<48}{:<9}{}{:#}", styles.title, "register", "space", header.trim_end(), styles.title)?;
    for (name, hits) in registers {
        let count = hits.iter().map(|hit| hit.info.count).max().unwrap_or(1);
        let title = if count > 1 { format!("{name} ×{count}") } else { (*name).to_owned() };
        let space = hits.first().map_or(String::new(), |hit| hit.info.space().to_string());
        let on = |gfx: &Gfx| hits.iter().find(|hit| hit.gfx == *gfx).map_or("·".to_owned(), |hit| format!("0x{:05X}", hit.info.addr));
        let addresses: String = generations.iter().map(|gfx| format!("{:<9}", on(gfx))).collect();
        writeln!(out, "{title:<48}{space:<9}{}", addresses.trim_end())?;
    }
    Ok(())
}

fn value_list(out: &mut impl Write, styles: Styles, generations: &[Gfx], values: &Values) -> io::Result<()> {
    if values.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}{:<48}{:<9}generations{:#}", styles.title, "value list", "values", styles.title)?;
    for (name, lists) in values {
        let most = lists.iter().map(|(_, list)| list.entries.len()).max().unwrap_or(0);
        let set: Vec<Gfx> = lists.iter().map(|(gfx, _)| *gfx).collect();
        let set = if set == generations { String::new() } else { label(&set) };
        writeln!(out, "{}", format!("{name:<48}{most:<9}{set}").trim_end())?;
    }
    Ok(())
}

/// Prints the matching fields if no register matches.
fn field_list(out: &mut impl Write, styles: Styles, registers: &BTreeMap<&str, Vec<Hit>>, found: &Selection) -> io::Result<()> {
    writeln!(out, "{}{:<8}{:<16}field{:#}", styles.title, "bits", "generations", styles.title)?;
    for (register, hits) in registers {
        let fields = hits.iter().flat_map(|hit| found.fields_of(hit.info).map(|field| (hit.gfx, (field.name, field.lo, field.hi))));
        for (set, (field, lo, hi)) in group(fields) {
            writeln!(out, "{:<8}{:<16}{register}.{field}", page::bits(lo, hi), short_label(&set))?;
        }
    }
    Ok(())
}
