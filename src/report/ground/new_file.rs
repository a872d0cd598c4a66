//! Files that are written completely or not at all.

use alloc::borrow::ToOwned;
use alloc::format;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// A file that replaces an older one when it is complete. Until [`finish`](Self::finish), the older file is unchanged; if writing fails or the value is
/// dropped, it is kept. Another name of the older file (a hard link) keeps the old contents.
///
/// The contents go to a temporary file in the same folder, which is then renamed. Anything but an ordinary file, such as `/dev/stdout` or a pipe, is written in
/// place, and so is a file in a folder in which no file can be created.
///
/// ```
/// use pm4::report::NewFile;
/// use std::io::Write;
/// let path = std::env::temp_dir().join(format!("pm4-new-file-{}", std::process::id()));
/// NewFile::write_all(&path, b"old")?;
/// let mut file = NewFile::create(&path)?;
/// file.write_all(b"half of the n")?;
/// drop(file);
/// assert_eq!(std::fs::read(&path)?, b"old");
/// # std::fs::remove_file(path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct NewFile {
    file: File,
    /// The temporary file, and its destination.
    moves: Option<(PathBuf, PathBuf)>,
}

impl NewFile {
    /// Begins a file at a path. A symbolic link is kept, and its target is replaced.
    ///
    /// # Errors
    /// Errors of opening the file: an unwritable place is reported at once.
    pub fn create(path: &Path) -> io::Result<Self> {
        let in_place = || Ok(Self { file: File::create(path)?, moves: None });
        let old = match fs::metadata(path) {
            Ok(old) if !old.is_file() => return in_place(),
            // A file without write permission is not replaced either.
            Ok(old) => OpenOptions::new().write(true).open(path).map(|_| Some(old.permissions()))?,
            Err(_) if path.is_symlink() => return in_place(),
            Err(_) => None,
        };
        let to = if old.is_some() { path.canonicalize()? } else { path.to_owned() };
        match Self::beside(&to, old.clone()) {
            Err(_) if old.is_some() => in_place(),
            Err(error) => Err(error),
            Ok((file, temporary)) => Ok(Self { file, moves: Some((temporary, to)) }),
        }
    }

    /// Returns a new file in the folder of another, with its permissions.
    fn beside(to: &Path, permissions: Option<Permissions>) -> io::Result<(File, PathBuf)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = to.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let unique = format!("{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        // A name of maximum length cannot be extended.
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(if name.len() < 200 { name } else { "pm4".as_ref() });
        hidden.push(format!(".{unique}.new"));
        let temporary = to.with_file_name(hidden);
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        match permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions)) {
            Ok(()) => Ok((file, temporary)),
            Err(error) => {
                let _ = fs::remove_file(temporary);
                Err(error)
            }
        }
    }

    /// Completes the file, which then replaces the older one.
    ///
    /// # Errors
    /// Errors of renaming it.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some((temporary, to)) = &self.moves else { return Ok(()) };
        fs::rename(temporary, to)?;
        self.moves = None;
        Ok(())
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// Errors of opening, writing or renaming it.
    pub fn write_all(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = Self::create(path)?;
        file.file.write_all(bytes)?;
        file.finish()
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.moves {
            let _ = fs::remove_file(temporary);
        }
    }
}
