//! Recordings of many submissions, as the programs open them.

use super::{files, progress::During};
use pm4::hang::check::Recorded;
use pm4::input::InputForm;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Opens a file as a recording; None where it is none.
///
/// # Errors
/// A sentence for the user.
pub fn open(path: &Path) -> Result<Option<Recorded<'static>>, String> {
    // What standard input holds is known once it was read.
    if !path.is_file() {
        return Ok(None);
    }
    // Other inputs are not opened twice but for these bytes.
    let mut head = Vec::new();
    let begins = File::open(path).and_then(|file| file.take(16).read_to_end(&mut head)).is_ok();
    if !begins || !(head.starts_with(b"pm4 recording") || head.starts_with(&[0x1F, 0x8B])) {
        return Ok(None);
    }
    let name = path.display().to_string();
    // What is wrong with another input, its reader says.
    let Some(source) = files::open(path, None, During::Reading).ok().filter(|source| source.form() == InputForm::Recording) else { return Ok(None) };
    Recorded::open(&name, source).map(Some)
}
