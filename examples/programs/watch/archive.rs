//! The archive of a hang: a gzip-compressed tar of text files. It is written completely or not at all.

use flate2::Compression;
use flate2::write::GzEncoder;
use pm4::report::NewFile;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A file of the archive.
pub struct Member {
    pub name: String,
    pub bytes: Vec<u8>,
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Formats a UTC time as `20261128-220314`, from days since 1970-01-01 in the Gregorian calendar.
fn stamp(seconds: u64) -> String {
    let (days, time) = (seconds / 86400, seconds % 86400);
    // Years are counted from March, so that the leap day comes last.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = 400 * era + year + u64::from(month <= 2);
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", time / 3600, time / 60 % 60, time % 60)
}

/// Returns an unused name for the next archive.
fn place(folder: &Path) -> PathBuf {
    let stamp = stamp(seconds());
    let names = (1..).map(|number: u32| if number == 1 { format!("hang-{stamp}.tar.gz") } else { format!("hang-{stamp}-{number}.tar.gz") });
    names.map(|name| folder.join(name)).find(|path| !path.exists()).unwrap_or_default()
}

fn write_all(out: impl Write, members: &[Member]) -> io::Result<()> {
    let mut tar = tar::Builder::new(GzEncoder::new(out, Compression::default()));
    for member in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(member.bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(seconds());
        tar.append_data(&mut header, &member.name, member.bytes.as_slice())?;
    }
    tar.into_inner()?.finish()?.flush()
}

/// Writes the archive to a folder and returns its path.
///
/// # Errors
/// Returns a message with advice.
pub fn write(folder: &Path, members: &[Member]) -> Result<PathBuf, String> {
    let path = place(folder);
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        let mut file = NewFile::create(&path)?;
        write_all(BufWriter::new(&mut file), members)?;
        file.finish()
    });
    written.map(|()| path).map_err(|error| {
        let what = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space there, or name another folder with --out",
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "name a folder with --out where you may write",
            _ => "name another folder with --out",
        };
        format!("cannot write an archive to {}: {error}; {what}", folder.display())
    })
}
