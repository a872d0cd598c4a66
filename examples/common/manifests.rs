//! Complete submissions in a file.

use super::arguments::{self, Contradiction, Placed};
use super::{files, progress::During};
use pm4::report::{Manifest, ManifestStep};
use std::path::{Path, PathBuf};

/// A submission, with the words of each of its steps.
pub struct Submitted {
    pub manifest: Manifest,
    pub words: Vec<Vec<u32>>,
}

impl Submitted {
    /// Returns the paths of the files that the steps name.
    pub fn files(&self, manifest: &Path) -> Vec<PathBuf> {
        let folder = manifest.parent().unwrap_or(Path::new(""));
        self.manifest.files().map(|name| folder.join(name)).collect()
    }
}

/// Reads a manifest and the files that it names, relative to its folder. The files may have any form with a single buffer.
///
/// # Errors
/// Returns a message for the user.
pub fn read(path: &Path) -> Result<Submitted, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let manifest = Manifest::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let words = manifest.load(|name| step(&folder.join(name))).map_err(|error| format!("{}: {error}", path.display()))?;
    match misplaced(&manifest, &words) {
        Some(message) => Err(format!("{}: {message}", path.display())),
        None => Ok(Submitted { manifest, words }),
    }
}

/// Returns an error for words at impossible places: beyond the address space, or overlapping with different values.
fn misplaced(manifest: &Manifest, words: &[Vec<u32>]) -> Option<String> {
    let steps = || manifest.steps.iter().zip(words).map(|(step, words)| (step, step.name().unwrap_or("words"), words));
    let placed = steps().filter_map(|(step, name, words)| match step {
        ManifestStep::Memory { addr, .. } | ManifestStep::Submit { addr: Some(addr), .. } => Some((name, *addr, words.len() as u64)),
        _ => None,
    });
    arguments::misplaced(placed).or_else(|| {
        let memory = steps().filter_map(|(step, name, words)| match step {
            ManifestStep::Memory { addr, .. } => Some(Placed { name, start: *addr, words }),
            _ => None,
        });
        let Contradiction { first, second, addr, words: (one, other) } = arguments::contradiction(memory)?;
        Some(format!(
            "{}@{:#x} and {}@{:#x} overlap and differ at {addr:#x}: the first has 0x{one:08x}, the second 0x{other:08x}; memory has one value at each address",
            first.name, first.start, second.name, second.start
        ))
    })
}

/// Reads the words of a file that a step names.
fn step(file: &Path) -> Result<Vec<u32>, String> {
    // In a manifest, `-` is a file name, not standard input.
    let file = &if file == Path::new("-") { Path::new(".").join(file) } else { file.to_owned() };
    let input = files::open(file, None, During::Reading)
        .and_then(|source| files::read(source, file, usize::MAX))
        .map_err(|error| format!("{} {error}", file.display()))?;
    if let Some(damage) = input.damage.first() {
        return Err(format!("{} is damaged: {damage}; a step of a manifest must be whole", file.display()));
    }
    match <[_; 1]>::try_from(input.buffers) {
        Ok([buffer]) if buffer.trailing_bytes.is_empty() => Ok(buffer.words),
        Ok([buffer]) => Err(format!(
            "{}: bytes left after the last whole dword: {}; a step of a manifest must hold whole dwords",
            file.display(),
            buffer.trailing_bytes.len()
        )),
        Err(buffers) => {
            Err(format!("{} holds {} buffers, but a step of a manifest takes exactly one: give each buffer a separate file", file.display(), buffers.len()))
        }
    }
}
