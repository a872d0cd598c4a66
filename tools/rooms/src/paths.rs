//! Checks that every path in a document exists.

/// Top-level folders; paths to check begin with one of them.
const FOLDERS: [&str; 10] = [".ci", "benches", "build", "docs", "examples", "fuzz", "regdb", "src", "tests", "tools"];

/// Returns the mistakes of a document: code and links with paths that do not exist.
pub fn mistakes(document: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut mistakes = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split('`').skip(1).step_by(2).flat_map(|code| code.split_whitespace());
        let links = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for path in code.chain(links) {
            let is_path = path.split_once('/').is_some_and(|(first, _)| FOLDERS.contains(&first)) && !path.contains(['*', '<', ':']);
            if is_path && !exists(path.trim_end_matches('/')) {
                mistakes.push(format!("{document}:{}: {path} does not exist\n  help: name where this is now", number + 1));
            }
        }
    }
    mistakes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_to_nothing_are_mistakes() {
        let text = "`src/a.rs` says `cargo run -- src/b.rs`, `image.rs` and `src/*.rs`\n[the guide](docs/guide.md), [the web](https://docs/x), `tests/`";
        let of = |known: &[&str]| mistakes("MAP.md", text, |path| known.contains(&path));
        assert_eq!(of(&["src/a.rs", "src/b.rs", "docs/guide.md", "tests"]), [""; 0]);
        let found = of(&["src/b.rs"]);
        assert_eq!(found.len(), 3, "{found:#?}");
        assert!(found[0].starts_with("MAP.md:1: src/a.rs does not exist"), "{}", found[0]);
        assert!(found[1].starts_with("MAP.md:2: tests/ does not exist"), "{}", found[1]);
        assert!(found[2].starts_with("MAP.md:2: docs/guide.md does not exist"), "{}", found[2]);
    }
}
