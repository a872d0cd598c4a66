//! Files below a root: nothing outside it is read, and nothing without end.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The folder that holds `sys`, `proc`, `dev` and the rest.
pub struct Root {
    path: PathBuf,
    /// It is that of the system that runs.
    pub is_system: bool,
}

/// Why something was not read.
pub enum Unread {
    /// It is not there.
    Absent,
    /// A symbolic link leads out of the root.
    Outside,
    /// Only another user may read it.
    Denied,
    /// It is no ordinary file.
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

/// How the copy of a file ended.
pub enum End {
    /// At its end.
    Whole,
    /// At the limit: the file goes on.
    Limit,
    /// Reading failed, or the file is gone.
    Broken(io::Error),
}

impl Root {
    /// # Errors
    /// The folder is not there.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let path = folder.canonicalize()?;
        if !path.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        Ok(Self { is_system: path == Path::new("/"), path })
    }

    /// Where a path of the system is, `sys/class/drm`.
    pub fn at(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    /// Where a path leads, after all symbolic links.
    pub fn follow(&self, path: &Path) -> Result<PathBuf, Unread> {
        let to = path.canonicalize()?;
        if to.starts_with(&self.path) { Ok(to) } else { Err(Unread::Outside) }
    }

    /// The names in a folder, sorted; none where it cannot be read.
    pub fn names(&self, folder: &Path) -> Vec<String> {
        let Ok(entries) = self.follow(folder).and_then(|folder| Ok(fs::read_dir(folder)?)) else { return Vec::new() };
        let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// A file up to so many bytes. What was read counts, even where the file is gone before its end.
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

    /// A short text without blanks around it, as files of sysfs are.
    pub fn text(&self, path: &Path) -> Option<String> {
        let (bytes, _) = self.copy(path, 1 << 16).ok()?;
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}
