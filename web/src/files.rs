//! Dropped files: a single file, several, or a folder.

use crate::engine::Progress;
use pm4::hang::check::{Given, Recorded};
use pm4::input::{self, Input, InputError, InputForm, RADV_REPORT, Source};
use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, ErrorKind, Read};
use std::rc::Rc;

/// A dropped file; the name includes the folders that were dropped with it.
pub struct Dropped {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Inputs, and a sentence about each file that cannot be read.
#[derive(Default)]
pub struct Inputs {
    pub given: Vec<Given>,
    /// Recordings of many submissions, which are read while they run.
    pub recordings: Vec<Dropped>,
    pub errors: Vec<String>,
}

/// Bytes that are read with progress reports.
struct Watched<'w> {
    bytes: io::Cursor<Cow<'w, [u8]>>,
    done: Rc<Cell<u64>>,
    all: u64,
    progress: Progress<'w>,
}

/// Bytes between two progress reports.
const STEP: u64 = 1 << 20;

impl Read for Watched<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(out)?;
        let before = self.done.get();
        self.done.set(before + count as u64);
        if before / STEP != self.done.get() / STEP {
            (self.progress)(self.done.get().min(self.all), self.all);
        }
        Ok(count)
    }
}

/// Reads all files. A folder with the command buffers or the page fault of a RADV_DEBUG=hang report is one input; every other file is one too.
pub fn read(mut files: Vec<Dropped>, progress: Progress<'_>) -> Inputs {
    let all = files.iter().map(|file| file.bytes.len() as u64).sum();
    let done = Rc::new(Cell::new(0));
    let watched = |bytes: Vec<u8>| Watched { bytes: io::Cursor::new(bytes.into()), done: Rc::clone(&done), all, progress };
    let mut read = Inputs::default();
    while !files.is_empty() {
        let (name, source) = match report_folder(&files) {
            Some(folder) => {
                let (mut inside, rest): (Vec<Dropped>, Vec<Dropped>) = files.into_iter().partition(|file| parent(&file.name) == Some(&folder));
                files = rest;
                let names: Vec<String> = inside.iter().map(|file| base(&file.name).to_owned()).collect();
                let open = |name: &str| {
                    let file = inside.iter_mut().find(|file| base(&file.name) == name).ok_or(ErrorKind::NotFound)?;
                    // It is opened once to see whether it exists, and then again to read it.
                    let bytes = if name == "vm_fault.log" { file.bytes.clone() } else { std::mem::take(&mut file.bytes) };
                    Ok(Box::new(watched(bytes)) as Box<dyn Read + '_>)
                };
                let load = |joined| Source::open(joined, None).and_then(Source::load);
                let input = input::join_radv_report(open).map_err(InputError::from).and_then(load).map(|mut input| {
                    input::remark_unread(&mut input, names.into_iter());
                    input
                });
                (folder, input)
            }
            None => {
                let file = files.remove(0);
                if is_recording(&file.bytes) {
                    read.recordings.push(file);
                    continue;
                }
                (file.name, Source::open(watched(file.bytes), None).and_then(Source::load))
            }
        };
        match source.map_err(|error| refused(&name, &error)).and_then(|input: Input| Given::new(&name, None, input)) {
            Ok(given) => read.given.push(given),
            Err(sentence) => read.errors.push(sentence),
        }
    }
    read
}

/// Returns whether a file is a recording. Only recordings and compressed files are opened twice.
fn is_recording(bytes: &[u8]) -> bool {
    let may_be = bytes.starts_with(b"pm4 recording") || bytes.starts_with(&[0x1F, 0x8B]);
    may_be && Source::open(bytes, None).is_ok_and(|source| source.form() == InputForm::Recording)
}

/// Opens a recording.
pub fn recorded<'f>(file: &'f Dropped, progress: Progress<'f>) -> Result<Recorded<'f>, String> {
    let watched = Watched { bytes: io::Cursor::new(Cow::Borrowed(&file.bytes)), done: Rc::default(), all: file.bytes.len() as u64, progress };
    Recorded::open(&file.name, Source::open(watched, None).map_err(|error| refused(&file.name, &error))?)
}

fn refused(name: &str, error: &InputError) -> String {
    match error {
        InputError::Io(error) => format!("{name} cannot be read: {error}"),
        other => format!("{name} {other}"),
    }
}

/// Returns the folder of a report among the names.
fn report_folder(files: &[Dropped]) -> Option<String> {
    let begins = |file: &&Dropped| [RADV_REPORT[0], "vm_fault.log"].contains(&base(&file.name));
    files.iter().filter(begins).find_map(|file| parent(&file.name).map(str::to_owned))
}

fn parent(name: &str) -> Option<&str> {
    name.rsplit_once('/').map(|(folder, _)| folder)
}

fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}
