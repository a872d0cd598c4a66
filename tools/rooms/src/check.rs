//! Finds mistakes in the structure, each with its place and a fix.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::arrows::{Arrow, Arrows, globs_of_faces};
use crate::floors::{self, Floors, floor_of, room};
use crate::tree::Tree;

/// The most lines in a file.
const MOST_LINES: usize = 900;
/// The most files in a circle within a folder.
const MOST_IN_CIRCLE: usize = 3;

/// Returns the mistakes of a tree; empty if there are none.
pub fn mistakes(tree: &Tree, arrows: &Arrows, floors: &Floors) -> Vec<String> {
    let mut mistakes = floors::mistakes(tree, floors);
    mistakes.extend(long_files(tree));
    mistakes.extend(globs(tree));
    mistakes.extend(logic_in_faces(tree, arrows));
    mistakes.extend(upward(tree, arrows, floors));
    mistakes.extend(circles_of_files(tree, arrows));
    mistakes.extend(circles_of_folders(tree, arrows));
    mistakes
}

/// Formats an arrow: `src/a.rs:3: `Name` of src/b.rs`.
pub fn shown(tree: &Tree, arrow: Arrow, names: &BTreeMap<String, usize>) -> String {
    const MOST: usize = 4;
    let mut list: Vec<String> = names.keys().take(MOST).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST {
        list.push(format!("{} more", names.len() - MOST));
    }
    let line = names.values().min().copied().unwrap_or(1);
    format!("src/{}:{line}: {} of src/{}", tree.files[arrow.from].path, list.join(", "), tree.files[arrow.to].path)
}

fn long_files(tree: &Tree) -> Vec<String> {
    let long = tree.files.iter().filter(|file| file.lines > MOST_LINES);
    long.map(|file| format!("src/{}:{}: a file over {MOST_LINES} lines\n  help: give each thing that it says a file of its own", file.path, file.lines))
        .collect()
}

fn globs(tree: &Tree) -> Vec<String> {
    let name = |(file, line, face): (usize, usize, usize)| {
        format!(
            "src/{}:{line}: a glob import of src/{}, the face of another folder\n  help: name what is used, so that the file says what it needs",
            tree.files[file].path, tree.files[face].path
        )
    };
    globs_of_faces(tree).into_iter().map(name).collect()
}

fn logic_in_faces(tree: &Tree, arrows: &Arrows) -> Vec<String> {
    let mut mistakes = Vec::new();
    for (arrow, names) in arrows {
        let face = &tree.files[arrow.to];
        if face.path.ends_with("/mod.rs") && tree.files[arrow.from].path.starts_with(face.path.trim_end_matches("mod.rs")) {
            mistakes.push(format!(
                "{}, the face of its own folder\n  help: move it to a file of that folder, and show it from the face with `pub use`",
                shown(tree, *arrow, names)
            ));
        }
    }
    mistakes
}

fn upward(tree: &Tree, arrows: &Arrows, floors: &Floors) -> Vec<String> {
    let mut mistakes = Vec::new();
    for (arrow, names) in arrows {
        for (folder, list) in floors {
            let (Some(from), Some(to)) = (room(folder, &tree.files[arrow.from].path), room(folder, &tree.files[arrow.to].path)) else { continue };
            let (Some(below), Some(above)) = (floor_of(list, from), floor_of(list, to)) else { continue };
            if from == to || below > above {
                continue;
            }
            let way = if below == above { "an arrow between neighbours of one floor" } else { "an arrow up" };
            mistakes.push(format!(
                "{}: {way}, from `{from}` to `{to}`\n  help: move what is needed down to the floor of `{from}` or below, or what needs it up to `{to}`; floors are in {}",
                shown(tree, *arrow, names),
                floors::FILE
            ));
        }
    }
    mistakes
}

