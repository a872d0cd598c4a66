//! Tables of what differs between inputs, on six chips, one of each generation.
#![allow(dead_code)] // each suite uses its part

use crate::golden;
use pm4::chip::Chip;
use pm4::regs::{self, FieldInfo};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

const CHIPS: [&str; 6] = ["vega10", "navi10", "navi21", "navi31", "gfx1150", "gfx1201"];

/// Lines with the chips that have them, sorted.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
struct Lines(BTreeMap<String, [bool; CHIPS.len()]>);

impl Lines {
    fn of(chips: &[Chip], lines: impl Fn(Chip) -> Vec<String>) -> Self {
        let mut all = Self::default();
        for (at, chip) in chips.iter().enumerate() {
            let own = lines(*chip).into_iter().map(|line| line.replace(&chip.to_string(), "the chip"));
            own.for_each(|line| all.0.entry(line).or_default()[at] = true);
        }
        all
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(line, chips)| writeln!(f, "    {} {line}", chips.map(|on| if on { 'x' } else { '.' }).iter().collect::<String>()))
    }
}

/// A table of this name in `golden/`: its header, and the effect of each change, in lines for each chip. `source` is the file that makes it.
pub fn assert_table<C>(source: &str, title: &str, head: impl Fn(Chip) -> Vec<String>, changes: &[(String, C)], lines: impl Fn(Chip, &C) -> Vec<String>) {
    let chips: Vec<Chip> = CHIPS.iter().map(|name| name.parse().expect("a chip")).collect();
    let mut text = format!("# {source} explains this file. Columns: {}\n\nWithout a change\n{}", CHIPS.join(", "), Lines::of(&chips, head));
    let (mut told, mut same) = (BTreeMap::<Lines, &str>::new(), Vec::new());
    for (what, change) in changes {
        let lines = Lines::of(&chips, |chip| lines(chip, change));
        match (lines.0.len(), told.get(&lines)) {
            (0, _) => same.push(what.as_str()),
            (2.., Some(other)) => text += &format!("{what}\n    as {other}\n"),
            _ => {
                text += &format!("{what}\n{lines}");
                told.insert(lines, what);
            }
        }
    }
    if !same.is_empty() {
        text += &format!("No change\n    {}\n", same.join("\n    "));
    }
    golden::assert_golden(&format!("{title}.txt"), &text);
}

/// The name of a register.
pub fn name(chip: Chip, addr: u32) -> String {
    regs::lookup(chip.gfx(), addr).map_or_else(|| format!("{addr:#x}"), |register| register.name().to_string())
}

fn value(field: &FieldInfo, value: u32) -> String {
    match field.name_of(value) {
        Some(name) => name.to_owned(),
        None if value < 10 => value.to_string(),
        None => format!("{value:#x}"),
    }
}

/// Registers with their values, by address.
pub type Registers = BTreeMap<u32, u32>;

/// The fields of registers that differ; as a whole where a register is only on one side.
pub fn differences(chip: Chip, before: &Registers, after: &Registers) -> Vec<String> {
    let addresses: BTreeSet<u32> = before.keys().chain(after.keys()).copied().collect();
    let of = |addr: u32| {
        let (name, fields) = (name(chip, addr), regs::lookup(chip.gfx(), addr).map_or(&[][..], |register| register.fields()));
        match (before.get(&addr).copied(), after.get(&addr).copied()) {
            (Some(before), Some(after)) => {
                let differing = fields.iter().filter(|field| field.get(before) != field.get(after));
                differing.map(|field| format!("{name}.{}: {} -> {}", field.name, value(field, field.get(before)), value(field, field.get(after)))).collect()
            }
            (None, Some(after)) => vec![format!("{name}: none -> {after:#x}")],
            (Some(_), None) => vec![format!("{name}: -> none")],
            (None, None) => Vec::new(),
        }
    };
    addresses.into_iter().flat_map(of).collect()
}

/// The words of an error.
pub fn refused(error: impl fmt::Display) -> Vec<String> {
    vec![format!("refused: {error}")]
}
