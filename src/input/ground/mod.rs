//! The types into which all forms are read, and what their parsers share.

pub(super) mod allocations;
pub(super) mod chips;
mod contents;
mod events;
mod form;
mod hang_facts;
mod head;
mod other_rings;
mod recording;
mod remarks;
pub(crate) mod ring_words;
pub(super) mod score;
pub(super) mod text;

pub(super) use contents::words_of;
pub use contents::{BufferUse, Input, InputBuffer, InputMessage, InputPlace, RingPointers};
pub use events::{EventKind, FaultLine, FaultPart, LogEvent, Process, RecoveryLine};
pub use form::InputForm;
pub use hang_facts::{Allocation, BoundObject, HangFacts, Marks, PageFault, PageMemory, RegisterBlock, WavesAt, WrongAddress};
pub(super) use head::{Head, LONGEST};
pub(super) use recording::MAGIC;
pub use recording::{RecordedBuffer, RecordedDevice, RecordedEngine, RecordedRange, RecordedSubmission, Recording, RecordingWriter};
