//! Input files in any form.

use super::progress::{During, Watched};
use clap::builder::{OsStringValueParser, TypedValueParser};
use pm4::input::{self, Input, InputForm, InputMessage, InputPlace, RADV_REPORT, Source};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// `FILE` or `FILE@ADDR` of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAt {
    /// The file.
    pub path: PathBuf,
    /// The name for reports: as given, with `�` in place of anything that is not UTF-8.
    pub name: String,
    /// The GPU address, if given.
    pub addr: Option<u64>,
}

/// Returns a parser for `FILE[@ADDR]` in any encoding.
pub fn file_at() -> impl TypedValueParser<Value = FileAt> {
    OsStringValueParser::new().try_map(FileAt::parse)
}

impl FileAt {
    /// Parses `FILE[@ADDR]`. The text after the last `@` is an address if it is `0x…` or decimal; otherwise the `@` is part of the name.
    ///
    /// # Errors
    /// Returns a message if there is no name, no address after the `@`, or an address that does not fit 64 bits.
    pub fn parse(text: OsString) -> Result<Self, String> {
        let Some((path, addr)) = split(&text) else { return Ok(Self::new(text, None)) };
        let hex = addr.strip_prefix("0x").or_else(|| addr.strip_prefix("0X"));
        let digits = hex.unwrap_or(&addr);
        let is_digit: fn(&u8) -> bool = if hex.is_some() { u8::is_ascii_hexdigit } else { u8::is_ascii_digit };
        if !digits.as_bytes().iter().all(is_digit) {
            return Ok(Self::new(text, None));
        }
        match u64::from_str_radix(digits, if hex.is_some() { 16 } else { 10 }) {
            Ok(_) if path.is_empty() => Err("no file name before the @".to_owned()),
            Ok(addr) => Ok(Self::new(path, Some(addr))),
            Err(_) => Err(format!("`{addr}` is not an address: write 0x… or a decimal number of 64 bits after the @")),
        }
    }

    fn new(path: OsString, addr: Option<u64>) -> Self {
        Self { name: path.to_string_lossy().into_owned(), path: path.into(), addr }
    }

    /// Reads the whole file, but at most `most` bytes of raw words.
    ///
    /// # Errors
    /// Returns a message for the user.
    pub fn read(&self, form: Option<InputForm>, most: usize) -> Result<Input, String> {
        let hint =
            || {
                self.addr.is_none().then(|| self.name.rsplit_once('@')).flatten().map_or_else(String::new, |(_, rest)| {
                    format!(" (`{rest}` after the @ is read as a part of the name; an address is 0x… or a decimal number)")
                })
            };
        open(&self.path, form, During::Reading).and_then(|source| read(source, &self.path, most)).map_err(|error| format!("{} {error}{}", self.name, hint()))
    }
}

/// Opens a file (`-` for standard input) and detects its form. Shows progress on a terminal.
///
/// # Errors
/// Returns the end of a message that begins with the name of the file.
pub fn open(path: &Path, form: Option<InputForm>, during: During) -> Result<Source<'static>, String> {
    let unreadable = |error: io::Error| format!("cannot be read: {error}");
    let source = match path.as_os_str() == "-" {
        true => Source::open(Watched::new(io::stdin(), path, during), form),
        false if path.is_dir() => Source::open(report(path)?, form),
        false => Source::open(Watched::new(File::open(path).map_err(unreadable)?, path, during), form),
    };
    source.map_err(wrong)
}

/// The file with the command buffers in a folder written by RADV_DEBUG=hang.
const COMMANDS: &str = RADV_REPORT[0];

/// Opens a regular file in a folder written by a driver; refuses folders, and pipes, which may block for ever.
fn beside(folder: &Path, name: &str) -> io::Result<File> {
    let path = folder.join(name);
    match path.metadata()?.is_file() {
        true => File::open(path),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file")),
    }
}

/// Adds remarks for files of the folder that are not read.
fn tell_unread(folder: &Path, input: &mut Input) {
    for name in RADV_REPORT.into_iter().skip(1) {
        if let Err(error) = beside(folder, name)
            && error.kind() != io::ErrorKind::NotFound
        {
            input.damage.push(InputMessage { place: InputPlace::Whole, message: format!("{name} of the folder cannot be read: {error}") });
        }
    }
    let Ok(entries) = folder.read_dir() else { return };
    input::remark_unread(input, entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()));
}

/// Opens a folder written by RADV_DEBUG=hang as one input.
fn report(folder: &Path) -> Result<impl Read + use<>, String> {
    // Any of the other files may be missing: a report without a page fault has none. `tell_unread` lists files that are not read.
    input::join_radv_report(|name| Ok(Box::new(beside(folder, name)?))).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!("is a folder without {COMMANDS}: give a file, or a folder that RADV_DEBUG=hang wrote"),
        _ => format!("is a folder, and {COMMANDS} in it cannot be read: {error}"),
    })
}

/// Reads the source of a file, but at most `most` bytes of raw words.
///
/// # Errors
/// Returns the end of a message that begins with the name of the file.
pub fn read(source: Source<'_>, path: &Path, most: usize) -> Result<Input, String> {
    if source.form() == InputForm::Raw && most < usize::MAX / 4 {
        let limited = source.take(4 * most as u64);
        return Source::open(limited, Some(InputForm::Raw)).and_then(Source::load).map_err(wrong);
    }
    let mut input = source.load().map_err(wrong)?;
    if path.is_dir() {
        tell_unread(path, &mut input);
    }
    Ok(input)
}

fn wrong(error: pm4::input::InputError) -> String {
    match error {
        pm4::input::InputError::Io(error) => format!("cannot be read: {error}"),
        other => other.to_string(),
    }
}

/// Splits a text at the last `@`.
#[cfg(unix)]
fn split(text: &OsString) -> Option<(OsString, String)> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let bytes = text.as_bytes();
    let at = bytes.iter().rposition(|byte| *byte == b'@')?;
    let addr = std::str::from_utf8(bytes.get(at + 1..)?).ok()?;
    Some((OsString::from_vec(bytes.get(..at)?.to_vec()), addr.to_owned()))
}

/// Splits a text at the last `@`, if the name is Unicode.
#[cfg(not(unix))]
fn split(text: &OsString) -> Option<(OsString, String)> {
    let (path, addr) = text.to_str()?.rsplit_once('@')?;
    Some((path.into(), addr.to_owned()))
}
