//! Reads the floors of folders from `floors.toml`; a new file or folder is one word there.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use crate::tree::Tree;

/// The name of the file in messages.
pub const FILE: &str = "tools/rooms/floors.toml";

/// For each folder with floors, the rooms on each floor, lowest floor first. Rooms are files (without `.rs`) and folders directly in it.
pub type Floors = BTreeMap<String, Vec<Vec<String>>>;

/// Parses floors. The empty name is that of the folder of `lib.rs`.
pub fn parse(text: &str) -> Result<Floors, String> {
    let table = DeTable::parse(text).map_err(|error| format!("{FILE}: {error}"))?;
    let mut floors = Floors::new();
    for (folder, section) in table.get_ref() {
        let wrong = || format!("{FILE}: [{:?}] needs `floors`, a list of lists of names, and nothing else", folder.get_ref());
        let folder = folder.get_ref().strip_prefix("src").ok_or_else(wrong)?.trim_start_matches('/').to_owned();
        let DeValue::Table(section) = section.get_ref() else { return Err(wrong()) };
        let (Some(DeValue::Array(list)), 1) = (section.get("floors").map(|list| list.get_ref()), section.len()) else { return Err(wrong()) };
        let name = |name: &toml::Spanned<DeValue>| if let DeValue::String(name) = name.get_ref() { Ok(name.to_string()) } else { Err(wrong()) };
        let floor = |floor: &toml::Spanned<DeValue>| if let DeValue::Array(names) = floor.get_ref() { names.iter().map(name).collect() } else { Err(wrong()) };
        let list = list.iter().map(floor).collect::<Result<_, _>>()?;
        floors.insert(folder, list);
    }
    Ok(floors)
}

/// Returns the room of a file in a folder: the name of the file, or of the subfolder that contains it. `None` for other files, and for the face of the folder.
pub fn room<'a>(folder: &str, file: &'a str) -> Option<&'a str> {
    let inside = if folder.is_empty() { file } else { file.strip_prefix(folder)?.strip_prefix('/')? };
    match inside.split_once('/') {
        Some((room, _)) => Some(room),
        None => inside.strip_suffix(".rs").filter(|name| *name != "mod" && *name != "lib"),
    }
}

/// Returns the index of the floor on which a room is.
pub fn floor_of(floors: &[Vec<String>], room: &str) -> Option<usize> {
    floors.iter().position(|floor| floor.iter().any(|name| name == room))
}

/// Returns floors that do not match the tree: rooms that do not exist, are on two floors, or on none.
pub fn mistakes(tree: &Tree, floors: &Floors) -> Vec<String> {
    let mut mistakes = Vec::new();
    for (folder, list) in floors {
        let shown = if folder.is_empty() { "src".to_owned() } else { format!("src/{folder}") };
        let rooms: std::collections::BTreeSet<&str> = tree.files.iter().filter_map(|file| room(folder, &file.path)).collect();
        let mut named = std::collections::BTreeSet::new();
        for name in list.iter().flatten() {
            if !named.insert(name.as_str()) {
                mistakes.push(format!("{FILE}: `{name}` stands on two floors of {shown}"));
            }
            if !rooms.contains(name.as_str()) {
                mistakes
                    .push(format!("{FILE}: `{name}` is on a floor of {shown}, where no file or folder has this name\n  help: correct the name, or remove it"));
            }
        }
        let without: Vec<&str> = rooms.difference(&named).copied().collect();
        if !without.is_empty() {
            mistakes.push(format!("{FILE}: on no floor of {shown}: {}\n  help: add each to the floor above everything that it imports", without.join(" ")));
        }
    }
    mistakes
}
