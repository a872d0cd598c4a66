//! Streams in files: little-endian 32-bit words.

use clap::builder::{OsStringValueParser, TypedValueParser};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// `FILE` or `FILE@ADDR` of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAt {
    /// The file.
    pub path: PathBuf,
    /// What reports call it: the file as it was named, and `�` for what is not UTF-8.
    pub name: String,
    /// The GPU address at which it lies.
    pub addr: Option<u64>,
}

/// Takes `FILE[@ADDR]` from the command line, in any encoding.
pub fn file_at() -> impl TypedValueParser<Value = FileAt> {
    OsStringValueParser::new().try_map(FileAt::parse)
}

impl FileAt {
    /// What stands behind the last `@` is an address if it is one, `0x…` or decimal; if not, the `@` belongs to the name.
    ///
    /// # Errors
    /// A sentence for the user: no name, no address behind the `@`, or one that does not fit 64 bits.
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

    /// The words of the file.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn read(&self) -> Result<Words, String> {
        self.read_first(usize::MAX)
    }

    /// No more than so many words of the file.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn read_first(&self, most: usize) -> Result<Words, String> {
        read_first(&self.path, most).map_err(|error| {
            let hint = self.addr.is_none().then(|| self.name.rsplit_once('@')).flatten().map_or_else(String::new, |(_, rest)| {
                format!(" (`{rest}` behind the @ is taken for a part of the name; an address is 0x… or a decimal number)")
            });
            format!("{} cannot be read: {error}{hint}", self.name)
        })
    }
}

/// What stands before and behind the last `@`.
#[cfg(unix)]
fn split(text: &OsString) -> Option<(OsString, String)> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let bytes = text.as_bytes();
    let at = bytes.iter().rposition(|byte| *byte == b'@')?;
    let addr = std::str::from_utf8(bytes.get(at + 1..)?).ok()?;
    Some((OsString::from_vec(bytes.get(..at)?.to_vec()), addr.to_owned()))
}

/// What stands before and behind the last `@`, where the name is Unicode.
#[cfg(not(unix))]
fn split(text: &OsString) -> Option<(OsString, String)> {
    let (path, addr) = text.to_str()?.rsplit_once('@')?;
    Some((path.into(), addr.to_owned()))
}

/// The words of a file.
pub struct Words {
    pub words: Vec<u32>,
    /// Bytes after the last whole word.
    pub rest: usize,
}

/// Reads a stream: the file lies in memory once.
pub fn read(path: &Path) -> io::Result<Words> {
    read_first(path, usize::MAX)
}

/// Reads no more of a stream than so many words.
fn read_first(path: &Path, most: usize) -> io::Result<Words> {
    let file = File::open(path)?;
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(0);
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut words = Vec::with_capacity(most.min(length / 4));
    let mut word = [0; 4];
    loop {
        if words.len() >= most {
            return Ok(Words { words, rest: 0 });
        }
        let got = fill(&mut file, &mut word)?;
        if got < 4 {
            return Ok(Words { words, rest: got });
        }
        words.push(u32::from_le_bytes(word));
    }
}

/// Reads as much of a word as there is.
fn fill(file: &mut impl Read, word: &mut [u8; 4]) -> io::Result<usize> {
    let mut got = 0;
    while got < 4 {
        match file.read(&mut word[got..]) {
            Ok(0) => break,
            Ok(count) => got += count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(got)
}
