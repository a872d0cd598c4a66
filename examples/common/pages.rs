//! Pages that a program writes in addition to its other output.

use pm4::report::NewFile;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file for a page. It is created before anything is printed, so that an unwritable path is reported at once. The old contents stay until the page is
/// complete.
pub struct PageFile {
    path: PathBuf,
    file: NewFile,
}

impl PageFile {
    /// Creates the file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = NewFile::create(path).map_err(|error| named(path, &error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes the page.
    pub fn write<T>(self, page: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
        let mut out = BufWriter::with_capacity(1 << 16, self.file);
        let written = page(&mut out).and_then(|done| {
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.finish().map(|()| done)
        });
        written.map_err(|error| named(&self.path, &error))
    }
}

/// Returns an error that names the file. Its kind is generic, so that a broken pipe is reported.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}
