//! Pages for a browser that a program writes beside its other output.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file for a page. It is there before anything else is printed: a place where nothing can be written is reported at once.
pub struct PageFile {
    path: PathBuf,
    file: File,
}

impl PageFile {
    /// Makes the file, or empties it.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(path).map_err(|error| named(path, &error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes the page.
    pub fn write<T>(self, page: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
        let mut out = BufWriter::with_capacity(1 << 16, self.file);
        page(&mut out).and_then(|done| out.flush().map(|()| done)).map_err(|error| named(&self.path, &error))
    }
}

/// An error that names the file. It is of no special kind: a pipe that is closed after the page is not a reason to be silent.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}
