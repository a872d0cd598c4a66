//! The kernel log around a hang, in dmesg format.

use super::place::{Root, Unread};
use std::io::{self, ErrorKind, Read};

/// The most bytes of log to read; kernels hold far less.
const LONGEST: u64 = 1 << 26;
/// Keep all lines from this many seconds before the hang on.
const BEFORE: u64 = 300;

/// Reads `/dev/kmsg` up to the last record at the time of the call.
#[cfg(unix)]
fn records() -> io::Result<Vec<u8>> {
    use std::os::unix::fs::OpenOptionsExt;
    // O_NONBLOCK of Linux on all machines with such GPUs: without it, reading waits for the next record.
    let mut file = std::fs::OpenOptions::new().read(true).custom_flags(0o4000).open("/dev/kmsg")?;
    let (mut bytes, mut record) = (Vec::new(), vec![0; 1 << 14]);
    while (bytes.len() as u64) < LONGEST {
        match file.read(&mut record) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(record.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            // A record that has been overwritten meanwhile.
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::BrokenPipe) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

#[cfg(not(unix))]
fn records() -> io::Result<Vec<u8>> {
    Err(ErrorKind::NotFound.into())
}

/// Returns the current log.
///
/// # Errors
/// Returns a message with the reason and advice.
pub fn read(root: &Root) -> Result<Vec<u8>, String> {
    let bytes = if root.is_system { records().map_err(Unread::from) } else { root.copy(&root.at("dev/kmsg"), LONGEST).map(|(bytes, _)| bytes) };
    bytes.map_err(|why| match why {
        Unread::Denied => "/dev/kmsg may be read by root only: run this as root, or set kernel.dmesg_restrict to 0".to_owned(),
        Unread::Absent => "/dev/kmsg is not there".to_owned(),
        Unread::Outside => "/dev/kmsg leads out of the root".to_owned(),
        Unread::NoFile => "/dev/kmsg is no file".to_owned(),
        Unread::Failed(error) => format!("/dev/kmsg cannot be read: {error}"),
    })
}

/// Converts a record `6,1234,812104233,-;text` to a dmesg line and its microseconds; other lines stay unchanged.
fn line(record: &str) -> (Option<u64>, String) {
    let parsed = record.split_once(';').and_then(|(head, text)| {
        let micros: u64 = head.split(',').nth(2)?.parse().ok()?;
        Some((micros, text))
    });
    match parsed {
        Some((micros, text)) => (Some(micros), format!("[{:5}.{:06}] {text}", micros / 1_000_000, micros % 1_000_000)),
        None => (None, record.to_owned()),
    }
}

/// Returns whether a line matters at any time: it identifies the machine or is from the driver.
fn is_of_the_driver(text: &str) -> bool {
    ["amdgpu", "kfd", "[drm", "Linux version "].iter().any(|word| text.contains(word))
}

/// Returns the lines to keep for a hang at this many seconds since boot: all lines from some minutes before it on, and those of the driver.
pub fn around(log: &[u8], hang: Option<u64>) -> String {
    let from = hang.map_or(0, |hang| hang.saturating_sub(BEFORE) * 1_000_000);
    let mut kept = String::new();
    // Lines that begin with a blank belong to the previous record.
    for record in String::from_utf8_lossy(log).lines().filter(|record| !record.starts_with(' ')) {
        let (micros, text) = line(record);
        if micros.is_none_or(|micros| micros >= from) || is_of_the_driver(&text) {
            kept += &text;
            kept.push('\n');
        }
    }
    kept
}
