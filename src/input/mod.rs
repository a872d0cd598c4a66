//! Reads the files that people have after a hang. The content decides the form: raw words, hexadecimal text, archives, kernel device coredumps, rings, and what
//! tools print (feature `input`).
//!
//! [`Source`] looks at the beginning of a file and says which [`InputForm`] it has; [`Source::load`] reads it into an [`Input`]: buffers with their words,
//! addresses and places, the chip and the firmware where they are known, and what the kernel recorded of the engines ([`HangFacts`]). What is damaged or cut
//! short is reported with its place, and the rest is still used. Raw words need not be read whole: a source is a [`Read`](std::io::Read);
//! nor need words as text ([`Source::in_pieces`]).
//!
//! A [`Recording`] has many submissions with their memory, read one by one.
//!
//! Each form has a file of its own in `src/input/forms/`, and a row in one table. Facts of the forms: Linux 6.12 to 7.1 amdgpu_dev_coredump.c, umr 2017 to
//! 2025, Mesa 25.0.7 and 26.0 ac_parse_ib.c and radv_debug.c, PAL cmdBuffer dumps.
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
