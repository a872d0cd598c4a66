//! What the build says about mistakes in descriptions.
//!
//! Each file in `mistakes/` holds a description with a mistake, and beside it a `.txt` with what the build must say.
//! Files in its folder `chips` stand for `regdb/chips.toml`, those in `sources` for `regdb/sources.toml`, those in `packets` and
//! `descriptors` for files of the folders of these names, those in `instructions` and `wave_registers` for the files of these names in `regdb/isa`.
//! Those in `queues` stand for a family of packets of its own. Those in `second_file` stand for packet files beside [`FIRST`].
//! `PM4_BLESS=1 cargo test -p pm4-regdb --test mistakes` writes the `.txt` files anew; read the difference before you commit it.

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use pm4_regdb::diag::Source;
use pm4_regdb::gfx::GfxSet;
use std::fs;
use std::path::PathBuf;
use support::{folder, toml_files};

/// Everything the build says about some files; empty if it finds no mistake.
fn complaints(files: &[Source]) -> String {
    let mistakes = pm4_regdb::generate(files, GfxSet::ALL).err().unwrap_or_default();
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
const PLACES: [(&str, &str); 9] = [
    ("tests/mistakes", "*"),
    ("tests/mistakes/chips", "chips.toml"),
    ("tests/mistakes/sources", "sources.toml"),
    ("tests/mistakes/packets", "packets/*"),
    (SECOND_FILE, "packets/*"),
    ("tests/mistakes/descriptors", "descriptors/*"),
    ("tests/mistakes/queues", "queues/*"),
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

/// Mistakes in a description, and what the build says about them.
#[test]
fn mistakes_in_descriptions_are_shown_where_they_are() {
    let cases = [
        ("[A]\nopcode = 1\nengines = \"pfp\"\ndwords = 2\ncolour = 3", "unknown key `colour`", 5),
        ("[A]\nopcode = 1\nengines = \"pfq\"\ndwords = 2", "`pfq` is not an engine", 3),
        ("[A]\nopcode = 256\nengines = \"pfp\"\ndwords = 2", "256 is too large, 255 is the limit", 2),
        ("[A]\nopcode = 1\nengines = \"pfp\"", "`dwords` is missing", 1),
        ("[A]\nopcode = 1\ndwords = 2", "`effects` is missing", 1),
        ("[A]\nopcode = 1\ndwords = 2\n[A.fields]\na = { dword = 1, bits = \"32:0\" }", "`32:0` goes beyond bit 31", 5),
        ("[A]\nopcode = 1\ndwords = 2\n[A.fields]\na = { dword = 2, bits = \"0\" }", "`a` is in dword 2, but A ends after 2 dwords on GFX9", 5),
        (
            "[A]\nopcode = 1\ndwords = 2\n[A.fields]\na = { dword = 1, bits = \"4:0\" }\nb = { dword = 1, bits = \"5:4\" }",
            "`b` and `a` share bits in dword 1",
            6,
        ),
        ("[A]\nopcode = 1\ndwords = 2\n[A.fields]\na = { dword = 1, bits = \"1:0\", enum = { X = 4 } }", "X = 4 does not fit `a`", 5),
        ("[A]\nopcode = 1\ndwords = 2\n[A.fields]\na = { dword = 1, bits = \"1:0\", enum = \"Nothing\" }", "there is no enum `Nothing`", 5),
        ("[A]\nopcode = 1\ndwords = 2\n[A.fields]\na = { dword = 1, bits = \"1:0\", when = \"b = 1\" }", "the packet has no field `b`", 5),
        ("[A]\nopcode = 1\ndwords = { \"9\" = 2 }", "A has no size for GFX10", 1),
        (
            "[A]\nopcode = 1\ngfx = \"9\"\ndwords = 2\n[A.fields]\na = { dword = 1, bits = \"0\", gfx = \"12\" }",
            "this entry exists on no engine of any generation",
            6,
        ),
        ("[A]\nopcode = 1\ndwords = 2\n[B]\nopcode = 1\ndwords = 2", "B and A have the same opcode", 4),
        ("[A]\nopcode = 1\ndwords = 2\n[opcode]\nC = { value = 1, touches = \"nothing\" }", "opcode 0x01 has two names", 0),
    ];
    for (text, message, line) in cases {
        let files = [Source { name: "regdb/packets/test.toml".into(), text: text.into() }];
        let errors = pm4_regdb::generate(&files, GfxSet::ALL).err().unwrap_or_default();
        let shown: Vec<String> = errors.iter().map(|e| e.render(&files)).collect();
        assert!(shown.iter().any(|s| s.contains(message)), "{message:?} expected for\n{text}\nfound\n{}", shown.join("\n"));
        let place = format!("regdb/packets/test.toml:{line}:");
        assert!(line == 0 || shown.iter().any(|s| s.contains(message) && s.contains(&place)), "{place} expected in\n{}", shown.join("\n"));
    }
}

#[test]
fn packets_of_one_opcode_may_differ_in_size() {
    let text = "[A]\nopcode = 1\neffects = []\ndwords = 2\n[B]\nopcode = 1\neffects = []\ndwords = 3\n[C]\nopcode = 1\neffects = []\nengines = \"ce\"\ngfx = \"9\"\ndwords = 4";
    let files = [Source { name: "regdb/packets/test.toml".into(), text: text.into() }];
    assert!(pm4_regdb::generate(&files, GfxSet::ALL).is_ok());
}
