//! The forms of inputs.

use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// The form of an input. Parses from its name, as given to `--input`.
///
/// For an example, see [the module](crate::input).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case", ascii_case_insensitive)]
pub enum InputForm {
    /// Little-endian 32-bit words.
    Raw,
    /// Words as hexadecimal or decimal text: lists, `xxd`, `od`, `hexdump`, gdb, a kernel's `print_hex_dump`.
    Hex,
    /// The amdgpu device coredump.
    Devcoredump,
    /// Ring and buffer text printed by umr.
    Umr,
    /// The umr server's answer to `ring`.
    UmrJson,
    /// Command buffers printed by Mesa: RADV_DEBUG=hang, AMD_DEBUG=ib, GALLIUM_DDEBUG.
    Mesa,
    /// Command buffer dumps of PAL and AMDVLK, text or binary.
    Pal,
    /// A debugfs ring, `amdgpu_ring_NAME`.
    Ring,
    /// The output of `dump`, as JSON records or text.
    Dump,
    /// A recording of `pm4 live`: many submissions with their memory.
    Recording,
    /// A kernel log: page faults and ring timeouts, no words.
    KernelLog,
}

impl InputForm {
    /// Returns a description of the form for messages.
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
