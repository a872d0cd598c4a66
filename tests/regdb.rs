//! The register descriptions: what the build says about mistakes in them, and that no text causes a panic.
//!
//! Each file in `tests/mistakes/` holds a description with a mistake, and beside it a `.txt` with what the build must say.
//! Files in its folder `chips` stand for `regdb/chips.toml`, those in `sources` for `regdb/sources.toml`, those in `packets` and
//! `descriptors` for files of the folders of these names, those in `instructions` and `wave_registers` for the files of these names in `regdb/isa`.
//! Those in `second_file` stand for packet files beside [`FIRST`].
//! `PM4_BLESS=1 cargo test --test packets_and_programs regdb_mistakes` writes the `.txt` files anew; read the difference before you commit it.

use crate::regdb;
use crate::support;
use quickcheck::{Arbitrary, Gen};
use regdb::diag::Source;
use regdb::gfx::GfxSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The .toml files of a folder with their paths, in the order of their names.
fn toml_files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).expect("a folder of the repository").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(&path).expect("a text file"))).collect()
}

/// The real descriptions, as build.rs reads them: the folder and those in it.
fn descriptions() -> Vec<Source> {
    let root = folder("regdb");
    let inner = fs::read_dir(&root).expect("a folder of the repository").map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    let mut files: Vec<Source> = std::iter::once(root.clone())
        .chain(inner)
        .flat_map(|folder| toml_files(&folder))
        .map(|(path, text)| {
            let below = path.strip_prefix(&root).expect("a file below the folder").to_string_lossy().replace('\\', "/");
            Source { name: format!("regdb/{below}"), text }
        })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// Everything the build says about some files; empty if it finds no mistake.
fn complaints(files: &[Source]) -> String {
    let mistakes = regdb::generate(files, GfxSet::ALL).err().unwrap_or_default();
    mistakes.iter().map(|mistake| mistake.render(files) + "\n\n").collect::<String>().trim_end().to_owned() + "\n"
}

/// Mistakes by the path of their file, with the source that build.rs would have made of it; after the file that is beside it.
fn mistakes() -> Vec<(PathBuf, Vec<Source>)> {
    PLACES
        .iter()
        .flat_map(|(place, name)| {
            toml_files(&folder(place)).into_iter().map(move |(path, text)| {
                let own = path.file_name().expect("a file").to_string_lossy().into_owned();
                let name = format!("regdb/{}", name.replace('*', &own));
                let first = (*place == SECOND_FILE).then(|| Source { name: "regdb/packets/first.toml".into(), text: FIRST.into() });
                (path, first.into_iter().chain([Source { name, text }]).collect())
            })
        })
        .collect()
}

const SECOND_FILE: &str = "tests/mistakes/second_file";
/// What the descriptions in that folder say again.
const FIRST: &str = r#"[enum.shared]
off = 0
[bitfield.shared]
[bitfield.shared.fields]
A = { bits = "0" }
[FIRST]
opcode = 1
effects = []
dwords = 1
"#;

/// Folders of mistakes, and the file of `regdb` that those in them stand for; `*` is their own name.
const PLACES: [(&str, &str); 8] = [
    ("tests/mistakes", "*"),
    ("tests/mistakes/chips", "chips.toml"),
    ("tests/mistakes/sources", "sources.toml"),
    ("tests/mistakes/packets", "packets/*"),
    (SECOND_FILE, "packets/*"),
    ("tests/mistakes/descriptors", "descriptors/*"),
    ("tests/mistakes/instructions", "isa/instructions.toml"),
    ("tests/mistakes/wave_registers", "isa/wave_registers.toml"),
];

#[test]
fn every_mistake_is_reported_as_expected() {
    let bless = std::env::var_os("PM4_BLESS").is_some();
    let mut wrong = String::new();
    for (path, files) in mistakes() {
        let said = complaints(&files);
        let expected = path.with_extension("txt");
        if bless {
            fs::write(&expected, &said).expect("a folder to write to");
        } else if fs::read_to_string(&expected).unwrap_or_default() != said {
            wrong += &format!("{} differs from what the build says:\n{said}\n", expected.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}PM4_BLESS=1 writes them anew");
}

/// A field makes a getter and a method `with_`: other names that begin or end like methods are allowed side by side.
#[test]
fn names_of_fields_that_make_no_common_method_are_accepted() {
    let names = ["mode", "set_mode", "mode_or_err", "set_mode_checked", "mode_checked"];
    let fields = |line: fn(usize, &str) -> String| names.iter().enumerate().map(|(bit, name)| line(bit, name)).collect::<String>();
    let register = fields(|bit, name| format!("{} = \"{bit}\"\n", name.to_uppercase()));
    let packet = fields(|bit, name| format!("{name} = {{ dword = 1, bits = \"{bit}\" }}\n"));
    for (name, text) in [
        ("regdb/a.toml", format!("[DB_COUNT_CONTROL]\nat = [{{ addr = 0x28004 }}]\ntyped = true\n[DB_COUNT_CONTROL.fields]\n{register}")),
        ("regdb/packets/a.toml", format!("[THING]\nopcode = 0xE0\neffects = []\nengines = \"me\"\ndwords = 2\n[THING.fields]\n{packet}")),
    ] {
        assert_eq!(complaints(&[Source { name: name.into(), text }]), "\n");
    }
}

/// The form that all messages have, whatever their words.
#[test]
fn every_mistake_names_its_place_and_shows_the_line() {
    for (path, files) in mistakes() {
        let said = complaints(&files);
        let source = files.last().expect("the file with the mistake");
        let lines: Vec<&str> = said.lines().collect();
        assert!(said.starts_with("error: "), "{}: no mistake was found", path.display());
        for (message, place) in lines.iter().zip(lines.iter().skip(1)).filter(|(line, _)| line.starts_with("error: ")) {
            let place = place.trim().strip_prefix("--> ").unwrap_or_else(|| panic!("{message} has no place"));
            let numbers = place.strip_prefix(&source.name).unwrap_or_else(|| panic!("{place} is not in {}", source.name));
            let mut numbers = numbers.split(':').skip(1).map(|n| n.parse::<usize>().expect("a number"));
            let (line, column) = (numbers.next().expect("a line"), numbers.next().expect("a column"));
            let text = source.text.lines().nth(line - 1).unwrap_or("");
            assert!(column <= text.chars().count() + 1, "{place} lies after the end of `{text}`");
            assert!(lines.iter().any(|shown| shown.trim_start().strip_prefix(&format!("{line} |")).is_some_and(|shown| shown.trim() == text.trim())), "{said}");
            let sentence = message.trim_start_matches("error: ");
            assert!(sentence.contains(' ') && !sentence.ends_with('.') && !sentence.contains("Some("), "no plain sentence: {sentence}");
        }
    }
}

#[test]
fn every_expected_text_belongs_to_a_mistake() {
    for (place, _) in PLACES {
        for entry in fs::read_dir(folder(place)).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            assert!(path.is_dir() || path.with_extension("toml").exists(), "{} stands alone", path.display());
        }
    }
}

#[test]
fn the_descriptions_have_no_mistakes() {
    let files = descriptions();
    let mistakes = regdb::generate(&files, GfxSet::ALL).err().unwrap_or_default();
    let said: Vec<String> = mistakes.iter().map(|mistake| mistake.render(&files)).collect();
    assert!(said.is_empty(), "{}", said.join("\n\n"));
}

#[test]
fn the_same_descriptions_give_the_same_code() {
    let files = descriptions();
    let first = regdb::generate(&files, GfxSet::ALL).expect("no mistakes");
    let second = regdb::generate(&files, GfxSet::ALL).expect("no mistakes");
    assert!(first == second, "two runs differ");
    assert!(first.iter().all(|(_, text)| !text.is_empty()));
}

/// Each generation alone, as the cargo features allow it.
#[test]
fn every_generation_can_be_generated_alone() {
    let files = descriptions();
    for index in 0..regdb::gfx::GENERATIONS.len() {
        let output = regdb::generate(&files, GfxSet::only(index)).expect("no mistakes");
        let registers = output.iter().find(|(name, _)| *name == "registers.rs").map(|(_, text)| text.as_str()).unwrap_or("");
        let own = regdb::gfx::GENERATIONS[index].id.to_uppercase();
        assert!(registers.contains(&format!("static {own}: Tables")) && registers.matches(": Tables = ").count() == 1, "{own}");
        let packets = output.iter().find(|(name, _)| *name == "packets.rs").map(|(_, text)| text.as_str()).unwrap_or("");
        let named = named_generations(packets);
        let others: Vec<_> = named.iter().filter(|(_, generations)| !generations.contains(&regdb::gfx::GENERATIONS[index].name)).collect();
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
    let mut doc = "";
    for line in text.lines() {
        let (told, item) = match line.split_once("\" [pub] ") {
            Some((doc, item)) => (doc.rsplit('"').next().unwrap_or(doc), item),
            None if line.starts_with("body!(") => (line.split(").").next().unwrap_or(line), line),
            None => (doc, line.strip_prefix("pub const ").or_else(|| line.strip_prefix("pub struct ")).unwrap_or("")),
        };
        if let Some((from, to)) = list(told, line.contains("[pub]")).filter(|_| !item.is_empty()) {
            found.push((item.split([':', ' ', '{']).next().unwrap_or(item), told[from..to].trim_end_matches('.').split(", ").collect()));
        }
        if !line.starts_with("#[") {
            doc = if line.starts_with("/// ") { line } else { "" };
        }
    }
    found
}

/// A place in a text and what to do there.
#[derive(Debug, Clone)]
struct Damage {
    file: usize,
    edits: Vec<(usize, Edit)>,
}

#[derive(Debug, Clone)]
enum Edit {
    Delete(usize),
    Duplicate(usize),
    Insert(&'static str),
    Replace(&'static str),
}

/// What descriptions are made of, and what they should not be made of.
const SCRAPS: [&str; 34] = [
    "\"",
    "=",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\n",
    "#",
    "0",
    "1",
    "31",
    "32",
    "4294967295",
    "4294967296",
    "-1",
    "0x",
    "..",
    "..=",
    "9..=12",
    ":",
    "[]",
    "{}",
    "true",
    "é",
    "\u{0}",
    "enum",
    "gfx = \"\"",
    "addr = 0xFFFFFFFC",
    "count = 256",
    "stride = 0xFFFFFFFC",
    "self",
    "bits = \"0:31\"",
    "\r\n",
];

impl Arbitrary for Damage {
    fn arbitrary(g: &mut Gen) -> Self {
        let edit = |g: &mut Gen| {
            let scrap = g.choose(&SCRAPS).copied().unwrap_or("");
            match u8::arbitrary(g) % 4 {
                0 => Edit::Delete(1 + usize::from(u8::arbitrary(g) % 60)),
                1 => Edit::Duplicate(1 + usize::from(u8::arbitrary(g) % 200)),
                2 => Edit::Insert(scrap),
                _ => Edit::Replace(scrap),
            }
        };
        let edits = (0..1 + u8::arbitrary(g) % 3).map(|_| (usize::arbitrary(g), edit(g))).collect();
        Self { file: usize::arbitrary(g), edits }
    }
}

impl Damage {
    fn apply(&self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, edit) in &self.edits {
            let at = at % (chars.len() + 1);
            let end = |length: usize| (at + length).min(chars.len());
            match edit {
                Edit::Delete(length) => drop(chars.drain(at..end(*length))),
                Edit::Duplicate(length) => {
                    let copy = chars[at..end(*length)].to_vec();
                    chars.splice(at..at, copy);
                }
                Edit::Insert(scrap) => drop(chars.splice(at..at, scrap.chars())),
                Edit::Replace(scrap) => drop(chars.splice(at..end(scrap.len()), scrap.chars())),
            }
        }
        chars.into_iter().collect()
    }
}

/// Whether the build takes the files or finds mistakes that it can show; a panic ends the test.
fn taken_or_refused(files: &[Source]) -> bool {
    match regdb::generate(files, GfxSet::ALL) {
        Ok(output) => !output.is_empty(),
        Err(mistakes) => mistakes.iter().take(5).all(|mistake| mistake.render(files).starts_with("error: ")),
    }
}

/// A description file with random damage, beside the files that it needs.
#[test]
fn damaged_descriptions_never_panic() {
    static FILES: LazyLock<Vec<Source>> = LazyLock::new(descriptions);
    const NEEDED: [&str; 4] = ["regdb/enums.toml", "regdb/sources.toml", "regdb/packets/enums.toml", "regdb/packets/bitfields.toml"];
    fn survives(damage: Damage) -> bool {
        let chosen = damage.file % FILES.len();
        let damaged = |source: &Source| Source { name: source.name.clone(), text: damage.apply(&source.text) };
        let files = FILES.iter().enumerate().filter(|(i, source)| *i == chosen || NEEDED.contains(&source.name.as_str()));
        let files: Vec<Source> = files.map(|(i, source)| if i == chosen { damaged(source) } else { source.clone() }).collect();
        taken_or_refused(&files)
    }
    support::property("descriptions may be damaged in any way", 400, survives as fn(Damage) -> bool);
}

/// What is not a description at all.
#[test]
fn any_text_is_accepted_or_refused() {
    fn survives(text: String) -> bool {
        let names = ["regdb/db.toml", "regdb/chips.toml", "regdb/sources.toml", "regdb/packets/draw.toml"];
        names.iter().all(|name| taken_or_refused(&[Source { name: (*name).to_owned(), text: text.clone() }]))
    }
    support::property("a description may be any text", 300, survives as fn(String) -> bool);
}
