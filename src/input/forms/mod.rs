//! The forms: one row each, one file each.

mod devcoredump;
mod dumped;
mod hex;
mod kernel_log;
mod mesa;
mod pal;
mod raw;
mod ring;
mod umr;
mod umr_json;

pub(super) use devcoredump::TITLE as COREDUMP_TITLE;
pub(super) use hex::HexLines;
#[cfg(feature = "self-test")]
pub(crate) use hex::self_test;
pub(super) use mesa::vendor_header;

use super::contents::{BufferUse, Input, InputBuffer, InputMessage, InputPlace};
use super::score;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// A form in which command streams are kept. Parses from its name, which is what `--input` takes.
///
/// For an example see [the module](crate::input).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case", ascii_case_insensitive)]
pub enum InputForm {
    /// Little-endian 32-bit words.
    Raw,
    /// Words as hexadecimal or decimal text: lists, `xxd`, `od`, `hexdump`, gdb, `print_hex_dump` of a kernel.
    Hex,
    /// The device coredump of amdgpu.
    Devcoredump,
    /// Ring and buffer text of umr.
    Umr,
    /// What the server of umr answers to `ring`.
    UmrJson,
    /// Command buffers as Mesa prints them: RADV_DEBUG=hang, AMD_DEBUG=ib, GALLIUM_DDEBUG.
    Mesa,
    /// Command buffer dumps of PAL and AMDVLK, text or binary.
    Pal,
    /// A ring of debugfs, `amdgpu_ring_NAME`.
    Ring,
    /// What `dump` printed, JSON records or text.
    Dump,
    /// The log of a kernel: page faults and rings that timed out, no words.
    KernelLog,
}

/// The beginning of an input.
pub(super) struct Head<'h> {
    pub bytes: &'h [u8],
    pub is_text: bool,
    /// It is all of the input.
    pub whole: bool,
}

impl Head<'_> {
    fn has(&self, part: &str) -> bool {
        let Some((first, rest)) = part.as_bytes().split_first() else { return true };
        // Nearly all bytes are not the first one.
        self.bytes.iter().enumerate().filter(|(_, byte)| *byte == first).any(|(at, _)| self.bytes[at + 1..].starts_with(rest))
    }
}

struct Row {
    form: InputForm,
    what: &'static str,
    /// Whether the beginning of an input has the form.
    is: fn(&Head<'_>) -> bool,
    parse: fn(&[u8], &mut Input),
}

/// In the order in which they are tried: forms with fixed markers first, then forms that only look typical. Everything else is raw words.
const FORMS: [Row; 10] = [
    Row { form: InputForm::Devcoredump, what: "a device coredump of amdgpu", is: devcoredump::is, parse: devcoredump::parse },
    Row { form: InputForm::Dump, what: "what dump printed", is: dumped::is, parse: dumped::parse },
    Row { form: InputForm::UmrJson, what: "a ring as the server of umr sends it", is: umr_json::is, parse: umr_json::parse },
    Row { form: InputForm::Mesa, what: "command buffers as Mesa prints them", is: mesa::is, parse: mesa::parse },
    Row { form: InputForm::Umr, what: "rings and buffers as umr prints them", is: umr::is, parse: umr::parse },
    Row { form: InputForm::Pal, what: "a command buffer dump of PAL", is: pal::is, parse: pal::parse },
    Row { form: InputForm::Hex, what: "words as text", is: hex::is, parse: hex::parse },
    Row { form: InputForm::KernelLog, what: "the log of a kernel", is: kernel_log::is, parse: kernel_log::parse },
    Row { form: InputForm::Ring, what: "a ring of debugfs", is: ring::is, parse: ring::parse },
    Row { form: InputForm::Raw, what: "little-endian 32-bit words", is: |_| false, parse: raw::parse },
];

impl InputForm {
    fn row(self) -> &'static Row {
        // The table has every form (a test counts); raw words are last.
        FORMS.iter().find(|row| row.form == self).unwrap_or(&FORMS[FORMS.len() - 1])
    }

    /// The form in words, for people.
    pub fn description(self) -> &'static str {
        self.row().what
    }
}

/// The form of an input by its beginning.
pub(super) fn find(head: &Head<'_>) -> Option<InputForm> {
    FORMS.iter().find(|row| (row.is)(head)).map(|row| row.form)
}

/// Reads an input of a known form.
pub(super) fn parse(bytes: &[u8], input: &mut Input) {
    (input.form.row().parse)(bytes, input);
}

/// Whether only the length shows that it is a ring.
pub(super) fn may_be_ring(head: &[u8]) -> bool {
    ring::may_be(head)
}

/// Words and the bytes after them.
fn words_of(bytes: &[u8], buffer: &mut InputBuffer) {
    let (whole, rest) = bytes.as_chunks::<4>();
    buffer.words.extend(whole.iter().map(|word| u32::from_le_bytes(*word)));
    buffer.trailing_bytes = rest.to_vec();
}
