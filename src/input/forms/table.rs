//! The table of all forms.

use super::{devcoredump, dumped, hex, kernel_log, mesa, pal, raw, recorded, ring, umr, umr_json};
use crate::input::ground::{Head, Input, InputForm};

struct Row {
    form: InputForm,
    /// Returns whether the beginning of an input has the form.
    is: fn(&Head<'_>) -> bool,
    parse: fn(&[u8], &mut Input),
}

/// In the order in which they are tried: forms with fixed markers first, then forms that are recognized by their look. Everything else is raw words.
const FORMS: [Row; 11] = [
    Row { form: InputForm::Devcoredump, is: devcoredump::is, parse: devcoredump::parse },
    Row { form: InputForm::Recording, is: recorded::is, parse: recorded::parse },
    Row { form: InputForm::Dump, is: dumped::is, parse: dumped::parse },
    Row { form: InputForm::UmrJson, is: umr_json::is, parse: umr_json::parse },
    Row { form: InputForm::Mesa, is: mesa::is, parse: mesa::parse },
    Row { form: InputForm::Umr, is: umr::is, parse: umr::parse },
    Row { form: InputForm::Pal, is: pal::is, parse: pal::parse },
    Row { form: InputForm::Hex, is: hex::is, parse: hex::parse },
    Row { form: InputForm::KernelLog, is: kernel_log::is, parse: kernel_log::parse },
    Row { form: InputForm::Ring, is: ring::is, parse: ring::parse },
    Row { form: InputForm::Raw, is: |_| false, parse: raw::parse },
];

fn row(form: InputForm) -> &'static Row {
    // The table contains every form (a test checks this); raw words are last.
    FORMS.iter().find(|row| row.form == form).unwrap_or(&FORMS[FORMS.len() - 1])
}

/// Detects the form of an input from its beginning.
pub(in crate::input) fn find(head: &Head<'_>) -> Option<InputForm> {
    FORMS.iter().find(|row| (row.is)(head)).map(|row| row.form)
}

/// Reads an input of a known form.
pub(in crate::input) fn parse(bytes: &[u8], input: &mut Input) {
    (row(input.form).parse)(bytes, input);
}

/// Returns whether the input can be a ring by everything but its length.
pub(in crate::input) fn may_be_ring(head: &[u8]) -> bool {
    ring::may_be(head)
}
