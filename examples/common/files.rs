//! Streams in files: little-endian 32-bit words.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::str::FromStr;

/// `FILE` or `FILE@ADDR` of the command line.
#[derive(Debug, Clone)]
pub struct FileAt {
    /// The file as it was named.
    pub path: String,
    /// The GPU address at which it lies.
    pub addr: Option<u64>,
}

impl FromStr for FileAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((path, addr)) = text.rsplit_once('@') else { return Ok(Self { path: text.to_owned(), addr: None }) };
        let digits = addr.strip_prefix("0x").or_else(|| addr.strip_prefix("0X"));
        let parsed = digits.map_or_else(|| addr.parse(), |hex| u64::from_str_radix(hex, 16));
        match parsed {
            Ok(_) if path.is_empty() => Err("no file name before the @".to_owned()),
            Ok(addr) => Ok(Self { path: path.to_owned(), addr: Some(addr) }),
            Err(_) => Err(format!("`{addr}` is not an address; write 0x… or a decimal number after the @")),
        }
    }
}

/// The words of a file.
pub struct Words {
    pub words: Vec<u32>,
    /// Bytes after the last whole word.
    pub rest: usize,
}

/// Reads a stream: the file lies in memory once.
pub fn read(path: &str) -> io::Result<Words> {
    let file = File::open(path)?;
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(0);
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut words = Vec::with_capacity(length / 4);
    let mut word = [0; 4];
    loop {
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
