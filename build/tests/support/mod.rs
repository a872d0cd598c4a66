//! What several tests share.

use pm4_regdb::diag::Source;
use std::fs;
use std::path::{Path, PathBuf};

/// The real descriptions, as build.rs reads them: the folder and those in it.
pub fn descriptions() -> Vec<Source> {
    let root = folder("../regdb");
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

/// The .toml files of a folder with their paths, in the order of their names.
pub fn toml_files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).expect("a folder of the repository").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(&path).expect("a text file"))).collect()
}

pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
