//! Tables of the effects of changes on six chips, one per generation.
#![allow(dead_code)] // each suite uses its part

use crate::golden;
use crate::support::seed;
use pm4::chip::Chip;
use pm4::regs::{self, FieldInfo};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

const CHIPS: [&str; 6] = ["vega10", "navi10", "navi21", "navi31", "gfx1150", "gfx1201"];

/// Sorted lines with the chips that have them.
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

impl Lines {
    /// Checks that these are the lines of a chip in its column.
    fn assert(&self, column: usize, what: &str, chip: Chip, lines: impl Fn(Chip) -> Vec<String>) {
        let known: BTreeSet<&str> = self.0.iter().filter(|(_, chips)| chips[column]).map(|(line, _)| line.as_str()).collect();
        let now = Self::of(&[chip], lines);
        assert_eq!(now.0.keys().map(String::as_str).collect::<BTreeSet<_>>(), known, "{what}, with PM4_SEED={}", seed());
    }

    fn one(columns: &str, line: &str) -> Self {
        let mut chips = [false; CHIPS.len()];
        chips.iter_mut().zip(columns.chars()).for_each(|(on, column)| *on = column == 'x');
        Self(BTreeMap::from([(line.to_owned(), chips)]))
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(line, chips)| writeln!(f, "    {} {line}", chips.map(|on| if on { 'x' } else { '.' }).iter().collect::<String>()))
    }
}

/// Compares a table of this name in `golden/`: its header, and the effect of each change, as lines for each chip. `source` is the file that makes it. Without
/// `--release`, only some cells are computed: the header of two chips, and one chip in four per change.
pub fn assert_table<C>(source: &str, title: &str, head: impl Fn(Chip) -> Vec<String>, changes: &[(String, C)], lines: impl Fn(Chip, &C) -> Vec<String>) {
    let chips: Vec<Chip> = CHIPS.iter().map(|name| name.parse().expect("a chip")).collect();
    let name = format!("{title}.txt");
    if !golden::whole() {
        return Table::read(&golden::file(&name)).assert(&name, &chips, head, changes, lines);
    }
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
    golden::assert_golden(&name, &text);
}

/// A table as read from its file.
#[derive(Default)]
struct Table {
    head: Lines,
    changes: BTreeMap<String, Lines>,
}

impl Table {
    fn assert<C>(&self, name: &str, chips: &[Chip], head: impl Fn(Chip) -> Vec<String>, changes: &[(String, C)], lines: impl Fn(Chip, &C) -> Vec<String>) {
        for (column, chip) in chips.iter().enumerate().filter(|(column, _)| golden::is_turn_of(*column)) {
            self.head.assert(column, &format!("{name}: {chip} without a change"), *chip, &head);
        }
        let (named, known): (BTreeSet<&str>, BTreeSet<&str>) =
            (changes.iter().map(|(what, _)| what.as_str()).collect(), self.changes.keys().map(String::as_str).collect());
        assert_eq!(named, known, "{name}: the changes");
        for (what, change) in changes {
            let place = |chip: &Chip| format!("{what} on {chip}");
            for (column, chip) in chips.iter().enumerate().filter(|(_, chip)| golden::sampled(&place(chip))) {
                self.changes[what].assert(column, &format!("{name}: {}", place(chip)), *chip, |chip| lines(chip, change));
            }
        }
    }

    fn read(text: &str) -> Self {
        let mut table = Self::default();
        let mut what = "";
        for line in text.lines().skip(2) {
            match line.strip_prefix("    ") {
                None => what = line,
                Some(name) if what == "No change" => {
                    table.changes.insert(name.to_owned(), Lines::default());
                }
                Some(line) => {
                    let (columns, told) = line.split_once(' ').expect("columns and a line, or the word `as` and another change");
                    let lines = match columns {
                        "as" => Lines(table.changes[told].0.clone()),
                        _ => Lines::one(columns, told),
                    };
                    let of = if what == "Without a change" { &mut table.head } else { table.changes.entry(what.to_owned()).or_default() };
                    of.0.extend(lines.0);
                }
            }
        }
        table
    }
}

/// Returns the name of a register.
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

/// Returns the fields of registers that differ, or the whole register if it is only on one side.
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

/// Returns the text of an error as lines.
pub fn refused(error: impl fmt::Display) -> Vec<String> {
    vec![format!("refused: {error}")]
}
