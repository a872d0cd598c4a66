//! Comparison of two inputs.

use super::given::Given;
use super::print::print_inputs;
use super::run::map;
use crate::chip::Chip;
use crate::cp::CommandProcessor;
use crate::input::BufferUse;
use crate::packet::{Queue, Reader};
use crate::report::{self, DrawLog, OutputFormat, PacketJson};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::io::{self, Write};

/// Compares the draws of two inputs, each run on a separate model with the same memory. Returns whether the draws differ or an input is damaged.
///
/// ```
/// use pm4::{chip::Chip, cp::CommandProcessor, hang::check::{self, Given}, input::Source, report::OutputFormat};
/// # #[cfg(feature = "gfx11")] {
/// let read = |name: &str, text: &str| Given::new(name, None, Source::open(text.as_bytes(), None).and_then(Source::load).unwrap()).unwrap();
/// let sides = [read("a.txt", "0xc0012d00 3 2\n"), read("b.txt", "0xc0012d00 6 2\n")];
/// let mut out = Vec::new();
/// let differ = check::diff(&mut out, OutputFormat::Text, Chip::Navi31, || CommandProcessor::new(Chip::Navi31), &sides, &[])?;
/// assert!(differ, "one draws 3 vertices, the other one 6");
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Errors of writing to `out`.
pub fn diff<'a>(
    out: &mut dyn Write,
    format: OutputFormat,
    chip: Chip,
    processor: impl Fn() -> CommandProcessor<'a>,
    sides: &'a [Given; 2],
    maps: &'a [Given],
) -> io::Result<bool> {
    let [a, b] = [0, 1].map(|side: usize| {
        let mut cp = processor();
        map(&mut cp, maps, &mut Vec::new());
        if let Some(file) = sides.get(side) {
            file.submit(&mut cp, &mut Vec::new());
        }
        DrawLog::run(&mut cp)
    });
    let mut cut = false;
    for (file, runs) in sides.iter().map(|file| (file, true)).chain(maps.iter().map(|map| (map, false))) {
        print_inputs(out, format, [file].into_iter())?;
        cut |= print_incomplete_buffers(out, format, chip, file, runs)?;
    }
    let differ = report::diff(out, &a, &b, format)?;
    let damaged = sides.iter().chain(maps).any(|file| !file.input.damage.is_empty());
    Ok(differ || cut || damaged)
}

/// Reports submitted buffers with words that are not packets, and buffers that end within a word. Returns whether there are any. A run has findings for
/// both, a comparison has none.
fn print_incomplete_buffers(out: &mut dyn Write, format: OutputFormat, chip: Chip, file: &Given, runs: bool) -> io::Result<bool> {
    let mut found = false;
    for (name, buffer) in file.buffers() {
        let runs = runs && matches!(buffer.usage, BufferUse::Submitted | BufferUse::Ring);
        let records = PacketJson::new(name, chip.gfx(), buffer.queue.unwrap_or(Queue::Graphics));
        let mut line = String::new();
        if let Some(item @ Err(error)) = Reader::new(buffer.complete()).find(Result::is_err).as_ref().filter(|_| runs) {
            match format {
                OutputFormat::Json => _ = records.item(&mut line, item, &buffer.words),
                OutputFormat::Text => line += &format!("{name}: damaged: {error}\n"),
            }
        }
        let (dword, rest) = (buffer.words.len(), buffer.trailing_bytes.as_slice());
        if !rest.is_empty() {
            match format {
                OutputFormat::Json => records.odd_bytes(&mut line, dword, rest),
                OutputFormat::Text => line += &format!("{name}: damaged: dword {dword}: the file ends within a dword ({} of 4 bytes)\n", rest.len()),
            }
        }
        found |= !line.is_empty();
        out.write_all(line.as_bytes())?;
    }
    Ok(found)
}
