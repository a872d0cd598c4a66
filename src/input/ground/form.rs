//! The forms of inputs.

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
    /// A recording of `pm4 live`: many submissions with their memory.
    Recording,
    /// The log of a kernel: page faults and rings that timed out, no words.
    KernelLog,
}

impl InputForm {
    /// Returns the form in words, for people.
    pub fn description(self) -> &'static str {
        match self {
            Self::Devcoredump => "a device coredump of amdgpu",
            Self::Dump => "what dump printed",
            Self::UmrJson => "a ring as the server of umr sends it",
            Self::Mesa => "command buffers as Mesa prints them",
            Self::Umr => "rings and buffers as umr prints them",
            Self::Pal => "a command buffer dump of PAL",
            Self::Hex => "words as text",
            Self::Recording => "a recording of pm4 live",
            Self::KernelLog => "the log of a kernel",
            Self::Ring => "a ring of debugfs",
            Self::Raw => "little-endian 32-bit words",
        }
    }
}
