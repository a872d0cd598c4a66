//! Words that texts of this repository do not use: synonyms of a term in docs/guide/glossary.md, or expressions that hinder reading. The
//! test reads messages, comments, documents, descriptions and golden files, across line ends.

use std::fs;
use std::path::Path;

/// What is read: folders with their whole content, and files.
const PLACES: [&str; 9] = ["src", "build", "examples", "regdb", "docs", "tests/golden", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// The kinds of files that contain text.
const KINDS: [&str; 6] = ["rs", "md", "toml", "txt", "js", "jsonl"];

/// Expressions, in lower case, and their replacements. `docs/guide/glossary.md` has some of them in brackets.
const REPLACED: [(&str, &str); 16] = [
    ("hardware vs path", "legacy pipe"),
    ("out of step", "out of sync"),
    ("with neighbours", "with adjacency"),
    (" rate image", "shading-rate image"),
    ("image of rates", "shading-rate image"),
    ("image of shading rates", "shading-rate image"),
    ("from row to row", "pitch"),
    ("from vertex to vertex", "stride"),
    (", less 1", ", minus 1"),
    ("the draw before has", "the previous draw has"),
    ("since the draw before", "since the previous draw"),
    ("is an info", "has severity info"),
    ("are an info", "have severity info"),
    (": an info.", ": it has severity info."),
    ("cannot serve", "does not support"),
    ("as radv has it", "as in RADV"),
];

/// Engines of the command processor have no article, unless the name modifies another noun: the ME header.
const ENGINES: [&str; 3] = ["the pfp ", "the me ", "the mec "];
const NOUNS: [&str; 4] = ["form", "header", "firmware", "version"];

/// A rate is "per": 3 dwords per draw.
const UNITS: [&str; 9] = [" ns", " nanoseconds", " microseconds", " times", " dwords", " bytes", " waves", " packets", " registers"];
const PER: [&str; 7] = ["draw", "frame", "second", "packet", "wave", "pixel", "vertex"];

/// The paths of the files below a folder.
fn files(place: &Path, found: &mut Vec<std::path::PathBuf>) {
    if place.is_dir() {
        for entry in fs::read_dir(place).expect("a folder of the repository") {
            files(&entry.expect("an entry").path(), found);
        }
    } else if place.extension().is_some_and(|kind| KINDS.iter().any(|known| kind == *known)) {
        found.push(place.to_owned());
    }
}

/// A text in lower case with one space between words: comment markers, and backslashes that continue a string, at line ends are removed.
fn flat(text: &str) -> String {
    let line = |line: &str| line.trim().trim_start_matches('/').trim_start_matches('!').trim_end_matches('\\').trim().to_lowercase();
    text.lines().map(line).collect::<Vec<_>>().join(" ")
}

/// The violations in a text, each with the words around it.
fn mistakes(text: &str) -> Vec<String> {
    let around = |at: usize, what: &str| {
        let start = text[..at].char_indices().rev().nth(40).map_or(0, |(start, _)| start);
        let end = text[at..].char_indices().nth(80).map_or(text.len(), |(end, _)| at + end);
        format!("{what}: …{}…", &text[start..end])
    };
    let mut found: Vec<String> = Vec::new();
    for (words, instead) in REPLACED {
        found.extend(text.match_indices(words).map(|(at, _)| around(at, &format!("write {instead:?} in place of {words:?}"))));
    }
    for engine in ENGINES {
        let bare = text.match_indices(engine).filter(|(at, _)| !NOUNS.iter().any(|noun| text[at + engine.len()..].starts_with(noun)));
        found.extend(bare.map(|(at, _)| around(at, &format!("write {engine:?} without \"the\""))));
    }
    for (unit, noun) in UNITS.iter().flat_map(|unit| PER.map(|noun| (unit, noun))) {
        let rate = format!("{unit} a {noun}");
        let counted = text.match_indices(&rate).filter(|(at, _)| text[..*at].ends_with(|c: char| c.is_ascii_digit()));
        found.extend(counted.map(|(at, _)| around(at, &format!("write \"{unit} per {noun}\""))));
    }
    found
}

#[test]
fn replaced_words_are_not_used() {
    let root = crate::support::repository("");
    let mut paths = Vec::new();
    PLACES.iter().for_each(|place| files(&root.join(place), &mut paths));
    assert!(paths.len() > 300, "{} files", paths.len());
    let mut wrong = Vec::new();
    for path in paths.iter().filter(|path| !path.ends_with("docs/guide/glossary.md")) {
        // Recorded input may contain anything besides text.
        let text = flat(&String::from_utf8_lossy(&fs::read(path).expect("a file")));
        wrong.extend(mistakes(&text).into_iter().map(|mistake| format!("{}: {mistake}", path.strip_prefix(&root).unwrap_or(path).display())));
    }
    assert!(wrong.is_empty(), "{}\n{} in all; tests/suites/programs/wording.rs has the list", wrong.join("\n"), wrong.len());
}

#[test]
fn each_kind_of_mistake_is_found() {
    let lines = ["/// The draw takes 3 dwords a draw, and\n    /// the\n    /// PFP waits", "\"an image of \\\n     rates\"", "which is an info"];
    assert_eq!(lines.map(|text| mistakes(&flat(text)).len()), [2, 1, 1]);
    assert_eq!(mistakes(&flat("the ME header; 3 dwords per draw; a shading-rate image")), Vec::<String>::new());
}
