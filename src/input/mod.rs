//! Reads the files that a hang leaves behind (feature `input`). The content determines the form: raw words, hexadecimal text, archives, kernel device
//! coredumps, rings, or the output of a tool.
//!
//! [`Source`] detects the [`InputForm`] of a file from its beginning; [`Source::load`] reads the file into an [`Input`]: buffers with their words, addresses
//! and places, the chip and the firmware if known, and what the kernel recorded about the engines ([`HangFacts`]). Damaged and truncated parts are reported
//! with their places; the rest is still used. Large inputs need not be in memory: a source implements [`Read`](std::io::Read) for raw words, and
//! [`Source::in_pieces`] reads words as text in pieces.
//!
//! A [`Recording`] holds many submissions with their memory and is read one submission at a time.
//!
//! Each form has a file in `src/input/forms/` and a row in one table. Sources of the forms: Linux 6.12 to 7.1 amdgpu_dev_coredump.c, umr 2017 to 2025, Mesa
//! 25.0.7 and 26.0 ac_parse_ib.c and radv_debug.c, PAL cmdBuffer dumps.
//!
//! ```
//! use pm4::input::{InputForm, Source};
//!
//! let text = "0xc0012d00 0x00000003 0x00000002\n";
//! let source = Source::open(text.as_bytes(), None)?;
//! assert_eq!(source.form(), InputForm::Hex);
//! let input = source.load()?;
//! assert_eq!(input.buffers[0].words, [0xC001_2D00, 3, 2]);
//! # Ok::<(), pm4::input::InputError>(())
//! ```

mod forms;
mod ground;
mod packed;
mod pasted;
mod radv;
mod source;

pub(crate) use ground::ring_words;
pub use ground::{
    Allocation, BoundObject, BufferUse, EventKind, FaultLine, FaultPart, HangFacts, Input, InputBuffer, InputForm, InputMessage, InputPlace, LogEvent, Marks,
    PageFault, PageMemory, Process, RecordedBuffer, RecordedDevice, RecordedEngine, RecordedRange, RecordedSubmission, Recording, RecordingWriter,
    RecoveryLine, RegisterBlock, RingPointers, WavesAt, WrongAddress,
};
pub use packed::RADV_REPORT;
pub use radv::{join_radv_report, remark_unread};
pub use source::{InputError, Source, TextPieces};
