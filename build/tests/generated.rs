//! The generated code: the same for the same descriptions, of each generation alone, and what a packet adds to it.

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use pm4_regdb::diag::Source;
use pm4_regdb::gfx::GENERATIONS;
use pm4_regdb::gfx::GfxSet;
use std::collections::HashSet;
use support::descriptions;

#[test]
fn the_descriptions_have_no_mistakes() {
    let files = descriptions();
    let mistakes = pm4_regdb::generate(&files, GfxSet::ALL).err().unwrap_or_default();
    let said: Vec<String> = mistakes.iter().map(|mistake| mistake.render(&files)).collect();
    assert!(said.is_empty(), "{}", said.join("\n\n"));
}

#[test]
fn the_same_descriptions_give_the_same_code() {
    let files = descriptions();
    let first = pm4_regdb::generate(&files, GfxSet::ALL).expect("no mistakes");
    let second = pm4_regdb::generate(&files, GfxSet::ALL).expect("no mistakes");
    assert!(first == second, "two runs differ");
    assert!(first.iter().all(|(_, text)| !text.is_empty()));
}

/// Each generation alone, as the cargo features allow it.
#[test]
fn every_generation_can_be_generated_alone() {
    let files = descriptions();
    for (index, generation) in GENERATIONS.iter().enumerate() {
        let output = pm4_regdb::generate(&files, GfxSet::only(index)).expect("no mistakes");
        let registers = output.iter().find(|(name, _)| *name == "registers.rs").map(|(_, text)| text.as_str()).unwrap_or("");
        let own = generation.id.to_uppercase();
        assert!(registers.contains(&format!("static {own}: Tables")) && registers.matches(": Tables = ").count() == 1, "{own}");
        let packets = output.iter().find(|(name, _)| *name == "packets.rs").map(|(_, text)| text.as_str()).unwrap_or("");
        let named = named_generations(packets);
        let others: Vec<_> = named.iter().filter(|(_, generations)| !generations.contains(&generation.name)).collect();
        assert!(named.len() > 600, "{own}: {} names", named.len());
        assert!(others.is_empty(), "{own} has names of other generations: {others:?}");
    }
}

/// Public names of generated packet code and the generations in their docs: opcodes, events, values, structs, bodies, bits of layouts.
fn named_generations(text: &str) -> Vec<(&str, Vec<&str>)> {
    let list = |text: &str, member: bool| -> Option<(usize, usize)> {
        let of_struct = text.find("(GFX").filter(|_| !member);
        let start = of_struct.map(|at| at + 4).or_else(|| text.rfind("GFX").map(|at| at + 3))?;
        Some((start, start + text[start..].find(|c: char| !c.is_ascii_digit() && !". ,".contains(c)).unwrap_or(text.len() - start)))
    };
    let mut found = Vec::new();
    let (mut doc, mut before) = ("", [""; 2]);
    for line in text.lines().map(str::trim_start) {
        let (told, item) = match line.split_once("[pub] ") {
            // A layout as a whole names generations of its own fields.
            Some(("", _)) => (doc, ""),
            Some((doc, item)) => (doc, item),
            None if before == ["body!(", doc] => (doc.split(").").next().unwrap_or(doc), line),
            None => (doc, line.strip_prefix("pub const ").or_else(|| line.strip_prefix("pub struct ")).unwrap_or("")),
        };
        if let Some((from, to)) = list(told, line.contains("\" [pub]")).filter(|_| !item.is_empty()) {
            found.push((item.split([':', ' ', '{', ',']).next().unwrap_or(item), told[from..to].trim_end_matches('.').split(", ").collect()));
        }
        before = [before[1], line];
        if !line.starts_with("#[") {
            doc = if line.starts_with("/// ") || line.starts_with('"') { line } else { "" };
        }
    }
    found
}

/// A packet that does not exist; `tests/made_up/` writes, filters and executes it.
const MADE_UP: &str = include_str!("../../tests/made_up/made_up.toml");

/// Packets, structs, bodies: all that the build makes of the descriptions.
fn generated(extra: &str) -> Vec<(&'static str, String)> {
    let mut files = descriptions();
    if !extra.is_empty() {
        files.push(Source { name: "regdb/packets/zzz.toml".into(), text: extra.into() });
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    pm4_regdb::generate(&files, GfxSet::ALL).unwrap_or_else(|mistakes| panic!("{}", mistakes[0].render(&files)))
}

/// The rows of a table of numbers in generated code.
fn numbers(text: &str, table: &str) -> Vec<Vec<u32>> {
    let (_, rows) = text.split_once(&format!(" {table}: ")).and_then(|(_, rest)| rest.split_once(" = ")).unwrap_or_else(|| panic!("no table {table}"));
    let rows = rows.split("];").next().unwrap_or(rows).split(']');
    let numbers = rows.map(|row| row.split([',', '[']).map(str::trim).filter(|n| !n.is_empty()).map(|n| n.parse().expect("a number")).collect());
    numbers.filter(|row: &Vec<u32>| !row.is_empty()).collect()
}

#[test]
fn a_packet_is_a_table_and_nothing_else() {
    let (before, after) = (generated(""), generated(MADE_UP));
    let text = |files: &[(&'static str, String)]| files.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    let (old, new) = (text(&before), text(&after));
    let wanted = [
        // The format with what it does, the struct with a whole address, the opcode.
        "PFP writes 4 bytes at place, from word, at the end of the pipe, where mode is writes.",
        "PFP puts arguments into 1 SGPR at word_loc, unless that is 0. Made up as well.",
        "pub struct ZzzMadeUp",
        "ZZZ_MADE_UP: Self = Self(0xf7)",
    ];
    for part in wanted {
        assert!(new.to_lowercase().contains(&part.to_lowercase()), "{part:?} is not in the generated code");
        assert!(!old.to_lowercase().contains(&part.to_lowercase()), "{part:?} was there before");
    }
    let structure = new.split("pub struct ZzzMadeUp").nth(1).and_then(|rest| rest.split('}').next()).expect("a struct");
    assert!(structure.contains("place: u64") && !structure.contains("place_lo"), "{structure}");
    // Registers, a roll, memory, a dispatch, addresses: in the row of each generation, and in no other column.
    for (before, after) in numbers(&old, "EFFECT_KINDS").iter().zip(numbers(&new, "EFFECT_KINDS")) {
        assert_eq!(after[0xF7], 1 | 1 << 3 | 1 << 7 | 1 << 10 | 1 << 13);
        assert!((0..256).all(|n| n == 0xF7 || before[n] == after[n]));
    }
    // All else is as it was: lines come, lists have its names more, and the tables that have a column for each number, or the rows of all packets, change.
    let entry = |line: &str| line.trim().trim_end_matches(',').to_owned();
    let lines: HashSet<String> = new.lines().map(entry).collect();
    let words = |line: &str| -> Vec<String> {
        let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty() && !word.starts_with("ZzzMadeUp"));
        words.map(str::to_owned).collect()
    };
    let longer: HashSet<Vec<String>> = new.lines().filter(|line| line.contains("ZzzMadeUp")).map(words).collect();
    // Numbers of tables and rows move.
    let numbered = |line: &str| line.chars().any(|c| c.is_ascii_digit()) && !line.contains("fn ") && !line.contains("pub struct");
    let gone = old.lines().filter(|line| !lines.contains(&entry(line)) && !numbered(line) && !longer.contains(&words(line)));
    let gone: Vec<&str> = gone.map(|line| line.get(..60).unwrap_or(line)).collect();
    assert!(gone.is_empty(), "{gone:#?}");
}
