//! Checks the structure of `src/`: which file imports which, according to the syntax trees.
//!
//! `cargo run -p rooms` fails for circles of files that cross a folder or have more than 3 files, folders in a circle, arrows up between the floors of
//! `floors.toml`, glob imports of another folder's face (`mod.rs`), logic in a face that files of its folder need, files over 900 lines, and paths in
//! ARCHITECTURE.md and CONTRIBUTING.md that do not exist.
//! `cargo run -p rooms -- --arrows PLACE` prints what a file or folder of `src/` imports, and which files import it.

mod arrows;
mod check;
mod floors;
mod paths;
mod tree;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arrows::Arrows;
use tree::Tree;

/// Documents that name paths in the repository.
const DOCUMENTS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

fn main() -> ExitCode {
    let list: Vec<String> = std::env::args().skip(1).collect();
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let outcome = match list[..] {
        [] => check(),
        ["--arrows", place] => print_arrows(place),
        _ => Err("usage: rooms [--arrows FILE|FOLDER]".to_owned()),
    };
    match outcome {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the nearest enclosing folder that has floors.
fn repository() -> Result<PathBuf, String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let found = here.ancestors().find(|folder| folder.join(floors::FILE).exists());
    found.map(Path::to_owned).ok_or_else(|| format!("neither {} nor a folder above it has {}", here.display(), floors::FILE))
}

fn read_tree() -> Result<Tree, String> {
    Tree::new(&tree::read(&repository()?.join("src"))?)
}

fn check() -> Result<String, String> {
    let tree = read_tree()?;
    let repository = repository()?;
    let read = |file: &str| std::fs::read_to_string(repository.join(file)).map_err(|error| format!("{file}: {error}"));
    let floors = floors::parse(&read(floors::FILE)?)?;
    let arrows = arrows::arrows(&tree);
    let mut mistakes = check::mistakes(&tree, &arrows, &floors);
    for document in DOCUMENTS {
        mistakes.extend(paths::mistakes(document, &read(document)?, |path| repository.join(path).exists()));
    }
    if !mistakes.is_empty() {
        return Err(format!("{}\n\n{} mistakes in the structure of src", mistakes.join("\n"), mistakes.len()));
    }
    let circles = check::circles(arrows.keys().map(|arrow| (arrow.from, arrow.to)));
    let largest = circles.first().map_or(String::new(), |circle| format!(", the largest of {} files of one folder", circle.len()));
    Ok(format!("{} files, {} arrows between them, none up; {} circles{largest}", tree.files.len(), arrows.len(), circles.len()))
}

/// Formats what a file or folder imports, and which files import it, without imports inside the folder. For `src`, formats all imports inside.
fn print_arrows(place: &str) -> Result<String, String> {
    let tree = read_tree()?;
    let place = place.trim_start_matches("./").trim_start_matches("src/").trim_end_matches('/');
    let is_inside = |file: usize| {
        let path = &tree.files[file].path;
        place == "src" || path == place || path.strip_suffix(".rs") == Some(place) || path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'))
    };
    if !(0..tree.files.len()).any(is_inside) {
        return Err(format!("src has no file and no folder {place}"));
    }
    let arrows = arrows::arrows(&tree);
    let list = |arrows: &Arrows, wanted: &dyn Fn(bool, bool) -> bool| -> String {
        let lines = arrows.iter().filter(|(arrow, _)| wanted(is_inside(arrow.from), is_inside(arrow.to)));
        lines.map(|(arrow, names)| format!("\n  {}", check::shown(&tree, *arrow, names))).collect()
    };
    if place == "src" {
        return Ok(format!("src{}", list(&arrows, &|_, _| true)));
    }
    let out = list(&arrows, &|from, to| from && !to);
    let back = list(&arrows, &|from, to| !from && to);
    Ok(format!("src/{place} imports{out}\nsrc/{place} is imported by{back}"))
}
