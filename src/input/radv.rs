//! Joins the files of a RADV_DEBUG=hang report into one input.

use super::ground::{Input, InputMessage, InputPlace};
use super::packed::RADV_REPORT;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::io::{self, ErrorKind, Read};

/// Concatenates the files of a RADV_DEBUG=hang report: the command buffers first, then machine, page fault, registers, allocations, waves, ring and kernel log.
/// Line numbers of the command buffers stay as in their own file. `open` opens a file by name. Every file except the command buffers may be missing; if
/// `vm_fault.log` exists, the command buffers may be missing too.
///
/// ```
/// use std::io::{self, Read};
///
/// let open = |name: &str| match name {
///     "trace.log" => Ok(Box::new("c0012d00\n".as_bytes()) as Box<dyn Read>),
///     "dmesg.log" => Ok(Box::new("a line".as_bytes()) as Box<dyn Read>),
///     _ => Err(io::ErrorKind::NotFound.into()),
/// };
/// let mut text = String::new();
/// pm4::input::join_radv_report(open)?.read_to_string(&mut text)?;
/// assert_eq!(text, "c0012d00\n\na line");
/// # Ok::<(), io::Error>(())
/// ```
///
/// # Errors
/// Returns the error from opening the command buffers.
pub fn join_radv_report<'r>(mut open: impl FnMut(&str) -> io::Result<Box<dyn Read + 'r>>) -> io::Result<Box<dyn Read + 'r>> {
    let is_missing = |opened: &io::Result<Box<dyn Read + 'r>>| opened.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound);
    let commands = open(RADV_REPORT[0]);
    let mut joined = match is_missing(&commands) && !is_missing(&open("vm_fault.log")) {
        true => Box::new(io::empty()),
        false => commands?,
    };
    for name in RADV_REPORT.into_iter().skip(1) {
        if let Ok(file) = open(name) {
            joined = Box::new(joined.chain(&b"\n"[..]).chain(file));
        }
    }
    Ok(joined)
}

/// Adds a remark that lists the files of the folder that are not read.
///
/// For an example, see [`RADV_REPORT`].
pub fn remark_unread(input: &mut Input, names: impl Iterator<Item = String>) {
    const NAMED: usize = 20;
    let mut unread: Vec<String> = names.filter(|name| !RADV_REPORT.contains(&name.as_str())).collect();
    if unread.is_empty() {
        return;
    }
    unread.sort_unstable();
    let more = if unread.len() > NAMED { format!(" and {} more", unread.len() - NAMED) } else { String::new() };
    let message = format!("not read: {}{more}", unread[..unread.len().min(NAMED)].join(", "));
    input.remarks.push(InputMessage { place: InputPlace::Whole, message });
}
