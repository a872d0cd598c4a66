//! Reads files below a root folder: nothing outside it, and nothing endless.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The folder that contains `sys`, `proc`, `dev` and so on.
pub struct Root {
    path: PathBuf,
    /// Whether it is the root of the running system.
    pub is_system: bool,
}

/// Why something was not read.
pub enum Unread {
    /// It does not exist.
    Absent,
    /// A symbolic link leads out of the root.
    Outside,
    /// Permission denied.
    Denied,
    /// It is not a regular file.
    NoFile,
    /// Reading failed.
    Failed(io::Error),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::Absent,
            ErrorKind::PermissionDenied => Self::Denied,
            _ => Self::Failed(error),
        }
    }
}

/// How copying a file ended.
pub enum End {
    /// At the end of the file.
    Whole,
    /// At the limit; the file is longer.
    Limit,
    /// Reading failed, or the file vanished.
    Broken(io::Error),
}

impl Root {
    /// # Errors
    /// Returns an error if the folder does not exist.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let path = folder.canonicalize()?;
        if !path.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        Ok(Self { is_system: path == Path::new("/"), path })
    }

    /// Returns the path of a system path such as `sys/class/drm`.
    pub fn at(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    /// Resolves all symbolic links of a path.
    pub fn follow(&self, path: &Path) -> Result<PathBuf, Unread> {
        let to = path.canonicalize()?;
        if to.starts_with(&self.path) { Ok(to) } else { Err(Unread::Outside) }
    }

    /// Returns the sorted names in a folder; none if it cannot be read.
    pub fn names(&self, folder: &Path) -> Vec<String> {
        let Ok(entries) = self.follow(folder).and_then(|folder| Ok(fs::read_dir(folder)?)) else { return Vec::new() };
        let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// Reads a file up to `most` bytes. Data read before a failure is kept.
    pub fn copy(&self, path: &Path, most: u64) -> Result<(Vec<u8>, End), Unread> {
        let path = self.follow(path)?;
        if !fs::metadata(&path)?.is_file() {
            return Err(Unread::NoFile);
        }
        let mut file = File::open(&path)?.take(most);
        let mut bytes = Vec::new();
        match file.read_to_end(&mut bytes) {
            Err(error) if bytes.is_empty() => Err(error.into()),
            Err(error) => Ok((bytes, End::Broken(error))),
            Ok(_) if bytes.len() as u64 == most && !matches!(file.into_inner().read(&mut [0]), Ok(0)) => Ok((bytes, End::Limit)),
            Ok(_) => Ok((bytes, End::Whole)),
        }
    }

    /// Reads a short text without surrounding blanks, as in files of sysfs.
    pub fn text(&self, path: &Path) -> Option<String> {
        let (bytes, _) = self.copy(path, 1 << 16).ok()?;
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}