fn circles_of_files(tree: &Tree, arrows: &Arrows) -> Vec<String> {
    let mut mistakes = Vec::new();
    for circle in circles(arrows.keys().map(|arrow| (arrow.from, arrow.to))) {
        let folders: BTreeSet<&str> = circle.iter().map(|file| tree.files[*file].folder()).collect();
        if folders.len() == 1 && circle.len() <= MOST_IN_CIRCLE {
            continue;
        }
        let way: Vec<String> = shortest(&circle, arrows.keys().map(|arrow| (arrow.from, arrow.to)))
            .into_iter()
            .map(|(from, to)| shown(tree, Arrow { from, to }, &arrows[&Arrow { from, to }]))
            .collect();
        let files: Vec<String> = circle.iter().map(|file| format!("src/{}", tree.files[*file].path)).collect();
        mistakes.push(format!(
            "{} files of {} import each other in a circle. The shortest way round:\n    {}\n  all of them: {}\n  help: move what one of these arrows is for to a file below both",
            files.len(),
            if folders.len() == 1 { "one folder".to_owned() } else { format!("{} folders", folders.len()) },
            way.join("\n    "),
            files.join(" ")
        ));
    }
    mistakes
}

fn circles_of_folders(tree: &Tree, arrows: &Arrows) -> Vec<String> {
    // The first arrow between two folders stands for all.
    let mut between = BTreeMap::new();
    let mut names: Vec<&str> = tree.files.iter().map(|file| file.folder()).collect();
    names.sort_unstable();
    names.dedup();
    let number = |file: usize| names.binary_search(&tree.files[file].folder()).expect("each folder has a number");
    for arrow in arrows.keys().filter(|arrow| number(arrow.from) != number(arrow.to)) {
        between.entry((number(arrow.from), number(arrow.to))).or_insert(*arrow);
    }
    let circle = |circle: BTreeSet<usize>| {
        let way: Vec<String> =
            shortest(&circle, between.keys().copied()).into_iter().map(|step| shown(tree, between[&step], &arrows[&between[&step]])).collect();
        let folders: Vec<String> = circle.iter().map(|folder| format!("src/{}", names[*folder])).collect();
        format!(
            "folders import each other in a circle: {}. The shortest way round:\n    {}\n  help: decide which folder is the lower one, and move there what it needs of the other",
            folders.join(" "),
            way.join("\n    ")
        )
    };
    circles(between.keys().copied()).into_iter().map(circle).collect()
}

/// Returns sets of two or more nodes that reach each other, the largest first.
pub fn circles(arrows: impl Iterator<Item = (usize, usize)>) -> Vec<BTreeSet<usize>> {
    let mut next: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (from, to) in arrows {
        next.entry(from).or_default().insert(to);
    }
    let reached = |from: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(node) = open.pop() {
            open.extend(next.get(&node).into_iter().flatten().copied().filter(|node| seen.insert(*node)));
        }
        seen
    };
    let reached: BTreeMap<usize, BTreeSet<usize>> = next.keys().map(|node| (*node, reached(*node))).collect();
    let circle =
        |node: usize| reached[&node].iter().copied().filter(|other| reached.get(other).is_some_and(|back| back.contains(&node))).collect::<BTreeSet<_>>();
    let circles: BTreeSet<BTreeSet<usize>> = reached.keys().map(|node| circle(*node)).filter(|circle| circle.len() > 1).collect();
    let mut circles: Vec<_> = circles.into_iter().collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

