//! Inputs on the model.

use super::given::{Given, cut_word};
use crate::cp::{BufferId, CommandProcessor, Finding, Observer, QueueId, Summary};
use crate::hang::explain::run_recorded;
use crate::hang::locate::HangReport;
use crate::report::{self, ReportOptions};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::io::{self, Write};

/// Submits all inputs. Returns the model's number of each buffer, if it was submitted. Findings about the ends of buffers are added to `before`.
///
/// For an example see [`execute`].
pub fn submit<'a>(cp: &mut CommandProcessor<'a>, files: &'a [Given], before: &mut Vec<Finding>) -> Vec<Vec<Option<BufferId>>> {
    files.iter().map(|file| file.submit(cp, before)).collect()
}

/// Maps inputs with an address into the model's memory.
///
/// For an example see [`execute`].
pub fn map<'a>(cp: &mut CommandProcessor<'a>, maps: &'a [Given], before: &mut Vec<Finding>) {
    for file in maps {
        for (name, buffer) in file.buffers() {
            if let Some(addr) = file.addr.or(buffer.addr) {
                let id = cp.map(name, addr, &buffer.words);
                before.extend(cut_word(id, buffer, QueueId::GRAPHICS));
            }
        }
    }
}

/// Returns the input whose hang is explained, and its buffers in the model: the first one with words, or else the first one.
///
/// For an example see [`execute`].
pub fn explained<'f>(files: &'f [Given], ids: &'f [Vec<Option<BufferId>>]) -> Option<(&'f Given, &'f [Option<BufferId>])> {
    let hangs = || files.iter().zip(ids.iter().map(Vec::as_slice)).filter(|(file, _)| file.input.hang.is_some());
    hangs().find(|(file, _)| file.input.buffers.iter().any(|buffer| !buffer.words.is_empty())).or_else(|| hangs().next())
}

/// Returns the other inputs with a hang, each with a sentence about it.
///
/// ```
/// assert!(pm4::hang::check::unexplained(&[], &[]).is_empty());
/// ```
pub fn unexplained(files: &[Given], ids: &[Vec<Option<BufferId>>]) -> Vec<String> {
    let Some((one, _)) = explained(files, ids) else { return Vec::new() };
    let others = files.iter().filter(|file| file.input.hang.is_some() && !core::ptr::eq(*file, one));
    others.map(|other| format!("of several hangs one is explained, that of {}: not that of {}", one.name, other.name)).collect()
}

/// Runs the submitted buffers, explains the hang if an input has one, and prints the results: the summary and the record of the hang.
///
/// ```
/// use pm4::{chip::Chip, cp::CommandProcessor, hang::check::{self, Given}, input::Source, report::ReportOptions};
/// # #[cfg(feature = "gfx11")] {
/// let files = [Given::new("nop.txt", None, Source::open("0xc0001000 0x00000000\n".as_bytes(), None)?.load()?)?];
/// let mut cp = CommandProcessor::new(Chip::Navi31);
/// let mut before = Vec::new();
/// check::map(&mut cp, &[], &mut before);
/// let ids = check::submit(&mut cp, &files, &mut before);
/// assert!(check::explained(&files, &ids).is_none(), "words alone say nothing of a hang");
/// let (summary, hang) = check::execute(&mut Vec::new(), &mut cp, &before, ReportOptions::default(), &files, &ids, &mut ())?;
/// assert_eq!((summary.packets, hang), (1, None));
/// assert!(!check::failed(&summary, &files));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Errors of writing to `out`.
pub fn execute(
    out: &mut dyn Write,
    cp: &mut CommandProcessor<'_>,
    before: &[Finding],
    options: ReportOptions,
    files: &[Given],
    ids: &[Vec<Option<BufferId>>],
    observer: &mut dyn Observer,
) -> io::Result<(Summary, Option<String>)> {
    let Some((file, ids)) = explained(files, ids) else {
        return Ok((report::run_observed(out, cp, before, options, observer)?, None));
    };
    let hang = HangReport::new(&file.input, ids, cp.chip().gfx());
    let (summary, record) = run_recorded(out, cp, before, options, &hang, observer)?;
    Ok((summary, Some(record)))
}

/// Returns whether something is wrong: a finding is an error, or an input could not be unpacked at all. Missing parts of an input do not count.
///
/// For an example see [`execute`].
pub fn failed(summary: &Summary, files: &[Given]) -> bool {
    let unread = |file: &Given| !file.input.damage.is_empty() && !file.input.packed.is_empty() && file.input.events.is_empty() && file.is_empty();
    summary.errors > 0 || files.iter().any(unread)
}
