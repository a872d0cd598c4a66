//! Opens recordings of many submissions.

use super::{files, progress::During};
use pm4::hang::check::Recorded;
use pm4::input::InputForm;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Opens a file as a recording; None if it is something else.
///
/// # Errors
/// Returns a message for the user.
pub fn open(path: &Path) -> Result<Option<Recorded<'static>>, String> {
    // The contents of standard input are not known before it is read.
    if !path.is_file() {
        return Ok(None);
    }
    // Of other inputs, only these bytes are read here.
    let mut head = Vec::new();
    let begins = File::open(path).and_then(|file| file.take(16).read_to_end(&mut head)).is_ok();
    if !begins || !(head.starts_with(b"pm4 recording") || head.starts_with(&[0x1F, 0x8B])) {
        return Ok(None);
    }
    let name = path.display().to_string();
    // Errors of other inputs are reported by their reader.
    let Some(source) = files::open(path, None, During::Reading).ok().filter(|source| source.form() == InputForm::Recording) else { return Ok(None) };
    Recorded::open(&name, source).map(Some)
}