/// Returns the shortest path around a circle, as arrows.
fn shortest(circle: &BTreeSet<usize>, arrows: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (from, to) in arrows.filter(|(from, to)| circle.contains(from) && circle.contains(to)) {
        next.entry(from).or_default().push(to);
    }
    let way = |start: usize| {
        let (mut came_from, mut open) = (BTreeMap::new(), VecDeque::from([start]));
        while let Some(node) = open.pop_front() {
            for &to in next.get(&node).into_iter().flatten() {
                if let Entry::Vacant(entry) = came_from.entry(to) {
                    entry.insert(node);
                    open.push_back(to);
                }
            }
        }
        let mut way = vec![(came_from[&start], start)];
        while way[way.len() - 1].0 != start {
            let to = way[way.len() - 1].0;
            way.push((came_from[&to], to));
        }
        way.reverse();
        way
    };
    circle.iter().map(|start| way(*start)).min_by_key(Vec::len).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrows::arrows;
    use crate::tree::Sources;

    /// Returns the mistakes of a made-up crate.
    fn of(files: &[(&str, &str)], floors: &str) -> Vec<String> {
        let sources: Sources = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let tree = Tree::new(&sources).unwrap();
        mistakes(&tree, &arrows(&tree), &floors::parse(floors).unwrap())
    }

    /// Checks that there is exactly one mistake, whose message contains all of these words, and none after the given files are replaced.
    fn one(files: &[(&str, &str)], floors: &str, words: &[&str], repaired: &[(&str, &str)]) {
        let found = of(files, floors);
        assert_eq!(found.len(), 1, "{found:#?}");
        for word in words {
            assert!(found[0].contains(word), "no {word:?} in {}", found[0]);
        }
        let mut mended = files.to_vec();
        mended.retain(|(path, _)| repaired.iter().all(|(other, _)| other != path));
        mended.extend(repaired);
        assert_eq!(of(&mended, floors), [""; 0]);
    }

    #[test]
    fn a_circle_that_crosses_a_folder_is_a_mistake() {
        let files = [
            ("lib.rs", "mod room;"),
            ("room/mod.rs", "mod a; mod deep;"),
            ("room/a.rs", "use super::deep::b::B; pub struct A;"),
            ("room/deep/mod.rs", "pub mod b;"),
            ("room/deep/b.rs", "\nuse super::super::a::A; pub struct B;"),
        ];
        // The folders form a circle too: two mistakes.
        let found = of(&files, "");
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(found[0].starts_with("2 files of 2 folders import each other in a circle"), "{}", found[0]);
        assert!(found[0].contains("src/room/deep/b.rs:2: `A` of src/room/a.rs"), "{}", found[0]);
        assert!(found[1].starts_with("folders import each other in a circle: src/room src/room/deep."), "{}", found[1]);
        let mut mended = files;
        mended[4].1 = "pub struct B;";
        assert_eq!(of(&mended, ""), [""; 0]);
    }

    #[test]
    fn a_circle_of_four_files_is_a_mistake_and_of_three_is_none() {
        let files = [
            ("lib.rs", "mod room;"),
            ("room/mod.rs", "mod a; mod b; mod c; mod d;"),
            ("room/a.rs", "use super::b::B; pub struct A;"),
            ("room/b.rs", "use super::c::C; pub struct B;"),
            ("room/c.rs", "use super::d::D; pub struct C;"),
            ("room/d.rs", "use super::a::A; pub struct D;"),
        ];
        let three = [("room/c.rs", "use super::a::A; pub struct C;")];
        one(&files, "", &["4 files of one folder", "src/room/d.rs:1: `A` of src/room/a.rs", "help:"], &three);
    }

    #[test]
    fn folders_in_a_circle_are_a_mistake_without_a_circle_of_files() {
        let files = [
            ("lib.rs", "mod one; mod two;"),
            ("one/mod.rs", "pub mod a; pub mod b;"),
            ("one/a.rs", "use crate::two::c::C;"),
            ("one/b.rs", "pub struct B;"),
            ("two/mod.rs", "pub mod c; pub mod d;"),
            ("two/c.rs", "pub struct C;"),
            ("two/d.rs", "use crate::one::b::B;"),
        ];
        let words = ["folders import each other in a circle: src/one src/two", "src/one/a.rs:1: `C` of src/two/c.rs", "src/two/d.rs:1: `B` of src/one/b.rs"];
        one(&files, "", &words, &[("two/d.rs", "")]);
    }

    #[test]
    fn an_arrow_up_is_a_mistake() {
        let files = [
            ("lib.rs", "mod room;"),
            ("room/mod.rs", "mod desc; mod record; pub use record::R;"),
            ("room/desc/mod.rs", "pub mod d;"),
            ("room/desc/d.rs", "fn f() { let _ = crate::room::R; }"),
            ("room/record.rs", "pub struct R;"),
        ];
        let words = ["src/room/desc/d.rs:1: `R` of src/room/record.rs: an arrow up, from `desc` to `record`", "floors.toml"];
        one(&files, "[\"src/room\"]\nfloors = [[\"desc\"], [\"record\"]]", &words, &[("room/desc/d.rs", "")]);
    }

    #[test]
    fn an_arrow_between_neighbours_is_a_mistake() {
        let files = [("lib.rs", "mod draw; mod cp;"), ("draw.rs", "use crate::cp::C;"), ("cp.rs", "pub struct C;")];
        let words = ["src/draw.rs:1: `C` of src/cp.rs: an arrow between neighbours of one floor"];
        one(&files, "[src]\nfloors = [[\"draw\", \"cp\"]]", &words, &[("draw.rs", "")]);
    }

    #[test]
    fn floors_name_what_exists_and_all_of_it() {
        let files = [("lib.rs", "mod a;"), ("a.rs", "")];
        one(
            &files,
            "[src]\nfloors = [[\"a\"], [\"b\"]]",
            &["`b` is on a floor of src, where no file or folder has this name"],
            &[("lib.rs", "mod a; mod b;"), ("b.rs", "")],
        );
        one(&[("lib.rs", "mod a; mod b;"), ("a.rs", ""), ("b.rs", "")], "[src]\nfloors = [[\"a\"]]", &["on no floor of src: b"], &[("lib.rs", "mod a;")]);
        assert!(of(&files, "[src]\nfloors = [[\"a\"], [\"a\"]]")[0].contains("`a` stands on two floors"));
        assert!(floors::parse("[src]\nfloors = [\"a\"]").is_err());
        assert!(floors::parse("[src]\nfloors = []\nother = 1").is_err());
    }

    #[test]
    fn a_glob_of_the_face_of_another_folder_is_a_mistake() {
        let files = [
            ("lib.rs", "mod a; mod room;"),
            ("a.rs", "\n\nuse crate::room::*;"),
            ("room/mod.rs", "mod one; mod two; pub use one::*;"),
            ("room/one.rs", "pub struct One;"),
            ("room/two.rs", "use super::one::*; use super::*; fn f(_: One) {}"),
        ];
        let words = ["src/a.rs:3: a glob import of src/room/mod.rs", "help: name what is used"];
        one(&files, "", &words, &[("a.rs", "use crate::room::One;")]);
    }

    #[test]
    fn a_long_file_is_a_mistake() {
        let (long, longest) = ("\n".repeat(901), "\n".repeat(900));
        one(&[("lib.rs", "mod a;"), ("a.rs", &long)], "", &["src/a.rs:901: a file over 900 lines"], &[("a.rs", &longest)]);
    }

    #[test]
    fn logic_in_a_face_that_its_files_need_is_a_mistake() {
        let files = [("lib.rs", "mod room;"), ("room/mod.rs", "mod a; pub const LIMIT: u32 = 1;"), ("room/a.rs", "fn f() -> u32 { super::LIMIT }")];
        let words = ["src/room/a.rs:1: `LIMIT` of src/room/mod.rs, the face of its own folder", "pub use"];
        one(
            &files,
            "",
            &words,
            &[("room/mod.rs", "mod a; mod b;"), ("room/b.rs", "pub const LIMIT: u32 = 1;"), ("room/a.rs", "fn f() -> u32 { super::b::LIMIT }")],
        );
    }
}
